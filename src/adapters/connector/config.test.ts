// Reads the settings and secrets of connectors, good and bad ones.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig, readSecrets } from './config.ts'

const RIGHT = { url: 'https://pay.example/corridor/', key_lifetime_s: null }

test('connector settings, defaults: only for settings on which no money depends', () => {
  assert.deepEqual(readConfig(RIGHT).value, {
    url: 'https://pay.example/corridor',
    key_lifetime_s: null,
    at_once: 64,
    allow_private: false,
  })
})

const WRONG: readonly (readonly [json: unknown, message: RegExp])[] = [
  [null, /no JSON object/],
  [[], /no JSON object/],
  [{ url: RIGHT.url }, /key_lifetime_s is missing/],
  [{ ...RIGHT, key_lifetime_s: 604_799 }, /key_lifetime_s is null, for ever, or 604800/],
  [{ ...RIGHT, key_lifetime_s: '604800' }, /key_lifetime_s is null/],
  [{ ...RIGHT, key_lifetime_s: 604_800.5 }, /key_lifetime_s is null/],
  [{ ...RIGHT, url: 'pay.example' }, /url is the address/],
  [{ ...RIGHT, url: 'http://pay.example' }, /must start with https/],
  [{ ...RIGHT, url: 'ftp://pay.example', allow_private: true }, /must start with https/],
  [{ ...RIGHT, url: 'https://me:secret@pay.example' }, /must not contain a password/],
  [{ ...RIGHT, url: 'https://pay.example/?key=1' }, /must not contain \?/],
  [{ ...RIGHT, at_once: 0 }, /at_once is a number from 1/],
  [{ ...RIGHT, allow_private: 'yes' }, /allow_private is true or false/],
  [{ ...RIGHT, key_lifetime: 1 }, /unknown member key_lifetime; did you mean key_lifetime_s/],
]

for (const [json, message] of WRONG) {
  test(`connector settings ${JSON.stringify(json)}: refused`, () => {
    assert.match(readConfig(json).messages?.join('; ') ?? 'taken', message)
  })
}

test('connector secrets: one, or two during a replacement; any other number refused', () => {
  const secret = `whsec_${'A'.repeat(43)}=`
  assert.deepEqual(readSecrets(secret).value, [secret])
  assert.deepEqual(readSecrets(`${secret} ${secret}\n`).value, [secret, secret])
  for (const text of ['', 'secret', `${secret} ${secret} ${secret}`, 'whsec_short']) {
    assert.equal(readSecrets(text).value, undefined, text)
  }
})
