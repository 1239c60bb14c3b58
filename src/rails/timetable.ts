// The cut-offs of routes: a rail's timetable applies to all routes to it, and a route may only
// narrow it. Pure.
import type { Timetable } from '../values/calendar/calendar.ts'
import { releasesOf } from '../values/calendar/rules.ts'
import type { Route } from './rules.ts'

/** Timetables by the name of their rail. A rail without one takes payouts at any time. */
export type RailTimetables = ReadonlyMap<string, Timetable>

/**
 * The route with its own timetable, or with its rail's. If its own timetable lacks days of arrival,
 * the rail's count.
 */
export function withTimetable(route: Route, rails: RailTimetables): Route {
  const of_rail = rails.get(route.rail)
  if (of_rail === undefined) return route
  const timetable = route.timetable ?? of_rail
  const arrival_days = timetable.arrival_days ?? of_rail.arrival_days
  return { ...route, timetable: { ...timetable, arrival_days } }
}

/** Why a route with this timetable cannot lead to a rail with that one; undefined when it can. */
export function timetableConflict(route: Timetable, rail: Timetable): string | undefined {
  if (route.calendar !== rail.calendar) {
    return `its calendar is ${route.calendar}, and that of the rail ${rail.calendar}`
  }
  const rail_releases = releasesOf(rail)
  const isLate = ([day, at]: readonly [string, string]) => at > (rail_releases.get(day) ?? '')
  if (![...releasesOf(route)].some(isLate)) return undefined
  return (
    `it releases payouts at ${cutOffWords(route)}, after the rail takes those of the day, ` +
    `which is at ${cutOffWords(rail)}`
  )
}

/** `15:00 Europe/Berlin less 30 min, t2`. */
export function cutOffWords({ cut_off, zone, lead_minutes, calendar }: Timetable): string {
  return `${cut_off} ${zone} less ${lead_minutes} min, ${calendar}`
}
