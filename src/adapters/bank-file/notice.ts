// What a bank's ACH file asks of a person: the change of a payee's details, and the answer to a
// return. The payment stays as it was. Pure.
import type { Notice } from '../../payouts/advance/wake-store.ts'
import type { BankLine, BankProfile } from '../../values/bank-format/bank-format.ts'
import { reasonOf } from '../../values/bank-format/reason.ts'
import { addBusinessDays } from '../../values/calendar/rules.ts'
import type { Instant } from '../../values/instant.ts'
import { inNewYork } from '../nacha/settlement.ts'

/** Nacha's terms in banking days (sections 2.12 and 3.8). */
const CHANGE_DAYS = 6
const CONTEST_DAYS = 2
/** Dishonored returns. Codes from R71 on are the receiver's last word. */
const DISHONORED = /^R6[1-9]$|^R70$/

const LONGEST = 500

/** The notice of a line that was received at this time; undefined when it asks for nothing. */
export function noticeOf(
  line: BankLine,
  { nacha }: Pick<BankProfile, 'nacha'>,
  received_at: Instant,
): Notice | undefined {
  const { level, reasons, text, change } = line
  const [code = ''] = reasons
  const cause = nacha === null || level !== 'note' ? undefined : reasonOf('nacha', code)?.cause
  const said = `The bank says, ${code}, ${text}`
  if (cause === 'change') {
    const kind = 'change_notified'
    const until = dayAfter(received_at, CHANGE_DAYS)
    const what = `Correct the payee${untilWords(until)}, before the next payout to it`
    return { kind, code, message: worded(`${what}. ${said}`, line), until, change }
  }
  if (cause === 'answer') {
    const kind = 'return_answered'
    const until = DISHONORED.test(code) ? dayAfter(received_at, CONTEST_DAYS) : ''
    const message = worded(`Look at the return${untilWords(until)}. ${said}`, line)
    return { kind, code, message, until, change: null }
  }
  return undefined
}

/** The words, and the numbers by which the banks find the payment and the notice. */
function worded(words: string, { instruction_id, reference }: BankLine): string {
  const traces = [
    instruction_id !== '' && `trace number of the payment: ${instruction_id.slice(0, 40)}`,
    reference !== '' && `trace number of the notice: ${reference.slice(0, 40)}`,
  ].filter(Boolean)
  return `${words.slice(0, LONGEST)}${traces.length === 0 ? '' : ` (${traces.join('; ')})`}.`
}

/** The banking day so many days after this time in New York; '' where the calendar ends. */
function dayAfter(received_at: Instant, days: number): string {
  const { date } = inNewYork(received_at)
  return addBusinessDays('fed', date, days) ?? ''
}

function untilWords(until: string): string {
  return until === '' ? '' : ` by ${until}`
}
