// What an account answers about a payout in requires_action, and the payout with its answers
// applied. Pure. The stored request is never overwritten.

import { checkDetails } from '../beneficiary/rules.ts'
import { invalidField, refuseIfAny } from '../errors.ts'
import { given } from '../given.ts'
import type { Instant } from '../instant.ts'
import type { RailAnswer } from '../rail/rail.ts'
import type { Payout } from './payout.ts'
import { ActionRequest } from './request.ts'

const MEMBERS = Object.keys(ActionRequest.properties)

/** Refuses (400) an empty answer, and names every problem of its fields at once. */
export function checkAction(request: ActionRequest): void {
  const { beneficiary_details, ...members } = request
  const sent = [...Object.values(members), ...Object.values(beneficiary_details ?? {})]
  const isEmpty = !sent.some(member => !Array.isArray(member) || member.length > 0)
  refuseIfAny([
    ...(isEmpty ? [invalidField('', `Send at least one of ${MEMBERS.join(', ')}.`)] : []),
    ...(beneficiary_details === undefined
      ? []
      : checkDetails(beneficiary_details, 'beneficiary_details')),
  ])
}

/** Makes the answer as it is stored. The answers of a payout are numbered from 1. */
export function makeAnswer(payout: Payout, request: ActionRequest, now: Instant): RailAnswer {
  return { number: payout.answers.length + 1, created_at: now, ...request }
}

/** The particulars and beneficiary of a payout, with all answers applied. */
export function withAnswers(
  payout: Pick<Payout, 'particulars' | 'beneficiary_details' | 'answers'>,
): Pick<Payout, 'particulars' | 'beneficiary_details'> {
  let { particulars, beneficiary_details } = payout
  for (const answer of payout.answers) {
    const { purpose, transaction_description, documents = [], beneficiary_details: more } = answer
    particulars = {
      ...particulars,
      ...given({ purpose, transaction_description }),
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
