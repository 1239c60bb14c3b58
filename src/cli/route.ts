// corridor route set|list|remove|history: sets and lists routes, which say which rails take the
// payouts of live accounts, in which order. route-explain.ts explains why a payout goes to a rail.
import { type Command, Option } from 'commander'
import { CALENDAR_NAMES } from '../calendar/calendar.ts'
import { daysLeft } from '../calendar/rules.ts'
import { CALENDARS } from '../calendar/tables.ts'
import { Refusal } from '../errors.ts'
import {
  listRouting,
  presentRoute,
  readConditionsOf,
  removeRoute,
  setRoute,
  timetableWords,
} from '../operator/payout-routing.ts'
import { PAYOUT_TYPES } from '../quote/quote.ts'
import {
  DEFAULT_LEAD,
  MAX_PRIORITY,
  type RouteCells,
  readTimetable,
  type TimetableCells,
} from '../rail/load-route.ts'
import { conditionWords, inOrder, type Route, rangeWords } from '../rail/rules.ts'
import { routeOfHistory } from '../rail/store.ts'
import { type RailTimetables, withTimetable } from '../rail/timetable.ts'
import { addCommand, example, print, withContext } from './context.ts'
import { pointTo, readOrRefuse, UsageError } from './failure.ts'
import { historyCommand } from './history.ts'
import { explainCommand } from './route-explain.ts'
import { listing } from './table.ts'

type SetOptions = RouteCells &
  TimetableCells & { readonly rail: string; readonly priority?: string }

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
  addConditionOptions(route.command('set'))
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
  addCommand(route, 'list', 'list the routes')
    .addHelpText('after', `${CHOICE}\n\nExample:\n  npx corridor route list`)
    .action(async () => {
      const { routes, timetables } = await withContext(({ sql }) => listRouting(sql))
      const routes_in_force = routes.map(route => withTimetable(route, timetables))
      const ending = endingWords(routes_in_force, new Date().toISOString())
      const json = routes.map(route => presentRoute(route, timetables))
      print(json, [listWords(routes, timetables), ...ending].join('\n'))
    })
  addConditionOptions(route.command('remove'))
    .description('remove the route of exactly these conditions; without any, the route for all')
    .option('--rail <rail>', 'the one to this rail, where several have these conditions')
    .addHelpText('after', example('route remove --type local --currency HKD'))
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

function addConditionOptions(command: Command): Command {
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
  const { rail, priority } = options
  const { route, before, timetables } = await withContext(async ({ sql }) => {
    const timetable = readOrRefuse(readTimetable(options))
    const no_cut_off = options.cutOff === false
    const request = { cells: options, rail, priority, timetable, no_cut_off }
    return readOrRefuse(await setRoute(sql, request))
  })
  const was = before === undefined ? 'no such route' : targetWords(before)
  const words = `${conditionWords(route)}: ${targetWords(route, timetables)} (before: ${was})`
  const previous = before === undefined ? null : presentRoute(before)
  print({ ...presentRoute(route, timetables), before: previous }, words)
}

async function removeAction(options: RouteCells & { readonly rail?: string }) {
  const { rail } = options
  const removed = await withContext(async ({ sql }) => {
    const conditions = readOrRefuse(await readConditionsOf(sql, options))
    return removeRoute(sql, conditions, rail)
  })
    .catch(error => {
      if (!(error instanceof Refusal) || error.status !== 400) throw error
      throw new UsageError(`${error.message}; name one by --rail`)
    })
    .catch(pointTo('corridor route list shows those that there are'))
  const words = `${conditionWords(removed)}: no route any more (before: ${targetWords(removed)})`
  print(presentRoute(removed), words)
}

function targetWords(route: Route, timetables: RailTimetables = new Map()): string {
  const { rail, priority } = route
  const cut_off = timetableWords(route, timetables)
  const words = [rail, priority !== 0 && `priority ${priority}`, cut_off && `cut-off ${cut_off}`]
  return words.filter(Boolean).join(', ')
}

/** How many days before a calendar ends the list warns. */
const WARN_DAYS = 90

/** A sentence for each calendar of these routes that ends soon, or has ended. */
function endingWords(routes: readonly Route[], now: string): string[] {
  const used = new Set(routes.flatMap(({ timetable }) => timetable?.calendar ?? []))
  return [...used].flatMap(name => {
    const calendar = CALENDARS[name]
    if (daysLeft(calendar, now) > WARN_DAYS) return []
    const effect = 'payouts over routes with its cut-offs are refused after that; upgrade Corridor'
    return [`calendar ${name} ends on ${calendar.last}: ${effect}`]
  })
}

function listWords(routes: readonly Route[], timetables: RailTimetables): string {
  const rows = routes.toSorted(inOrder).map(route => ({
    account: route.account_id ?? 'any',
    type: route.payout_type ?? 'any',
    network: route.network ?? 'any',
    currency: route.currency ?? 'any',
    country: route.country ?? 'any',
    amount: rangeWords(route) || 'any',
    priority: String(route.priority),
    rail: route.rail,
    'cut-off': timetableWords(route, timetables),
  }))
  return listing(rows, `no route: payouts of live accounts are refused. Try ${EXAMPLE}`)
}
