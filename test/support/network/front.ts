// An HTTP server in front of a service, on a real socket: it first fails in the ways that a test
// lists, then passes requests on.
import { createServer } from 'node:http'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { listenOn } from './port.ts'

/**
 * What happens to one request: its connection is dropped before or after the service has executed
 * it, it gets no answer, or it gets this answer.
 */
export type Fault =
  | 'drop before'
  | 'drop after'
  | 'silent'
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }

export interface Front {
  readonly address: string
  /** The faults of the next requests, in turn. */
  faults: Fault[]
  /** The idempotency key, request id and version of each received request. */
  seen: { readonly key: string; readonly id: string; readonly version: string }[]
  observe(method: string, url: string, body: string): void
  close(): void
}

export async function startFront(app: FastifyInstance): Promise<Front> {
  const server = createServer(async (request, response) => {
    const { method, url = '', headers } = request
    front.seen.push({
      key: String(headers['idempotency-key']),
      id: String(headers['x-request-id']),
      version: String(headers['corridor-version']),
    })
    let payload = ''
    for await (const part of request) payload += part
    front.observe(method ?? '', url, payload)
    const fault = front.faults.shift()
    if (fault === 'silent') return
    if (fault === 'drop before') return void request.socket.destroy()
    if (typeof fault === 'object') {
      return void response.writeHead(fault.status, fault.headers).end(fault.body)
    }
    const sent = { method, url, headers, ...(payload !== '' && { payload }) } as InjectOptions
    const answer = await app.inject(sent)
    if (fault === 'drop after') return void request.socket.destroy()
    response.writeHead(answer.statusCode, answer.headers as Record<string, string>)
    response.end(answer.rawPayload)
  })
  const front: Front = {
    address: `http://127.0.0.1:${await listenOn(server)}`,
    faults: [],
    seen: [],
    observe() {},
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
  return front
}
