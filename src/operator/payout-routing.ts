// Lists, sets and removes routes, which name the rails of live accounts' payouts.
import type { Timetable } from '../calendar/calendar.ts'
import type { Sql } from '../db/connect.ts'
import { refusal } from '../errors.ts'
import { amountToJson } from '../money/json.ts'
import { PAYOUT_TYPES } from '../quote/quote.ts'
import { type RouteCells, readConditions, readTarget } from '../rail/load-route.ts'
import { listRails } from '../rail/row-store.ts'
import { conditionWords, type Route, type RouteConditions } from '../rail/rules.ts'
import { deleteRoute, findRoutesOf, listRoutes, upsertRoute } from '../rail/store.ts'
import {
  cutOffWords,
  type RailTimetables,
  timetableConflict,
  withTimetable,
} from '../rail/timetable.ts'
import { timetablesOf } from '../rails.ts'
import type { Read } from '../text/csv.ts'
import { accountNamed } from './accounts.ts'
import { VOCABULARY } from './fee-vocabulary.ts'

interface AskedRoute {
  readonly cells: RouteCells
  readonly rail: string
  readonly priority: string | undefined
  readonly timetable: Timetable | null
  /** Whether the caller removes the route's cut-off. */
  readonly no_cut_off: boolean
}

export interface SetRoute {
  readonly route: Route
  /**
   * The route of the same conditions to the same rail before the change; undefined for a new one.
   */
  readonly before: Route | undefined
  readonly timetables: RailTimetables
}

/** All routes, and the timetables of rails. */
export async function listRouting(sql: Sql) {
  return { routes: await listRoutes(sql), timetables: timetablesOf(await listRails(sql)) }
}

/**
 * Adds a route, or changes the route of the same conditions to the same rail. Returns all that is
 * wrong with its text. Refuses (409) what contradicts another route or the rail's timetable.
 */
export async function setRoute(sql: Sql, asked: AskedRoute): Promise<Read<SetRoute>> {
  const rows = await listRails(sql)
  const rails = rows.map(({ name }) => name)
  const timetables = timetablesOf(rows)
  const target = readTarget(asked.rail, asked.priority, rails)
  const conditions = await readConditionsOf(sql, asked.cells)
  if (target.messages !== undefined) return target
  if (conditions.messages !== undefined) return conditions
  const route = { ...conditions.value, ...target.value, timetable: asked.timetable }
  const existing = await findRoutesOf(sql, route)
  const before = existing.find(({ rail }) => rail === route.rail)
  checkPriority(existing, route)
  checkCutOff(before, asked)
  checkTimetable(route, timetables)
  await upsertRoute(sql, route)
  return { value: { route, before, timetables } }
}

/** The conditions, or all that is wrong with their text. Refuses (404) an unknown account. */
export async function readConditionsOf(
  sql: Sql,
  cells: RouteCells,
): Promise<Read<RouteConditions>> {
  const { networkName, countryFault } = VOCABULARY
  const account = cells.account === undefined ? undefined : await accountNamed(sql, cells.account)
  return readConditions(cells, { payout_types: PAYOUT_TYPES, account, networkName, countryFault })
}

/** Refuses a route with the conditions and the priority of another route: one must come first. */
function checkPriority(existing: readonly Route[], { rail, priority }: Route): void {
  const other = existing.find(route => route.priority === priority && route.rail !== rail)
  if (other === undefined) return
  const message =
    `a route of these conditions leads to ${other.rail} with priority ${priority}; say by ` +
    'another --priority which of the two comes first, the higher, or remove the other one'
  throw refusal('route_conflict', message, 'priority')
}

/** Refuses a cut-off that contradicts the rail's own timetable, after which it takes no payout. */
function checkTimetable({ rail, timetable }: Route, timetables: RailTimetables): void {
  const own = timetables.get(rail)
  if (own === undefined || timetable === null) return
  const why = timetableConflict(timetable, own)
  if (why === undefined) return
  const message =
    `the cut-off contradicts the timetable of rail ${rail}: ${why}; say an earlier cut-off or a ` +
    'longer lead, or leave the cut-off out, and that of the rail counts'
  throw refusal('route_conflict', message, 'cut_off')
}

/**
 * Refuses to drop a route's cut-off unless the caller says `no_cut_off`: payouts would go to the
 * rail at once.
 */
function checkCutOff(before: Route | undefined, { timetable, no_cut_off }: AskedRoute): void {
  if (before?.timetable == null || timetable !== null || no_cut_off) return
  const cutOff = timetableWords(before)
  const message = `this route has a cut-off, ${cutOff}; say it again, or say --no-cut-off`
  throw refusal('route_conflict', message, 'cut_off')
}

/**
 * Removes the route of exactly these conditions, to `rail` if it is given. Refuses (404) if there
 * is none, and (400) if there are several.
 */
export async function removeRoute(
  sql: Sql,
  wanted: RouteConditions,
  rail: string | undefined,
): Promise<Route> {
  const existing = await findRoutesOf(sql, wanted)
  const matching = existing.filter(route => route.rail === (rail?.toLowerCase() ?? route.rail))
  if (matching.length > 1) {
    const rails = matching.map(route => route.rail).join(', ')
    throw refusal('invalid_field', `several routes have these conditions, to ${rails}`, 'rail')
  }
  const [one] = matching
  const removed = one && (await deleteRoute(sql, one))
  if (removed !== undefined) return removed
  const to = rail === undefined ? '' : ` to ${rail}`
  throw refusal('not_found', `there is no route for ${conditionWords(wanted)}${to}`)
}

/** The cut-off that counts: `15:00 Europe/Berlin less 30 min, t2`, `of the rail, …`, or ''. */
export function timetableWords(route: Route, timetables: RailTimetables = new Map()): string {
  const { timetable } = withTimetable(route, timetables)
  if (timetable === null) return ''
  const { arrival_days } = timetable
  const arrives = arrival_days === null ? '' : `, arrives after ${arrival_days} days`
  const own = route.timetable === null ? 'of the rail, ' : ''
  return `${own}${cutOffWords(timetable)}${arrives}`
}

/**
 * A route as operators see it. Amounts are minor units; `in_force` is the timetable that counts.
 */
export function presentRoute(given: Route, timetables: RailTimetables = new Map()) {
  const { min_amount, max_amount, ...route } = given
  const in_force = withTimetable(given, timetables).timetable
  const minor = (amount: bigint | null) => (amount === null ? null : amountToJson(amount))
  return { ...route, min_amount: minor(min_amount), max_amount: minor(max_amount), in_force }
}
