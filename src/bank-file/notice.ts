// What a bank's ACH file asks of a person: the change of a payee's details, and the answer to a
// return. The payment stays as it was. Pure.
import type { BankLine, BankProfile } from '../bank-format/bank-format.ts'
import { reasonOf } from '../bank-format/reason.ts'
import { addBusinessDays } from '../calendar/rules.ts'
import type { Instant } from '../instant.ts'
import { inNewYork } from '../nacha/settlement.ts'
import type { Notice } from '../payout/wake-store.ts'

/** Nacha's terms in banking days (sections 2.12 and 3.8). */
const CHANGE_DAYS = 6
const CONTEST_DAYS = 2
/** Dishonored returns. Codes from R71 on are the receiver's last word. */
const DISHONORED = /^R6[1-9]$|^R70$/

const LONGEST = 500

/** The notice of a line that was received at this time; undefined when it asks for nothing. */
export function noticeOf(
  { level, reasons, text, reference }: BankLine,
  { nacha }: Pick<BankProfile, 'nacha'>,
  received_at: Instant,
): Notice | undefined {
  const [code = ''] = reasons
  const cause = nacha === null || level !== 'note' ? undefined : reasonOf('nacha', code)?.cause
  if (cause === 'change') {
    const kind = 'change_notified'
    const until = untilWords(received_at, CHANGE_DAYS)
    const what = `Correct the payee${until}, before the next payout to it`
    return { kind, code, message: worded(`${what}. The bank says, ${code}, ${text}`, reference) }
  }
  if (cause === 'answer') {
    const kind = 'return_answered'
    const until = DISHONORED.test(code) ? untilWords(received_at, CONTEST_DAYS) : ''
    return {
      kind,
      code,
      message: worded(`Look at the return${until}. The bank says, ${code}, ${text}`, reference),
    }
  }
  return undefined
}

function worded(words: string, reference: string): string {
  return `${words.slice(0, LONGEST)}${reference === '' ? '' : ` (${reference.slice(0, 40)})`}.`
}

function untilWords(received_at: Instant, days: number): string {
  const { date } = inNewYork(received_at)
  const until = addBusinessDays('fed', date, days)
  return until === undefined ? '' : ` by ${until}`
}
