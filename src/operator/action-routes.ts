// Makes routes of the operator API of actions.
import type { FastifyRequest } from 'fastify'
import { success } from '../http/answer.ts'
import { checkConfirmed } from '../http/authenticate.ts'
import { ownOrigin } from '../http/browser.ts'
import type { Reply } from '../http/idempotency/kept-reply.ts'
import { ListOf } from '../http/list.ts'
import type { PricingAt } from '../prices/price.ts'
import { refusal } from '../values/errors.ts'
import type { Acting, Action, Deeds, Paging, Reading, Writing } from './action.ts'
import { type Call, callOf, callWithoutClaim, type Desk, operatorOf } from './desk.ts'
import { type DeskRoutes, listAnswer, WholeList } from './desk-routes.ts'
import { checkWords } from './request.ts'

export interface NeedsPrices {
  readonly reference: { pricing(price_version: bigint | null): Promise<PricingAt> }
}

/** Registers a route for each action. */
export function actionRoutes(
  routes: DeskRoutes,
  deps: NeedsPrices,
  actions: readonly Action[],
): void {
  for (const action of actions) {
    if (action.kind === 'read') readRoute(routes, action)
    else if (action.kind === 'page') pageRoute(routes, action)
    else writeRoute(routes, deps, action)
  }
}

function readRoute(routes: DeskRoutes, action: Reading): void {
  const { path, list, operationId, summary, description, params, query, refusals } = action
  const route = {
    ...{ operationId, summary },
    ...(description !== undefined && { description }),
    ...(params !== undefined && { params }),
    ...(query !== undefined && { querystring: query }),
    ...(refusals !== undefined && { refusals }),
  }
  const find = async (request: FastifyRequest, { audit }: Desk) => {
    const found = await action.find(audit, inputOf(request, request.query))
    return action.present === undefined ? found : action.present(found)
  }
  if (list === undefined) {
    routes.read(path, {
      ...route,
      response: action.response,
      answer: async (request, desk) => (await find(request, desk)) as object,
    })
  } else {
    routes.list(path, {
      ...route,
      response: list === true ? ListOf(action.response) : WholeList(action.response, list),
      answer: async (request, desk) => listAnswer((await find(request, desk)) as object[]),
    })
  }
}

function pageRoute(routes: DeskRoutes, action: Paging): void {
  const { path, operationId, summary, description, query, response } = action
  routes.page(path, {
    ...{ operationId, summary, querystring: query, item: response },
    ...(description !== undefined && { description }),
    find: (asked, { audit }, limit) => action.find(audit, asked, limit),
    present: row => action.present(row),
  })
}

function writeRoute(routes: DeskRoutes, deps: NeedsPrices, action: Writing): void {
  const { path, operationId, summary, description, params, body, emptyBody } = action
  const { method, response, refusals, asksPassword, ofSession, actsAgain } = action
  routes.write(path, {
    ...{ operationId, summary, response },
    idempotent: actsAgain !== true,
    config: {
      check: checkWords,
      ...(asksPassword && { asksPassword }),
      ...(ofSession && { ofSession }),
    },
    ...(method !== undefined && { method }),
    ...(description !== undefined && { description }),
    ...(params !== undefined && { params }),
    ...(body !== undefined && { body }),
    ...(emptyBody !== undefined && { emptyBody }),
    ...(refusals !== undefined && { refusals }),
    answer(request, desk) {
      const input = inputOf(request, request.body)
      return action.run(actingOf(desk, deps, request, action, input), input)
    },
  })
}

/** The members of the query or body, and of the path. */
function inputOf(request: FastifyRequest, members: unknown): object {
  return { ...(members as object | null), ...(request.params as object) }
}

function actingOf(
  desk: Desk,
  { reference }: NeedsPrices,
  request: FastifyRequest,
  action: Writing,
  input: object,
): Acting<Reply> {
  const act = action.act?.(input) ?? action.name
  const call = action.actsAgain === true ? callWithoutClaim(request, act) : callOf(request, act)
  return {
    operator: operatorOf(request),
    audit: desk.audit,
    kept: async () =>
      call.claim === null ? null : desk.changeOnceOrNull(call, () => Promise.resolve(null)),
    change: work => desk.changeOnce(call, work),
    changeIfAny: work => desk.changeOnceOrNull(call, work),
    run: deed => desk.run(call.author, deed),
    show: success,
    runShown: (operation, command, present) => desk.runOnce(call, operation, command, present),
    ...deedsOf(desk, call),
    pricing: version => reference.pricing(version),
    askPassword: () => checkConfirmed(request),
    askOther(user) {
      if (operatorOf(request).name !== user) return
      const message = 'What you may yourself is changed by another operator.'
      throw refusal('insufficient_scope', message)
    },
    origin: () => ownOrigin(request),
    say() {},
    warn() {},
  }
}

export function deedsOf(desk: Desk, call: Call): Deeds<Reply> {
  return {
    deed: (deed, { answer }) => desk.answer(call, deed, answer),
    longDeed: (deed, { answer }) => desk.answerLong(call, deed, answer),
  }
}
