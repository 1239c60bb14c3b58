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

/** Of each route to the rail; without a route, of what such a rail is made for. */
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

interface Hints {
  readonly settlement_account?: { readonly currency?: string }
  readonly chain?: string
  readonly tokens?: object
}

function likelyRoute({ name: rail, kind, config }: RailRow): Route {
  const { settlement_account, chain = null, tokens = {} } = config as Hints
  const any = { account_id: null, country: null, min_amount: null, max_amount: null }
  const rest = { ...any, priority: 0, timetable: null, rail }
  if (kind === 'evm') {
    const [currency = null, another] = Object.keys(tokens)
    const only = another === undefined ? currency : null
    return { ...rest, payout_type: 'wallet', network: chain, currency: only }
  }
  const currency = settlement_account?.currency?.toUpperCase() ?? null
  return { ...rest, payout_type: 'local', network: null, currency }
}
