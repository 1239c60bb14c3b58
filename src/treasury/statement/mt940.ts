// Reads SWIFT MT940 (Standards, category 9, customer statement message), with or without the blocks
// of a SWIFT message around it. Pages of one statement are one statement.
import { UnreadableFile } from '../../values/bank-format/bank-format.ts'
import type { IsoDate } from '../../values/calendar/calendar.ts'
import { isDay } from '../../values/calendar/day.ts'
import { findCurrency } from '../../values/money/currency.ts'
import { parseMajor } from '../../values/money/decimal.ts'
import { readTextLines } from './lines.ts'
import { informationOf } from './mt940-information.ts'
import {
  EMPTY_STATEMENT_LINE,
  type StatementLine,
  type StatementPart,
  type StatementReader,
} from './statement.ts'
import { fitLine, fitText, plainAccount } from './text.ts'

export const mt940Reader: StatementReader = { read: readMt940 }

/** A field with all its lines. */
interface Field {
  readonly tag: string
  readonly number: number
  readonly lines: string[]
}

/** More lines of one field are none of a bank. */
const MOST_LINES = 200

/** The fields of a file in order; `-` for the end of a message. */
async function* fieldsOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Field, void> {
  let field: Field | undefined
  for await (const { number, text } of readTextLines(bytes)) {
    // {1:…}{2:…}{4: stands before the first field, and -} or -}{5:…} behind the last one.
    const bare = text.replace(/^(?:\{[123]:(?:[^{}]|\{[^{}]*\})*\})*\{4:/, '')
    const [, tag, rest = ''] = /^:(\d\d[A-Z]?):(.*)$/.exec(bare) ?? []
    const is_end = /^-\}?(?:\{5:.*)?\s*$/.test(bare)
    if (tag === undefined && !is_end) {
      if (field === undefined || bare.trim() === '') continue
      if (field.lines.length >= MOST_LINES) {
        throw new UnreadableFile(`field :${field.tag}: has more than ${MOST_LINES} lines`, number)
      }
      field.lines.push(bare)
      continue
    }
    if (field !== undefined) yield field
    field = tag === undefined ? undefined : { tag, number, lines: [rest] }
    if (tag === undefined) yield { tag: '-', number, lines: [] }
  }
  if (field !== undefined) yield field
}

interface Balance {
  readonly amount: bigint
  readonly day: IsoDate
  readonly currency: string
  readonly is_interim: boolean
}

/** A statement whose pages are read. */
interface Open {
  readonly account: string
  readonly id: string
  readonly sequence: string
  readonly opening: Balance
  closing: Balance | undefined
}

async function* readMt940(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<StatementPart> {
  const names = { '20': '', '25': '', '28': '' }
  let open: Open | undefined
  /** The line whose :86: may follow. */
  let line: StatementLine | undefined
  let has_statement = false
  const flush = () => {
    const known = line
    line = undefined
    return known === undefined || known.amount === 0n ? [] : [fitLine(known)]
  }
  for await (const field of fieldsOf(bytes)) {
    const { tag, number } = field
    const [text = ''] = field.lines
    if (tag === '86' && line !== undefined) line = informationOf(field.lines, line)
    // Any other :86: is about the whole statement.
    if (tag !== '86' || line !== undefined) yield* flush()
    if (tag === '20') names['20'] = text.trim()
    else if (tag === '25' || tag === '25P') names['25'] = plainAccount(text)
    else if (tag === '28C' || tag === '28') names['28'] = text.trim()
    else if (tag === '60F' || tag === '60M') {
      const opening = balanceOf(field)
      if (open !== undefined && continues(open, opening, names)) {
        open.closing = undefined
        continue
      }
      if (open !== undefined) yield endOf(open, number)
      open = opened(opening, names, number)
      has_statement = true
      const { account } = open
      yield { kind: 'head', format: 'mt940', account, currency: opening.currency }
    } else if (tag === '61') {
      if (open === undefined || open.closing !== undefined) {
        throw new UnreadableFile('field :61: stands outside the balances :60F: and :62F:', number)
      }
      line = statementLine(field, open.opening)
    } else if ((tag === '62F' || tag === '62M') && open !== undefined) {
      open.closing = balanceOf(field)
    }
  }
  yield* flush()
  if (open !== undefined) yield endOf(open, 0)
  if (!has_statement) throw new UnreadableFile('the file has no :60F:, which begins a statement')
}

type Names = Readonly<Record<'20' | '25' | '28', string>>

function opened(opening: Balance, names: Names, number: number): Open {
  if (names['25'] === '') throw new UnreadableFile('no :25: names the account', number)
  const [sequence = ''] = names['28'].split('/')
  const id = [names['20'], names['28']].filter(part => part !== '').join(' ')
  return {
    account: names['25'],
    id: fitText(id, 90),
    sequence: fitText(sequence, 40),
    opening,
    closing: undefined,
  }
}

/** Whether the message is the next page: it begins with the interim balance of the last one. */
function continues({ account, closing }: Open, opening: Balance, names: Names): boolean {
  return (
    opening.is_interim &&
    closing?.is_interim === true &&
    account === names['25'] &&
    closing.amount === opening.amount &&
    closing.currency === opening.currency
  )
}

function endOf(open: Open, number: number): StatementPart {
  const { id, sequence, opening, closing } = open
  if (closing === undefined) {
    throw new UnreadableFile(`statement ${id} has no :62F:, so it is cut off`, number)
  }
  return {
    kind: 'end',
    statement_id: id,
    sequence,
    // The day of :60F: is mostly that of the closing balance before.
    opened_on: null,
    closed_on: closing.day,
    opening: opening.amount,
    closing: closing.amount,
    is_final: !closing.is_interim,
  }
}

/** `C261130EUR1234,56` */
function balanceOf({ tag, number, lines }: Field): Balance {
  const text = (lines[0] ?? '').trim()
  const [, mark, day = '', currency = '', amount = ''] =
    /^([CD])(\d{6})([A-Z]{3})([\d,.]{1,20})$/.exec(text) ?? []
  if (mark === undefined) {
    const what = 'a balance is C261130EUR1234,56'
    throw new UnreadableFile(`field :${tag}: is "${text.slice(0, 40)}", and ${what}`, number)
  }
  const value = amountOf(amount, currency, `:${tag}:`, number)
  return {
    amount: mark === 'C' ? value : -value,
    day: dayOf(day, `:${tag}:`, number),
    currency,
    is_interim: tag.endsWith('M'),
  }
}

/** `1234,56` or `1234,`, as digits and never by a float. */
function amountOf(text: string, currency: string, field: string, number: number): bigint {
  const exponent = findCurrency(currency)?.exponent
  if (exponent === undefined) {
    throw new UnreadableFile(`field ${field} has the unknown currency ${currency}`, number)
  }
  const [, whole, part] = /^(\d{1,15})(?:[,.](\d{0,6}))?$/.exec(text) ?? []
  const amount = whole === undefined ? undefined : parseMajor(`${whole}.${part || '0'}`, exponent)
  if (amount !== undefined) return amount
  const what = `an amount of ${currency} has at most ${exponent} decimals behind a comma`
  throw new UnreadableFile(`field ${field} has the amount "${text}", and ${what}`, number)
}

/** `261130`. Two digits of a year are those of 1980 to 2079, as SWIFT reads them. */
function dayOf(text: string, field: string, number: number): IsoDate {
  const century = Number(text.slice(0, 2)) >= 80 ? '19' : '20'
  const day = `${century}${text.slice(0, 2)}-${text.slice(2, 4)}-${text.slice(4, 6)}`
  if (isDay(day)) return day
  throw new UnreadableFile(`field ${field} has the day "${text}", and a day is 261130`, number)
}

/**
 * :61: value date, entry date, mark, funds code, amount, type, the owner's reference, the bank's
 * reference, and on a second line further details. EC and ED are expected entries, not booked ones.
 */
const LINE = new RegExp(
  [
    '^(?<value>\\d{6})(?<entry>\\d{4})?(?<mark>R?[CD]|E[CD])(?:[A-Z])?',
    '(?<amount>\\d{1,15}(?:[,.]\\d{0,6})?)(?<type>[SNF][A-Z0-9]{3})',
    '(?<reference>.*?)(?://(?<own>.*))?$',
  ].join(''),
)

function statementLine({ number, lines }: Field, opening: Balance): StatementLine | undefined {
  const [text = '', further = ''] = lines
  const found = LINE.exec(text.trim())?.groups
  if (found === undefined) {
    const what = 'it begins with a day, a mark, an amount and a type: 2611301130C12,50NTRF'
    throw new UnreadableFile(`field :61: is "${text.slice(0, 60)}", and ${what}`, number)
  }
  const { value = '', entry, mark = '', type = '', reference = '', own = '' } = found
  if (mark.startsWith('E')) return undefined
  const { currency } = opening
  const amount = amountOf(found.amount ?? '', currency, ':61:', number)
  const value_on = dayOf(value, ':61:', number)
  // A reversed debit (RD) is money in, and a reversed credit (RC) money out.
  const is_credit = mark === 'C' || mark === 'RD'
  return {
    ...EMPTY_STATEMENT_LINE,
    amount: is_credit ? amount : -amount,
    currency,
    booked_on: entry === undefined ? value_on : entryDay(value_on, entry, number),
    value_on,
    code: type,
    end_to_end_id: /^(?:NONREF|)$/i.test(reference.trim()) ? '' : reference.trim(),
    bank_reference: own.trim(),
    text: further.trim(),
  }
}

/** The entry date has no year: it is the one that is nearest to the value date. */
function entryDay(value_on: IsoDate, entry: string, number: number): IsoDate {
  const year = Number(value_on.slice(0, 4))
  const days = [year - 1, year, year + 1]
    .map(one => `${one}-${entry.slice(0, 2)}-${entry.slice(2)}`)
    .filter(isDay)
  const far = (day: IsoDate) => Math.abs(Date.parse(day) - Date.parse(value_on))
  const [nearest] = days.toSorted((a, b) => far(a) - far(b))
  if (nearest !== undefined) return nearest
  throw new UnreadableFile(`field :61: has the entry date "${entry}", and one is 1130`, number)
}
