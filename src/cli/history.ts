// corridor … history: lists what changed in a reference table and who changed it, newest first.
import type { Command } from 'commander'
import { type Change, type HistoricRow, listChanges } from '../audit/store.ts'
import { print, withContext } from './context.ts'
import { MAX_LIMIT, readLimit } from './input.ts'
import { table, toSecond } from './table.ts'

interface History {
  /** The table in the database. */
  readonly table_name: string
  /** Such as `list what changed in the rate book`. */
  readonly description: string
  /** An argument that narrows the list, such as `[pair]`, and the row values that it names. */
  readonly argument?: {
    readonly name: string
    readonly meaning: string
    readonly read: (text: string) => HistoricRow
  }
  /** A row in a few words, without its name. */
  readonly describe: (row: HistoricRow) => string
  /** The name of a row, such as `EUR/USD`. */
  readonly subject: (row: HistoricRow) => string
  readonly example: string
}

export function historyCommand(parent: Command, history: History): void {
  const command = parent
    .command('history')
    .description(history.description)
    .option('--limit <count>', `most to list, 1 to ${MAX_LIMIT}`, readLimit, 50)
    .addHelpText('after', `\nExample:\n  npx corridor ${history.example}`)
  const { argument } = history
  if (argument !== undefined) command.argument(`[${argument.name}]`, argument.meaning)
  command.action(async (...given: unknown[]) => {
    const text = argument === undefined ? undefined : (given[0] as string | undefined)
    const options = given[argument === undefined ? 0 : 1] as { limit: number }
    const where = text === undefined ? {} : argument?.read(text)
    const changes = await withContext(({ sql }) =>
      listChanges(sql, history.table_name, options.limit, where),
    )
    const rows = changes.map(change => describeChange(history, change))
    const headings = ['when', 'who', 'what', 'before', 'after']
    print(changes, rows.length === 0 ? 'no change so far' : table(headings, rows))
  })
}

function describeChange(history: History, { changed_at, changed_by, before, after }: Change) {
  const shown = (row: HistoricRow | null) => (row === null ? 'none' : history.describe(row))
  const subject = history.subject(after ?? before ?? {})
  return [toSecond(changed_at), changed_by, subject, shown(before), shown(after)]
}
