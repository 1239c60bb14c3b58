// corridor fees list|set|import: the fee schedule as the operator sees and changes it.
import { type Command, Option } from 'commander'
import {
  describeSubject,
  FEE_COLUMNS,
  type FeeCells,
  type FeeColumn,
  type FeeVocabulary,
  feeCells,
  parseFeesCsv,
  presentFee,
  readFee,
} from '../fee/load.ts'
import type { Fee } from '../fee/rules.ts'
import { listFees, replaceFees, upsertFees } from '../fee/store.ts'
import { isCountry } from '../party/country.ts'
import { PAYOUT_TYPES } from '../quote/rules.ts'
import { CHARGE_TYPES } from '../quote/wire.ts'
import { findChain, NETWORKS } from '../rail/network.ts'
import { print, table, UsageError, withContext } from './context.ts'
import { readInput, valuesOf } from './files.ts'

interface Json {
  json?: boolean
}

/** What rows of the schedule may name, as the rest of the service knows it. */
export const FEE_VOCABULARY: FeeVocabulary = {
  payout_types: PAYOUT_TYPES,
  charge_types: { swift: CHARGE_TYPES },
  isCountry,
  networkName(payout_type, name) {
    const wanted = name.toLowerCase()
    switch (payout_type) {
      case 'local':
        return NETWORKS.find(network => network.name === wanted)?.name
      case 'wallet':
        return findChain(wanted)?.type
      // The name of a payment network is the caller's, not from a table.
      case 'local_payment_network':
        return name
      default:
        return undefined
    }
  },
}

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
Columns, in any order; blank is any, none or zero; amounts in major units:

  ${FEE_COLUMNS.slice(0, 5).join(',')},
  ${FEE_COLUMNS.slice(5).join(',')}

Lines that start with # are skipped. Without --replace rows are added, or
replace the row with the same payout_type, payout_currency, destination_country,
network and charge_type.

Example:
  npx corridor fees import fees.csv --replace --dry-run`

export function feesCommands(program: Command): void {
  const fees = program.command('fees').description('list, set and import the fee schedule')
  fees
    .command('list')
    .description('list the fee schedule; JSON has amounts in minor units')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  npx corridor fees list')
    .action(async (options: Json) => {
      const rows = await withContext(({ sql }) => listFees(sql))
      print(options, rows.map(presentFee), feeTable(rows))
    })
  const set = fees
    .command('set')
    .description('add one row of the schedule, or replace the row that applies to the same')
  for (const column of FEE_COLUMNS) set.addOption(optionFor(column))
  set.option('--json', 'print JSON').addHelpText('after', SET_HELP).action(setAction)
  fees
    .command('import')
    .description('load a CSV file of fees, all of it or nothing')
    .argument('<file>', 'path, or - for standard input')
    .option('--replace', 'make the file the whole schedule')
    .option('--dry-run', 'check everything and write nothing')
    .option('--json', 'print JSON')
    .addHelpText('after', IMPORT_HELP)
    .action(importAction)
}

const SET_HELP = `
Example:
  npx corridor fees set --payout-type local --payout-currency HKD \\
    --network chats --fixed-amount 0.50 --fee-currency USD --variable-bps 5`

function optionFor(column: FeeColumn): Option {
  const option = new Option(`--${column.replaceAll('_', '-')} <value>`, MEANINGS[column])
  return option.makeOptionMandatory(column === 'payout_type' || column === 'fee_currency')
}

async function setAction(options: Json & Record<string, unknown>): Promise<void> {
  const cells = FEE_COLUMNS.map(column => {
    const name = column.replaceAll(/_(.)/g, (_match, letter: string) => letter.toUpperCase())
    return [column, String(options[name] ?? '').trim()]
  })
  const read = readFee(Object.fromEntries(cells) as FeeCells, FEE_VOCABULARY)
  if (read.messages !== undefined) throw new UsageError(read.messages.join('; '))
  const fee = read.value
  const replaced = await withContext(async ({ sql }) => {
    const before = await listFees(sql)
    await upsertFees(sql, [fee])
    return before.some(row => describeSubject(row) === describeSubject(fee))
  })
  const words = `${feeTable([fee])}\n\n${replaced ? 'the row is replaced' : 'the row is added'}`
  print(options, { ...presentFee(fee), replaced }, words)
}

interface ImportOptions extends Json {
  replace?: boolean
  dryRun?: boolean
}

async function importAction(file: string, options: ImportOptions): Promise<void> {
  const { name, text } = await readInput(file)
  const fees = valuesOf(name, parseFeesCsv(text, FEE_VOCABULARY))
  const dry_run = options.dryRun === true
  const replace = options.replace === true
  // Without writing, too: a dry run says whether the database is there and up to date.
  await withContext(async ({ sql }) => {
    if (dry_run) return
    await (replace ? replaceFees(sql, fees) : upsertFees(sql, fees))
  })
  const done = dry_run ? 'would be loaded' : 'loaded'
  const whole = replace ? ' as the whole schedule' : ''
  const words = `${feeTable(fees)}\n\n${fees.length} rows from ${name} ${done}${whole}`
  print(options, { file: name, dry_run, replace, fees: fees.map(presentFee) }, words)
}

function feeTable(fees: readonly Fee[]): string {
  const headings = [
    'type',
    'currency',
    'country',
    'network',
    'charge',
    'fixed',
    'in',
    'bps',
    'min',
    'max',
  ]
  const rows = fees.map(fee => {
    const cells = feeCells(fee)
    return FEE_COLUMNS.map((column, i) => cells[column] || (i < 5 ? 'any' : ''))
  })
  return table(headings, rows)
}
