// corridor screening list|show|clear|confirm|require: what screening holds, and what people decide.

import { type Command, Option } from 'commander'
import { requireLists } from '../operator/lists.ts'
import {
  decide,
  type FoundByScreening,
  type FoundFilter,
  kindOf,
  listFound,
  presentFound,
  presentScreening,
  SCREENED_KINDS,
  type ShownMatch,
  type ShownScreening,
  showScreening,
} from '../operator/screening.ts'
import { LISTS } from '../screening/screening.ts'
import { personOf, print, withContext } from './context.ts'
import { UsageError } from './failure.ts'
import { DEFAULT_LIMIT, MAX_REASON, readLimit, readOneOf, readReason } from './input.ts'
import { table, toSecond } from './table.ts'
import { visible } from './terminal.ts'

const REASON = `why, for the audit log, up to ${MAX_REASON} characters`

export function holdCommands(screening: Command): void {
  screening
    .command('list')
    .description('list payouts that screening holds and parties that may be listed, oldest first')
    .option('--account <account>', 'of one account')
    .addOption(new Option('--of <kind>', 'only these').choices(SCREENED_KINDS))
    .addOption(
      new Option('--state <state>', 'what they wait for').choices(['waits', 'open', 'confirmed']),
    )
    .option('--limit <count>', 'most to list', readLimit, DEFAULT_LIMIT)
    .addHelpText('after', LIST_HELP)
    .action(listAction)
  screening
    .command('show')
    .description('show whom the parties of a payout, or a party, may be, with each score in pieces')
    .argument('<id>', 'of a payout, an entity or a beneficiary')
    .addHelpText('after', '\nExample:\n  npx corridor screening show pot_01m7xpm2m0c6hkd4r9ye')
    .action(showAction)
  screening
    .command('clear')
    .description(
      'say that a party is not whom the lists name, or nobody of a payout, which goes on',
    )
    .argument('<id>', 'of a payout, an entity or a beneficiary')
    .requiredOption('--reason <text>', REASON)
    .option('--digest <digest>', 'of what you were shown, as screening show says it')
    .addHelpText('after', CLEAR_HELP)
    .action((id: string, options: Words) => decideAction(id, 'cleared', options))
  screening
    .command('confirm')
    .description('say that a party is listed, or somebody of a payout, which keeps its money')
    .argument('<id>', 'of a payout, an entity or a beneficiary')
    .requiredOption('--reason <text>', REASON)
    .option('--digest <digest>', 'of what you were shown, as screening show says it')
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
  confirmed  blocked: the money of a payout stays held until a person fails it,
             payouts of a party are held, and an entity is not approved

Example:
  npx corridor screening list --state open`

const CLEAR_HELP = `
Clears all its matches. They do not come back for the same party and the same
entry, until one of them changes. When a list has added to what was found first,
--digest says what you were shown. CORRIDOR_USER must say who you are.

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

interface ListOptions {
  readonly account?: string
  readonly state?: string
  readonly of?: FoundFilter['of']
  readonly limit: number
}

async function listAction(options: ListOptions): Promise<void> {
  const { account: account_id = '', of = '', state = '', limit } = options
  const found = await withContext(({ audit }) =>
    listFound(audit, { account_id, of, state, starting_after: '' }, limit),
  )
  const cells = (found: FoundByScreening) => {
    const { id, account_id, screening, delisted, status, since } = found
    const hold = delisted ? `${screening}, delisted` : screening
    return [id, account_id, hold, status, toSecond(since)]
  }
  const rows = table(['id', 'account', 'waits for', 'status', 'since'], found.map(cells))
  const words = found.length === 0 ? 'screening holds nothing' : rows
  print({ object: 'list', results: found.map(presentFound) }, words)
}

async function showAction(id: string): Promise<void> {
  const shown = await withContext(context => showScreening(context, id))
  const { of, status, matches } = shown
  const hold = of === 'payout' ? holdWords(shown) : PARTY_WORDS[of][shown.screening]
  const data = presentScreening(shown)
  const { digest } = data
  const words = [
    `${id}  ${status}; ${hold}`,
    ...(digest === '' ? [] : [`digest  ${digest}`]),
    ...matches.map(matchWords),
  ]
  print(data, words.join('\n\n'))
}

const NOTHING = 'nothing of it waits for a person'

const PARTY_WORDS: Readonly<Record<'entity' | 'beneficiary', Readonly<Record<string, string>>>> = {
  entity: {
    '': NOTHING,
    open: 'not approved until a person has cleared or confirmed what was found',
    confirmed: 'listed: it is not approved, and payouts for it are held',
  },
  beneficiary: {
    '': NOTHING,
    open: 'may be listed: payouts to it are held until a person clears them',
    confirmed: 'listed: payouts to it are held',
  },
}

function holdWords({ screening, screened, is_open }: ShownScreening): string {
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

interface Words {
  readonly reason: string
  readonly digest?: string
}

async function decideAction(
  id: string,
  state: 'cleared' | 'confirmed',
  options: Words,
): Promise<void> {
  const reason = readReason(options.reason)
  const { matches, screening } = await withContext(async context => {
    const operator = { name: personOf(context), is_login: false }
    const { digest } = options
    const said = { state, reason, ...(digest !== undefined && { digest }) }
    return decide(context, operator, id, said)
  })
  const found = matches.length === 1 ? 'one match' : `${matches.length} matches`
  const of = kindOf(id)
  const after = of === 'payout' ? AFTER[screening ?? ''] : PARTY_AFTER[screening ?? '']
  const data = { id, of, state, matches: matches.length, screening }
  print(data, `${id}  ${found} ${state}${after}`)
}

const AFTER: Readonly<Record<string, string>> = {
  '': '; nothing was held any more',
  waits: '; it goes on as soon as a service runs',
  confirmed: '; it is blocked, and its money kept',
}

const PARTY_AFTER: Readonly<Record<string, string>> = {
  '': '; nothing of it waits for a person',
  confirmed: '; its payouts are held, and an entity is not approved',
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
  print({ required, reason }, words)
}
