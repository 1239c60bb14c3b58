// Names that name nobody, or take too long to screen: refused wherever a person's or company's name
// is taken, with its member.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bankBeneficiary, localPayout } from '../support/given/bodies.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'

const NOBODY = ['-', '.', '…!', '\u{1F600}', '\u200B', '\u3164', '\u0301', '\u00A0\u2060']
const SOMEBODY = ['7', 'Ł', '王', 'O', 'ไ', '-a-']

let service: TestService
let account: Client
before(async () => {
  service = await startTestService()
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 10_000_000n } })
})
after(() => service.close())

interface Problem {
  readonly remarks?: string
}

/** The members that a refused request names. */
async function named(method: 'post' | 'put', path: string, body: object): Promise<string[]> {
  const { status, json, text } = await account[method](path, body)
  assert.equal(status, 400, `${path}: ${text}`)
  return json.errors.map(({ remarks = '' }: Problem) => remarks)
}

const entity = (more: object) => ({ name: 'Norwind Ltd', type: 'business', ...more })

test('a name without a letter or a digit: refused in each request that takes one, with its member', async () => {
  const made = await account.post('/v3/beneficiary', bankBeneficiary)
  const one = await account.post('/v3/entity', entity({}))
  const [beneficiary, stored] = [made.json.data.id, one.json.data.id]
  for (const name of NOBODY) {
    const person = { first_name: name, last_name: name }
    const payee = { ...bankBeneficiary, name }
    const rows: readonly (readonly ['post' | 'put', path: string, body: object, member: string])[] =
      [
        ['post', '/v3/beneficiary', payee, 'name'],
        ['post', '/v3/beneficiary', { ...bankBeneficiary, name_local: name }, 'name_local'],
        ['put', `/v3/beneficiary/${beneficiary}`, { name }, 'name'],
        ['post', '/v3/entity', entity({ name }), 'name'],
        ['put', `/v3/entity/${stored}`, { name }, 'name'],
        [
          'post',
          '/v3/entity',
          entity({ representatives: [person] }),
          'representatives[0].first_name',
        ],
        [
          'post',
          '/v3/payout',
          { ...localPayout, beneficiary_details: payee },
          'beneficiary_details.name',
        ],
      ]
    for (const [method, path, body, member] of rows) {
      if (name.trim() === '' && member !== 'name') continue
      const members = await named(method, path, body)
      assert.ok(members.includes(member), `${path} ${JSON.stringify(name)}: ${members}`)
    }
    const payouts = [{ ...localPayout, beneficiary_details: payee }]
    const batch = await account.post('/v3/payout_batch', { payouts })
    assert.match(batch.text, /beneficiary_details\.name/)
  }
})

test('a name of one letter or digit of any script: taken', async () => {
  for (const name of SOMEBODY) {
    const made = await account.post('/v3/beneficiary', { ...bankBeneficiary, name })
    assert.equal(made.status, 200, made.text)
  }
  const representatives = [{ first_name: '-', last_name: 'Suharto' }]
  assert.equal((await account.post('/v3/entity', entity({ representatives }))).status, 200)
})

/** Few characters, which stand for hundreds of words that screening compares. */
const WORDY = [
  '\ufdfa'.repeat(128),
  'a '.repeat(41),
  '王'.repeat(41),
  'Ab'.repeat(41),
  '㌀ '.repeat(64),
]

test('a name of more than 40 words: refused in each request that takes one, with its member', async () => {
  const made = await account.post('/v3/beneficiary', bankBeneficiary)
  for (const name of WORDY) {
    const payee = { ...bankBeneficiary, name }
    const person = { first_name: name, last_name: 'Smith' }
    for (const [method, path, body, member] of [
      ['post', '/v3/beneficiary', payee, 'name'],
      ['post', '/v3/beneficiary', { ...bankBeneficiary, name_local: name }, 'name_local'],
      ['put', `/v3/beneficiary/${made.json.data.id}`, { name }, 'name'],
      ['post', '/v3/entity', entity({ name }), 'name'],
      [
        'post',
        '/v3/entity',
        entity({ representatives: [person] }),
        'representatives[0].first_name',
      ],
      [
        'post',
        '/v3/payout',
        { ...localPayout, beneficiary_details: payee },
        'beneficiary_details.name',
      ],
    ] as const) {
      assert.deepEqual(await named(method, path, body), [member], `${path} ${name.slice(0, 5)}`)
    }
  }
  const words = Array.from({ length: 40 }, (_, i) => `w${i}`).join(' ')
  const taken = await account.post('/v3/beneficiary', { ...bankBeneficiary, name: words })
  assert.equal(taken.status, 200)
})
