// What happens in a run besides payouts, at random: money coming in, quotes, what becomes of payouts,
// time, requests made again. And how often each command comes.
import fc from 'fast-check'
import { drain, payDirect, payQuoted, transfer } from './payments.ts'
import { isRefused, MAX_AMOUNT, priceOf, type Rates } from './price.ts'
import { type Payout, RAIL_DELAY_S, TRANSITIONS } from './rail.ts'
import {
  ACCOUNTS,
  account,
  amount,
  another,
  anyAmount,
  type Body,
  type Command,
  currency,
  key,
  named,
  nth,
  often,
  pick,
  rarely,
  step,
} from './step.ts'
import { accountOf, balanceOf, KEPT_S, QUOTE_VALID_S, type World } from './world.ts'

export const RATES: readonly Rates[] = [
  { 'EUR/USD': '1.1', 'USD/JPY': '151.37', 'KWD/USD': '3.2578', 'USD/HKD': '7.81' },
  { 'EUR/USD': '1.0931', 'USD/JPY': '149.9', 'KWD/USD': '3.2601', 'USD/HKD': '7.7993' },
  { 'EUR/USD': '0.98765432', 'USD/JPY': '163', 'KWD/USD': '3.3', 'USD/HKD': '7.85' },
]

const fund = step(
  'fund',
  fc.record({ account, n: pick, amount, poorest: often, big: fc.nat(99).map(n => n === 99), key }),
  (world, real, drawn) => {
    const account = accountOf(world, drawn.account)
    const byBalance = account.currencies.toSorted((a, b) =>
      balanceOf(account, a) < balanceOf(account, b) ? -1 : 1,
    )
    // Seldom one that the account does not hold.
    const held = drawn.n % 20 !== 19
    const chosen = drawn.poorest ? byBalance[0] : nth(account.currencies, drawn.n)
    const currency = held ? chosen : 'HKD'
    const amount = drawn.big ? Number(MAX_AMOUNT) : drawn.amount * 100
    const body = { amount, currency }
    const key = held ? named(drawn.key) : null
    return real.post(world, { account: drawn.account, path: '/v3/sandbox/fund', body, key })
  },
)

/** Which of the three currencies of a quote are one: the amount sent is fixed, or that received. */
const direction = fc.constantFrom('same', 'sent', 'received', 'apart', 'default')

const quote = step(
  'quote',
  fc.record({
    account,
    type: fc.constantFrom('local', 'local', 'swift', 'service_account'),
    direction,
    holding: pick,
    other: currency,
    third: currency,
    amount: anyAmount,
    expect: fc.constantFrom('nothing', 'nothing', 'nothing', 'what it is', 'one more'),
    key,
  }),
  (world, real, drawn) => {
    const { currencies } = accountOf(world, drawn.account)
    const held = nth(currencies, drawn.holding) ?? ''
    const { other, third, amount } = drawn
    const [holding, paid, destination] = {
      same: [held, held, held],
      sent: [held, held, other],
      received: [held, other, other],
      apart: [held, other, third],
      default: [undefined, other, undefined],
    }[drawn.direction] as [string | undefined, string, string | undefined]
    const body = {
      payout_type: drawn.amount > 1_000_000 ? 'local' : drawn.type,
      payout_info: { currency: paid, amount },
      ...(holding && { holding_info: { currency: holding } }),
      ...(destination && { destination_info: { currency: destination, country: 'HK' } }),
    }
    const expected = expectation(world, body, drawn.expect)
    const request = { account: drawn.account, path: '/v3/payout/quote', key: named(drawn.key) }
    return real.post(world, { ...request, body: { ...body, ...expected } })
  },
)

/** Amounts that the computed ones must meet (§quote.expectation). */
function expectation(world: World, body: Body, expect: string) {
  const { payout_type: type, payout_info, holding_info, destination_info } = body
  if (expect === 'nothing' || holding_info === undefined) return {}
  const [holding, destination] = [holding_info.currency, destination_info.currency]
  const { currency } = payout_info
  const terms = { type, amount: BigInt(payout_info.amount), holding, currency, destination }
  const price = priceOf(terms, world.rates, world.fees)
  if (isRefused(price)) return {}
  const by = expect === 'one more' ? 1 : 0
  if (price.holding_amount + price.destination_amount >= MAX_AMOUNT) return {}
  return {
    holding_info: { ...holding_info, amount: Number(price.holding_amount) },
    destination_info: { ...destination_info, amount: Number(price.destination_amount) + by },
  }
}

const settle = step('settle', fc.record({}), (world, real) => real.settle(world))

/** Whole steps of the rail, or nobody could say on which side of an instant a moment is. */
const STEPS_S = [RAIL_DELAY_S, RAIL_DELAY_S, RAIL_DELAY_S, QUOTE_VALID_S, KEPT_S]
const advance = step(
  'advance',
  fc.record({ account, seconds: fc.constantFrom(...STEPS_S), key }),
  (world, real, { account, seconds, key }) => {
    const path = '/v3/sandbox/clock/advance'
    return real.post(world, { account, path, body: { seconds }, key: named(key) })
  },
)

/** Mostly one with which this can be done, and the newest of them. */
interface Aim {
  readonly n: number
  readonly aimed: boolean
  readonly stranger: boolean
  readonly key: number | null
}
const aim = { n: pick, aimed: often, stranger: rarely, key }

function payoutFor({ payouts }: World, { n, aimed }: Aim, fits: (payout: Payout) => boolean) {
  const fitting = aimed ? payouts.filter(fits).slice(-4) : []
  return nth(fitting, n) ?? nth(payouts, n)
}

/** By the account itself, and seldom by another one. */
function requestFor({ account, id }: Payout, { stranger, key }: Aim, what: string, body: Body) {
  const by = stranger ? (account + 1) % ACCOUNTS.length : account
  const room = what === 'transition' ? 'sandbox/payout' : 'payout'
  return { account: by, path: `/v3/${room}/${id}/${what}`, body, key: named(key) }
}

const STATUSES = Object.keys(TRANSITIONS)
const transition = step('transition', fc.record({ ...aim, to: pick }), (world, real, drawn) => {
  const { aimed, to } = drawn
  const payout = payoutFor(
    world,
    drawn,
    ({ status, terms }) => TRANSITIONS[status].length > 0 && terms.type !== 'service_account',
  )
  if (payout === undefined) return Promise.resolve()
  const status = nth(aimed ? TRANSITIONS[payout.status] : STATUSES, to) ?? nth(STATUSES, to)
  return real.post(world, requestFor(payout, drawn, 'transition', { status }))
})

const cancel = step('cancel', fc.record(aim), (world, real, drawn) => {
  const payout = payoutFor(world, drawn, ({ status, taken }) => status === 'processing' && !taken)
  if (payout === undefined) return Promise.resolve()
  return real.post(world, requestFor(payout, drawn, 'cancel', {}))
})

const action = step('action', fc.record(aim), (world, real, drawn) => {
  const payout = payoutFor(world, drawn, ({ status }) => status === 'requires_action')
  if (payout === undefined) return Promise.resolve()
  return real.post(world, requestFor(payout, drawn, 'action', { note: 'Here.' }))
})

/** A kept request again: as it was, written another way, with another body, or by somebody else. */
const replay = step(
  'replay',
  fc.record({
    n: pick,
    newest: fc.boolean(),
    how: fc.constantFrom('same', 'same', 'rewritten', 'another body', 'another account'),
  }),
  async (world, real, { n, newest, how }) => {
    const kept = newest ? world.kept.at(-1) : nth(world.kept, n)
    if (kept === undefined) return
    const { request } = kept
    const { body } = request
    if (how === 'rewritten') {
      const text = JSON.stringify(Object.fromEntries(Object.entries(body).reverse()), null, 2)
      await real.post(world, request, text)
    } else if (how === 'another body') {
      await real.post(world, { ...request, body: changed(body) })
    } else if (how === 'another account') {
      const account = (request.account + 1) % ACCOUNTS.length
      const { currencies } = accountOf(world, account)
      const holds = [body.currency, body.holding_currency, body.holding_info?.currency].every(
        code => code === undefined || currencies.includes(code),
      )
      if (holds) await real.post(world, { ...request, account })
    } else await real.post(world, request)
  },
)

/** Valid all the same; a cancel has nothing that could be said otherwise. */
function changed(body: Body): Body {
  const { amount, seconds, payout_info, status, note } = body
  if (amount !== undefined) return { ...body, amount: another(amount) }
  if (seconds !== undefined) return { seconds: seconds + RAIL_DELAY_S }
  if (status !== undefined) return { status: status === 'failed' ? 'reversed' : 'failed' }
  if (note !== undefined) return { note: `${note} And there.` }
  if (payout_info === undefined) return body
  return { ...body, payout_info: { ...payout_info, amount: another(payout_info.amount) } }
}

const read = step('read', fc.record({ account, n: pick }), (world, real, { account, n }) =>
  real.read(world, account, n),
)

const rates = step('rates', fc.record({ n: fc.nat(RATES.length - 1) }), (world, real, { n }) =>
  real.setRates(world, RATES[n] ?? {}),
)

const byHand = step(
  'by hand',
  fc.record({
    account,
    n: pick,
    kind: fc.constantFrom('funding', 'withdrawal', 'adjustment'),
    share: fc.nat(120),
    down: fc.boolean(),
  }),
  (world, real, { account: index, n, kind, share, down }) => {
    const of = accountOf(world, index)
    const currency = nth(of.currencies, n) ?? ''
    // Up to somewhat more than there is.
    const size = (balanceOf(of, currency) * BigInt(share)) / 100n + 1n
    const out = kind === 'withdrawal' || (kind === 'adjustment' && down)
    return real.book(world, { kind, account: index, currency, amount: out ? -size : size })
  },
)

const takeBack = step('take back', fc.record({ n: pick }), (world, real, { n }) => {
  const booking = nth(world.bookings.slice(-4), n)
  return booking === undefined ? Promise.resolve() : real.takeBack(world, booking)
})

/** How often each command comes, of all. */
const WEIGHTS: readonly (readonly [weight: number, command: fc.Arbitrary<Command>])[] = [
  [7, fund],
  [14, quote],
  [18, payQuoted],
  [16, payDirect],
  [8, transfer],
  [3, drain],
  [8, settle],
  [7, transition],
  [5, cancel],
  [3, action],
  [6, advance],
  [7, replay],
  [3, read],
  [1, rates],
  [4, byHand],
  [3, takeBack],
]

export const anyCommand = fc.oneof(...WEIGHTS.map(([weight, arbitrary]) => ({ weight, arbitrary })))
