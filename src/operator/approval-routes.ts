// The routes of approvers, who call in their own name: GET /v3/…/{id}/approval shows what waits,
// POST …/approve and …/reject decide. Payouts, batches, imports and beneficiaries have them.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import type { Decision } from '../approval/approval.ts'
import { ApproveRequest, RejectRequest } from '../approval/request.ts'
import {
  ApprovalResponse,
  BeneficiaryApprovalResponse,
  presentApproval,
  presentBeneficiaryApproval,
} from '../approval/response.ts'
import type { AskedDecision } from '../approval/rules.ts'
import { BeneficiaryResponse, presentBeneficiary } from '../beneficiary/response.ts'
import type { TransactionSql } from '../db/connect.ts'
import type { Reads } from '../engine/reads.ts'
import { found, type Reason } from '../errors.ts'
import { given } from '../given.ts'
import { AccountRoutes } from '../http/account-routes.ts'
import { send } from '../http/answer.ts'
import { pathId } from '../http/docs.ts'
import type { Reply } from '../http/idempotency/kept-reply.ts'
import { addRoute } from '../http/route.ts'
import type { IdPrefix, Key } from '../id.ts'
import { PayoutResponse, presentPayout } from '../payout/response.ts'
import { MAX_TOGETHER, type ShownGroup } from '../payout-group/group.ts'
import { findGroup } from '../payout-group/operations.ts'
import {
  BatchApprovalResponse,
  BatchDecisionResponse,
  ImportApprovalResponse,
  ImportDecisionResponse,
  presentGroupApproval,
  presentGroupDecision,
} from '../payout-group/response.ts'
import {
  beneficiaryDecisionDeed,
  decisionDeed,
  findApproval,
  findBeneficiaryApproval,
  groupDecisionDeed,
} from './approvals.ts'
import { callOf, type Desk, operatorOf } from './desk.ts'
import { checkWords } from './request.ts'

interface Needs extends Pick<Reads, 'read'> {
  readonly desk: Desk
}

interface RouteDocs {
  readonly summary: string
  readonly description?: string
}

/** A kind of object that people approve: its paths, its answers, and what a decision runs. */
interface ApprovalKind<Shown> {
  /** The name of the kind in operationIds, such as `Payout` in `approvePayout`. */
  readonly name: string
  readonly path: string
  readonly prefix: IdPrefix
  readonly show: RouteDocs & { readonly response: TSchema }
  find(tx: TransactionSql, key: Key): Promise<Shown | undefined>
  present(shown: Shown, id: string): object
  readonly approve: RouteDocs
  readonly reject: RouteDocs
  /** The answer to a decision. */
  readonly decided: TSchema
  /** The refusals of a decision besides those of every kind. */
  readonly refusals?: readonly Reason[]
  decide(desk: Desk, request: FastifyRequest, key: Key, asked: AskedDecision): Promise<Reply>
}

export function payoutApprovalRoutes(app: FastifyInstance, deps: Needs): void {
  approvalRoutes(app, deps, {
    name: 'Payout',
    path: '/v3/payout',
    prefix: 'pot',
    show: {
      summary:
        'Show the approvals that a payout needs before it goes out, and who has approved it.',
      description: 'For a payout that has needed no approval the answer is 404.',
      response: ApprovalResponse,
    },
    find: findApproval,
    present: presentApproval,
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
    decide: (desk, request, key, asked) =>
      desk.answer(
        callOf(request, `payout ${asked.decision}`),
        decisionDeed(key, asked),
        ({ payout }) => presentPayout(payout),
      ),
  })
}

export function batchApprovalRoutes(app: FastifyInstance, deps: Needs): void {
  approvalRoutes(app, deps, {
    name: 'PayoutBatch',
    path: '/v3/payout_batch',
    prefix: 'pob',
    show: {
      summary:
        'Show the payouts of a batch that wait for approval, with one digest of all of them.',
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
}

export function importApprovalRoutes(app: FastifyInstance, deps: Needs): void {
  approvalRoutes(app, deps, {
    name: 'PayoutImport',
    path: '/v3/payout_import',
    prefix: 'pim',
    show: {
      summary:
        'Show the payouts of an import that wait for approval, with one digest of all of ' +
        'them.',
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
}

/** What batches and imports have in common. */
const GROUP_KIND: Pick<ApprovalKind<ShownGroup>, 'find' | 'present' | 'decide'> = {
  find: findGroup,
  present: (shown, id) => presentGroupApproval(id, shown),
  decide: (desk, request, key, asked) =>
    desk.answerLong(
      callOf(request, `payout ${asked.decision}`),
      groupDecisionDeed(key, asked),
      decided => presentGroupDecision(asked.decision, decided),
    ),
}

export function beneficiaryApprovalRoutes(app: FastifyInstance, deps: Needs): void {
  approvalRoutes(app, deps, {
    name: 'Beneficiary',
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
    find: findBeneficiaryApproval,
    present: ({ open, approvers }) => presentBeneficiaryApproval(open, approvers),
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
    decide: (desk, request, key, asked) =>
      desk.answer(
        callOf(request, `beneficiary ${asked.decision}`),
        beneficiaryDecisionDeed(key, asked),
        ({ beneficiary }) => presentBeneficiary(beneficiary),
      ),
  })
}

function approvalRoutes<Shown>(app: FastifyInstance, deps: Needs, kind: ApprovalKind<Shown>): void {
  new AccountRoutes(app, deps).read(`${kind.path}/:id/approval`, {
    operationId: `get${kind.name}Approval`,
    ...kind.show,
    params: pathId(kind.prefix),
    refusals: ['not_found'],
    async answer({ params: { id }, account: { account_id } }) {
      const shown = await deps.read(account_id, tx => kind.find(tx, { account_id, id }))
      return kind.present(found(shown), id)
    },
  })
  decisionRoute(app, deps, kind, 'approve', ApproveRequest)
  decisionRoute(app, deps, kind, 'reject', RejectRequest)
}

function decisionRoute(
  app: FastifyInstance,
  deps: Needs,
  kind: Omit<ApprovalKind<never>, 'find' | 'present'>,
  decision: Decision,
  body: typeof ApproveRequest | typeof RejectRequest,
): void {
  addRoute<{ Params: { id: string }; Body: ApproveRequest | RejectRequest }>(
    app,
    `${kind.path}/:id/${decision}`,
    'approve',
    {
      method: 'POST',
      config: { asksPassword: true, check: checkWords },
      operationId: `${decision}${kind.name}`,
      ...kind[decision],
      params: pathId(kind.prefix),
      body,
      response: kind.decided,
      idempotent: true,
      refusals: [
        ...(['not_found', 'approval_not_allowed', 'already_decided'] as const),
        ...(['approval_outdated', 'invalid_transition'] as const),
        ...(kind.refusals ?? []),
      ],
      async send(request, reply) {
        const key = { account_id: request.account.account_id, id: request.params.id }
        const { digest, reason = '' } = request.body
        const { name: user_name } = operatorOf(request)
        const asked = given({ user_name, decision, reason, digest })
        return send(reply, await kind.decide(deps.desk, request, key, asked))
      },
    },
  )
}
