// An SFTP server over a folder, by ssh2, that fails as it is told: before or after it has done what
// was asked. Answers as OpenSSH's does, and renames onto no file that is there.
import { createHash } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { type FileHandle, link, open, readdir, rm, stat } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join, normalize } from 'node:path'
import ssh2, { type Connection, type SFTPWrapper } from 'ssh2'

const { Server, utils } = ssh2
const { OPEN_MODE, STATUS_CODE } = utils.sftp

export type SftpCall =
  | 'OPEN'
  | 'WRITE'
  | 'READ'
  | 'CLOSE'
  | 'STAT'
  | 'RENAME'
  | 'REMOVE'
  | 'READDIR'

/** What to do at a call: fail, or cut the connection before or after the call is done. */
export type SftpFault = 'fail' | 'cut before' | 'cut after'

export interface SftpOptions {
  readonly folder: string
  readonly user: string
  readonly password: string
  /** 0 for any free one. */
  readonly port?: number
  readonly host?: string
  /** A private key, by which the server is known. */
  readonly host_key?: string
  /** Asked at each call; undefined to do as is asked. */
  readonly fault?: (call: SftpCall) => SftpFault | undefined
  /** Told of each log-in. */
  readonly logged_in?: () => void
  /** Awaited after a rename, before it is answered. */
  readonly renamed?: (path: string) => Promise<void>
}

export interface SftpServer {
  readonly port: number
  /** As `ssh-keygen -l` prints it. */
  readonly fingerprint: string
  close(): Promise<void>
}

/** Of ECDSA: of one ed25519 key in 300, which begins with a zero, ssh2 writes what it cannot read. */
export function newHostKey(): string {
  return utils.generateKeyPairSync('ecdsa', { bits: 256 }).private
}

export async function startSftp(options: SftpOptions): Promise<SftpServer> {
  const { host = '127.0.0.1', port = 0, host_key = newHostKey() } = options
  const connections = new Set<Connection>()
  const server = new Server({ hostKeys: [host_key] }, connection => {
    connections.add(connection)
    // Of the library, though its types do not know it: each call waits for its answer.
    ;(connection as unknown as { setNoDelay(on: boolean): void }).setNoDelay(true)
    connection.on('error', () => {})
    connection.on('close', () => connections.delete(connection))
    connection.on('authentication', context => {
      const known = context.method === 'password' && context.password === options.password
      if (!known || context.username !== options.user) return context.reject(['password'])
      options.logged_in?.()
      context.accept()
    })
    connection.on('ready', () => {
      connection.on('session', accept => {
        accept().on('sftp', acceptSftp => {
          new Channel(acceptSftp(), options, () => connection.end()).serve()
        })
      })
    })
  })
  await new Promise<void>(resolve => server.listen(port, host, resolve))
  return {
    port: (server.address() as AddressInfo).port,
    fingerprint: fingerprintOf(host_key),
    async close() {
      for (const connection of connections) connection.end()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

export function fingerprintOf(host_key: string): string {
  const parsed = utils.parseKey(host_key)
  if (parsed instanceof Error || Array.isArray(parsed)) throw new Error('not a host key')
  const digest = createHash('sha256').update(parsed.getPublicSSH()).digest('base64')
  return `SHA256:${digest.replace(/=+$/, '')}`
}

interface Opened {
  readonly file?: FileHandle
  readonly folder?: string
  listed?: boolean
}

/** One channel of a connection. */
class Channel {
  readonly #sftp: SFTPWrapper
  readonly #options: SftpOptions
  readonly #cut: () => void
  readonly #opened = new Map<number, Opened>()
  #last = 0

  constructor(sftp: SFTPWrapper, options: SftpOptions, cut: () => void) {
    this.#sftp = sftp
    this.#options = options
    this.#cut = cut
  }

  serve(): void {
    const sftp = this.#sftp
    sftp.on('close', () => {
      for (const { file } of this.#opened.values()) file?.close().catch(() => {})
    })
    sftp.on('REALPATH', (id, path) => {
      const filename = normalize(`/${path}`)
      sftp.name(id, [{ filename, longname: filename, attrs: NO_ATTRIBUTES }])
    })
    this.#serveFiles()
    this.#serveNames()
    this.#serveFolders()
  }

  #serveFiles(): void {
    const sftp = this.#sftp
    sftp.on('OPEN', (id, path, flags) =>
      this.#answer('OPEN', id, async () => {
        const handle = this.#handle({ file: await open(this.#at(path), modeOf(flags)) })
        return () => sftp.handle(id, handle)
      }),
    )
    sftp.on('WRITE', (id, handle, offset, data) =>
      this.#answer('WRITE', id, async () => {
        await this.#of(handle)?.file?.write(data, 0, data.length, offset)
        return this.#ok(id)
      }),
    )
    sftp.on('READ', (id, handle, offset, length) =>
      this.#answer('READ', id, async () => {
        const piece = Buffer.alloc(length)
        const read = await this.#of(handle)?.file?.read(piece, 0, length, offset)
        const count = read?.bytesRead ?? 0
        if (count === 0) return () => sftp.status(id, STATUS_CODE.EOF)
        return () => sftp.data(id, piece.subarray(0, count))
      }),
    )
    sftp.on('CLOSE', (id, handle) =>
      this.#answer('CLOSE', id, async () => {
        await this.#of(handle)?.file?.close()
        this.#opened.delete(handle.readUInt32BE(0))
        return this.#ok(id)
      }),
    )
  }

  #serveNames(): void {
    const sftp = this.#sftp
    const attributes = (id: number, path: string) =>
      this.#answer('STAT', id, async () => {
        const found = await stat(this.#at(path))
        return () => sftp.attrs(id, attributesOf(found))
      })
    sftp.on('STAT', attributes)
    sftp.on('LSTAT', attributes)
    sftp.on('RENAME', (id, from, to) =>
      this.#answer('RENAME', id, async () => {
        await link(this.#at(from), this.#at(to))
        await rm(this.#at(from))
        await this.#options.renamed?.(to)
        return this.#ok(id)
      }),
    )
    sftp.on('REMOVE', (id, path) =>
      this.#answer('REMOVE', id, async () => {
        await rm(this.#at(path))
        return this.#ok(id)
      }),
    )
  }

  #serveFolders(): void {
    const sftp = this.#sftp
    sftp.on('OPENDIR', (id, path) => sftp.handle(id, this.#handle({ folder: this.#at(path) })))
    sftp.on('READDIR', (id, handle) =>
      this.#answer('READDIR', id, async () => {
        const listing = this.#of(handle)
        if (listing?.folder === undefined || listing.listed === true) {
          return () => sftp.status(id, STATUS_CODE.EOF)
        }
        listing.listed = true
        const entries = await listFolder(listing.folder)
        return () => sftp.name(id, entries)
      }),
    )
  }

  /** Does the work, answers it, and fails as it is told. */
  async #answer(call: SftpCall, id: number, work: () => Promise<() => void>): Promise<void> {
    const fault = this.#options.fault?.(call)
    if (fault === 'cut before') return this.#cut()
    if (fault === 'fail') return void this.#sftp.status(id, STATUS_CODE.FAILURE)
    try {
      const reply = await work()
      if (fault === 'cut after') return this.#cut()
      reply()
    } catch (error) {
      if (fault === 'cut after') return this.#cut()
      const missing = (error as NodeJS.ErrnoException).code === 'ENOENT'
      this.#sftp.status(id, missing ? STATUS_CODE.NO_SUCH_FILE : STATUS_CODE.FAILURE)
    }
  }

  #ok(id: number): () => void {
    return () => this.#sftp.status(id, STATUS_CODE.OK)
  }

  #handle(opened: Opened): Buffer {
    this.#last += 1
    this.#opened.set(this.#last, opened)
    const handle = Buffer.alloc(4)
    handle.writeUInt32BE(this.#last)
    return handle
  }

  #of(handle: Buffer): Opened | undefined {
    return this.#opened.get(handle.readUInt32BE(0))
  }

  /** No path leads out of the folder. */
  #at(path: string): string {
    return join(this.#options.folder, normalize(`/${path}`))
  }
}

async function listFolder(folder: string) {
  const names = await readdir(folder)
  return Promise.all(
    names.map(async filename => {
      const attrs = attributesOf(await stat(join(folder, filename)))
      return { filename, longname: filename, attrs }
    }),
  )
}

const NO_ATTRIBUTES = { mode: 0, uid: 0, gid: 0, size: 0, atime: 0, mtime: 0 }

function attributesOf(found: Stats) {
  return {
    mode: Number(found.mode),
    uid: 0,
    gid: 0,
    size: Number(found.size),
    atime: Math.floor(Number(found.atimeMs) / 1000),
    mtime: Math.floor(Number(found.mtimeMs) / 1000),
  }
}

function modeOf(flags: number): number {
  const wanted: readonly (readonly [number, number])[] = [
    [OPEN_MODE.CREAT, constants.O_CREAT],
    [OPEN_MODE.EXCL, constants.O_EXCL],
    [OPEN_MODE.TRUNC, constants.O_TRUNC],
  ]
  const base = (flags & OPEN_MODE.WRITE) !== 0 ? constants.O_RDWR : constants.O_RDONLY
  return wanted.reduce((mode, [bit, ours]) => ((flags & bit) !== 0 ? mode | ours : mode), base)
}
