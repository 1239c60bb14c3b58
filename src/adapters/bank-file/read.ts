// Reads stored files of a bank. The first pass finds an unreadable file, of which nothing is
// applied. The second pass applies the lines, or sets aside lines that fit no payment.
import { createReadStream } from 'node:fs'
import { mkdtempDisposable, open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BankLine, UnreadableFile } from '../../values/bank-format/bank-format.ts'
import { during } from '../../values/diagnostics.ts'
import { applyLines } from './apply.ts'
import { RATIO, unpack } from './archive.ts'
import type { OpenFileRail } from './config.ts'
import { endReading, type InboxFile, listUnread, readPieces } from './inbox-store.ts'
import { decryptAndVerify, isPgpMessage, type PgpConfig, PgpFailed, SCRATCH } from './pgp.ts'
import { MOST_BYTES } from './receive.ts'
import { failureWords, joinFailures } from './transport.ts'

/** A file with more lines is not applied. */
const MOST_LINES = 1_000_000

/** The most payments that share the amount of an entry. More are set aside. */
const MOST_SHARING = 20_000

/** The lines of one transaction. */
const LINES_AT_ONCE = 1_000

/**
 * Reads the stored files that are not read yet; returns their number. One failure stops no other
 * file, and the failed file is read again later.
 */
export async function readStored(rail: OpenFileRail): Promise<number> {
  const files = await listUnread(rail.sql, rail.name)
  const failures: unknown[] = []
  for (const file of files) {
    await readFile(rail, file).catch(error => {
      failures.push(new Error(`${file.name}: ${failureWords(error)}`, { cause: error }))
    })
  }
  if (failures.length > 0) throw joinFailures(failures)
  return files.length
}

async function readFile(rail: OpenFileRail, file: InboxFile): Promise<void> {
  const { sha256, name } = file
  await using scratch = await mkdtempDisposable(SCRATCH)
  const stored = join(scratch.path, 'stored')
  await writeFile(stored, readPieces(rail.sql, sha256))
  const checked = await checkFile(rail, stored, scratch.path)
  if ('reason' in checked) {
    const { reason } = checked
    await endReading(rail.sql, sha256, { reason, lines: 0, quarantined: 0 })
    rail.log.error({ rail: rail.name, name, reason }, 'a file is quarantined')
    return
  }
  const { paths, lines } = checked
  const quarantined = await during('file', 'apply', lines, () => apply(rail, file, paths))
  await during('file', 'read', 1, () =>
    endReading(rail.sql, sha256, { reason: '', lines, quarantined }),
  )
  const level = quarantined > 0 ? 'warn' : 'info'
  rail.log[level]({ rail: rail.name, name, lines, quarantined }, 'file read')
}

/** The paths of the plain files and the number of their lines, or why nothing is applied. */
async function checkFile(
  rail: OpenFileRail,
  stored: string,
  folder: string,
): Promise<
  { readonly paths: readonly string[]; readonly lines: number } | { readonly reason: string }
> {
  try {
    const paths = await plainFiles(rail.config.pgp, stored, folder)
    let lines = 0
    for await (const _ of linesOf(rail, paths)) {
      lines += 1
      if (lines > MOST_LINES) throw new UnreadableFile(`it has more than ${MOST_LINES} lines`)
    }
    return { paths, lines }
  } catch (error) {
    const is_expected = error instanceof UnreadableFile || error instanceof PgpFailed
    // Another error is a fault of the reader and would come again, so a person looks at the file.
    if (!is_expected) {
      rail.log.error({ err: error, rail: rail.name }, 'the reader of files has failed')
    }
    return { reason: failureWords(error).slice(0, 500) || 'it cannot be read' }
  }
}

/**
 * The paths of the plain files in a stored file, which may be encrypted and an archive. Writes into
 * the folder. Throws PgpFailed and UnreadableFile.
 */
export async function plainFiles(pgp: PgpConfig | null, stored: string, folder: string) {
  const path = await decryptedPath(pgp, stored, join(folder, 'plain'))
  return unpack(path, folder, { bytes: MOST_BYTES, ...RATIO })
}

/** The path of the plain file. Throws PgpFailed for a missing signature or missing settings. */
async function decryptedPath(
  pgp: PgpConfig | null,
  stored: string,
  plain: string,
): Promise<string> {
  const is_encrypted = isPgpMessage(await headOf(stored))
  if (is_encrypted && pgp === null) throw new PgpFailed('it is encrypted, and the rail has no pgp')
  if (pgp === null || !is_encrypted) {
    const signer = pgp?.signed_by ?? ''
    if (signer !== '') throw new PgpFailed(`it is not signed by ${signer}`)
    return stored
  }
  await decryptAndVerify(pgp, stored, plain, MOST_BYTES)
  return plain
}

async function headOf(path: string): Promise<Uint8Array> {
  await using file = await open(path)
  const head = Buffer.alloc(64)
  const { bytesRead } = await file.read(head, 0, head.length, 0)
  return head.subarray(0, bytesRead)
}

/**
 * The lines of plain files, in order. A stream closes its file when its reader ends or stops early.
 * Behind the first file of an archive, positions begin with the number of their file.
 */
async function* linesOf({ format, config }: OpenFileRail, paths: readonly string[]) {
  for (const [i, path] of paths.entries()) {
    for await (const line of format.read(createReadStream(path), config.profile)) {
      yield i === 0 ? line : { ...line, position: `file ${i + 1}, ${line.position}` }
    }
  }
}

/** Applies all lines of a file; returns how many were set aside. */
async function apply(rail: OpenFileRail, { sha256 }: InboxFile, paths: readonly string[]) {
  let quarantined = 0
  let lines: BankLine[] = []
  const flush = async () => {
    quarantined += await applyLines(rail, sha256, lines)
    lines = []
  }
  for await (const line of linesOf(rail, paths)) {
    lines.push(line)
    // The payments of one entry stay together while their shares are compared.
    const may_flush = line.shared_amount === null || lines.length >= MOST_SHARING
    if (lines.length >= LINES_AT_ONCE && may_flush) await flush()
  }
  if (lines.length > 0) await flush()
  return quarantined
}
