// What an account answers about a payout in requires_action, and the payout with its answers
// applied. Pure. The stored request is never overwritten.
import { checkDetails } from '../parties/beneficiary/rules.ts'
import type { RailAnswer } from '../rails/rail.ts'
import { bytesOf } from '../values/bounds.ts'
import { invalidField, refusal, refuseIfAny } from '../values/errors.ts'
import type { Instant } from '../values/instant.ts'
import { omitUndefined } from '../values/omit-undefined.ts'
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

/** The most answers of a payout, and their most bytes together, as JSON. */
export const MAX_ANSWERS = 50
export const MAX_ANSWERS_BYTES = 128 * 1024

/**
 * The payout's answers with one more, as they are stored. They are numbered from 1. Refuses (422)
 * an answer that is one too many, or that is too long beside the others.
 */
export function withAnswer(
  { id, answers }: Payout,
  request: ActionRequest,
  now: Instant,
): readonly RailAnswer[] {
  const after = [...answers, { number: answers.length + 1, created_at: now, ...request }]
  if (after.length > MAX_ANSWERS) {
    const message =
      `Payout ${id} has ${MAX_ANSWERS} answers, the most that a payout keeps: ` +
      'ask the operator to end it, and make a new payout.'
    throw refusal('object_full', message)
  }
  const bytes = bytesOf(after)
  if (bytes > MAX_ANSWERS_BYTES) {
    const [largest = ''] = Object.entries(request)
      .toSorted(([, a], [, b]) => bytesOf(b) - bytesOf(a))
      .map(([name]) => name)
    const message =
      `The answers of payout ${id} would have ${bytes} bytes together, and a payout keeps ` +
      `${MAX_ANSWERS_BYTES}: send a shorter ${largest}, such as fewer documents.`
    throw refusal('object_full', message, largest)
  }
  return after
}

export function withAnswers(
  payout: Pick<Payout, 'particulars' | 'beneficiary_details' | 'answers'>,
): Pick<Payout, 'particulars' | 'beneficiary_details'> {
  let { particulars, beneficiary_details } = payout
  for (const answer of payout.answers) {
    const { purpose, transaction_description, documents = [], beneficiary_details: more } = answer
    particulars = {
      ...particulars,
      ...omitUndefined({ purpose, transaction_description }),
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
