// The model: a few accounts, their balances, quotes, payouts and kept answers, and what the service
// must answer to a request, written from the specification alone. Knows no SQL, no
// HTTP and no code of the product; time is the seconds by which an account's clock was advanced.
import { isDeepStrictEqual } from 'node:util'
import {
  type FeeRow,
  isRefused,
  type Price,
  priceOf,
  type Rates,
  type Refused,
  type Terms,
  totalOf,
  worthOf,
} from './price.ts'
import { type Payout, settlePayout, TRANSITIONS } from './rail.ts'

export interface Account {
  readonly currencies: readonly string[]
  readonly primary: string
  readonly deposit_address: string
  readonly balances: Map<string, bigint>
  ahead_s: number
}

export interface Quote {
  readonly account: number
  readonly id: string
  readonly terms: Terms
  readonly price: Price
  readonly made_s: number
  /** Of the beneficiary's bank; '' when the quote leaves it open. */
  readonly country: string
  used: boolean
}

export type Destination =
  | { readonly type: 'bank'; readonly currency: string | undefined }
  | { readonly type: 'service_account'; readonly address: string }

interface Beneficiary {
  readonly account: number
  readonly id: string
  readonly destination: Destination
}

// biome-ignore lint/suspicious/noExplicitAny: the model reads members of any request and answer
type Json = any

/** A POST. Members that are undefined are not sent. */
export interface Request {
  /** Its place in the world. */
  readonly account: number
  readonly path: string
  readonly body: Json
  readonly key: string | null
}

/** An answer that is given again. */
export interface Kept {
  readonly request: Request
  readonly status: number
  readonly text: string
  readonly at_s: number
}

/** What the operator has booked by hand; it is taken back once. */
export interface Booking {
  readonly account: number
  readonly id: string
  readonly currency: string
  readonly amount: bigint
  reversed: boolean
}

export interface World {
  readonly accounts: readonly Account[]
  readonly quotes: Quote[]
  readonly payouts: Payout[]
  readonly beneficiaries: Beneficiary[]
  readonly bookings: Booking[]
  readonly kept: Kept[]
  readonly fees: readonly FeeRow[]
  rates: Rates
}

/** What the service must answer: a refusal, a kept answer, or a success that has these members. */
export type Verdict =
  | { readonly refused: Refused }
  | { readonly kept: Kept }
  | { readonly expects: Json; apply(answer: Json): void }

/** §quote.validity, §idempotency.key */
export const QUOTE_VALID_S = 1_800
export const KEPT_S = 86_400

const NOT_FOUND: Verdict = { refused: [404, 'not_found'] }

/**
 * Kept answers are looked for once the fields of the request are in order
 * (§idempotency.success_only).
 */
export function judge(world: World, request: Request): Verdict {
  const kept = findKept(world, request)
  if (kept === undefined) return judgeAnew(world, request)
  const same = isDeepStrictEqual(sent(kept.request.body), sent(request.body))
  return same ? { kept } : { refused: [422, 'idempotency_key_reused'] }
}

/** Only successes, for 24 hours, by account, method and path (§idempotency.success_only). */
export function keep(world: World, request: Request, status: number, text: string): void {
  if (request.key === null) return
  const { ahead_s: at_s } = accountOf(world, request.account)
  world.kept.push({ request, status, text, at_s })
}

function findKept(world: World, { account, path, key }: Request): Kept | undefined {
  const { ahead_s } = accountOf(world, account)
  return world.kept.findLast(
    ({ request, at_s }) =>
      request.key === key &&
      request.account === account &&
      request.path === path &&
      ahead_s < at_s + KEPT_S,
  )
}

function sent(body: Json): Json {
  return JSON.parse(JSON.stringify(body))
}

function judgeAnew(world: World, request: Request): Verdict {
  const { account, path, body } = request
  switch (path) {
    case '/v3/sandbox/fund':
      return judgeFunding(world, account, body)
    case '/v3/sandbox/clock/advance':
      return judgeAdvance(world, account, body)
    case '/v3/payout/quote':
      return judgeQuote(world, account, body)
    case '/v3/payout':
      return judgePayout(world, account, body)
    default:
      return judgeStep(world, account, path, body)
  }
}

function judgeFunding(world: World, index: number, { amount, currency }: Json): Verdict {
  const account = accountOf(world, index)
  if (!account.currencies.includes(currency)) return refused(400, 'holding_currency_not_found')
  const line = { type: 'escrow', operation_type: 'credit', amount, currency }
  return {
    expects: { data: { ...line, net: { amount, currency } } },
    apply: () => move(account, currency, BigInt(amount)),
  }
}

function judgeAdvance(world: World, index: number, { seconds }: Json): Verdict {
  const account = accountOf(world, index)
  return {
    expects: { data: { object: 'sandbox_clock', ahead_s: account.ahead_s + seconds } },
    apply() {
      account.ahead_s += seconds
    },
  }
}

function judgeQuote(world: World, index: number, body: Json): Verdict {
  const { payout_type: type, payout_info, holding_info, destination_info } = body
  const account = accountOf(world, index)
  const { currency } = payout_info
  const holding = holding_info?.currency ?? defaultHolding(account, currency)
  if (!account.currencies.includes(holding)) return refused(400, 'holding_currency_not_found')
  const destination = destination_info?.currency ?? currency
  if (!isCarried(type, destination, destination_info?.country)) return NOT_CARRIED
  const terms = { type, amount: BigInt(payout_info.amount), holding, currency, destination }
  const price = priceOf(terms, world.rates, world.fees)
  if (isRefused(price)) return { refused: price }
  // Amounts beside payout_info are expectations (§quote.expectation).
  const differs = (amount: unknown, computed: bigint) =>
    amount !== undefined && amount !== Number(computed)
  if (
    differs(holding_info?.amount, price.holding_amount) ||
    differs(destination_info?.amount, price.destination_amount)
  ) {
    return refused(400, 'amount_mismatch')
  }
  return {
    expects: { ...shownQuote(terms, price), status: 'active' },
    apply({ id }) {
      const made_s = account.ahead_s
      const meant = type === 'local' ? COUNTRIES[destination] : undefined
      const country = destination_info?.country ?? meant ?? ''
      world.quotes.push({ account: index, id, terms, price, made_s, used: false, country })
    },
  }
}

/** The members of a quote that follow from what it was asked for. */
export function shownQuote(terms: Terms, price: Price): Json {
  const fee = (held: bigint, shown: bigint) => ({
    in_holding_currency: Number(held),
    in_payout_currency: Number(shown),
  })
  return {
    payout_type: terms.type,
    holding_info: { currency: terms.holding, amount: Number(price.holding_amount) },
    payout_info: { currency: terms.currency, amount: Number(terms.amount) },
    destination_info: { currency: terms.destination, amount: Number(price.destination_amount) },
    fee_info: {
      fixed: fee(price.fixed_fee, price.fixed_fee_shown),
      variable: fee(price.variable_fee, price.variable_fee_shown),
    },
  }
}

/** Expired is computed, and what is used stays so (§quote.status). */
export function quoteStatus(world: World, { account, used, made_s }: Quote): string {
  if (used) return 'used'
  return accountOf(world, account).ahead_s < made_s + QUOTE_VALID_S ? 'active' : 'expired'
}

/** The refusals in the order of the documents: fields, what is not found, quote, price, money. */
function judgePayout(world: World, index: number, body: Json): Verdict {
  const account = accountOf(world, index)
  const { holding_currency: holding, type } = body
  if (holding !== undefined && !account.currencies.includes(holding)) {
    // The refusal names all fields that are wrong by the request alone.
    const also = isInlineCarried(body) ? [] : ['invalid_field']
    return refused(400, 'holding_currency_not_found', ...also)
  }
  const quote = world.quotes.find(({ id, account: of }) => of === index && id === body.quote)
  if (body.quote !== undefined && quote === undefined) return NOT_FOUND
  const destination = destinationOf(world, index, body)
  if (destination === undefined) return refused(404, 'beneficiary_not_found')
  const reaches = (type ?? quote?.terms.type) === 'service_account' ? 'service_account' : 'bank'
  if (destination.type !== reaches) return refused(400, 'type_mismatch')
  const priced =
    quote === undefined
      ? priceNow(world, account, body, destination)
      : priceQuoted(world, body, quote, destination)
  if ('refused' in priced) return priced
  const { terms, price } = priced
  const receiver = receiverOf(world, index, destination, terms)
  if (receiver !== undefined && 'refused' in receiver) return receiver
  const total = totalOf(price)
  if (balanceOf(account, terms.holding) < total) return refused(422, 'insufficient_balance')
  // After this point the payout succeeds.
  const status = receiver === undefined ? 'processing' : 'succeeded'
  const { amount, currency } = body
  const named = { amount, currency, holding_currency: terms.holding, type: terms.type }
  return {
    expects: { data: { ...named, status, failure: null, ...(quote && { quote: quote.id }) } },
    apply({ data }) {
      const made_s = account.ahead_s
      move(account, terms.holding, -total)
      if (receiver !== undefined) move(receiver, terms.destination, price.destination_amount)
      if (quote !== undefined) quote.used = true
      else {
        const made = { account: index, id: data.quote, terms, price, made_s, used: true }
        world.quotes.push({ ...made, country: BANKS })
      }
      if (body.beneficiary === undefined) {
        world.beneficiaries.push({ account: index, id: data.beneficiary, destination })
      }
      world.payouts.push({
        account: index,
        id: data.id,
        quote: data.quote,
        debit: data.balance_transaction,
        terms,
        price,
        made_s,
        status,
        taken: false,
        steps: 0,
        ask_s: receiver === undefined ? made_s : null,
      })
    },
  }
}

type Priced = { readonly terms: Terms; readonly price: Price }

function priceNow(
  world: World,
  account: Account,
  { amount, currency, holding_currency, type = 'local' }: Json,
  to: Destination,
): Priced | { readonly refused: Refused } {
  const holding = holding_currency ?? defaultHolding(account, currency)
  const destination = (to.type === 'bank' ? to.currency : undefined) ?? currency
  if (to.type === 'bank' && !isCarried(type, destination, BANKS)) return NOT_CARRIED
  const terms = { type, amount: BigInt(amount), holding, currency, destination }
  const price = priceOf(terms, world.rates, world.fees)
  return isRefused(price) ? { refused: price } : { terms, price }
}

/** Where every bank account of the model is. */
const BANKS = 'HK'
/** What a quote without destination_info means where its local networks serve one country. */
const COUNTRIES: Readonly<Record<string, string>> = { HKD: 'HK', JPY: 'JP', THB: 'TH' }

/** The countries of the currencies' local networks: none carries dinars. */
const CARRIED: Readonly<Record<string, readonly string[]>> = {
  ...{ USD: ['US', 'HK'], EUR: ['DE', 'HK'], HKD: ['HK'], JPY: ['JP'], THB: ['TH'], KWD: [] },
}
const NOT_CARRIED = refused(400, 'invalid_field')

/** Whether a local network carries the currency to a country, or to some country for undefined. */
function isCarried(type: string, currency: string, country: string | undefined): boolean {
  const countries = CARRIED[currency] ?? []
  return (
    type !== 'local' || (country === undefined ? countries.length > 0 : countries.includes(country))
  )
}

/** Whether inline details without a quote name a bank that the payout's type reaches. */
function isInlineCarried({ quote, currency, type = 'local', beneficiary_details }: Json): boolean {
  const bank = beneficiary_details?.destination_details.bank
  if (quote !== undefined || bank === undefined) return true
  return isCarried(type, bank.currency ?? currency, BANKS)
}

/** §payout.quoted */
function priceQuoted(
  world: World,
  body: Json,
  quote: Quote,
  to: Destination,
): Priced | { readonly refused: Refused } {
  const status = quoteStatus(world, quote)
  if (status !== 'active') return { refused: [422, `quote_${status}`] }
  const { terms } = quote
  const same =
    BigInt(body.amount) === terms.amount &&
    body.currency === terms.currency &&
    (body.type ?? terms.type) === terms.type &&
    (body.holding_currency ?? terms.holding) === terms.holding
  const reached =
    to.type !== 'bank' ||
    ((to.currency ?? terms.destination) === terms.destination &&
      ['', BANKS].includes(quote.country))
  return same && reached ? quote : { refused: [422, 'quote_mismatch'] }
}

/** §transfer.receiver; undefined when a rail takes the payout. */
function receiverOf(
  { accounts }: World,
  payer: number,
  to: Destination,
  { destination }: Terms,
): Account | { readonly refused: Refused } | undefined {
  if (to.type === 'bank') return undefined
  const receiver = accounts.find(({ deposit_address }) => deposit_address === to.address)
  if (receiver === undefined || receiver === accounts[payer]) {
    return { refused: [422, 'deposit_address_not_found'] }
  }
  if (!receiver.currencies.includes(destination)) {
    return { refused: [422, 'deposit_currency_not_accepted'] }
  }
  return receiver
}

function destinationOf(world: World, index: number, body: Json): Destination | undefined {
  if (body.beneficiary !== undefined) {
    const known = world.beneficiaries.find(
      ({ account, id }) => account === index && id === body.beneficiary,
    )
    return known?.destination
  }
  const { type, bank, service_account } = body.beneficiary_details.destination_details
  return type === 'bank'
    ? { type, currency: bank.currency }
    : { type, address: service_account.deposit_address }
}

/** Cancel, answer and set by hand (§state.cancel, §state.action, §sandbox.transition). */
function judgeStep(world: World, index: number, path: string, body: Json): Verdict {
  const [, id, what] =
    /^\/v3\/(?:sandbox\/)?payout\/(pot_\w+)\/(cancel|action|transition)$/.exec(path) ?? []
  const payout = world.payouts.find(one => one.account === index && one.id === id)
  if (payout === undefined) return NOT_FOUND
  const final = payout.terms.type === 'service_account'
  const follows = (status: string) => TRANSITIONS[payout.status].includes(status)
  switch (what) {
    case 'cancel':
      // From the moment the rail was asked, whatever it said.
      if (!follows('failed') || payout.taken) return refused(409, 'payout_not_cancellable')
      return step(world, payout, 'failed', { code: 'PF000100' }, keptOf(world, payout))
    case 'action':
      if (payout.status !== 'requires_action') return refused(409, 'invalid_transition')
      return step(world, payout, 'processing')
    case 'transition':
      if (final || !follows(body.status)) return refused(409, 'invalid_transition')
      return step(world, payout, body.status)
    default:
      throw new Error(`no such path in the model: ${path}`)
  }
}

/** By a person: the rail is asked at once when the payout is given back to it, else no more. */
function step(
  world: World,
  payout: Payout,
  status: Payout['status'],
  failure?: Json,
  kept = 0n,
): Verdict {
  return {
    expects: { data: { id: payout.id, status, ...(failure && { failure }) } },
    apply() {
      enter(world, payout, status, kept)
      const { ahead_s } = accountOf(world, payout.account)
      payout.ask_s = status === 'processing' ? ahead_s : null
    },
  }
}

/**
 * Failing and reversing give back principal and fees as they were taken (§state.give_back), less
 * what the house keeps.
 */
function enter(world: World, payout: Payout, status: Payout['status'], kept = 0n): void {
  payout.status = status
  if (status !== 'failed' && status !== 'reversed') return
  move(accountOf(world, payout.account), payout.terms.holding, totalOf(payout.price) - kept)
}

/** What the house keeps of a payout that the account cancels. */
function keptOf(world: World, payout: Payout): bigint {
  const { account, quote, terms, price } = payout
  const made_s = world.quotes.find(({ id }) => id === quote)?.made_s ?? payout.made_s
  if (accountOf(world, account).ahead_s < made_s + QUOTE_VALID_S) return 0n
  return price.holding_amount - worthOf(terms, price, world.rates)
}

/** One look of the worker at everything that is due; true when something was. */
export function settle(world: World): boolean {
  const due = world.payouts.filter(
    ({ account, ask_s }) => ask_s !== null && ask_s <= accountOf(world, account).ahead_s,
  )
  for (const payout of due) {
    const { ahead_s } = accountOf(world, payout.account)
    for (const status of settlePayout(payout, ahead_s)) enter(world, payout, status)
  }
  return due.length > 0
}

/** §quote.holding */
function defaultHolding({ currencies, primary }: Account, currency: string): string {
  return currencies.includes(currency) ? currency : primary
}

export function accountOf(world: World, index: number): Account {
  const account = world.accounts[index]
  if (account === undefined) throw new Error(`no account ${index}`)
  return account
}

export function balanceOf(account: Account, currency: string): bigint {
  return account.balances.get(currency) ?? 0n
}

/** Money that the operator moves by hand: null when the balance takes it, else why it does not. */
export function judgeHand(world: World, index: number, currency: string, amount: bigint) {
  const account = accountOf(world, index)
  if (balanceOf(account, currency) + amount < 0n) return 'insufficient_balance'
  move(account, currency, amount)
  return null
}

function move(account: Account, currency: string, amount: bigint): void {
  account.balances.set(currency, balanceOf(account, currency) + amount)
}

function refused(status: number, reason: string, ...also: string[]): { readonly refused: Refused } {
  return { refused: [status, reason, ...also] }
}
