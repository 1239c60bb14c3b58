// corridor fees import: loads the fee schedule from a file. The other commands are actions.
import type { Command } from 'commander'
import { VOCABULARY } from '../operator/fee-vocabulary.ts'
import { describeBefore, describeRow, fees, sameRow, setFees } from '../operator/fees.ts'
import { FEE_COLUMNS, parseFeesCsv, presentFee } from '../prices/fee/load.ts'
import { commandsOf } from './action.ts'
import { addCommand, print, withContext } from './context.ts'
import { refuseAsCommand } from './failure.ts'
import { readInput, valuesOf } from './input.ts'

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
  corridor fees import fees.csv --replace --dry-run`

export function feesCommands(group: Command): void {
  commandsOf(fees)(group)
  addCommand(group, 'import', 'load a CSV file of fees, all of it or nothing')
    .argument('<file>', 'path, or - for standard input')
    .option('--replace', 'make the file the whole schedule')
    .option('--dry-run', 'check everything and write nothing')
    .option('--force', 'set what is likely a typing mistake')
    .addHelpText('after', IMPORT_HELP)
    .action(importAction)
}

async function importAction(
  file: string,
  options: { replace?: boolean; force?: boolean; dryRun?: boolean },
): Promise<void> {
  const { replace = false, force = false, dryRun: dry_run = false } = options
  const { name, text } = await readInput(file)
  const rows = valuesOf(name, parseFeesCsv(text, VOCABULARY))
  // A dry run opens the database, too: it finds out whether the database is there and up to date.
  const flags = { force, dry_run, replace }
  const before = await withContext(({ sql }) => setFees(sql, rows, flags)).catch(refuseAsCommand)
  const removed = replace ? before.filter(row => sameRow(rows, row) === undefined) : []
  const done = dry_run ? 'would be loaded' : 'loaded'
  const scope_words = replace ? ' as the whole schedule' : ''
  const words = [
    ...rows.map(fee => `${describeRow(fee)}; ${describeBefore(before, fee)}`),
    ...removed.map(fee => `${describeRow(fee)}: ${dry_run ? 'would be removed' : 'removed'}`),
    `\n${rows.length} rows from ${name} ${done}${scope_words}`,
  ]
  const data = { file: name, dry_run, replace, fees: rows.map(presentFee) }
  print({ ...data, removed: removed.map(presentFee) }, words.join('\n'))
}
