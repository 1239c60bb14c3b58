// The statements of routes, a reference table.
import type { Sql } from '../db/connect.ts'
import type { Route, RouteConditions } from './rules.ts'

const COLUMNS = [
  'account_id',
  'payout_type',
  'network',
  'currency',
  'country',
  'min_amount',
  'max_amount',
  'priority',
  'rail',
] as const satisfies readonly (keyof Route)[]

export async function listRoutes(sql: Sql): Promise<Route[]> {
  return sql<Route[]>`
    select ${sql(COLUMNS)} from routes
    order by account_id nulls first, payout_type nulls first, network nulls first,
      currency nulls first, country nulls first, min_amount nulls first, max_amount nulls first,
      priority desc`
}

/** The routes of exactly these conditions, in their order of failover. */
export function findRoutesOf(sql: Sql, route: RouteConditions): Promise<Route[]> {
  return sql<Route[]>`
    select ${sql(COLUMNS)} from routes where ${isOf(sql, route)} order by priority desc`
}

/** Adds a route, or replaces the one of the same conditions to the same rail. */
export async function upsertRoute(sql: Sql, route: Route): Promise<void> {
  await sql`
    insert into routes ${sql(route, COLUMNS)}
    on conflict on constraint one_route_to_a_rail do update set priority = excluded.priority`
}

/** Removes the route of these conditions to this rail; undefined when there is none. */
export async function deleteRoute(
  sql: Sql,
  route: RouteConditions & Pick<Route, 'rail'>,
): Promise<Route | undefined> {
  const [removed] = await sql<Route[]>`
    delete from routes where ${isOf(sql, route)} and rail = ${route.rail}
    returning ${sql(COLUMNS)}`
  return removed
}

/** A null is a value here: the route with this very condition left open. */
function isOf(sql: Sql, route: RouteConditions) {
  const { account_id, payout_type, network, currency, country, min_amount, max_amount } = route
  return sql`
    account_id is not distinct from ${account_id}
    and payout_type is not distinct from ${payout_type}
    and network is not distinct from ${network}
    and currency is not distinct from ${currency}
    and country is not distinct from ${country}
    and min_amount is not distinct from ${min_amount}
    and max_amount is not distinct from ${max_amount}`
}
