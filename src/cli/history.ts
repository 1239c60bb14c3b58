// corridor … history: lists the changes of a reference table, newest first.
import type { Command } from 'commander'
import { type Change, type HistoricRow, listChanges } from '../ledger/audit/store.ts'
import type { History } from '../operator/action.ts'
import { toSecond } from '../values/text/age.ts'
import { addCommand, example, print, withContext } from './context.ts'
import { refuseAsCommand } from './failure.ts'
import { MAX_LIMIT, readLimit } from './input.ts'
import { listing } from './table.ts'

export function historyCommand(parent: Command, history: History): void {
  const { argument } = history
  const command = addCommand(parent, 'history', history.description)
    .option('--limit <count>', `most to list, 1 to ${MAX_LIMIT}`, readLimit, 50)
    .addHelpText('after', example(history.example))
    .action(async () => {
      const [text] = command.args
      const where = argument === undefined || text === undefined ? {} : narrow(argument, text)
      const { limit } = command.opts<{ limit: number }>()
      const changes = await withContext(({ sql }) =>
        listChanges(sql, history.table_name, limit, where),
      )
      const rows = changes.map(change => describeChange(history, change))
      print(changes, listing(rows, 'no change so far'))
    })
  if (argument !== undefined) command.argument(`[${argument.name}]`, argument.meaning)
}

function narrow({ read }: NonNullable<History['argument']>, text: string): HistoricRow {
  try {
    return read(text)
  } catch (error) {
    return refuseAsCommand(error)
  }
}

function describeChange(history: History, { changed_at, changed_by, before, after }: Change) {
  const shown = (row: HistoricRow | null) => (row === null ? 'none' : history.describe(row))
  return {
    when: toSecond(changed_at),
    who: changed_by,
    what: history.subject(after ?? before ?? {}),
    before: shown(before),
    after: shown(after),
  }
}
