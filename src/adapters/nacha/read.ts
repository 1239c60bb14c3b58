// Reads a bank's ACH file: returns of credits, and notes for a person, which change nothing by
// themselves. Notifications of change and all other entries are notes.
import { type BankLine, EMPTY_LINE } from '../../values/bank-format/bank-format.ts'
import { correctedValues } from './change.ts'
import { changeTitle, readReturnCode } from './codes.ts'
import { linesOf } from './lines.ts'
import { CHANGE, RETURN, readLoosely, type Values } from './record.ts'
import { type Entry, Records } from './records.ts'

/** One line for each entry of the file, in order. May throw UnreadableFile at the very end. */
export async function* readAch(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<BankLine> {
  const records = new Records()
  for await (const line of linesOf(chunks)) {
    const entry = records.take(line)
    if (entry !== undefined) yield bankLine(entry)
  }
  records.end()
}

/** Second digit of the transaction code of a return or notification of change of a credit. */
const RETURN_DIGIT = '1'
/** The same of a credit of zero dollars, by which the receiver's bank acknowledges an entry. */
const ACKNOWLEDGEMENT_DIGIT = '4'

function bankLine(entry: Entry): BankLine {
  if (entry.defect !== '') return { ...emptyNote(entry), defect: entry.defect }
  // The addenda of the payment may stand before the addenda of its return.
  const addenda =
    entry.addenda.find(({ text }) =>
      [RETURN, CHANGE].some(({ begins }) => text.startsWith(begins)),
    ) ?? entry.addenda[0]
  const { transaction_code, individual_id } = entry.entry
  const digit = transaction_code.charAt(1)
  // Entries of other classes have other fields in these columns.
  if (['PPD', 'CCD', 'COR'].includes(entry.batch.entry_class) && digit === RETURN_DIGIT) {
    if (addenda?.text.startsWith(RETURN.begins)) return returnLine(entry, addenda)
    if (addenda?.text.startsWith(CHANGE.begins)) {
      const values = readLoosely(CHANGE, addenda.text)
      const note = addendaNote(entry, values, changeTitle(values.code), values.corrected)
      const change = {
        old_account: entry.entry.account,
        old_routing: values.original_rdfi,
        corrected: correctedValues(note.code, values.corrected),
      }
      return { ...note, change }
    }
    // Money may have come back, and nothing says which payout it belongs to.
    const defect = 'a return or a notification of change without its addenda'
    return { ...emptyNote(entry), amount: entry.amount, currency: 'USD', defect }
  }
  if (entry.batch.entry_class === 'ACK' && digit === ACKNOWLEDGEMENT_DIGIT) {
    const text = 'the bank of the receiver has the entry'
    // In this class the individual id is the original entry's trace number.
    return {
      ...emptyNote(entry),
      code: 'ACK',
      end_to_end_id: '',
      instruction_id: individual_id,
      text,
    }
  }
  const kind = `${entry.batch.entry_class} with transaction code ${transaction_code}`
  return { ...emptyNote(entry), text: `${kind}: not about a credit that was sent` }
}

function returnLine(entry: Entry, { text }: Entry['addenda'][number]): BankLine {
  const values = readLoosely(RETURN, text)
  const { is_return, title } = readReturnCode(values.code)
  const note = addendaNote(entry, values, title, values.text)
  if (!is_return) return note
  return { ...note, level: 'return', amount: entry.amount, currency: 'USD', is_credit: true }
}

function addendaNote(entry: Entry, values: AddendaValues, title: string, own_text: string) {
  const { original_trace: instruction_id, trace_number: reference } = values
  const code = values.code.toUpperCase()
  const text = own_text === '' ? title : `${title}: ${own_text}`
  return { ...emptyNote(entry), instruction_id, code, reasons: [code], text, reference }
}

type AddendaValues = Pick<Values<typeof RETURN>, 'code' | 'original_trace' | 'trace_number'>

/** A note without code and text. */
function emptyNote({ line, file, entry }: Entry): BankLine {
  return {
    ...EMPTY_LINE,
    position: `line ${line}`,
    end_to_end_id: /^[0-9A-Z]{15}$/.test(entry.individual_id) ? entry.individual_id : '',
    reference: entry.trace_number,
    said_at: createdAt(file),
  }
}

/** When the bank made the file, by its own clock. The time of day is optional. */
function createdAt({ creation_date, creation_time }: Entry['file']): string {
  const [, year, month, day] = /^(..)(..)(..)$/.exec(creation_date) ?? []
  if (year === undefined) return ''
  const [, hour, minute] = /^(\d\d)(\d\d)$/.exec(creation_time) ?? []
  const date = `20${year}-${month}-${day}`
  return hour === undefined ? date : `${date}T${hour}:${minute}:00`
}
