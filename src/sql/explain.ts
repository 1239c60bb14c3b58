// Explains in one sentence, with a way out, why a database cannot be opened: the folder of the
// embedded one, or the server of DATABASE_URL. Knows error codes of the system, TLS and PostgreSQL.
import { userInfo } from 'node:os'
import { DatabaseProblem } from './failure.ts'
import { addressesOf } from './url.ts'

/** SQLite's error codes as codes of the system: the start lock is a SQLite file. */
const SQLITE_CODES: Readonly<Record<number, string>> = { 8: 'EACCES', 13: 'ENOSPC', 14: 'EACCES' }

/** Explains an error of using the data folder. Returns an unknown error unchanged. */
export function explainFolder(folder: string, error: unknown): unknown {
  const { code = '', errcode = 0 } = error as { code?: string; errcode?: number }
  const words = FOLDER_WORDS[SQLITE_CODES[errcode] ?? code]
  return words === undefined ? error : new DatabaseProblem(words(folder), { cause: error })
}

/** Explains an error of making the data folder. Returns an unknown error unchanged. */
export function explainMaking(folder: string, error: unknown): unknown {
  const explained = explainFolder(folder, error)
  const { code, syscall } = error as { code?: string; syscall?: string }
  if (explained !== error || syscall === undefined) return explained
  const words = `the data folder ${folder} cannot be made (${code}): ${elsewhere} that can be`
  return new DatabaseProblem(words, { cause: error })
}

const elsewhere = 'set CORRIDOR_DATA to a folder'
const denied = (folder: string) =>
  `the data folder ${folder} cannot be used by ${whoWeAre()}: run as the user it belongs to, ` +
  `or ${elsewhere} of yours`
const noFolder = (folder: string) =>
  `the data folder ${folder} is a file, or lies below one: move it away, or ${elsewhere}`
const full = (folder: string) =>
  `the disk of the data folder ${folder} is full: make room, or ${elsewhere} on another`

const FOLDER_WORDS: Readonly<Record<string, (folder: string) => string>> = {
  EACCES: denied,
  EPERM: denied,
  EEXIST: noFolder,
  ENOTDIR: noFolder,
  ENOSPC: full,
  EDQUOT: full,
  EROFS: folder =>
    `the data folder ${folder} is on a disk that is read-only: ${elsewhere} elsewhere`,
}

/** Explains by its output why a PostgreSQL program failed. `summary` begins the explanation. */
export function explainOutput(folder: string, summary: string, output: string): DatabaseProblem {
  if (/No space left on device|Disk quota exceeded/.test(output)) {
    return new DatabaseProblem(full(folder))
  }
  return new DatabaseProblem(`${summary}:\n${output.trim()}`)
}

function whoWeAre(): string {
  try {
    return `the user ${userInfo().username}`
  } catch {
    return `the user with number ${process.getuid?.()}`
  }
}

/** Explains an error of connecting to a server. Returns an unknown error unchanged. */
export function explainServer(url: string, error: unknown): unknown {
  const { code = '', message } = error as { code?: string; message?: string }
  const words = SERVER_WORDS.find(([codes]) => codes.test(code))?.[1]
  if (words === undefined) return error
  // Drops the advice that Node appends to some messages.
  const reason = `${message}`.split(';')[0]?.replace(/\.$/, '') ?? ''
  return new DatabaseProblem(`the database cannot be reached: ${words(serverOf(url), reason)}`, {
    cause: error,
  })
}

interface Server {
  /** Of several servers all: the error does not tell which it comes from. */
  readonly server: string
  readonly host: string
  readonly user: string
  readonly database: string
}

function serverOf(url: string): Server {
  const addresses = addressesOf(url)
  const [{ user = '', database = user }] = addresses
  const all = (name: 'server' | 'host') => addresses.map(address => address[name]).join(',')
  return { server: all('server'), host: all('host'), user, database }
}

type Words = (server: Server, reason: string) => string

/** Explanations by error code: of the system, of TLS, or SQLSTATE. The first match counts. */
const SERVER_WORDS: readonly (readonly [codes: RegExp, words: Words])[] = [
  [
    /^(ECONNREFUSED|ENOENT)$/,
    ({ server }, reason) =>
      `nothing listens at ${server} (${/ENOENT/.exec(reason) ?? 'ECONNREFUSED'}); start it, or ` +
      'correct DATABASE_URL',
  ],
  [
    /^(ENOTFOUND|EAI_AGAIN)$/,
    ({ host }, reason) => `its host ${host} is not known (${reason}); correct DATABASE_URL`,
  ],
  [
    /^(CONNECT_TIMEOUT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/,
    ({ server }) => `${server} does not answer; see that it runs, and what firewalls let through`,
  ],
  [
    /^(ERR_TLS_|ERR_SSL_|EPROTO)|CERT|_SIGNATURE$|^HOSTNAME_MISMATCH$/,
    ({ server }, reason) =>
      `the TLS certificate of ${server} is refused (${reason}); name its authority by ` +
      'sslrootcert=/path/to/ca.pem in the URL, and the server as its certificate does',
  ],
  [
    /^(28|08P01$)/,
    ({ server, user }, reason) =>
      `${server} refuses ${user === '' ? 'us' : `the user ${user}`} (${reason}); correct ` +
      'DATABASE_URL, or what the server lets in',
  ],
  [/^NOT_PRIMARY$/, (_server, reason) => `${reason}; promote a standby, or correct DATABASE_URL`],
  [
    /^3D000$/,
    ({ server, database }) =>
      `${server} has no database ${database}; make it (createdb ${database}), or correct ` +
      'DATABASE_URL',
  ],
  [
    /^(42501|42704)$/,
    ({ server, database }, reason) =>
      `${server} does not let us use the database ${database} (${reason}); have it granted`,
  ],
  [
    /^53300$/,
    ({ server }) => `${server} has no connection left; raise max_connections, or close others`,
  ],
  [
    /^57P03$/,
    ({ server }, reason) => `${server} is not ready (${reason}); wait until it is, and try again`,
  ],
  [
    /^(CONNECTION_|ECONNRESET$|EPIPE$)/,
    ({ server }) =>
      `${server} closes the connection before it says anything; see that PostgreSQL listens ` +
      'there, and whether it takes TLS (sslmode in DATABASE_URL)',
  ],
]
