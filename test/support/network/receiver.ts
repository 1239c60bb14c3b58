// A webhook receiver on a free port, and endpoints for it. It keeps the requests in the order of
// receipt and answers as the test decides.
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { databaseNow } from '../../../src/sql/connect.ts'
import { bookId } from '../../../src/values/id.ts'
import { newSecret } from '../../../src/webhooks/sign.ts'
import type { WebhookEndpoint } from '../../../src/webhooks/webhook.ts'
import { onCluster } from '../database/citus.ts'
import type { TestDatabase } from '../database/database.ts'
import { listenOn } from './port.ts'

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** The body, parsed: an event. */
  readonly event: {
    readonly id: string
    readonly type: string
    readonly object_id: string
    readonly sequence: number
    readonly created_at: string
  }
}

/** Decides the answer to a request: undefined never answers, and `cut` closes the connection. */
export type Answering = (
  received: Received,
) => { readonly status: number; readonly headers?: Record<string, string> } | 'cut' | undefined

export interface Receiver {
  /** `http://127.0.0.1:40123` */
  readonly url: string
  readonly received: Received[]
  /** The received requests whose senders still wait for an answer. */
  out(): readonly Received[]
  /** Answers in this way from now on. */
  answer(how: Answering): void
  close(): Promise<void>
}

export async function startReceiver(how: Answering = () => ({ status: 204 })): Promise<Receiver> {
  const received: Received[] = []
  let answering = how
  const out = new Set<Received>()
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (part: string) => {
      body += part
    })
    request.on('end', () => {
      const { url: path = '', headers } = request
      const one = { path, headers, body, event: JSON.parse(body) }
      received.push(one)
      out.add(one)
      response.once('close', () => out.delete(one))
      const answer = answering(one)
      if (answer === undefined) return
      if (answer === 'cut') {
        response.destroy()
        return
      }
      response.writeHead(answer.status, answer.headers ?? {})
      response.end(answer.status === 204 ? undefined : 'what the receiver says')
    })
  })
  return {
    url: `http://127.0.0.1:${await listenOn(server)}`,
    received,
    out: () => [...out],
    answer(next) {
      answering = next
    },
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

/** Inserts an endpoint of an account that gets the events from now on. */
export async function addEndpoint(
  { owner }: TestDatabase,
  account_id: string,
  url: string,
  more: Partial<Pick<WebhookEndpoint, 'event_types' | 'previous_secret'>> = {},
): Promise<{ readonly id: string; readonly secret: string }> {
  const { event_types = [], previous_secret = '' } = more
  const now = await databaseNow(owner)
  const id = bookId({ now, ids_given: 0 }, 'whe')
  const secret = newSecret(crypto.getRandomValues(new Uint8Array(32)))
  await owner.begin(async tx => {
    // On a cluster no trigger notes the history of the row, so this function does.
    const tell = async (note: 'note_before' | 'note_after') =>
      onCluster && tx`select ${tx(note)}('webhook_endpoints', ${account_id}, ${[id]}::text[])`
    await tell('note_before')
    await tx`
      insert into webhook_endpoints (account_id, id, url, description, event_types, status,
        disabled_reason, secret, previous_secret, previous_secret_until, fanned_out, created_at,
        updated_at)
      select account_id, ${id}, ${url}, '', ${[...event_types]}::text[], 'enabled', '', ${secret},
        ${previous_secret},
        case when ${previous_secret} <> '' then clock_timestamp() + interval '1 hour' end,
        event_count, ${now}, ${now}
      from books where account_id = ${account_id}`
    await tell('note_after')
  })
  return { id, secret }
}

/**
 * Throws when the signature is wrong, by the package `standardwebhooks`, as a receiver would use
 * it.
 */
export function verifySignature(secret: string, { body, headers }: Received): void {
  new Webhook(secret).verify(body, headers as Record<string, string>)
}

/**
 * Counts the events that came more than once, and lists the objects whose events came out of order.
 */
export function judge(received: readonly Received[]): { twice: number; disordered: string[] } {
  const seen = new Set<string>()
  const newest = new Map<string, number>()
  const disordered: string[] = []
  let twice = 0
  for (const { event, path } of received) {
    const name = `${path} ${event.id}`
    if (seen.has(name)) {
      twice += 1
      continue
    }
    seen.add(name)
    const object = `${path} ${event.object_id}`
    if (event.sequence < (newest.get(object) ?? 0)) disordered.push(object)
    newest.set(object, event.sequence)
  }
  return { twice, disordered }
}
