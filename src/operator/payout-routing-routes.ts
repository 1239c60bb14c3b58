// GET and POST /v3/operator/route, and POST /v3/operator/route/remove.
import type { Static } from 'typebox'
import { CALENDAR_NAMES, type Timetable } from '../calendar/calendar.ts'
import { MAX_LEAD_MINUTES } from '../calendar/rules.ts'
import { invalidField, refuseIfAny } from '../errors.ts'
import { given } from '../given.ts'
import { ListOf } from '../http/list.ts'
import {
  Amount,
  Closed,
  CountryCode,
  CurrencyCode,
  integerOrNull,
  Literals,
  optional,
  Text,
  textOrNull,
} from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { findCurrency } from '../money/currency.ts'
import { PAYOUT_TYPES } from '../quote/quote.ts'
import {
  MAX_ARRIVAL_DAYS,
  MAX_PRIORITY,
  type RouteCells,
  readTimetable,
} from '../rail/load-route.ts'
import { type DeskRoutes, listAnswer } from './desk-routes.ts'
import {
  listRouting,
  presentRoute,
  readConditionsOf,
  removeRoute,
  setRoute,
} from './payout-routing.ts'
import { AccountId, majorText } from './request.ts'
import { readOrRefuse } from './words.ts'

const CONDITIONS = optional({
  type: Literals(PAYOUT_TYPES),
  network: Text(64, { minLength: 1 }),
  currency: CurrencyCode,
  country: CountryCode,
  account_id: AccountId,
  min_amount: Amount,
  max_amount: Amount,
})

const Rail = Text(40, { minLength: 1, description: '`manual`, or the name of a rail.' })

const CutOff = Closed(
  {
    time: Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', examples: ['15:00'] }),
    zone: Text(64, { minLength: 1, examples: ['Europe/Berlin'] }),
    calendar: Literals(CALENDAR_NAMES, { description: 'The calendar of the business days.' }),
    ...optional({
      lead_minutes: Type.Integer({ minimum: 1, maximum: MAX_LEAD_MINUTES }),
      arrival_days: Type.Integer({ minimum: 0, maximum: MAX_ARRIVAL_DAYS }),
    }),
  },
  { title: 'CutOff' },
)

const SetRouteRequest = Closed(
  {
    ...CONDITIONS,
    rail: Rail,
    ...optional({
      priority: Type.Integer({ minimum: -MAX_PRIORITY, maximum: MAX_PRIORITY }),
      cut_off: CutOff,
      no_cut_off: Type.Boolean({
        description:
          'Removes the cut-off of the route: payouts go by the timetable of the rail, or at ' +
          'once.',
      }),
    }),
  },
  { title: 'SetRoute', description: 'A condition that is left out is any.' },
)
type SetRouteRequest = Static<typeof SetRouteRequest>

const RemoveRouteRequest = Closed(
  { ...CONDITIONS, rail: Type.Optional(Rail) },
  { title: 'RemoveRoute', description: 'The route with exactly these conditions.' },
)
type RemoveRouteRequest = Static<typeof RemoveRouteRequest>

export const RouteRow = Type.Object(
  {
    account_id: textOrNull(),
    payout_type: textOrNull(),
    network: textOrNull(),
    currency: textOrNull(),
    country: textOrNull(),
    min_amount: integerOrNull(),
    max_amount: integerOrNull(),
    priority: Type.Integer(),
    rail: Type.String(),
    timetable: Type.Unknown({ description: 'The cut-off of the route itself; null for none.' }),
    in_force: Type.Unknown({
      description: 'The timetable that applies: that of the route, or that of the rail.',
    }),
  },
  { title: 'RouteRow', description: 'A route; null is any. Amounts are minor units.' },
)

const SetRouteResponse = Type.Object(
  { route: RouteRow, before: Type.Union([RouteRow, Type.Null()]) },
  { title: 'ChangedRoute', description: 'The route, and the route before the change.' },
)

export function deskRoutingRoutes(routes: DeskRoutes): void {
  routes.read('/v3/operator/route', {
    operationId: 'listRoutes',
    summary: 'List the routes of payouts.',
    response: ListOf(RouteRow),
    async answer(_, { audit }) {
      const { routes, timetables } = await listRouting(audit)
      return listAnswer(routes.map(route => presentRoute(route, timetables)))
    },
  })
  routes.change('/v3/operator/route', {
    act: 'route set',
    config: { asksPassword: true, check: checkRoute },
    operationId: 'setRoute',
    summary: 'Add a route, or change the route with the same conditions to the same rail.',
    description:
      'A request that leaves out the cut-off of an existing route is refused, so that no ' +
      'cut-off is lost by mistake.',
    body: SetRouteRequest,
    response: SetRouteResponse,
    refusals: ['currency', 'amount_out_of_range', 'not_found', 'route_conflict'],
    async change(sql, { body }) {
      const { rail, priority = 0, no_cut_off = false } = body
      const timetable = timetableOf(body)
      const asked = { cells: cellsOf(body), rail, priority: `${priority}`, timetable, no_cut_off }
      const { route, before, timetables } = readOrRefuse(await setRoute(sql, asked))
      const was = before === undefined ? null : presentRoute(before, timetables)
      return { route: presentRoute(route, timetables), before: was }
    },
  })
  routes.change('/v3/operator/route/remove', {
    act: 'route remove',
    config: { asksPassword: true, check: checkRoute },
    operationId: 'removeRoute',
    summary:
      'Remove the route with exactly these conditions; without conditions, the route for all ' +
      'payouts.',
    body: RemoveRouteRequest,
    response: RouteRow,
    refusals: ['currency', 'amount_out_of_range', 'not_found'],
    async change(sql, { body }) {
      const conditions = readOrRefuse(await readConditionsOf(sql, cellsOf(body)))
      return presentRoute(await removeRoute(sql, conditions, body.rail))
    },
  })
}

function checkRoute(body: RemoveRouteRequest | SetRouteRequest): void {
  const { currency, min_amount, max_amount } = body
  const bounded = min_amount !== undefined || max_amount !== undefined
  refuseIfAny(
    bounded && (currency === undefined || findCurrency(currency) === undefined)
      ? [invalidField('currency', 'Amounts are of a currency: name it.')]
      : [],
  )
  if ('cut_off' in body) timetableOf(body)
}

function timetableOf({ cut_off }: { readonly cut_off?: Static<typeof CutOff> }): Timetable | null {
  if (cut_off === undefined) return null
  const { time: cutOff, zone, calendar, lead_minutes, arrival_days } = cut_off
  const lead = lead_minutes?.toString()
  const arrivesAfter = arrival_days?.toString()
  const read = readTimetable(given({ cutOff, zone, calendar, lead, arrivesAfter }))
  return readOrRefuse(read, 'cut_off')
}

function cellsOf(body: RemoveRouteRequest): RouteCells {
  const { type, network, currency, country, account_id: account, min_amount, max_amount } = body
  const minAmount = majorText(min_amount, currency)
  const maxAmount = majorText(max_amount, currency)
  return given({ type, network, currency, country, account, minAmount, maxAmount })
}
