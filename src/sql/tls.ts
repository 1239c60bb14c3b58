// TLS as sslmode and its companions in DATABASE_URL ask for it. A file of a certificate is read for
// each connection, so that a renewed one counts without a restart.
import { readFileSync } from 'node:fs'
import type { ConnectionOptions as TlsOptions } from 'node:tls'
import { DatabaseProblem } from './failure.ts'

const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
type Mode = (typeof MODES)[number]

/** `sslrootcert=system` trusts the authorities that the machine's programs trust. */
const SYSTEM = 'system'

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/

/**
 * The ways to connect to a host, in the order in which they are tried; false is without TLS.
 * Without sslmode, a connection within this machine has no TLS, and any other one has it if the
 * server offers it. With `sslrootcert` alone, it has TLS, and the chain is checked. As in libpq,
 * nothing of this counts for a socket, any mode checks the chain against `sslrootcert`, and
 * `prefer` and `allow` have a second way.
 * @throws DatabaseProblem for what cannot be obeyed, and for a file that cannot be read
 */
export function tlsWays(
  parameters: URLSearchParams,
  host: string,
): readonly (false | TlsOptions)[] {
  const mode = modeOf(parameters, host)
  const root = parameters.get('sslrootcert')
  if (root === SYSTEM && mode !== 'verify-full') {
    throw new DatabaseProblem(
      `sslrootcert=system in DATABASE_URL needs sslmode=verify-full, not ${mode}: any web site ` +
        'has a certificate of such an authority',
    )
  }
  if (mode === 'verify-ca' && root === null) {
    throw new DatabaseProblem(
      'sslmode=verify-ca in DATABASE_URL needs sslrootcert=/path/to/ca.pem: without it, use ' +
        'sslmode=verify-full',
    )
  }
  if (host.startsWith('/') || mode === 'disable') return [false]
  const tls = {
    ...(root === null || root === SYSTEM ? {} : { ca: read('sslrootcert', root) }),
    ...ownCertificate(parameters),
    ...checksOf(mode, root !== null),
  }
  if (mode === 'prefer') return [tls, false]
  return mode === 'allow' ? [false, tls] : [tls]
}

function modeOf(parameters: URLSearchParams, host: string): Mode {
  const given = parameters.get('sslmode')
  if (given === null) {
    const root = parameters.get('sslrootcert')
    if (root !== null) return root === SYSTEM ? 'verify-full' : 'verify-ca'
    return LOOPBACK.test(host) ? 'disable' : 'prefer'
  }
  const mode = MODES.find(one => one === given)
  if (mode !== undefined) return mode
  throw new DatabaseProblem(
    `sslmode=${given} in DATABASE_URL is not known here: use ${MODES.slice(0, -1).join(', ')} ` +
      'or verify-full',
  )
}

/** verify-full checks chain and name. The other modes check the chain if they know its root. */
function checksOf(mode: Mode, knows_root: boolean): TlsOptions {
  if (mode === 'verify-full') return {}
  return knows_root ? { checkServerIdentity: () => undefined } : { rejectUnauthorized: false }
}

function ownCertificate(parameters: URLSearchParams): TlsOptions {
  const [cert, key] = [parameters.get('sslcert'), parameters.get('sslkey')]
  if (cert === null && key === null) return {}
  if (cert === null || key === null) {
    throw new DatabaseProblem('sslcert and sslkey in DATABASE_URL go together: give both files')
  }
  return { cert: read('sslcert', cert), key: read('sslkey', key) }
}

function read(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new DatabaseProblem(`the file of ${name} in DATABASE_URL, ${path}, is not read: ${code}`)
  }
}
