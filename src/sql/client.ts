// Makes pg's clients. pg reads PGOPTIONS and others by itself, which may choose a schema or make a
// session read-only. Only the URL counts.
import type { ConnectionOptions as TlsOptions } from 'node:tls'
import pg from 'pg'
import { connectionError } from './failure.ts'
import type { Address } from './url.ts'

/** `way` is one of the address's ways to connect. */
export function makeClient(
  address: Address,
  way: false | TlsOptions,
  settings: pg.ClientConfig,
): pg.Client {
  const { host, port, user, password, database, options, application_name } = address
  const client = new pg.Client({
    ...{ host, port, user, password, database, options, ssl: way },
    // pg would take it from the environment otherwise.
    ...{ sslnegotiation: 'postgres' },
    enableChannelBinding: address.channel_binding !== 'disable',
    ...settings,
    ...(application_name !== undefined && { application_name }),
  })
  const { connectionParameters } = client as unknown as {
    readonly connectionParameters: { options: string | undefined }
  }
  connectionParameters.options = options
  if (address.channel_binding === 'require') requireBinding(client)
  return client
}

/** What a server may ask for that is not bound to its TLS connection. */
const UNBOUND = ['authenticationCleartextPassword', 'authenticationMD5Password'] as const

/** Closes the connection before a password is sent, or an answer believed, that is not bound. */
function requireBinding(client: pg.Client): void {
  const { connection } = client
  const refuse = () => {
    const words = 'channel_binding=require, and the server does not bind the log-in to its TLS'
    connection.stream.destroy(connectionError('28000', words))
  }
  let proved = false
  for (const event of UNBOUND) connection.prependListener(event, refuse)
  connection.prependListener('authenticationSASL', ({ mechanisms = [] }: Mechanisms) => {
    if (!mechanisms.includes('SCRAM-SHA-256-PLUS')) refuse()
  })
  connection.prependListener('authenticationSASLFinal', () => {
    proved = true
  })
  connection.prependListener('authenticationOk', () => {
    if (!proved) refuse()
  })
}

interface Mechanisms {
  readonly mechanisms?: readonly string[]
}
