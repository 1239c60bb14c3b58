// A backup is the tar that PostgreSQL makes of a running cluster, with the manifest as a file in
// it, compressed by zstd. Reading it verifies every file.
import { createHash, hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline, Readable } from 'node:stream'
import { createZstdDecompress } from 'node:zlib'
import { DatabaseProblem } from '../sql/failure.ts'
import { BadTar, readTar, type TarEntry } from './tar.ts'

export const MANIFEST = 'backup_manifest'

/** Names that PostgreSQL gives. A backup begins with the label file. */
const LABEL_FILE = 'backup_label'
const WAL_FOLDER = 'pg_wal/'

/** PostgreSQL takes no label of more than 1,023 bytes. */
const MAX_NAMES = 900

/** Its maker, the PostgreSQL that can read it, and the operators, who may restore it. */
export function labelOf(server_version: string, operators: readonly string[]): string {
  const names = operators.join(',')
  const told = names === '' || names.length > MAX_NAMES ? '' : `; operators ${names}`
  return `corridor, PostgreSQL ${server_version}${told}`
}

const LABEL = /^LABEL: corridor, PostgreSQL (\d+)[^\s;]*(?:; operators ([a-z0-9._,-]+))?$/m

export interface BackupFacts {
  /** Major version. */
  readonly postgresql: number
  /** When the backup began, by the server's clock. It has all transactions committed before. */
  readonly as_of: string
  /** The first segment of the log that a recovery reads. */
  readonly first_segment: string
  readonly files: number
  /** Who were operators then; empty without users, or if they were too many for the label. */
  readonly operators: readonly string[]
}

export type Keep = (entry: TarEntry) => Promise<void>

/**
 * Calls `begin` before it passes the first entry to `keep`; either may refuse the backup by
 * throwing. @throws DatabaseProblem when the file is no backup, is truncated or is damaged
 */
export async function readBackup(
  path: string,
  begin: (facts: Omit<BackupFacts, 'files'>) => void = () => {},
  keep: Keep = async () => {},
): Promise<BackupFacts> {
  const files = new Map<string, Measured>()
  let facts: Omit<BackupFacts, 'files'> | undefined
  let manifest = ''
  try {
    for await (const { name, content } of readTar(decompressed(path))) {
      if (facts === undefined) {
        const label = name === LABEL_FILE && content !== undefined ? await textOf(content) : ''
        facts = readLabel(label)
        begin(facts)
        files.set(name, measureText(label))
        await keep({ name, content: Readable.from([Buffer.from(label)]) })
      } else if (name === MANIFEST && content !== undefined) {
        manifest = await textOf(content)
      } else if (content === undefined) {
        await keep({ name, content })
      } else {
        const measuring = measure(content)
        await keep({ name, content: measuring.content })
        files.set(name, await measuring.finish())
      }
    }
  } catch (error) {
    throw asProblem(path, error)
  }
  if (facts === undefined) throw new DatabaseProblem(`${path} is not a backup of corridor`)
  const damage = manifest === '' ? 'its end is missing' : differenceFrom(manifest, files)
  if (damage !== undefined) throw new DatabaseProblem(`${path} is damaged: ${damage}`)
  return { ...facts, files: files.size }
}

/** Reads the label alone, and verifies nothing; undefined for a file that is no backup. */
export async function readFacts(path: string): Promise<Omit<BackupFacts, 'files'> | undefined> {
  try {
    for await (const { name, content } of readTar(decompressed(path))) {
      return name === LABEL_FILE && content ? readLabel(await textOf(content)) : undefined
    }
    return undefined
  } catch {
    return undefined
  }
}

function readLabel(text: string): Omit<BackupFacts, 'files'> {
  const [, major, names = ''] = LABEL.exec(text) ?? []
  const [, date, time] = /^START TIME: (\S+) (\S+) UTC$/m.exec(text) ?? []
  const [, first_segment] = /^START WAL LOCATION: \S+ \(file ([0-9A-F]{24})\)$/m.exec(text) ?? []
  if (major === undefined || date === undefined || first_segment === undefined) {
    throw new BadTar('it has no label')
  }
  const operators = names === '' ? [] : names.split(',')
  return { postgresql: Number(major), as_of: `${date}T${time}Z`, first_segment, operators }
}

function decompressed(path: string): AsyncIterable<Buffer> {
  // An error of either stream reaches the reader of the second, so the callback does nothing.
  return pipeline(createReadStream(path), createZstdDecompress(), () => {})
}

/** Returns errors that are not about the file unchanged. */
function asProblem(path: string, error: unknown): unknown {
  const { code = '', message, path: failed_path } = error as NodeJS.ErrnoException
  if (code.startsWith('ZSTD_') || code === 'Z_BUF_ERROR' || error instanceof BadTar) {
    return new DatabaseProblem(`${path} is no backup of corridor, or damaged: ${message}`)
  }
  if (failed_path === path || code === 'EISDIR') {
    return new DatabaseProblem(`cannot read ${path}: ${message}`)
  }
  return error
}

async function textOf(content: AsyncIterable<Buffer>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(content)).toString('utf8')
}

interface Measured {
  readonly size: number
  readonly sha256: string
}

function measureText(text: string): Measured {
  return { size: Buffer.byteLength(text), sha256: hash('sha256', text, 'hex') }
}

/** `finish` reads the rest. */
function measure(content: AsyncIterable<Buffer>) {
  const sha256 = createHash('sha256')
  let size = 0
  const passed = (async function* () {
    for await (const piece of content) {
      sha256.update(piece)
      size += piece.length
      yield piece
    }
  })()
  return {
    content: passed,
    async finish(): Promise<Measured> {
      for await (const _ of passed);
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
 * The first difference between manifest and files. The manifest does not list WAL segments: their
 * records have checksums, and a start needs all of them.
 */
function differenceFrom(text: string, files: ReadonlyMap<string, Measured>): string | undefined {
  // The last line of the manifest is the checksum of the lines before it.
  const [, body = '', checksum] =
    /^([\s\S]*\n)"Manifest-Checksum": "([0-9a-f]{64})"\}\n$/.exec(text) ?? []
  if (hash('sha256', body, 'hex') !== checksum) return 'its list of files has a wrong checksum'
  const { Files } = JSON.parse(text) as Manifest
  const listed = new Set<string>()
  for (const file of Files) {
    const path = file.Path ?? ''
    const found = files.get(path)
    listed.add(path)
    if (found === undefined) return `${path} is missing`
    const same = found.size === file.Size && found.sha256 === file.Checksum
    if (!same || file['Checksum-Algorithm'] !== 'SHA256') return `${path} has a wrong checksum`
  }
  const extra = [...files.keys()].find(path => !listed.has(path) && !path.startsWith(WAL_FOLDER))
  return extra === undefined ? undefined : `its list of files does not have ${extra}`
}
