// corridor route set|list|remove|history: says which rails take the payouts of live accounts, in
// which order. route-explain.ts says why a payout goes where it goes.
import { type Command, Option } from 'commander'
import { CALENDAR_NAMES } from '../calendar/calendar.ts'
import { daysLeft } from '../calendar/rules.ts'
import { CALENDARS } from '../calendar/tables.ts'
import { amountToJson } from '../money/json.ts'
import { VOCABULARY } from '../operator/fees.ts'
import { PAYOUT_TYPES } from '../quote/quote.ts'
import {
  DEFAULT_LEAD,
  MAX_PRIORITY,
  type RouteCells,
  readConditions,
  readTarget,
  readTimetable,
  type TimetableCells,
} from '../rail/load-route.ts'
import { listRails } from '../rail/row-store.ts'
import {
  CONDITIONS,
  conditionWords,
  inOrder,
  type Route,
  type RouteConditions,
  rangeWords,
} from '../rail/rules.ts'
import {
  deleteRoute,
  findRoutesOf,
  listRoutes,
  routeOfHistory,
  upsertRoute,
} from '../rail/store.ts'
import { contradiction, cutOffWords, inForce, type RailTimetables } from '../rail/timetable.ts'
import { timetablesOf } from '../rails.ts'
import {
  CommandFailed,
  type Context,
  findAccount,
  type Json,
  print,
  readOrRefuse,
  UsageError,
  withContext,
} from './context.ts'
import { historyCommand } from './history.ts'
import { explainCommand } from './route-explain.ts'
import { table } from './table.ts'

type SetOptions = RouteCells &
  TimetableCells &
  Json & { readonly rail: string; readonly priority?: string }

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

export function routeCommands(route: Command): void {
  withConditions(route.command('set'))
    .description('add a route, or change the one of the same conditions to the same rail')
    .requiredOption(
      '--rail <rail>',
      'where such payouts go: manual, or a rail of corridor rail list',
    )
    .option('--priority <number>', `-${MAX_PRIORITY} to ${MAX_PRIORITY}, the higher wins`, '0')
    .option('--cut-off <time>', 'until when the rail takes the payouts of a day, such as 15:00')
    .option('--no-cut-off', 'as the rail takes them: by its own timetable, else at once')
    .option('--zone <zone>', 'the time zone of the cut-off, such as Europe/Berlin')
    .option('--calendar <name>', `whose business days: ${CALENDAR_NAMES.join(', ')}`)
    .option('--lead <minutes>', `release payouts so long before it, ${DEFAULT_LEAD} if not said`)
    .option('--arrives-after <days>', 'business days to the arrival; else as the network takes')
    .addHelpText('after', `${CHOICE}${CUT_OFF}\n\nExamples:\n  ${EXAMPLE}\n  ${EXAMPLE_CUT_OFF}`)
    .action(setAction)
  route
    .command('list')
    .description('list the routes')
    .addHelpText('after', `${CHOICE}\n\nExample:\n  npx corridor route list`)
    .action(async (options: Json) => {
      const { routes, timetables } = await withContext(async ({ sql }) => ({
        routes: await listRoutes(sql),
        timetables: timetablesOf(await listRails(sql)),
      }))
      const used = routes.map(route => inForce(route, timetables))
      const ending = endingWords(used, new Date().toISOString())
      const json = routes.map(route => jsonOf(route, timetables))
      print(options, json, [listWords(routes, timetables), ...ending].join('\n'))
    })
  withConditions(route.command('remove'))
    .description('remove the route of exactly these conditions; without any, the route for all')
    .option('--rail <rail>', 'the one to this rail, where several have these conditions')
    .addHelpText('after', '\nExample:\n  npx corridor route remove --type local --currency HKD')
    .action(removeAction)
  explainCommand(route)
  historyCommand(route, {
    table_name: 'routes',
    description: 'list what changed in the routes, newest first',
    subject: row => conditionWords(routeOfHistory(row)),
    describe: row => {
      const words = timetableWords(routeOfHistory(row))
      const cut_off = words === '' ? '' : `, cut-off ${words}`
      return `${row.rail}, priority ${row.priority}${cut_off}`
    },
    example: 'route history --limit 20',
  })
}

const EXAMPLE = 'npx corridor route set --type local --currency HKD --rail manual'
const EXAMPLE_CUT_OFF = `npx corridor route set --currency EUR --rail manual \\
    --cut-off 15:00 --zone Europe/Berlin --calendar t2`

function withConditions(command: Command): Command {
  const types = PAYOUT_TYPES.filter(type => type !== 'service_account')
  return command
    .addOption(new Option('--type <type>', `only payouts of this type: ${types.join(', ')}`))
    .option('--network <name>', 'only over this local network, payment network or chain')
    .option('--currency <code>', 'only payouts that arrive in this currency')
    .option('--country <code>', 'only payouts to this country, ISO 3166-1 alpha-2')
    .option('--account <id>', 'only payouts of this account')
    .option('--min-amount <amount>', 'only when at least this arrives, in the currency')
    .option('--max-amount <amount>', 'only when at most this arrives, in the currency')
}

async function setAction(options: SetOptions): Promise<void> {
  const { route, before, timetables } = await withContext(async context => {
    const timetable = readOrRefuse(readTimetable(options))
    const rows = await listRails(context.sql)
    const rails = rows.map(({ name }) => name)
    const timetables = timetablesOf(rows)
    const aimed = readOrRefuse(readTarget(options.rail, options.priority, rails))
    const target = { ...aimed, timetable }
    const route = { ...(await conditionsFrom(context, options)), ...target }
    const there = await findRoutesOf(context.sql, route)
    const before = there.find(({ rail }) => rail === route.rail)
    checkPriority(there, route)
    checkCutOff(before, options)
    checkTimetable(route, timetables)
    await upsertRoute(context.sql, route)
    return { route, before, timetables }
  })
  const was = before === undefined ? 'no such route' : targetWords(before)
  const now = targetWords(route, timetables)
  const words = `${conditionWords(route)}: ${now} (before: ${was})`
  const json = {
    ...jsonOf(route, timetables),
    before: before === undefined ? null : jsonOf(before),
  }
  print(options, json, words)
}

/** Two routes of the same conditions need two priorities: one of them must come first. */
function checkPriority(there: readonly Route[], { rail, priority }: Route): void {
  const other = there.find(route => route.priority === priority && route.rail !== rail)
  if (other === undefined) return
  throw new CommandFailed(
    `a route of these conditions leads to ${other.rail} with priority ${priority}; say by ` +
      'another --priority which of the two comes first, the higher, or remove the other one',
  )
}

/** A rail with a timetable of its own takes no payout after it, whatever a route says. */
function checkTimetable({ rail, timetable }: Route, timetables: RailTimetables): void {
  const own = timetables.get(rail)
  if (own === undefined || timetable === null) return
  const why = contradiction(timetable, own)
  if (why === undefined) return
  throw new CommandFailed(
    `the cut-off contradicts the timetable of rail ${rail}: ${why}; say an earlier cut-off or a ` +
      'longer lead, or leave the cut-off out, and that of the rail counts',
  )
}

/** A cut-off is not lost by not being said: payouts would be handed over at once. */
function checkCutOff(before: Route | undefined, { cutOff }: SetOptions): void {
  if (before?.timetable == null || cutOff !== undefined) return
  const has = timetableWords(before)
  throw new CommandFailed(`this route has a cut-off, ${has}; say it again, or say --no-cut-off`)
}

async function removeAction(options: RouteCells & Json & { readonly rail?: string }) {
  const { wanted, removed } = await withContext(async context => {
    const wanted = await conditionsFrom(context, options)
    const there = await findRoutesOf(context.sql, wanted)
    const meant = there.filter(({ rail }) => rail === (options.rail?.toLowerCase() ?? rail))
    if (meant.length > 1) {
      const rails = meant.map(({ rail }) => rail).join(', ')
      throw new UsageError(`several routes have these conditions, to ${rails}; name one by --rail`)
    }
    const [one] = meant
    return { wanted, removed: one && (await deleteRoute(context.sql, one)) }
  })
  if (removed === undefined) {
    const to = options.rail === undefined ? '' : ` to ${options.rail}`
    const hint = 'corridor route list shows those that there are'
    throw new CommandFailed(`there is no route for ${conditionWords(wanted)}${to}; ${hint}`)
  }
  const words = `${conditionWords(removed)}: no route any more (before: ${targetWords(removed)})`
  print(options, jsonOf(removed), words)
}

async function conditionsFrom(context: Context, cells: RouteCells): Promise<RouteConditions> {
  const { networkName, countryFault } = VOCABULARY
  const account =
    cells.account === undefined ? undefined : await findAccount(context.sql, cells.account)
  return readOrRefuse(
    readConditions(cells, { payout_types: PAYOUT_TYPES, account, networkName, countryFault }),
  )
}

function targetWords(route: Route, timetables: RailTimetables = new Map()): string {
  const { rail, priority } = route
  const cut_off = timetableWords(route, timetables)
  const words = [
    ...(priority === 0 ? [rail] : [rail, `priority ${priority}`]),
    ...(cut_off === '' ? [] : [`cut-off ${cut_off}`]),
  ]
  return words.join(', ')
}

/** `15:00 Europe/Berlin less 30 min, t2`, `of the rail, …`, or ''. */
function timetableWords(route: Route, timetables: RailTimetables = new Map()): string {
  const { timetable } = inForce(route, timetables)
  if (timetable === null) return ''
  const { arrival_days } = timetable
  const arrives = arrival_days === null ? '' : `, arrives after ${arrival_days} days`
  const own = route.timetable === null ? 'of the rail, ' : ''
  return `${own}${cutOffWords(timetable)}${arrives}`
}

/** Warn so long before a calendar ends. */
const WARN_DAYS = 90

/** The calendars of these routes that end soon, or have. */
function endingWords(routes: readonly Route[], now: string): string[] {
  const used = new Set(routes.flatMap(({ timetable }) => timetable?.calendar ?? []))
  return [...used].flatMap(name => {
    const calendar = CALENDARS[name]
    if (daysLeft(calendar, now) > WARN_DAYS) return []
    const then = 'payouts over routes with its cut-offs are refused after that; upgrade Corridor'
    return [`calendar ${name} ends on ${calendar.last}: ${then}`]
  })
}

/** A route as JSON: amounts are minor units; `in_force` is the timetable that counts. */
function jsonOf(given: Route, timetables: RailTimetables = new Map()) {
  const { min_amount, max_amount, ...route } = given
  const in_force = inForce(given, timetables).timetable
  const minor = (amount: bigint | null) => (amount === null ? null : amountToJson(amount))
  return { ...route, min_amount: minor(min_amount), max_amount: minor(max_amount), in_force }
}

function listWords(routes: readonly Route[], timetables: RailTimetables): string {
  if (routes.length === 0) return `no route: payouts of live accounts are refused. Try ${EXAMPLE}`
  const rows = routes
    .toSorted(inOrder)
    .map(route => [
      ...CONDITIONS.map(condition => route[condition] ?? 'any'),
      rangeWords(route) || 'any',
      route.priority.toString(),
      route.rail,
      timetableWords(route, timetables),
    ])
  const named = ['account', 'type', 'network', 'currency', 'country', 'amount']
  return table([...named, 'priority', 'rail', 'cut-off'], rows)
}
