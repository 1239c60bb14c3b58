// Every route of the operator API.
import type { FastifyInstance } from 'fastify'
import { deskAccountRoutes } from './account-routes.ts'
import { actionRoutes, type NeedsPrices } from './action-routes.ts'
import { approvalRules } from './approval-rules.ts'
import { auditLog } from './audit.ts'
import { clockActions } from './clock.ts'
import type { NeedsDesk } from './desk.ts'
import { DeskRoutes } from './desk-routes.ts'
import { entities } from './entities.ts'
import { deskExceptionRoutes } from './exception-routes.ts'
import { fees } from './fees.ts'
import { deskFileRoutes } from './file-routes.ts'
import { fundingRoutes } from './funding-routes.ts'
import { incomeRoutes } from './income-routes.ts'
import { deskKeyRoutes } from './key-routes.ts'
import { limits } from './limits.ts'
import { lists } from './lists.ts'
import { deskPayoutRoutes } from './payout-routes.ts'
import { payoutRouting } from './payout-routing.ts'
import { pricing } from './pricing.ts'
import { deskRailRoutes, railFigureRoutes } from './rail-routes.ts'
import { rates } from './rates.ts'
import { screening } from './screening.ts'
import { upkeepRoutes } from './upkeep-routes.ts'
import { deskUserRoutes } from './user-routes.ts'
import { deskWebhookRoutes } from './webhook-routes.ts'

type Needs = NeedsDesk &
  Parameters<typeof deskPayoutRoutes>[1] &
  Parameters<typeof fundingRoutes>[1] &
  NeedsPrices &
  Parameters<typeof incomeRoutes>[1] &
  Parameters<typeof railFigureRoutes>[1]

export function operatorRoutes(app: FastifyInstance, deps: Needs): void {
  const routes = new DeskRoutes(app, deps)
  deskAccountRoutes(routes)
  incomeRoutes(routes, deps)
  deskKeyRoutes(routes)
  actionRoutes(routes, deps, entities.actions)
  actionRoutes(routes, deps, rates.actions)
  actionRoutes(routes, deps, fees.actions)
  actionRoutes(routes, deps, pricing.actions)
  actionRoutes(routes, deps, approvalRules.actions)
  deskPayoutRoutes(routes, deps)
  deskExceptionRoutes(routes)
  actionRoutes(routes, deps, screening.actions)
  actionRoutes(routes, deps, limits.actions)
  actionRoutes(routes, deps, lists.actions)
  actionRoutes(routes, deps, payoutRouting.actions)
  deskRailRoutes(routes)
  railFigureRoutes(routes, deps)
  deskFileRoutes(routes)
  deskWebhookRoutes(routes)
  fundingRoutes(routes, deps)
  actionRoutes(routes, deps, auditLog.actions)
  deskUserRoutes(routes)
  upkeepRoutes(routes)
  actionRoutes(routes, deps, clockActions.actions)
}
