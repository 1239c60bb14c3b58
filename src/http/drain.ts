// Closes an HTTP server without resetting a connection. Knows sockets and the event loop, but not
// what the server serves.
import type { Server as HttpServer, ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { nextTurn, waitAtMost } from '../values/event-loop.ts'
import type { Connections } from './connections.ts'

/** How long a connection accepted just before the listener closed may take to send a request. */
const REQUEST_WITHIN_MS = 500
/** How long a request that has begun to arrive may take to arrive completely. */
const ARRIVE_WITHIN_MS = 5_000
/**
 * Longer than any request stays unanswered: a payout batch may take 13 seconds to arrive and 30 to
 * be written. An account statement that its client has not read by then breaks off.
 */
const ANSWER_WITHIN_MS = 60_000
const CHECK_EVERY_MS = 100
const QUIET_WITHIN_MS = 2_000
/** Longer than a client on a busy machine needs to connect again after an answer. */
const QUIET_MS = 250
/** A turn of the event loop this short has accepted no connection. */
const SHORT_TURN_MS = 0.05

/**
 * Answers every accepted connection, then resolves with none left. Calls `onListenerClosed` when it
 * accepts no new connection any more. Until then, answer no new request: an answered client
 * connects again.
 */
export async function closeServer(
  server: HttpServer,
  connections: Connections,
  onListenerClosed: () => void,
): Promise<void> {
  await quietMoment(server)
  // HttpServer's own close would at once end connections that are about to send a request.
  const closed = new Promise(resolve => NetServer.prototype.close.call(server, resolve))
  onListenerClosed()
  await waitAtMost(REQUEST_WITHIN_MS, closed)
  // A connection is idle after its answer; each answer closes its connection as well.
  server.closeIdleConnections()
  await waitAtMost(ARRIVE_WITHIN_MS, closed)
  const deadline = performance.now() + ANSWER_WITHIN_MS - ARRIVE_WITHIN_MS
  while (connections.isBusy && performance.now() < deadline)
    await waitAtMost(CHECK_EVERY_MS, closed)
  // The remaining clients never finish their request, or never read their answer.
  server.closeAllConnections()
  await closed
}

/**
 * Resolves when no connection waits to be accepted, because closing a listener resets waiting
 * connections. Node accepts one connection in a turn of its event loop: after a short turn without
 * one, none waits. Clients connect again after an answer: after QUIET_MS without a connection or an
 * answer, probably none comes before the close.
 */
async function quietMoment(server: HttpServer): Promise<void> {
  let quiet_since = performance.now()
  const onActivity = () => {
    quiet_since = performance.now()
  }
  const onRequest = (_: unknown, response: ServerResponse) => response.once('finish', onActivity)
  server.on('connection', onActivity).on('request', onRequest)
  const deadline = performance.now() + QUIET_WITHIN_MS
  for (let began = performance.now(); began < deadline; began = performance.now()) {
    const quiet_ms = began - quiet_since
    if (quiet_ms <= QUIET_MS) await delay(QUIET_MS - quiet_ms + 1)
    else {
      await nextTurn()
      const now = performance.now()
      if (now - quiet_since > QUIET_MS && now - began < SHORT_TURN_MS) break
    }
  }
  server.off('connection', onActivity).off('request', onRequest)
}
