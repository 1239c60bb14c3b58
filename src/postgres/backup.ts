// Takes a backup of the embedded cluster while it runs, by the protocol of pg_basebackup.
import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import * as fs from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Readable, Transform, type TransformCallback } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress } from 'node:zlib'
import type pg from 'pg'
import { makeClient } from '../sql/client.ts'
import { connect } from '../sql/connect.ts'
import { explainAnswer } from '../sql/connection.ts'
import { DatabaseProblem, isConnectionLost, isServerError } from '../sql/failure.ts'
import { addressesOf } from '../sql/url.ts'
import { waitAtMost } from '../values/event-loop.ts'
import { syncFolder } from '../values/fsync.ts'
import { type BackupFacts, labelOf, MANIFEST, readBackup } from './backup-file.ts'
import { SUPERUSER } from './cluster.ts'
import { END, tarFile } from './tar.ts'

export interface Backup extends BackupFacts {
  readonly bytes: number
}

/**
 * Writes a backup to a new file and verifies it. The file gets its name when it is complete,
 * flushed and verified.
 * @param url the embedded database's URL, as its owner
 * @throws DatabaseProblem when another backup writes the file, the server finds a damaged page or
 *   the file fails its verification
 */
export async function takeBackup(
  url: string,
  file: string,
  { progress = () => {}, operators = [] }: Options = {},
): Promise<Backup> {
  return asOnlyWriter(url, file, () => writeNew(url, file, { progress, operators }))
}

interface Options {
  /** Called with the number of the cluster's bytes read so far. */
  readonly progress?: (done_bytes: number, about_bytes: number) => void
  /** The installation's operators, who may restore the backup. */
  readonly operators?: readonly string[]
}

/** Runs `work` under a lock on the file's name, which the server releases after a kill. */
async function asOnlyWriter<T>(url: string, file: string, work: () => Promise<T>): Promise<T> {
  const locks = connect(url, { max: 1, as: 'owner' })
  try {
    const session = await locks.reserve()
    const folder = await fs.realpath(dirname(file)).catch(() => dirname(file))
    const name = `corridor backup ${join(folder, basename(file))}`
    const [lock] = await session<{ taken: boolean }[]>`
      select pg_try_advisory_lock(hashtextextended(${name}, 0)) as taken`
    if (lock?.taken !== true) throw new DatabaseProblem(`another backup is writing ${file}`)
    return await work()
  } finally {
    await locks.end({ timeout: 0 })
  }
}

async function writeNew(url: string, file: string, options: Required<Options>): Promise<Backup> {
  await refuseExisting(file)
  const part = `${file}.part`
  try {
    // The file must exist before the server sends the backup.
    await (await fs.open(part, 'w', 0o600)).close()
    await writeChecked(url, part, options)
    const facts = await readBackup(part)
    const { size: bytes } = await fs.stat(part)
    await refuseExisting(file)
    await fs.rename(part, file)
    await syncFolder(dirname(file))
    return { ...facts, bytes }
  } catch (error) {
    await fs.rm(part, { force: true })
    const { syscall, message } = error as NodeJS.ErrnoException
    if (isConnectionLost(error)) throw error
    if (syscall !== undefined) throw new DatabaseProblem(`cannot write ${file}: ${message}`)
    if (!isServerError(error)) throw error
    throw new DatabaseProblem(`PostgreSQL takes no backup: ${message}`)
  }
}

async function refuseExisting(file: string): Promise<void> {
  if (await fs.stat(file).catch(() => undefined)) {
    throw new DatabaseProblem(`${file} is there already, and backups are not written over`)
  }
}

/** Tries until PostgreSQL has checked every page: a file rarely grows in all of them. */
const MOST_TRIES = 3

async function writeChecked(url: string, file: string, options: Required<Options>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await writeBackup(url, file, options)
    } catch (error) {
      if (!(error instanceof Unchecked) || tries === MOST_TRIES) throw error
    }
  }
}

async function writeBackup(url: string, file: string, { progress, operators }: Required<Options>) {
  const warnings: string[] = []
  const superuser = new URL(url)
  superuser.username = SUPERUSER
  const server = await Replication.open(superuser.href, ({ severity, message = '' }) => {
    // The server warns that its socket is no file to copy.
    if (severity === 'WARNING' && !message.includes('/.s.PGSQL.')) warnings.push(message)
  })
  try {
    const about_bytes = await prepare(server)
    const row = await server.ask<{ version: string }>(
      `select current_setting('server_version') as version`,
    )
    const label = labelOf(row?.version.split(' ', 1)[0] ?? '', operators)
    // A fast checkpoint, because a spread one takes a quarter of an hour. Does not wait for the
    // archive, because the backup has the log that it needs.
    const messages = server.copyOut(
      `BASE_BACKUP (LABEL '${label}', PROGRESS true,
        CHECKPOINT 'fast', WAL true, WAIT false, MANIFEST 'yes', MANIFEST_CHECKSUMS 'SHA256')`,
    )
    await pipeline(
      messages,
      new TarOfMessages(done => progress(done, about_bytes)),
      createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } }),
      createWriteStream(file, { mode: 0o600, flush: true }),
    )
  } catch (error) {
    // The server reports a page with a wrong checksum as a warning, and as an error at the end.
    throw warnings.length > 0 && isServerError(error) ? problemIn(warnings) : error
  } finally {
    await server.end()
  }
  if (warnings.length > 0) throw problemIn(warnings)
}

/** A file was copied without a check of all its pages, which says nothing about them. */
class Unchecked extends DatabaseProblem {}

/**
 * PostgreSQL reads files while others write them: one that grows may end within a page, and the
 * rest of it is then copied without a check (basebackup.c). Any other warning is of a damaged page.
 */
const GREW = /read buffer size \d+ and page size \d+ differ$/

/** What the server's warnings mean. At least one. */
export function problemIn(warnings: readonly string[]): DatabaseProblem {
  const worst = warnings.find(warning => !GREW.test(warning))
  if (worst !== undefined) return new DatabaseProblem(`the cluster is damaged: ${worst}`)
  const why =
    'PostgreSQL could not check a file, which grew while it was read, or ends within a page'
  return new Unchecked(`${why}: ${warnings[0]}`)
}

/** Reserves WAL for the time of the backup. Returns the approximate number of bytes to read. */
async function prepare(server: Replication): Promise<number> {
  // The server drops a temporary slot when the session ends.
  const slot = `corridor_backup_${randomBytes(4).toString('hex')}`
  await server.ask(`select pg_create_physical_replication_slot('${slot}', true, true)`)
  const row = await server.ask<{ bytes: string }>(
    `select sum(pg_database_size(oid))::text as bytes from pg_database`,
  )
  return Number(row?.bytes ?? 0)
}

/**
 * Appends the manifest to the tar as its last file. The first byte of a message is a letter for its
 * kind. Each message arrives as one chunk; the verification would notice if it did not.
 * https://www.postgresql.org/docs/18/protocol-replication.html, BASE_BACKUP
 */
class TarOfMessages extends Transform {
  readonly #progress: (done_bytes: number) => void
  readonly #manifest: Buffer[] = []
  #part: 'none' | 'archive' | 'manifest' = 'none'
  /** The archive's last chunk so far, held back: the manifest goes before the archive's end. */
  #held: Buffer = Buffer.alloc(0)

  constructor(progress: (done_bytes: number) => void) {
    super()
    this.#progress = progress
  }

  override _transform(message: Buffer, _encoding: string, done: TransformCallback): void {
    done(this.#take(String.fromCharCode(message[0] ?? 0), message.subarray(1)))
  }

  override _flush(done: TransformCallback): void {
    done(this.#end())
  }

  #take(kind: string, rest: Buffer): Error | null {
    if (kind === 'n' && this.#part !== 'none') return new DatabaseProblem('it has tablespaces')
    if (kind === 'n') this.#part = 'archive'
    else if (kind === 'm') this.#part = 'manifest'
    else if (kind === 'p') this.#progress(Number(rest.readBigInt64BE()))
    else if (kind !== 'd') return new Error(`a message of the backup begins with "${kind}"`)
    else if (this.#part === 'manifest') this.#manifest.push(rest)
    else {
      this.push(this.#held)
      this.#held = rest
    }
    return null
  }

  #end(): Error | null {
    const end = this.#held.subarray(-END.length)
    if (!end.equals(END)) return new Error('the archive of the backup has no end')
    this.push(this.#held.subarray(0, -END.length))
    this.push(tarFile(MANIFEST, Buffer.concat(this.#manifest), new Date()))
    this.push(END)
    return null
  }
}

interface Notice {
  readonly severity?: string | undefined
  readonly message?: string | undefined
}

const CONNECT_TIMEOUT_MS = 10_000
const END_MS = 5_000

class Replication {
  readonly #client: pg.Client

  private constructor(client: pg.Client) {
    this.#client = client
  }

  static async open(url: string, onNotice: (notice: Notice) => void): Promise<Replication> {
    const [address] = addressesOf(url)
    const client = makeClient(address, false, {
      application_name: 'corridor backup',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      // The types of pg lack this option.
      ...{ replication: 'database' },
    })
    client.on('notice', onNotice)
    // After an error, each query rejects.
    client.on('error', () => {})
    await client.connect().catch(error => {
      client.connection.stream.destroy()
      throw explainAnswer(error)
    })
    return new Replication(client)
  }

  async ask<Row>(text: string): Promise<Row | undefined> {
    const { rows } = await this.#client.query(text).catch(error => {
      throw explainAnswer(error)
    })
    return rows[0]
  }

  /** Runs a command that copies data out, and streams its messages, one chunk each. */
  copyOut(command: string): Readable {
    return this.#client.query(new CopyOut(command))
  }

  async end(): Promise<void> {
    await waitAtMost(END_MS, this.#client.end())
    this.#client.connection.stream.destroy()
  }
}

/** A query whose answer is a stream of COPY messages. pg calls its methods. */
class CopyOut extends Readable implements pg.Submittable {
  readonly #command: string
  #connection: pg.Connection | undefined

  constructor(command: string) {
    super()
    this.#command = command
  }

  submit(connection: pg.Connection): void {
    this.#connection = connection
    connection.query(this.#command)
  }

  /** Copies the chunk, because pg's parser reuses its buffer. */
  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    if (!this.push(Buffer.from(chunk))) this.#connection?.stream.pause()
  }

  override _read(): void {
    this.#connection?.stream.resume()
  }

  handleError(error: unknown): void {
    this.destroy(explainAnswer(error))
  }

  handleReadyForQuery(): void {
    this.push(null)
  }

  // The server also sends rows before and after the data: the WAL positions at its start and end.
  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleCommandComplete(): void {}
}
