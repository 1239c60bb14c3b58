// Reads a bank's ACH file: returns of credits, and notifications of change, which are notes for a
// person and change nothing by themselves. Everything else in the file is a note as well.
import { type BankSays, NOTHING_SAID, UnreadableFile } from '../bank-format/bank-format.ts'
import { changeTitle, readReturnCode } from './codes.ts'
import { linesOf } from './lines.ts'
import { CHANGE, RETURN, readRecord, type Values } from './record.ts'
import { type Entry, Records } from './records.ts'

/** Reads a file entry by entry. Throws UnreadableFile, possibly only at the end. */
export async function* readAch(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<BankSays> {
  const records = new Records()
  for await (const line of linesOf(chunks)) {
    const entry = records.take(line)
    if (entry !== undefined) yield saysOf(entry)
  }
  records.end()
}

/** The second digit of a transaction code: a return or a notification of change of a credit. */
const BACK = '1'
/** A credit of zero dollars, by which the receiver's bank says that it has the original. */
const ACKNOWLEDGED = '4'

function saysOf(entry: Entry): BankSays {
  const [addenda] = entry.addenda
  const { transaction_code, individual_id } = entry.entry
  const digit = transaction_code.charAt(1)
  // Entries of other classes have other fields in these columns.
  if (['PPD', 'CCD', 'COR'].includes(entry.batch.entry_class) && digit === BACK) {
    if (addenda?.text.startsWith(RETURN.begins)) return returnSays(entry, addenda)
    if (addenda?.text.startsWith(CHANGE.begins)) {
      const values = readRecord(CHANGE, addenda.text, addenda.line)
      return answerSays(entry, values, changeTitle(values.code), values.corrected)
    }
    // Money may have come back, and nothing says which payout it belongs to.
    const reason = 'a return or a notification of change without its addenda'
    throw new UnreadableFile(reason, addenda?.line ?? entry.line)
  }
  if (entry.batch.entry_class === 'ACK' && digit === ACKNOWLEDGED) {
    const text = 'the bank of the receiver has the entry'
    // This field has the trace number of the original entry.
    return { ...noteOf(entry), code: 'ACK', end_to_end_id: '', instruction_id: individual_id, text }
  }
  const kind = `${entry.batch.entry_class} with transaction code ${transaction_code}`
  return { ...noteOf(entry), text: `${kind}: not about a credit that was sent` }
}

function returnSays(entry: Entry, { line, text }: Entry['addenda'][number]): BankSays {
  const values = readRecord(RETURN, text, line)
  const { is_return, title } = readReturnCode(values.code)
  const said = answerSays(entry, values, title, values.text)
  if (!is_return) return said
  return { ...said, level: 'return', amount: entry.amount, currency: 'USD', is_credit: true }
}

/** A note with the code of the addenda, its meaning and the text beside it. */
function answerSays(
  entry: Entry,
  { code, original_trace: instruction_id, trace_number: reference }: Answer,
  title: string,
  more: string,
): BankSays {
  const text = more === '' ? title : `${title}: ${more}`
  return { ...noteOf(entry), instruction_id, code, reasons: [code], text, reference }
}

type Answer = Pick<Values<typeof RETURN>, 'code' | 'original_trace' | 'trace_number'>

/** A note without code and text. */
function noteOf({ line, file, entry }: Entry): BankSays {
  return {
    ...NOTHING_SAID,
    position: `line ${line}`,
    end_to_end_id: /^[0-9A-Z]{15}$/.test(entry.individual_id) ? entry.individual_id : '',
    reference: entry.trace_number,
    said_at: createdAt(file),
  }
}

/** When the bank made the file, by its own clock; the time is optional. */
function createdAt({ creation_date, creation_time }: Entry['file']): string {
  const [, year = '', month = '', day = ''] = /^(..)(..)(..)$/.exec(creation_date) ?? []
  const [, hour, minute] = /^(\d\d)(\d\d)$/.exec(creation_time) ?? []
  const date = `20${year}-${month}-${day}`
  return hour === undefined ? date : `${date}T${hour}:${minute}:00`
}
