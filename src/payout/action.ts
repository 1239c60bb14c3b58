// What an account answers while a payout requires action: what it may say, and how the payout reads
// with it. Pure; what the payout was made with is never written over.
import { checkDetails } from '../beneficiary/rules.ts'
import { refuseIfAny } from '../errors.ts'
import type { Instant } from '../instant.ts'
import { invalid } from '../party/rules.ts'
import type { RailAnswer } from '../rail/rail.ts'
import type { Payout } from './payout.ts'
import type { ActionRequest } from './request.ts'

const MEMBERS = [
  'documents',
  'beneficiary_details',
  'purpose',
  'transaction_description',
  'note',
] as const

/** Every problem with the fields of an answer at once (400): one must say something. */
export function checkAction(request: ActionRequest): void {
  const { beneficiary_details, ...members } = request
  const said = [...Object.values(members), ...Object.values(beneficiary_details ?? {})]
  const says = said.some(member => !Array.isArray(member) || member.length > 0)
  refuseIfAny([
    ...(says ? [] : [invalid('', `Send at least one of ${MEMBERS.join(', ')}.`)]),
    ...(beneficiary_details === undefined
      ? []
      : checkDetails(beneficiary_details, 'beneficiary_details')),
  ])
}

/** The answer as it is kept; numbers of a payout follow each other from 1. */
export function makeAnswer(payout: Payout, request: ActionRequest, now: Instant): RailAnswer {
  return { number: payout.answers.length + 1, created_at: now, ...request }
}

/** What a payout shows of its making, with everything that was answered since. */
export function answered(
  payout: Pick<Payout, 'particulars' | 'beneficiary_details' | 'answers'>,
): Pick<Payout, 'particulars' | 'beneficiary_details'> {
  let { particulars, beneficiary_details } = payout
  for (const answer of payout.answers) {
    const { purpose, transaction_description, documents = [], beneficiary_details: more } = answer
    particulars = {
      ...particulars,
      ...(purpose !== undefined && { purpose }),
      ...(transaction_description !== undefined && { transaction_description }),
      documents: [...particulars.documents, ...documents],
    }
    beneficiary_details = {
      ...beneficiary_details,
      ...more,
      documents: [...beneficiary_details.documents, ...(more?.documents ?? [])],
    }
  }
  return { particulars, beneficiary_details }
}
