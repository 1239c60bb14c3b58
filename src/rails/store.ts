// The SQL statements of routes, a reference table.
import type { HistoricRow } from '../ledger/audit/store.ts'
import type { Sql } from '../sql/connect.ts'
import type { Tag } from '../sql/sql.ts'
import type { Timetable } from '../values/calendar/calendar.ts'
import { CONDITIONS, type Route, type RouteConditions } from './rules.ts'

type TimetableColumns = { readonly [C in keyof Timetable]: Timetable[C] | null }

const NO_TIMETABLE: TimetableColumns = {
  calendar: null,
  cut_off: null,
  zone: null,
  lead_minutes: null,
  arrival_days: null,
}

const COLUMNS = [
  ...CONDITIONS,
  ...['min_amount', 'max_amount', 'priority', 'rail'],
  ...Object.keys(NO_TIMETABLE),
] as (keyof RouteRow)[]

/** A route as a row: all columns of the timetable are null, or none but perhaps arrival_days. */
type RouteRow = Omit<Route, 'timetable'> & TimetableColumns

function routeFromRow(row: RouteRow): Route {
  const { calendar, cut_off, zone, lead_minutes, arrival_days, ...route } = row
  if (calendar === null || cut_off === null || zone === null || lead_minutes === null) {
    return { ...route, timetable: null }
  }
  return { ...route, timetable: { calendar, cut_off, zone, lead_minutes, arrival_days } }
}

/** A route from a row of its history, whose values are text. */
export function routeOfHistory(row: HistoricRow): Route {
  const minor = (text: string | null | undefined) => (text == null ? null : BigInt(text))
  const count = (text: string | null | undefined) => (text == null ? null : Number(text))
  const text = row as unknown as RouteRow
  return routeFromRow({
    ...text,
    min_amount: minor(row.min_amount),
    max_amount: minor(row.max_amount),
    priority: Number(row.priority),
    lead_minutes: count(row.lead_minutes),
    arrival_days: count(row.arrival_days),
  })
}

function rowOf({ timetable, ...route }: Route): RouteRow {
  return { ...route, ...(timetable ?? NO_TIMETABLE) }
}

export async function listRoutes(sql: Tag): Promise<Route[]> {
  const rows = await sql<RouteRow[]>`
    select ${sql(COLUMNS)} from routes
    order by account_id nulls first, payout_type nulls first, network nulls first,
      currency nulls first, country nulls first, min_amount nulls first, max_amount nulls first,
      priority desc`
  return rows.map(routeFromRow)
}

/** The routes with exactly these conditions, in the order of failover. */
export async function findRoutesOf(sql: Sql, route: RouteConditions): Promise<Route[]> {
  const rows = await sql<RouteRow[]>`
    select ${sql(COLUMNS)} from routes where ${hasConditions(sql, route)} order by priority desc`
  return rows.map(routeFromRow)
}

/** Adds a route, or replaces the route with the same conditions to the same rail. */
export async function upsertRoute(sql: Sql, route: Route): Promise<void> {
  await sql`
    insert into routes ${sql(rowOf(route), COLUMNS)}
    on conflict on constraint one_route_to_a_rail do update set priority = excluded.priority,
      calendar = excluded.calendar, cut_off = excluded.cut_off, zone = excluded.zone,
      lead_minutes = excluded.lead_minutes, arrival_days = excluded.arrival_days`
}

/** Removes the route with exactly these conditions to this rail; undefined when there is none. */
export async function deleteRoute(sql: Sql, route: RouteConditions & Pick<Route, 'rail'>) {
  const [removed] = await sql<RouteRow[]>`
    delete from routes where ${hasConditions(sql, route)} and rail = ${route.rail}
    returning ${sql(COLUMNS)}`
  return removed && routeFromRow(removed)
}

/** SQL that matches routes with exactly these conditions. Null matches null alone. */
function hasConditions(sql: Sql, route: RouteConditions) {
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
