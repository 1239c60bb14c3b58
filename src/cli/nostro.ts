// corridor nostro import and mapping read files. The other commands are actions.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtempDisposable, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Command } from 'commander'
import { SCRATCH } from '../adapters/bank-file/pgp.ts'
import { plainFiles } from '../adapters/bank-file/read.ts'
import { nostroMatching } from '../operator/nostro-matching.ts'
import {
  importedWords,
  importFile,
  nostroStatements,
  setMapping,
} from '../operator/nostro-statements.ts'
import { nostros } from '../operator/nostros.ts'
import { isRefused, keepRefused, type StatementSource } from '../treasury/statement/import.ts'
import { commandsOf } from './action.ts'
import { addCommand, type Context, personOf, print, withContext } from './context.ts'
import { CommandFailed, UsageError } from './failure.ts'
import { cannotRead, readInput } from './input.ts'

export function nostroCommands(nostro: Command): void {
  commandsOf(nostros)(nostro)
  commandsOf(nostroStatements)(nostro)
  commandsOf(nostroMatching)(nostro)
  addCommand(nostro, 'import', 'take the statements in a file: camt.053, MT940, BAI2 or CSV')
    .argument('<file>', 'the file as the bank has it; ZIP and gzip are unpacked')
    .option('--nostro <nostro>', 'whose it is; CSV needs it, other formats name the account')
    .option('--dry-run', 'show the first ten lines, and write nothing')
    .addHelpText('after', IMPORT_HELP)
    .action(importAction)
  addCommand(nostro, 'mapping', 'say how the columns of a provider’s CSV statements are read')
    .argument('<nostro>', 'as corridor nostro list shows it')
    .argument('<file>', 'a JSON file with the names of the columns')
    .addHelpText('after', MAPPING_HELP)
    .action(mappingAction)
}

const IMPORT_HELP = `
Each line is taken once: a file, a statement or a line that came before adds
nothing. A file with a statement of an unknown account is refused as a whole.
Reports of the running day (camt.052), notices (camt.054) and statements with an
interim balance make no lines.

Examples:
  corridor nostro import 2026-11-30.xml
  corridor nostro import export.csv --nostro usd_wallet --dry-run`

const MAPPING_HELP = `
The members are those of a line, the values the names of columns: booked_on, and
amount, or credit and debit; and as far as there are columns value_on, balance,
currency, text, end_to_end_id, uetr, instruction, bank_reference, counterparty,
counterparty_name, own_account, block, file, code. date_format, decimal_mark,
newest_first and skip_lines say how the file is written.

Example:
  corridor nostro mapping usd_wallet mapping.json
with
  { "booked_on": "Date", "amount": "Amount", "balance": "Balance",
    "text": ["Type", "Note"], "date_format": "DD/MM/YYYY" }`

interface ImportOptions {
  readonly nostro?: string
  readonly dryRun?: boolean
}

async function importAction(path: string, { nostro, dryRun = false }: ImportOptions) {
  const imported = await withContext(async context => {
    await using scratch = await mkdtempDisposable(SCRATCH)
    const source = await sourceOf(context, path, nostro)
    try {
      const paths = await plainFiles(null, path, scratch.path)
      const files = paths.map(one => () => createReadStream(one))
      return await importFile(context.sql, { ...source, files }, dryRun)
    } catch (error) {
      if (!isRefused(error)) throw error
      if (!dryRun) await keepRefused(context.sql, source, error)
      throw new CommandFailed(`${source.name}: ${error.message}; nothing of it is taken`)
    }
  })
  print(imported, importedWords(imported))
}

async function sourceOf(
  context: Context,
  path: string,
  nostro: string | undefined,
): Promise<StatementSource> {
  const digest = createHash('sha256')
  const { size } = await stat(path).catch(cannotRead(path))
  for await (const chunk of createReadStream(path)) digest.update(chunk as Buffer)
  const sha256 = digest.digest('hex')
  return {
    ...{ sha256, size, rail: '', nostro, files: [] },
    name: basename(path),
    by: personOf(context),
  }
}

async function mappingAction(name: string, path: string): Promise<void> {
  const { text } = await readInput(path)
  let mapping: unknown
  try {
    mapping = JSON.parse(text)
  } catch (error) {
    throw new UsageError(`${basename(path)} is no JSON: ${(error as Error).message}`)
  }
  const set = await withContext(({ sql }) => setMapping(sql, name, mapping as object))
  print(set, `${name}: its CSV statements are read by ${Object.keys(set.mapping ?? {}).join(', ')}`)
}
