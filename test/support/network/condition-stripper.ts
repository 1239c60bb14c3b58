// A proxy to PostgreSQL that removes every condition on the account from statements, so that
// row-level security alone decides which rows they see. It changes only Parse messages.
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { listenOn } from './port.ts'
import { cutMessages } from './proxy.ts'

export interface ConditionStripper {
  /** The url it was given, with its own host and port. */
  readonly url: string
  /** How many statements it has changed so far. */
  lost(): number
  close(): Promise<void>
}

/** `account_id = $1`, `b.account_id = (select $1)`, `account_id = any ($1::text[])`. */
const BY_VALUE = /\b(?:\w+\.)?account_id = ((?:any )?(?:\((?:select )?)?\$)/g
/** `b.account_id = k.account_id` */
const BY_COLUMN = /\b(?:\w+\.)?account_id = \w+\.account_id\b/g

function loosened(statement: string): string {
  // The new condition is true for every account, and still uses the parameter.
  return statement.replace(BY_VALUE, "'' <> $1").replace(BY_COLUMN, 'true')
}

export async function startConditionStripper(target: string): Promise<ConditionStripper> {
  const to = new URL(target)
  let lost = 0
  const change = (bytes: Buffer) => {
    const [name = '', statement = ''] = bytes.toString('utf8', 5).split('\0', 2)
    const loose = loosened(statement)
    if (loose === statement) return bytes
    lost += 1
    const rest = bytes.subarray(5 + Buffer.byteLength(`${name}\0${statement}\0`))
    const head = Buffer.from(`P    ${name}\0${loose}\0`)
    head.writeUInt32BE(head.length - 1 + rest.length, 1)
    return Buffer.concat([head, rest])
  }
  const server = createServer({ noDelay: true }, client => {
    const upstream = connect({ port: Number(to.port), host: to.hostname, noDelay: true })
    const cut = cutMessages()
    client.on('data', (data: Buffer) => {
      const messages = cut(data).map(({ type, bytes }) => (type === 'P' ? change(bytes) : bytes))
      upstream.write(Buffer.concat(messages))
    })
    upstream.pipe(client)
    for (const [one, other] of [[client, upstream] as const, [upstream, client] as const]) {
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
    }
  })
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String(await listenOn(server))
  // Without the query, no client can go past the proxy to the server's Unix socket.
  url.search = ''
  return {
    url: url.href,
    lost: () => lost,
    async close() {
      server.close()
      await once(server, 'close')
    },
  }
}
