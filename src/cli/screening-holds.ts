// corridor screening list|show|clear|confirm|require: what screening holds, and what people decide.

import { type Command, Option } from 'commander'
import { requireLists } from '../operator/lists.ts'
import {
  decision,
  presentHeld,
  presentScreening,
  type ShownMatch,
  showScreening,
} from '../operator/screening.ts'
import { type HeldByScreening, listHeld } from '../screening/match-store.ts'
import { LISTS } from '../screening/screening.ts'
import { type Json, personOf, print, UsageError, withContext } from './context.ts'
import { DEFAULT_LIMIT, MAX_REASON, readLimit, readOneOf, readReason } from './input.ts'
import { table, toSecond } from './table.ts'
import { visible } from './terminal.ts'

const REASON = `why, for the audit log, up to ${MAX_REASON} characters`

export function holdCommands(screening: Command): void {
  screening
    .command('list')
    .description('list payouts that screening holds, those that wait longest first')
    .option('--account <account>', 'of one account')
    .addOption(
      new Option('--state <state>', 'what they wait for').choices(['waits', 'open', 'confirmed']),
    )
    .option('--limit <count>', 'most to list', readLimit, DEFAULT_LIMIT)
    .addHelpText('after', LIST_HELP)
    .action(listAction)
  screening
    .command('show')
    .description('show whom the parties of a payout may be, with each score in pieces')
    .argument('<payout>', 'payout id')
    .addHelpText('after', '\nExample:\n  npx corridor screening show pot_01m7xpm2m0c6hkd4r9ye')
    .action(showAction)
  screening
    .command('clear')
    .description('say that nobody of a payout is whom the lists name; it goes on')
    .argument('<payout>', 'payout id')
    .requiredOption('--reason <text>', REASON)
    .addHelpText('after', CLEAR_HELP)
    .action((id: string, options: Words) => decideAction(id, 'cleared', options))
  screening
    .command('confirm')
    .description('say that somebody of a payout is listed; it is blocked, and its money kept')
    .argument('<payout>', 'payout id')
    .requiredOption('--reason <text>', REASON)
    .addHelpText('after', CONFIRM_HELP)
    .action((id: string, options: Words) => decideAction(id, 'confirmed', options))
  screening
    .command('require')
    .description('say which lists must be current before payouts of live accounts go out')
    .argument('<lists...>', `${LISTS.join(', ')}; or none: this installation does not screen`)
    .requiredOption('--reason <text>', REASON)
    .addHelpText('after', REQUIRE_HELP)
    .action(requireAction)
}

const LIST_HELP = `
  waits      for lists to be current, or to be screened in a moment
  open       for a person: corridor screening show, then clear or confirm
  confirmed  blocked: its money stays held until a person fails the payout

Example:
  npx corridor screening list --state open`

const CLEAR_HELP = `
Clears all matches of the payout. They do not come back for the same party and
the same entry, until one of them changes. CORRIDOR_USER must say who you are.

Example:
  npx corridor screening clear pot_01m7xpm2m0c6hkd4r9ye \\
    --reason "Born in 1990, the listed person in 1967"`

const CONFIRM_HELP = `
Nothing is given back: what the law asks of you decides that. Where it lets the
account have its money again, corridor payout transition … failed --reason does
it. CORRIDOR_USER must say who you are.

Example:
  npx corridor screening confirm pot_01m7xpm2m0c6hkd4r9ye \\
    --reason "Passport number agrees; reported to the authority"`

const REQUIRE_HELP = `
All lists must be current until you say otherwise: payouts of live accounts wait
while one is missing, stale or a sample. Lists that are imported are compared in
any case, unless you say none. CORRIDOR_USER must say who you are.

Examples:
  npx corridor screening require un eu --reason "Pays from the EU in euro alone"
  npx corridor screening require none --reason "Screened before it comes here"`

interface ListOptions extends Json {
  readonly account?: string
  readonly state?: string
  readonly limit: number
}

async function listAction(options: ListOptions): Promise<void> {
  const { account: account_id = '', state = '', limit } = options
  const held = await withContext(({ audit }) =>
    listHeld(audit, { account_id, state, starting_after: '' }, limit),
  )
  const cells = ({ id, account_id, screening, status, updated_at }: HeldByScreening) => {
    return [id, account_id, screening, status, toSecond(updated_at)]
  }
  const rows = table(['payout', 'account', 'waits for', 'status', 'since'], held.map(cells))
  const words = held.length === 0 ? 'screening holds nothing' : rows
  print(options, { object: 'list', payouts: held.map(presentHeld) }, words)
}

async function showAction(payout_id: string, options: Json): Promise<void> {
  const shown = await withContext(context => showScreening(context, payout_id))
  const { payout, matches } = shown
  const { status, screened, screening } = payout
  const words = [
    `${payout_id}  ${status}; ${holdWords(screening, screened, payout.is_open)}`,
    ...matches.map(matchWords),
  ]
  print(options, presentScreening(shown), words.join('\n\n'))
}

function holdWords(screening: string, screened: bigint | null, is_open: boolean): string {
  switch (screening) {
    case 'open':
      return 'held until a person has cleared or confirmed what was found'
    case 'confirmed':
      return 'blocked: somebody of it is listed'
    default:
      if (!is_open) return 'screening holds it no more'
      return screened === null ? 'waits to be screened' : `screened at version ${screened}`
  }
}

function matchWords(match: ShownMatch): string {
  const { party, list, entry_id, score, pieces, state, decided_by, decided_at, reason } = match
  const said = decided_at === null ? '' : ` by ${decided_by} at ${toSecond(decided_at)}: ${reason}`
  const gone = match.listed ? '' : ' (delisted)'
  return [
    visible(`${score}  ${party}, ${list} ${entry_id}${gone}: ${state}${said}`),
    ...pieces.map(piece => visible(`  ${String(piece.score).padStart(4)}  ${piece.text}`)),
  ].join('\n')
}

interface Words extends Json {
  readonly reason: string
}

async function decideAction(
  payout_id: string,
  state: 'cleared' | 'confirmed',
  options: Words,
): Promise<void> {
  const reason = readReason(options.reason)
  const { matches, screening } = await withContext(async context => {
    const name = personOf(context)
    const operator = { name, is_login: false }
    return context.run(await decision(context.audit, operator, payout_id, { state, reason }))
  })
  const found = matches.length === 1 ? 'one match' : `${matches.length} matches`
  const what = `${payout_id}  ${found} ${state}`
  const data = { payout: payout_id, state, matches: matches.length, screening }
  print(options, data, `${what}${AFTER[screening ?? '']}`)
}

const AFTER: Readonly<Record<string, string>> = {
  '': '; nothing was held any more',
  waits: '; it goes on as soon as a service runs',
  confirmed: '; it is blocked, and its money kept',
}

async function requireAction(lists: readonly string[], options: Words): Promise<void> {
  const reason = readReason(options.reason)
  const none = lists.includes('none')
  if (none && lists.length > 1) throw new UsageError('say none alone, or the lists')
  const required = none ? [] : [...new Set(lists.map(list => readOneOf('list', list, LISTS)))]
  await withContext(context => {
    const operator = { name: personOf(context), is_login: false }
    return requireLists(context.sql, operator, { required, reason })
  })
  const words = none
    ? 'payouts of live accounts are not screened'
    : `payouts of live accounts wait unless these are current: ${required.join(', ')}`
  print(options, { required, reason }, words)
}
