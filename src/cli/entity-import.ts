// corridor entity import: entities created from a file, under the duplicate rules, as often as it
// takes.
import type { Command } from 'commander'
import { ImportDrafts, type RowResult } from '../entity/import.ts'
import { EntityRequest } from '../entity/request.ts'
import type { Draft } from '../entity/rules.ts'
import { entityPreviewer, entityWriter } from './entity-import-run.ts'
import {
  countEntity,
  type EntitySummary,
  entityWords,
  presentEntityRow,
  startEntities,
} from './entity-import-words.ts'
import { openEntityReader } from './entity-reader.ts'
import { columnsOf } from './import-columns.ts'
import {
  addImportCommand,
  type ImportKind,
  type ImportOptions,
  importFrom,
} from './import-command.ts'
import { wrapped } from './terminal.ts'

const COLUMNS = columnsOf(EntityRequest, [['name'], ['type']])

const HELP = `
.jsonl: one creation a line, as POST /v3/entity takes it.
.csv: cells separated by commas under a header of columns, in any order, of
which name and type must be there; an empty cell is a member that is not set.
The columns:
${wrapped(COLUMNS.names.join(', ').split(' '), { first: '  ' }).join('\n')}

A row that the account has already is matched, by the rules of POST /v3/entity,
and creates nothing. A refused row stops no other.

Every row is known again under the name of the import, so the same file may be
run any number of times: correct what was refused, or go on after a stop, and
run it again. Under another file name, give the first one as --name.

A row that created an entity stays imported before when that one was rejected
since, with its approval_status in the report: run again, it does not bring back
what was rejected. To create it anew, import it alone, under another --name. A
row that was matched is judged again.

Exit code 1 when a row was refused or the run has not come to the end.

Examples:
  npx corridor entity import people.csv --dry-run \\
    --account acc_7k2m9x4q
  npx corridor entity import people.csv --report results.jsonl \\
    --account acc_7k2m9x4q`

const ENTITIES: ImportKind<Draft, RowResult, EntitySummary> = {
  columns: COLUMNS,
  start: startEntities,
  async open({ pool, account: { account_id }, summary }) {
    const problemsOf = await openEntityReader()
    const drafts = new ImportDrafts(summary.import)
    return {
      draft(body) {
        const problems = problemsOf(body)
        return problems.length > 0 ? problems : { of: drafts.next(body as EntityRequest) }
      },
      importer: summary.dry_run
        ? entityPreviewer(pool, account_id)
        : await entityWriter(pool, account_id),
    }
  },
  count: countEntity,
  present: presentEntityRow,
  words: entityWords,
}

export function importCommand(entity: Command): void {
  addImportCommand(entity, {
    description: 'create entities from a file, passing over those that are there already',
    account: 'the account they belong to',
    help: HELP,
  }).action((path: string, options: ImportOptions) => importFrom(ENTITIES, path, options))
}
