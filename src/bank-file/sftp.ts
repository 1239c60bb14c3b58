// Exchanges files with an SFTP server. The server is known by its host key: a server with another
// key is sent nothing, not even the log-in. A rename of SFTP's version 3 refuses a name that is
// taken.
import { hash } from 'node:crypto'
import type { CipherAlgorithm, ConnectConfig, SFTPWrapper } from 'ssh2'
import {
  archiveName,
  failureWords,
  HostKeyChanged,
  isReport,
  NameTaken,
  type RemoteFile,
  type Transport,
  TransportFailed,
} from './transport.ts'

export interface SftpConfig {
  readonly kind: 'sftp'
  readonly host: string
  readonly port: number
  readonly user: string
  /** In the form of ssh-keygen -l: `SHA256:` and 43 characters. */
  readonly host_key: string
  readonly outbox: string
  readonly inbox: string
  readonly archive: string
}

/** The rail's secret is one of the two. */
export type SftpSecret = Pick<ConnectConfig, 'password' | 'privateKey'>

const CONNECT_MS = 10_000
/** A call without an answer for this long has failed; nobody knows what it did. */
const ANSWER_MS = 30_000
const KEEP_ALIVE_MS = 5_000
/**
 * How many bytes are read and written at a time. OpenSSH takes as many; ssh2 cuts them for servers
 * that take fewer.
 */
const PIECE = 255_000
/** OpenSSL computes these; ssh2 computes its default cipher in JavaScript. */
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
  const out = (name: string) => `${config.outbox}/${name}`
  const into = (name: string) => `${config.inbox}/${name}`
  const sizeAt = async (path: string) => {
    const found = call<{ size: number }>(`look at ${path}`, done => sftp.stat(path, done))
    return (await unless(NO_SUCH_FILE, found))?.size
  }
  return {
    sizeOf: name => sizeAt(out(name)),
    write: (name, bytes) => writeAll(sftp, call, out(name), bytes),
    remove: async name => {
      const removed = call(`remove ${name}`, done => sftp.unlink(out(name), done))
      await unless(NO_SUCH_FILE, removed)
    },
    async rename(from, to) {
      // The server itself refuses a name that is taken. This look tells why.
      if ((await sizeAt(out(to))) !== undefined) throw new NameTaken(`${to} is there already`)
      await call(`name ${to}`, done => sftp.rename(out(from), out(to), done))
    },
    list: () => list(sftp, call, config.inbox),
    read: name => readAll(sftp, call, into(name)),
    async archive(name) {
      const kept = `${config.archive}/${archiveName(name, new Date())}`
      await call(`archive ${name}`, done => sftp.rename(into(name), kept, done))
    },
    async close() {
      client.end()
    },
  }
}

type Done<T> = (error?: Error | null, value?: T) => void
type Call = <T>(what: string, start: (done: Done<T>) => void) => Promise<T>

async function connect(config: SftpConfig, secret: SftpSecret) {
  // Only a connection imports it: most installations make none.
  const { Client } = await import('ssh2')
  const client = new Client()
  let other: string | undefined
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
      const print = fingerprint(key)
      if (print === config.host_key) return true
      other = print
      return false
    },
  })
  // Each call waits for its answer, so a packet that waits for another one would delay both.
  client.setNoDelay(true)
  const where = `${config.host}:${config.port}`
  try {
    await ready
    const sftp = await ask<SFTPWrapper>('open SFTP', never(), done => client.sftp(done))
    return { client, sftp }
  } catch (error) {
    client.on('error', () => {})
    client.end()
    if (other !== undefined) {
      throw new HostKeyChanged(
        `${where} has the host key ${other}, and is known by ${config.host_key}: ` +
          'ask the bank before you set another one',
      )
    }
    throw new TransportFailed(`could not connect to ${where}: ${failureWords(error)}`)
  }
}

const never = () => new Promise<never>(() => {})

/** As `ssh-keygen -l` prints it. */
export function fingerprint(key: Buffer): string {
  return `SHA256:${hash('sha256', key, 'base64').replace(/=+$/, '')}`
}

async function ask<T>(
  what: string,
  lost: Promise<never>,
  start: (done: Done<T>) => void,
): Promise<T> {
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

/** Undefined instead of a failure with this code. */
async function unless<T>(code: number, answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if ((error as { code?: number }).code === code) return undefined
    throw error
  }
}

/** `wx` is exclusive: a file of that name is refused. */
async function writeAll(sftp: SFTPWrapper, call: Call, path: string, bytes: Uint8Array) {
  const handle = await call<Buffer>(`create ${path}`, done => sftp.open(path, 'wx', done))
  const close = () => call<undefined>(`close ${path}`, done => sftp.close(handle, done))
  try {
    const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    for (let at = 0; at < all.length; at += PIECE) {
      const length = Math.min(PIECE, all.length - at)
      await call<undefined>(`write ${path}`, done => sftp.write(handle, all, at, length, at, done))
    }
    await synced(sftp, call, handle)
  } catch (error) {
    // The failed write is reported, not the close that may fail after it.
    await close().catch(() => {})
    throw error
  }
  await close()
}

/** Not every server offers fsync; a server that does is asked. */
async function synced(sftp: SFTPWrapper, call: Call, handle: Buffer): Promise<void> {
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
      const count = (await unless(END_OF_FILE, read)) ?? 0
      if (count === 0) return
      yield piece.subarray(0, count)
      at += count
    }
  } finally {
    await call(`close ${path}`, done => sftp.close(handle, done))
  }
}
