// corridor route explain: shows each route in order, whether a payout took it, and why. It explains
// an existing payout by the routes at the time of each decision, and any other by the present
// routes.
import type { Command } from 'commander'
import type { Static } from 'typebox'
import { timetablesOf } from '../adapters/registry.ts'
import { attemptsOf, type TimelineAttempt } from '../history/timeline/attempts.ts'
import { findTimeline } from '../history/timeline/store.ts'
import {
  AmountOf,
  Closed,
  CountryCode,
  CurrencyCode,
  Literals,
  MINOR_OF,
  optional,
  Text,
} from '../http/schema.ts'
import { listChanges } from '../ledger/audit/store.ts'
import { accountIdOf } from '../operator/operator-write.ts'
import { conditionsAsked, payoutRouting } from '../operator/payout-routing.ts'
import { AccountId } from '../operator/request.ts'
import { wantedOf } from '../payouts/advance/failover.ts'
import type { Payout } from '../payouts/payout.ts'
import { PAYOUT_TYPES } from '../quotes/quote.ts'
import { findQuotes } from '../quotes/store.ts'
import { type ExplainedRoute, explainRoutes, routesBefore } from '../rails/explain.ts'
import { planFor } from '../rails/plan.ts'
import { listRails } from '../rails/row-store.ts'
import {
  CONDITIONS,
  conditionWords,
  type PayoutToRoute,
  payoutValueWords,
  type Route,
} from '../rails/rules.ts'
import { listRoutes, routeOfHistory } from '../rails/store.ts'
import { type RailTimetables, withTimetable } from '../rails/timetable.ts'
import { transactConfined } from '../sql/confine.ts'
import { databaseNow, type Sql, type TransactionSql } from '../sql/connect.ts'
import type { Instant } from '../values/instant.ts'
import { amountToJson } from '../values/money/json.ts'
import { toSecond } from '../values/text/age.ts'
import { commandsOf } from './action.ts'
import { type Context, print, withContext } from './context.ts'
import { CommandFailed, NotFound, UsageError } from './failure.ts'
import { addOptions, readOptions, refuseInOptions, type Texts } from './options.ts'
import { listing } from './table.ts'
import { columnsOfTerminal, visible, wrapped } from './terminal.ts'

/** What a payout that does not exist would be like. */
const Wanted = Closed(
  optional({
    type: Literals(PAYOUT_TYPES, { description: 'A payout of this type.' }),
    network: Text(64, { description: 'Over this local network, payment network or chain.' }),
    currency: { ...CurrencyCode, description: 'That arrives in this currency.' },
    country: { ...CountryCode, description: 'In this country, ISO 3166-1 alpha-2.' },
    account_id: { ...AccountId, description: 'Of this account.' },
    amount: AmountOf('Of so much, as it arrives; without it amounts are not compared.', {
      [MINOR_OF]: 'currency',
    }),
  }),
)
type Wanted = Static<typeof Wanted>

export function routeCommands(group: Command): void {
  commandsOf(payoutRouting)(group)
  const command = group
    .command('explain')
    .description('say why a payout goes to its rail: each route in order, taken or not, and why')
    .argument('[payout]', 'a payout that was made: with the routes as they were then')
  addOptions(command, Wanted, {})
  command.addHelpText('after', HELP).action(explainAction)
}

const HELP = `
Nothing is written and nothing is sent.

Examples:
  corridor route explain pot_01m7xpm2m0c6hkd4r9ye
  corridor route explain --type local --network chats \\
    --currency HKD --amount 100.00`

interface Decision {
  /** The number of the attempt; null for a payout that does not exist. */
  readonly attempt: number | null
  readonly at: Instant
  /** '' when no route fits. */
  readonly rail: string
  /** Why the rail was chosen anew, or the payout refused; '' for none. */
  readonly why: string
  readonly routes: readonly ExplainedRoute[]
  readonly release_at: Instant | null
  readonly expected_at: Instant | null
}

interface Explanation {
  readonly payout: string | null
  readonly wanted: PayoutToRoute
  readonly decisions: readonly Decision[]
  /** By rail. */
  readonly paused: ReadonlyMap<string, string>
}

async function explainAction(payout: string | undefined, texts: Texts): Promise<void> {
  const wanted: Wanted = readOptions(Wanted, texts)
  if (payout !== undefined && Object.keys(wanted).length > 0) {
    throw new UsageError('name a payout, or say what one would be like: not both')
  }
  const explanation = await withContext(context =>
    payout === undefined ? explainNew(context, wanted) : explainPayout(context, payout),
  ).catch(refuseInOptions(Wanted))
  print(jsonOf(explanation), wordsOf(explanation))
}

async function readRoutes(sql: Sql) {
  const rails = await listRails(sql)
  const paused = rails.filter(({ paused_reason }) => paused_reason !== '')
  return {
    routes: await listRoutes(sql),
    timetables: timetablesOf(rails),
    paused: new Map(paused.map(({ name, paused_reason }) => [name, paused_reason])),
  }
}

async function explainNew({ sql }: Context, asked: Wanted): Promise<Explanation> {
  const wanted = await readWanted(sql, asked)
  const { routes, timetables, paused } = await readRoutes(sql)
  const now = await databaseNow(sql)
  const explained = explainRoutes(withTimetables(routes, timetables), wanted, { tried: [] })
  const taken = explained.find(({ verdict }) => verdict === 'taken')?.route
  const plan = taken && planFor({ rail: taken.rail, route: taken }, wanted, now)
  // Without a plan, the calendar of the route's cut-off has ended.
  const is_over = taken !== undefined && plan === undefined
  const decision: Decision = {
    attempt: null,
    at: now,
    rail: taken?.rail ?? '',
    why: is_over ? 'the calendar of its cut-off has ended: the payout would be refused' : '',
    routes: explained,
    release_at: plan?.release_at ?? null,
    expected_at: plan?.expected_at ?? null,
  }
  return { payout: null, wanted, decisions: [decision], paused }
}

function withTimetables(routes: readonly Route[], timetables: RailTimetables): readonly Route[] {
  return routes.map(route => withTimetable(route, timetables))
}

async function readWanted(sql: Sql, { amount, ...asked }: Wanted): Promise<PayoutToRoute> {
  if (asked.type === undefined || asked.currency === undefined) {
    throw new UsageError('name a payout, or say at least --type and --currency of one')
  }
  const read = await conditionsAsked(sql, asked)
  return {
    account_id: read.account_id ?? '',
    payout_type: read.payout_type ?? '',
    network: read.network ?? '',
    currency: read.currency ?? '',
    country: read.country ?? '',
    amount: amount === undefined ? null : BigInt(amount),
  }
}

/** The most changes of routes that it undoes to find the routes of an earlier time. */
const MOST_CHANGES = 10_000

/** Each attempt by the routes of the time when its rail was chosen. */
async function explainPayout(context: Context, payout_id: string): Promise<Explanation> {
  const { sql } = context
  const account_id = await accountIdOf(context.audit, 'payout', payout_id)
  const source = await findTimeline(sql, { account_id, id: payout_id })
  if (source === undefined) throw new NotFound('payout', payout_id)
  const { payout, handOver } = source
  if (payout.route === null) {
    const why =
      payout.first_rail === '' ? 'is a transfer to another account' : `goes to ${payout.first_rail}`
    throw new CommandFailed(`payout ${payout_id} ${why}: no route decided that`)
  }
  const wanted = wantedOf(payout, await quotedCountry(sql, payout))
  const { routes, timetables, paused } = await readRoutes(sql)
  const changes = await listChanges(sql, 'routes', MOST_CHANGES)
  const routesAt = (at: Instant) => {
    const later = changes.filter(({ changed_at }) => changed_at > at)
    const undone = later.map(({ before, after }) => ({
      before: before && routeOfHistory(before),
      after: after && routeOfHistory(after),
    }))
    return withTimetables(routesBefore(routes, undone), timetables)
  }
  const attempts = attemptsOf(payout, handOver)
  const first = decisionOf(firstOf(payout, attempts[0]), routesAt(payout.created_at), wanted, [])
  const others = attempts.slice(1).map((attempt, i) => {
    const before = attempts.slice(0, i + 1)
    return decisionOf(attempt, routesAt(attempt.at), wanted, before)
  })
  return { payout: payout_id, wanted, decisions: [first, ...others], paused }
}

type Chosen = Pick<TimelineAttempt, keyof ReturnType<typeof firstOf>>

/** Whether or not a rail has had the payout since. */
function firstOf(payout: Payout, attempt: TimelineAttempt | undefined) {
  const { first_rail: rail, route, created_at: at } = payout
  const { release_at = null, expected_at = payout.expected_at } = attempt ?? {}
  return { number: 1, at, rail, route, release_at, expected_at }
}

function decisionOf(
  { number, at, rail, route, release_at, expected_at }: Chosen,
  routes: readonly Route[],
  wanted: PayoutToRoute,
  before: readonly TimelineAttempt[],
): Decision {
  const tried = before.map(attempt => attempt.rail)
  const taken = route === null ? undefined : { ...route, rail }
  const explained =
    taken === undefined
      ? []
      : explainRoutes(routes, wanted, { tried, taken }).map(judged =>
          judged.verdict === 'taken' ? { ...judged, route: taken } : judged,
        )
  const why = notTakenWords(before.at(-1))
  return { attempt: number, at, rail, why, routes: explained, release_at, expected_at }
}

function notTakenWords(last: TimelineAttempt | undefined): string {
  if (last === undefined) return ''
  const { rail, not_taken } = last
  const why = not_taken === null ? '' : ` (${not_taken.code}: ${not_taken.message})`
  return `rail ${rail} had not taken it${why}`
}

async function quotedCountry(sql: Sql, { account_id, quote_id: id }: Payout): Promise<string> {
  if (id === '') return ''
  const find = (tx: TransactionSql) => findQuotes(tx, [{ account_id, id }])
  const [quote] = await transactConfined(sql, [account_id], find)
  return quote?.destination_country ?? ''
}

function jsonOf({ payout, wanted, decisions, paused }: Explanation) {
  const minor = (amount: bigint | null) => (amount === null ? null : amountToJson(amount))
  return {
    object: 'route_explanation',
    payout,
    wanted: { ...wanted, amount: minor(wanted.amount) },
    decisions: decisions.map(({ routes, ...decision }) => ({
      ...decision,
      routes: routes.map(({ route, ...explained }) => ({
        ...explained,
        ...route,
        min_amount: minor(route.min_amount),
        max_amount: minor(route.max_amount),
        rail_paused: paused.get(route.rail) ?? null,
      })),
    })),
  }
}

function wordsOf({ payout, wanted, decisions, paused }: Explanation): string {
  const { amount, account_id } = wanted
  const conditions = CONDITIONS.filter(name => name !== 'account_id' && wanted[name] !== '')
  const about = [
    ...conditions.map(name => payoutValueWords(wanted, name)),
    amount !== null && payoutValueWords(wanted, 'amount'),
    account_id && `account ${account_id}`,
  ]
  const payouts = about.filter(Boolean).join(', ')
  const head = payout === null ? `a payout with ${payouts}` : `${payout}  ${payouts}`
  const words = decisions.flatMap(decision => ['', ...decisionWords(decision, paused)])
  return [...lines(head), ...words].join('\n')
}

function decisionWords(decision: Decision, paused: ReadonlyMap<string, string>): string[] {
  const { attempt, at, rail, why, routes, release_at, expected_at } = decision
  const to = rail === '' ? 'refused, as no route fits' : `to rail ${rail}`
  const when = attempt === null ? 'now' : `attempt ${attempt}, ${toSecond(at)}`
  const released = release_at && `handed over at ${toSecond(release_at)}`
  const expected = expected_at && `expected at ${toSecond(expected_at)}`
  const words = lines(`${when}: ${[to, why, released, expected].filter(Boolean).join('; ')}`)
  if (rail !== '' && routes.length === 0) return [...words, 'a person named the rail']
  if (routes.length === 0) return [...words, 'there is no route: corridor route set']
  const rows = routes.map(({ route, verdict, reason }) => {
    const why_paused = paused.get(route.rail)
    const now = why_paused && `; rail paused now (${why_paused}): payouts wait`
    return {
      '': verdict === 'taken' || verdict === 'next' ? verdict : 'no',
      rail: route.rail,
      priority: String(route.priority),
      'route for': conditionWords(route),
      why: `${reason}${now ?? ''}`,
    }
  })
  return [...words, listing(rows)]
}

function lines(text: string): string[] {
  const words = visible(text).split(' ')
  return wrapped(words, { first: '', further: '  ', columns: columnsOfTerminal() })
}
