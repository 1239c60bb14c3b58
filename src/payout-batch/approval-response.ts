// Answers about the approval of a batch: what of it waits, and what a decision has come to.
import { APPROVAL_OUTCOMES, DECISIONS, type Decision } from '../approval/approval.ts'
import { Id, Literals } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { PAYOUT_STATUSES } from '../payout/states.ts'
import { digestOfWaiting, isWaiting } from './approval.ts'
import type { DecidedBatch, ShownBatchApproval } from './approval-operation.ts'

const Batch = Id('pob', 'The batch.')
const Count = (description: string) => Type.Integer({ minimum: 0, description })

export const BatchApprovalResponse = Type.Object(
  {
    object: Type.Literal('payout_batch_approval'),
    payout_batch: Batch,
    waiting: Count('How many payouts of the batch wait for an approval.'),
    totals: Type.Array(
      Type.Object(
        {
          currency: Type.String({ description: 'What is paid in.' }),
          payouts: Type.Integer(),
          amount: Type.String({ description: 'Without fees, in minor units as text.' }),
        },
        { title: 'WaitingTotal' },
      ),
      { description: 'Of those that wait.' },
    ),
    needed: Count('How many people must approve, of the payout that needs the most.'),
    expires_at: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'date-time',
      description: 'When the first of them fails unless it is approved; null when none waits.',
    }),
    digest: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description:
        'SHA-256 over the digests of all that wait, in the order of the batch. Whoever approves ' +
        'sends it.',
    }),
    ended: Type.Array(
      Type.Object(
        { status: Literals(APPROVAL_OUTCOMES), payouts: Type.Integer() },
        { title: 'EndedApprovals' },
      ),
      { description: 'How the approvals of the others have ended.' },
    ),
  },
  { title: 'PayoutBatchApproval', description: 'What of a batch waits for people.' },
)

export function presentBatchApproval(id: string, { approvals, totals }: ShownBatchApproval) {
  const waiting = approvals.filter(isWaiting)
  const times = waiting.map(({ approval }) => approval.expires_at).sort()
  const outcomes = APPROVAL_OUTCOMES.map(status => {
    return { status, payouts: approvals.filter(one => one.approval.outcome === status).length }
  })
  return {
    object: 'payout_batch_approval',
    payout_batch: id,
    waiting: waiting.length,
    totals: totals.map(({ currency, payouts, amount }) => {
      return { currency, payouts, amount: String(amount) }
    }),
    needed: waiting.reduce((most, { approval }) => Math.max(most, approval.approvers), 0),
    expires_at: times[0] ?? null,
    digest: digestOfWaiting(waiting),
    ended: outcomes.filter(({ payouts }) => payouts > 0),
  }
}

export const BatchDecisionResponse = Type.Object(
  {
    object: Type.Literal('payout_batch_decision'),
    payout_batch: Batch,
    decision: Literals(DECISIONS),
    payouts: Type.Array(
      Type.Object(
        { status: Literals(PAYOUT_STATUSES), payouts: Type.Integer() },
        { title: 'DecidedPayouts' },
      ),
      {
        description:
          'What has become of those that it was about; `pending_approval` where others must ' +
          'approve, too.',
      },
    ),
  },
  { title: 'PayoutBatchDecision' },
)

export function presentBatchDecision(decision: Decision, { batch_id, statuses }: DecidedBatch) {
  return {
    object: 'payout_batch_decision',
    payout_batch: batch_id,
    decision,
    payouts: Array.from(statuses, ([status, payouts]) => ({ status, payouts })),
  }
}
