// The rate book: the rows that join two currencies, their age, and the customer's rate. A rate is
// exact until its one rounding (§rate.precision). Pure.
import { refusal } from '../../values/errors.ts'
import type { Instant } from '../../values/instant.ts'
import { currencyExponent, isStablecoin } from '../../values/money/currency.ts'
import {
  type Decimal,
  divideDown,
  divideUp,
  ONE,
  pow10,
  quotient,
} from '../../values/money/decimal.ts'
import { type Freshness, freshnessOf } from './calendar.ts'

/** A row: `mid` major units of the quote currency for one major unit of the base currency. */
export interface Rate {
  readonly base: string
  readonly quote: string
  readonly mid: Decimal
  readonly source: string
  readonly as_of: Instant
  /** Whether the quote currency is pegged to the base, its anchor, at this rate. */
  readonly pegged: boolean
  /** Whether the rate came with the product. A sample prices only sandboxes. */
  readonly sample: boolean
}

/** The step that leads from a currency towards the root of its tree. */
interface Link {
  readonly parent: string
  readonly depth: number
  readonly step: Step
}

export class RateBook {
  /** The currency that crosses a pair without a row. */
  readonly pivot: string
  /** The rows, by `BASE/QUOTE`. */
  readonly rates: ReadonlyMap<string, Rate>
  /** The pegs, by the pegged currency. */
  readonly pegs: ReadonlyMap<string, Rate>
  #links: ReadonlyMap<string, Link> | undefined

  constructor(pivot: string, rows: readonly Rate[]) {
    this.pivot = pivot
    this.rates = new Map(rows.map(rate => [`${rate.base}/${rate.quote}`, rate]))
    this.pegs = new Map(rows.filter(rate => rate.pegged).map(rate => [rate.quote, rate]))
  }

  /** The tree of its rows, made once, because every price asks for it. */
  get links(): ReadonlyMap<string, Link> {
    this.#links ??= linkAll(chosenRows(this.rates, this.pivot), this.pivot)
    return this.#links
  }
}

/** The policy of one pair's rate for one account. */
export interface RatePolicy {
  /** Basis points off the mid, against the customer. 100 is one percent. */
  readonly spread_bps: number
  /** The largest age of a rate, in seconds. Null: the calendar of the rate's source decides. */
  readonly max_age_s: number | null
  /** Whether a rate of any age is good, as for sandboxes. */
  readonly any_age: boolean
}

/** The rate book, and the policy of each pair. */
export interface QuotedRates {
  readonly rates: RateBook
  policyOf(from: string, to: string): RatePolicy
}

/** A row of the rate book as a step of a conversion. */
export interface Step {
  readonly rate: Rate
  /** Whether the step goes from the row's quote to its base, and divides by the mid. */
  readonly inverted: boolean
}

/** An exact mid rate n ÷ d. */
export interface Mid {
  readonly n: bigint
  readonly d: bigint
}

/**
 * The customer's rate, in units of `to` for one unit of `from`: the least mid less the spread,
 * rounded down once to 12 significant digits (§rate.precision); 1 for the same currency. It is at
 * most the ratio of the two values, so no cycle of conversions ends above its start, whatever rows
 * the book has. Refuses with rate_unavailable (422) or rate_stale (503).
 */
export function customerRate(
  book: RateBook,
  policy: RatePolicy,
  from: string,
  to: string,
  now: Instant,
): Decimal {
  if (from === to) return ONE
  const mid = freshMid(book, policy, from, to, now, 'least')
  return quotient(mid.n * BigInt(10_000 - policy.spread_bps), mid.d * 10_000n)
}

/**
 * Converts an amount in minor units at the most that it is worth at mid, without a spread, and
 * rounds up. It serves fees, limits and approval rules in another currency. Refuses with
 * rate_unavailable (422) or rate_stale (503).
 */
export function convertAtMid(
  { rates, policyOf }: QuotedRates,
  amount: bigint,
  from: string,
  to: string,
  now: Instant,
): bigint {
  if (from === to || amount === 0n) return amount
  const { n, d } = freshMid(rates, policyOf(from, to), from, to, now, 'most')
  return divideUp(amount * n * minorUnits(to), d * minorUnits(from))
}

/** The number of minor units in one major unit. */
function minorUnits(currency: string): bigint {
  return pow10(currencyExponent(currency))
}

/**
 * The smallest amount of `from` that buys `amount` of `to` at mid, in minor units. The difference
 * to the customer's price is the margin. Callers have checked the rates' age by `customerRate`.
 */
export function costAtMid(book: RateBook, amount: bigint, from: string, to: string): bigint {
  const { n, d } = midOf(knownWays(book, from, to, 'least').decides)
  return divideUp(amount * d * minorUnits(from), n * minorUnits(to))
}

/** The largest amount of `to` that `amount` of `from` buys at mid, in minor units. */
export function yieldAtMid(book: RateBook, amount: bigint, from: string, to: string): bigint {
  const { n, d } = midOf(knownWays(book, from, to, 'least').decides)
  return divideDown(amount * n * minorUnits(to), d * minorUnits(from))
}

function knownWays(book: RateBook, from: string, to: string, bound: Bound): Ways {
  const ways = waysBetween(book, from, to, bound)
  if (ways === undefined) throw refusal('rate_unavailable', `No rate joins ${from} and ${to}.`)
  return ways
}

/** The mid of the way that decides. The rows of both ways must be fresh, as both are compared. */
function freshMid(
  book: RateBook,
  policy: RatePolicy,
  from: string,
  to: string,
  now: Instant,
  bound: Bound,
): Mid {
  const { decides, other } = knownWays(book, from, to, bound)
  for (const { rate } of [...decides, ...other]) checkFresh(rate, policy, now)
  return midOf(decides)
}

/** Refuses a stale rate. Each row of a crossed pair ages by its own source. */
function checkFresh(rate: Rate, policy: RatePolicy, now: Instant): void {
  if (policy.any_age) return
  const freshness = goodUntil(rate, policy.max_age_s)
  if (freshness === null || now <= freshness.good_until) return
  const { due, good_until } = freshness
  const next = due === good_until ? '' : `the next one was due at ${due}, and `
  const message =
    `The rate ${rate.base}/${rate.quote} of ${rate.as_of} (${rate.source}) is too old to quote: ` +
    `${next}it was good until ${good_until}.`
  throw refusal('rate_stale', message)
}

/**
 * Until when a rate may be quoted; null for a rate that does not age. A central bank's peg holds
 * until somebody changes it. A stablecoin's peg is its issuer's promise, and such pegs have broken
 * within hours. So it ages like a rate that an operator sets (docs/decisions/rates.md).
 */
export function goodUntil(rate: Rate, max_age_s: number | null): Freshness | null {
  return rate.pegged && !isStablecoin(rate.quote) ? null : freshnessOf(rate, max_age_s)
}

/** The way that decides between two: by the least or by the most mid. */
export type Bound = 'least' | 'most'

/** The two ways between currencies: by their own row, and by their values. */
export interface Ways {
  readonly decides: readonly Step[]
  /** The way that does not decide; empty when both ways have the same steps. */
  readonly other: readonly Step[]
}

/**
 * Compares the pair's own way with the way of its values; undefined when the pair has no way.
 * So rows that contradict each other never cost the house anything.
 */
export function waysBetween(
  book: RateBook,
  from: string,
  to: string,
  bound: Bound = 'least',
): Ways | undefined {
  if (from === to) return NO_STEPS
  const own = stepsBetween(book, from, to)
  if (own === undefined) return undefined
  const values = valueSteps(book, from, to)
  if (isSame(own, values)) return { decides: own, other: [] }
  const [a, b] = [midOf(own), midOf(values)]
  const ownIsLess = a.n * b.d <= b.n * a.d
  return ownIsLess === (bound === 'least')
    ? { decides: own, other: values }
    : { decides: values, other: own }
}

const NO_STEPS: Ways = { decides: [], other: [] }

function isSame(one: readonly Step[], two: readonly Step[]): boolean {
  return one.length === two.length && one.every(({ rate }, i) => rate === two[i]?.rate)
}

/**
 * The steps of a pair's own way, in order; undefined when no rows join the pair. The same currency
 * has no step, and a pair with a row in either direction has one. Else a pegged currency goes only
 * through its anchor, and the remaining pair through the pivot. So there are at most four steps:
 * pegged → anchor → pivot → anchor → pegged.
 */
export function stepsBetween(book: RateBook, from: string, to: string) {
  if (from === to) return []
  const own = stepOf(book, from, to)
  if (own !== undefined) return [own]
  const [fromPeg, toPeg] = [book.pegs.get(from), book.pegs.get(to)]
  const middle = stepsOfTwo(book, fromPeg?.base ?? from, toPeg?.base ?? to)
  return (
    middle && [
      ...(fromPeg === undefined ? [] : [{ rate: fromPeg, inverted: true }]),
      ...middle,
      ...(toPeg === undefined ? [] : [{ rate: toPeg, inverted: false }]),
    ]
  )
}

/** At most two steps: the pair's own row, or a step to the pivot and a step from it. */
function stepsOfTwo(book: RateBook, from: string, to: string): readonly Step[] | undefined {
  if (from === to) return []
  const own = stepOf(book, from, to)
  if (own !== undefined) return [own]
  const first = stepOf(book, from, book.pivot)
  const second = stepOf(book, book.pivot, to)
  return first === undefined || second === undefined ? undefined : [first, second]
}

function stepOf(book: RateBook, from: string, to: string): Step | undefined {
  const rate = book.rates.get(`${from}/${to}`)
  if (rate !== undefined) return { rate, inverted: false }
  const inverse = book.rates.get(`${to}/${from}`)
  return inverse && { rate: inverse, inverted: true }
}

/**
 * The steps between two currencies by their values. Each currency has one value: by its own row
 * with the pivot, else through its anchor, else through the first row that joins it to a currency
 * with a value. These rows form a tree, in which two currencies have one path, so that values never
 * contradict each other. Callers have checked that rows join the pair.
 */
export function valueSteps(book: RateBook, from: string, to: string): readonly Step[] {
  const { links } = book
  const depthOf = (code: string) => links.get(code)?.depth ?? 0
  const [up, down]: [Step[], Step[]] = [[], []]
  let [a, b] = [from, to]
  while (a !== b) {
    const fromStart = depthOf(a) >= depthOf(b)
    const link = links.get(fromStart ? a : b)
    if (link === undefined) throw new Error(`no value joins ${from} and ${to}`)
    if (fromStart) {
      up.push(link.step)
      a = link.parent
    } else {
      down.push({ ...link.step, inverted: !link.step.inverted })
      b = link.parent
    }
  }
  return [...up, ...down.reverse()]
}

/**
 * The rows of the tree, by Kruskal's algorithm: the rows of the pivot first, then pegs, then all
 * others by name, each unless earlier rows join its currencies already. A row of the tree is also
 * in the tree of fewer rows. So a quote that stores only the rows of its ways finds them again.
 */
function chosenRows(rates: RateBook['rates'], pivot: string): readonly Rate[] {
  const rank = ({ base, quote, pegged }: Rate) => {
    if (base === pivot || quote === pivot) return 0
    return pegged ? 1 : 2
  }
  const names = [...rates.keys()].sort()
  const rows = names.flatMap(name => rates.get(name) ?? [])
  const group = new Map<string, string>()
  const groupOf = (code: string): string => {
    const above = group.get(code)
    return above === undefined ? code : groupOf(above)
  }
  return rows
    .toSorted((a, b) => rank(a) - rank(b))
    .filter(({ base, quote }) => {
      const [one, two] = [groupOf(base), groupOf(quote)]
      if (one !== two) group.set(one, two)
      return one !== two
    })
}

/** Links each currency to its parent. The pivot is the root of its tree. */
function linkAll(rows: readonly Rate[], pivot: string): ReadonlyMap<string, Link> {
  const steps = new Map<string, Link[]>()
  const add = (code: string, parent: string, step: Step) => {
    steps.set(parent, [...(steps.get(parent) ?? []), { parent: code, depth: 0, step }])
  }
  for (const rate of rows) {
    add(rate.base, rate.quote, { rate, inverted: false })
    add(rate.quote, rate.base, { rate, inverted: true })
  }
  const links = new Map<string, Link>()
  const seen = new Set<string>()
  for (const root of [pivot, ...steps.keys()]) {
    if (seen.has(root)) continue
    seen.add(root)
    const next = [{ code: root, depth: 0 }]
    for (const { code, depth } of next) {
      for (const { parent: child, step } of steps.get(code) ?? []) {
        if (seen.has(child)) continue
        seen.add(child)
        links.set(child, { parent: code, depth: depth + 1, step })
        next.push({ code: child, depth: depth + 1 })
      }
    }
  }
  return links
}

/** The exact mid rate of these steps together. */
export function midOf(steps: readonly Step[]): Mid {
  let [n, d] = [1n, 1n]
  for (const { rate, inverted } of steps) {
    const { digits, scale } = rate.mid
    n *= inverted ? pow10(scale) : digits
    d *= inverted ? digits : pow10(scale)
  }
  return { n, d }
}
