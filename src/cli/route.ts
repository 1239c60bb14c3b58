// corridor route set|list|remove|history: says which rail takes the payouts of live accounts.
import { type Command, Option } from 'commander'
import { PAYOUT_TYPES } from '../quote/quote.ts'
import { MAX_PRIORITY, type RouteCells, readConditions, readTarget } from '../rail/load.ts'
import { ROUTABLE_RAILS } from '../rail/rail.ts'
import {
  CONDITIONS,
  conditionsOf,
  conditionWords,
  type Route,
  type RouteConditions,
} from '../rail/rules.ts'
import { deleteRoute, listRoutes, upsertRoute } from '../rail/store.ts'
import {
  CommandFailed,
  type Context,
  findAccount,
  type Json,
  print,
  readOrRefuse,
  withContext,
} from './context.ts'
import { VOCABULARY } from './fees.ts'
import { historyCommand } from './history.ts'
import { table } from './table.ts'

type SetOptions = RouteCells & Json & { readonly rail: string; readonly priority?: string }

const CHOICE = `
The route that names most conditions takes a payout; of several the one of the
higher priority; of those the one that names the account, else the type, the
network, the currency, the country. A payout that no route fits is refused.
Sandbox accounts have no routes, and transfers to other accounts need none.`

export function routeCommands(program: Command): void {
  const route = program
    .command('route')
    .description('say which rail takes the payouts of live accounts')
  withConditions(route.command('set'))
    .description('add a route, or replace the one of the same conditions')
    .requiredOption('--rail <rail>', `where such payouts go: ${ROUTABLE_RAILS.join(', ')}`)
    .option('--priority <number>', `-${MAX_PRIORITY} to ${MAX_PRIORITY}, the higher wins`, '0')
    .addHelpText('after', `${CHOICE}\n\nExample:\n  ${EXAMPLE}`)
    .action(setAction)
  route
    .command('list')
    .description('list the routes')
    .addHelpText('after', `${CHOICE}\n\nExample:\n  npx corridor route list`)
    .action(async (options: Json) => {
      const routes = await withContext(({ sql }) => listRoutes(sql))
      print(options, routes, listWords(routes))
    })
  withConditions(route.command('remove'))
    .description('remove the route of exactly these conditions; without any, the route for all')
    .addHelpText('after', '\nExample:\n  npx corridor route remove --type local --currency HKD')
    .action(removeAction)
  historyCommand(route, {
    table_name: 'routes',
    description: 'list what changed in the routes, newest first',
    subject: row => conditionWords(row as unknown as RouteConditions),
    describe: ({ rail, priority }) => `${rail}, priority ${priority}`,
    example: 'route history --limit 20',
  })
}

const EXAMPLE = 'npx corridor route set --type local --currency HKD --rail manual'

function withConditions(command: Command): Command {
  const types = PAYOUT_TYPES.filter(type => type !== 'service_account')
  return command
    .addOption(new Option('--type <type>', `only payouts of this type: ${types.join(', ')}`))
    .option('--network <name>', 'only over this local network, payment network or chain')
    .option('--currency <code>', 'only payouts that arrive in this currency')
    .option('--country <code>', 'only payouts to this country, ISO 3166-1 alpha-2')
    .option('--account <id>', 'only payouts of this account')
}

async function setAction(options: SetOptions): Promise<void> {
  const { route, before } = await withContext(async context => {
    const route = { ...(await conditionsFrom(context, options)), ...targetFrom(options) }
    return { route, before: await upsertRoute(context.sql, route) }
  })
  const was = before === undefined ? 'no route' : targetWords(before)
  const words = `${conditionWords(route)}: ${targetWords(route)} (before: ${was})`
  print(options, { ...route, before: before ?? null }, words)
}

async function removeAction(options: RouteCells & Json): Promise<void> {
  const { wanted, removed } = await withContext(async context => {
    const wanted = await conditionsFrom(context, options)
    return { wanted, removed: await deleteRoute(context.sql, wanted) }
  })
  if (removed === undefined) {
    const hint = 'corridor route list shows those that there are'
    throw new CommandFailed(`there is no route for ${conditionWords(wanted)}; ${hint}`)
  }
  const words = `${conditionWords(removed)}: no route any more (before: ${targetWords(removed)})`
  print(options, removed, words)
}

async function conditionsFrom(context: Context, cells: RouteCells): Promise<RouteConditions> {
  const { networkName, countryFault } = VOCABULARY
  const account =
    cells.account === undefined ? undefined : await findAccount(context.sql, cells.account)
  return readOrRefuse(
    readConditions(cells, { payout_types: PAYOUT_TYPES, account, networkName, countryFault }),
  )
}

function targetFrom({ rail, priority }: SetOptions): Pick<Route, 'rail' | 'priority'> {
  return readOrRefuse(readTarget(rail, priority))
}

function targetWords({ rail, priority }: Route): string {
  return priority === 0 ? rail : `${rail}, priority ${priority}`
}

function listWords(routes: readonly Route[]): string {
  if (routes.length === 0) return `no route: payouts of live accounts are refused. Try ${EXAMPLE}`
  const rows = routes
    .toSorted((a, b) => conditionsOf(b).length - conditionsOf(a).length || b.priority - a.priority)
    .map(route => [
      ...CONDITIONS.map(condition => route[condition] ?? 'any'),
      route.priority.toString(),
      route.rail,
    ])
  return table(['account', 'type', 'network', 'currency', 'country', 'priority', 'rail'], rows)
}
