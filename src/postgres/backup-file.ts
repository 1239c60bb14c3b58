// Knows what a backup is: the tar that PostgreSQL makes of a running cluster, its manifest inside,
// compressed by zstd. Reads one to its end and proves it whole. Must not know how it is taken, nor
// where it is unpacked.

import { createHash, hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline, Readable } from 'node:stream'
import { createZstdDecompress } from 'node:zlib'
import { DatabaseProblem } from '../db/failure.ts'
import { BadTar, readTar, type TarEntry } from './tar.ts'

export const MANIFEST = 'backup_manifest'

/** The server writes these two; a backup begins with the first. */
const LABEL_FILE = 'backup_label'
const WAL_FOLDER = 'pg_wal/'

/** What a backup is called inside: whose it is, and which PostgreSQL can read it. */
export function labelOf(server_version: string): string {
  return `corridor, PostgreSQL ${server_version}`
}

const LABEL = /^LABEL: corridor, PostgreSQL (\d+)\S*$/m

export interface BackupFacts {
  /** Major version of the server that it was taken from. */
  readonly postgresql: number
  /** When it was begun, by the server's clock; what was committed by then is in it. */
  readonly as_of: string
  readonly files: number
}

/** What is done with an entry; content that is not wanted may be left alone. */
export type Keep = (entry: TarEntry) => Promise<void>

/**
 * Reads a backup and compares every file with what the server read. `begin` hears what it is before
 * `keep` gets the first entry, and either may refuse it by throwing.
 * @throws DatabaseProblem when it is no backup, cut short or damaged
 */
export async function readBackup(
  path: string,
  begin: (facts: Omit<BackupFacts, 'files'>) => void = () => {},
  keep: Keep = async () => {},
): Promise<BackupFacts> {
  const seen = new Map<string, Seen>()
  let known: Omit<BackupFacts, 'files'> | undefined
  let manifest = ''
  try {
    for await (const { name, content } of readTar(decompressed(path))) {
      if (known === undefined) {
        const label = name === LABEL_FILE && content !== undefined ? await textOf(content) : ''
        known = readLabel(label)
        begin(known)
        seen.set(name, seenOf(label))
        await keep({ name, content: Readable.from([Buffer.from(label)]) })
      } else if (name === MANIFEST && content !== undefined) {
        manifest = await textOf(content)
      } else if (content === undefined) {
        await keep({ name, content })
      } else {
        const watched = watch(content)
        await keep({ name, content: watched.content })
        seen.set(name, await watched.seen())
      }
    }
  } catch (error) {
    throw asProblem(path, error)
  }
  if (known === undefined) throw new DatabaseProblem(`${path} is not a backup of corridor`)
  const wrong = manifest === '' ? 'its end is missing' : differenceFrom(manifest, seen)
  if (wrong !== undefined) throw new DatabaseProblem(`${path} is damaged: ${wrong}`)
  return { ...known, files: seen.size }
}

function readLabel(text: string): Omit<BackupFacts, 'files'> {
  const [, major] = LABEL.exec(text) ?? []
  const [, date, time] = /^START TIME: (\S+) (\S+) UTC$/m.exec(text) ?? []
  if (major === undefined || date === undefined) throw new BadTar('it has no label')
  return { postgresql: Number(major), as_of: `${date}T${time}Z` }
}

function decompressed(path: string): AsyncIterable<Buffer> {
  // The reader of what comes out is told of an error anywhere; the callback has nothing to add.
  return pipeline(createReadStream(path), createZstdDecompress(), () => {})
}

/** Words for a file that cannot be read as a backup; anything else is not about the file. */
function asProblem(path: string, error: unknown): unknown {
  const { code = '', message, path: at } = error as NodeJS.ErrnoException
  if (code.startsWith('ZSTD_') || code === 'Z_BUF_ERROR' || error instanceof BadTar) {
    return new DatabaseProblem(`${path} is no backup of corridor, or damaged: ${message}`)
  }
  if (at === path || code === 'EISDIR') {
    return new DatabaseProblem(`cannot read ${path}: ${message}`)
  }
  return error
}

async function textOf(content: AsyncIterable<Buffer>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(content)).toString('utf8')
}

/** A file as it was read. */
interface Seen {
  readonly size: number
  readonly sha256: string
}

function seenOf(text: string): Seen {
  return { size: Buffer.byteLength(text), sha256: hash('sha256', text, 'hex') }
}

/** The same content, looked at as it is read; `seen` reads what nobody has. */
function watch(content: AsyncIterable<Buffer>) {
  const sha256 = createHash('sha256')
  let size = 0
  const passing = (async function* () {
    for await (const piece of content) {
      sha256.update(piece)
      size += piece.length
      yield piece
    }
  })()
  return {
    content: passing,
    async seen(): Promise<Seen> {
      for await (const _ of passing);
      return { size, sha256: sha256.digest('hex') }
    },
  }
}

interface Manifest {
  readonly Files: readonly {
    readonly Path?: string
    readonly Size: number
    readonly 'Checksum-Algorithm': string
    readonly Checksum: string
  }[]
}

/**
 * In words, the first difference between what the server says it sent and what is here. Segments of
 * the log are in no manifest: each record has a checksum, and a start needs them to the last.
 */
function differenceFrom(text: string, seen: ReadonlyMap<string, Seen>): string | undefined {
  // Its last line is the checksum of those before.
  const [, body = '', checksum] =
    /^([\s\S]*\n)"Manifest-Checksum": "([0-9a-f]{64})"\}\n$/.exec(text) ?? []
  if (hash('sha256', body, 'hex') !== checksum) return 'its list of files is not as it was written'
  const { Files } = JSON.parse(text) as Manifest
  const listed = new Set<string>()
  for (const file of Files) {
    const path = file.Path ?? ''
    const found = seen.get(path)
    listed.add(path)
    if (found === undefined) return `${path} is missing`
    const same = found.size === file.Size && found.sha256 === file.Checksum
    if (!same || file['Checksum-Algorithm'] !== 'SHA256') return `${path} is not as it was read`
  }
  const stranger = [...seen.keys()].find(path => !listed.has(path) && !path.startsWith(WAL_FOLDER))
  return stranger === undefined ? undefined : `${stranger} does not belong to it`
}
