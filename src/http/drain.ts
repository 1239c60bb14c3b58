// Closing an HTTP server without resetting a connection. It knows sockets and turns of the event
// loop, and nothing of what is served.
import type { Server as HttpServer, ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import type { Connections } from './connections.ts'

/** For connections that were taken just before the listener closed. */
const ASK_WITHIN_MS = 500
/** For those that have begun to ask and do not go on. */
const BE_ASKED_WITHIN_MS = 5_000
/**
 * Longer than any request is left without an answer: a batch may take 13 seconds to be sent and 30
 * to be written. A statement that its client has not taken by then breaks off.
 */
const ANSWER_WITHIN_MS = 60_000
const LOOK_EVERY_MS = 100
const NOBODY_WAITS_WITHIN_MS = 1_000
/** Longer than a client on a busy machine takes from an answer to its next connection. */
const QUIET_MS = 100
const SHORT_TURN_MS = 0.05

/**
 * Every connection taken is answered what it asks; afterwards there are none. Nothing new should be
 * answered before `onDeaf`, when no connection is taken any more: whoever is answered connects
 * again.
 */
export async function closeServer(
  server: HttpServer,
  connections: Connections,
  onDeaf: () => void,
): Promise<void> {
  await nobodyWaits(server)
  // Not the HTTP server's own close: it would at once end connections that are about to ask.
  const closed = new Promise(resolve => NetServer.prototype.close.call(server, resolve))
  onDeaf()
  await within(ASK_WITHIN_MS, closed)
  // Idle is who has asked and been answered; each answer ends its connection besides.
  server.closeIdleConnections()
  await within(BE_ASKED_WITHIN_MS, closed)
  const deadline = performance.now() + ANSWER_WITHIN_MS - BE_ASKED_WITHIN_MS
  while (connections.anyInHand && performance.now() < deadline) await within(LOOK_EVERY_MS, closed)
  // Left are connections that never finish asking, or never take what they were answered.
  server.closeAllConnections()
  await closed
}

/**
 * Resolves when no connection waits to be taken: closing a listener resets those that do. Node
 * takes one in a turn of its event loop, so a short turn that took none has left none. Clients
 * connect again when they have been answered, so a while without a connection and without an answer
 * makes it likely that none comes before the close.
 */
async function nobodyWaits(server: HttpServer): Promise<void> {
  let quiet_since = performance.now()
  const onSomething = () => {
    quiet_since = performance.now()
  }
  const onRequest = (_: unknown, response: ServerResponse) => response.once('finish', onSomething)
  server.on('connection', onSomething).on('request', onRequest)
  const deadline = performance.now() + NOBODY_WAITS_WITHIN_MS
  for (let began = performance.now(); began < deadline; ) {
    await new Promise(resolve => setImmediate(resolve))
    const now = performance.now()
    if (now - quiet_since > QUIET_MS && now - began < SHORT_TURN_MS) break
    began = now
  }
  server.off('connection', onSomething).off('request', onRequest)
}

/** Resolves with the work or when its time is up, whichever comes first. */
export async function within(
  milliseconds: number,
  work: Promise<unknown> | undefined,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise(resolve => {
    timer = setTimeout(resolve, milliseconds)
  })
  await Promise.race([work, late])
  clearTimeout(timer)
}
