// Reads stored files of a bank: first to the end, so that nothing of an unreadable file is applied,
// then line by line into evidence. Lines that fit no payment are set aside; the others are applied.
import { createReadStream } from 'node:fs'
import { mkdtempDisposable, open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BankSays, UnreadableFile } from '../bank-format/bank-format.ts'
import { during } from '../steps.ts'
import { applyLines } from './apply.ts'
import { endReading, type InboxFile, listUnread, readPieces } from './inbox-store.ts'
import type { OpenFileRail } from './open-rail.ts'
import { isWrapped, PgpFailed, SCRATCH, unwrap } from './pgp.ts'
import { MOST_BYTES } from './receive.ts'
import { failureWords, joined } from './transport.ts'

/** A file with more lines is none of ours. */
const MOST_LINES = 1_000_000

/** Lines of one transaction. */
const TOGETHER = 1_000

/**
 * Reads the files that are stored but not read; returns their number. A file that cannot be applied
 * now is tried again, and the files behind it do not wait for it.
 */
export async function readStored(rail: OpenFileRail): Promise<number> {
  const files = await listUnread(rail.sql, rail.name)
  const failures: unknown[] = []
  for (const file of files) {
    await readFile(rail, file).catch(error => {
      failures.push(new Error(`${file.name}: ${failureWords(error)}`, { cause: error }))
    })
  }
  if (failures.length > 0) throw joined(failures)
  return files.length
}

async function readFile(rail: OpenFileRail, file: InboxFile): Promise<void> {
  const { sha256, name } = file
  await using scratch = await mkdtempDisposable(SCRATCH)
  const stored = join(scratch.path, 'stored')
  await writeFile(stored, readPieces(rail.sql, sha256))
  const judged = await judge(rail, stored, join(scratch.path, 'plain'))
  if ('reason' in judged) {
    const { reason } = judged
    await endReading(rail.sql, sha256, { reason, lines: 0, quarantined: 0 })
    rail.log.error({ rail: rail.name, name, reason }, 'a file is quarantined')
    return
  }
  const { path, lines } = judged
  const quarantined = await during('file', 'apply', lines, () => apply(rail, file, path))
  await during('file', 'read', 1, () =>
    endReading(rail.sql, sha256, { reason: '', lines, quarantined }),
  )
  const level = quarantined > 0 ? 'warn' : 'info'
  rail.log[level]({ rail: rail.name, name, lines, quarantined }, 'file read')
}

/**
 * The path of the plain text and the number of its lines, or why nothing of the file is applied.
 */
async function judge(
  rail: OpenFileRail,
  stored: string,
  plain: string,
): Promise<{ readonly path: string; readonly lines: number } | { readonly reason: string }> {
  try {
    const path = await plainOf(rail, stored, plain)
    let lines = 0
    for await (const _ of said(rail, path)) {
      lines += 1
      if (lines > MOST_LINES) throw new UnreadableFile(`it has more than ${MOST_LINES} lines`)
    }
    return { path, lines }
  } catch (error) {
    const expected = error instanceof UnreadableFile || error instanceof PgpFailed
    // A reader that fails in another way fails so every time: the file waits for a person.
    if (!expected) rail.log.error({ err: error, rail: rail.name }, 'the reader of files has failed')
    return { reason: failureWords(error).slice(0, 500) || 'it cannot be read' }
  }
}

async function plainOf(rail: OpenFileRail, stored: string, plain: string): Promise<string> {
  const { pgp } = rail.config
  const wrapped = isWrapped(await headOf(stored))
  if (wrapped && pgp === null) throw new PgpFailed('it is encrypted, and the rail has no pgp')
  if (pgp === null || !wrapped) {
    const signer = pgp?.signed_by ?? ''
    if (signer !== '') throw new PgpFailed(`it is not signed by ${signer}`)
    return stored
  }
  await unwrap(pgp, stored, plain, MOST_BYTES)
  return plain
}

async function headOf(path: string): Promise<Uint8Array> {
  await using file = await open(path)
  const head = Buffer.alloc(64)
  const { bytesRead } = await file.read(head, 0, head.length, 0)
  return head.subarray(0, bytesRead)
}

/** The stream closes the file when the reader ends or stops early. */
function said({ format, config }: OpenFileRail, path: string): AsyncIterable<BankSays> {
  return format.read(createReadStream(path), config.profile)
}

/** Returns how many lines were set aside. */
async function apply(rail: OpenFileRail, { sha256 }: InboxFile, path: string): Promise<number> {
  let quarantined = 0
  let lines: BankSays[] = []
  const flush = async () => {
    quarantined += await applyLines(rail, sha256, lines)
    lines = []
  }
  for await (const line of said(rail, path)) {
    lines.push(line)
    if (lines.length === TOGETHER) await flush()
  }
  if (lines.length > 0) await flush()
  return quarantined
}
