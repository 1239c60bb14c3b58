// GET /v3/operator/payout and /{id}; POST /v3/operator/payout/{id}/take, /release and /transition.
import { invalidParameter, refuseIfAny } from '../errors.ts'
import { given } from '../given.ts'
import { pathId } from '../http/docs.ts'
import { listForDesk } from '../payout/list-store.ts'
import { MANUAL, SIMULATOR } from '../rail/rail.ts'
import { callOf, operatorOf } from './desk.ts'
import type { DeskRoutes } from './desk-routes.ts'
import { DeskPayout, DeskPayoutInFull, presentForDesk, presentInFull } from './payout-response.ts'
import { type AskedHandling, handlingDeed, showPayout, transitionDeed } from './payouts.ts'
import {
  checkWords,
  DeskPayoutQuery,
  OperatorTransition,
  ReasonRequest,
  TakeRequest,
} from './request.ts'

interface Needs {
  readonly reference: { current(): { readonly rails: readonly { readonly name: string }[] } }
}

export function deskPayoutRoutes(routes: DeskRoutes, deps: Needs): void {
  routes.page('/v3/operator/payout', {
    operationId: 'listDeskPayouts',
    summary: 'List payouts of all accounts.',
    description:
      'The newest come first; with a status that waits for somebody, such as `processing`, ' +
      'those that wait longest come first.',
    querystring: DeskPayoutQuery,
    item: DeskPayout,
    find({ status, rail, account_id, starting_after }, { audit }, limit) {
      const rails = [SIMULATOR, MANUAL, ...deps.reference.current().rails.map(({ name }) => name)]
      const isKnown = rail === undefined || rails.includes(rail)
      refuseIfAny(isKnown ? [] : [invalidParameter('rail', 'There is no such rail.')])
      return listForDesk(audit, given({ account_id, status, rail, starting_after }), limit)
    },
    present: presentForDesk,
  })
  routes.read('/v3/operator/payout/:id', {
    operationId: 'getDeskPayout',
    summary: 'Show a payout, its history, and what it waits for.',
    params: pathId('pot'),
    response: DeskPayoutInFull,
    answer: async ({ params }, desk) => presentInFull(await showPayout(desk, params.id)),
  })
  handlingRoute(routes, TakeRequest, {
    act: 'take',
    summary: 'Take a payout to pay it by hand.',
    description:
      'The account can then no longer cancel the payout. One person at a time can have a ' +
      'payout.',
  })
  handlingRoute(routes, ReasonRequest, {
    act: 'release',
    summary: 'Give a payout back that you have taken and not paid.',
    description:
      'The account can then cancel the payout again. Never release a payout that may have ' +
      'been paid.',
  })
  transitionRoute(routes)
}

interface HandlingRoute extends Pick<AskedHandling, 'act'> {
  readonly summary: string
  readonly description: string
}

function handlingRoute(
  routes: DeskRoutes,
  body: typeof TakeRequest | typeof ReasonRequest,
  { act, ...docs }: HandlingRoute,
): void {
  routes.write(`/v3/operator/payout/:id/${act}`, {
    config: { check: checkWords },
    operationId: `${act}Payout`,
    ...docs,
    params: pathId('pot'),
    body,
    response: DeskPayout,
    idempotent: true,
    refusals: ['invalid_transition'],
    async answer(request, desk) {
      const call = callOf(request, `payout ${act}`)
      const asked = { act, ...request.body }
      const deed = await handlingDeed(desk.audit, operatorOf(request), request.params.id, asked)
      return desk.answer(call, deed, ({ payout }) => presentForDesk(payout))
    },
  })
}

function transitionRoute(routes: DeskRoutes): void {
  routes.write('/v3/operator/payout/:id/transition', {
    config: { asksPassword: true, check: checkWords },
    operationId: 'transitionPayout',
    summary: 'Set the status of a payout.',
    description:
      '`failed` and `reversed` give the money back. A payout that people pay by hand ' +
      'becomes `succeeded` with the bank’s `reference`, set by the person who has taken it, ' +
      'and becomes `failed` or `reversed` with a `reason`.',
    params: pathId('pot'),
    body: OperatorTransition,
    response: DeskPayout,
    idempotent: true,
    refusals: ['invalid_transition', 'reference_already_used'],
    async answer(request, desk) {
      const { params, body } = request
      const call = callOf(request, 'payout transition')
      const deed = await transitionDeed(desk.audit, operatorOf(request), params.id, body)
      return desk.answer(call, deed, ({ payout }) => presentForDesk(payout))
    },
  })
}
