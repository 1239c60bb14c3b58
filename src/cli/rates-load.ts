// corridor rates import, fetch: files of rates, brought by the operator or published by others.
import { type Command, Option } from 'commander'
import { databaseNow } from '../db/connect.ts'
import { changeRates } from '../price/rate/change.ts'
import { FeedUnreadable, takeFeed } from '../price/rate/feed.ts'
import { ECB_URL, FetchFailed, refuseUrl } from '../price/rate/fetch.ts'
import { guessRateFormat, parseRates, type RateFormat } from '../price/rate/load.ts'
import { CommandFailed, print, UsageError, withContext } from './context.ts'
import { readInput, refuseProblems, valuesOf } from './files.ts'
import {
  type Changing,
  changeOptions,
  changesTable,
  changing,
  presentChange,
  readMaxMove,
} from './rate-changes.ts'

export function loadCommands(rates: Command): void {
  const importing = rates
    .command('import')
    .description('load a file of rates, all of it or nothing')
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
  changing(importing).addHelpText('after', IMPORT_HELP).action(importAction)
  const fetching = rates
    .command('fetch')
    .description('fetch a file of rates and take what is newer')
    .argument('[url]', 'default: CORRIDOR_RATE_FEED_URL, or else the ECB’s daily file')
    .option('--force', 'take rates that moved far')
  changing(fetching).addHelpText('after', FETCH_HELP).action(fetchAction)
}

const IMPORT_HELP = `
csv: columns base,quote,mid,source,as_of. Lines that start with # are skipped.
Without a source the file's name is taken, without as_of the present time.

  base,quote,mid,source,as_of
  USD,HKD,7.81,treasury,2026-10-06T09:30:00Z

ecb: the European Central Bank's daily, 90-day or historical XML, of which the
newest day is taken.

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

async function importAction(
  file: string,
  options: Changing & { format?: RateFormat },
): Promise<void> {
  readMaxMove(options)
  const { name, text } = await readInput(file)
  const format = options.format ?? guessRateFormat(text)
  const { changes, problems } = await withContext(async ({ sql }) => {
    const parsed = parseRates(text, format, { source: name, now: await databaseNow(sql) })
    valuesOf(name, parsed)
    return changeRates(sql, parsed.lines, await changeOptions(sql, options))
  })
  refuseProblems(name, problems, '; --force loads them all the same')
  const added = changes.filter(({ before }) => before === undefined).length
  const dry_run = options.dryRun === true
  const done = dry_run ? 'would be loaded' : 'loaded'
  const words =
    `${changesTable(changes)}\n\n` +
    `${changes.length} rates from ${name} ${done}, ${added} of them new`
  const rates = changes.map(presentChange)
  const data = { file: name, format, dry_run, added, replaced: changes.length - added, rates }
  print(options, data, words)
}

async function fetchAction(given: string | undefined, options: Changing): Promise<void> {
  readMaxMove(options)
  const outcome = await withContext(async ({ sql, config }) => {
    const url = given ?? (config.rate_feed_url || ECB_URL)
    const allow_http = config.rate_feed_allow_http
    const refusal = refuseUrl(url, { allow_http })
    if (refusal !== undefined) throw new UsageError(refusal)
    return takeFeed(sql, { ...(await changeOptions(sql, options)), url, allow_http })
  }).catch(error => {
    if (error instanceof FeedUnreadable) refuseProblems(error.host, error.problems)
    throw error instanceof FetchFailed
      ? new CommandFailed(`${error.message}; nothing was written`)
      : error
  })
  const { host, taken, passed, refused, problems } = outcome
  const dry_run = options.dryRun === true
  const done = dry_run ? 'would be taken' : 'taken'
  const counted =
    `${taken.length} rates from ${host} ${done}, ${passed} no news` +
    (refused.length === 0 ? '' : `, ${refused.length} refused`)
  const words = taken.length === 0 ? counted : `${changesTable(taken)}\n\n${counted}`
  const rates = taken.map(presentChange)
  const data = { host, dry_run, taken: rates, passed, refused: refused.map(presentChange) }
  print(options, { ...data, problems }, words)
  if (refused.length === 0) return
  const lines = problems.map(({ line, message }) => `  line ${line}: ${message}`)
  throw new CommandFailed(
    [`${refused.length} rates refused; --force takes them`, ...lines].join('\n'),
  )
}
