// The statements of routes, a reference table.
import type { Sql } from '../db/connect.ts'
import type { Route, RouteConditions } from './rules.ts'

export async function listRoutes(sql: Sql): Promise<Route[]> {
  return sql<Route[]>`
    select account_id, payout_type, network, currency, country, priority, rail from routes
    order by account_id nulls first, payout_type nulls first, network nulls first,
      currency nulls first, country nulls first`
}

/** Adds a route, or replaces the one of the same conditions, which it returns. */
export async function upsertRoute(sql: Sql, route: Route): Promise<Route | undefined> {
  const { account_id, payout_type, network, currency, country, priority, rail } = route
  const [row] = await sql<{ before: Route | null }[]>`
    with before as (
      select account_id, payout_type, network, currency, country, priority, rail from routes
      where ${isOf(sql, route)} for update
    ), written as (
      insert into routes (account_id, payout_type, network, currency, country, priority, rail)
      values (${account_id}, ${payout_type}, ${network}, ${currency}, ${country}, ${priority},
        ${rail})
      on conflict (account_id, payout_type, network, currency, country)
      do update set priority = excluded.priority, rail = excluded.rail
    )
    select (select to_json(b) from before b) as before`
  return row?.before ?? undefined
}

/** Removes the route of these conditions and returns it; undefined when there is none. */
export async function deleteRoute(sql: Sql, route: RouteConditions): Promise<Route | undefined> {
  const [removed] = await sql<Route[]>`
    delete from routes where ${isOf(sql, route)}
    returning account_id, payout_type, network, currency, country, priority, rail`
  return removed
}

/** A null is a value here: the route with this very condition left open. */
function isOf(sql: Sql, route: RouteConditions) {
  const { account_id, payout_type, network, currency, country } = route
  return sql`
    account_id is not distinct from ${account_id}
    and payout_type is not distinct from ${payout_type}
    and network is not distinct from ${network}
    and currency is not distinct from ${currency}
    and country is not distinct from ${country}`
}
