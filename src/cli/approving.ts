// What people who approve payouts, batches or beneficiaries are shown, and what they say.
import type { Decision } from '../approval/approval.ts'
import type { presentApproval } from '../approval/response.ts'
import type { AskedDecision } from '../approval/rules.ts'
import { type Context, personOf } from './context.ts'
import { toSecond } from './table.ts'
import { visible } from './terminal.ts'

/** The options by which people decide. */
export interface Deciding {
  readonly digest?: string
  readonly reason?: string
}

export const DONE: Readonly<Record<Decision, string>> = { approve: 'approved', reject: 'rejected' }

export function askedBy(
  context: Context,
  decision: Decision,
  { digest, reason = '' }: Deciding,
): AskedDecision {
  const user_name = personOf(context)
  return { user_name, decision, reason, ...(digest !== undefined && { digest }) }
}

type Approval = Omit<ReturnType<typeof presentApproval>, 'object' | 'payout' | 'payout_import'>

/** A fact a line, then who has decided. `others` stand before the digest. */
export function approvalLines(
  { needed, given, status, expires_at, made_by, digest, decisions }: Approval,
  others: readonly string[] = [],
): string[] {
  return [
    `approvals  ${given} of ${needed}; ${status}`,
    `until      ${toSecond(expires_at)}`,
    `made by    ${made_by || 'a key that is nobody’s'}`,
    ...others,
    `digest     ${digest}`,
    ...decisions.map(({ decided_at, user, decision, reason }) =>
      visible(`${toSecond(decided_at)}  ${user}: ${decision}${reason && `, ${reason}`}`),
    ),
  ]
}
