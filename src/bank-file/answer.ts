// What a bank's answer about a whole file, or about a payment information block of it, means: the
// file has arrived, it was refused, or a person must look first. Pure.
import type { BankSays } from '../bank-format/bank-format.ts'
import { type Meaning, meaningOf } from '../iso20022/status.ts'
import type { RailFile } from './file-store.ts'

export interface FileAnswer {
  readonly state: 'acknowledged' | 'rejected'
  readonly reason: string
}

/** Reasons by which a bank says that it already has the file, or its payments (ISO 20022). */
const HAS_IT_ALREADY = ['DU01', 'DU02', 'DU03', 'DU04', 'DU05', 'AM05']

const REFUSALS: readonly Meaning[] = ['rejected', 'cancelled']
const ACCEPTANCES: readonly Meaning[] = ['accepted', 'settled']

export function isRefusal(code: string, meanings: Readonly<Record<string, string>>): boolean {
  return REFUSALS.includes(meaningOf(code, meanings))
}

/** Whether the bank has refused the file as one that it already has: that one may be paid. */
export function isRepetition({ reason }: Pick<RailFile, 'reason'>): boolean {
  return reason.split(' ').some(word => HAS_IT_ALREADY.includes(word))
}

/** What the answer means for the file as it was before, or why its line is set aside. */
export function answerOf(
  { msg_id, state, offers }: Pick<RailFile, 'msg_id' | 'state' | 'offers'>,
  said: Pick<BankSays, 'level' | 'code' | 'reasons' | 'text' | 'payment_information_id'>,
  meanings: Readonly<Record<string, string>>,
): FileAnswer | string {
  if (offers === 0) return `file ${msg_id} was not sent yet`
  const about_file = said.payment_information_id === ''
  if (state === 'rejected' && !isRefusal(said.code, meanings)) {
    const is_paid = ['booking', 'return'].includes(said.level)
    const goes_on = is_paid || ACCEPTANCES.includes(meaningOf(said.code, meanings))
    if (goes_on) return `file ${msg_id} was refused before: it may be paid all the same`
  }
  const reason = [said.code, ...said.reasons, said.text].filter(Boolean).join(' ')
  if (!about_file || !isRefusal(said.code, meanings)) return { state: 'acknowledged', reason }
  const repeated = said.reasons.some(code => HAS_IT_ALREADY.includes(code))
  // A file that was offered before is refused as a copy of itself. A file that was offered once is
  // refused as a copy of another file.
  if (repeated && offers > 1) return { state: 'acknowledged', reason: `${reason}: received` }
  return { state: 'rejected', reason }
}
