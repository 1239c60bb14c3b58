// How the demo's steps look on a terminal of 80 to 100 columns; coloured only on a terminal. It
// computes nothing but the sums of the journals it prints.
import { styleText } from 'node:util'
import { currencyExponent } from '../money/currency.ts'
import { formatMajor } from '../money/decimal.ts'

type Style = Parameters<typeof styleText>[0]

const TITLES: Readonly<Record<DemoStep['step'], string>> = {
  account: 'An account',
  opening_balance: 'Its balance',
  quote: 'A quote for 10,000.00 HKD out of USD',
  payout: 'A payout at that quote',
  settlement: 'Settlement',
  closing_balance: 'The balance now',
  balance_transaction: 'The debit on the statement',
  ledger: 'The ledger: every journal sums to zero in each currency',
  arithmetic: 'It adds up by hand',
}

const INDENT = '  '

/** One step under a heading; `steps` are all so far, this one last. */
export function describeStep(step: DemoStep, steps: readonly DemoStep[]): string {
  const heading = style('bold', `${steps.length}. ${TITLES[step.step]}`)
  return [heading, ...linesOf(step, steps).map(line => `${INDENT}${line}`.trimEnd()), ''].join('\n')
}

function linesOf(step: DemoStep, steps: readonly DemoStep[]): string[] {
  switch (step.step) {
    case 'account': {
      const { account_id, name, currencies, funded } = step
      const money = `${funded.currency} ${major(funded.amount, funded.currency)}`
      return [
        `${account_id} "${name}", ${currencies.join(' and ')}, funded with ${money}`,
        'Requests and answers count in minor units: 1000000 is 10000.00.',
      ]
    }
    case 'settlement': {
      const created = steps.flatMap(s => (s.step === 'payout' ? [s.response.body.data] : []))[0]
      const seconds = `${formatMajor(BigInt(step.took_ms), 3).slice(0, -2)} s`
      return [
        ...request(step),
        `asked ${step.asked} times in ${seconds}; ${answered(step)}, and this has changed:`,
        ...layOut(changed(created, step.response.body.data)),
      ]
    }
    case 'ledger':
      return step.journals.flatMap(describeJournal).slice(0, -1)
    case 'arithmetic':
      return describeArithmetic(step)
    default:
      return [...request(step), answered(step), ...layOut(step.response.body)]
  }
}

function request({ request: { method, path, body } }: Exchange): string[] {
  const line = style('cyan', `${method} ${path}`)
  return body === undefined ? [line] : [line, ...layOut(body)]
}

function answered({ response: { status } }: Exchange): string {
  return `${style('green', `${status}`)}`
}

/** The members that differ. */
function changed(before: Record<string, unknown> | undefined, after: Record<string, unknown>) {
  const differs = (name: string) => JSON.stringify(before?.[name]) !== JSON.stringify(after[name])
  return Object.fromEntries(Object.entries(after).filter(([name]) => differs(name)))
}

/** JSON with a member a line, except that whatever fits on one line is on one line. */
export function layOut(
  value: unknown,
  width = columns() - INDENT.length,
  label = '',
  comma = '',
): string[] {
  const flat = `${label}${oneLine(value)}${comma}`
  if (flat.length <= width || typeof value !== 'object' || value === null) return [flat]
  const isList = Array.isArray(value)
  const members = Object.entries(value)
  const lines = members.flatMap(([name, member], i) => {
    const next = i < members.length - 1 ? ',' : ''
    const inner = isList ? '' : `${JSON.stringify(name)}: `
    return layOut(member, width - INDENT.length, inner, next).map(line => `${INDENT}${line}`)
  })
  return [`${label}${isList ? '[' : '{'}`, ...lines, `${isList ? ']' : '}'}${comma}`]
}

/** `{ "a": 1, "b": [2] }` */
function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}: ${oneLine(member)}`,
  )
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

/** Lines of `code currency amount`, and the sum of each currency, which is zero. */
function describeJournal({ number, kind, source, postings }: PresentedJournal): string[] {
  const sums = [...Map.groupBy(postings, posting => posting.currency)].map(([currency, group]) => ({
    code: 'sum',
    currency,
    amount: group.reduce((sum, { amount }) => sum + amount, 0),
  }))
  const line = ({ code, currency, amount }: PresentedJournal['postings'][number]) =>
    `${INDENT}${code.padEnd(14)}${currency.padEnd(6)}${major(amount, currency).padStart(14)}`
  return [
    `${style('cyan', `journal ${number}`)}  ${kind}  ${source}`,
    ...postings.map(line),
    ...sums.map(sum => style(sum.amount === 0 ? 'green' : 'red', line(sum))),
    '',
  ]
}

function describeArithmetic(sums: Arithmetic): string[] {
  const usd = (sign: string, amount: number, words: string) =>
    `${sign}${major(amount, 'USD').padStart(12)} USD  ${words}`
  const paid = major(sums.payout_amount, 'HKD')
  const held = major(sums.payout_amount_divided, 'USD')
  const verdict = sums.adds_up
    ? style('green', 'It adds up, to the last cent.')
    : style('red', 'It does not add up.')
  return [
    usd(' ', sums.opening_balance, 'opening balance'),
    usd('-', sums.holding_amount, 'holding amount of the quote'),
    usd('-', sums.fixed_fee, 'fixed fee'),
    usd('-', sums.variable_fee, 'variable fee'),
    usd('=', sums.closing_balance, 'closing balance, as GET /v3/balance says'),
    usd('=', sums.ledger_balance, 'postings on "available" in the ledger'),
    '',
    `${paid} HKD ÷ ${sums.rate} = ${held} USD, the holding amount`,
    '',
    verdict,
  ]
}

function major(amount: number, currency: string): string {
  return formatMajor(BigInt(amount), currencyExponent(currency))
}

function columns(): number {
  return Math.min(100, Math.max(80, process.stdout.columns ?? 80))
}

/** Plain when standard output is no terminal or NO_COLOR is set. */
function style(format: Style, text: string): string {
  return styleText(format, text, { stream: process.stdout })
}

// biome-ignore lint/suspicious/noExplicitAny: the answer of our own API, whose shape its tests hold
export type Answer = any

export interface Exchange {
  readonly request: { readonly method: string; readonly path: string; readonly body?: object }
  readonly response: { readonly status: number; readonly body: Answer }
}

export type DemoStep =
  | {
      readonly step: 'account'
      readonly account_id: string
      readonly name: string
      readonly currencies: readonly string[]
      readonly funded: { readonly currency: string; readonly amount: number }
    }
  | ({ readonly step: 'payout' } & Exchange)
  | ({
      readonly step: 'opening_balance' | 'quote' | 'closing_balance' | 'balance_transaction'
    } & Exchange)
  | ({
      readonly step: 'settlement'
      readonly asked: number
      readonly took_ms: number
    } & Exchange)
  | { readonly step: 'ledger'; readonly journals: readonly PresentedJournal[] }
  | ({ readonly step: 'arithmetic' } & Arithmetic)

/** Amounts in minor units. */
export interface PresentedJournal {
  readonly number: number
  readonly kind: string
  readonly source: string
  readonly postings: readonly {
    readonly code: string
    readonly currency: string
    readonly amount: number
  }[]
}

/** The sums anyone can redo with pencil and paper; minor units of USD, paid in HKD. */
export interface Arithmetic {
  readonly opening_balance: number
  readonly holding_amount: number
  readonly fixed_fee: number
  readonly variable_fee: number
  readonly closing_balance: number
  /** The closing balance as the ledger's postings add up to it. */
  readonly ledger_balance: number
  readonly payout_amount: number
  /** HKD for one USD. */
  readonly rate: number
  /** payout_amount ÷ rate, rounded up to the minor unit. */
  readonly payout_amount_divided: number
  readonly adds_up: boolean
}
