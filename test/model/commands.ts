// What happens in a run, at random: requests made from the state of the model, most of them to succeed
// and the others to be refused for one reason each. A command holds numbers alone and finds its quote
// or payout when it runs, so that commands can be left out while a failure is shrunk.
import fc from 'fast-check'
import { bankBeneficiary, internalPayout, localPayout } from '../support/bodies.ts'
import { isRefused, MAX_AMOUNT, priceOf, type Rates } from './price.ts'
import { type Payout, RAIL_DELAY_S } from './rail.ts'
import {
  accountOf,
  balanceOf,
  type Destination,
  KEPT_S,
  QUOTE_VALID_S,
  type Quote,
  type Request,
  type World,
} from './world.ts'

/** What a command needs of the service; the test makes it. */
export interface Real {
  /** Sends a request, its body as this text if given; holds answer and books against the model. */
  post(world: World, request: Request, text?: string): Promise<void>
  /** The settling worker, until nothing is due. */
  settle(world: World): Promise<void>
  /** Reads of one account and one payout or quote of it. */
  read(world: World, account: number, pick: number): Promise<void>
  setRates(world: World, rates: Rates): Promise<void>
}

type Command = fc.AsyncCommand<World, Real, true>
type Body = Request['body']

/** Held by some accounts, by none, and seldom one that no rate joins to the others. */
const currency = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom('USD', 'EUR', 'JPY', 'KWD', 'HKD') },
  { weight: 1, arbitrary: fc.constant('THB') },
)
export const ACCOUNTS: readonly { currencies: readonly string[]; primary: string }[] = [
  { currencies: ['USD', 'EUR', 'JPY'], primary: 'USD' },
  { currencies: ['USD', 'KWD'], primary: 'USD' },
  { currencies: ['EUR', 'USD', 'KWD'], primary: 'EUR' },
]

export const RATES: readonly Rates[] = [
  { 'EUR/USD': '1.1', 'USD/JPY': '151.37', 'KWD/USD': '3.2578', 'USD/HKD': '7.81' },
  { 'EUR/USD': '1.0931', 'USD/JPY': '149.9', 'KWD/USD': '3.2601', 'USD/HKD': '7.7993' },
  { 'EUR/USD': '0.98765432', 'USD/JPY': '163', 'KWD/USD': '3.3', 'USD/HKD': '7.85' },
]

class Step {
  readonly #name: string
  readonly #drawn: object
  readonly #run: (world: World, real: Real) => Promise<void>

  constructor(name: string, drawn: object, run: (world: World, real: Real) => Promise<void>) {
    this.#name = name
    this.#drawn = drawn
    this.#run = run
  }

  check(): Promise<boolean> {
    return Promise.resolve(true)
  }

  run(world: World, real: Real): Promise<void> {
    return this.#run(world, real)
  }

  toString(): string {
    return `${this.#name}${JSON.stringify(this.#drawn)}`
  }
}

/** A command of a name, drawn from an arbitrary. */
function step<T extends object>(
  name: string,
  drawn: fc.Arbitrary<T>,
  run: (world: World, real: Real, drawn: T) => Promise<void>,
): fc.Arbitrary<Command> {
  return drawn.map(d => new Step(name, d, (world, real) => run(world, real, d)))
}

const account = fc.nat(ACCOUNTS.length - 1)
const pick = fc.nat(1_000)
const rarely = fc.nat(19).map(n => n === 19)
const often = fc.nat(9).map(n => n < 8)

/** Ordinary ones, those by which the simulator decides, and more than anybody has. */
const amount = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 60_000 }) },
  { weight: 2, arbitrary: fc.constantFrom(100_000, 200_000, 300_000, 400_000, 500_000, 500_001) },
  { weight: 2, arbitrary: fc.integer({ min: 195_000, max: 560_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 9 }) },
)
const huge = fc.integer({ min: 10_000_000_000, max: Number(MAX_AMOUNT) })

/** Mostly none; else a key of its own, and seldom one that others have, too. */
const key = fc.oneof(
  { weight: 5, arbitrary: fc.constant(null) },
  { weight: 4, arbitrary: fc.integer({ min: 100, max: 1_000_000_000 }) },
  { weight: 1, arbitrary: fc.nat(2) },
)
const named = (drawn: number | null) => (drawn === null ? null : `key ${drawn}`)

function nth<T>(list: readonly T[], n: number): T | undefined {
  return list[n % Math.max(1, list.length)]
}

const fund = step(
  'fund',
  fc.record({ account, n: pick, amount, big: fc.nat(59).map(n => n === 59), key }),
  (world, real, drawn) => {
    const { currencies } = accountOf(world, drawn.account)
    // Seldom one that the account does not hold.
    const held = drawn.n % 20 !== 19
    const currency = held ? nth(currencies, drawn.n) : 'HKD'
    const amount = drawn.big ? Number(MAX_AMOUNT) : drawn.amount * 40
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
    amount: fc.oneof({ weight: 40, arbitrary: amount }, { weight: 1, arbitrary: huge }),
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

/** Contract 4: amounts that the computed ones must meet. */
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

const payQuoted = step(
  'payQuoted',
  fc.record({
    account,
    n: pick,
    newest: often,
    twist: fc.constantFrom(
      ...Array(12).fill('none'),
      'amount',
      'currency',
      'holding',
      'type',
      'untyped',
      'stranger',
      'destination',
    ),
    to: fc.nat(3),
    known: fc.boolean(),
    key,
  }),
  (world, real, drawn) => {
    const unused = drawn.newest ? world.quotes.filter(({ used }) => !used).slice(-4) : []
    const found = nth(unused, drawn.n) ?? nth(world.quotes, drawn.n)
    if (found === undefined) return payUnknown(world, real, drawn.account)
    const { twist } = drawn
    const payer = twist === 'stranger' ? (found.account + 1) % ACCOUNTS.length : found.account
    const { terms } = found
    const internal = (terms.type === 'service_account') !== (twist === 'destination')
    const body = {
      ...localPayout,
      ...detailsFor(world, payer, internal, drawn, undefined),
      ...twisted(world, found, twist),
      quote: found.id,
    }
    return real.post(world, { account: payer, path: '/v3/payout', body, key: named(drawn.key) })
  },
)

/** In range like the first. */
const another = (amount: number) => (amount > 1 ? amount - 1 : amount + 1)

/** What the quote says, but for one member. */
function twisted(world: World, { account, terms }: Quote, twist: string): Body {
  const { currencies } = accountOf(world, account)
  const otherHolding = currencies.find(code => code !== terms.holding)
  const types: Readonly<Record<string, string | undefined>> = {
    type: terms.type === 'local' ? 'swift' : 'local',
    untyped: undefined,
  }
  return {
    type: Object.hasOwn(types, twist) ? types[twist] : terms.type,
    amount: twist === 'amount' ? another(Number(terms.amount)) : Number(terms.amount),
    currency: twist === 'currency' ? (terms.currency === 'USD' ? 'EUR' : 'USD') : terms.currency,
    ...(twist === 'holding' && { holding_currency: otherHolding }),
  }
}

function payUnknown(world: World, real: Real, account: number) {
  const body = { ...localPayout, quote: 'poq_00000000000000000000' }
  return real.post(world, { account, path: '/v3/payout', body, key: null })
}

/** A beneficiary that is known already, or its details. */
function detailsFor(
  world: World,
  payer: number,
  internal: boolean,
  { n, to, known }: { readonly n: number; readonly to: number; readonly known: boolean },
  bankCurrency: string | undefined,
): Body {
  const type: Destination['type'] = internal ? 'service_account' : 'bank'
  const mine = world.beneficiaries.filter(
    ({ account, destination }) => account === payer && destination.type === type,
  )
  const found = known && bankCurrency === undefined ? nth(mine, n) : undefined
  if (found !== undefined) return { beneficiary_details: undefined, beneficiary: found.id }
  if (internal) {
    const { beneficiary_details } = internalPayout(addressOf(world, payer, to))
    return { beneficiary_details }
  }
  const { bank } = bankBeneficiary.destination_details
  const destination_details = { type, bank: { ...bank, currency: bankCurrency } }
  return { beneficiary_details: { ...bankBeneficiary, destination_details } }
}

/** One of the others', and seldom an account's own or nobody's. */
function addressOf(world: World, payer: number, to: number): string {
  const others = world.accounts.filter((_, i) => i !== payer)
  if (to < others.length) return others[to]?.deposit_address ?? ''
  return to === others.length ? accountOf(world, payer).deposit_address : 'dep_nobody'
}

const payDirect = step(
  'payDirect',
  fc.record({
    account,
    type: fc.constantFrom('local', 'local', 'swift'),
    currency: fc.option(currency, { freq: 2, nil: undefined }),
    holding: fc.option(pick, { freq: 2, nil: undefined }),
    arrives: fc.option(currency, { freq: 4, nil: undefined }),
    amount: fc.oneof({ weight: 40, arbitrary: amount }, { weight: 1, arbitrary: huge }),
    n: pick,
    known: fc.boolean(),
    key,
  }),
  (world, real, drawn) => {
    const { currencies } = accountOf(world, drawn.account)
    const { n, holding } = drawn
    // Seldom a balance that the account does not have.
    const held =
      holding !== undefined && holding % 15 === 14 ? 'HKD' : nth(currencies, holding ?? 0)
    const body = {
      ...localPayout,
      type: drawn.amount > 1_000_000 ? 'local' : drawn.type,
      amount: drawn.amount,
      currency: drawn.currency ?? nth(currencies, n),
      ...(holding !== undefined && { holding_currency: held }),
      ...detailsFor(world, drawn.account, false, { ...drawn, to: 0 }, drawn.arrives),
    }
    const key = held === 'HKD' ? null : named(drawn.key)
    return real.post(world, { account: drawn.account, path: '/v3/payout', body, key })
  },
)

const to = fc.oneof(
  { weight: 9, arbitrary: fc.nat(1) },
  { weight: 1, arbitrary: fc.constantFrom(2, 3) },
)

const transfer = step(
  'transfer',
  fc.record({ account, to, currency, n: pick, own: often, amount, known: fc.boolean(), key }),
  (world, real, drawn) => {
    const currency = drawn.own ? shared(world, drawn) : drawn.currency
    return real.post(world, transferOf(world, drawn, currency, drawn.amount))
  },
)

/** All that there is, which takes no fee to an account, or one unit more, which nobody has. */
const drain = step(
  'drain',
  fc.record({ account, to, n: pick, over: fc.boolean(), known: fc.boolean(), key }),
  (world, real, drawn) => {
    const currency = shared(world, drawn)
    const all = Number(balanceOf(accountOf(world, drawn.account), currency)) + (drawn.over ? 1 : 0)
    const amount = Math.min(Math.max(1, all), Number(MAX_AMOUNT))
    return real.post(world, transferOf(world, drawn, currency, amount))
  },
)

/** A currency that both hold; all of them hold one. */
function shared(world: World, { account, to, n }: Transfer): string {
  const receiver = world.accounts.filter((_, i) => i !== account)[to]
  const { currencies } = accountOf(world, account)
  const held = currencies.filter(code => receiver?.currencies.includes(code) ?? true)
  return nth(held, n) ?? ''
}

interface Transfer {
  readonly account: number
  readonly to: number
  readonly n: number
  readonly known: boolean
  readonly key: number | null
}

function transferOf(world: World, drawn: Transfer, currency: string, amount: number): Request {
  const { account } = drawn
  const body = {
    ...internalPayout('', amount, currency),
    ...detailsFor(world, account, true, drawn, undefined),
  }
  return { account, path: '/v3/payout', body, key: named(drawn.key) }
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

/** The newest ones are those that still can go somewhere. */
function payoutFor(
  world: World,
  { n, newest }: { n: number; newest: boolean },
): Payout | undefined {
  return newest ? world.payouts.at(-1 - (n % 4)) : nth(world.payouts, n)
}

function stepOf(
  name: string,
  path: (id: string) => string,
  body: fc.Arbitrary<Body>,
): fc.Arbitrary<Command> {
  const drawn = fc.record({ n: pick, newest: fc.boolean(), stranger: rarely, body, key })
  return step(name, drawn, (world, real, { stranger, ...d }) => {
    const payout = payoutFor(world, d)
    if (payout === undefined) return Promise.resolve()
    const { account, id } = payout
    const by = stranger ? (account + 1) % ACCOUNTS.length : account
    return real.post(world, { account: by, path: path(id), body: d.body, key: named(d.key) })
  })
}

const STATUSES = [
  'succeeded',
  'failed',
  'reversed',
  'requires_action',
  'compliance_hold',
  'processing',
]
const transition = stepOf(
  'transition',
  id => `/v3/sandbox/payout/${id}/transition`,
  fc.constantFrom(...STATUSES, 'failed', 'reversed').map(status => ({ status })),
)
const cancel = stepOf('cancel', id => `/v3/payout/${id}/cancel`, fc.constant({}))
const action = stepOf('action', id => `/v3/payout/${id}/action`, fc.constant({ note: 'Here.' }))

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

/** How often each command comes, of all. */
const WEIGHTS: readonly (readonly [weight: number, command: fc.Arbitrary<Command>])[] = [
  [14, fund],
  [14, quote],
  [16, payQuoted],
  [14, payDirect],
  [8, transfer],
  [3, drain],
  [8, settle],
  [6, transition],
  [5, cancel],
  [2, action],
  [6, advance],
  [7, replay],
  [3, read],
  [1, rates],
]

export const anyCommand = fc.oneof(...WEIGHTS.map(([weight, arbitrary]) => ({ weight, arbitrary })))
