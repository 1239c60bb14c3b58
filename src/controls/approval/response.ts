// The answers about approvals of payouts and of beneficiaries: how many approvers are needed, and
// each person's decision.
import type { TSchema } from 'typebox'
import { Id, Literals, Timestamp, textOrNull } from '../../http/schema.ts'
import { Type } from '../../http/type.ts'
import {
  APPROVAL_OUTCOMES,
  type Approval,
  type ApprovalWithDecisions,
  type ApproversOfAccount,
  DECISIONS,
  type OpenApproval,
  type OpenBeneficiaryApproval,
  type UserDecision,
} from './approval.ts'
import { countedApprovals } from './rules.ts'

const DecisionResponse = Type.Object(
  {
    user: Type.String({ description: 'The name of the person.' }),
    decision: Literals(DECISIONS),
    reason: Type.String({ description: 'The reason, if the person gave one.' }),
    decided_at: Timestamp,
  },
  { title: 'ApprovalDecision' },
)

/** The members that the answers about all approvals share, in their order. */
function approvalMembers<Outcome extends string, Made extends TSchema>(
  outcomes: readonly Outcome[],
  made_by: Made,
  digest: string,
) {
  return {
    status: Literals(['pending', ...outcomes], {
      description: 'Whether the approval still waits, or how it has ended.',
    }),
    needed: Type.Integer({ minimum: 1, description: 'How many people must approve.' }),
    given: Type.Integer({
      minimum: 0,
      description: 'How many people have approved, of those who may approve now.',
    }),
    digest: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: `${digest} Whoever approves sends this digest.`,
    }),
    made_by,
    requested_at: Timestamp,
    expires_at: Timestamp,
    ended_at: textOrNull({ format: 'date-time' }),
    decisions: Type.Array(DecisionResponse, { description: 'The oldest first.' }),
  }
}

export const ApprovalResponse = Type.Object(
  {
    object: Type.Literal('payout_approval'),
    payout: Id('pot', 'The payout.'),
    payout_import: Type.String({
      description:
        'The import that has made the payout, `pim_…`, whose payouts can be decided ' +
        'together; empty for a payout that no file has made.',
    }),
    ...approvalMembers(
      APPROVAL_OUTCOMES,
      Type.String({
        description: 'The person who made the payout; empty when a key without an owner made it.',
      }),
      'SHA-256 of everything that the payout was made with.',
    ),
  },
  { title: 'PayoutApproval', description: 'The approvals that a payout needs before it goes out.' },
)

export const BeneficiaryApprovalResponse = Type.Object(
  {
    object: Type.Literal('beneficiary_approval'),
    beneficiary: Id('bnf', 'The beneficiary.'),
    ...approvalMembers(
      ['approved', 'rejected'],
      Type.Array(Type.String(), {
        description:
          'Who has made the beneficiary or changed it since its last approval. These people ' +
          'cannot approve it.',
      }),
      'SHA-256 of the whole beneficiary for which the approval was requested.',
    ),
  },
  {
    title: 'BeneficiaryApproval',
    description: 'The approvals that a beneficiary needs before a payout may go to it.',
  },
)

/** An approval at this moment, and the users who may decide it. */
interface ShownApproval {
  readonly open: OpenApproval
  readonly approvers: ApproversOfAccount
  /** '' when no import made the payout. */
  readonly payout_import: string
}

export function presentApproval({ open, approvers, payout_import }: ShownApproval) {
  const { payout_id: payout } = open.approval
  return { object: 'payout_approval', payout, payout_import, ...presentOpen(open, approvers) }
}

export function presentBeneficiaryApproval(
  open: OpenBeneficiaryApproval,
  approvers: ApproversOfAccount,
) {
  const { beneficiary_id: beneficiary } = open.approval
  return { object: 'beneficiary_approval', beneficiary, ...presentOpen(open, approvers) }
}

function presentOpen<Of extends Approval>(
  open: ApprovalWithDecisions<Of, UserDecision>,
  approvers: ApproversOfAccount,
) {
  const { approval, decisions } = open
  const { approvers: needed, outcome, digest, made_by, requested_at, expires_at } = approval
  return {
    status: outcome === '' ? 'pending' : outcome,
    needed,
    given: countedApprovals(open, approvers).length,
    digest,
    made_by: made_by as Of['made_by'],
    requested_at,
    expires_at,
    ended_at: approval.ended_at,
    decisions: decisions.map(({ user_name: user, decision, reason, decided_at }) => {
      return { user, decision, reason, decided_at }
    }),
  }
}
