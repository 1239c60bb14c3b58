// corridor fees: lists and changes the fee schedule, by single rows and by files.
import { type Command, Option } from 'commander'
import type { HistoricRow } from '../audit/store.ts'
import { removeFee, sameRow, setFees, VOCABULARY } from '../operator/fees.ts'
import {
  describeFee,
  describeSubject,
  FEE_COLUMNS,
  type FeeCells,
  type FeeColumn,
  feeCells,
  parseFeesCsv,
  presentFee,
  readFee,
} from '../price/fee/load.ts'
import { type Fee, selectFee } from '../price/fee/rules.ts'
import { listFees } from '../price/fee/store.ts'
import { PAYOUT_TYPES } from '../quote/quote.ts'
import { CHARGE_TYPES } from '../quote/request.ts'
import { addCommand, example, print, withContext } from './context.ts'
import { pointTo, readOrRefuse, refuseAsCommand, UsageError } from './failure.ts'
import { historyCommand } from './history.ts'
import { optionName, readInput, valuesOf } from './input.ts'
import { listing } from './table.ts'

const MEANINGS: Readonly<Record<FeeColumn, string>> = {
  payout_type: `one of ${PAYOUT_TYPES.join(', ')}`,
  payout_currency: 'only payouts in this currency',
  destination_country: 'only payouts to this country, ISO 3166-1 alpha-2',
  network: 'only payouts over this local network, payment network or chain',
  charge_type: `only swift payouts with this charge type, ${CHARGE_TYPES.join(' or ')}`,
  fixed_amount: 'fixed part, in major units such as 1.00',
  fee_currency: 'currency of the amounts',
  variable_bps: 'variable part in basis points of the holding amount',
  minimum_amount: 'least variable part, in major units',
  maximum_amount: 'greatest variable part, in major units',
}

const IMPORT_HELP = `
Columns, in any order; blank is any or none; amounts in major units. A row that
costs nothing says so by fixed_amount 0:

  ${FEE_COLUMNS.slice(0, 5).join(',')},
  ${FEE_COLUMNS.slice(5).join(',')}

Lines that start with # are skipped. Without --replace rows are added, or
replace the row with the same payout_type, payout_currency, destination_country,
network and charge_type. What fees set refuses without --force is refused here
too.

Example:
  npx corridor fees import fees.csv --replace --dry-run`

const FORCE = 'set what is likely a slip of the finger'

export function feesCommands(fees: Command): void {
  addCommand(fees, 'list', 'list the fee schedule; JSON has amounts in minor units')
    .addHelpText('after', example('fees list'))
    .action(async () => {
      const rows = await withContext(({ sql }) => listFees(sql))
      print(rows.map(presentFee), feeTable(rows))
    })
  const set = fees
    .command('set')
    .description('add one row of the schedule, or replace the row that applies to the same')
  for (const column of FEE_COLUMNS) set.addOption(optionFor(column))
  set.option('--force', FORCE)
  set.addHelpText('after', SET_HELP).action(setAction)
  const remove = fees
    .command('remove')
    .description('take one row out of the schedule, named by what it applies to')
  for (const column of MATCHING) remove.addOption(optionFor(column))
  remove.addHelpText('after', REMOVE_HELP).action(removeAction)
  addCommand(fees, 'import', 'load a CSV file of fees, all of it or nothing')
    .argument('<file>', 'path, or - for standard input')
    .option('--replace', 'make the file the whole schedule')
    .option('--dry-run', 'check everything and write nothing')
    .option('--force', FORCE)
    .addHelpText('after', IMPORT_HELP)
    .action(importAction)
  historyCommand(fees, {
    table_name: 'fees',
    description: 'list what changed in the fee schedule, newest first',
    argument: { name: 'type', meaning: 'only this payout type', read: readType },
    subject: row => describeSubject(feeOf(row)),
    describe: row => describeFee(feeOf(row)),
    example: 'fees history local',
  })
}

function readType(payout_type: string): HistoricRow {
  if (PAYOUT_TYPES.some(known => known === payout_type)) return { payout_type }
  throw new UsageError(`a payout type is one of ${PAYOUT_TYPES.join(', ')}, not "${payout_type}"`)
}

/** A row of the history as a fee. */
function feeOf(row: HistoricRow): Fee {
  const amount = (name: string) => (row[name] == null ? null : BigInt(row[name]))
  return {
    payout_type: row.payout_type ?? '',
    payout_currency: row.payout_currency ?? null,
    destination_country: row.destination_country ?? null,
    network: row.network ?? null,
    charge_type: row.charge_type ?? null,
    fixed_amount: amount('fixed_amount') ?? 0n,
    fee_currency: row.fee_currency ?? '',
    variable_bps: Number(row.variable_bps),
    minimum_amount: amount('minimum_amount'),
    maximum_amount: amount('maximum_amount'),
    sample: row.sample === 'true',
  }
}

const SET_HELP = `
Examples:
  npx corridor fees set --payout-type local --payout-currency HKD \\
    --network chats --fixed-amount 0.50 --fee-currency USD --variable-bps 5
  npx corridor fees set --payout-type service_account \\
    --fixed-amount 0 --fee-currency USD

A live account's payout that no row fits is refused. One that costs nothing
needs a row that says so. What is likely a slip is refused without --force: a
variable part over 1000 bps, and of the row until now any part ten times as high
or more, a tenth or less that is not 0, or another currency.`

const REMOVE_HELP = `
Example:
  npx corridor fees remove --payout-type local --payout-currency HKD \\
    --network chats`

/** The columns that identify a row. */
const MATCHING = FEE_COLUMNS.slice(0, 5)

function optionFor(column: FeeColumn): Option {
  const option = new Option(`--${column.replaceAll('_', '-')} <value>`, MEANINGS[column])
  return option.makeOptionMandatory(column === 'payout_type' || column === 'fee_currency')
}

function readOptions(options: Readonly<Record<string, unknown>>): Fee {
  const cells = FEE_COLUMNS.map(column => {
    return [column, String(options[optionName(column)] ?? '').trim()]
  })
  return readOrRefuse(readFee(Object.fromEntries(cells) as FeeCells, VOCABULARY))
}

async function setAction(options: Record<string, unknown>): Promise<void> {
  const fee = readOptions(options)
  const flags = { force: options.force === true }
  const before = await withContext(({ sql }) => setFees(sql, [fee], flags)).catch(refuseAsCommand)
  const previous = sameRow(before, fee)
  const words = `${describeRow(fee)}; ${describeBefore(before, fee)}`
  const data = { ...presentFee(fee), replaced: previous !== undefined }
  print({ ...data, previous: previous === undefined ? null : presentFee(previous) }, words)
}

async function removeAction(options: Record<string, unknown>): Promise<void> {
  // The cost is none of the columns that identify a row, so any cost will do.
  const key = readOptions({ ...options, feeCurrency: 'USD', fixedAmount: '0' })
  const before = await withContext(({ sql }) => removeFee(sql, key)).catch(
    pointTo('corridor fees list shows them'),
  )
  const removed = sameRow(before, key) as Fee
  const left = before.filter(row => row !== removed)
  const words = `${describeRow(removed)}: removed; from now on ${describeOthers(left, key)}`
  print({ removed: presentFee(removed) }, words)
}

async function importAction(
  file: string,
  options: { replace?: boolean; force?: boolean; dryRun?: boolean },
): Promise<void> {
  const { replace = false, force = false, dryRun: dry_run = false } = options
  const { name, text } = await readInput(file)
  const fees = valuesOf(name, parseFeesCsv(text, VOCABULARY))
  // A dry run opens the database, too: it finds out whether the database is there and up to date.
  const flags = { force, dry_run, replace }
  const before = await withContext(({ sql }) => setFees(sql, fees, flags)).catch(refuseAsCommand)
  const removed = replace ? before.filter(row => sameRow(fees, row) === undefined) : []
  const done = dry_run ? 'would be loaded' : 'loaded'
  const scope_words = replace ? ' as the whole schedule' : ''
  const words = [
    ...fees.map(fee => `${describeRow(fee)}; ${describeBefore(before, fee)}`),
    ...removed.map(fee => `${describeRow(fee)}: ${dry_run ? 'would be removed' : 'removed'}`),
    `\n${fees.length} rows from ${name} ${done}${scope_words}`,
  ]
  const data = { file: name, dry_run, replace, fees: fees.map(presentFee) }
  print({ ...data, removed: removed.map(presentFee) }, words.join('\n'))
}

function describeRow(fee: Fee): string {
  return `${describeSubject(fee)}: ${describeFee(fee)}`
}

function describeBefore(before: readonly Fee[], fee: Fee): string {
  const previous = sameRow(before, fee)
  if (previous === undefined) return `a new row; until now ${describeOthers(before, fee)}`
  return describeFee(previous) === describeFee(fee) ? 'as before' : `was ${describeFee(previous)}`
}

/** Says which of these rows prices, for live accounts, a payout with exactly what `fee` names. */
function describeOthers(fees: readonly Fee[], fee: Fee): string {
  const own = fees.filter(row => !row.sample)
  const other = selectFee(own, {
    payout_type: fee.payout_type,
    payout_currency: fee.payout_currency ?? '',
    destination_country: fee.destination_country ?? '',
    network: fee.network ?? '',
    charge_type: fee.charge_type ?? '',
  })
  return other === undefined ? 'refused to live accounts' : `by ${describeRow(other)}`
}

function feeTable(fees: readonly Fee[]): string {
  const matching = (cell: string) => cell || 'any'
  const rows = fees.map(fee => {
    const cells = feeCells(fee)
    return {
      type: matching(cells.payout_type),
      currency: matching(cells.payout_currency),
      country: matching(cells.destination_country),
      network: matching(cells.network),
      charge: matching(cells.charge_type),
      fixed: cells.fixed_amount,
      in: cells.fee_currency,
      bps: cells.variable_bps,
      min: cells.minimum_amount,
      max: cells.maximum_amount,
      for: fee.sample ? 'sandboxes' : 'all accounts',
    }
  })
  return listing(rows, 'no fee: payouts of live accounts are refused; corridor fees set adds one')
}
