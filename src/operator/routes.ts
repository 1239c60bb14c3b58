// Every route of the operator API.
import type { FastifyInstance } from 'fastify'
import { auditRoutes } from './audit-routes.ts'
import { fundingRoutes } from './funding-routes.ts'
import { deskPayoutRoutes } from './payout-routes.ts'

type Needs = Parameters<typeof deskPayoutRoutes>[1] &
  Parameters<typeof fundingRoutes>[1] &
  Parameters<typeof auditRoutes>[1]

export function operatorRoutes(app: FastifyInstance, deps: Needs): void {
  deskPayoutRoutes(app, deps)
  fundingRoutes(app, deps)
  auditRoutes(app, deps)
}
