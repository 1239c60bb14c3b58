// Recomputes an explained quote from its printed explanation, by fractions of bigints and the rules
// of the specification. It shares no code with the product: what it cannot recompute, a person
// could not either.
import assert from 'node:assert/strict'
import { decimal, down, type Fraction, toDigits, up } from './fraction.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads any member of the answer
type Json = any

/** Fails unless every figure of the quote follows from its explanation. */
export function assertExplained(quote: Json): void {
  const { explanation } = quote
  assert.equal(explanation?.object, 'quote_explanation')
  assertNoFloat(explanation)
  const names = namesOf(quote)
  for (const rate of explanation.rates) {
    assertWay(rate, names)
    const kept = 10_000 - rate.spread_bps
    assertWorked(rate, new Map([...names, ['(10000 - spread_bps)', String(kept)]]))
    const keep = BigInt(kept)
    const mid = midOf(rate)
    const spread = rate.from === rate.to ? mid : { n: mid.n * keep, d: mid.d * 10_000n }
    assertSame(evaluate(rate.calculation), spread, rate.figure)
    assertSame(decimal(rate.rounded), toDigits(spread, 12), rate.figure)
    assert.equal(Number(rate.rounded), at(quote, rate.figure), rate.figure)
    assert.equal(rate.rounding === 'none', rate.rounded === rate.unrounded, rate.figure)
  }
  if (explanation.fee_conversion !== null) assertWay(explanation.fee_conversion, names)
  for (const figure of [...explanation.amounts, explanation.total_debit]) {
    const where = `${figure.figure}: ${figure.calculation}`
    assertWorked(figure, names)
    const round = figure.figure === 'destination_info.amount' ? down : up
    assert.equal(figure.rounded, String(round(evaluate(figure.calculation))), where)
    assert.equal(figure.rounding === 'none', figure.rounded === figure.unrounded, where)
    const stored = at(quote, figure.figure)
    if (stored !== undefined) assert.equal(figure.rounded, String(stored), where)
  }
  assertFigures(quote, names)
}

/** Recomputes the rates and amounts by the specification, from the rate and fee rows alone. */
function assertFigures(quote: Json, names: ReadonlyMap<string, string>): void {
  const { explanation } = quote
  const exponents = new Map<string, number>(
    explanation.currencies.map((c: Json) => [c.currency, c.exponent]),
  )
  const figure = (name: string): bigint => BigInt(names.get(name) ?? assert.fail(name))
  const convert = (amount: bigint, rate: Fraction, from: string, to: string) => ({
    n: amount * rate.n * 10n ** BigInt(exponents.get(to) ?? assert.fail(to)),
    d: rate.d * 10n ** BigInt(exponents.get(from) ?? assert.fail(from)),
  })
  const [toPayout, toDestination] = explanation.rates.map((rate: Json) => decimal(rate.rounded))
  const { holding_info, payout_info, destination_info } = quote
  const [held, paid, sent] = [holding_info, payout_info, destination_info].map(i => i.currency)
  const amount = BigInt(payout_info.amount)
  const back = { n: toPayout.d, d: toPayout.n }
  assert.equal(BigInt(holding_info.amount), up(convert(amount, back, paid, held)))
  assert.equal(BigInt(destination_info.amount), down(convert(amount, toDestination, paid, sent)))
  const { fee_row, fee_conversion } = explanation
  const inHolding = (text: string) =>
    fee_conversion === null
      ? BigInt(text)
      : up(convert(BigInt(text), midOf(fee_conversion), fee_row.fee_currency, held))
  let [fixed, variable] = [0n, 0n]
  if (fee_row !== null) {
    fixed = inHolding(fee_row.fixed_amount)
    variable = up({
      n: figure('holding_info.amount') * BigInt(fee_row.variable_bps),
      d: 10_000n,
    })
    const [minimum, maximum] = [fee_row.minimum_amount, fee_row.maximum_amount]
    if (minimum !== null && variable < inHolding(minimum)) variable = inHolding(minimum)
    if (maximum !== null && variable > inHolding(maximum)) variable = inHolding(maximum)
  }
  const { fee_info } = quote
  assert.equal(BigInt(fee_info.fixed.in_holding_currency), fixed)
  assert.equal(BigInt(fee_info.variable.in_holding_currency), variable)
  assert.equal(BigInt(fee_info.fixed.in_payout_currency), up(convert(fixed, toPayout, held, paid)))
  assert.equal(
    BigInt(fee_info.variable.in_payout_currency),
    up(convert(variable, toPayout, held, paid)),
  )
  const total = BigInt(holding_info.amount) + fixed + variable
  assert.equal(explanation.total_debit.rounded, String(total))
}

/**
 * Checks that the rate rows lead from one currency to the other and that their product is the mid.
 */
function assertWay(way: Json, names: ReadonlyMap<string, string>): void {
  let currency = way.from
  for (const { base, quote, inverted } of way.rows) {
    assert.equal(currency, inverted ? quote : base)
    currency = inverted ? base : quote
  }
  assert.equal(currency, way.to)
  const [first] = way.rows
  const method = ['same_currency', first?.inverted ? 'inverted' : 'direct', 'crossed']
  assert.equal(way.method, method[Math.min(way.rows.length, 2)])
  assertWorked(way.mid, names)
  assertSame(evaluate(way.mid.calculation), midOf(way), 'mid')
}

function midOf({ rows }: Json): Fraction {
  let [n, d] = [1n, 1n]
  for (const { mid, inverted } of rows) {
    const rate = decimal(mid)
    n *= inverted ? rate.d : rate.n
    d *= inverted ? rate.n : rate.d
  }
  return { n, d }
}

/**
 * A name in a formula: `mid(EUR/USD)`, `fee_row.fixed_amount`. Compiling it at each call would cost
 * seconds.
 */
const NAME = /mid\([A-Z0-9]+\/[A-Z0-9]+\)|\(10000 - spread_bps\)|[a-z_]+(?:\.[a-z_]+)+/g

/**
 * Checks that the formula with numbers for its names is the calculation, and that the calculation
 * gives the result.
 */
function assertWorked(worked: Json, names: ReadonlyMap<string, string>): void {
  const { formula, calculation, unrounded, truncated } = worked
  assert.equal(
    formula.replace(NAME, (name: string) => names.get(name) ?? name),
    calculation,
  )
  const exact = evaluate(calculation)
  const printed = decimal(unrounded)
  assert.equal(printed.n * exact.d === exact.n * printed.d, !truncated, calculation)
  if (!truncated) return
  // A truncated result has 20 digits, or more where one decimal place needs them; it is cut off,
  // not rounded.
  const [whole = '', places = ''] = unrounded.split('.')
  const digits = (whole + places).replace(/^0+/, '').length
  assert.ok(digits === 20 || (digits > 20 && places.length === 1), unrounded)
  const scale = 10n ** BigInt(places.length)
  assertSame({ n: (exact.n * scale) / exact.d, d: scale }, printed, calculation)
}

/** The value of each name in a formula. */
function namesOf(quote: Json): Map<string, string> {
  const { explanation } = quote
  const names = new Map<string, string>([['payout_info.amount', String(quote.payout_info.amount)]])
  const ways = [...explanation.rates, explanation.fee_conversion ?? { rows: [] }]
  for (const { base, quote, mid } of ways.flatMap(way => way.rows)) {
    names.set(`mid(${base}/${quote})`, mid)
  }
  for (const { figure, rounded } of [...explanation.rates, ...explanation.amounts]) {
    names.set(figure, rounded)
  }
  for (const [name, value] of Object.entries(explanation.fee_row ?? {})) {
    names.set(`fee_row.${name}`, String(value))
  }
  return names
}

/** Evaluates `min(max(a, b), c)`, sums, and products from left to right. */
function evaluate(text: string): Fraction {
  const bounded = /^(min|max)\((.*), (\d+)\)$/.exec(text)
  if (bounded !== null) {
    const [, which, inner = '', bound = ''] = bounded
    const [a, b] = [evaluate(inner), decimal(bound)]
    const less = a.n * b.d < b.n * a.d
    return less === (which === 'min') ? a : b
  }
  const sum = text.split(' + ').map(evaluateProduct)
  return sum.reduce((a, b) => ({ n: a.n * b.d + b.n * a.d, d: a.d * b.d }))
}

function evaluateProduct(text: string): Fraction {
  const [first = '', ...rest] = text.split(' ')
  let { n, d } = decimal(first)
  for (let i = 0; i < rest.length; i += 2) {
    const by = decimal(rest[i + 1] ?? '')
    assert.match(rest[i] ?? '', /^[*/]$/, text)
    n *= rest[i] === '*' ? by.n : by.d
    d *= rest[i] === '*' ? by.d : by.n
  }
  return { n, d }
}

function assertSame(a: Fraction, b: Fraction, what: string): void {
  assert.equal(a.n * b.d, b.n * a.d, what)
}

/** `holding_info.amount` of a quote; undefined when it has no such member. */
function at(quote: Json, path: string): number | undefined {
  return path.split('.').reduce((node: Json, name) => node?.[name], quote)
}

/** Checks that every JSON number is an integer: rates and amounts to compute with are texts. */
function assertNoFloat(node: Json): void {
  if (typeof node === 'number') assert.ok(Number.isInteger(node), `${node} is a float`)
  if (typeof node === 'object' && node !== null) Object.values(node).forEach(assertNoFloat)
}
