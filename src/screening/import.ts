// Imports a file of a list as its next version. Only the differences are written, in one
// transaction.
import { createHash } from 'node:crypto'
import type { Sql, TransactionSql } from '../db/connect.ts'
import type { ListStatus, ListVersion } from './list.ts'
import { doubtOf, type ImportPlan, planImport } from './list-rules.ts'
import {
  endEntries,
  insertEntries,
  insertImport,
  listNewest,
  lockList,
  readDigests,
  readToday,
} from './list-store.ts'
import { type ListFile, readList } from './lists/read.ts'
import type { ListName } from './screening.ts'

/** Entries of one statement. */
const AT_ONCE = 2_000

export interface ImportRequest {
  readonly list: ListName
  readonly file_name: string
  readonly chunks: AsyncIterable<Uint8Array>
  readonly is_sample: boolean
  /** Why the file is taken although it looks wrong; with '' such a file is refused. */
  readonly reason: string
  readonly imported_by: string
}

/** The file was not imported, for this reason. */
export class ImportRefused extends Error {}

/**
 * @throws UnreadableFile when the file cannot be read @throws ImportRefused when it is probably not
 * the one that was meant
 */
export async function importList(sql: Sql, request: ImportRequest): Promise<ListVersion> {
  const hash = createHash('sha256')
  const file = await readList(hashed(request.chunks, hash), request.list)
  const sha256 = hash.digest('hex')
  return sql.begin(async tx => {
    await lockList(tx, request.list)
    return store(tx, request, file, sha256)
  })
}

async function* hashed(
  chunks: AsyncIterable<Uint8Array>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    hash.update(chunk)
    yield chunk
  }
}

async function store(
  tx: TransactionSql,
  request: ImportRequest,
  file: ListFile,
  sha256: string,
): Promise<ListVersion> {
  const { list, file_name, is_sample, imported_by } = request
  const newest = (await listNewest(tx)).find(status => status.list === list)
  const { insert, end, ...changes } = planImport(await readDigests(tx, list), file.entries)
  const reason = await judge(tx, request, file, changes, newest)
  const version: ListVersion = {
    list,
    version: (newest?.version ?? 0) + 1,
    sha256,
    file_name,
    format: file.format,
    published_on: file.published_on,
    is_sample,
    entry_count: file.entries.length,
    name_count: file.entries.reduce((sum, { names }) => sum + names.length, 0),
    ...changes,
    reason,
    imported_by,
  }
  await insertImport(tx, version)
  await endEntries(tx, version, end)
  for (let i = 0; i < insert.length; i += AT_ONCE) {
    await insertEntries(tx, version, insert.slice(i, i + AT_ONCE))
  }
  return version
}

/** The reason that is kept with the import: '' for a file that does not look wrong. */
async function judge(
  tx: TransactionSql,
  { list, is_sample, reason }: ImportRequest,
  { published_on }: ListFile,
  { removed }: Pick<ImportPlan, 'removed'>,
  newest: ListStatus | undefined,
): Promise<string> {
  if (is_sample) {
    if (newest?.is_sample === false) {
      throw new ImportRefused(`list ${list} is here: the sample does not replace it`)
    }
    return ''
  }
  const doubt = doubtOf({ published_on, removed }, newest, await readToday(tx))
  if (doubt !== '' && reason === '') throw new ImportRefused(doubt)
  return doubt === '' ? '' : reason
}
