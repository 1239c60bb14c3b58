// GET /v3/balance_transaction/{id}: the statement line of each kind of movement (§line.fields). GET
// /v3/balance: every balance currency as text, now and as of any instant (§balance.list,
// §balance.as_of).
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertRefused, assertShape, balancesOf } from '../support/assert/check.ts'
import { BALANCE_TRANSACTION, IN_UTC, idOf } from '../support/assert/shapes.ts'
import { localPayout, yenBank } from '../support/given/bodies.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { linesOf, report, scriptedRail, settleAll } from '../support/service/settling.ts'

const PATH = '/v3/balance_transaction'

let service: TestService
let account: Client
before(async () => {
  service = await startTestService()
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
  await service.setRates({ 'USD/EUR': '0.8', 'EUR/JPY': '160' })
})
after(() => service.close())

async function payout(body: object = {}) {
  const answer = await account.post('/v3/payout', { ...localPayout, ...body })
  assert.equal(answer.status, 200, answer.text)
  return answer.json.data
}

async function line(id: string, of = account) {
  const answer = await of.get(`${PATH}/${id}`)
  assert.equal(answer.status, 200, answer.text)
  const { data, ...envelope } = answer.json
  assert.deepEqual(envelope, { status: 'success', message: '' })
  assertShape(data, BALANCE_TRANSACTION)
  assert.equal(data.object, 'balance_transaction')
  assert.match(data.id, idOf('btr'))
  assert.match(data.created_at, IN_UTC)
  return data
}

/** Checks that the line has these members. */
function assertHas(data: object, expected: object): void {
  assert.deepEqual(data, { ...data, ...expected })
}

test(`GET ${PATH}/{id}, funding, or payout without conversion and fees: a credit of the funding, a debit of the amount`, async () => {
  const client = await service.openAccount({ currencies: ['USD', 'JPY'], fund: { JPY: 77n } })
  const [row] = await service.database.owner<{ id: string; source: string }[]>`
    select id, source from balance_transactions
    where account_id = ${client.account.account_id}`
  const { id = '', source = '' } = row ?? {}
  const none = { fee_details: [], fx_conversions: [], metadata: {} }
  const came = { amount: 77, currency: 'JPY' }
  const moved = { net: came, balance_after: '77' }
  const credit = { type: 'escrow', operation_type: 'credit', ...came, ...moved, source }
  assertHas(await line(id, client), { ...credit, ...none })
  assert.match(source, /^esc_/)
  await service.setFees([])
  const made = await payout()
  const gone = { amount: -10_000, currency: 'USD' }
  const { id: of, created_at } = made
  const debit = { type: 'payout', operation_type: 'debit', ...gone, net: gone, source: of }
  assertHas(await line(made.balance_transaction), { ...debit, ...none, created_at })
})

test(`GET ${PATH}/{id}, payout with both fees and both conversions: negative fees, net is the sum, both conversions`, async () => {
  await service.setFees([{ fixed_amount: 200n, variable_bps: 100 }])
  const destination_details = { type: 'bank', bank: yenBank }
  const made = await payout({
    amount: 8_000,
    currency: 'EUR',
    beneficiary_details: { ...localPayout.beneficiary_details, destination_details },
  })
  const euros = { amount: 8_000, currency: 'EUR' }
  assertHas(await line(made.balance_transaction), {
    currency: 'USD',
    amount: -10_000,
    fee_details: [
      { amount: -200, currency: 'USD', type: 'fixed_fee' },
      { amount: -100, currency: 'USD', type: 'variable_fee' },
    ],
    net: { amount: -10_300, currency: 'USD' },
    fx_conversions: [
      { exchange_rate: 0.8, initial: { amount: 10_000, currency: 'USD' }, final: euros },
      { exchange_rate: 160, initial: euros, final: { amount: 12_800, currency: 'JPY' } },
    ],
  })
})

const ENDS = [
  ['failed', 'payout_failure', report('failed')],
  ['reversed', 'payout_reversal', report('succeeded', 'reversed')],
] as const

for (const [status, type, railReport] of ENDS) {
  test(`GET ${PATH}/{id}, payout ${status}, rates and fees changed meanwhile: a ${type} credit of the stored integers`, async () => {
    // Payouts of earlier tests must not fail together with this one.
    const succeeding = scriptedRail(() => Promise.resolve(report('succeeded')))
    await settleAll(service, succeeding)
    await service.setRates({ 'USD/EUR': '0.7' })
    await service.setFees([{ fixed_amount: 33n, variable_bps: 77 }])
    const start = await balancesOf(account)
    const made = await payout({ amount: 9_999, currency: 'EUR' })
    const debit = await line(made.balance_transaction)
    assert.equal(debit.amount, -14_285) // 9999 ÷ 0.7 = 14284.28…, up
    await service.setRates({ 'USD/EUR': '0.9' })
    await service.setFees([{ fixed_amount: 1n }])
    await settleAll(
      service,
      scriptedRail(() => Promise.resolve(railReport)),
    )
    const lines = await linesOf(service, account, [debit.id])
    assert.equal(lines.length, 1)
    const credit = await line(lines[0].id)
    const back = (part: { amount: number }) => ({ ...part, amount: -part.amount })
    assertHas(credit, {
      type,
      operation_type: 'credit',
      source: debit.id,
      description: made.id,
      amount: 14_285,
      net: back(debit.net),
      fee_details: debit.fee_details.map(back),
    })
    assert.deepEqual(await balancesOf(account), start)
    assert.equal((await account.get(`/v3/payout/${made.id}`)).json.data.status, status)
    assert.deepEqual(await line(debit.id), debit)
  })
}

test('GET one payout or line, If-None-Match: 304 without a body until the object changes', async () => {
  const made = await payout()
  const paths = [`${PATH}/${made.balance_transaction}`, `/v3/payout/${made.id}`]
  const other = await service.openAccount({ currencies: ['USD'] })
  for (const path of paths) {
    const first = await account.get(path)
    const etag = String(first.headers.etag)
    assert.match(etag, /^"[\w-]{22}"$/)
    assert.equal(first.headers['cache-control'], 'no-store')
    const again = await account.get(path, { 'if-none-match': etag })
    assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', etag])
    const outdated = await account.get(path, { 'if-none-match': '"another"' })
    assert.deepEqual([outdated.status, outdated.text], [200, first.text])
    assert.equal((await other.get(path, { 'if-none-match': etag })).status, 404)
    if (path !== paths[1]) continue
    await account.post(`${path}/cancel`, {})
    const changed = await account.get(path, { 'if-none-match': etag })
    assert.deepEqual([changed.status, changed.json?.data.status], [200, 'failed'])
  }
})

// Balances.

const BALANCE = '/v3/balance'

test(`GET ${BALANCE}, one of three currencies funded: all three listed, amounts also as text, exact above the range of a double`, async () => {
  const fund = { USD: 9_007_199_254_740_993n }
  const account = await service.openAccount({ currencies: ['USD', 'EUR', 'HKD'], fund })
  const answer = await account.get(BALANCE)
  assert.equal(answer.status, 200)
  const { data } = answer.json
  assertShape(data, { object: 'string', available: 'array', updated_at: 'string' })
  assert.equal(data.object, 'balance')
  assert.match(data.updated_at, IN_UTC)
  for (const one of data.available) assert.deepEqual(Object.keys(one), ['currency', 'amount'])
  assert.deepEqual(await balancesOf(account), { USD: '9007199254740993', EUR: '0', HKD: '0' })
})

async function asOf(of: Client, as_of: string): Promise<string | undefined> {
  const answer = await of.get(`${BALANCE}?as_of=${encodeURIComponent(as_of)}`)
  assert.equal(answer.status, 200, answer.text)
  const available: { currency: string; amount: string }[] = answer.json.data.available
  assert.deepEqual(available.map(b => b.currency).sort(), ['EUR', 'USD'])
  assert.equal(available.find(b => b.currency === 'EUR')?.amount, '0')
  return available.find(b => b.currency === 'USD')?.amount
}

/** The microsecond before: all times here have six digits, the last of which is rarely zero. */
function justBefore(instant: string): string {
  const micros = BigInt(instant.slice(-7, -1))
  if (micros > 0n) return `${instant.slice(0, -7)}${String(micros - 1n).padStart(6, '0')}Z`
  const second = new Date(Date.parse(instant) - 1).toISOString()
  return second.replace('Z', '999Z')
}

test(`GET ${BALANCE}?as_of, funding, payout and failure: the balance before, at and after each`, async () => {
  const account = await service.openAccount({ currencies: ['USD', 'EUR'], fund: { USD: 50_000n } })
  await service.setFees([])
  const made = (await account.post('/v3/payout', localPayout)).json.data
  const failing = scriptedRail(() => Promise.resolve(report('failed')))
  await settleAll(service, failing)
  const funding = await service.database.owner<{ created_at: string }[]>`
    select created_at from balance_transactions
    where account_id = ${account.account.account_id} and type = 'escrow'`
  const [debit, credit] = await linesOf(service, account, [made.id, made.balance_transaction])
  const funded_at = funding[0]?.created_at ?? ''
  const table: readonly [as_of: string, amount: string][] = [
    ['2000-01-01T00:00:00Z', '0'],
    [justBefore(funded_at), '0'],
    [funded_at, '50000'],
    [justBefore(debit.created_at), '50000'],
    [debit.created_at, '40000'],
    [justBefore(credit.created_at), '40000'],
    [credit.created_at, '50000'],
    [credit.created_at.replace('Z', '+00:00'), '50000'],
    ['2999-12-31T23:59:59+14:00', '50000'],
  ]
  for (const [as_of, amount] of table) assert.equal(await asOf(account, as_of), amount, as_of)
})

const BAD = [
  '',
  'yesterday',
  '2026-01-31',
  '2026-01-31T09:30:00',
  '2026-02-30T09:30:00Z',
  '2026-13-01T09:30:00Z',
  '2026-01-31T25:00:00Z',
  '2026-01-31T09:30:60Z',
  '2026-01-31T09:30:00+25:00',
  '2026-01-31 09:30:00Z',
  '1769851800',
  '0000-01-01T00:00:00Z',
  '0000-01-01T00:00:00+01:00',
  '9999-12-31T23:59:59-01:00',
  'infinity',
  "2026-01-31T09:30:00Z'--",
  '2026-01-31T09:30:00.Z',
  '2026-01-31T09:30:00Z\u0000',
]

test(`GET ${BALANCE}?as_of, time without an offset, or no time: 400 invalid_query_parameter`, async () => {
  for (const as_of of BAD) {
    const answer = await account.get(`${BALANCE}?as_of=${encodeURIComponent(as_of)}`)
    assertRefused(answer, 400, 'invalid_query_parameter', 'as_of')
  }
})
