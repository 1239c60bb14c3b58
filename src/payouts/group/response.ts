// The answers about groups: which groups wait, which payouts of a group wait, and the result of a
// decision.
import { APPROVAL_OUTCOMES, DECISIONS, type Decision } from '../../controls/approval/approval.ts'
import { Id, Literals, Timestamp, textOrNull } from '../../http/schema.ts'
import { Type } from '../../http/type.ts'
import { idPatternOf } from '../../values/id.ts'
import { PAYOUT_STATUSES } from '../states.ts'
import {
  type DecidedGroup,
  isImport,
  type ShownGroup,
  type WaitingGroup,
  type WaitingTotal,
} from './group.ts'
import { approversOf, digestOfWaiting, makersOf } from './rules.ts'

const Batch = Id('pob', 'The batch.')
const Import = Id('pim', 'The import.')
const Count = (description: string) => Type.Integer({ minimum: 0, description })

export const Total = Type.Object(
  {
    currency: Type.String({ description: 'The currency that the payouts pay out.' }),
    payouts: Type.Integer(),
    amount: Type.String({ description: 'The amount without fees, in minor units as text.' }),
  },
  { title: 'WaitingTotal' },
)
const Totals = Type.Array(Total, { description: 'The totals of the payouts that wait.' })

/**
 * The members of both approval answers. `order` is the order of the digest, for its description.
 */
function approvalMembers(order: string) {
  return {
    totals: Totals,
    made_by: Type.Array(Type.String(), {
      description: 'Who made the payouts that wait. These people cannot approve them.',
    }),
    approved_by: Type.Array(Type.String(), {
      description: 'Who has approved all payouts that wait, where others must approve, too.',
    }),
    needed: Count('How many people must approve: the most that any payout needs.'),
    expires_at: textOrNull({
      format: 'date-time',
      description:
        'When the first of the payouts that wait fails unless it is approved; null when none ' +
        'waits.',
    }),
    digest: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description:
        `SHA-256 over the digests of all that wait, in the order of the ${order}. Whoever ` +
        'approves sends it.',
    }),
    ended: Type.Array(
      Type.Object(
        { status: Literals(APPROVAL_OUTCOMES), payouts: Type.Integer() },
        { title: 'EndedApprovals' },
      ),
      { description: 'How the approvals of the other payouts have ended.' },
    ),
  }
}

export const BatchApprovalResponse = Type.Object(
  {
    object: Type.Literal('payout_batch_approval'),
    payout_batch: Batch,
    waiting: Count('How many payouts of the batch wait for an approval.'),
    ...approvalMembers('batch'),
  },
  { title: 'PayoutBatchApproval', description: 'The payouts of a batch that wait for approval.' },
)

export const ImportApprovalResponse = Type.Object(
  {
    object: Type.Literal('payout_import_approval'),
    payout_import: Import,
    waiting: Count('How many payouts of the import wait and are decided together.'),
    further: Count('How many more payouts wait. They are shown once these are decided.'),
    ...approvalMembers('payouts’ ids'),
  },
  {
    title: 'PayoutImportApproval',
    description: 'The payouts of an import that wait for approval.',
  },
)

/** The answer about the waiting payouts of a batch or an import. */
export function presentGroupApproval(id: string, { waiting, totals, counts }: ShownGroup) {
  const countOf = (outcome: string) => counts.find(one => one.outcome === outcome)?.payouts ?? 0
  const times = waiting.map(({ approval }) => approval.expires_at).sort()
  const outcomes = APPROVAL_OUTCOMES.map(status => ({ status, payouts: countOf(status) }))
  return {
    ...headOf(id, 'approval'),
    waiting: waiting.length,
    ...(isImport(id) && { further: countOf('') - waiting.length }),
    totals: totals.map(presentTotal),
    made_by: makersOf(waiting),
    approved_by: approversOf(waiting),
    needed: waiting.reduce((most, { approval }) => Math.max(most, approval.approvers), 0),
    expires_at: times[0] ?? null,
    digest: digestOfWaiting(waiting),
    ended: outcomes.filter(({ payouts }) => payouts > 0),
  }
}

function presentTotal({ currency, payouts, amount }: WaitingTotal) {
  return { currency, payouts, amount: String(amount) }
}

export const GroupResponse = Type.Object(
  {
    object: Type.Literal('payout_group'),
    id: Type.String({
      pattern: idPatternOf(['pob', 'pim']),
      description: 'The batch or the import.',
    }),
    totals: Totals,
    made_by: Type.Array(Type.String(), { description: 'Who made the payouts that wait.' }),
    since: Timestamp,
  },
  {
    title: 'PayoutGroup',
    description: 'A batch or an import with payouts that wait for approval.',
  },
)

export const GroupsResponse = Type.Object(
  {
    object: Type.Literal('payout_groups'),
    groups: Type.Array(GroupResponse, { description: 'Newest first.' }),
  },
  {
    title: 'PayoutGroups',
    description:
      'The batches and imports that wait for approval, each of which can be approved as one.',
  },
)

export function presentGroups(groups: readonly WaitingGroup[]) {
  return { object: 'payout_groups', groups: groups.map(presentGroup) }
}

function presentGroup({ id, totals, made_by, since }: WaitingGroup) {
  return { object: 'payout_group', id, totals: totals.map(presentTotal), made_by, since }
}

const Decided = Type.Array(
  Type.Object(
    { status: Literals(PAYOUT_STATUSES), payouts: Type.Integer() },
    { title: 'DecidedPayouts' },
  ),
  {
    description:
      'The statuses of the payouts that were decided; `pending_approval` where others must ' +
      'approve, too.',
  },
)

export const BatchDecisionResponse = Type.Object(
  {
    object: Type.Literal('payout_batch_decision'),
    payout_batch: Batch,
    decision: Literals(DECISIONS),
    payouts: Decided,
  },
  { title: 'PayoutBatchDecision' },
)

export const ImportDecisionResponse = Type.Object(
  {
    object: Type.Literal('payout_import_decision'),
    payout_import: Import,
    decision: Literals(DECISIONS),
    payouts: Decided,
  },
  { title: 'PayoutImportDecision' },
)

/** The answer of a decision about a batch or an import. */
export function presentGroupDecision(decision: Decision, { group_id, statuses }: DecidedGroup) {
  const payouts = Array.from(statuses, ([status, payouts]) => ({ status, payouts }))
  return { ...headOf(group_id, 'decision'), decision, payouts }
}

/** The members that name the object and the group. */
function headOf(id: string, about: 'approval' | 'decision'): object {
  const kind = isImport(id) ? 'payout_import' : 'payout_batch'
  return { object: `${kind}_${about}`, [kind]: id }
}
