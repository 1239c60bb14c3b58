// Lists, sets and removes routes, which name the rails of live accounts' payouts.
import type { Static } from 'typebox'
import { carriageOf, timetablesOf } from '../adapters/registry.ts'
import {
  Amount,
  Closed,
  CountryCode,
  CurrencyCode,
  integerOrNull,
  Literals,
  MINOR_OF,
  optional,
  Text,
  textOrNull,
} from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { PAYOUT_TYPES } from '../quotes/quote.ts'
import {
  type AskedConditions,
  DEFAULT_LEAD_MINUTES,
  judgeConditions,
  judgeCutOff,
  judgeRail,
  MAX_ARRIVAL_DAYS,
  MAX_PRIORITY,
} from '../rails/asked-route.ts'
import { endingWords, targetWords, timetableWords } from '../rails/route-words.ts'
import { listRails } from '../rails/row-store.ts'
import {
  conditionWords,
  inOrder,
  type Route,
  type RouteConditions,
  rangeWords,
} from '../rails/rules.ts'
import { deleteRoute, findRoutesOf, listRoutes, upsertRoute } from '../rails/store.ts'
import { type RailTimetables, timetableConflict, withTimetable } from '../rails/timetable.ts'
import type { Sql } from '../sql/connect.ts'
import { CALENDAR_NAMES, type Timetable } from '../values/calendar/calendar.ts'
import { MAX_LEAD_MINUTES } from '../values/calendar/rules.ts'
import { refusal } from '../values/errors.ts'
import { amountToJson } from '../values/money/json.ts'
import { type Acting, type ActionGroup, reading, writing } from './action.ts'
import { NotCarriedResponse, notCarried, notCarriedWords } from './carriage-trial.ts'
import { VOCABULARY } from './fee-vocabulary.ts'
import { accountNamed } from './operator-write.ts'
import { AccountId } from './request.ts'

const Bound = { ...Amount, [MINOR_OF]: 'currency' }

/** The conditions of a route; one that is left out is any. */
const CONDITIONS = optional({
  type: Literals(PAYOUT_TYPES),
  network: Text(64, { minLength: 1 }),
  currency: CurrencyCode,
  country: CountryCode,
  account_id: AccountId,
  min_amount: Bound,
  max_amount: Bound,
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

const RemoveRouteRequest = Closed(
  { ...CONDITIONS, rail: Type.Optional(Rail) },
  { title: 'RemoveRoute', description: 'The route with exactly these conditions.' },
)

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
    cut_off: Type.String({
      description: 'The timetable that applies in words; empty for a route without a cut-off.',
    }),
  },
  { title: 'RouteRow', description: 'A route; null is any. Amounts are minor units.' },
)

const SetRouteResponse = Type.Object(
  {
    route: RouteRow,
    before: Type.Union([RouteRow, Type.Null()]),
    not_carried: NotCarriedResponse,
  },
  { title: 'ChangedRoute', description: 'The route, and the route before the change.' },
)

const CHOICE = `
The route that names most conditions takes a payout; of several the one of the
higher priority; of those the one that names the account, else the type, the
network, the currency, the country, the amount. A payout that no route fits is
refused. The next route takes it over only when the rail of the one before has
proved that it has not taken it. Sandbox accounts have no routes, and transfers
to other accounts need none.`

const CUT_OFF = `

With a cut-off, payouts wait for the next one of a business day, less the lead,
and can be cancelled until then. Without one that of the rail counts, if its
settings have a timetable; else payouts are handed over at once. A route may
only narrow the timetable of its rail: a later cut-off is refused.`

const EXAMPLE = 'corridor route set --type local --currency HKD --rail manual'
const EXAMPLE_CUT_OFF = `corridor route set --currency EUR --rail manual \\
    --cut-off-time 15:00 --cut-off-zone Europe/Berlin --cut-off-calendar t2`

const CONDITION_OPTIONS = {
  type: 'only payouts of this type',
  network: 'only over this local network, payment network or chain',
  currency: 'only payouts that arrive in this currency',
  country: 'only payouts to this country, ISO 3166-1 alpha-2',
  account_id: 'only payouts of this account',
  min_amount: 'only when at least this arrives, in the currency',
  max_amount: 'only when at most this arrives, in the currency',
}

const list = reading({
  name: 'route list',
  path: '/v3/operator/route',
  operationId: 'listRoutes',
  summary: 'List the routes of payouts.',
  response: RouteRow,
  list: true,
  async find(audit) {
    const timetables = timetablesOf(await listRails(audit))
    const routes = await listRoutes(audit)
    return routes.map(route => presentRoute(route, timetables))
  },
  command: {
    words: routes => ({
      rows: routes.map(routeOf).toSorted(inOrder).map(columnsOf),
      ...tailOf(
        endingWords(
          routes.map(({ in_force }) => in_force),
          new Date().toISOString(),
        ),
      ),
    }),
    none: `no route: payouts of live accounts are refused. Try ${EXAMPLE}`,
    help: `${CHOICE}\n\nExample:\n  corridor route list`,
  },
})

const set = writing({
  name: 'route set',
  path: '/v3/operator/route',
  operationId: 'setRoute',
  summary: 'Add a route, or change the route with the same conditions to the same rail.',
  description:
    'A request that leaves out the cut-off of an existing route is refused, so that no ' +
    'cut-off is lost by mistake.',
  body: SetRouteRequest,
  asksPassword: true,
  response: SetRouteResponse,
  refusals: ['currency', 'amount_out_of_range', 'not_found', 'route_conflict'],
  run: (acting, asked) => acting.change(sql => setRoute(acting, sql, asked)),
  command: {
    words: (_, said) => said,
    json: ({ route, before, not_carried }) => ({ ...route, before, not_carried }),
    options: {
      ...CONDITION_OPTIONS,
      rail: 'where such payouts go: manual, or a rail of corridor rail list',
      priority: `-${MAX_PRIORITY} to ${MAX_PRIORITY}, the higher wins (default: 0)`,
      cut_off_time: 'until when the rail takes the payouts of a day, such as 15:00',
      cut_off_zone: 'the time zone of the cut-off, such as Europe/Berlin',
      cut_off_calendar: 'whose business days',
      cut_off_lead_minutes: `release payouts so long before it (default: ${DEFAULT_LEAD_MINUTES})`,
      cut_off_arrival_days: 'business days to the arrival; else as the network takes',
      no_cut_off: 'as the rail takes them: by its own timetable, else at once',
    },
    help: `${CHOICE}${CUT_OFF}\n\nExamples:\n  ${EXAMPLE}\n  ${EXAMPLE_CUT_OFF}`,
  },
})

const remove = writing({
  name: 'route remove',
  path: '/v3/operator/route/remove',
  operationId: 'removeRoute',
  summary:
    'Remove the route with exactly these conditions; without conditions, the route for all ' +
    'payouts.',
  body: RemoveRouteRequest,
  asksPassword: true,
  response: RouteRow,
  refusals: ['currency', 'amount_out_of_range', 'not_found'],
  run: (acting, { rail, ...asked }) =>
    acting.change(async sql => {
      const removed = await removeRoute(sql, await conditionsAsked(sql, asked), rail)
      const was = targetWords(removed, removed.timetable)
      acting.say(`${conditionWords(removed)}: no route any more (before: ${was})`)
      return presentRoute(removed)
    }),
  command: {
    words: (_, said) => said,
    options: {
      ...CONDITION_OPTIONS,
      rail: 'the one to this rail, where several have these conditions',
    },
    help: '\nExample:\n  corridor route remove --type local --currency HKD',
  },
})

export const payoutRouting: ActionGroup = {
  actions: [list, set, remove],
}

/** Refuses (409) what contradicts another route or the rail's timetable. */
async function setRoute(acting: Acting<unknown>, sql: Sql, asked: Static<typeof SetRouteRequest>) {
  const { rail, priority = 0, cut_off, no_cut_off = false, ...conditions } = asked
  const rows = await listRails(sql)
  const timetables = timetablesOf(rows)
  const route = {
    ...(await conditionsAsked(sql, conditions)),
    rail: judgeRail(
      rail,
      rows.map(({ name }) => name),
    ),
    priority,
    timetable: judgeCutOff(cut_off, no_cut_off),
  }
  const existing = await findRoutesOf(sql, route)
  const before = existing.find(({ rail }) => rail === route.rail)
  checkPriority(existing, route)
  checkCutOff(before, route.timetable, no_cut_off)
  checkTimetable(route, timetables)
  await upsertRoute(sql, route)
  const was = before === undefined ? 'no such route' : targetWords(before, before.timetable)
  const target = targetWords(route, withTimetable(route, timetables).timetable)
  acting.say(`${conditionWords(route)}: ${target} (before: ${was})`)
  const faultsOf = carriageOf(rows).get(route.rail)
  const not_carried = faultsOf === undefined ? [] : notCarried(route, faultsOf)
  if (not_carried.length > 0) acting.say(`rail ${route.rail} cannot carry these of its payouts:`)
  for (const words of notCarriedWords(not_carried)) acting.say(`  ${words}`)
  return {
    route: presentRoute(route, timetables),
    before: before === undefined ? null : presentRoute(before, timetables),
    not_carried,
  }
}

/** Refuses (404) an unknown account, and (400) mistakes. */
export async function conditionsAsked(sql: Sql, asked: AskedConditions): Promise<RouteConditions> {
  const { account_id } = asked
  const account = account_id === undefined ? undefined : await accountNamed(sql, account_id)
  return judgeConditions(asked, { ...VOCABULARY, account })
}

/** Of two routes with the same conditions, one must come first. */
function checkPriority(existing: readonly Route[], { rail, priority }: Route): void {
  const other = existing.find(route => route.priority === priority && route.rail !== rail)
  if (other === undefined) return
  const message =
    `a route of these conditions leads to ${other.rail} with priority ${priority}; say by ` +
    'another priority which of the two comes first, the higher, or remove the other one'
  throw refusal('route_conflict', message, 'priority')
}

/** The rail takes no payout after its own timetable. */
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

/** Without a cut-off payouts go out at once, so the caller must say `no_cut_off`. */
function checkCutOff(before: Route | undefined, timetable: Timetable | null, no_cut_off: boolean) {
  if (before?.timetable == null || timetable !== null || no_cut_off) return
  const cutOff = timetableWords(before, before.timetable)
  const message = `this route has a cut-off, ${cutOff}; say it again, or say no_cut_off`
  throw refusal('route_conflict', message, 'cut_off')
}

/** The route of exactly these conditions. Refuses (404) none, and (400) several. */
async function removeRoute(sql: Sql, wanted: RouteConditions, rail: string | undefined) {
  const existing = await findRoutesOf(sql, wanted)
  const matching = existing.filter(route => route.rail === (rail?.toLowerCase() ?? route.rail))
  if (matching.length > 1) {
    const rails = matching.map(route => route.rail).join(', ')
    throw refusal(
      'invalid_field',
      `several routes have these conditions, to ${rails}; name one`,
      'rail',
    )
  }
  const [one] = matching
  const removed = one && (await deleteRoute(sql, one))
  if (removed !== undefined) return removed
  const to = rail === undefined ? '' : ` to ${rail}`
  throw refusal('not_found', `there is no route for ${conditionWords(wanted)}${to}`)
}

/** Amounts are minor units; `in_force` is the timetable that counts. */
export function presentRoute(given: Route, timetables: RailTimetables = new Map()) {
  const { min_amount, max_amount, ...route } = given
  const in_force = withTimetable(given, timetables).timetable
  const minor = (amount: bigint | null) => (amount === null ? null : amountToJson(amount))
  const amounts = { min_amount: minor(min_amount), max_amount: minor(max_amount) }
  return { ...route, ...amounts, in_force, cut_off: timetableWords(given, in_force) }
}

function routeOf(row: ReturnType<typeof presentRoute>) {
  const exact = (amount: number | null) => (amount === null ? null : BigInt(amount))
  return { ...row, min_amount: exact(row.min_amount), max_amount: exact(row.max_amount) }
}

function columnsOf(route: ReturnType<typeof routeOf>) {
  return {
    account: route.account_id ?? 'any',
    type: route.payout_type ?? 'any',
    network: route.network ?? 'any',
    currency: route.currency ?? 'any',
    country: route.country ?? 'any',
    amount: rangeWords(route) || 'any',
    priority: String(route.priority),
    rail: route.rail,
    'cut-off': route.cut_off,
  }
}

function tailOf(lines: readonly string[]): { readonly tail?: string } {
  return lines.length === 0 ? {} : { tail: lines.join('\n') }
}
