// corridor screening check|list|show|clear|confirm|require: compares a name with the imported
// sanctions lists, shows what screening holds, and records the decisions of people.

import { type Command, Option } from 'commander'
import { given } from '../given.ts'
import { requireLists } from '../operator/lists.ts'
import {
  decide,
  type FoundFilter,
  kindOf,
  listFound,
  presentScreening,
  SCREENED_KINDS,
  type ShownMatch,
  type ShownScreening,
  showScreening,
} from '../operator/screening.ts'
import { listEntries, listNewest } from '../screening/list-store.ts'
import { countryOf } from '../screening/lists/format.ts'
import { Screener, THRESHOLD } from '../screening/screener.ts'
import { type Hit, LISTS, type Party } from '../screening/screening.ts'
import { toSecond } from '../text/age.ts'
import { addCommand, example, personOf, print, withContext } from './context.ts'
import { CommandFailed, UsageError } from './failure.ts'
import { DEFAULT_LIMIT, MAX_REASON, readLimit, readOneOf, readReason, readText } from './input.ts'
import { listing } from './table.ts'
import { visible } from './terminal.ts'

const MAX_NAME = 500

const CHECK_HELP = `
Prints who it may be, best first, with the score in pieces. From ${THRESHOLD} of 1000
on a person must look; --least shows those below as well. Nothing is stored.

Examples:
  npx corridor screening check "Viktor Bout"
  npx corridor screening check "Bank Rossiya" --kind organisation --country RU
  npx corridor screening check "V. A. But" --born 1967-01-13 --least 700`

export function screeningCommands(screening: Command): void {
  screening
    .command('check')
    .description('ask the imported sanctions lists about a name, and explain the score')
    .argument('<name>', 'the name, in any script')
    .addOption(
      new Option('--kind <kind>', 'what it is the name of').choices(['person', 'organisation']),
    )
    .option('--born <date>', 'birth date, YYYY-MM-DD')
    .option('--country <country>', 'a country that it belongs to, as code or English name')
    .option('--id <number>', 'number of a passport, an identity card or a registration')
    .option('--least <score>', 'the lowest score to show, 1 to 1000', String(THRESHOLD))
    .option('--limit <count>', 'most to show', readLimit, DEFAULT_LIMIT)
    .addHelpText('after', CHECK_HELP)
    .action(checkAction)
  holdCommands(screening)
}

interface CheckOptions {
  readonly kind?: 'person' | 'organisation'
  readonly born?: string
  readonly country?: string
  readonly id?: string
  readonly least: string
  readonly limit: number
}

async function checkAction(name: string, options: CheckOptions): Promise<void> {
  const party = readParty(name, options)
  const least = /^\d{1,4}$/.test(options.least) ? Number(options.least) : 0
  if (least < 1 || least > 1000) throw new UsageError('--least is a whole number from 1 to 1000')
  const { lists, newest } = await withContext(async ({ audit }) => ({
    lists: await listEntries(audit),
    newest: await listNewest(audit),
  }))
  if (lists.length === 0) {
    throw new CommandFailed('no list is imported: corridor lists import says how')
  }
  const screener = await Screener.of(lists)
  const hits = screener.screen(party, least).slice(0, options.limit)
  const versions = newest.map(({ list, version, published_on, is_sample: sample }) => {
    return { list, version, published_on, sample }
  })
  const list_words = newest.map(({ list, published_on }) => `${list} of ${published_on}`).join(', ')
  const hit_words = hits.length === 0 ? [`nobody from ${least} of 1000 on`] : hits.map(wordsOf)
  const shown_hits = hits.map(({ list, entry, name, score, pieces }) => {
    return { list, entry_id: entry.entry_id, name, score, pieces, entry }
  })
  const data = { threshold: THRESHOLD, lists: versions, hits: shown_hits }
  print(data, [...hit_words, `lists: ${list_words}`].join('\n\n'))
}

function readParty(name: string, { kind, born = '', country, id }: CheckOptions): Party {
  const code = country === undefined ? '' : countryOf(country)
  if (country !== undefined && code === '') throw new UsageError(`unknown country ${country}`)
  if (born !== '' && !isDate(born)) {
    throw new UsageError(`--born "${born}" is not a date such as 1967-01-13`)
  }
  return {
    name: readText('the name', name, MAX_NAME),
    kind: kind ?? 'unknown',
    birth_date: born,
    countries: code === '' ? [] : [code],
    ids: id === undefined ? [] : [{ kind: 'other', number: id, country: code }],
  }
}

function isDate(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`)
  return (
    /^\d{4}-\d\d-\d\d$/.test(text) &&
    !Number.isNaN(time) &&
    new Date(time).toISOString().startsWith(text)
  )
}

function wordsOf({ list, entry, name, score, pieces }: Hit): string {
  const listed = entry.names[0]?.text ?? ''
  const also = name === listed ? '' : `, by "${name}"`
  const why = entry.programmes.length === 0 ? '' : ` (${entry.programmes.join(', ')})`
  const head = `${score}  ${list} ${entry.entry_id}  ${listed}${also}${why}`
  return scoredLines(head, pieces)
}

const REASON = `why, for the audit log, up to ${MAX_REASON} characters`

function holdCommands(screening: Command): void {
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
    .addHelpText('after', example('screening show pot_01m7xpm2m0c6hkd4r9ye'))
    .action(showAction)
  for (const { name, state, description, help } of DECISIONS) {
    addCommand(screening, name, description)
      .argument('<id>', 'of a payout, an entity or a beneficiary')
      .requiredOption('--reason <text>', REASON, readReason)
      .option('--digest <digest>', 'of what you were shown, as screening show says it')
      .addHelpText('after', help)
      .action((id: string, options: DecisionOptions) => decideAction(id, state, options))
  }
  screening
    .command('require')
    .description('say which lists must be current before payouts of live accounts go out')
    .argument('<lists...>', `${LISTS.join(', ')}; or none: this installation does not screen`)
    .requiredOption('--reason <text>', REASON, readReason)
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

const DECISIONS = [
  {
    name: 'clear',
    state: 'cleared',
    description:
      'say that a party is not whom the lists name, or nobody of a payout, which goes on',
    help: `
Clears all its matches. They do not come back for the same party and the same
entry, until one of them changes. When a list has added to what was found first,
--digest says what you were shown. CORRIDOR_USER must say who you are.

Example:
  npx corridor screening clear pot_01m7xpm2m0c6hkd4r9ye \\
    --reason "Born in 1990, the listed person in 1967"`,
  },
  {
    name: 'confirm',
    state: 'confirmed',
    description: 'say that a party is listed, or somebody of a payout, which keeps its money',
    help: `
Nothing is given back: what the law asks of you decides that. Where it lets the
account have its money again, corridor payout transition … failed --reason does
it. CORRIDOR_USER must say who you are.

Example:
  npx corridor screening confirm pot_01m7xpm2m0c6hkd4r9ye \\
    --reason "Passport number agrees; reported to the authority"`,
  },
] as const

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
  const rows = found.map(({ id, account_id, screening, delisted, status, since }) => ({
    id,
    account: account_id,
    'waits for': delisted ? `${screening}, delisted` : screening,
    status,
    since: toSecond(since),
  }))
  const words = listing(rows, 'screening holds nothing')
  print({ object: 'list', results: found }, words)
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
  const decision =
    decided_at === null ? '' : ` by ${decided_by} at ${toSecond(decided_at)}: ${reason}`
  const delisted = match.listed ? '' : ' (delisted)'
  const head = `${score}  ${party}, ${list} ${entry_id}${delisted}: ${state}${decision}`
  return scoredLines(head, pieces)
}

/** A hit, and the pieces of its score below it. */
function scoredLines(head: string, pieces: Hit['pieces']): string {
  const below = pieces.map(({ score, text }) => `  ${String(score).padStart(4)}  ${text}`)
  return [head, ...below].map(visible).join('\n')
}

/** The options of clear, confirm and require. */
interface DecisionOptions {
  readonly reason: string
  readonly digest?: string
}

async function decideAction(
  id: string,
  state: (typeof DECISIONS)[number]['state'],
  { reason, digest }: DecisionOptions,
): Promise<void> {
  const { matches, screening } = await withContext(async context => {
    const person = personOf(context)
    return decide(context, person, id, given({ state, reason, digest }))
  })
  const match_count = matches.length === 1 ? 'one match' : `${matches.length} matches`
  const of = kindOf(id)
  const after = of === 'payout' ? AFTER_PAYOUT[screening ?? ''] : AFTER_PARTY[screening ?? '']
  const data = { id, of, state, matches: matches.length, screening }
  print(data, `${id}  ${match_count} ${state}${after}`)
}

/** What follows a decision about a payout, by what screening does with it then. */
const AFTER_PAYOUT: Readonly<Record<string, string>> = {
  '': '; nothing was held any more',
  waits: '; it goes on as soon as a service runs',
  confirmed: '; it is blocked, and its money kept',
}

/** The same for a party. */
const AFTER_PARTY: Readonly<Record<string, string>> = {
  '': '; nothing of it waits for a person',
  confirmed: '; its payouts are held, and an entity is not approved',
}

async function requireAction(lists: readonly string[], { reason }: DecisionOptions): Promise<void> {
  const none = lists.includes('none')
  if (none && lists.length > 1) throw new UsageError('say none alone, or the lists')
  const required = none ? [] : [...new Set(lists.map(list => readOneOf('list', list, LISTS)))]
  await withContext(context => requireLists(context.sql, personOf(context), { required, reason }))
  const words = none
    ? 'payouts of live accounts are not screened'
    : `payouts of live accounts wait unless these are current: ${required.join(', ')}`
  print({ required, reason }, words)
}
