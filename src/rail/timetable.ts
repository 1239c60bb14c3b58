// The cut-offs of routes: the timetable of a rail counts for all routes to it, and a route may only
// narrow it. Pure.
import type { Timetable } from '../calendar/calendar.ts'
import { releasesOf } from '../calendar/rules.ts'
import type { Route } from './rules.ts'

/** Timetables by the name of their rail. A rail without one takes payouts at any time. */
export type RailTimetables = ReadonlyMap<string, Timetable>

/** The route with the cut-off that is in force: its own, else that of its rail. */
export function inForce(route: Route, rails: RailTimetables): Route {
  const own = rails.get(route.rail)
  if (own === undefined) return route
  const timetable = route.timetable ?? own
  const { arrival_days } = timetable
  return { ...route, timetable: { ...timetable, arrival_days: arrival_days ?? own.arrival_days } }
}

/** Why a route cannot have its cut-off on a rail of this timetable; undefined when it can. */
export function contradiction(timetable: Timetable, rail: Timetable): string | undefined {
  if (timetable.calendar !== rail.calendar) {
    return `its calendar is ${timetable.calendar}, and that of the rail ${rail.calendar}`
  }
  const taken = releasesOf(rail)
  const late = [...releasesOf(timetable)].some(([day, at]) => at > (taken.get(day) ?? ''))
  if (!late) return undefined
  return (
    `it releases payouts at ${cutOffWords(timetable)}, after the rail takes those of the day, ` +
    `which is at ${cutOffWords(rail)}`
  )
}

/** `15:00 Europe/Berlin less 30 min, t2`. */
export function cutOffWords({ cut_off, zone, lead_minutes, calendar }: Timetable): string {
  return `${cut_off} ${zone} less ${lead_minutes} min, ${calendar}`
}
