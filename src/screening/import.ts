// Imports a file as its list's next version. It writes only the differences, in one transaction.
import { createHash } from 'node:crypto'
import type { Sql, TransactionSql } from '../sql/connect.ts'
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

/** Entries of one insert statement. */
const ENTRIES_AT_ONCE = 2_000

export interface ImportRequest
  extends Pick<ListVersion, 'list' | 'file_name' | 'is_sample' | 'imported_by' | 'reason'> {
  readonly chunks: AsyncIterable<Uint8Array>
}

/** Nothing was imported. The message has the reason. */
export class ImportRefused extends Error {}

/**
 * Imports a file and returns its version. Throws UnreadableFile for a file that it cannot read, and
 * ImportRefused for a file that looks wrong or a sample that would replace a list.
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

async function store(tx: TransactionSql, request: ImportRequest, file: ListFile, sha256: string) {
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
    left_out_count: file.left_out_count,
    left_out: file.left_out,
    reason,
    imported_by,
  }
  await insertImport(tx, version)
  await endEntries(tx, version, end)
  for (let i = 0; i < insert.length; i += ENTRIES_AT_ONCE) {
    await insertEntries(tx, version, insert.slice(i, i + ENTRIES_AT_ONCE))
  }
  return version
}

/** The reason to store with the version; '' for a file that looks right. Throws ImportRefused. */
async function judge(
  tx: TransactionSql,
  { list, is_sample, reason }: ImportRequest,
  { published_on, entries, left_out_count }: ListFile,
  { removed }: Pick<ImportPlan, 'removed'>,
  newest: ListStatus | undefined,
): Promise<string> {
  if (is_sample) {
    if (newest?.is_sample === false) {
      throw new ImportRefused(`list ${list} is here: the sample does not replace it`)
    }
    return ''
  }
  const doubt = doubtOf(
    { published_on, removed, left_out_count, records: entries.length + left_out_count },
    newest,
    await readToday(tx),
  )
  if (doubt !== '' && reason === '') throw new ImportRefused(doubt)
  return doubt === '' ? '' : reason
}
