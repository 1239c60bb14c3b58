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

type NamingRequest = readonly [method: 'post' | 'put', path: string, body: object, member: string]

/**
 * Each request that takes a name, with this one, and the member that has it. A representative has
 * `last_name` besides.
 */
function requestsWith(
  name: string,
  last_name: string,
  stored: { readonly beneficiary: string; readonly entity: string },
): readonly NamingRequest[] {
  const payee = { ...bankBeneficiary, name }
  const representatives = [{ first_name: name, last_name }]
  const payout = { ...localPayout, beneficiary_details: payee }
  return [
    ['post', '/v3/beneficiary', payee, 'name'],
    ['post', '/v3/beneficiary', { ...bankBeneficiary, name_local: name }, 'name_local'],
    ['put', `/v3/beneficiary/${stored.beneficiary}`, { name }, 'name'],
    ['post', '/v3/entity', entity({ name }), 'name'],
    ['put', `/v3/entity/${stored.entity}`, { name }, 'name'],
    ['post', '/v3/entity', entity({ representatives }), 'representatives[0].first_name'],
    ['post', '/v3/payout', payout, 'beneficiary_details.name'],
  ]
}

test('name without letter or digit, each request that has a name: refused at its member', async () => {
  const made = await account.post('/v3/beneficiary', bankBeneficiary)
  const one = await account.post('/v3/entity', entity({}))
  const stored = { beneficiary: made.json.data.id, entity: one.json.data.id }
  for (const name of NOBODY) {
    for (const [method, path, body, member] of requestsWith(name, name, stored)) {
      if (name.trim() === '' && member !== 'name') continue
      const members = await named(method, path, body)
      assert.ok(members.includes(member), `${path} ${JSON.stringify(name)}: ${members}`)
    }
    const payouts = [{ ...localPayout, beneficiary_details: { ...bankBeneficiary, name } }]
    const batch = await account.post('/v3/payout_batch', { payouts })
    assert.match(batch.text, /beneficiary_details\.name/)
  }
})

test('name of one letter or digit of any script: accepted', async () => {
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

test('name of more than 40 words, each request that has a name: refused at its member', async () => {
  const made = await account.post('/v3/beneficiary', bankBeneficiary)
  const one = await account.post('/v3/entity', entity({}))
  const stored = { beneficiary: made.json.data.id, entity: one.json.data.id }
  for (const name of WORDY) {
    for (const [method, path, body, member] of requestsWith(name, 'Smith', stored)) {
      assert.deepEqual(await named(method, path, body), [member], `${path} ${name.slice(0, 5)}`)
    }
  }
  const words = Array.from({ length: 40 }, (_, i) => `w${i}`).join(' ')
  const taken = await account.post('/v3/beneficiary', { ...bankBeneficiary, name: words })
  assert.equal(taken.status, 200)
})
