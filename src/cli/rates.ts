// corridor rates: lists and changes the rate book, by single rows, by files and by a feed.
import { type Command, Option } from 'commander'
import type { HistoricRow } from '../audit/store.ts'
import { databaseNow } from '../db/connect.ts'
import { findCurrency } from '../money/currency.ts'
import { formatDecimal, parseMajor } from '../money/decimal.ts'
import { type AskedRate, datedRates, presentChangedRate, setRate } from '../operator/rates.ts'
import { findFrame } from '../price/policy/store.ts'
import { changeRates, FeedUnreadable, takeFeed } from '../price/rate/change.ts'
import { ECB_URL, FetchFailed, refuseUrl } from '../price/rate/fetch.ts'
import { type Judged, MAX_MOVE_BPS } from '../price/rate/guard.ts'
import { guessRateFormat, parseRates, presentRate, type RateFormat } from '../price/rate/load.ts'
import { describeRate, type Rate } from '../price/rate/rules.ts'
import { deleteRate } from '../price/rate/store.ts'
import type { LineProblem } from '../text/csv.ts'
import { addCommand, example, print, withContext } from './context.ts'
import { CommandFailed, readOrRefuse, UsageError } from './failure.ts'
import { historyCommand } from './history.ts'
import { readInput, refuseProblems, valuesOf } from './input.ts'
import { describeAge, listing, toSecond } from './table.ts'

export function ratesCommands(rates: Command): void {
  addCommand(rates, 'list', 'list the rate book: the age of every rate, and until when it is good')
    .addHelpText('after', example('rates list'))
    .action(listAction)
  const setting = addCommand(rates, 'set', 'set one rate: MID units of QUOTE for one unit of BASE')
    .argument('<base>', 'currency code')
    .argument('<quote>', 'currency code')
    .argument('<mid>', 'mid-market rate, a plain decimal with at most 30 fractional digits')
    .option('--source <text>', 'where the rate comes from', 'operator')
    .option('--as-of <time>', 'ISO 8601 time the rate is of (default: now)')
    .option('--peg', 'QUOTE is pegged to BASE at this rate, and crossed through BASE')
    .option(
      '--force',
      'replace a rate that is newer, pegged or of the inverse pair, or set one that moved far',
    )
  addChangeOptions(setting).addHelpText('after', SET_HELP).action(setAction)
  addCommand(rates, 'remove', 'remove the row of one pair')
    .argument('<base>', 'currency code')
    .argument('<quote>', 'currency code')
    .addHelpText('after', example('rates remove USD HKD'))
    .action(removeAction)
  loadCommands(rates)
  historyCommand(rates, {
    table_name: 'rates',
    description: 'list what changed in the rate book, newest first',
    argument: { name: 'pair', meaning: 'only this pair, such as EUR/USD', read: readPair },
    subject: row => `${row.base}/${row.quote}`,
    describe: row =>
      `${row.mid} (${row.source}, ${row.as_of}${row.pegged === 'true' ? ', pegged' : ''})`,
    example: 'rates history EUR/USD',
  })
}

function readPair(text: string): HistoricRow {
  const [, base, quote] = /^([A-Z]{3,4})\/([A-Z]{3,4})$/.exec(text.toUpperCase()) ?? []
  if (base !== undefined && quote !== undefined) return { base, quote }
  throw new UsageError(`a pair is like EUR/USD, not "${text}"`)
}

const SET_HELP = `
Examples:
  npx corridor rates set USD HKD 7.81 --source treasury
  npx corridor rates set USD AED 3.6725 --peg`

async function listAction(): Promise<void> {
  const { dated, now } = await withContext(({ sql }) => datedRates(sql))
  const rows = dated.map(rate => ({
    base: rate.base,
    quote: rate.quote,
    mid: rate.mid,
    source: rate.source,
    'as of': toSecond(rate.as_of),
    age: describeAge(rate.age_s),
    'good until': describeEnd(rate, now),
    for: rate.sample ? 'sandboxes' : 'all accounts',
  }))
  const gaps = dated.flatMap(({ gap }) => gap ?? [])
  const words = listing(rows, 'no rate; corridor rates import loads a file of them')
  print(dated, `${words}${describeGaps(gaps)}`)
}

/** What a file has that is no rate of ours. */
function describeLeftOut(left_out: readonly LineProblem[]): string {
  if (left_out.length === 0) return ''
  return `; left out: ${left_out.map(({ message }) => message).join(', ')}`
}

/** The gaps on lines of their own, after an empty line. */
function describeGaps(messages: readonly string[]): string {
  return messages.length === 0 ? '' : `\n\n${messages.map(message => `gap: ${message}`).join('\n')}`
}

function describeEnd(rate: { pegged: boolean; good_until: string | null }, now: string): string {
  const end = rate.good_until ?? ''
  const words = [rate.pegged && 'pegged', end && toSecond(end), end && now > end && 'stale']
  return words.filter(Boolean).join(', ')
}

interface SetOptions extends ChangeOptions {
  readonly source: string
  readonly asOf?: string
  readonly peg?: boolean
}

async function setAction(base: string, quote: string, mid: string, options: SetOptions) {
  const request: AskedRate = {
    cells: { base, quote, mid, source: options.source, as_of: options.asOf ?? '' },
    peg: options.peg === true,
    ...changeOf(options),
  }
  const { changes, problems, forceable, gaps } = await withContext(async ({ sql }) =>
    readOrRefuse(await setRate(sql, request)),
  )
  const [problem] = problems
  const [change] = changes
  if (problem !== undefined) {
    throw new CommandFailed(`${problem.message}${forceable ? forceHint(change) : ''}`)
  }
  if (change === undefined) return
  const replaced = describeReplaced(change)
  const before = replaced === undefined ? 'a new pair' : `was ${replaced}`
  const would = options.dryRun === true ? 'would be set: ' : ''
  const messages = gaps.map(({ message }) => message)
  const words = `${would}${describeRate(change.rate)}; ${before}${describeGaps(messages)}`
  print({ ...presentChangedRate(change), gaps: messages }, words)
}

function forceHint(change: Judged | undefined): string {
  const kind = change?.problem?.kind
  if (kind === 'inverse') return '; set that one, or --force replaces it'
  // --peg changes only a pair that has a peg as its own row, and no pair that is crossed.
  if (kind !== 'pegged' || change?.before?.pegged !== true) return '; --force sets it all the same'
  return '; --peg changes the peg, --force makes it an ordinary rate'
}

async function removeAction(base: string, quote: string): Promise<void> {
  const pair = [base, quote].map(code => code.toUpperCase())
  const unknown = pair.filter(code => findCurrency(code) === undefined)
  if (unknown.length > 0) throw new UsageError(`unknown currency ${unknown.join(' and ')}`)
  const [b = '', q = ''] = pair
  const removed = await withContext(({ sql }) => deleteRate(sql, b, q))
  if (removed === undefined) {
    throw new CommandFailed(`${b}/${q} has no row of its own; see: corridor rates list`)
  }
  print({ removed: presentRate(removed) }, `removed ${describeRate(removed)}`)
}

/** The options of every command that changes rates. */
interface ChangeOptions {
  readonly force?: boolean
  readonly dryRun?: boolean
  readonly maxMove?: number
}

/** Adds the options of ChangeOptions except --force, which each command describes itself. */
function addChangeOptions(command: Command): Command {
  const default_percent = MAX_MOVE_BPS / 100
  return command
    .option(
      '--max-move <percent>',
      `how far a rate may be from the present one without --force (default: ${default_percent})`,
      readMaxMove,
    )
    .option('--dry-run', 'check everything and write nothing')
}

function readMaxMove(text: string): number {
  const bps = parseMajor(text, 2)
  if (bps !== undefined && bps <= 1_000_000n) return Number(bps)
  throw new UsageError(`--max-move must be a percentage such as 10 or 2.5, not "${text}"`)
}

function changeOf(options: ChangeOptions) {
  const { force = false, dryRun: dry_run = false, maxMove = MAX_MOVE_BPS } = options
  return { max_move_bps: maxMove, force, dry_run }
}

/** The rows that a change replaces: those of the pair and of its inverse. */
function describeReplaced({ before, inverse }: Judged): string | undefined {
  const was = before && describeMid(before)
  const other = inverse && `${inverse.base}/${inverse.quote} ${describeMid(inverse)}`
  return [was, other].filter(word => word !== undefined).join(' and ') || undefined
}

function describeMid({ mid, pegged }: Rate): string {
  return `${formatDecimal(mid)}${pegged ? ', pegged' : ''}`
}

function changesTable(changes: readonly Judged[]): string {
  const rows = changes.map(change => ({
    base: change.rate.base,
    quote: change.rate.quote,
    mid: formatDecimal(change.rate.mid),
    source: change.rate.source,
    'as of': toSecond(change.rate.as_of),
    before: describeReplaced(change) ?? 'new',
  }))
  return listing(rows)
}

function loadCommands(rates: Command): void {
  const importing = addCommand(rates, 'import', 'load a file of rates, all of it or nothing')
    .argument('<file>', 'path, or - for standard input')
    .addOption(
      new Option('--format <format>', 'default: by what the file looks like').choices([
        'csv',
        'ecb',
      ]),
    )
    .option(
      '--force',
      'replace what is newer, pegged or of the inverse pair, and take any that moved far',
    )
  addChangeOptions(importing).addHelpText('after', IMPORT_HELP).action(importAction)
  const fetching = addCommand(rates, 'fetch', 'fetch a file of rates and take what is newer')
    .argument('[url]', 'default: CORRIDOR_RATE_FEED_URL, or else the ECB’s daily file')
    .option('--force', 'take rates that moved far')
  addChangeOptions(fetching).addHelpText('after', FETCH_HELP).action(fetchAction)
}

const IMPORT_HELP = `
csv: columns base,quote,mid,source,as_of. Lines that start with # are skipped.
Without a source the file's name is taken, without as_of the present time.

  base,quote,mid,source,as_of
  USD,HKD,7.81,treasury,2026-10-06T09:30:00Z

ecb: the European Central Bank's daily, 90-day or historical XML or CSV; its
newest day is taken. Unknown currencies and those without a rate are left out
and named.

Examples:
  npx corridor rates import rates.csv --dry-run
  curl -s ${ECB_URL} |
    npx corridor rates import -`

const FETCH_HELP = `
The file is read as "rates import" reads one, but every line must say as_of.
Rates that are not newer than the stored ones, and pegged ones, change nothing.
Rates that moved too far are left out and named, with exit code 1; when they are
more than a tenth of the file, nothing of it is taken.

Examples:
  npx corridor rates fetch --dry-run
  npx corridor rates fetch https://rates.example.com/daily.csv`

async function importAction(file: string, options: ChangeOptions & { format?: RateFormat }) {
  const { name, text } = await readInput(file)
  const format = options.format ?? guessRateFormat(text)
  const { changes, problems, gaps, left_out } = await withContext(async ({ sql }) => {
    const parsed = parseRates(text, format, { source: name, now: await databaseNow(sql) })
    valuesOf(name, parsed)
    const frame = await findFrame(sql)
    const changed = await changeRates(sql, parsed.lines, { ...frame, ...changeOf(options) })
    return { ...changed, left_out: parsed.left_out }
  })
  refuseProblems(name, problems, '; --force loads them all the same')
  const added = changes.filter(({ before }) => before === undefined).length
  const dry_run = options.dryRun === true
  const done = dry_run ? 'would be loaded' : 'loaded'
  const messages = gaps.map(({ message }) => message)
  const words =
    `${changesTable(changes)}\n\n` +
    `${changes.length} rates from ${name} ${done}, ${added} of them new` +
    `${describeLeftOut(left_out)}${describeGaps(messages)}`
  const rates = changes.map(presentChangedRate)
  const replaced = changes.length - added
  const data = { file: name, format, dry_run, added, replaced, rates, gaps: messages, left_out }
  print(data, words)
}

async function fetchAction(asked_url: string | undefined, options: ChangeOptions): Promise<void> {
  const outcome = await withContext(async ({ sql, config }) => {
    const url = asked_url ?? (config.rate_feed_url || ECB_URL)
    const allow_http = config.rate_feed_allow_http
    const refusal = refuseUrl(url, { allow_http })
    if (refusal !== undefined) throw new UsageError(refusal)
    const frame = await findFrame(sql)
    return takeFeed(sql, { ...frame, ...changeOf(options), url, allow_http })
  }).catch(error => {
    if (error instanceof FeedUnreadable) refuseProblems(error.host, error.problems)
    if (!(error instanceof FetchFailed)) throw error
    throw new CommandFailed(`${error.message}; nothing was written`)
  })
  const { host, taken, passed, refused, problems, gaps, left_out } = outcome
  const messages = gaps.map(({ message }) => message)
  const dry_run = options.dryRun === true
  const done = dry_run ? 'would be taken' : 'taken'
  const counted =
    `${taken.length} rates from ${host} ${done}, ${passed} no news` +
    (refused.length === 0 ? '' : `, ${refused.length} refused`)
  const table = taken.length === 0 ? '' : `${changesTable(taken)}\n\n`
  const words = `${table}${counted}${describeLeftOut(left_out)}${describeGaps(messages)}`
  const rates = taken.map(presentChangedRate)
  const data = { host, dry_run, taken: rates, passed, refused: refused.map(presentChangedRate) }
  print({ ...data, problems, gaps: messages, left_out }, words)
  if (refused.length === 0) return
  const lines = problems.map(({ line, message }) => `\n  line ${line}: ${message}`)
  throw new CommandFailed(`${refused.length} rates refused; --force takes them${lines.join('')}`)
}
