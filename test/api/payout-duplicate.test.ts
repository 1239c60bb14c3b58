// POST /v3/payout like an earlier one (docs/decisions/creating-payouts.md): refused within the
// account's window, made with allow_duplicate, and never held against a payout whose money came
// back.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { BeneficiaryRequest } from '../../src/parties/beneficiary/request.ts'
import { fingerprintOf } from '../../src/payouts/create/duplicate.ts'
import {
  deleteOldFingerprints,
  findFingerprints,
} from '../../src/payouts/create/duplicate-store.ts'
import type { PayoutRequest } from '../../src/payouts/request.ts'
import { confineTo } from '../../src/sql/confine.ts'
import { closeVerified } from '../support/assert/books.ts'
import { assertRefused, balancesOf, rowVersions } from '../support/assert/check.ts'
import { inOneTransaction } from '../support/database/one-transaction.ts'
import { bankBeneficiary, internalPayout, localPayout } from '../support/given/bodies.ts'
import { openCli } from '../support/service/cli.ts'
import { operatorSets, pay } from '../support/service/payouts.ts'
import { tally } from '../support/service/process.ts'
import {
  type AccountOptions,
  type Answer,
  type Client,
  client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'

const PATH = '/v3/payout'
const FUNDED = 1_000_000n

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => closeVerified(service))

function guarded(options: AccountOptions = {}): Promise<Client> {
  const fund = { USD: FUNDED }
  return service.openAccount({ currencies: ['USD'], fund, duplicate_window_s: 600, ...options })
}

/** The refusal names the earlier payout, its age and the way on; no row has changed. */
async function assertDuplicate(account: Client, of: string, fields: object = {}): Promise<Answer> {
  const untouched = await rowVersions(service.database.owner)
  const answer = await account.post(PATH, { ...localPayout, ...fields })
  assertRefused(answer, 409, 'possible_duplicate_payout', 'allow_duplicate')
  const [error] = answer.json.errors
  assert.equal(error.code, 20309)
  const words = new RegExp(`^Payout ${of}, made \\d+ s ago, has the same .* allow_duplicate\\.$`)
  assert.match(error.message, words)
  assert.deepEqual(await rowVersions(service.database.owner), untouched)
  return answer
}

const { bank } = bankBeneficiary.destination_details
const elsewhere = { type: 'bank', bank: { ...bank, account_number: '9' } }

test(`POST ${PATH}, duplicate of a payout: 409 naming it and its age, nothing written; with the same Idempotency-Key: the original answer`, async () => {
  const account = await guarded({ sandbox: true })
  const body = { ...localPayout, reference_id: 'INV-1' }
  const key = { 'idempotency-key': 'once' }
  const first = await account.post(PATH, body, key)
  assert.equal((await account.post('/v3/sandbox/clock/advance', { seconds: 12 })).status, 200)
  const answer = await assertDuplicate(account, first.json.data.id, { reference_id: 'INV-1' })
  const age = Number(/made (\d+) s ago/.exec(answer.json.errors[0].message)?.[1])
  assert.ok(age >= 12 && age < 60, `${age} s`)
  const again = await account.post(PATH, body, key)
  assert.deepEqual([again.status, again.text], [200, first.text])
  assert.deepEqual(await balancesOf(account), { USD: String(FUNDED - 10_000n) })
})

test(`POST ${PATH}, same payee inline, by id or by another id: each is a duplicate of the others`, async () => {
  const [account, receiver] = [await guarded(), await guarded()]
  const made = await Promise.all([0, 1].map(() => account.post('/v3/beneficiary', bankBeneficiary)))
  const [first, second] = made.map(answer => answer.json.data.id)
  const by = (beneficiary: string) => ({ beneficiary, beneficiary_details: undefined })
  const { id } = await pay(account, by(first))
  for (const how of [by(first), by(second), {}]) await assertDuplicate(account, id, how)
  // Changed to go elsewhere, it is no longer like it.
  const destination_details = elsewhere
  const changed = await account.put(`/v3/beneficiary/${first}`, { destination_details })
  assert.equal(changed.status, 200, changed.text)
  await pay(account, by(first))
  const body = internalPayout(receiver.account.deposit_address)
  const internal = await pay(account, body)
  await assertDuplicate(account, internal.id, body)
  assert.deepEqual(await balancesOf(receiver), { USD: String(FUNDED + 10_000n) })
})

test(`POST ${PATH}, refused payout, then an equal one: created, as a refused payout is not compared`, async () => {
  const account = await guarded({ fund: { USD: 9_999n } })
  assertRefused(await account.post(PATH, localPayout), 422, 'insufficient_balance')
  assertRefused(await account.post(PATH, localPayout), 422, 'insufficient_balance')
})

// Without a reference, and with one.
for (const reference_id of ['', 'INV-1']) {
  test(`POST ${PATH}, reference '${reference_id}': duplicates refused until every equal payout is credited back, or the window ends by the account's clock`, async () => {
    const account = await guarded({ sandbox: true })
    const again = (fields: object = {}) => pay(account, { reference_id, ...fields })
    const refusedFor = ({ id }: { id: string }) => assertDuplicate(account, id, { reference_id })
    const first = await again()
    const second = await again({ allow_duplicate: true })
    await refusedFor(second)
    await operatorSets(service, account, second.id, 'failed')
    await refusedFor(first)
    await operatorSets(service, account, first.id, 'succeeded')
    await refusedFor(first)
    await operatorSets(service, account, first.id, 'reversed')
    const third = await again()
    await refusedFor(third)
    assert.equal((await account.post(`${PATH}/${third.id}/cancel`, {})).status, 200)
    const fourth = await again()
    const clock = (seconds: number) => account.post('/v3/sandbox/clock/advance', { seconds })
    assert.equal((await clock(590)).status, 200)
    assert.match((await refusedFor(fourth)).json.errors[0].message, /made 59\d s ago/)
    assert.equal((await clock(10)).status, 200)
    await refusedFor(await again())
  })
}

async function remembered({ account: { account_id } }: Client): Promise<string[]> {
  const rows = await service.database.owner<{ payout_id: string }[]>`
    select payout_id from payout_fingerprints where account_id = ${account_id} order by 1`
  return rows.map(row => row.payout_id)
}

test(`POST ${PATH}, several payouts with one reference: a fingerprint row for each, its duplicate refused`, async () => {
  const account = await guarded()
  const of = (amount: number, reference_id = 'INV-1') => ({ amount, reference_id })
  const other = { ...bankBeneficiary, destination_details: elsewhere }
  const changes = [of(1), of(2), { ...of(1), beneficiary_details: other }, of(1, 'INV-2')]
  const made: string[] = []
  for (const change of changes) made.push((await pay(account, change)).id)
  assert.deepEqual(await remembered(account), made)
  for (const [i, change] of changes.entries()) await assertDuplicate(account, made[i] ?? '', change)
})

test(`POST ${PATH}, equal references of several payouts in one batch: each created once`, async () => {
  const account = await guarded()
  const bodies = Array.from({ length: 40 }, (_, i) => {
    return { ...localPayout, amount: 1 + (i % 4), reference_id: `INV-${i % 2}` }
  })
  // While the first is written the others gather, and then go together.
  const answers = await Promise.all([localPayout, ...bodies].map(body => account.post(PATH, body)))
  const made = answers.filter(answer => answer.status === 200)
  assert.equal(made.length, 5)
  for (const answer of answers) {
    if (answer.status !== 200) assertRefused(answer, 409, 'possible_duplicate_payout')
  }
  assert.equal((await remembered(account)).length, 5)
})

test(`POST ${PATH}, many payouts with one fingerprint: only the newest row of it is read`, async () => {
  const account = await guarded()
  const { account_id } = account.account
  await pay(account)
  const { id } = await pay(account, { allow_duplicate: true })
  const fingerprint = fingerprintOf(bankBeneficiary as BeneficiaryRequest, {
    ...localPayout,
    reference_id: '',
  })
  await inOneTransaction(service.database.url, async tx => {
    void confineTo(tx, [account_id])
    const found = await findFingerprints(tx, [{ account_id, fingerprint }])
    const [read] = await tx`
      select seq_scan, idx_tup_fetch from pg_stat_xact_user_tables
      where relname = 'payout_fingerprints'`
    const ids = found.map(({ payout_id }) => payout_id)
    assert.deepEqual([ids, { ...read }], [[id], { seq_scan: 0n, idx_tup_fetch: 1n }])
  })
})

test('corridor account create --duplicate-window, not given: ten minutes', async () => {
  const cli = await openCli(service.database.url)
  const words = [
    'account',
    'create',
    '--name',
    'A',
    '--currencies',
    'USD',
    '--primary-currency',
    'USD',
  ]
  for (const [more, duplicate_window_s] of [
    [[], 600],
    [['--duplicate-window-s', '30'], 30],
  ] as const) {
    const { json, stderr } = await cli.run(...words, '--json', ...more)
    assert.equal(json.duplicate_window_s, duplicate_window_s, stderr)
  }
  await cli.close()
})

test('fingerprints older than seven days: deleted by the thousand, younger ones kept', async () => {
  const account = await guarded()
  const { id } = await pay(account)
  const { owner } = service.database
  await owner`
    insert into payout_fingerprints (account_id, fingerprint, created_at, payout_id)
    select ${account.account.account_id}, substr(sha256(n::text::bytea), 1, 16),
      clock_timestamp() - interval '168 hours', 'pot_' || n
    from generate_series(1, 1001) n`
  assert.equal(await deleteOldFingerprints(service.deps), 1001)
  await assertDuplicate(account, id)
})

test('deletion of fingerprints older than seven days: found by index, younger ones not read', async () => {
  await inOneTransaction(service.database.url, async (tx, connections) => {
    await deleteOldFingerprints(connections)
    const [scans] = await tx`
      select seq_scan from pg_stat_xact_user_tables where relname = 'payout_fingerprints'`
    assert.equal(scans?.seq_scan, 0n)
  })
})

test(`POST ${PATH}, duplicate window set between two requests of a batch: the next duplicate refused`, async () => {
  const { account } = await service.openAccount({ currencies: ['USD'], fund: { USD: FUNDED } })
  const pay = (duplicate_window_s: number, change: object) =>
    service.deps.lanes.createPayout.run({
      account_id: account.account_id,
      account: { ...account, duplicate_window_s },
      request: { ...localPayout, reference_id: 'r1', ...change } as PayoutRequest,
      maker: 'key_1',
      claim: null,
    })
  // The first is being stored, so that the next two are of one batch.
  const made = [pay(0, { reference_id: 'r0' }), pay(0, { amount: 1 }), pay(600, { amount: 2 })]
  await Promise.all(made)
  await assert.rejects(pay(600, { amount: 2 }), /made 0 s ago, has the same beneficiary/)
})

test(`POST ${PATH}, 50 equal payouts in two processes: one created, 49 × 409`, async () => {
  const here = await guarded()
  const other = await service.anotherProcess()
  try {
    const there = client(here, other.inject)
    const askers = Array.from({ length: 50 }, (_, i) => (i % 2 === 0 ? here : there))
    const answers = await Promise.all(askers.map(by => by.post(PATH, localPayout)))
    assert.deepEqual(tally(answers), { '200': 1, '409 possible_duplicate_payout': 49 })
    assert.deepEqual(await balancesOf(here), { USD: String(FUNDED - 10_000n) })
  } finally {
    await other.close()
  }
})
