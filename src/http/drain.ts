// Closes an HTTP server without resetting a connection. Knows sockets and the event loop, but not
// what the server serves.
import type { Server as HttpServer, ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { nextTurn, waitAtMost } from '../turns.ts'
import type { Connections } from './connections.ts'

/**
 * How long a connection that was accepted just before the listener closed may take to send its
 * request.
 */
const ASK_WITHIN_MS = 500
/** How long a request that has begun to arrive may take to arrive whole. */
const BE_ASKED_WITHIN_MS = 5_000
/**
 * Longer than any request stays unanswered: a batch may take 13 seconds to arrive and 30 to be
 * written. A statement that its client has not read by then breaks off.
 */
const ANSWER_WITHIN_MS = 60_000
const LOOK_EVERY_MS = 100
const NOBODY_WAITS_WITHIN_MS = 2_000
/** Longer than a client on a busy machine needs to connect again after an answer. */
const QUIET_MS = 250
const SHORT_TURN_MS = 0.05

/**
 * Answers every accepted connection, then resolves with none left. `onDeaf` is called when no new
 * connection is accepted any more. Answer no new request before it: a client that is answered
 * connects again.
 */
export async function closeServer(
  server: HttpServer,
  connections: Connections,
  onDeaf: () => void,
): Promise<void> {
  await nobodyWaits(server)
  // The close of the HTTP server would at once end connections that are about to send a request.
  const closed = new Promise(resolve => NetServer.prototype.close.call(server, resolve))
  onDeaf()
  await waitAtMost(ASK_WITHIN_MS, closed)
  // A connection is idle once it has been answered; each answer closes its connection as well.
  server.closeIdleConnections()
  await waitAtMost(BE_ASKED_WITHIN_MS, closed)
  const deadline = performance.now() + ANSWER_WITHIN_MS - BE_ASKED_WITHIN_MS
  while (connections.anyInHand && performance.now() < deadline)
    await waitAtMost(LOOK_EVERY_MS, closed)
  // The connections that are left never finish their request, or never read their answer.
  server.closeAllConnections()
  await closed
}

/**
 * Resolves when no connection waits to be accepted: closing a listener resets those that do. Node
 * accepts one connection in a turn of its event loop. So after a short turn without one, none
 * waits. Clients connect again after an answer, so after a while without connection and answer it
 * is likely that none comes before the close.
 */
async function nobodyWaits(server: HttpServer): Promise<void> {
  let quiet_since = performance.now()
  const onSomething = () => {
    quiet_since = performance.now()
  }
  const onRequest = (_: unknown, response: ServerResponse) => response.once('finish', onSomething)
  server.on('connection', onSomething).on('request', onRequest)
  const deadline = performance.now() + NOBODY_WAITS_WITHIN_MS
  for (let began = performance.now(); began < deadline; began = performance.now()) {
    const quiet_ms = began - quiet_since
    if (quiet_ms <= QUIET_MS) await delay(QUIET_MS - quiet_ms + 1)
    else {
      await nextTurn()
      const now = performance.now()
      if (now - quiet_since > QUIET_MS && now - began < SHORT_TURN_MS) break
    }
  }
  server.off('connection', onSomething).off('request', onRequest)
}
