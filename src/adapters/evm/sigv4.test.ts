// Signature Version 4 against the vectors that AWS publishes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AwsRequest, authorizationOf } from './sigv4.ts'

/** The keys of AWS's own test suite. */
const KEYS = {
  access_key: 'AKIDEXAMPLE',
  secret_key: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  session_token: '',
}
const AT = { 'x-amz-date': '20150830T123600Z' }

const VECTORS: readonly (readonly [string, AwsRequest, string, string, string])[] = [
  [
    'get-vanilla',
    { method: 'GET', url: 'https://example.amazonaws.com/', headers: AT, body: '' },
    ...(['service', 'host;x-amz-date'] as const),
    '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  ],
  [
    'post-vanilla',
    { method: 'POST', url: 'https://example.amazonaws.com/', headers: AT, body: '' },
    ...(['service', 'host;x-amz-date'] as const),
    '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  ],
  [
    'the documented request of IAM',
    {
      method: 'GET',
      url: 'https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08',
      headers: { ...AT, 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
      body: '',
    },
    ...(['iam', 'content-type;host;x-amz-date'] as const),
    '5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
  ],
]

for (const [what, request, service, names, signature] of VECTORS) {
  test(`SigV4, ${what}: the published signature`, () => {
    const scope = `20150830/us-east-1/${service}/aws4_request`
    assert.equal(
      authorizationOf(request, KEYS, { region: 'us-east-1', service }),
      `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/${scope}, SignedHeaders=${names}, ` +
        `Signature=${signature}`,
    )
  })
}

test('SigV4, body, header or path changed: another signature', () => {
  const request: AwsRequest = { method: 'POST', url: 'https://a.example/', headers: AT, body: '{}' }
  const scope = { region: 'us-east-1', service: 'kms' }
  const signatures = [
    request,
    { ...request, body: '{ }' },
    { ...request, url: 'https://b.example/' },
    { ...request, url: 'https://a.example/b' },
    { ...request, headers: { ...AT, 'x-amz-target': 'TrentService.Sign' } },
    { ...request, headers: { 'x-amz-date': '20150831T123600Z' } },
  ].map(one => authorizationOf(one, KEYS, scope))
  assert.equal(new Set(signatures).size, signatures.length)
})
