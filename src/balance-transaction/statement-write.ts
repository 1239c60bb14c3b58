// A statement as text, piece by piece, in any format: pages of lines in, checked as they pass, text
// out. What does not add up is thrown before the closing balance is written.
import {
  type BookedLine,
  type Statement,
  type StatementBalances,
  StatementCheck,
  type StatementWriter,
  type Totals,
} from './statement.ts'

/** Pages of the lines of one currency, or of all that are wanted. */
export type PagesOf = (currency?: string) => AsyncIterable<readonly BookedLine[]>

export interface WriteOptions {
  /** Counted beforehand; the lines must come to the same. */
  readonly expected?: (currency: string) => Totals
  /** Called at the end with what was written. */
  readonly done?: (currency: StatementBalances, totals: Totals) => void
}

/** Pieces of at most a page. Throws a StatementFault when the statement does not add up. */
export async function* writeStatement(
  statement: Statement,
  writer: StatementWriter,
  pagesOf: PagesOf,
  { expected, done }: WriteOptions = {},
): AsyncGenerator<string, void> {
  const { balances } = statement
  const check = new StatementCheck(statement)
  const written = (lines: readonly BookedLine[]) => {
    let text = ''
    for (const line of lines) {
      check.pass(line)
      text += writer.line(line)
    }
    return text
  }
  const finish = (one: StatementBalances) => {
    check.finish(one, expected?.(one.currency))
    done?.(one, check.totalsOf(one.currency))
    return writer.close(one)
  }
  yield writer.begin(statement)
  if (writer.by_currency) {
    for (const one of balances) {
      yield writer.open(one)
      for await (const page of pagesOf(one.currency)) yield written(page)
      yield finish(one)
    }
  } else {
    yield balances.map(one => writer.open(one)).join('')
    for await (const page of pagesOf()) yield written(page)
    yield balances.map(finish).join('')
  }
  yield writer.end()
}
