// The answer to POST /v3/payout, kept for its Idempotency-Key as the payout and what has changed in
// it since: the rest of the row stays as it was made.
import { success } from '../http/envelope.ts'
import { nameOf } from '../id.ts'
import type { Keeping } from '../idempotency/operations.ts'
import type { CreatedPayout } from './operations.ts'
import type { Payout } from './payout.ts'
import { presentPayout } from './response.ts'
import { findPayouts } from './store.ts'

/** What the answer says that a later step can change, and that has a value from the start. */
type Made = Pick<Payout, 'status' | 'status_description'>

/** The payout as it was made: no rail, person or account has done anything with it yet. */
export function asMade(payout: Payout, { status, status_description }: Made): Payout {
  return { ...payout, status, status_description, failure: null, rail_reference: '', answers: [] }
}

export const keptPayout: Keeping<CreatedPayout, Made> = {
  refer({ payout: { id, status, status_description } }) {
    return { object_id: id, state: { status, status_description } }
  },

  async restore(tx, kept) {
    const keys = kept.map(({ account_id, object_id }) => ({ account_id, id: object_id }))
    const payouts = new Map((await findPayouts(tx, keys)).map(p => [nameOf(p), p]))
    return kept.map(({ account_id, object_id, state }) => {
      const payout = payouts.get(nameOf({ account_id, id: object_id }))
      if (payout === undefined) throw new Error(`an answer is kept of ${object_id}, which is not`)
      return success(presentPayout(asMade(payout, state))).body
    })
  },
}
