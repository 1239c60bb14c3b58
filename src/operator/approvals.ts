// The writes of approvers, who approve or reject what waits, and what they see before.
import type { TSchema } from 'typebox'
import { findBeneficiaryApprovals, findPayoutApprovals } from '../controls/approval/operations.ts'
import {
  ApprovalResponse,
  BeneficiaryApprovalResponse,
  presentApproval,
  presentBeneficiaryApproval,
} from '../controls/approval/response.ts'
import type { AskedDecision } from '../controls/approval/rules.ts'
import { decideBeneficiaryApproval } from '../parties/beneficiary/operations.ts'
import { BeneficiaryResponse, presentBeneficiary } from '../parties/beneficiary/response.ts'
import { findBeneficiaries } from '../parties/beneficiary/store.ts'
import { advancePayout } from '../payouts/advance/advance-operation.ts'
import {
  type DecidedGroup,
  importOf,
  isImport,
  MAX_TOGETHER,
  type ShownGroup,
} from '../payouts/group/group.ts'
import { type DecideGroup, decideGroup, findGroup } from '../payouts/group/operations.ts'
import {
  BatchApprovalResponse,
  BatchDecisionResponse,
  ImportApprovalResponse,
  ImportDecisionResponse,
  presentGroupApproval,
  presentGroupDecision,
} from '../payouts/group/response.ts'
import { findGroupAccount } from '../payouts/group/store.ts'
import { PayoutResponse, presentPayout } from '../payouts/response.ts'
import { findPayouts } from '../payouts/store.ts'
import type { Sql, TransactionSql } from '../sql/connect.ts'
import type { Reason } from '../values/errors.ts'
import type { IdPrefix, Key } from '../values/id.ts'
import { moneyWords } from '../values/money/words.ts'
import { toSecond } from '../values/text/age.ts'
import type { OperatorWrites } from './action.ts'
import { accountIdOf, known, writeOf } from './operator-write.ts'

export function decisionWrite({ account_id, id: payout_id }: Key, asked: AskedDecision) {
  const command = { account_id, payout_id, by: 'approval', decided: asked } as const
  return writeOf(advancePayout, command, ({ payout: { id, status }, approval: { decision } }) => ({
    table_name: 'payout_approvals',
    reason: asked.reason,
    before: { account_id, id, status: 'pending_approval' },
    after: { account_id, id, status, decision: asked.decision, digest: decision?.digest ?? '' },
  }))
}

/** Refuses (404) an unknown id. */
async function accountOfGroup(audit: Sql, id: string): Promise<string> {
  const kind = isImport(id) ? 'payout import' : 'payout batch'
  return known(kind, id, await findGroupAccount(audit, id))
}

function groupDecisionWrite({ account_id, id: group_id }: Key, asked: AskedDecision) {
  const command: DecideGroup = { account_id, group_id, asked }
  return {
    operation: decideGroup,
    command,
    act: ({ statuses, digest }: DecidedGroup) => {
      const payouts = [...statuses.values()].reduce((sum, count) => sum + count, 0)
      return {
        table_name: 'payout_approvals' as const,
        reason: asked.reason,
        before: { account_id, id: group_id, status: 'pending_approval' },
        after: {
          ...{ account_id, id: group_id, payouts: String(payouts) },
          ...{ decision: asked.decision, digest },
        },
      }
    },
  }
}

function beneficiaryDecisionWrite({ account_id, id }: Key, asked: AskedDecision) {
  const command = { account_id, id, asked }
  return writeOf(decideBeneficiaryApproval, command, ({ beneficiary, decision: { digest } }) => ({
    table_name: 'beneficiary_approvals',
    reason: asked.reason,
    before: { account_id, id, status: 'pending_approval' },
    after: { account_id, id, status: beneficiary.approval, decision: asked.decision, digest },
  }))
}

/** Undefined when the payout never needed an approval. */
async function findApproval(tx: TransactionSql, key: Key) {
  const [[shown], [payout]] = await Promise.all([
    findPayoutApprovals(tx, [key]),
    findPayouts(tx, [key]),
  ])
  return shown && payout && { ...shown, payout, payout_import: importOf(payout) }
}

/** The latest one; undefined when the beneficiary never needed one. */
async function findBeneficiaryApproval(tx: TransactionSql, key: Key) {
  const [[shown], [beneficiary]] = await Promise.all([
    findBeneficiaryApprovals(tx, [key]),
    findBeneficiaries(tx, [key]),
  ])
  return shown && beneficiary && { ...shown, beneficiary }
}

interface RouteDocs {
  readonly summary: string
  readonly description?: string
}

export interface ApprovalKind<Shown = unknown> {
  /** The name of the kind in operationIds, such as `Payout` in `approvePayout`. */
  readonly name: string
  /** The group of its commands, which name the acts in the audit log. */
  readonly group: 'payout' | 'beneficiary'
  readonly path: string
  readonly prefix: IdPrefix
  readonly show: RouteDocs & { readonly response: TSchema }
  /** Refuses (404) an unknown id. */
  accountOf(audit: Sql, id: string): Promise<string>
  find(tx: TransactionSql, key: Key): Promise<Shown | undefined>
  present(shown: Shown, id: string): object
  /** What a command shows, one line each. */
  words(shown: Shown, id: string): readonly string[]
  readonly approve: RouteDocs
  readonly reject: RouteDocs
  readonly decided: TSchema
  /** The refusals of a decision besides those of every kind. */
  readonly refusals?: readonly Reason[]
  decide<Answer>(writes: OperatorWrites<Answer>, key: Key, asked: AskedDecision): Promise<Answer>
}

/** What a command shows of a decision. */
export interface Told {
  readonly data: object
  /** What follows of it, in words; empty for nothing. */
  readonly outcome: string
}

const kind = <Shown>(one: ApprovalKind<Shown>): ApprovalKind => one as ApprovalKind

const WAITS_ON = 'others must, too'

export const PAYOUT = kind({
  name: 'Payout',
  group: 'payout',
  path: '/v3/payout',
  prefix: 'pot',
  show: {
    summary: 'Show the approvals that a payout needs before it goes out, and who has approved it.',
    description: 'For a payout that has needed no approval the answer is 404.',
    response: ApprovalResponse,
  },
  accountOf: (audit, id) => accountIdOf(audit, 'payout', id),
  find: findApproval,
  present: shown => presentApproval(shown),
  words(shown) {
    const { id, currency, amount, status, beneficiary_details } = shown.payout
    const head = `${id}  ${moneyWords(amount, currency)} to ${beneficiary_details.name}; ${status}`
    const { payout_import, ...approval } = presentApproval(shown)
    return [head, ...approvalLines(approval, payout_import)]
  },
  approve: {
    summary: 'Approve a payout as it was shown to you.',
    description:
      'For a person with the role approver on the account who has not made the payout. ' +
      'After the last approval that it needs, the payout is `processing`, or held if a ' +
      'review must come first; a transfer to another account is paid.',
  },
  reject: {
    summary: 'Reject a payout.',
    description:
      'One rejection is enough: the payout becomes `failed` with code `PF000400`, and ' +
      'with the answer amount and fees are back in the balance.',
  },
  decided: PayoutResponse,
  refusals: ['rate_stale', 'rate_unavailable'],
  decide: (writes, key, asked) =>
    writes.write(decisionWrite(key, asked), {
      answer: ({ payout }) => presentPayout(payout),
      inCommand: ({ payout: { id, status } }): Told => ({
        data: { payout: id, decision: asked.decision, status },
        outcome: status === 'pending_approval' ? WAITS_ON : status,
      }),
    }),
})

/** What batches and imports have in common. */
const GROUP_KIND: Pick<
  ApprovalKind<ShownGroup>,
  'group' | 'accountOf' | 'find' | 'present' | 'words' | 'decide'
> = {
  group: 'payout',
  accountOf: accountOfGroup,
  find: findGroup,
  present: (shown, id) => presentGroupApproval(id, shown),
  words: groupLines,
  decide: (writes, key, asked) =>
    writes.longWrite(groupDecisionWrite(key, asked), {
      answer: decided => presentGroupDecision(asked.decision, decided),
      inCommand(decided): Told {
        const data = presentGroupDecision(asked.decision, decided)
        const counts = data.payouts.map(({ status, payouts }) => `${payouts} ${status}`)
        return { data, outcome: counts.join(', ') }
      },
    }),
}

export const BATCH = kind({
  name: 'PayoutBatch',
  path: '/v3/payout_batch',
  prefix: 'pob',
  show: {
    summary: 'Show the payouts of a batch that wait for approval, with one digest of all of them.',
    response: BatchApprovalResponse,
  },
  approve: {
    summary: 'Approve all payouts of a batch that wait, as they were shown to you.',
    description:
      'The approval is one transaction: either all payouts that you have not decided yet ' +
      'are approved, or none. After the last approval that it needs, each payout ' +
      'continues as if it were approved alone.',
  },
  reject: {
    summary: 'Reject all payouts of a batch that wait.',
    description:
      'The rejection is one transaction. Each payout becomes `failed` with code ' +
      '`PF000400`, and with the answer amount and fees are back in the balance. Payouts ' +
      'that were approved before, and no longer wait, continue.',
  },
  decided: BatchDecisionResponse,
  ...GROUP_KIND,
})

export const IMPORT = kind({
  name: 'PayoutImport',
  path: '/v3/payout_import',
  prefix: 'pim',
  show: {
    summary:
      'Show the payouts of an import that wait for approval, with one digest of all of ' + 'them.',
    description:
      `The answer covers at most the ${MAX_TOGETHER} payouts of the import that have waited ` +
      'longest. GET /v3/payout_import/{id}/payout lists all payouts of the import.',
    response: ImportApprovalResponse,
  },
  approve: {
    summary: 'Approve all payouts of an import that wait, as they were shown to you.',
    description:
      'The approval is one transaction: either all payouts that were shown and that you ' +
      'have not decided yet are approved, or none. After the last approval that it needs, ' +
      'each payout continues as if it were approved alone.',
  },
  reject: {
    summary: 'Reject all payouts of an import that wait.',
    description:
      `The rejection is one transaction, of at most the ${MAX_TOGETHER} payouts that have ` +
      'waited longest. Each becomes `failed` with code `PF000400`, and with the answer amount ' +
      'and fees are back in the balance. Payouts that were approved before continue. Payouts ' +
      'that the import makes later wait for their own approval.',
  },
  decided: ImportDecisionResponse,
  ...GROUP_KIND,
})

export const BENEFICIARY = kind({
  name: 'Beneficiary',
  group: 'beneficiary',
  path: '/v3/beneficiary',
  prefix: 'bnf',
  show: {
    summary:
      'Show the approvals that a beneficiary needs before it is paid, and who has approved ' +
      'it.',
    description:
      'The answer is the latest approval. For a beneficiary that has needed no approval it ' +
      'is 404.',
    response: BeneficiaryApprovalResponse,
  },
  accountOf: (audit, id) => accountIdOf(audit, 'beneficiary', id),
  find: findBeneficiaryApproval,
  present: ({ open, approvers }) => presentBeneficiaryApproval(open, approvers),
  words({ beneficiary, open, approvers }) {
    const { id, details } = beneficiary
    const head = `${id}  ${details.name}, ${JSON.stringify(details.destination_details)}`
    const approval = presentBeneficiaryApproval(open, approvers)
    return [head, ...approvalLines({ ...approval, made_by: approval.made_by.join(', ') })]
  },
  approve: {
    summary: 'Approve a beneficiary as it was shown to you.',
    description:
      'For a person with the role approver on the account who has neither made nor ' +
      'changed the beneficiary. After the last approval that it needs, payouts may go to ' +
      'the beneficiary.',
  },
  reject: {
    summary: 'Reject a beneficiary.',
    description: 'No payout may go to a rejected beneficiary. After a change it can be approved.',
  },
  decided: BeneficiaryResponse,
  refusals: ['party_erased'],
  decide: (writes, key, asked) =>
    writes.write(beneficiaryDecisionWrite(key, asked), {
      answer: ({ beneficiary }) => presentBeneficiary(beneficiary),
      inCommand: ({ beneficiary: { id, approval: status } }): Told => ({
        data: { beneficiary: id, decision: asked.decision, status },
        outcome: status === 'pending_approval' ? WAITS_ON : '',
      }),
    }),
})

function groupLines(shown: ShownGroup, id: string): readonly string[] {
  const approval = presentGroupApproval(id, shown)
  const { waiting, further = 0, totals, needed, expires_at, digest, ended } = approval
  const others = further > 0 && `${further} wait besides, and come after these`
  const outcomes = ended.map(({ status, payouts }) => `${payouts} ${status}`).join(', ')
  const waits = [`approvals  ${needed}`, `until      ${toSecond(expires_at)}`]
  return [
    [`${id}  ${waiting} payouts wait`, others, outcomes].filter(Boolean).join('; '),
    ...totals.map(({ currency, payouts, amount }) => {
      return `${moneyWords(BigInt(amount), currency)} in ${payouts} payouts`
    }),
    ...(expires_at === null ? [] : [...waits, `digest     ${digest}`]),
  ]
}

type Approval = Omit<ReturnType<typeof presentApproval>, 'object' | 'payout' | 'payout_import'>

function approvalLines(approval: Approval, payout_import = ''): readonly string[] {
  const { needed, given, status, expires_at, made_by, digest, decisions } = approval
  return [
    `approvals  ${given} of ${needed}; ${status}`,
    `until      ${toSecond(expires_at)}`,
    `made by    ${made_by || 'a key that is nobody’s'}`,
    ...(payout_import === '' ? [] : [`import     ${payout_import}, which can be approved as one`]),
    `digest     ${digest}`,
    ...decisions.map(({ decided_at, user, decision, reason }) => {
      return `${toSecond(decided_at)}  ${user}: ${decision}${reason && `, ${reason}`}`
    }),
  ]
}
