// The rules of limits: which payouts a limit counts, in which currency, and which it refuses.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { NOW, pricing } from '../../../test/support/given/in-memory.ts'
import { type Problem, Refusal } from '../../values/errors.ts'
import { type Instant, plusMicros } from '../../values/instant.ts'
import {
  emptyState,
  indexLimits,
  type Limit,
  type LimitState,
  type Payment,
  type Use,
} from './limit.ts'
import {
  addEarlierUses,
  amountOf,
  counts,
  earlier,
  freesAt,
  isSameKind,
  judgeLimits,
  rememberPayee,
  rememberUses,
  subjectOf,
} from './rules.ts'
import { leavesAt, stepAt, stepMinutes } from './window.ts'

const limit = (part: Partial<Limit> = {}): Limit => ({
  limit_id: 'lim_1',
  account_id: null,
  key_id: null,
  rail: null,
  network: null,
  new_for_hours: null,
  each: 'account',
  currency: 'USD',
  cap: 1_000n,
  per: 'hours',
  zone: null,
  hours: 24,
  ...part,
})

const payment = (part: Partial<Payment> = {}): Payment => ({
  account_id: 'acc_1',
  key_id: 'key_1',
  rail: 'bank',
  networks: ['fps'],
  payee: 'p1',
  known_since: null,
  currency: 'USD',
  amount: 100n,
  ...part,
})

const judging = (now: Instant = NOW) => ({ now, rates_now: NOW, pricing: pricing() })

function problemsOf(act: () => unknown): readonly Problem[] {
  try {
    act()
  } catch (error) {
    if (error instanceof Refusal) return error.problems
    throw error
  }
  return assert.fail('nothing was refused')
}

const stateOf = (...limits: readonly Limit[]): LimitState => emptyState(indexLimits(limits))

/** Judges a payment and adds its uses to the state. Returns whether every limit has room. */
function pay(state: LimitState, part: Partial<Payment> = {}, now: Instant = NOW): boolean {
  let uses: Use[]
  try {
    uses = judgeLimits(state, payment(part), judging(now))
  } catch {
    return false
  }
  rememberUses(state, uses, now)
  return true
}

test('counts: true only for payouts that meet every condition of the limit', () => {
  assert.ok(counts(limit(), payment(), NOW))
  for (const [name, own] of [
    ['account_id', 'acc_1'],
    ['key_id', 'key_1'],
    ['rail', 'bank'],
  ] as const) {
    assert.ok(counts(limit({ [name]: own }), payment(), NOW), name)
    assert.ok(!counts(limit({ [name]: 'other' }), payment(), NOW), name)
    assert.ok(!counts(limit({ [name]: own }), payment({ [name]: '' }), NOW), name)
  }
  const overFps = limit({ network: 'fps' })
  assert.ok(counts(overFps, payment({ networks: ['chats', 'fps'] }), NOW))
  assert.ok(!counts(overFps, payment({ networks: ['chats'] }), NOW))
})

test('counts, limit on new payees: payouts to unknown payees, or payees known for fewer hours than the limit states', () => {
  const hour = 3_600_000_000n
  const isCounted = (known_since: Instant | null, now = NOW) =>
    counts(limit({ new_for_hours: 2 }), payment({ known_since }), now)
  assert.ok(isCounted(null))
  assert.ok(isCounted(NOW))
  assert.ok(isCounted(NOW, plusMicros(NOW, 2n * hour - 1n)))
  assert.ok(!isCounted(NOW, plusMicros(NOW, 2n * hour)))
})

test('judgeLimits, limit on new payees exceeded: names when the payout fits, at the latest when the payee is no longer new', () => {
  const frees = (cap: bigint, known_since: Instant | null) => {
    const state = stateOf(limit({ new_for_hours: 2, cap, hours: 1 }))
    pay(state, { amount: 100n })
    const asked = payment({ amount: 200n, known_since })
    const [problem] = problemsOf(() => judgeLimits(state, asked, judging()))
    return /frees_at=(\S+)$/.exec(problem?.message ?? '')?.[1]
  }
  const window = limit({ hours: 1 })
  const known_at = plusMicros(NOW, 2n * 3_600_000_000n)
  assert.equal(frees(199n, NOW), known_at)
  assert.equal(frees(199n, null), 'null')
  assert.equal(frees(299n, NOW), leavesAt(window, stepAt(window, NOW)))
})

test('subjectOf, limit per account, key or payee: empty, the key, or the payee', () => {
  assert.equal(subjectOf(limit(), payment()), '')
  assert.equal(subjectOf(limit({ each: 'key' }), payment()), 'key_1')
  assert.equal(subjectOf(limit({ each: 'payee' }), payment()), 'p1')
})

test('amountOf, limit in another currency: converted at mid and rounded up, across decimals', () => {
  const counted = (part: Partial<Limit>, paid: Partial<Payment>, rates = {}) =>
    amountOf(limit(part), payment(paid), { pricing: pricing(rates), rates_now: NOW })
  assert.equal(counted({ currency: null }, { amount: 12_345n }), 1n)
  assert.equal(counted({}, { amount: 12_345n }), 12_345n)
  assert.equal(counted({}, { currency: 'EUR', amount: 101n }, { 'EUR/USD': '1.1' }), 112n)
  assert.equal(counted({}, { currency: 'JPY', amount: 1n }, { 'USD/JPY': '150' }), 1n)
  assert.equal(counted({}, { currency: 'KWD', amount: 1_001n }, { 'KWD/USD': '3.25' }), 326n)
})

test('amountOf, rate missing or stale: refused, whatever the cap', () => {
  const counted = (rates: Readonly<Record<string, string>>, rates_now: Instant) => () =>
    amountOf(limit(), payment({ currency: 'EUR' }), {
      pricing: pricing(rates, [], { any_age: false }),
      rates_now,
    })
  const [missing] = problemsOf(counted({}, NOW))
  assert.deepEqual(missing, {
    reason: 'rate_unavailable',
    message: 'Limit lim_1 counts in USD, and cannot: No rate joins EUR and USD.',
    remarks: 'amount',
  })
  const later = plusMicros(NOW, 40n * 86_400_000_000n)
  const [stale] = problemsOf(counted({ 'EUR/USD': '1.1' }, later))
  assert.equal(stale?.reason, 'rate_stale')
})

test('judgeLimits, use equal to the cap: accepted; one unit above: refused with every figure', () => {
  const state = stateOf(limit({ account_id: 'acc_1' }))
  assert.ok(pay(state, { amount: 400n }))
  const problems = problemsOf(() => judgeLimits(state, payment({ amount: 601n }), judging()))
  const frees_at = leavesAt(limit(), stepAt(limit(), NOW))
  assert.deepEqual(problems, [
    {
      reason: 'limit_exceeded',
      message:
        'The limit of account acc_1 is USD 10.00 in 24 hours: USD 4.00 used, USD 6.01 asked. ' +
        `There is room for it at ${frees_at}. In minor units: limit=lim_1 window=24h cap=1000 ` +
        `used=400 asked=601 currency=USD frees_at=${frees_at}`,
      remarks: 'amount',
    },
  ])
  assert.ok(pay(state, { amount: 600n }))
  assert.ok(!pay(state, { amount: 1n }))
})

test('judgeLimits, several exceeded limits: all named', () => {
  const state = stateOf(
    limit({ per: 'payout', hours: null, cap: 50n }),
    limit({ limit_id: 'lim_2', currency: null, cap: 0n, per: 'day', zone: 'UTC', hours: null }),
    limit({ limit_id: 'lim_3' }),
  )
  const problems = problemsOf(() => judgeLimits(state, payment(), judging()))
  assert.deepEqual(
    problems.map(({ message, remarks }) => [message, remarks]),
    [
      [
        'The limit of each account is USD 0.50 a payout: USD 1.00 asked. Waiting does not help. ' +
          'In minor units: limit=lim_1 window=payout cap=50 used=0 asked=100 currency=USD ' +
          'frees_at=null',
        'amount',
      ],
      [
        'The limit of each account is 0 payouts a day of UTC: 0 payouts used, 1 payout asked. ' +
          'Waiting does not help. In minor units: limit=lim_2 window=day:UTC cap=0 used=0 asked=1 ' +
          'currency=none frees_at=null',
        '',
      ],
    ],
  )
  assert.equal(state.changed.size, 0)
})

test('judgeLimits, other accounts, keys or payees: each has its own headroom', () => {
  const stateFor = (each: Limit['each']) => stateOf(limit({ each, currency: null, cap: 1n }))
  const [account, key, payee] = [stateFor('account'), stateFor('key'), stateFor('payee')]
  for (const state of [account, key, payee]) assert.ok(pay(state))
  assert.ok(!pay(account, { key_id: 'key_2', payee: 'p2' }))
  assert.ok(pay(account, { account_id: 'acc_2' }))
  assert.ok(!pay(key, { payee: 'p2' }))
  assert.ok(pay(key, { key_id: 'key_2' }))
  assert.ok(!pay(payee, { key_id: 'key_2' }))
  assert.ok(pay(payee, { payee: 'p2' }))
})

test('judgeLimits, payout in the last step of the window: counted; one step later: not counted', () => {
  const state = stateOf(limit({ currency: null, cap: 1n }))
  assert.ok(pay(state))
  const leaves = leavesAt(limit(), stepAt(limit(), NOW))
  assert.ok(!pay(state, {}, plusMicros(leaves, -1n)))
  assert.ok(pay(state, {}, leaves))
})

test("rememberUses: stores the window's sum and the cap at that time", () => {
  const state = stateOf(limit())
  const minute = 60_000_000n
  pay(state, { amount: 300n })
  pay(state, { amount: 200n }, plusMicros(NOW, 10n * minute))
  const sums = [...state.changed].map(({ starts_at, used, reached, cap }) => {
    return { starts_at, used, reached, cap }
  })
  assert.deepEqual(sums, [
    { starts_at: stepAt(limit(), NOW), used: 300n, reached: 300n, cap: 1_000n },
    {
      starts_at: stepAt(limit(), plusMicros(NOW, 10n * minute)),
      used: 200n,
      reached: 500n,
      cap: 1_000n,
    },
  ])
})

/** A payout of the oracle, which keeps every payout and adds all up for each new one. */
interface Made {
  readonly now: Instant
  readonly amount: bigint
  readonly payee: string
}

test('judgeLimits, random payouts and windows: same decision as an oracle that adds all payouts', () => {
  const windows = fc.oneof(
    fc.integer({ min: 1, max: 744 }).map(hours => ({ per: 'hours', hours, zone: null }) as const),
    fc
      .constantFrom('UTC', 'Asia/Kolkata', 'America/New_York', 'Europe/Berlin')
      .map(zone => ({ per: 'day', hours: null, zone }) as const),
  )
  const kinds = fc.record({
    window: windows,
    each: fc.constantFrom('account', 'payee'),
    currency: fc.constantFrom('USD', null),
    cap: fc.bigInt({ min: 0n, max: 500n }),
  })
  const payouts = fc.array(
    fc.record({
      wait: fc.bigInt({ min: 0n, max: 50_000_000_000n }),
      amount: fc.bigInt({ min: 1n, max: 300n }),
      payee: fc.constantFrom('p1', 'p2'),
    }),
    { maxLength: 40 },
  )
  fc.assert(
    fc.property(kinds, payouts, ({ window, each, currency, cap }, asked) => {
      const one = limit({ ...window, each: each as Limit['each'], currency, cap })
      const state = stateOf(one)
      const made: Made[] = []
      let now = NOW
      for (const { wait, amount, payee } of asked) {
        now = plusMicros(now, wait)
        const counted = currency === null ? 1n : amount
        const used = (at: Instant) =>
          made
            .filter(before => each === 'account' || before.payee === payee)
            .filter(before => at < leaves(one, before.now))
            .reduce((sum, before) => sum + (currency === null ? 1n : before.amount), 0n)
        const fits = used(now) + counted <= cap
        const refused = fits ? undefined : frees(state, one, payment({ amount, payee }), now)
        assert.equal(pay(state, { amount, payee }, now), fits)
        if (fits) made.push({ now, amount, payee })
        else if (refused === null) assert.ok(counted > cap)
        else if (refused !== undefined) {
          assert.ok(used(refused) + counted <= cap)
          assert.ok(used(plusMicros(refused, -1n)) + counted > cap)
        }
      }
    }),
  )
})

/** When a payout leaves its window: after whole steps of minutes, or at its local day's end. */
function leaves({ per, hours, zone }: Limit, made: Instant): Instant {
  const local = Temporal.Instant.from(made).toZonedDateTimeISO(zone ?? 'UTC')
  const end =
    per === 'day'
      ? local.startOfDay().add({ days: 1 }).startOfDay()
      : endOfStep(local, stepMinutes(hours ?? 0)).add({ hours: hours ?? 0 })
  return end.toInstant().toString({ fractionalSecondDigits: 6 })
}

function endOfStep(local: Temporal.ZonedDateTime, minutes: number): Temporal.ZonedDateTime {
  const of_day = local.hour * 60 + local.minute
  return local.startOfDay().add({ minutes: of_day - (of_day % minutes) + minutes })
}

/** The time that the refusal of this payment names. */
function frees(state: LimitState, { limit_id }: Limit, asked: Payment, now: Instant) {
  const problems = problemsOf(() => judgeLimits(state, asked, judging(now)))
  const [, text] = /frees_at=(\S+)$/.exec(problems[0]?.message ?? '') ?? []
  assert.match(problems[0]?.message ?? '', new RegExp(`limit=${limit_id} `))
  return text === 'null' ? null : text
}

const sumOf = (starts_at: Instant, used: bigint) => ({
  ...{ account_id: 'acc_1', limit_id: 'lim_1', subject: '', starts_at, used },
  ...{ reached: null, cap: null },
})

const at = (hour: number) => `2026-01-31T${String(hour).padStart(2, '0')}:00:00.000000Z`

test('freesAt: the time when enough use has left the window; amount above the cap: never', () => {
  const sums = [sumOf(at(1), 100n), sumOf(at(2), 200n), sumOf(at(3), 700n)]
  const leaves_at = (hour: number) => leavesAt(limit(), at(hour))
  assert.equal(freesAt(limit(), sums, 100n), leaves_at(1))
  assert.equal(freesAt(limit(), sums, 101n), leaves_at(2))
  assert.equal(freesAt(limit(), sums, 300n), leaves_at(2))
  assert.equal(freesAt(limit(), sums, 301n), leaves_at(3))
  assert.equal(freesAt(limit(), sums, 1_000n), leaves_at(3))
  assert.equal(freesAt(limit(), sums, 1_001n), null)
  assert.equal(freesAt(limit(), [], 1_001n), null)
})

test('judgeLimits, limit whose conditions the payout does not meet: ignored, nothing stored', () => {
  const state = stateOf(limit({ network: 'chats', cap: 0n }), limit({ per: 'payout', hours: null }))
  assert.deepEqual(judgeLimits(state, payment(), judging()), [])
})

test('addEarlierUses, past payouts in any order: summed by step, without a cap', () => {
  const state = stateOf(limit())
  const counter = { account_id: 'acc_1', limit_id: 'lim_1', subject: 'p1' }
  const use = (hour: number, amount: bigint) => ({ ...counter, starts_at: at(hour), amount })
  const past = { reached: null, cap: null }
  addEarlierUses(state, [use(3, 1_000n), use(1, 2n), use(3, 500n), use(2, 4n)])
  const sums = [
    { ...counter, starts_at: at(1), used: 2n, ...past },
    { ...counter, starts_at: at(2), used: 4n, ...past },
    { ...counter, starts_at: at(3), used: 1_500n, ...past },
  ]
  assert.deepEqual(state.sums.get('acc_1/lim_1/p1'), sums)
  assert.deepEqual(new Set(state.changed), new Set(state.sums.get('acc_1/lim_1/p1')))
})

test('rememberUses, id of an unknown limit: throws', () => {
  const use = { account_id: 'acc_1', limit_id: 'lim_9', subject: '', starts_at: NOW, amount: 1n }
  assert.throws(() => rememberUses(stateOf(), [use], NOW), /lim_9, which is no limit/)
})

test('rememberPayee: later payouts find the payee; payout without a payee: nothing stored', () => {
  const state = stateOf()
  rememberPayee(state, null)
  assert.equal(state.payees.size, 0)
  rememberPayee(state, { account_id: 'acc_1', payee: 'p1', known_since: NOW })
  assert.deepEqual([...state.payees], [['acc_1/p1', NOW]])
})

test('earlier, two times: the earlier time; one time missing: the other time', () => {
  assert.equal(earlier(at(1), at(2)), at(1))
  assert.equal(earlier(at(2), at(1)), at(1))
  assert.equal(earlier(null, at(1)), at(1))
  assert.equal(earlier(at(1), null), at(1))
  assert.equal(earlier(null, null), null)
})

test('isSameKind, two limits: compares every member but cap and id', () => {
  assert.ok(isSameKind(limit(), limit({ limit_id: 'lim_2', cap: 1n })))
  const others: readonly Partial<Limit>[] = [
    { account_id: 'acc_1' },
    { key_id: 'key_1' },
    { rail: 'bank' },
    { network: 'fps' },
    { new_for_hours: 1 },
    { each: 'payee' },
    { currency: null },
    { per: 'day' },
    { zone: 'UTC' },
    { hours: 25 },
  ]
  for (const other of others) assert.ok(!isSameKind(limit(), limit(other)), JSON.stringify(other))
})

test('amountOf, rate book throws: the exception passes, no refusal', () => {
  const broken = { ...pricing(), rates: null as never }
  const paid = payment({ currency: 'EUR' })
  assert.throws(() => amountOf(limit(), paid, { pricing: broken, rates_now: NOW }), TypeError)
})
