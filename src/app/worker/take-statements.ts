// Takes statements of nostros from the inboxes of bank-file rails, once their rail has read them.
// Looks at each file once; the rail's own reading is not touched. Counts late statements.
import { createReadStream } from 'node:fs'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pgpOf } from '../../adapters/bank-file/config.ts'
import { readPieces } from '../../adapters/bank-file/inbox-store.ts'
import { PgpFailed, SCRATCH } from '../../adapters/bank-file/pgp.ts'
import { plainFiles } from '../../adapters/bank-file/read.ts'
import type { Deps } from '../../runtime/deps.ts'
import { isSpread } from '../../sql/shard.ts'
import { listStatementTroubles } from '../../treasury/statement/continuity-store.ts'
import {
  importStatements,
  isRefused,
  keepRefused,
  type StatementSource,
} from '../../treasury/statement/import.ts'
import { type InboxStatement, listNewInbox } from '../../treasury/statement/inbox-store.ts'
import { StatementRefused } from '../../treasury/statement/nostro-of.ts'
import { startCounting } from './counts.ts'
import { startWorker, type Worker, warned } from './worker.ts'

const LOOK_EVERY_MS = 2_000
const FILES_AT_ONCE = 20

/** Does nothing on a spread database, which has only sandboxes. */
export function startTakingStatements(deps: Deps): Worker {
  if (isSpread()) return { stop: () => Promise.resolve() }
  const stopCounting = startCounting(
    () => measureLate(deps),
    warned(deps, 'late statements could not be counted', undefined),
  )
  const failed = warned(deps, 'statements of banks could not be taken', 10 * LOOK_EVERY_MS)
  const taking = startWorker(() => takeNewStatements(deps).then(waitAfter, failed))
  return {
    stop() {
      stopCounting()
      return taking.stop()
    },
  }
}

const waitAfter = (files: number) => (files === FILES_AT_ONCE ? 0 : LOOK_EVERY_MS)

async function measureLate({ sql, metrics }: Deps): Promise<void> {
  metrics.statementLate.reset()
  for (const { nostro, kind, since } of await listStatementTroubles(sql)) {
    if (kind !== 'statement_late') continue
    metrics.statementLate.set({ nostro }, (Date.now() - Date.parse(since)) / 1000)
  }
}

type Needs = Pick<Deps, 'sql' | 'log' | 'reference'>

/** Returns how many files it has looked at. One that fails is looked at again, and stops none. */
export async function takeNewStatements(deps: Needs): Promise<number> {
  const files = await listNewInbox(deps.sql, FILES_AT_ONCE)
  const failed: unknown[] = []
  for (const file of files) await takeFile(deps, file).catch(error => failed.push(error))
  if (failed.length > 0) throw failed[0]
  return files.length
}

async function takeFile({ sql, log, reference }: Needs, file: InboxStatement): Promise<void> {
  const { sha256, rail, name } = file
  await using scratch = await mkdtempDisposable(SCRATCH)
  const source = { sha256, rail, name, size: Number(file.size), by: '' }
  try {
    const stored = join(scratch.path, 'stored')
    await writeFile(stored, readPieces(sql, sha256))
    const row = reference.current().rails.find(one => one.name === rail)
    const paths = await plainFiles(pgpOf(row?.config), stored, scratch.path).catch(refuseSealed)
    const files = paths.map(path => () => createReadStream(path))
    const { statements } = await importStatements(sql, { ...source, files })
    const taken = statements.filter(({ id }) => id !== undefined)
    if (taken.length > 0) log.info({ rail, name, statements: taken.length }, 'statements taken')
  } catch (error) {
    if (!isRefused(error)) throw error
    const refused: StatementSource = { ...source, files: [] }
    if ((await keepRefused(sql, refused, error)) === 'other') return
    log.warn({ rail, name, reason: error.message }, 'a statement of a bank is refused')
  }
}

/** A file that cannot be opened is in the rail's quarantine. */
function refuseSealed(error: unknown): never {
  throw error instanceof PgpFailed ? new StatementRefused(error.message) : error
}
