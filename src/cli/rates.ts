// corridor rates list|set|import|history: the rate book as the operator sees and changes it.
import { type Command, Option } from 'commander'
import type { Line } from '../csv.ts'
import { databaseNow, type Sql } from '../db/connect.ts'
import {
  findOlder,
  guessRateFormat,
  pairOf,
  parseRates,
  presentRate,
  type RateFormat,
  readRate,
} from '../fx/load.ts'
import { describeRate, type Rate } from '../fx/rules.ts'
import { listRates, lockRates, upsertRates } from '../fx/store.ts'
import type { HistoricRow } from '../history/store.ts'
import { type Instant, secondsBetween } from '../instant.ts'
import { formatDecimal } from '../money/decimal.ts'
import { CommandFailed, describeAge, print, table, UsageError, withContext } from './context.ts'
import { readInput, refuseProblems, valuesOf } from './files.ts'
import { historyCommand } from './history.ts'

interface Json {
  json?: boolean
}

interface Changing extends Json {
  force?: boolean
  dryRun?: boolean
}

export function ratesCommands(program: Command): void {
  const rates = program.command('rates').description('list, set and import exchange rates')
  rates
    .command('list')
    .description('list the rate book with the age of every rate')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  npx corridor rates list')
    .action(listAction)
  rates
    .command('set')
    .description('set one rate: MID units of QUOTE for one unit of BASE')
    .argument('<base>', 'currency code')
    .argument('<quote>', 'currency code')
    .argument('<mid>', 'mid-market rate, a plain decimal with at most 30 fractional digits')
    .option('--source <text>', 'where the rate comes from', 'operator')
    .option('--as-of <time>', 'ISO 8601 time the rate is of (default: now)')
    .option('--force', 'replace a rate that is newer')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  npx corridor rates set USD HKD 7.81 --source treasury')
    .action(setAction)
  rates
    .command('import')
    .description('load a file of rates, all of it or nothing')
    .argument('<file>', 'path, or - for standard input')
    .addOption(
      new Option('--format <format>', 'default: by what the file looks like').choices([
        'csv',
        'ecb',
      ]),
    )
    .option('--force', 'replace rates that are newer')
    .option('--dry-run', 'check everything and write nothing')
    .option('--json', 'print JSON')
    .addHelpText('after', IMPORT_HELP)
    .action(importAction)
  historyCommand(rates, {
    table_name: 'rates',
    description: 'list what changed in the rate book, newest first',
    argument: { name: 'pair', meaning: 'only this pair, such as EUR/USD', read: readPair },
    subject: row => `${row.base}/${row.quote}`,
    describe: row => `${row.mid} (${row.source}, ${row.as_of})`,
    example: 'rates history EUR/USD',
  })
}

function readPair(text: string): HistoricRow {
  const [, base, quote] = /^([A-Z]{3,4})\/([A-Z]{3,4})$/.exec(text.toUpperCase()) ?? []
  if (base !== undefined && quote !== undefined) return { base, quote }
  throw new UsageError(`a pair is like EUR/USD, not "${text}"`)
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
  curl -s https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml |
    npx corridor rates import -`

async function listAction(options: Json): Promise<void> {
  const { rates, now } = await withContext(async ({ sql }) => ({
    rates: await listRates(sql),
    now: await databaseNow(sql),
  }))
  const aged = rates.map(rate => ({ ...presentRate(rate), age_s: secondsBetween(rate.as_of, now) }))
  const rows = aged.map(r => [
    r.base,
    r.quote,
    r.mid,
    r.source,
    toSecond(r.as_of),
    describeAge(r.age_s),
    r.sample ? 'sandboxes' : 'all accounts',
  ])
  const headings = ['base', 'quote', 'mid', 'source', 'as of', 'age', 'for']
  print(options, aged, table(headings, rows))
}

interface SetOptions extends Changing {
  source: string
  asOf?: string
}

async function setAction(
  base: string,
  quote: string,
  mid: string,
  options: SetOptions,
): Promise<void> {
  const { rate, change } = await withContext(async ({ sql }) => {
    const cells = { base, quote, mid, source: options.source, as_of: options.asOf ?? '' }
    const read = readRate(cells, { source: 'operator', now: await databaseNow(sql) })
    if (read.messages !== undefined) throw new UsageError(read.messages.join('; '))
    const [change] = await storeRates(sql, [{ line: 1, value: read.value }], {
      ...options,
      refuse: ([problem]) => {
        if (problem === undefined) return
        throw new CommandFailed(`${problem.message}; --force sets it all the same`)
      },
    })
    return { rate: read.value, change }
  })
  const before = change?.before
  const replaced = before === undefined ? 'a new pair' : `was ${formatDecimal(before.mid)}`
  const words = `${describeRate(rate)}; ${replaced}`
  print(options, { ...presentRate(rate), previous: before ? presentRate(before) : null }, words)
}

async function importAction(
  file: string,
  options: Changing & { format?: RateFormat },
): Promise<void> {
  const { name, text } = await readInput(file)
  const format = options.format ?? guessRateFormat(text)
  const changes = await withContext(async ({ sql }) => {
    const parsed = parseRates(text, format, { source: name, now: await databaseNow(sql) })
    valuesOf(name, parsed)
    const hint = '; --force replaces newer rates'
    const refuse = (problems: ReturnType<typeof findOlder>) => refuseProblems(name, problems, hint)
    return storeRates(sql, parsed.lines, { ...options, refuse })
  })
  const added = changes.filter(({ before }) => before === undefined).length
  const dry_run = options.dryRun === true
  const done = dry_run ? 'would be loaded' : 'loaded'
  const rows = changes.map(({ rate, before }) => [
    rate.base,
    rate.quote,
    formatDecimal(rate.mid),
    rate.source,
    toSecond(rate.as_of),
    before === undefined ? 'new' : formatDecimal(before.mid),
  ])
  const words =
    `${table(['base', 'quote', 'mid', 'source', 'as of', 'before'], rows)}\n\n` +
    `${changes.length} rates from ${name} ${done}, ${added} of them new`
  const rates = changes.map(({ rate }) => presentRate(rate))
  const data = { file: name, format, dry_run, added, replaced: changes.length - added, rates }
  print(options, data, words)
}

interface Change {
  readonly rate: Rate
  /** The pair's row until now. */
  readonly before: Rate | undefined
}

/** Stores rates unless `refuse` throws over those that are older than the stored ones. */
async function storeRates(
  sql: Sql,
  lines: readonly Line<Rate>[],
  options: Changing & { refuse(problems: ReturnType<typeof findOlder>): void },
): Promise<Change[]> {
  return sql.begin(async tx => {
    const within = tx as unknown as Sql
    // Between reading what is stored and replacing it, nobody else may load a newer rate.
    await lockRates(tx)
    const stored = await listRates(within)
    if (options.force !== true) options.refuse(findOlder(lines, stored))
    const rates = lines.map(({ value }) => value)
    if (options.dryRun !== true) await upsertRates(within, rates)
    const before = new Map(stored.map(rate => [pairOf(rate), rate]))
    return rates.map(rate => ({ rate, before: before.get(pairOf(rate)) }))
  })
}

/** For people: without a fraction of zero. */
function toSecond(instant: Instant): string {
  return instant.replace('.000000Z', 'Z')
}
