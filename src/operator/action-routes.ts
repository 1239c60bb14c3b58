// Makes routes of the operator API of actions.
import type { FastifyRequest } from 'fastify'
import { success } from '../http/answer.ts'
import { checkConfirmed } from '../http/authenticate.ts'
import { ownOrigin } from '../http/browser.ts'
import type { Reply } from '../http/idempotency/kept-reply.ts'
import { ListOf } from '../http/list.ts'
import type { PricingAt } from '../prices/price.ts'
import { refusal } from '../values/errors.ts'
import type { Acting, Action, OperatorWrites, Paging, Reading, Writing } from './action.ts'
import {
  type Call,
  callOf,
  callWithoutClaim,
  type OperatorConnections,
  operatorOf,
} from './connections.ts'
import { listAnswer, type OperatorRoutes, WholeList } from './operator-routes.ts'
import { checkWords } from './request.ts'

export interface NeedsPrices {
  readonly reference: { pricing(price_version: bigint | null): Promise<PricingAt> }
}

/** Registers a route for each action. */
export function actionRoutes(
  routes: OperatorRoutes,
  deps: NeedsPrices,
  actions: readonly Action[],
): void {
  for (const action of actions) {
    if (action.kind === 'read') readRoute(routes, action)
    else if (action.kind === 'page') pageRoute(routes, action)
    else writeRoute(routes, deps, action)
  }
}

function readRoute(routes: OperatorRoutes, action: Reading): void {
  const { path, list, operationId, summary, description, params, query, refusals } = action
  const route = {
    ...{ operationId, summary },
    ...(description !== undefined && { description }),
    ...(params !== undefined && { params }),
    ...(query !== undefined && { querystring: query }),
    ...(refusals !== undefined && { refusals }),
  }
  const find = async (request: FastifyRequest, { audit }: OperatorConnections) => {
    const found = await action.find(audit, inputOf(request, request.query))
    return action.present === undefined ? found : action.present(found)
  }
  if (list === undefined) {
    routes.read(path, {
      ...route,
      response: action.response,
      answer: async (request, operators) => (await find(request, operators)) as object,
    })
  } else {
    routes.list(path, {
      ...route,
      response: list === true ? ListOf(action.response) : WholeList(action.response, list),
      answer: async (request, operators) =>
        listAnswer((await find(request, operators)) as object[]),
    })
  }
}

function pageRoute(routes: OperatorRoutes, action: Paging): void {
  const { path, operationId, summary, description, query, response } = action
  routes.page(path, {
    ...{ operationId, summary, querystring: query, item: response },
    ...(description !== undefined && { description }),
    find: (asked, { audit }, limit) => action.find(audit, asked, limit),
    present: row => action.present(row),
  })
}

function writeRoute(routes: OperatorRoutes, deps: NeedsPrices, action: Writing): void {
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
    answer(request, operators) {
      const input = inputOf(request, request.body)
      return action.run(actingOf(operators, deps, request, action, input), input)
    },
  })
}

/** The members of the query or body, and of the path. */
function inputOf(request: FastifyRequest, members: unknown): object {
  return { ...(members as object | null), ...(request.params as object) }
}

function actingOf(
  operators: OperatorConnections,
  { reference }: NeedsPrices,
  request: FastifyRequest,
  action: Writing,
  input: object,
): Acting<Reply> {
  const act = action.act?.(input) ?? action.name
  const call = action.actsAgain === true ? callWithoutClaim(request, act) : callOf(request, act)
  return {
    operator: operatorOf(request),
    audit: operators.audit,
    kept: async () =>
      call.claim === null ? null : operators.changeOnceOrNull(call, () => Promise.resolve(null)),
    change: work => operators.changeOnce(call, work),
    changeIfAny: work => operators.changeOnceOrNull(call, work),
    run: write => operators.run(call.author, write),
    show: success,
    runShown: (operation, command, present) => operators.runOnce(call, operation, command, present),
    ...writesOf(operators, call),
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

export function writesOf(operators: OperatorConnections, call: Call): OperatorWrites<Reply> {
  return {
    write: (write, { answer }) => operators.answer(call, write, answer),
    longWrite: (write, { answer }) => operators.answerLong(call, write, answer),
  }
}
