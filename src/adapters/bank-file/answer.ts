// What a bank's answer about a whole file, or about one of its payment information blocks, means:
// the file has arrived, the bank has refused it, or a person must look first. Pure.
import type { BankLine } from '../../values/bank-format/bank-format.ts'
import { type Meaning, meaningOf } from '../iso20022/status.ts'
import type { RailFile } from './file-store.ts'

export interface FileAnswer {
  readonly state: 'acknowledged' | 'rejected'
  readonly reason: string
}

/** The reasons of ISO 20022 for a file, or payments, that the bank already has. */
const REPETITION_CODES = ['DU01', 'DU02', 'DU03', 'DU04', 'DU05', 'AM05']

const REFUSALS: readonly Meaning[] = ['rejected', 'cancelled']
const ACCEPTANCES: readonly Meaning[] = ['accepted', 'settled']

export function isRefusal(code: string, meanings: Readonly<Record<string, string>>): boolean {
  return REFUSALS.includes(meaningOf(code, meanings))
}

/** Whether what is said of a whole file holds for each of its payments. */
export function isOfEach(
  { level, code }: Pick<BankLine, 'level' | 'code'>,
  meanings: Readonly<Record<string, string>>,
): boolean {
  if (level !== 'file') return true
  return ACCEPTANCES.includes(meaningOf(code, meanings))
}

/** Whether the bank has refused the file as a repetition. It may pay the file's other copy. */
export function isRepetition({ reason }: Pick<RailFile, 'reason'>): boolean {
  return reason.split(' ').some(word => REPETITION_CODES.includes(word))
}

/** What the line means for the file in its present state, or why the line is set aside. */
export function answerOf(
  { msg_id, state, offers }: Pick<RailFile, 'msg_id' | 'state' | 'offers'>,
  line: Pick<BankLine, 'level' | 'code' | 'reasons' | 'text' | 'payment_information_id'>,
  meanings: Readonly<Record<string, string>>,
): FileAnswer | string {
  if (offers === 0) return `file ${msg_id} was not sent yet`
  const is_about_file = line.payment_information_id === ''
  if (state === 'rejected' && !isRefusal(line.code, meanings)) {
    const is_booked = ['booking', 'return'].includes(line.level)
    const may_be_paid = is_booked || ACCEPTANCES.includes(meaningOf(line.code, meanings))
    if (may_be_paid) return `file ${msg_id} was refused before: it may be paid all the same`
  }
  const reason = [line.code, ...line.reasons, line.text].filter(Boolean).join(' ')
  if (!is_about_file || !isRefusal(line.code, meanings)) return { state: 'acknowledged', reason }
  const is_repeated = line.reasons.some(code => REPETITION_CODES.includes(code))
  // The bank refuses a file that was offered before as a copy of itself, but a file that was
  // offered once as a copy of another file.
  if (is_repeated && offers > 1) return { state: 'acknowledged', reason: `${reason}: received` }
  return { state: 'rejected', reason }
}
