// Writes a statement as SWIFT MT940 (Standards, category 9, customer statement message): for each
// currency the text blocks of one or more messages, each ended by a line of "-". Pure.
import type { IsoDate } from '../../../values/calendar/calendar.ts'
import { dayAt, dayReader, lastDayBefore } from '../../../values/calendar/day.ts'
import { shortDate } from '../../../values/instant.ts'
import { currencyExponent } from '../../../values/money/currency.ts'
import { formatDecimal, formatMajor } from '../../../values/money/decimal.ts'
import { swiftText } from '../../../values/text/swift-text.ts'
import type { BalanceTransactionType } from '../balance-transaction.ts'
import { isReversal } from '../rules.ts'
import {
  absolute,
  type BookedLine,
  cut,
  FormatTooNarrow,
  otherSide,
  type Statement,
  type StatementBalances,
  type StatementWriter,
  statementKey,
} from './statement.ts'

/**
 * The standard's limit for one message, its closing fields included. Before a line would exceed it,
 * the message ends with an intermediate balance (:62M:), and the next one begins with it (:60M:).
 */
const MESSAGE_LENGTH = 2_000
const END = '-\r\n'
/** The field after the balances of a statement whose last day is not over. */
const INTERIM = ':86:INTERIM, THE LAST DAY WAS NOT OVER\r\n'
/** The room for the longest :62F: and :64:, INTERIM and the end. */
const CLOSING_ROOM = 2 * ':62F:C261121USD123456789012,45\r\n'.length + INTERIM.length + END.length
/** :28C: has five digits for the number of a page. */
const MAX_PAGES = 99_999
/** Subfield amounts: digits and the comma. */
const AMOUNT_LENGTH = 15
const INFORMATION_LINES = 6
const LINE_LENGTH = 65

/** :61: subfield 6: transfer, returned item, foreign exchange or miscellaneous. */
const CODES: Readonly<Record<BalanceTransactionType, string>> = {
  escrow: 'NTRF',
  payout: 'NTRF',
  payout_failure: 'NRTI',
  payout_reversal: 'NRTI',
  withdrawal: 'NTRF',
  adjustment: 'NMSC',
  escrow_reversal: 'NRTI',
  withdrawal_reversal: 'NRTI',
  adjustment_reversal: 'NMSC',
  conversion_out: 'NFEX',
  conversion_in: 'NFEX',
}

/** Whether MT940 can carry the currency, which needs a code of three letters. */
export function fitsMt940(currency: string): boolean {
  return currency.length === 3
}

export function mt940Writer(statement: Statement): StatementWriter {
  let pages: Pages | undefined
  const current = (): Pages => {
    if (pages === undefined) throw new Error('a currency is opened first')
    return pages
  }
  return {
    by_currency: true,
    begin: '',
    open(one) {
      pages = new Pages(statement, one)
      return pages.open()
    },
    line: line => current().line(line),
    close: ({ closing }) => current().close(closing),
    end: () => '',
  }
}

/** The messages of one currency, with the open message's length and the balance so far. */
class Pages {
  readonly #currency: string
  readonly #account: string
  readonly #last_date: string
  readonly #key: string
  readonly #interim: boolean
  readonly #dayOf: (instant: string) => IsoDate
  #length = 0
  #number = 0
  #date: string
  #balance: bigint

  constructor(statement: Statement, { currency, opening }: StatementBalances) {
    const { account_id, from, to, zone, interim } = statement
    this.#currency = currency
    this.#account = swiftText(account_id).slice(0, 35)
    this.#key = statementKey(statement, currency).slice(0, 11).toUpperCase()
    this.#interim = interim
    this.#dayOf = dayReader(zone)
    this.#last_date = lastDayBefore(zone, to)
    // The format has two-digit years, so a statement without a beginning begins at its end.
    this.#date = from === null ? this.#last_date : dayAt(zone, from)
    this.#balance = opening
  }

  /** Opens the next message. */
  open(): string {
    this.#number += 1
    if (this.#number > MAX_PAGES) {
      throw new FormatTooNarrow(
        `the ${this.#currency} lines are more than ${MAX_PAGES} messages of MT940 hold; ` +
          'take a shorter period, or camt053',
      )
    }
    const end = this.#last_date
    // The number of the statement is its last day: year and day of the year.
    const number = `${end.slice(2, 4)}${dayOfYear(end)}`
    const page = this.#number.toString().padStart(5, '0')
    const text =
      `:20:${this.#key}${page}\r\n:25:${this.#account}\r\n` +
      `:28C:${number}/${page}\r\n${this.#balanceField(this.#number === 1 ? '60F' : '60M')}`
    this.#length = text.length
    return text
  }

  line(line: BookedLine): string {
    const day = this.#dayOf(line.created_at)
    const text = `${statementLine(line, day)}${information(line)}`
    let page_break = ''
    if (this.#length + text.length + CLOSING_ROOM > MESSAGE_LENGTH) {
      page_break = `${this.#balanceField('62M')}${END}`
      page_break += this.open()
    }
    this.#length += text.length
    this.#date = day
    this.#balance += line.net_amount
    return `${page_break}${text}`
  }

  /**
   * Closes the message. The booked and the available balance are the same. A closing balance (F) is
   * final, so a statement whose last day is not over ends with an intermediate one (M).
   */
  close(closing: bigint): string {
    this.#date = this.#last_date
    this.#balance = closing
    const booked = this.#balanceField(this.#interim ? '62M' : '62F')
    return `${booked}${this.#balanceField('64')}${this.#interim ? INTERIM : ''}${END}`
  }

  #balanceField(tag: string): string {
    const mark = this.#balance < 0n ? 'D' : 'C'
    const amount = swiftAmount(absolute(this.#balance), this.#currency)
    return `:${tag}:${mark}${shortDate(this.#date)}${this.#currency}${amount}\r\n`
  }
}

/**
 * :61: value date, entry date, mark (RD is a reversed debit, so a credit; RC the opposite), amount,
 * code, the customer's reference, and ours: the last 16 characters of the line's id, which :86: has
 * in full.
 */
function statementLine(line: BookedLine, day: IsoDate) {
  const { id, type, currency, net_amount, reference_id } = line
  const date = shortDate(day)
  const debit = net_amount < 0n
  const mark = isReversal(type) ? (debit ? 'RC' : 'RD') : debit ? 'D' : 'C'
  return (
    `:61:${date}${date.slice(2)}${mark}${swiftAmount(absolute(net_amount), currency)}` +
    `${CODES[type]}${customerReference(reference_id)}//${swiftText(id.slice(-16))}\r\n`
  )
}

/** Up to 16 characters, without a slash at either end or two slashes in a row. */
function customerReference(reference: string): string {
  const text = swiftText(reference)
    .replace(/\/{2,}/g, '/')
    .replace(/^[/ ]+/, '')
    .slice(0, 16)
    .replace(/[/ ]+$/, '')
  return text === '' ? 'NONREF' : text
}

/** Code words of :86: in a caller's text, which a program would take for ours. */
const CODE_WORD =
  /(^|\/)(ID|TRTP|SRCE|BENM|ACCT|BIC|EREF|UETR|CHGS|OCMT|EXCH|PURP|REMI|SREF)(\/|$)/g

/** :86: with code words between slashes, identifying ones first, because long text is cut off. */
function information(line: BookedLine): string {
  const { currency, fx_conversions } = line
  const fees = line.fixed_fee + line.variable_fee
  const converted = otherSide(line)
  const words: readonly (readonly [code: string, value: string])[] = [
    ['ID', line.id],
    ['TRTP', line.type],
    ['SRCE', line.description],
    ['BENM', cut(line.payee_name, 70)],
    ['ACCT', cut(line.payee_account, 34)],
    ['BIC', line.payee_bic],
    ['EREF', line.reference_id],
    ['SREF', line.creditor_reference],
    ['UETR', line.uetr],
    ['CHGS', fees === 0n ? '' : `${currency}${commaAmount(absolute(fees), currency)}`],
    [
      'OCMT',
      converted === undefined
        ? ''
        : `${converted.currency}${commaAmount(converted.amount, converted.currency)}`,
    ],
    ['EXCH', fx_conversions.map(({ exchange_rate }) => formatDecimal(exchange_rate)).join(' ')],
    ['PURP', line.purpose],
    ['REMI', line.transaction_description],
  ]
  const text = words
    .map(([code, value]) => [code, swiftText(value).replace(CODE_WORD, '$1$2.')] as const)
    .filter(([, value]) => value !== '')
    .map(([code, value]) => `/${code}/${value}`)
    .join('')
  return `:86:${wrapped(text).join('\r\n')}\r\n`
}

/**
 * Wraps text into lines that do not begin with "-" or ":", which end a message or begin a field.
 */
function wrapped(text: string): string[] {
  const lines: string[] = []
  for (let rest = text; rest !== '' && lines.length < INFORMATION_LINES; ) {
    let length = Math.min(LINE_LENGTH, rest.length)
    while (length > LINE_LENGTH - 5 && /[-:]/.test(rest.charAt(length))) length -= 1
    lines.push(rest.slice(0, length))
    // Without a better place to break, replace the character.
    rest = rest.slice(length).replace(/^[-:]/, '.')
  }
  return lines
}

/** An amount with a decimal comma, also in a currency without decimals. */
function commaAmount(amount: bigint, currency: string): string {
  const exponent = currencyExponent(currency)
  const text = formatMajor(amount, exponent)
  return exponent === 0 ? `${text},` : text.replace('.', ',')
}

function swiftAmount(amount: bigint, currency: string): string {
  const text = commaAmount(amount, currency)
  if (text.length <= AMOUNT_LENGTH) return text
  throw new FormatTooNarrow(`${currency} ${text} is longer than amounts of MT940; take camt053`)
}

/** `325` */
function dayOfYear(date: string): string {
  const days = (Date.parse(date) - Date.parse(`${date.slice(0, 4)}-01-01`)) / 86_400_000
  return (days + 1).toString().padStart(3, '0')
}
