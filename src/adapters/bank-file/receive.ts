// Takes files of a bank: hashes and stores each file, commits, and only then archives it at the far
// end. A file whose bytes are stored already is only archived.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtempDisposable, open } from 'node:fs/promises'
import { join } from 'node:path'
import { during } from '../../values/diagnostics.ts'
import type { OpenFileRail } from './config.ts'
import { insertInboxFile, insertPiece, PIECE_BYTES } from './inbox-store.ts'
import { SCRATCH } from './pgp.ts'
import type { RemoteFile, Transport } from './transport.ts'

/** The bytes of a larger file are not stored, and nothing of it is applied. */
export const MOST_BYTES = 512 * 1024 * 1024

/** Longer than storing the largest file takes. */
const STORE_MS = 60_000

/** The sizes of the inbox's files at the last look, by name. */
export type Sizes = ReadonlyMap<string, number>

/** The result of a look at the inbox. */
interface Fetched {
  readonly sizes: Sizes
  readonly failures: readonly unknown[]
  readonly is_empty: boolean
}

/**
 * Takes the files whose size has not changed since the last look: other files may still grow. One
 * failure stops no other file.
 */
export async function fetchNew(
  rail: OpenFileRail,
  transport: Transport,
  before: Sizes,
): Promise<Fetched> {
  const files = await transport.list()
  const sizes = new Map(files.map(({ name, size }) => [name, size]))
  const failures: unknown[] = []
  let taken = 0
  for (const file of files.filter(({ name, size }) => before.get(name) === size)) {
    try {
      if (await take(rail, transport, file)) taken += 1
    } catch (error) {
      failures.push(error)
      // Rejects when the far end is gone, and no more files are tried.
      await transport.list()
    }
  }
  return { sizes, failures, is_empty: taken === files.length }
}

/** Takes a file; false when it has changed during the download. */
async function take(rail: OpenFileRail, transport: Transport, file: RemoteFile): Promise<boolean> {
  const { name, size } = file
  await using scratch = await mkdtempDisposable(SCRATCH)
  const path = join(scratch.path, 'file')
  const kept = size <= MOST_BYTES
  const sha256 = await download(transport, file, kept ? path : undefined)
  if (sha256 === undefined) return false
  const is_new = await during('file', 'keep_report', 1, () =>
    store(rail, { sha256, name, size, kept }, path),
  )
  const what = is_new ? 'is stored' : 'is already stored'
  rail.log.info({ rail: rail.name, name, sha256 }, `a file of the bank ${what}`)
  await during('file', 'archive', 1, () => transport.archive(name))
  return true
}

/** The file's SHA-256 in hex digits; undefined when it has not the listed size. */
async function download(
  transport: Transport,
  { name, size }: RemoteFile,
  path: string | undefined,
): Promise<string | undefined> {
  const digest = createHash('sha256')
  await using target = path === undefined ? undefined : await open(path, 'wx')
  let count = 0
  for await (const piece of transport.read(name)) {
    count += piece.length
    if (count > size) return undefined
    digest.update(piece)
    await target?.writeFile(piece)
  }
  return count === size ? digest.digest('hex') : undefined
}

/** Stores the file; false when its bytes are stored already. */
async function store(
  rail: OpenFileRail,
  file: { sha256: string; name: string; size: number; kept: boolean },
  path: string,
): Promise<boolean> {
  const mib = Math.ceil(file.size / 1024 / 1024)
  const reason = file.kept ? '' : `too large: ${mib} MiB, of at most ${MOST_BYTES / 1024 / 1024}`
  const state = file.kept ? 'stored' : 'quarantined'
  return rail.sql.begin(async tx => {
    await tx.unsafe(`set local statement_timeout = ${STORE_MS}`)
    const is_new = await insertInboxFile(tx, { ...file, rail: rail.name, state, reason })
    if (!is_new || !file.kept) return is_new
    let number = 0
    for await (const piece of createReadStream(path, { highWaterMark: PIECE_BYTES })) {
      await insertPiece(tx, file.sha256, number++, piece)
    }
    return true
  })
}
