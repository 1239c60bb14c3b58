// POST and PUT /v3/beneficiary: an account that every payout would refuse is refused when its payee
// is made. One that some payout may pay is kept, even if that payout needs more members.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblems, rowVersions } from '../support/assert/check.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'

const PATH = '/v3/beneficiary'
const CLABE = '032180000118359719'
const WRONG_CLABE = '032180000118359718'

let service: TestService
let account: Client
before(async () => {
  service = await startTestService()
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 10_000_000n } })
})
after(() => service.close())

const payee = (bank: object, others: object = {}) => ({
  ...{ type: 'business', name: 'Comercial Norte' },
  ...{ destination_details: { type: 'bank', bank }, ...others },
})

const NUMBER = 'destination_details.bank.account_number'

/** Accounts whose number no way of paying them takes. */
const REFUSED: readonly (readonly [of: string, bank: object])[] = [
  ['CLABE, wrong check digit', { account_number: WRONG_CLABE, country: 'MX' }],
  ['CLABE, currency named', { account_number: WRONG_CLABE, country: 'MX', currency: 'MXN' }],
  ['CLABE, letters', { account_number: '12 MAIN', country: 'MX' }],
  ['CBU, wrong check digits', { account_number: '2850590940090418135202', country: 'AR' }],
]
const WRONG_NUMBER = [['invalid_field', NUMBER]] as const

for (const [name, bank] of REFUSED) {
  test(`POST ${PATH}, ${name}: 400 that names the member, no row changes`, async () => {
    const rows = await rowVersions(service.database.owner)
    const answer = await account.post(PATH, payee(bank))
    assertProblems(answer, 400, WRONG_NUMBER)
    assert.deepEqual(await rowVersions(service.database.owner), rows)
  })
}

const TAKEN: readonly (readonly [of: string, bank: object])[] = [
  ['CLABE with its check digit', { account_number: CLABE, country: 'MX' }],
  ['CLABE in groups', { account_number: '032 180 00011835971 9', country: 'MX' }],
  ['bank code still missing', { account_number: '123456', country: 'US' }],
  ['country still unknown', { account_number: WRONG_CLABE }],
  [
    'account for SWIFT, which needs no CLABE',
    { account_number: '123456', country: 'MX', bank_codes: { swift_code: 'BNMXMXMM' } },
  ],
  ['country without a local network', { account_number: '77', country: 'BT' }],
]

for (const [name, bank] of TAKEN) {
  test(`POST ${PATH}, ${name}: made`, async () => {
    const answer = await account.post(PATH, payee(bank))
    assert.equal(answer.status, 200, answer.text)
  })
}

test(`PUT ${PATH}/{id}, destination that no payout could pay: 400, beneficiary unchanged; other members: changed`, async () => {
  const made = (await account.post(PATH, payee({ account_number: CLABE, country: 'MX' }))).json.data
  const { destination_details } = payee({ account_number: WRONG_CLABE, country: 'MX' })
  const refused = await account.put(`${PATH}/${made.id}`, { destination_details })
  assertProblems(refused, 400, WRONG_NUMBER)
  assert.deepEqual((await account.get(`${PATH}/${made.id}`)).json.data, made)
  const renamed = await account.put(`${PATH}/${made.id}`, { name: 'Comercial Sur' })
  assert.equal(renamed.json.data.name, 'Comercial Sur')
})
