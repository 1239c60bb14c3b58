// POST /v3/payout_batch and what is read of it: each payout as it would be alone, all or nothing,
// best effort, and dry runs that change nothing.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { closeVerified } from '../support/assert/books.ts'
import { assertProblems, assertRefused, balancesOf, rowVersions } from '../support/assert/check.ts'
import { expireQuote } from '../support/database/expired.ts'
import { internalPayout, localPayout } from '../support/given/bodies.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { share } from '../support/share.ts'

const PATH = '/v3/payout_batch'
const FUNDED = 1_000_000n

let service: TestService
before(async () => {
  service = await startTestService()
  await service.setRates({ 'USD/HKD': '8', 'USD/EUR': '0.8' })
})
after(() => closeVerified(service))

function funded(usd = FUNDED, options: object = {}): Promise<Client> {
  const fund = { USD: usd }
  return service.openAccount({ currencies: ['USD', 'EUR'], fund, ...options })
}

const untouched = () => rowVersions(service.database.owner)

/** Payouts of these amounts. */
const of = (...amounts: readonly number[]) =>
  amounts.map((amount, i) => ({ ...localPayout, amount, reference_id: `INV-${i}` }))

async function make(account: Client, body: object, headers?: Record<string, string>) {
  const answer = await account.post(PATH, body, headers)
  assert.equal(answer.status, 200, answer.text)
  return answer.json.data
}

const tryAll = (account: Client, payouts: readonly object[]) =>
  make(account, { mode: 'best_effort', payouts })

async function itemsOf(account: Client, id: string, query = 'limit=100') {
  const answer = await account.get(`${PATH}/${id}/item?${query}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.json.data
}

const reasonsOf = (items: readonly { status: string; errors: readonly { reason: string }[] }[]) =>
  items.map(({ status, errors }) => [status, ...errors.map(({ reason }) => reason)].join(' '))

/** Without what each object has of its own. */
const plain = (value: unknown) =>
  JSON.stringify(value)
    .replaceAll(/\b[a-z]{2,3}_[0-9a-z]{20}\b/g, '<id>')
    .replaceAll(/mt103-\w{16}/g, '<file>')
    .replaceAll(
      /"(data:[^"]*|\d{4}-\d\d-\d\dT[^"]*|\{1:F01[^"]*|[0-9a-f]{8}-[0-9a-f-]{27})"/g,
      '"<own>"',
    )

async function traceOf({ account: { account_id } }: Client) {
  const { owner } = service.database
  const rows = await owner`
    select 'journal' as what, kind as a, codes || currencies || amounts::text as b
      from journals where account_id = ${account_id}
    union all select 'event', type, '' from each_event where account_id = ${account_id}
    union all select 'line', type, currency || ' ' || net_amount || ' ' || fixed_fee || ' ' ||
      variable_fee || ' ' || balance_after from balance_transactions where account_id = ${account_id}
    union all select 'quote', status, holding_amount || ' ' || destination_amount from quotes
      where account_id = ${account_id}
    union all select 'terms', destination_country || quote_validity_s, basis::text from payouts
      where account_id = ${account_id} and quote_id = ''
    union all select 'beneficiary', '', '' from beneficiaries where account_id = ${account_id}
    union all select 'fingerprint', encode(fingerprint, 'hex'), '' from payout_fingerprints
      where account_id = ${account_id}
    union all select 'hold', '', '' from holds where account_id = ${account_id}
    union all select 'payout', status, '' from payout_states where account_id = ${account_id}
    union all select 'open', status, (ask_rail_at is null)::text from open_payouts
      where account_id = ${account_id}
    order by 1, 2, 3`
  return [...rows]
}

test(`POST ${PATH}, payouts of every kind: same figures, rows and events as payouts made one by one`, async t => {
  t.after(() => service.setFees([]))
  await service.setFees([{ fixed_amount: 150n, variable_bps: 25 }])
  const receiver = await service.openAccount({ currencies: ['USD'] })
  const options = { duplicate_window_s: 600 }
  const [batched, single] = [await funded(FUNDED, options), await funded(FUNDED, options)]
  const asked = async (account: Client) => {
    const quote = await account.post('/v3/payout/quote', {
      payout_info: { currency: 'HKD', amount: 80_000 },
      holding_info: { currency: 'USD' },
    })
    assert.equal(quote.status, 200, quote.text)
    const known = await account.post('/v3/beneficiary', localPayout.beneficiary_details)
    assert.equal(known.status, 200, known.text)
    const entity = await account.post('/v3/entity', { type: 'individual', name: 'Anna' })
    const { beneficiary_details: _, ...toKnown } = localPayout
    return [
      localPayout,
      { ...localPayout, amount: 80_000, currency: 'HKD', quote: quote.json.id },
      { ...toKnown, amount: 11_000, beneficiary: known.json.data.id },
      { ...localPayout, amount: 12_000, currency: 'EUR', holding_currency: 'USD' },
      { ...localPayout, amount: 13_000, type: 'swift', charge_type: 'shared' },
      { ...localPayout, amount: 14_000, on_behalf_of: entity.json.data.id },
      internalPayout(receiver.account.deposit_address, 15_000),
    ]
  }
  const { id, counts } = await make(batched, { payouts: await asked(batched) })
  assert.deepEqual(counts, { payouts: 7, created: 6, held: 1, refused: 0 })
  const alone: unknown[] = []
  for (const body of await asked(single)) {
    const answer = await single.post('/v3/payout', body)
    assert.equal(answer.status, 200, answer.text)
    alone.push(answer.json.data)
  }
  const { results } = await itemsOf(batched, id)
  const made: unknown[] = []
  for (const { payout } of results) {
    made.push((await batched.get(`/v3/payout/${payout}`)).json.data)
  }
  assert.deepEqual(made.map(plain), alone.map(plain))
  assert.deepEqual(await traceOf(batched), await traceOf(single))
  assert.deepEqual(await balancesOf(batched), await balancesOf(single))
  // What becomes of one later is told by the payout alone.
  const held = (await itemsOf(batched, id, 'status=held')).results
  assert.deepEqual(held, [results[5]])
  assert.equal((await batched.post(`/v3/payout/${held[0].payout}/cancel`, '')).status, 200)
  assert.deepEqual((await itemsOf(batched, id, 'status=held')).results, held)
})

const LARGE = share(600, 10_000)

test(`POST ${PATH}, ${LARGE} payouts, dry run then real: each created once, the answer has the counts`, async t => {
  const account = await funded(1_000_000_000n)
  const payouts = of(...Array(LARGE).fill(10_000))
  const counts = { payouts: LARGE, created: LARGE, held: 0, refused: 0 }
  const tried = await make(account, { payouts, dry_run: true })
  assert.deepEqual([tried.counts, tried.payouts.length], [counts, LARGE])
  const began = performance.now()
  const made = await make(account, { payouts, reference_id: 'run 7', metadata: { a: 'b' } })
  t.diagnostic(`${LARGE} payouts in ${((performance.now() - began) / 1000).toFixed(2)} s`)
  assert.deepEqual([made.counts, made.refused], [counts, []])
  assert.deepEqual([made.reference_id, made.metadata], ['run 7', { a: 'b' }])
  const [total] = made.totals
  const left = String(1_000_000_000 - LARGE * 10_000)
  assert.deepEqual([total.total_debit, total.available_after], [String(LARGE * 10_000), left])
  assert.deepEqual(await balancesOf(account), { USD: left, EUR: '0' })
  assert.deepEqual((await account.get(`${PATH}/${made.id}`)).json.data, made)
})

test(`POST ${PATH}, best_effort, balance for some payouts: payouts that fit created in their order, others refused`, async () => {
  const account = await funded(100_000n)
  const batch = await tryAll(account, of(60_000, 50_000, 30_000, 20_000, 10_000))
  assert.deepEqual(batch.counts, { payouts: 5, created: 3, held: 0, refused: 2 })
  assert.deepEqual(await balancesOf(account), { USD: '0', EUR: '0' })
  const { results } = await itemsOf(account, batch.id)
  const short = 'refused insufficient_balance'
  assert.deepEqual(reasonsOf(results), ['created', short, 'created', short, 'created'])
  assert.deepEqual(batch.refused, [results[1], results[3]])
  assert.equal(results[1].errors[0].remarks, 'amount')
  assert.equal(results[1].errors[0].code, 20201)
})

test(`POST ${PATH}, all_or_nothing, balance for some payouts: 422 naming each refused one, nothing written`, async () => {
  const account = await funded(100_000n)
  const before = await untouched()
  // The first portions of payouts are stored before one is refused.
  const payouts = [...of(...Array(600).fill(100)), ...of(50_000, 10_000)]
  const answer = await account.post(PATH, { payouts }, { 'idempotency-key': 'k' })
  assertProblems(answer, 422, [['insufficient_balance', 'payouts[600].amount']])
  assert.deepEqual(await untouched(), before)
  // Refusals are not kept.
  const less = { payouts: payouts.slice(0, 100) }
  assert.equal((await account.post(PATH, less, { 'idempotency-key': 'k' })).status, 200)
})

test(`POST ${PATH}, all_or_nothing, several kinds of faults: the status is that of the first`, async () => {
  const account = await funded(100_000n)
  const { beneficiary_details: _, ...body } = localPayout
  const nobody = `bnf_${'0'.repeat(20)}`
  const before = await untouched()
  const answer = await account.post(PATH, {
    payouts: [
      localPayout,
      { ...body, beneficiary: nobody },
      { ...localPayout, quote: `poq_${'0'.repeat(20)}` },
      { ...localPayout, amount: 200_000 },
    ],
  })
  assertProblems(answer, 404, [
    ['beneficiary_not_found', 'payouts[1].beneficiary'],
    ['not_found', 'payouts[2].quote'],
    ['insufficient_balance', 'payouts[3].amount'],
  ])
  assert.equal(answer.json.message, '3 problems; see errors.')
  assert.deepEqual(await untouched(), before)
})

test(`POST ${PATH}, duplicate of a payout in or before the batch: refused unless allow_duplicate`, async () => {
  const account = await funded(FUNDED, { duplicate_window_s: 600 })
  assert.equal((await account.post('/v3/payout', { ...localPayout, amount: 500 })).status, 200)
  const { id } = await tryAll(account, [
    localPayout,
    { ...localPayout, transaction_description: 'Again' },
    { ...localPayout, allow_duplicate: true },
    { ...localPayout, reference_id: 'another' },
    { ...localPayout, amount: 500 },
  ])
  const { results } = await itemsOf(account, id)
  const alike = 'refused possible_duplicate_payout'
  assert.deepEqual(reasonsOf(results), ['created', alike, 'created', 'created', alike])
  assert.match(results[1].errors[0].message, new RegExp(`^Payout ${results[0].payout}, `))
})

test(`POST ${PATH}, dry run: the result that the batch then has, nothing written`, async () => {
  const account = await funded(100_000n, { duplicate_window_s: 600 })
  const entity = (await account.post('/v3/entity', { type: 'individual', name: 'Anna' })).json.data
  const asked = { payout_info: { currency: 'USD', amount: 1_000 } }
  const quote = (await account.post('/v3/payout/quote', asked)).json.id
  await expireQuote(service.database.owner, quote)
  const payouts = [
    ...of(60_000, 50_000),
    { ...localPayout, on_behalf_of: entity.id, currency: 'EUR', holding_currency: 'USD' },
    { ...localPayout, amount: 1_000, quote },
    { ...localPayout, amount: 60_000, reference_id: 'INV-0' },
  ]
  const body = { mode: 'best_effort', payouts }
  const before = await untouched()
  const dry = await make(account, { ...body, dry_run: true }, { 'idempotency-key': 'k' })
  const whole = await make(account, { payouts, dry_run: true })
  const fine = await make(account, { payouts: payouts.slice(0, 1), dry_run: true })
  assert.deepEqual(await untouched(), before)
  assert.deepEqual([whole.status, whole.counts], ['would_be_refused', dry.counts])
  assert.equal(fine.status, 'would_complete')
  assert.deepEqual(
    dry.payouts.map((p: { outcome: string; total_debit: string; errors: { reason: string }[] }) => [
      p.outcome,
      p.total_debit,
      p.errors[0]?.reason,
    ]),
    [
      ['would_create', '60000', undefined],
      ['would_refuse', '', 'insufficient_balance'],
      ['would_hold', '12500', undefined],
      ['would_refuse', '', 'quote_expired'],
      ['would_refuse', '', 'possible_duplicate_payout'],
    ],
  )
  assert.equal(dry.status, 'would_complete')
  assert.equal(dry.dry_run, true)
  assert.equal(dry.id, '')
  const real = await make(account, body, { 'idempotency-key': 'k' })
  assert.deepEqual(real.counts, dry.counts)
  assert.deepEqual(real.totals, dry.totals)
  assert.equal(real.totals[0].available_after, '27500')
  const withoutIds = (items: object) => JSON.stringify(items).replaceAll(/pot_[0-9a-z]{20}/g, '')
  assert.equal(withoutIds(real.refused), withoutIds(dry.refused))
})

test(`POST ${PATH}, both modes, invalid fields: 400 naming each field`, async () => {
  const account = await funded()
  const before = await untouched()
  const payouts = [
    localPayout,
    { ...localPayout, amount: 0 },
    { ...localPayout, currency: 'XXX' },
    { ...localPayout, colour: 'red', holding_currency: 'GBP' },
    'payout',
    { ...localPayout, beneficiary: `bnf_${'0'.repeat(20)}` },
  ]
  for (const more of [{}, { mode: 'best_effort' }, { dry_run: true }]) {
    const answer = await account.post(PATH, { ...more, payouts })
    assertProblems(answer, 400, [
      ['amount_out_of_range', 'payouts[1].amount'],
      ['currency', 'payouts[2].currency'],
      ['invalid_field', 'payouts[3].colour'],
      ['holding_currency_not_found', 'payouts[3].holding_currency'],
      ['invalid_field', 'payouts[4]'],
      ['beneficiary_missing', 'payouts[5].beneficiary'],
    ])
  }
  const both = await account.post(PATH, { mode: 'some', payouts: [{ ...localPayout, amount: 0 }] })
  assertProblems(both, 400, [
    ['invalid_field', 'mode'],
    ['amount_out_of_range', 'payouts[0].amount'],
  ])
  assert.deepEqual(await untouched(), before)
})

test(`POST ${PATH}, 250 wrong payouts: first 100 faults listed, all counted; 10,000 payouts allowed, one more refused`, async () => {
  const account = await funded()
  for (const [payout, status, times, counted] of [
    [{ ...localPayout, amount: 0, colour: 'red' }, 400, 250, 500],
    [{ ...localPayout, amount: 2_000_000 }, 422, 250, 250],
    [1, 400, 10_000, 10_000],
  ] as const) {
    const { status: is, json } = await account.post(PATH, { payouts: Array(times).fill(payout) })
    assert.deepEqual([is, json.errors.length], [status, 100])
    assert.equal(json.message, `${counted} problems; see errors.`)
  }
  const more = await account.post(PATH, { payouts: Array(10_001).fill(1) })
  assertProblems(more, 400, [['invalid_field', 'payouts']])
})

test(`GET ${PATH}/{id}/item: pages in the order of the request, in both directions, by status`, async () => {
  const account = await funded(30_000n)
  const { id } = await tryAll(
    account,
    of(...Array.from(Array(23), (_, i) => (i % 2 ? 90_000 : 100))),
  )
  const positions = async (query: string) => {
    const { has_more, results } = await itemsOf(account, id, query)
    return [results.map(({ position }: { position: number }) => position).join(' '), has_more]
  }
  assert.deepEqual(await positions('limit=5'), ['0 1 2 3 4', true])
  assert.deepEqual(await positions('limit=5&starting_after=4'), ['5 6 7 8 9', true])
  assert.deepEqual(await positions('starting_after=20'), ['21 22', false])
  assert.deepEqual(await positions('limit=5&ending_before=7'), ['2 3 4 5 6', true])
  assert.deepEqual(await positions('limit=5&ending_before=3'), ['0 1 2', false])
  assert.deepEqual(await positions('status=refused&limit=3&starting_after=3'), ['5 7 9', true])
  assert.deepEqual(await positions('status=created&limit=3&ending_before=5'), ['0 2 4', false])
  assert.deepEqual(await positions('status=held'), ['', false])
  const [first, , third] = (await itemsOf(account, id)).results
  assert.deepEqual(await positions(`starting_after=${third.payout}&limit=2`), ['3 4', true])
  assert.deepEqual(await positions(`ending_before=${third.payout}`), ['0 1', false])
  const { created_at } = (await account.get(`${PATH}/${id}`)).json.data
  assert.deepEqual(await positions(`created.gte=${created_at}&limit=2`), ['0 1', true])
  assert.deepEqual(await positions(`created.gt=${created_at}`), ['', false])
  assert.deepEqual(await positions(`created.lt=${created_at}`), ['', false])
  assert.ok(first.payout.startsWith('pot_'))
  for (const [query, remarks] of [
    ['limit=0', 'limit'],
    ['starting_after=x', 'starting_after'],
    [`starting_after=pot_${'0'.repeat(20)}`, 'starting_after'],
    ['created.gt=yesterday', 'created.gt'],
    ['starting_after=1&ending_before=2', 'ending_before'],
    ['status=made', 'status'],
  ]) {
    const answer = await account.get(`${PATH}/${id}/item?${query}`)
    assertRefused(answer, 400, 'invalid_query_parameter', remarks)
  }
})

test('PostgreSQL, rows of a batch: append-only for service and owner', async () => {
  const { database, deps } = service
  for (const table of ['payout_batches', 'payout_batch_items']) {
    for (const statement of [`delete from ${table}`, `update ${table} set reference_id = ''`]) {
      await assert.rejects(database.owner.unsafe(statement), /append-only/)
      await assert.rejects(deps.sql.unsafe(statement), /permission denied/)
    }
  }
})
