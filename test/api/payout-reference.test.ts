// The creditor reference of a payout, and the entity that it is made for: what is taken, what is
// refused, and what the bank, a connector and people see of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { iso20022 } from '../../src/adapters/iso20022/format.ts'
import { assertProblems, rowVersions } from '../support/assert/check.ts'
import { fileWorlds } from '../support/bank/file-rail.ts'
import { undone } from '../support/database/undone.ts'
import { localPayout } from '../support/given/bodies.ts'
import { review } from '../support/service/review.ts'
import type { Client, TestService } from '../support/service/service.ts'

let service: TestService
const world = fileWorlds('swiss', started => {
  service = started
})

const QRR = '21 00000 00003 13947 14300 09017'
const [QR_IBAN, PLAIN, GERMAN] = [
  'CH44 3199 9123 0008 8901 2',
  'CH9300762011623852957',
  'DE89370400440532013000',
]

const payee = (iban: string) => ({
  name: 'Harbour Trading Ltd',
  type: 'business',
  destination_details: { type: 'bank', bank: { iban } },
})
const payoutTo = (iban: string, more: object = {}) => ({
  ...localPayout,
  currency: 'EUR',
  beneficiary_details: payee(iban),
  ...more,
})

let opened: Promise<Client> | undefined
const sandbox = () => {
  opened ??= service.openAccount({ currencies: ['EUR'], fund: { EUR: 1_000_000n } })
  return opened
}

const REFUSED: readonly (readonly [what: string, iban: string, reference: string | undefined])[] = [
  ['a QR-IBAN without a reference', QR_IBAN, undefined],
  ['a QR-IBAN with an ISO 11649 reference', QR_IBAN, 'RF18539007547034'],
  ['a QRR to a Swiss IBAN that is no QR-IBAN', PLAIN, QRR],
  ['a QRR to Germany', GERMAN, QRR],
  ['a wrong check digit', QR_IBAN, '210000000003139471430009018'],
  ['free text', GERMAN, 'Invoice 2041'],
]

for (const [what, iban, creditor_reference] of REFUSED) {
  test(`POST /v3/payout, ${what}: 400 at creditor_reference, inline, by id and as a dry run; no row changes`, async () => {
    const account = await sandbox()
    const { json } = await account.post('/v3/beneficiary', payee(iban))
    const reference = creditor_reference === undefined ? {} : { creditor_reference }
    const inline = payoutTo(iban, reference)
    const { beneficiary_details: _, ...rest } = inline
    const named = { ...rest, beneficiary: json.data.id }
    const before = await rowVersions(service.database.owner)
    for (const body of [inline, named]) {
      assertProblems(await account.post('/v3/payout', body), 400, [
        ['invalid_field', 'creditor_reference'],
      ])
      const dry = await account.post('/v3/payout?dry_run=true', body)
      assert.equal(dry.json.data.outcome, 'would_refuse')
      assert.equal(dry.json.data.errors[0].remarks, 'creditor_reference')
    }
    assert.deepEqual(await rowVersions(service.database.owner), before)
  })
}

test('POST /v3/payout, creditor reference in print form: stored and returned without spaces and signs', async () => {
  const account = await sandbox()
  for (const [iban, sent, bare] of [
    [QR_IBAN, QRR, '210000000003139471430009017'],
    [PLAIN, 'RF18 5390 0754 7034', 'RF18539007547034'],
    ['BE68539007547034', '+++090/9337/55493+++', '090933755493'],
  ] as const) {
    const made = await account.post('/v3/payout', payoutTo(iban, { creditor_reference: sent }))
    assert.equal(made.status, 200, made.text)
    assert.equal(made.json.data.creditor_reference, bare)
    const read = await account.get(`/v3/payout/${made.json.data.id}`)
    assert.equal(read.json.data.creditor_reference, bare)
  }
})

test('POST /v3/payout, creditor reference to a wallet: 400', async () => {
  const account = await service.openAccount({ currencies: ['USDC'], fund: { USDC: 1_000_000n } })
  const wallet = { type: 'ethereum', deposit_address: '0x52908400098527886E0F7030069857D2E4169EE7' }
  const answer = await account.post('/v3/payout', {
    ...localPayout,
    ...{ type: 'wallet', currency: 'USDC', creditor_reference: 'RF18539007547034' },
    beneficiary_details: { ...payee(PLAIN), destination_details: { type: 'wallet', wallet } },
  })
  assertProblems(answer, 400, [['invalid_field', 'creditor_reference']])
})

test('GET /v3/payout/requirements, creditor reference: required for QR-IBANs, not accepted for wallets', async () => {
  const account = await sandbox()
  const needs = async (query: string) =>
    (await account.get(`/v3/payout/requirements?${query}`)).json.data.creditor_reference
  const swiss = await needs('currency=CHF&country=CH')
  assert.match('CH4431999123000889012', new RegExp(swiss.required_for))
  assert.doesNotMatch(PLAIN, new RegExp(swiss.required_for))
  assert.match('RF18539007547034', new RegExp(swiss.pattern))
  assert.equal((await needs('currency=EUR&country=DE')).required_for, '')
  assert.deepEqual(await needs('type=wallet&currency=USDC'), { pattern: '', required_for: '' })
})

test('PostgreSQL, payout to a QR-IBAN without QRR, or malformed reference: row refused', async () => {
  const account = await sandbox()
  const sent = payoutTo(QR_IBAN, { creditor_reference: QRR })
  const { id } = (await account.post('/v3/payout', sent)).json.data
  for (const [reference, name] of [
    ['RF18539007547034', 'qr_iban_with_its_reference'],
    ['17', 'creditor_reference_of_a_kind'],
  ]) {
    await undone(service.database.owner, async tx => {
      await tx`alter table payouts disable trigger user`
      await assert.rejects(
        tx`update payouts set particulars = ${JSON.stringify({ creditor_reference: reference })}
          where id = ${id}`,
        { constraint_name: name },
      )
    })
  }
})

test("bank file, payout with creditor reference and ultimate debtor: reference in place of the text, entity as of the payout's creation", async () => {
  await service.setRates({ 'USD/EUR': '1' })
  const bank = await world({
    format: iso20022,
    profile: { name: 'test', like: 'generic', address: 'any' },
  })
  const entity = { type: 'business', name: 'Kaya Trading', registration_number: 'HRB 17' }
  const { id } = (await bank.client.post('/v3/entity', entity)).json.data
  await bank.client.post(`/v3/entity/${id}/submit`, { registration_address: { country: 'DE' } })
  await review(service, bank.client, id, 'approved')
  const details = payee(PLAIN)
  const change = { ...payoutTo(PLAIN, { on_behalf_of: id }), beneficiary_details: details }
  const [payout = ''] = await bank.pay([100], { ...change, creditor_reference: 'RF18539007547034' })
  await bank.client.put(`/v3/entity/${id}`, { name: 'Another Name' })
  await bank.work()
  const [{ text } = assert.fail('no file')] = await bank.outbox()
  assert.match(text, /<UltmtDbtr><Nm>Kaya Trading<\/Nm><Id><OrgId><Othr><Id>HRB 17<\/Id>/)
  assert.match(text, /<RmtInf><Strd>.*<Ref>RF18539007547034<\/Ref>/)
  assert.doesNotMatch(text, /Ustrd/)
  assert.equal(await bank.statusOf(payout), 'processing')
})
