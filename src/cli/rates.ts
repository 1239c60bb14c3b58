// corridor rates list, set, remove, history: the rate book, row by row. Files are loaded by
// rates-load.ts.
import type { Command } from 'commander'
import { databaseNow } from '../db/connect.ts'
import type { HistoricRow } from '../db/reference-changes.ts'
import { secondsBetween } from '../instant.ts'
import { findCurrency } from '../money/currency.ts'
import { pricingFrom } from '../price/book.ts'
import { listPolicies } from '../price/policy/store.ts'
import { changeRates } from '../price/rate/change.ts'
import type { Judged, Problem } from '../price/rate/guard.ts'
import { presentRate, readRate } from '../price/rate/load.ts'
import { describeRate, goodUntil } from '../price/rate/rules.ts'
import { deleteRate, listRates } from '../price/rate/store.ts'
import {
  CommandFailed,
  describeAge,
  print,
  readOrRefuse,
  UsageError,
  withContext,
} from './context.ts'
import { historyCommand } from './history.ts'
import { toSecond } from './outline.ts'
import {
  type Changing,
  changeOptions,
  changing,
  describeReplaced,
  presentChange,
  readMaxMove,
} from './rate-changes.ts'
import { loadCommands } from './rates-load.ts'
import { table } from './table.ts'

interface Json {
  json?: boolean
}

export function ratesCommands(program: Command): void {
  const rates = program.command('rates').description('list, set and load exchange rates')
  rates
    .command('list')
    .description('list the rate book: the age of every rate, and until when it is good')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  npx corridor rates list')
    .action(listAction)
  const setting = rates
    .command('set')
    .description('set one rate: MID units of QUOTE for one unit of BASE')
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
  changing(setting).addHelpText('after', SET_HELP).action(setAction)
  rates
    .command('remove')
    .description('remove the row of one pair')
    .argument('<base>', 'currency code')
    .argument('<quote>', 'currency code')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  npx corridor rates remove USD HKD')
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

async function listAction(options: Json): Promise<void> {
  const { rates, policies, now } = await withContext(async ({ sql }) => ({
    rates: await listRates(sql),
    policies: await listPolicies(sql),
    now: await databaseNow(sql),
  }))
  // As a live account without a policy of its own is quoted.
  const pricing = pricingFrom({ rates, fees: [], policies })
  const { policyOf } = pricing({ account_id: '', sandbox: false }, now)
  const dated = rates.map(rate => ({
    ...presentRate(rate),
    age_s: secondsBetween(rate.as_of, now),
    good_until: goodUntil(rate, policyOf(rate.base, rate.quote).max_age_s)?.good_until ?? null,
  }))
  const rows = dated.map(r => [
    r.base,
    r.quote,
    r.mid,
    r.source,
    toSecond(r.as_of),
    describeAge(r.age_s),
    describeEnd(r, now),
    r.sample ? 'sandboxes' : 'all accounts',
  ])
  const headings = ['base', 'quote', 'mid', 'source', 'as of', 'age', 'good until', 'for']
  const none = 'no rate; corridor rates import loads a file of them'
  print(options, dated, rows.length === 0 ? none : table(headings, rows))
}

function describeEnd(
  { pegged, good_until }: { readonly pegged: boolean; readonly good_until: string | null },
  now: string,
): string {
  const end = good_until === null ? '' : toSecond(good_until)
  const words = [pegged ? 'pegged' : '', end, end !== '' && now > (good_until ?? '') ? 'stale' : '']
  return words.filter(word => word !== '').join(', ')
}

interface SetOptions extends Changing {
  readonly source: string
  readonly asOf?: string
  readonly peg?: boolean
}

async function setAction(
  base: string,
  quote: string,
  mid: string,
  options: SetOptions,
): Promise<void> {
  readMaxMove(options)
  const { changes, problems, forceable } = await withContext(async ({ sql }) => {
    const cells = { base, quote, mid, source: options.source, as_of: options.asOf ?? '' }
    const rate = readRate(cells, { source: 'operator', now: await databaseNow(sql) })
    const value = { ...readOrRefuse(rate), pegged: options.peg === true }
    return changeRates(sql, [{ line: 1, value }], await changeOptions(sql, options))
  })
  const [problem] = problems
  const [change] = changes
  if (problem !== undefined) {
    throw new CommandFailed(`${problem.message}${forceable ? FORCE_HINTS[kindOf(change)] : ''}`)
  }
  if (change === undefined) return
  const replaced = describeReplaced(change)
  const before = replaced === undefined ? 'a new pair' : `was ${replaced}`
  const would = options.dryRun === true ? 'would be set: ' : ''
  print(options, presentChange(change), `${would}${describeRate(change.rate)}; ${before}`)
}

const FORCE_HINTS = {
  inverse: '; set that one, or --force replaces it',
  older: '; --force sets it all the same',
  moved: '; --force sets it all the same',
  crossed: '; --force sets it all the same',
  pegged: '; --peg changes the peg, --force makes it an ordinary rate',
}

/** Only the pair that is the peg can be set as one. */
function kindOf(change: Judged | undefined): Problem['kind'] | 'crossed' {
  const kind = change?.problem?.kind ?? 'moved'
  return kind === 'pegged' && change?.before?.pegged !== true ? 'crossed' : kind
}

async function removeAction(base: string, quote: string, options: Json): Promise<void> {
  const pair = [base, quote].map(code => code.toUpperCase())
  const unknown = pair.filter(code => findCurrency(code) === undefined)
  if (unknown.length > 0) throw new UsageError(`unknown currency ${unknown.join(' and ')}`)
  const [b = '', q = ''] = pair
  const removed = await withContext(({ sql }) => deleteRate(sql, b, q))
  if (removed === undefined) {
    throw new CommandFailed(`${b}/${q} has no row of its own; see: corridor rates list`)
  }
  print(options, { removed: presentRate(removed) }, `removed ${describeRate(removed)}`)
}
