// GET and POST /v3/operator/route, and POST /v3/operator/route/remove.
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { CALENDAR_NAMES, type Timetable } from '../calendar/calendar.ts'
import { MAX_LEAD_MINUTES } from '../calendar/rules.ts'
import { invalidField, refuseIfAny } from '../errors.ts'
import { send, success } from '../http/answer.ts'
import { operationDocs } from '../http/docs.ts'
import { ListOf } from '../http/list.ts'
import {
  Amount,
  Closed,
  CountryCode,
  CurrencyCode,
  Envelope,
  integerOrNull,
  Literals,
  Text,
  textOrNull,
} from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { currencyExponent, findCurrency } from '../money/currency.ts'
import { formatMajor } from '../money/decimal.ts'
import { PAYOUT_TYPES } from '../quote/quote.ts'
import {
  MAX_ARRIVAL_DAYS,
  MAX_PRIORITY,
  type RouteCells,
  readTimetable,
} from '../rail/load-route.ts'
import { callOf, type OfDesk } from './desk.ts'
import {
  listRouting,
  presentRoute,
  readConditionsOf,
  removeRoute,
  setRoute,
} from './payout-routing.ts'
import { whole } from './price-response.ts'
import { AccountId } from './request.ts'
import { readOrRefuse } from './words.ts'

const CONDITIONS = {
  type: Type.Optional(Literals(PAYOUT_TYPES)),
  network: Type.Optional(Text(64, { minLength: 1 })),
  currency: Type.Optional(CurrencyCode),
  country: Type.Optional(CountryCode),
  account_id: Type.Optional(AccountId),
  min_amount: Type.Optional(Amount),
  max_amount: Type.Optional(Amount),
}

const Rail = Text(40, { minLength: 1, description: 'manual, or a rail that there is.' })

const CutOff = Closed(
  {
    time: Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', examples: ['15:00'] }),
    zone: Text(64, { minLength: 1, examples: ['Europe/Berlin'] }),
    calendar: Literals(CALENDAR_NAMES, { description: 'Whose business days.' }),
    lead_minutes: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LEAD_MINUTES })),
    arrival_days: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_ARRIVAL_DAYS })),
  },
  { title: 'CutOff' },
)

const SetRouteRequest = Closed(
  {
    ...CONDITIONS,
    rail: Rail,
    priority: Type.Optional(Type.Integer({ minimum: -MAX_PRIORITY, maximum: MAX_PRIORITY })),
    cut_off: Type.Optional(CutOff),
    no_cut_off: Type.Optional(
      Type.Boolean({ description: 'As the rail takes payouts: by its own timetable, or at once.' }),
    ),
  },
  { title: 'SetRoute', description: 'A condition that is left out is any.' },
)
type SetRouteRequest = Static<typeof SetRouteRequest>

const RemoveRouteRequest = Closed(
  { ...CONDITIONS, rail: Type.Optional(Rail) },
  { title: 'RemoveRoute', description: 'The route of exactly these conditions.' },
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
    timetable: Type.Unknown({ description: 'Its own cut-off; null for none.' }),
    in_force: Type.Unknown({ description: 'The timetable that counts, its own or the rail’s.' }),
  },
  { title: 'RouteRow', description: 'A route; null is any. Amounts are minor units.' },
)

const SetRouteResponse = Type.Object(
  { route: RouteRow, before: Type.Union([RouteRow, Type.Null()]) },
  { title: 'ChangedRoute', description: 'The route, and what it was.' },
)

export function deskRoutingRoutes(app: FastifyInstance, deps: OfDesk): void {
  app.get(
    '/v3/operator/route',
    {
      config: { scope: 'installation_read' },
      schema: operationDocs({
        operationId: 'listRoutes',
        summary: 'List the routes of payouts.',
        response: Envelope(ListOf(RouteRow)),
        refusals: [],
      }),
    },
    async (_request, reply) => {
      const { routes, timetables } = await listRouting(deps.desk.audit)
      return send(reply, success(whole(routes.map(route => presentRoute(route, timetables)))))
    },
  )
  setRouteRoute(app, deps)
  removeRouteRoute(app, deps)
}

function setRouteRoute(app: FastifyInstance, deps: OfDesk): void {
  app.post<{ Body: SetRouteRequest }>(
    '/v3/operator/route',
    {
      config: { scope: 'installation_write', asksPassword: true, check: checkRoute },
      schema: operationDocs({
        operationId: 'setRoute',
        summary: 'Add a route, or change the one of the same conditions to the same rail.',
        description: 'A cut-off is not lost by not being said: that is refused.',
        body: SetRouteRequest,
        response: Envelope(SetRouteResponse),
        idempotent: true,
        refusals: ['currency', 'amount_out_of_range', 'not_found', 'route_conflict'],
      }),
    },
    async (request, reply) => {
      const { body } = request
      const { rail, priority, no_cut_off = false } = body
      const asked = {
        cells: cellsOf(body),
        rail,
        priority: String(priority ?? 0),
        timetable: timetableOf(body),
        no_cut_off,
      }
      const call = callOf(request, 'route set')
      const answer = await deps.desk.changeOnce(call, async sql => {
        const { route, before, timetables } = readOrRefuse(await setRoute(sql, asked))
        const was = before === undefined ? null : presentRoute(before, timetables)
        return { route: presentRoute(route, timetables), before: was }
      })
      return send(reply, answer)
    },
  )
}

function removeRouteRoute(app: FastifyInstance, deps: OfDesk): void {
  app.post<{ Body: RemoveRouteRequest }>(
    '/v3/operator/route/remove',
    {
      config: { scope: 'installation_write', asksPassword: true, check: checkRoute },
      schema: operationDocs({
        operationId: 'removeRoute',
        summary: 'Remove the route of exactly these conditions; without any, the route for all.',
        body: RemoveRouteRequest,
        response: Envelope(RouteRow),
        idempotent: true,
        refusals: ['currency', 'amount_out_of_range', 'not_found'],
      }),
    },
    async (request, reply) => {
      const { body } = request
      const call = callOf(request, 'route remove')
      const answer = await deps.desk.changeOnce(call, async sql => {
        const conditions = readOrRefuse(await readConditionsOf(sql, cellsOf(body)))
        return presentRoute(await removeRoute(sql, conditions, body.rail))
      })
      return send(reply, answer)
    },
  )
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
  const { time, zone, calendar, lead_minutes, arrival_days } = cut_off
  const read = readTimetable({
    cutOff: time,
    zone,
    calendar,
    ...(lead_minutes !== undefined && { lead: String(lead_minutes) }),
    ...(arrival_days !== undefined && { arrivesAfter: String(arrival_days) }),
  })
  return readOrRefuse(read, 'cut_off')
}

function cellsOf(body: RemoveRouteRequest): RouteCells {
  const { type, network, currency, country, account_id, min_amount, max_amount } = body
  const major = (amount: number) => formatMajor(BigInt(amount), currencyExponent(currency ?? ''))
  return {
    ...(type !== undefined && { type }),
    ...(network !== undefined && { network }),
    ...(currency !== undefined && { currency }),
    ...(country !== undefined && { country }),
    ...(account_id !== undefined && { account: account_id }),
    ...(min_amount !== undefined && { minAmount: major(min_amount) }),
    ...(max_amount !== undefined && { maxAmount: major(max_amount) }),
  }
}
