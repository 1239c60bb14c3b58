// Every route of the operator API.
import type { FastifyInstance } from 'fastify'
import { accounts } from './account-actions.ts'
import { actionRoutes, type NeedsPrices, OperatorRoutes } from './action-routes.ts'
import { approvalRules } from './approval-rules.ts'
import { auditLog } from './audit.ts'
import { clockActions } from './clock.ts'
import type { NeedsOperators } from './connections.ts'
import { entities } from './entities.ts'
import { listExceptions } from './exceptions.ts'
import { fees } from './fees.ts'
import { files } from './files.ts'
import { funding } from './funding.ts'
import { fundingKeys } from './funding-keys.ts'
import { house } from './house.ts'
import { incomeRoutes } from './income.ts'
import { keys } from './keys.ts'
import { limits } from './limits.ts'
import { lists } from './lists.ts'
import { months } from './months.ts'
import { nostroMatching } from './nostro-matching.ts'
import { nostroStatements } from './nostro-statements.ts'
import { nostros } from './nostros.ts'
import { notificationRoutes } from './notification-routes.ts'
import { payoutRouting } from './payout-routing.ts'
import { payouts } from './payouts.ts'
import { pricing } from './pricing.ts'
import { railFigureRoutes, rails } from './rails.ts'
import { rates } from './rates.ts'
import { reports } from './reports.ts'
import { safeguarding } from './safeguarding.ts'
import { screening } from './screening.ts'
import { searching } from './searching.ts'
import { secondFactor } from './second-factor.ts'
import { upkeepRoutes } from './upkeep-routes.ts'
import { users } from './users.ts'
import { webhooks } from './webhooks.ts'

type Needs = NeedsOperators & NeedsPrices & Parameters<typeof railFigureRoutes>[1]

export function operatorRoutes(app: FastifyInstance, deps: Needs): void {
  const routes = new OperatorRoutes(app, deps)
  actionRoutes(routes, deps, accounts.actions)
  incomeRoutes(routes)
  actionRoutes(routes, deps, keys.actions)
  actionRoutes(routes, deps, entities.actions)
  actionRoutes(routes, deps, rates.actions)
  actionRoutes(routes, deps, fees.actions)
  actionRoutes(routes, deps, pricing.actions)
  actionRoutes(routes, deps, approvalRules.actions)
  actionRoutes(routes, deps, payouts.actions)
  actionRoutes(routes, deps, searching.actions)
  actionRoutes(routes, deps, screening.actions)
  actionRoutes(routes, deps, limits.actions)
  actionRoutes(routes, deps, nostros.actions)
  actionRoutes(routes, deps, nostroStatements.actions)
  actionRoutes(routes, deps, reports.actions)
  actionRoutes(routes, deps, fundingKeys.actions)
  actionRoutes(routes, deps, house.actions)
  actionRoutes(routes, deps, months.actions)
  actionRoutes(routes, deps, safeguarding.actions)
  actionRoutes(routes, deps, nostroMatching.actions)
  actionRoutes(routes, deps, lists.actions)
  actionRoutes(routes, deps, payoutRouting.actions)
  actionRoutes(routes, deps, [...rails.actions, listExceptions])
  railFigureRoutes(routes, deps)
  actionRoutes(routes, deps, files.actions)
  actionRoutes(routes, deps, webhooks.actions)
  actionRoutes(routes, deps, funding)
  actionRoutes(routes, deps, auditLog.actions)
  actionRoutes(routes, deps, users.actions)
  actionRoutes(routes, deps, secondFactor.actions)
  upkeepRoutes(routes)
  notificationRoutes(routes)
  actionRoutes(routes, deps, clockActions.actions)
}
