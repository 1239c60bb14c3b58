// Every route of the operator API.
import type { FastifyInstance } from 'fastify'
import { deskAccountRoutes } from './account-routes.ts'
import { actionRoutes, type NeedsPrices } from './action-routes.ts'
import { approvalRules } from './approval-rules.ts'
import { auditRoutes } from './audit-routes.ts'
import { clockActions } from './clock.ts'
import type { NeedsDesk } from './desk.ts'
import { DeskRoutes } from './desk-routes.ts'
import { deskEntityRoutes } from './entity-routes.ts'
import { deskExceptionRoutes } from './exception-routes.ts'
import { fees } from './fees.ts'
import { deskFileRoutes } from './file-routes.ts'
import { fundingRoutes } from './funding-routes.ts'
import { incomeRoutes } from './income-routes.ts'
import { deskKeyRoutes } from './key-routes.ts'
import { limits } from './limits.ts'
import { deskListRoutes } from './list-routes.ts'
import { deskPayoutRoutes } from './payout-routes.ts'
import { payoutRouting } from './payout-routing.ts'
import { pricing } from './pricing.ts'
import { deskRailRoutes, railFigureRoutes } from './rail-routes.ts'
import { rates } from './rates.ts'
import { deskScreeningRoutes } from './screening-routes.ts'
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
  deskEntityRoutes(routes)
  actionRoutes(routes, deps, rates.actions)
  actionRoutes(routes, deps, fees.actions)
  actionRoutes(routes, deps, pricing.actions)
  actionRoutes(routes, deps, approvalRules.actions)
  deskPayoutRoutes(routes, deps)
  deskExceptionRoutes(routes)
  deskScreeningRoutes(routes)
  actionRoutes(routes, deps, limits.actions)
  deskListRoutes(routes)
  actionRoutes(routes, deps, payoutRouting.actions)
  deskRailRoutes(routes)
  railFigureRoutes(routes, deps)
  deskFileRoutes(routes)
  deskWebhookRoutes(routes)
  fundingRoutes(routes, deps)
  auditRoutes(routes)
  deskUserRoutes(routes)
  upkeepRoutes(routes)
  actionRoutes(routes, deps, clockActions.actions)
}
