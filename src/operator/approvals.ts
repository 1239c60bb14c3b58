// What approvers do: a person approves or rejects what waits for it.

import type { AskedDecision } from '../approval/rules.ts'
import type { Sql } from '../db/connect.ts'
import type { Advance, AdvanceOutcome, AdvanceState } from '../payout/step.ts'
import { advancePayout } from '../payout/step-operation.ts'
import type { Deed } from './deed.ts'
import { accountOfPayout } from './payouts.ts'

/** A person decides about a payout, whose account must have them as an approver. */
export async function approval(
  audit: Sql,
  payout_id: string,
  asked: AskedDecision,
): Promise<Deed<Advance, AdvanceState, AdvanceOutcome>> {
  const account_id = await accountOfPayout(audit, payout_id)
  const step = { account_id, payout_id, steps: [], by: 'approval', ask_again_in_ms: null } as const
  return {
    operation: advancePayout,
    command: { ...step, act: asked },
    act: ({ payout: { id, status }, approval: { decision } }) => ({
      table_name: 'payout_approvals',
      reason: asked.reason,
      before: { account_id, id, status: 'pending_approval' },
      after: { account_id, id, status, decision: asked.decision, digest: decision?.digest ?? '' },
    }),
  }
}
