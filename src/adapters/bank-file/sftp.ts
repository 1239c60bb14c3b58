// Exchanges files with an SFTP server. Sends nothing, not even the log-in, to a server with another
// host key than the known one. A rename by SFTP version 3 refuses a taken name.
import { hash } from 'node:crypto'
import type { CipherAlgorithm, ConnectConfig, SFTPWrapper } from 'ssh2'
import type { FolderConfig } from './folder.ts'
import {
  archiveName,
  failureWords,
  HostKeyChanged,
  isReport,
  NameTaken,
  NOTE_BYTES,
  type RemoteFile,
  type Transport,
  TransportFailed,
} from './transport.ts'

export interface SftpConfig extends Omit<FolderConfig, 'kind'> {
  readonly kind: 'sftp'
  readonly host: string
  readonly port: number
  readonly user: string
  /** In the form of ssh-keygen -l: `SHA256:` and 43 characters. */
  readonly host_key: string
}

export type SftpSecret = Pick<ConnectConfig, 'password' | 'privateKey'>

const CONNECT_MS = 10_000
/** A call without an answer for this long has failed. Its effect is not known. */
const ANSWER_MS = 30_000
const KEEP_ALIVE_MS = 5_000
/** The bytes of one read or write: OpenSSH's limit. ssh2 cuts them for servers with a lower one. */
const PIECE = 255_000
/** OpenSSL computes these ciphers. ssh2 computes its default cipher in slower JavaScript. */
const FAST_CIPHERS: CipherAlgorithm[] = ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com']
/** Status codes of SFTP. */
const END_OF_FILE = 1
const NO_SUCH_FILE = 2

export async function openSftp(config: SftpConfig, secret: SftpSecret): Promise<Transport> {
  const { client, sftp } = await connect(config, secret)
  const lost = Promise.withResolvers<never>()
  lost.promise.catch(() => {})
  client.on('close', () => lost.reject(new TransportFailed('the connection was lost')))
  client.on('error', error => lost.reject(new TransportFailed(failureWords(error))))
  const call = <T>(what: string, start: (done: Done<T>) => void) => ask(what, lost.promise, start)
  const outboxPath = (name: string) => `${config.outbox}/${name}`
  const inboxPath = (name: string) => `${config.inbox}/${name}`
  const sizeAt = async (path: string) => {
    const found = call<{ size: number }>(`look at ${path}`, done => sftp.stat(path, done))
    return (await undefinedOn(NO_SUCH_FILE, found))?.size
  }
  return {
    sizeOf: name => sizeAt(outboxPath(name)),
    write: (name, bytes) => writeAll(sftp, call, outboxPath(name), bytes),
    remove: async name => {
      const removed = call(`remove ${name}`, done => sftp.unlink(outboxPath(name), done))
      await undefinedOn(NO_SUCH_FILE, removed)
    },
    async rename(from, to) {
      // The server itself refuses a taken name, but does not say why it refuses.
      if ((await sizeAt(outboxPath(to))) !== undefined)
        throw new NameTaken(`${to} is there already`)
      await call(`name ${to}`, done => sftp.rename(outboxPath(from), outboxPath(to), done))
    },
    list: () => list(sftp, call, config.inbox),
    read: name => readAll(sftp, call, inboxPath(name)),
    async archive(name) {
      const kept = `${config.archive}/${archiveName(name, new Date())}`
      await call(`archive ${name}`, done => sftp.rename(inboxPath(name), kept, done))
    },
    async readNote(name) {
      const path = `${config.archive}/${name}`
      const size = await sizeAt(path)
      if (size === undefined) return undefined
      const pieces = await Array.fromAsync(readAll(sftp, call, path))
      return Buffer.concat(pieces).subarray(0, NOTE_BYTES).toString('latin1')
    },
    writeNote: (name, text) =>
      writeAll(sftp, call, `${config.archive}/${name}`, Buffer.from(text), 'w'),
    async close() {
      client.end()
    },
  }
}

type Done<T> = (error?: Error | null, value?: T) => void
type Call = <T>(what: string, start: (done: Done<T>) => void) => Promise<T>

async function connect(config: SftpConfig, secret: SftpSecret) {
  // Imported at the first connection: most installations make none.
  const { Client } = await import('ssh2')
  const client = new Client()
  let other_key: string | undefined
  const ready = new Promise<void>((resolve, reject) => {
    client.once('ready', resolve)
    client.once('error', reject)
    client.once('close', () => reject(new Error('the server closed the connection')))
  })
  client.connect({
    host: config.host,
    port: config.port,
    username: config.user,
    ...secret,
    algorithms: { cipher: { prepend: FAST_CIPHERS, append: [], remove: [] } },
    readyTimeout: CONNECT_MS,
    keepaliveInterval: KEEP_ALIVE_MS,
    hostVerifier: (key: Buffer) => {
      const host_key = fingerprint(key)
      if (host_key === config.host_key) return true
      other_key = host_key
      return false
    },
  })
  // Nagle's algorithm would delay each call, as each waits for its answer.
  client.setNoDelay(true)
  const where = `${config.host}:${config.port}`
  try {
    await ready
    const sftp = await ask<SFTPWrapper>('open SFTP', never(), done => client.sftp(done))
    return { client, sftp }
  } catch (error) {
    client.on('error', () => {})
    client.end()
    if (other_key !== undefined) {
      throw new HostKeyChanged(
        `${where} has the host key ${other_key}, and is known by ${config.host_key}: ` +
          'ask the bank before you set another one',
      )
    }
    throw new TransportFailed(`could not connect to ${where}: ${failureWords(error)}`)
  }
}

const never = () => new Promise<never>(() => {})

/** The fingerprint of a key, as `ssh-keygen -l` prints it. */
export function fingerprint(key: Buffer): string {
  return `SHA256:${hash('sha256', key, 'base64').replace(/=+$/, '')}`
}

/** Makes a call. Rejects with TransportFailed, which has the server's status code. */
async function ask<T>(what: string, lost: Promise<never>, start: (done: Done<T>) => void) {
  const answer = Promise.withResolvers<T>()
  const timer = setTimeout(
    () => answer.reject(new Error(`no answer in ${ANSWER_MS} ms`)),
    ANSWER_MS,
  )
  try {
    start((error, value) => (error ? answer.reject(error) : answer.resolve(value as T)))
    return await Promise.race([answer.promise, lost])
  } catch (error) {
    answer.promise.catch(() => {})
    const { code } = error as { code?: number }
    const words = `could not ${what}: ${failureWords(error)}`
    throw Object.assign(new TransportFailed(words), { code })
  } finally {
    clearTimeout(timer)
  }
}

/** The answer; undefined instead of a failure with this status code. */
async function undefinedOn<T>(code: number, answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if ((error as { code?: number }).code === code) return undefined
    throw error
  }
}

/** Writes a file. `wx` is exclusive: the server refuses a taken name. */
async function writeAll(
  sftp: SFTPWrapper,
  call: Call,
  path: string,
  bytes: Uint8Array,
  flag: 'wx' | 'w' = 'wx',
) {
  const handle = await call<Buffer>(`create ${path}`, done => sftp.open(path, flag, done))
  const close = () => call<undefined>(`close ${path}`, done => sftp.close(handle, done))
  try {
    const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    for (let at = 0; at < all.length; at += PIECE) {
      const length = Math.min(PIECE, all.length - at)
      await call<undefined>(`write ${path}`, done => sftp.write(handle, all, at, length, at, done))
    }
    await syncToDisk(sftp, call, handle)
  } catch (error) {
    // Reports the failed write, not the close that may fail after it.
    await close().catch(() => {})
    throw error
  }
  await close()
}

/** Syncs a file to the server's disk, if the server offers fsync. */
async function syncToDisk(sftp: SFTPWrapper, call: Call, handle: Buffer): Promise<void> {
  const start = (done: Done<undefined>) => sftp.ext_openssh_fsync(handle, done)
  try {
    await call('write to the disk', start)
  } catch (error) {
    if (!/does not support/.test(failureWords(error))) throw error
  }
}

async function list(sftp: SFTPWrapper, call: Call, inbox: string): Promise<RemoteFile[]> {
  const entries = await call<{ filename: string; attrs: { size: number; isFile(): boolean } }[]>(
    'list the inbox',
    done => sftp.readdir(inbox, done as never),
  )
  return entries
    .filter(({ filename, attrs }) => attrs.isFile() && isReport(filename))
    .map(({ filename: name, attrs: { size } }) => ({ name, size }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

async function* readAll(sftp: SFTPWrapper, call: Call, path: string): AsyncIterable<Uint8Array> {
  const handle = await call<Buffer>(`open ${path}`, done => sftp.open(path, 'r', done))
  try {
    for (let at = 0; ; ) {
      const piece = Buffer.allocUnsafe(PIECE)
      const read = call<number>('read', done => sftp.read(handle, piece, 0, PIECE, at, done))
      const count = (await undefinedOn(END_OF_FILE, read)) ?? 0
      if (count === 0) return
      yield piece.subarray(0, count)
      at += count
    }
  } finally {
    await call(`close ${path}`, done => sftp.close(handle, done))
  }
}
