// POST and GET /v3/payout, GET and PUT /v3/payout/{id}, POST /v3/payout/{id}/cancel and /action.
import type { FastifyRequest } from 'fastify'
import type { Runs } from '../engine/lanes.ts'
import type { DryRun } from '../engine/load-only.ts'
import type { Reads } from '../engine/reads.ts'
import type { AccountRoutes } from '../http/account-routes.ts'
import { success } from '../http/answer.ts'
import { makingOf } from '../http/author.ts'
import { pathId } from '../http/docs.ts'
import { expandAll } from '../http/expand.ts'
import type { Answered } from '../http/idempotency/operations.ts'
import { checkList, type ExpandingListQuery, type ListQuery, readList } from '../http/list.ts'
import { Closed } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { found } from '../values/errors.ts'
import { checkAction } from './action.ts'
import type { AnswerPayout, CancelPayout } from './advance/advance-operation.ts'
import type { AdvanceOutcome } from './advance/apply.ts'
import { dryRunPayout } from './create/dry-run.ts'
import { checkRequest } from './create/fields.ts'
import type { PayoutOutcome } from './create/new-row.ts'
import { type ExpandingReaders, payoutExpansions } from './lists/expand.ts'
import { listInOrder, sumPayouts, type Totals } from './lists/sorted-operations.ts'
import type { CreatePayout, PayoutState } from './payout.ts'
import {
  ActionRequest,
  PAYOUT_REFUSALS,
  PayoutExpandQuery,
  PayoutQuery,
  PayoutRequest,
  PayoutTotalsQuery,
  PayoutUpdate,
} from './request.ts'
import {
  DryRunQuery,
  DryRunResponse,
  PayoutResponse,
  PayoutTotalsResponse,
  presentDryRun,
  presentPayout,
} from './response.ts'
import type { UpdatedPayout, UpdatePayout } from './update-operation.ts'

interface Needs extends Pick<Reads, 'read'> {
  readonly lanes: {
    readonly createPayout: Runs<CreatePayout, Answered<PayoutOutcome>>
    readonly tryPayouts: Runs<DryRun<CreatePayout>, PayoutState>
    readonly cancelPayout: Runs<CancelPayout, Answered<AdvanceOutcome>>
    readonly updatePayout: Runs<UpdatePayout, Answered<UpdatedPayout>>
    readonly answerPayout: Runs<AnswerPayout, Answered<AdvanceOutcome>>
  }
  readonly readers: ExpandingReaders
}

export function payoutRoutes(routes: AccountRoutes, deps: Needs): void {
  createRoute(routes, deps)
  routes.page('/v3/payout', {
    operationId: 'listPayouts',
    summary: 'List payouts, newest first.',
    description:
      '`expand` shows in `expanded` the full objects that a payout names by their ids, and the ' +
      'approval that it needs.',
    querystring: PayoutQuery,
    item: PayoutResponse,
    find: listInOrder,
    present: (rows, query: ExpandingListQuery) =>
      expandAll(rows, query, payoutExpansions(deps.readers), presentPayout),
  })
  totalsRoute(routes, deps)
  routes.read('/v3/payout/:id', {
    operationId: 'getPayout',
    summary: 'Fetch a payout.',
    params: pathId('pot'),
    querystring: PayoutExpandQuery,
    response: PayoutResponse,
    tagged: true,
    refusals: ['not_found', 'invalid_query_parameter'],
    async answer({ account: { account_id }, params: { id }, query }) {
      const rows = [found(await deps.readers.payout({ account_id, id }))]
      const expansions = payoutExpansions(deps.readers)
      const [shown = {}] = await expandAll(rows, query, expansions, presentPayout)
      return shown
    },
  })
  cancelRoute(routes, deps)
  routes.write('/v3/payout/:id', {
    method: 'PUT',
    operationId: 'updatePayout',
    summary: 'Change the metadata of a payout, in whatever state it is.',
    description:
      'Nothing else of the payout changes: neither money, nor approvals, nor the check for ' +
      'duplicates. The event `payout.updated` has the earlier metadata.',
    params: pathId('pot'),
    body: PayoutUpdate,
    response: PayoutResponse,
    refusals: ['not_found', 'party_erased'],
    answer(request) {
      const { body: update } = request
      return deps.lanes.updatePayout.run({ ...changeOf(request), claim: null, update })
    },
  })
  actionRoute(routes, deps)
}

/** The payout that a request changes, and who asks for the change. */
function changeOf(request: FastifyRequest<{ Params: { id: string } }>) {
  const { account, params } = request
  const { maker } = makingOf(request)
  return { account_id: account.account_id, payout_id: params.id, maker }
}

function totalsRoute(routes: AccountRoutes, deps: Needs): void {
  routes.read('/v3/payout/totals', {
    config: { checkQuery: checkList },
    operationId: 'getPayoutTotals',
    summary: 'The sums by currency of the payouts that filters fit.',
    description: 'Takes the filters of the list. Sums the newest 2,000 payouts at most.',
    querystring: PayoutTotalsQuery,
    response: PayoutTotalsResponse,
    refusals: ['invalid_query_parameter'],
    async answer({ account: { account_id }, query }) {
      const wanted = readList(query as ListQuery)
      return presentTotals(await deps.read(account_id, tx => sumPayouts(tx, account_id, wanted)))
    },
  })
}

function presentTotals({ complete, count, paid, debited }: Totals) {
  return {
    object: 'payout_totals',
    complete,
    count,
    paid: [...paid].map(([currency, amount]) => ({ currency, amount: String(amount) })),
    debited: [...debited].map(([currency, { amount, fees }]) => ({
      currency,
      amount: String(amount),
      fees: String(fees),
    })),
  }
}

const CREATED_OR_TRIED = Type.Union([PayoutResponse, DryRunResponse], {
  description: 'The payout; with `dry_run=true` the result that it would have.',
})

function createRoute(routes: AccountRoutes, deps: Needs): void {
  routes.write('/v3/payout', {
    config: { checkInOperation: checkRequest },
    operationId: 'createPayout',
    summary: 'Pay a beneficiary, at a quote or at the rates of this moment.',
    description:
      'A payout like one that was just made is refused, unless `allow_duplicate` confirms ' +
      'that it is a different payment; each account sets for how long. With `dry_run=true` ' +
      'nothing is written: the answer is 200 and has every error with which the payout ' +
      'would be refused, what it would cost, and the rail; an Idempotency-Key has no ' +
      'effect.',
    querystring: DryRunQuery,
    body: PayoutRequest,
    response: CREATED_OR_TRIED,
    idempotent: true,
    refusals: ['invalid_query_parameter', ...PAYOUT_REFUSALS],
    async answer(request, claim) {
      const { account, body, query } = request
      const { account_id } = account
      const command = { account_id, account, request: body, ...makingOf(request) }
      if (query.dry_run !== 'true') {
        return deps.lanes.createPayout.run({ ...command, claim: claim() })
      }
      const commands = [{ ...command, claim: null }]
      const state = await deps.lanes.tryPayouts.run({ account_id, commands })
      return { reply: success(presentDryRun(dryRunPayout(state, body))) }
    },
  })
}

function cancelRoute(routes: AccountRoutes, deps: Needs): void {
  routes.write('/v3/payout/:id/cancel', {
    config: { optionalBody: true },
    operationId: 'cancelPayout',
    summary: 'Cancel a payout that the rail has not taken.',
    description:
      'The payout becomes `failed` with code `PF000100`. With the answer, amount and fees ' +
      'are back in the balance; the quote stays used. Held payouts can be cancelled, too. ' +
      'A payout that converts gives back the lower of what was taken and what its destination ' +
      'amount is worth now, once its price has ended (`valid_until` of its quote). Fees are ' +
      'given back whole. The answer is 409 once the rail is asked to pay, whatever the rail ' +
      'says, or once a person has taken the payout to pay it by hand.',
    params: pathId('pot'),
    body: Closed({}, { title: 'CancelRequest', type: ['object', 'null'] }),
    response: PayoutResponse,
    idempotent: true,
    refusals: ['not_found', 'payout_not_cancellable', 'rate_stale', 'rate_unavailable'],
    answer: (request, claim) =>
      deps.lanes.cancelPayout.run({ ...changeOf(request), claim: claim() }),
  })
}

function actionRoute(routes: AccountRoutes, deps: Needs): void {
  routes.write('/v3/payout/:id/action', {
    config: { check: checkAction },
    operationId: 'answerPayout',
    summary: 'Answer what a payout in `requires_action` asks for.',
    description:
      'For a payout in `requires_action`, whose `status_description` says what is asked ' +
      'for. The answer makes the payout `processing`, and the rail is told at once. ' +
      'Documents are added; other members replace the earlier values. The payee, the ' +
      'destination and the amount cannot be changed.',
    params: pathId('pot'),
    body: ActionRequest,
    response: PayoutResponse,
    idempotent: true,
    refusals: ['not_found', 'invalid_transition', 'object_full'],
    answer(request, claim) {
      const { body } = request
      return deps.lanes.answerPayout.run({ ...changeOf(request), claim: claim(), request: body })
    },
  })
}
