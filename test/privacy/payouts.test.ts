// Erasing whoever was paid, and for whom was paid: what must be kept is refused with its rule, and what
// is erased is in no row of any table, while the books are proved and reads answer as before.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { settleOnce } from '../../src/app/worker/settle-payouts.ts'
import { deriveSome } from '../../src/treasury/derive.ts'
import { closeVerified } from '../support/assert/books.ts'
import { type FileRailWorld, openFileWorld } from '../support/bank/file-rail.ts'
import {
  bankBeneficiary,
  fullEntity,
  internalPayout,
  localPayout,
} from '../support/given/bodies.ts'
import { type Cli, openCli } from '../support/service/cli.ts'
import { eraseBy, openContext } from '../support/service/operate.ts'
import { review } from '../support/service/review.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { type GivenLine, giveLines, openNostro } from '../support/treasury/open-rows.ts'
import { everyText, findTexts, marked } from './marks.ts'

let service: TestService
let ada: Cli
let operators: Awaited<ReturnType<typeof openContext>>
let account: Client
let bank: FileRailWorld

before(async () => {
  service = await startTestService({ simulator_delay_ms: 0, bic: 'CORRFRPPXXX' })
  await service.setRates({ 'USD/HKD': '8', 'EUR/USD': '1.1' })
  await service.setFees([{ payout_type: 'local' }])
  ada = await openCli(service.database.url, { CORRIDOR_USER: 'ada' })
  operators = await openContext(service, 'ada')
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 10n ** 8n } })
  bank = await openFileWorld(service)
})
after(async () => {
  await bank.close()
  await ada.close()
  await operators.close()
  await closeVerified(service)
})

const erase = (id: string) => ada.run('privacy', 'erase', id, '--reason', 'Request 118')
const COMMON = ['business', 'individual', 'bank', 'HK', 'USD', 'swift', 'local', 'GB', 'wallet']

const PAYEE = {
  ...bankBeneficiary,
  name: 'Zwick Payee',
  email: 'zwick@mail.example',
  tax_id: 'ZWICK-TAX',
  address: { line1: 'Zwick Street 1', city: 'Zwickau', country: 'HK' },
  destination_details: {
    type: 'bank',
    bank: {
      account_number: '7700123456',
      bank_name: 'Zwick Bank',
      country: 'HK',
      bank_codes: { swift_code: 'HSBCHKHH' },
    },
  },
}

const DOCUMENTS = {
  purpose: 'zwick purpose',
  transaction_description: 'Zwick Invoice',
  statement_descriptor: 'ZWICKSTMT',
  documents: [{ type: 'invoice', file_name: 'zwick.pdf', url: 'https://zwick.example/1' }],
  metadata: { zwick: 'Zwick Note' },
}

async function pay(client: Client, body: object): Promise<{ id: string; beneficiary: string }> {
  const answer = await client.post('/v3/payout', body)
  assert.equal(answer.status, 200, answer.text)
  return answer.json.data
}

async function settle(): Promise<void> {
  while ((await settleOnce(service.deps)) > 0);
}

const ofPayout = {
  ...localPayout,
  ...DOCUMENTS,
  reference_id: 'INV-77',
  beneficiary_details: PAYEE,
}

test('erased payee: texts of account and people in its SWIFT payouts erased', async () => {
  const swift = { ...ofPayout, type: 'swift', fund_transfer_network: undefined }
  const first = await pay(account, swift)
  const later = { ...ofPayout, amount: 200_000, beneficiary_details: undefined }
  const failed = await pay(account, { ...later, beneficiary: first.beneficiary })
  const open = await erase(first.beneficiary)
  assert.deepEqual([open.code, open.stdout], [1, ''])
  assert.match(open.stderr, /open_payout: payout pot_\w+ is not over, payout pot_\w+ is not over/)
  await settle()
  const texts = [...everyText(PAYEE, [...COMMON, 'HSBCHKHH']), ...everyText(DOCUMENTS, ['invoice'])]
  const stand = new Set((await findTexts(service, texts)).map(({ text }) => text))
  assert.deepEqual(stand, new Set(texts))
  const events = async () => (await account.get(`/v3/payout/${failed.id}/timeline`)).json
  const statement = async () => (await account.get('/v3/balance_transaction')).text
  const [told, lines] = [await events(), await statement()]

  const { code, stderr } = await erase(first.beneficiary)
  assert.equal(code, 0, stderr)
  assert.deepEqual(await findTexts(service, texts), [])
  assert.equal(await statement(), lines)
  const after = await events()
  assert.deepEqual(after.data.entries?.length, told.data.entries?.length)
  const { data } = (await account.get(`/v3/payout/${first.id}`)).json
  assert.deepEqual(
    [data.status, data.amount, data.reference_id, data.purpose, data.beneficiary_details.name],
    ['succeeded', 10_000, 'INV-77', '', ''],
  )
  assert.equal(data.beneficiary_details.status, 'erased')
  const failure = (await account.get(`/v3/payout/${failed.id}`)).json.data.failure
  assert.deepEqual(failure, { code: 'PF000900', category: 'simulated', message: '' })
  for (const path of ['/v3/payout', '/v3/beneficiary', '/v3/event']) {
    assert.equal((await account.get(path)).status, 200, path)
  }
})

test('erased entity: its payouts lose their documents and their entity', async () => {
  const entity = marked(fullEntity, 'quorn')
  const made = await account.post('/v3/entity', entity)
  const { id } = made.json.data
  assert.equal((await review(service, account, id, 'approved', 'Quorn is fine')).status, 200)
  const body = {
    ...ofPayout,
    type: 'swift',
    on_behalf_of: id,
    beneficiary_details: bankBeneficiary,
  }
  const paid = await pay(account, { ...body, reference_id: 'INV-78' })
  await settle()
  await eraseBy(operators.context, id)
  const texts = [
    ...everyText(entity, COMMON),
    'Quorn is fine',
    ...everyText(DOCUMENTS, ['invoice']),
  ]
  assert.deepEqual(await findTexts(service, texts), [])
  // Its payee was paid under documents that are gone, and is there for other payouts.
  const payee = (await account.get(`/v3/beneficiary/${paid.beneficiary}`)).json.data
  assert.equal(payee.name, bankBeneficiary.name)
  await eraseBy(operators.context, paid.beneficiary)
})

test('erased transfer and wallet payout: price and receipt still provable', async () => {
  const sister = await service.openAccount({ currencies: ['USD'] })
  const to = internalPayout(sister.account.deposit_address)
  const paid = await pay(account, to)
  await eraseBy(operators.context, paid.beneficiary)
})

test('stored idempotent answer that shows the payee: erased after its lifetime', async () => {
  const paid = await pay(account, { ...localPayout, reference_id: 'INV-81' })
  const key = { 'idempotency-key': 'cancelled' }
  const cancelled = await account.post(`/v3/payout/${paid.id}/cancel`, {}, key)
  assert.equal(cancelled.status, 200, cancelled.text)
  const refused = await erase(paid.beneficiary)
  assert.match(refused.stderr, /kept_answers: .*until 20\d\d-/)
})

test('payee of a live account: kept until the retention ends; then files, evidence and matches erased too', async () => {
  const [id = ''] = await bank.pay([12_345], { ...ofPayout, reference_id: 'INV-79' })
  await bank.work()
  const paid = await bank.sweep()
  const texts = [...everyText(PAYEE, [...COMMON, 'HSBCHKHH']), ...everyText(DOCUMENTS, ['invoice'])]
  await bank.report(
    paid.map(({ end_to_end_id }) => {
      return { level: 'transaction', code: 'ACSP', end_to_end_id, text: 'Zwick Words' } as const
    }),
  )
  await bank.book(paid)
  await bank.work()
  assert.equal(await bank.statusOf(id), 'succeeded')
  const { owner } = service.database
  const { account_id } = bank.client.account
  await addDocuments(account_id, id)
  await matchByHand(id, { text: 'Zwick Line', counterparty_name: 'Zwick Payee' })
  const { beneficiary } = (await bank.client.get(`/v3/payout/${id}`)).json.data

  const dry = await ada.run('privacy', 'erase', beneficiary, '--reason', 'x', '--dry-run', '--json')
  assert.deepEqual(
    dry.json.kept_by.map((kept: { rule: string }) => kept.rule),
    ['screening', 'retention'],
  )
  const refused = await erase(beneficiary)
  assert.match(refused.stderr, /screening: payout pot_\w+ has a match/)
  assert.match(refused.stderr, /retention: payments are kept for 5 years .*, until 20\d\d-/)
  await owner`update screening_matches set state = 'cleared', decided_by = 'ada',
    reason = 'Zwick is another', decided_at = now() where account_id = ${account_id}`
  assert.match((await erase(beneficiary)).stderr, /^corridor: retention: [^;]+$/m)
  assert.equal((await ada.run('privacy', 'retention', 'set', '0', '--reason', 'Test')).code, 0)
  const exported = await ada.run('privacy', 'export', beneficiary)
  assert.equal(exported.code, 0, exported.stderr)
  const more = [...texts, 'Zwick Words', 'Zwick Piece', 'Zwick Answer', 'Zwick is another']
  more.push('Zwick Message', 'Zwick Corrected', 'Zwick Note', 'Zwick Line')
  assert.deepEqual(
    more.filter(text => !exported.stdout.includes(text)),
    [],
  )
  const { code, stderr } = await erase(beneficiary)
  assert.equal(code, 0, stderr)
  assert.deepEqual(await findTexts(service, more), [])
  const sent = await owner`select from rail_inbox where not kept and swept_at is not null`
  assert.ok(sent.length > 0)
  const [file] = await owner`select octet_length(bytes) as size, octet_length(sha256) as digest
    from rail_files`
  assert.deepEqual({ ...file }, { size: 0, digest: 32 })
})

/** A bank has debited the payout under no key of ours; a person matches the line. */
async function matchByHand(payout_id: string, line: Omit<GivenLine, 'amount'>): Promise<void> {
  const { owner } = service.database
  const nostro = await openNostro(owner, 'zwick_main', {}, 'USD')
  while ((await deriveSome(service.deps)).journals > 0n);
  const [item] = await owner<{ id: bigint; amount: bigint }[]>`
    select id, amount from nostro_items where payout_id = ${payout_id}`
  assert.ok(item)
  await owner`update nostro_items set nostro = ${nostro.name} where id = ${item.id}`
  const [id] = await giveLines(owner, nostro, [{ ...line, amount: item.amount }])
  const members = ['--lines', `line_${id}`, '--items', `item_${item.id}`]
  const { code, stderr } = await ada.run('nostro', 'match', ...members)
  assert.equal(code, 0, stderr)
}

/** What screening, webhooks and a limit have of a payout. */
async function addDocuments(account_id: string, payout_id: string): Promise<void> {
  const { owner } = service.database
  await owner`
    insert into screening_matches (account_id, object_id, party, party_hash, list, entry_id,
      entry_digest, score, pieces, listed_name)
    values (${account_id}, ${payout_id}, 'beneficiary', sha256('a'), 'un', '1', sha256('b'), 900,
      '[{"score":900,"text":"Zwick Piece"}]', 'Zwick Listed')`
  await owner`
    insert into rail_exceptions (account_id, payout_id, number, attempt, rail, kind, message, notice,
      opened_at, closed_at, closed_by, note)
    select account_id, payout_id, 1, number, rail, 'change_notified', 'Zwick Message',
      json_build_object('beneficiary', 'bnf_1', 'code', 'C04', 'corrected', 'Zwick Corrected'),
      now(), now(), 'corridor', 'Zwick Note'
    from payout_attempts where account_id = ${account_id} and payout_id = ${payout_id}`
  await owner`
    insert into webhook_endpoints (account_id, id, url, description, event_types, status,
      disabled_reason, secret, fanned_out, created_at, updated_at)
    values (${account_id}, ${`whe${payout_id.slice(3)}`}, 'https://8.8.8.8/', '', '{}', 'enabled',
      '', 's', 0, ${await createdAt(payout_id)}, now())`
  await owner`
    insert into webhook_deliveries (account_id, endpoint_id, number, id, event_id, event_sequence,
      event_type, object_id, status, created_at, updated_at)
    values (${account_id}, ${`whe${payout_id.slice(3)}`}, 1, 'whd_1', 'evt_1', 1, 'payout.created',
      ${payout_id}, 'succeeded', now(), now())`
  await owner`
    insert into webhook_attempts (account_id, delivery_id, number, created_at, duration_ms,
      status_code, error, answer)
    values (${account_id}, 'whd_1', 1, now(), 1, 200, '', 'Zwick Answer')`
}

async function createdAt(payout_id: string): Promise<string> {
  const [row] = await service.database.owner<{ created_at: string }[]>`
    select created_at from payouts where id = ${payout_id}`
  return row?.created_at ?? ''
}

test('PostgreSQL, ended payout: cannot change, erased only with an erasure', async () => {
  const { owner } = service.database
  const { id } = await pay(account, { ...ofPayout, reference_id: 'INV-80' })
  await settle()
  for (const change of [
    `beneficiary_details = erased_beneficiary(beneficiary_details::jsonb)::json, particulars = '{}'`,
    'amount = amount + 1',
    `mt103 = ''`,
    `reference_id = ''`,
  ]) {
    const statement = `update payouts set ${change} where id = '${id}'`
    await assert.rejects(owner.unsafe(statement), /payouts is append-only/, change)
  }
  await assert.rejects(owner`delete from payouts where id = ${id}`, /append-only/)
})
