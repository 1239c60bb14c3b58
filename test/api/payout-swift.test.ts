// POST /v3/payout of type swift: the MT103 written with it, where the payout shows it, and the refusal
// of what SWIFT cannot carry. What the fields must look like is tested where they are written.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Config, readConfig } from '../../src/config/config.ts'
import { ConfigError } from '../../src/config/variables.ts'
import { checkBooks } from '../support/assert/books.ts'
import { assertProblems, rowVersions } from '../support/assert/check.ts'
import { bankBeneficiary, localPayout } from '../support/given/bodies.ts'
import { review } from '../support/service/review.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { settleAll } from '../support/service/settling.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads any member of any answer
type Json = any

const UETR = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

let service: TestService
let account: Client
before(async () => {
  service = await startTestService({ bic: 'BANKDEFF', simulator_delay_ms: 0 } as Partial<Config>)
  await service.setRates({ 'USD/EUR': '0.9', 'USD/JPY': '150', 'USD/USDC': '1' })
  account = await service.openAccount({
    currencies: ['USD', 'EUR'],
    fund: { USD: 9_007_199_254_740_991n, EUR: 9_000_000n },
  })
})
after(async () => {
  await checkBooks(service.database.owner, { DATABASE_URL: service.database.url })
  await service.close()
})

function bankOf(bank: object, details: object = {}) {
  const bank_codes = { swift_code: 'DEUTDEFF' }
  const destination_details = { type: 'bank', bank: { iban: IBAN, bank_codes, ...bank } }
  return { ...bankBeneficiary, name: 'Anna Schmidt', destination_details, ...details }
}

const IBAN = 'DE89370400440532013000'
const swiftPayout = {
  ...localPayout,
  type: 'swift',
  amount: 250_000,
  currency: 'EUR',
  charge_type: 'ours',
  reference_id: 'INV-2041',
  beneficiary_details: bankOf({ country: 'DE', bank_codes: { swift_code: 'DEUTDEFF500' } }),
}

async function pay(fields: object = {}): Promise<Json> {
  const answer = await account.post('/v3/payout', { ...swiftPayout, ...fields })
  assert.equal(answer.status, 200, answer.text)
  return answer.json.data
}

/** The fields of block 4 by tag, lines joined by a slash and a space. */
function fieldsOf(mt103: string): Record<string, string> {
  const [, text = ''] = /\{4:\r\n(.*)\r\n-\}$/s.exec(mt103) ?? assert.fail(mt103)
  const parts = text.split(/(?:^|\r\n):(?=\d\d[A-Z]?:)/).filter(part => part !== '')
  return Object.fromEntries(
    parts.map(part => {
      const [, tag = '', value = ''] = /^(\w+):(.*)$/s.exec(part) ?? assert.fail(part)
      return [tag, value.replaceAll('\r\n', ' | ')]
    }),
  )
}

test("POST /v3/payout, swift: MT103 with the payout's data and its UETR, also once paid; local: no MT103", async () => {
  const payout = await pay()
  const { mt103, tracking_details, confirmation_documents, created_at, id } = payout
  assert.match(tracking_details.tracking_number, UETR)
  assert.equal(tracking_details.tracking_type, 'uetr')
  const blocks = `{1:F01BANKDEFFAXXX0000000000}{2:I103DEUTDEFFX500N}{3:{121:${tracking_details.tracking_number}}}{4:`
  assert.equal(mt103.split('\r\n')[0], blocks)
  const { '20': reference, ...fields } = fieldsOf(mt103)
  assert.match(reference ?? '', /^[0-9A-Z]{16}$/)
  const day = created_at.slice(2, 10).replaceAll('-', '')
  assert.deepEqual(fields, {
    '23B': 'CRED',
    '32A': `${day}EUR2500,00`,
    '33B': 'EUR2500,00',
    '50K': `/${account.account.account_id.replace('_', '-')} | Test`,
    '57A': 'DEUTDEFF500',
    '59': `/${IBAN} | Anna Schmidt | 1 Queen's Road | Hong Kong HK`,
    '70': '/ROC/INV-2041 | Invoice 2041',
    '71A': 'OUR',
  })
  const [document] = confirmation_documents
  assert.deepEqual([confirmation_documents.length, document.type], [1, 'mt103'])
  assert.equal(document.file_name, `mt103-${reference}.txt`)
  const [, base64 = ''] = document.url.split('base64,')
  assert.equal(Buffer.from(base64, 'base64').toString('ascii'), mt103)
  assert.deepEqual((await account.get(`/v3/payout/${id}`)).json.data, payout)
  await settleAll(service)
  const { results } = (await account.get('/v3/payout?type=swift')).json.data
  const { status, mt103: listed } = results.find((one: Json) => one.id === id)
  assert.deepEqual([status, listed], ['failed', mt103])
  const local = await pay({ type: 'local', charge_type: undefined })
  const none = { tracking_number: '', tracking_type: '' }
  assert.deepEqual(
    [local.mt103, local.confirmation_documents, local.tracking_details],
    ['', [], none],
  )
})

test('POST /v3/payout, swift, payout currency differs from destination currency: MT103 fields 32A, 33B and 36 agree', async () => {
  const beneficiary_details = bankOf({ country: 'DE', currency: 'JPY' })
  const { mt103 } = await pay({ currency: 'USD', beneficiary_details, charge_type: undefined })
  const fields = fieldsOf(mt103)
  assert.match(fields['32A'] ?? '', /^\d{6}JPY375000,$/)
  assert.deepEqual([fields['33B'], fields['36'], fields['71A']], ['USD2500,00', '150,', 'SHA'])
})

test('POST /v3/payout, swift for an entity: field 50K names the entity of the request or quote', async () => {
  const registration_address = { line1: 'Hafen 1', city: 'Hamburg', country: 'DE' }
  const entity = { type: 'business', name: 'Überseehandel AG', registration_address }
  const entity_id = (await account.post('/v3/entity', entity)).json.data.id
  await review(service, account, entity_id, 'approved')
  const party = 'Uberseehandel AG | Hafen 1 | Hamburg DE'
  const direct = await pay({ on_behalf_of: entity_id })
  assert.ok(fieldsOf(direct.mt103)['50K']?.endsWith(` | ${party}`), direct.mt103)
  const asked = {
    payout_type: 'swift',
    payout_info: { currency: 'EUR', amount: 250_000 },
    swift: { charge_type: 'ours' },
    entity_id,
  }
  const quote = (await account.post('/v3/payout/quote', asked)).json.id
  const quoted = await pay({ quote, type: undefined })
  assert.ok(fieldsOf(quoted.mt103)['50K']?.endsWith(` | ${party}`), quoted.mt103)
})

test('POST /v3/payout, swift, text that fits no MT103 field: 400 naming it, nothing written', async () => {
  const bank = { iban: undefined, account_number: '12#4', bank_codes: { bic: 'CHASUS33' } }
  const at = 'beneficiary_details.destination_details.bank.account_number'
  const untouched = await rowVersions(service.database.owner)
  for (const [fields, ...problem] of [
    [{ beneficiary_details: bankOf(bank) }, 'invalid_field', at],
    [{ amount: 10 ** 14, currency: 'USD' }, 'amount_out_of_range', 'amount'],
  ] as const) {
    assertProblems(await account.post('/v3/payout', { ...swiftPayout, ...fields }), 400, [problem])
  }
  assert.deepEqual(await rowVersions(service.database.owner), untouched)
})

test('CORRIDOR_BIC, not set: test BIC; lower case: upper case; invalid: refused', () => {
  assert.equal(readConfig({}).bic, '')
  assert.equal(readConfig({ CORRIDOR_BIC: 'bankdeff500' }).bic, 'BANKDEFF500')
  for (const value of ['BANKDEF', 'BANKDEFF5', '1ANKDEFF']) {
    assert.throws(() => readConfig({ CORRIDOR_BIC: value }), ConfigError)
  }
})
