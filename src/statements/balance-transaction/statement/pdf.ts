// Writes a statement as PDF for people: for each currency a table of its lines between the opening
// and the closing balance.
import { dayAt, dayReader, lastDayBefore } from '../../../values/calendar/day.ts'
import { dayWords } from '../../../values/calendar/words.ts'
import { formatDecimal } from '../../../values/money/decimal.ts'
import { groupedMajor } from '../../../values/money/words.ts'
import { LEFT, RIGHT, Sheet } from '../../../values/pdf/sheet.ts'
import { LINE_WORDS } from '../words.ts'
import {
  absolute,
  type BookedLine,
  FormatTooNarrow,
  type MakesWriter,
  type Statement,
  type StatementBalances,
  type Totals,
} from './statement.ts'

/** About 500 pages. */
const MAX_LINES = 10_000

/** The right edges of the columns of amounts. */
const OUT = RIGHT - 160
const IN = RIGHT - 80
const DETAILS = LEFT + 68
const ROW = 38

/** `totalsOf` gives a currency's totals, which precede its lines. */
export function pdfWriter(name: string, totalsOf: (currency: string) => Totals): MakesWriter {
  return statement => {
    const lines = statement.balances.reduce((sum, one) => sum + totalsOf(one.currency).count, 0)
    if (lines > MAX_LINES) {
      throw new FormatTooNarrow(
        `the statement has ${lines} lines, and a PDF at most ${MAX_LINES}; ` +
          'take a shorter period, or csv',
      )
    }
    const pages = new StatementPages(statement, name)
    return {
      by_currency: true,
      begin: pages.begin(),
      open: one => pages.open(one, totalsOf(one.currency)),
      line: line => pages.line(line),
      close: one => pages.close(one),
      end: () => pages.end(),
    }
  }
}

class StatementPages {
  readonly #sheet: Sheet
  readonly #statement: Statement
  readonly #name: string
  readonly #dayOf: (instant: string) => string

  constructor(statement: Statement, name: string) {
    const { account_id, created_at, zone } = statement
    const title = statement.interim ? 'Interim statement' : 'Statement of account'
    const foot = `${name || account_id}, ${account_id}, ${this.#periodOf(statement)}`
    this.#sheet = new Sheet({ title, created_at, foot })
    this.#statement = statement
    this.#name = name
    this.#dayOf = dayReader(zone)
  }

  #periodOf({ from, to, zone }: Statement): string {
    const last = dayWords(lastDayBefore(zone, to))
    return from === null ? `until ${last}` : `${dayWords(dayAt(zone, from))} to ${last}`
  }

  begin(): string {
    const sheet = this.#sheet
    const { account_id, created_at, zone, interim } = this.#statement
    sheet.text(LEFT, RIGHT, interim ? 'Interim statement' : 'Statement of account', {
      size: 18,
      bold: true,
    })
    sheet.y += 30
    sheet.text(LEFT, RIGHT, this.#name || account_id, { size: 11, bold: true })
    sheet.y += 17
    sheet.paragraph(`Account ${account_id}`)
    sheet.paragraph(`${this.#periodOf(this.#statement)}, both days included, in days of ${zone}`)
    const made = `${created_at.slice(0, 10)} ${created_at.slice(11, 19)} UTC`
    sheet.paragraph(`Made ${made}`, { grey: true })
    if (interim) {
      sheet.y += 4
      sheet.paragraph('The last day was not over. A later statement of it may have more lines.', {
        bold: true,
      })
    }
    return sheet.drain()
  }

  open({ currency, opening }: StatementBalances, { count, credits, debits }: Totals): string {
    const sheet = this.#sheet
    sheet.room(110)
    sheet.heading(currency, 13)
    const amount = (minor: bigint) => groupedMajor(minor, currency)
    sheet.paragraph(
      `${count} ${count === 1 ? 'line' : 'lines'}: ${amount(credits)} came in, ` +
        `${amount(debits)} went out, fees included`,
      { grey: true },
    )
    sheet.y += 6
    this.#head()
    this.#balance('Opening balance', opening, currency)
    return sheet.drain()
  }

  #head(): void {
    const sheet = this.#sheet
    const look = { size: 7.5, grey: true } as const
    sheet.text(LEFT, DETAILS, 'Date', look)
    sheet.text(DETAILS, OUT - 70, 'Payee or source', look)
    sheet.text(OUT - 70, OUT, 'Out, with fees', { ...look, align: 'right' })
    sheet.text(IN - 70, IN, 'In', { ...look, align: 'right' })
    sheet.text(IN, RIGHT, 'Balance', { ...look, align: 'right' })
    sheet.y += 13
    sheet.rule()
    sheet.y += 6
  }

  line(line: BookedLine): string {
    const sheet = this.#sheet
    if (sheet.room(ROW)) this.#head()
    const { currency, net_amount, balance_after } = line
    const [first, ...more] = wordsOf(line)
    const column = { align: 'right' } as const
    sheet.text(LEFT, DETAILS, this.#dayOf(line.created_at), { size: 8 })
    sheet.text(DETAILS, OUT - 76, first, { size: 8.5, bold: true })
    const at = net_amount < 0n ? OUT : IN
    sheet.text(at - 76, at, groupedMajor(absolute(net_amount), currency), { size: 8.5, ...column })
    sheet.text(IN, RIGHT, groupedMajor(balance_after, currency), { size: 8.5, ...column })
    const top = sheet.y
    for (const text of more) {
      sheet.y += 11
      sheet.text(DETAILS, RIGHT, text, { size: 7, grey: true })
    }
    sheet.y = top + ROW
    return sheet.drain()
  }

  close({ currency, closing }: StatementBalances): string {
    this.#sheet.room(24)
    const { interim } = this.#statement
    this.#balance(interim ? 'Interim balance' : 'Closing balance', closing, currency)
    return this.#sheet.drain()
  }

  end(): string {
    return this.#sheet.end()
  }

  #balance(name: string, amount: bigint, currency: string): void {
    const sheet = this.#sheet
    sheet.text(DETAILS, IN, name, { size: 8.5, bold: true })
    sheet.text(IN, RIGHT, groupedMajor(amount, currency), {
      size: 8.5,
      bold: true,
      align: 'right',
    })
    sheet.y += 14
    sheet.rule()
    sheet.y += 6
  }
}

/** The name of the payee or of the booking, then up to two lines of details. */
function wordsOf(line: BookedLine): [first: string, ...more: string[]] {
  const { currency, type, net_amount, payee_name, payee_account, fx_conversions } = line
  const type_words = LINE_WORDS[type](net_amount > 0n)
  const fees = line.fixed_fee + line.variable_fee
  const fee = groupedMajor(absolute(fees), currency)
  const charged = fees < 0n ? `fees ${fee}` : `fees given back ${fee}`
  const conversions = fx_conversions.map(({ initial, final, exchange_rate }) => {
    const words = (side: typeof initial) =>
      `${groupedMajor(side.amount, side.currency)} ${side.currency}`
    return `${words(initial)} = ${words(final)} at ${formatDecimal(exchange_rate)}`
  })
  const rows = [
    [payee_name && type_words, payee_account, line.reference_id, line.transaction_description],
    [...conversions, fees === 0n ? '' : charged, line.id],
  ]
  return [
    payee_name || type_words,
    ...rows.map(parts => parts.filter(part => part !== '').join(' · ')),
  ]
}
