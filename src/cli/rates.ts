// corridor rates import|fetch: loads rates from a file or a feed. The other commands are actions.
import type { Command } from 'commander'
import { presentChangedRate, rates } from '../operator/rates.ts'
import { findFrame } from '../prices/policy/store.ts'
import { changeRates, FeedUnreadable, takeFeed } from '../prices/rate/change.ts'
import { ECB_URL, FetchFailed, refuseUrl } from '../prices/rate/fetch.ts'
import type { Judged } from '../prices/rate/guard.ts'
import { guessRateFormat, parseRates } from '../prices/rate/load.ts'
import type { Rate } from '../prices/rate/rules.ts'
import { databaseNow } from '../sql/connect.ts'
import { formatDecimal } from '../values/money/decimal.ts'
import { toSecond } from '../values/text/age.ts'
import type { LineProblem } from '../values/text/csv.ts'
import { commandsOf } from './action.ts'
import { addCommand, print, withContext } from './context.ts'
import { CommandFailed, UsageError } from './failure.ts'
import { readInput, refuseProblems, valuesOf } from './input.ts'
import { listing } from './table.ts'

export function ratesCommands(group: Command): void {
  commandsOf(rates)(group)
  loadCommands(group)
}

/** What a file has that is no rate of ours. */
function describeLeftOut(left_out: readonly LineProblem[]): string {
  if (left_out.length === 0) return ''
  return `; left out: ${left_out.map(({ message }) => message).join(', ')}`
}

/** The messages about gaps, after an empty line. */
function describeGaps(messages: readonly string[]): string {
  return messages.length === 0 ? '' : `\n\n${messages.map(message => `gap: ${message}`).join('\n')}`
}

interface ChangeOptions {
  readonly force?: boolean
  readonly dryRun?: boolean
}

function changeOf({ force = false, dryRun: dry_run = false }: ChangeOptions) {
  return { force, dry_run }
}

/** Those of the pair and of its inverse. */
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

const DRY_RUN = ['--dry-run', 'check everything and write nothing'] as const

function loadCommands(group: Command): void {
  addCommand(group, 'import', 'load a file of rates, all of it or nothing')
    .argument('<file>', 'path, or - for standard input')
    .option(
      '--force',
      'replace what is newer, pegged or of the inverse pair, and take any that moved far',
    )
    .option(...DRY_RUN)
    .addHelpText('after', IMPORT_HELP)
    .action(importAction)
  addCommand(group, 'fetch', 'fetch a file of rates and take what is newer')
    .argument('[url]', 'default: CORRIDOR_RATE_FEED_URL, or else the ECB’s daily file')
    .option('--force', 'take rates that moved far')
    .option(...DRY_RUN)
    .addHelpText('after', FETCH_HELP)
    .action(fetchAction)
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
  corridor rates import rates.csv --dry-run
  curl -s ${ECB_URL} |
    corridor rates import -`

const FETCH_HELP = `
The file is read as "rates import" reads one, but every line must say as_of.
Rates that are not newer than the stored ones, and pegged ones, change nothing.
Rates that moved too far are left out and named, with exit code 1; when they are
more than a tenth of the file, nothing of it is taken.

Examples:
  corridor rates fetch --dry-run
  corridor rates fetch https://rates.example.com/daily.csv`

async function importAction(file: string, options: ChangeOptions): Promise<void> {
  const { name, text } = await readInput(file)
  const format = guessRateFormat(text)
  const { changes, problems, gaps, left_out } = await withContext(async ({ sql }) => {
    const parsed = await parseRates(text, format, { source: name, now: await databaseNow(sql) })
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
  const loaded = changes.map(presentChangedRate)
  const replaced = changes.length - added
  const data = {
    file: name,
    format,
    dry_run,
    added,
    replaced,
    rates: loaded,
    gaps: messages,
    left_out,
  }
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
  const data = {
    host,
    dry_run,
    taken: taken.map(presentChangedRate),
    passed,
    refused: refused.map(presentChangedRate),
  }
  print({ ...data, problems, gaps: messages, left_out }, words)
  if (refused.length === 0) return
  const lines = problems.map(({ line, message }) => `\n  line ${line}: ${message}`)
  throw new CommandFailed(`${refused.length} rates refused; --force takes them${lines.join('')}`)
}
