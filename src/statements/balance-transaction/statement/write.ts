// Writes a statement as text, piece by piece, in any format. It checks that opening balance + lines
// = closing balance, and throws before it writes a closing balance that is wrong.
import { forEachInTurns } from '../../../values/event-loop.ts'
import { currencyExponent } from '../../../values/money/currency.ts'
import { formatMajor } from '../../../values/money/decimal.ts'
import {
  type BookedLine,
  type MakesWriter,
  NO_LINES,
  type Statement,
  type StatementBalances,
  StatementFault,
  type Totals,
} from './statement.ts'

/**
 * Yields pieces of at most a page; throws a StatementFault when the statement does not add up.
 * `expected` are totals that were counted beforehand, which the lines must match.
 */
export async function* writeStatement(
  statement: Statement,
  writerOf: MakesWriter,
  pagesOf: (currency?: string) => AsyncIterable<readonly BookedLine[]>,
  expected?: (currency: string) => Totals,
): AsyncGenerator<string, void> {
  const { balances } = statement
  const writer = writerOf(statement)
  const check = new StatementCheck(statement)
  const written = async (lines: readonly BookedLine[]) => {
    let text = ''
    await forEachInTurns(lines, line => {
      check.pass(line)
      text += writer.line(line)
    })
    return text
  }
  const finish = (one: StatementBalances) => {
    check.finish(one, expected?.(one.currency))
    return writer.close(one)
  }
  yield writer.begin
  if (writer.by_currency) {
    for (const one of balances) {
      yield writer.open(one)
      for await (const page of pagesOf(one.currency)) yield await written(page)
      yield finish(one)
    }
  } else {
    yield balances.map(one => writer.open(one)).join('')
    for await (const page of pagesOf()) yield await written(page)
    yield balances.map(finish).join('')
  }
  yield writer.end()
}

/**
 * Checks a statement's lines one by one. Each must lead from the balance before it to its own
 * balance, and the last one to the closing balance. Throws a StatementFault at the first mismatch.
 */
class StatementCheck {
  readonly #complete: boolean
  readonly #running: Map<string, bigint>
  readonly #totals = new Map<string, Totals>()

  constructor({ complete, balances }: Pick<Statement, 'complete' | 'balances'>) {
    this.#complete = complete
    this.#running = new Map(balances.map(({ currency, opening }) => [currency, opening]))
  }

  pass({ id, currency, net_amount, balance_after }: BookedLine): void {
    const { count, credits, debits } = this.totalsOf(currency)
    this.#totals.set(currency, {
      count: count + 1,
      credits: net_amount > 0n ? credits + net_amount : credits,
      debits: net_amount < 0n ? debits - net_amount : debits,
    })
    if (!this.#complete) return
    const running = (this.#running.get(currency) ?? 0n) + net_amount
    if (running !== balance_after)
      throw mismatch(`after line ${id}`, currency, running, balance_after)
    this.#running.set(currency, running)
  }

  /** Checks the end of a currency's lines. `expected` are the totals that another query counted. */
  finish({ currency, closing }: StatementBalances, expected?: Totals): void {
    const running = this.#running.get(currency) ?? 0n
    if (this.#complete && running !== closing) {
      throw mismatch('at the end', currency, running, closing)
    }
    const found = this.totalsOf(currency)
    if (expected === undefined) return
    const names = ['count', 'credits', 'debits'] as const
    if (names.every(name => found[name] === expected[name])) return
    const words = ({ count, credits, debits }: Totals) => `${count} lines, +${credits}, -${debits}`
    throw new StatementFault(
      `the ${currency} lines do not add up: ${words(found)} passed, ${words(expected)} counted`,
    )
  }

  totalsOf(currency: string): Totals {
    return this.#totals.get(currency) ?? NO_LINES
  }
}

function mismatch(where: string, currency: string, expected: bigint, found: bigint) {
  const words = (amount: bigint) => formatMajor(amount, currencyExponent(currency))
  return new StatementFault(
    `the ${currency} balance ${where} is ${words(found)}, ` +
      `and the lines lead to ${words(expected)}; see corridor verify`,
  )
}
