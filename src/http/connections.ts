// Watches the connections of a server. Requests of one connection are answered one after the other.
// The answers that clients have not yet read are bounded in bytes, for all connections together.
// Knows sockets and answers, but not the content of requests.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Most unanswered requests of one connection. A client that sends more is not reading answers. */
export const MAX_UNANSWERED = 32

/**
 * The most bytes of answers that clients have not read. Beyond it, the connection of the oldest
 * unread answer is closed.
 */
const MAX_UNSENT_BYTES = 64 * 1024 * 1024

/** A client that reads nothing for this long is considered gone. */
export const STALLED_MS = 120_000

interface Waiting {
  readonly answer: ServerResponse
  /** Called with true when its turn has come, with false when its client has gone. */
  wake?: (isOpen: boolean) => void
}

export class Connections {
  /** The unanswered requests of each open connection, in order of arrival. */
  readonly #queues = new Map<Socket, Waiting[]>()
  /** Connections with a request that is not answered, or an answer that is not read. */
  readonly #busy = new Set<Socket>()
  readonly #overfull = new WeakSet<Socket>()
  /** Unread answers, in the order in which they were written. */
  readonly #unsent = new Map<ServerResponse, { readonly bytes: number; readonly socket: Socket }>()
  readonly #most_bytes: number
  #unsent_bytes = 0

  constructor(most_bytes = MAX_UNSENT_BYTES) {
    this.#most_bytes = most_bytes
  }

  /** Puts this in front of the request listeners of the server, so that it sees requests first. */
  watch(server: Server): void {
    const listeners = server.listeners('request')
    server.removeAllListeners('request')
    server.on('request', (request, answer) => {
      if (!this.#begin(request, answer)) return
      for (const listener of listeners) listener.call(server, request, answer)
    })
  }

  /** Whether some request is not answered yet, or some answer not read. */
  get isBusy(): boolean {
    return this.#busy.size > 0
  }

  /** Bytes of answers that clients have not yet read. */
  get unsentBytes(): number {
    return this.#unsent_bytes
  }

  /** Whether the request's connection has too many unanswered requests: it is no longer read. */
  isOverfull({ socket }: IncomingMessage): boolean {
    return this.#overfull.has(socket)
  }

  /**
   * Resolves to true when all earlier requests of the connection are answered, and to false when
   * the connection has closed meanwhile: no client waits for the answer then.
   */
  turnOf({ socket }: IncomingMessage, answer: ServerResponse): Promise<boolean> | true {
    const queue = this.#queues.get(socket) ?? []
    const mine = queue.find(one => one.answer === answer)
    if (mine === undefined || mine === queue[0]) return true
    return new Promise(resolve => {
      mine.wake = resolve
    })
  }

  /** Counts the bytes of an answer until the client has read them. */
  countUnsent({ socket }: IncomingMessage, answer: ServerResponse, bytes: number): void {
    if (!this.#busy.has(socket)) return
    this.#sent(answer)
    this.#unsent.set(answer, { bytes, socket })
    this.#unsent_bytes += bytes
    for (const oldest of this.#unsent.values()) {
      if (this.#unsent_bytes <= this.#most_bytes) break
      oldest.socket.destroy()
      this.#close(oldest.socket)
    }
  }

  /** False for a request that came together with one too many: it gets no answer. */
  #begin({ socket }: IncomingMessage, answer: ServerResponse): boolean {
    if (this.#overfull.has(socket) || socket.destroyed) return false
    const queue = this.#queues.get(socket)
    if (queue === undefined) {
      this.#queues.set(socket, [{ answer }])
      socket.once('close', () => {
        this.#close(socket)
        this.#queues.delete(socket)
      })
    } else {
      queue.push({ answer })
    }
    this.#busy.add(socket)
    answer.on('close', () => this.#end(socket, answer))
    if (queue !== undefined && queue.length > MAX_UNANSWERED) {
      this.#overfull.add(socket)
      socket.pause()
    }
    return true
  }

  #end(socket: Socket, answer: ServerResponse): void {
    this.#sent(answer)
    // The first answer of a closed connection gets its event before the connection does.
    if (socket.destroyed) this.#close(socket)
    const queue = this.#queues.get(socket) ?? []
    const place = queue.findIndex(one => one.answer === answer)
    if (place !== -1) queue.splice(place, 1)
    queue[0]?.wake?.(true)
    if (queue.length === 0) this.#busy.delete(socket)
  }

  /** Answers that wait for their turn get no event of their own when the connection closes. */
  #close(socket: Socket): void {
    this.#busy.delete(socket)
    for (const { answer, wake } of this.#queues.get(socket)?.splice(0) ?? []) {
      this.#sent(answer)
      wake?.(false)
    }
  }

  #sent(answer: ServerResponse): void {
    this.#unsent_bytes -= this.#unsent.get(answer)?.bytes ?? 0
    this.#unsent.delete(answer)
  }
}
