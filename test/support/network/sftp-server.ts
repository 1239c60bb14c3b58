// An SFTP server in this process, over a folder, that fails as it is told: before or after it has done
// what was asked. Answers as OpenSSH's does; it renames onto no file that is there.
import { constants, type Stats } from 'node:fs'
import { type FileHandle, link, open, readdir, rm, stat } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import ssh2, { type Connection, type SFTPWrapper } from 'ssh2'
import { fingerprint } from '../../../src/bank-file/sftp.ts'

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
export type Fault = 'fail' | 'full' | 'cut before' | 'cut after'

export interface SftpServer {
  readonly port: number
  readonly host_key: string
  readonly folder: string
  /** At the n-th call of this kind from now, once. */
  failAt(call: SftpCall, fault: Fault, nth?: number): void
  /** Log-ins so far. */
  readonly logins: () => number
  close(): Promise<void>
}

export const SFTP_USER = 'corridor'
export const SFTP_PASSWORD = 'of the test'

/** Of ECDSA: of one ed25519 key in 300, which begins with a zero, ssh2 writes what it cannot read. */
export function newHostKey(): string {
  return utils.generateKeyPairSync('ecdsa', { bits: 256 }).private
}

export async function startSftp(folder: string, key = newHostKey(), port = 0): Promise<SftpServer> {
  const faults = new Map<SftpCall, { fault: Fault; left: number }>()
  const connections = new Set<Connection>()
  let logins = 0
  const server = new Server({ hostKeys: [key] }, connection => {
    connections.add(connection)
    // Of the library, though its types do not know it.
    ;(connection as unknown as { setNoDelay(on: boolean): void }).setNoDelay(true)
    connection.on('error', () => {})
    connection.on('close', () => connections.delete(connection))
    connection.on('authentication', context => {
      const known = context.method === 'password' && context.password === SFTP_PASSWORD
      if (!known || context.username !== SFTP_USER) return context.reject(['password'])
      logins += 1
      context.accept()
    })
    connection.on('ready', () => {
      connection.on('session', accept => {
        accept().on('sftp', acceptSftp => {
          const cut = () => connection.end()
          serve(acceptSftp(), folder, { cut, take: call => takeFault(faults, call) })
        })
      })
    })
  })
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  const parsed = utils.parseKey(key)
  if (parsed instanceof Error || Array.isArray(parsed)) throw new Error('no host key')
  return {
    port: (server.address() as AddressInfo).port,
    host_key: fingerprint(parsed.getPublicSSH()),
    folder,
    failAt: (call, fault, nth = 1) => faults.set(call, { fault, left: nth }),
    logins: () => logins,
    async close() {
      for (const connection of connections) connection.end()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

function takeFault(faults: Map<SftpCall, { fault: Fault; left: number }>, call: SftpCall) {
  const planned = faults.get(call)
  if (planned === undefined) return undefined
  planned.left -= 1
  if (planned.left > 0) return undefined
  faults.delete(call)
  return planned.fault
}

interface Faults {
  cut(): void
  take(call: SftpCall): Fault | undefined
}

interface Open {
  readonly file?: FileHandle
  readonly folder?: string
  listed?: boolean
}

/** Serves one channel. */
function serve(sftp: SFTPWrapper, root: string, faults: Faults): void {
  sftp.on('close', () => {
    for (const { file } of opened.values()) file?.close().catch(() => {})
  })
  const opened = new Map<number, Open>()
  let last = 0
  const at = (path: string) => join(root, path)
  const handleOf = (open: Open) => {
    last += 1
    opened.set(last, open)
    const handle = Buffer.alloc(4)
    handle.writeUInt32BE(last)
    return handle
  }
  const of = (handle: Buffer) => opened.get(handle.readUInt32BE(0))
  const answer = async (call: SftpCall, id: number, work: () => Promise<() => void>) => {
    const fault = faults.take(call)
    if (fault === 'cut before') return faults.cut()
    if (fault === 'fail' || fault === 'full') return sftp.status(id, STATUS_CODE.FAILURE)
    try {
      const reply = await work()
      if (fault === 'cut after') return faults.cut()
      reply()
    } catch (error) {
      if (fault === 'cut after') return faults.cut()
      const { code } = error as NodeJS.ErrnoException
      const missing = code === 'ENOENT'
      sftp.status(id, missing ? STATUS_CODE.NO_SUCH_FILE : STATUS_CODE.FAILURE)
    }
  }
  const ok = (id: number) => () => sftp.status(id, STATUS_CODE.OK)
  sftp.on('OPEN', (id, path, flags) =>
    answer('OPEN', id, async () => {
      const handle = handleOf({ file: await open(at(path), modeOf(flags)) })
      return () => sftp.handle(id, handle)
    }),
  )
  sftp.on('WRITE', (id, handle, offset, data) =>
    answer('WRITE', id, async () => {
      await of(handle)?.file?.write(data, 0, data.length, offset)
      return ok(id)
    }),
  )
  sftp.on('READ', (id, handle, offset, length) =>
    answer('READ', id, async () => {
      const piece = Buffer.alloc(length)
      const read = await of(handle)?.file?.read(piece, 0, length, offset)
      const count = read?.bytesRead ?? 0
      if (count === 0) return () => sftp.status(id, STATUS_CODE.EOF)
      return () => sftp.data(id, piece.subarray(0, count))
    }),
  )
  sftp.on('CLOSE', (id, handle) =>
    answer('CLOSE', id, async () => {
      await of(handle)?.file?.close()
      opened.delete(handle.readUInt32BE(0))
      return ok(id)
    }),
  )
  const attributes = (id: number, path: string) =>
    answer('STAT', id, async () => {
      const found = await stat(at(path))
      return () => sftp.attrs(id, attributesOf(found))
    })
  sftp.on('STAT', attributes)
  sftp.on('LSTAT', attributes)
  sftp.on('RENAME', (id, from, to) =>
    answer('RENAME', id, async () => {
      await link(at(from), at(to))
      await rm(at(from))
      return ok(id)
    }),
  )
  sftp.on('REMOVE', (id, path) =>
    answer('REMOVE', id, async () => {
      await rm(at(path))
      return ok(id)
    }),
  )
  sftp.on('OPENDIR', (id, path) => sftp.handle(id, handleOf({ folder: at(path) })))
  sftp.on('READDIR', (id, handle) =>
    answer('READDIR', id, async () => {
      const listing = of(handle)
      if (listing?.folder === undefined || listing.listed === true) {
        return () => sftp.status(id, STATUS_CODE.EOF)
      }
      listing.listed = true
      const names = await readdir(listing.folder)
      const { folder } = listing
      const entries = await Promise.all(
        names.map(async filename => {
          const attrs = attributesOf(await stat(join(folder, filename)))
          return { filename, longname: filename, attrs }
        }),
      )
      return () => sftp.name(id, entries)
    }),
  )
}

function attributesOf(found: Stats) {
  return {
    mode: found.mode,
    uid: 0,
    gid: 0,
    size: found.size,
    atime: Math.floor(found.atimeMs / 1000),
    mtime: Math.floor(found.mtimeMs / 1000),
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
