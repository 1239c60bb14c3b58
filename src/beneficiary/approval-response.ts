// Answers about beneficiaries' approvals: how many people must approve, and their decisions.
import type { OpenBeneficiaryApproval } from '../approval/approval.ts'
import { DecisionResponse, presentOpen } from '../approval/response.ts'
import { Id, Literals, Timestamp, textOrNull } from '../http/schema.ts'
import { Type } from '../http/type.ts'

export const BeneficiaryApprovalResponse = Type.Object(
  {
    object: Type.Literal('beneficiary_approval'),
    beneficiary: Id('bnf', 'The beneficiary.'),
    status: Literals(['pending', 'approved', 'rejected'] as const, {
      description: 'Whether the approval still waits, or how it has ended.',
    }),
    needed: Type.Integer({ minimum: 1, description: 'How many people must approve.' }),
    given: Type.Integer({
      minimum: 0,
      description: 'How many people have approved, of those who may approve now.',
    }),
    digest: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description:
        'SHA-256 of the whole beneficiary for which the approval was requested. Whoever ' +
        'approves sends this digest.',
    }),
    made_by: Type.Array(Type.String(), {
      description:
        'Who has made the beneficiary or changed it since its last approval. These people ' +
        'cannot approve it.',
    }),
    requested_at: Timestamp,
    expires_at: Timestamp,
    ended_at: textOrNull({ format: 'date-time' }),
    decisions: Type.Array(DecisionResponse, { description: 'The oldest first.' }),
  },
  {
    title: 'BeneficiaryApproval',
    description: 'The approvals that a beneficiary needs before a payout may go to it.',
  },
)

export function presentBeneficiaryApproval(
  open: OpenBeneficiaryApproval,
  approvers: ReadonlySet<string>,
) {
  const { beneficiary_id: beneficiary } = open.approval
  return { object: 'beneficiary_approval', beneficiary, ...presentOpen(open, approvers) }
}
