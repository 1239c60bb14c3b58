// Says which payouts of its routes a rail cannot carry, for corridor rail add and rail check.
import { carriageOf } from '../adapters/registry.ts'
import { type NotCarried, notCarriedOfRoutes, notCarriedWords } from '../operator/carriage-trial.ts'
import type { RailRow } from '../rails/kind.ts'
import type { Route } from '../rails/rules.ts'
import { listRoutes } from '../rails/store.ts'
import type { Sql } from '../sql/connect.ts'

/** A route with the payouts that its rail cannot carry. */
interface RouteTried {
  /** Its conditions in words. */
  readonly route: string
  readonly not_carried: readonly NotCarried[]
}

/** Of each route to the rail; without a route, of local payouts in its account's currency. */
export async function tryRail(sql: Sql, rail: RailRow): Promise<readonly RouteTried[]> {
  const own = (await listRoutes(sql)).filter(route => route.rail === rail.name)
  return notCarriedOfRoutes(
    rail.name,
    own.length > 0 ? own : [likelyRoute(rail)],
    carriageOf([rail]),
  )
}

export function triedWords({ name }: Pick<RailRow, 'name'>, tried: readonly RouteTried[]): string {
  return tried
    .flatMap(({ route, not_carried }) => [
      `rail ${name} cannot carry these payouts of the route for ${route}:`,
      ...notCarriedWords(not_carried).map(words => `  ${words}`),
    ])
    .join('\n')
}

function likelyRoute({ name: rail, config }: RailRow): Route {
  const { settlement_account } = config as { settlement_account?: { currency?: string } }
  return {
    ...{ account_id: null, network: null, country: null, min_amount: null, max_amount: null },
    payout_type: 'local',
    currency: settlement_account?.currency?.toUpperCase() ?? null,
    ...{ priority: 0, timetable: null, rail },
  }
}
