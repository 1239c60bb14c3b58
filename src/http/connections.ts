// Watches the connections of a server. Requests of one connection are answered one after the other,
// and answers that clients have not yet taken are bounded in bytes, for all connections together.
// Knows sockets and answers, not what is asked.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Most unanswered requests of one connection. A client that sends more is not reading answers. */
export const MAX_UNANSWERED = 32

/**
 * Most bytes of answers that clients have not taken. Beyond it, the oldest such answer loses its
 * connection.
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
  /** The unanswered requests of each connection, in order of arrival. */
  readonly #queues = new WeakMap<Socket, Waiting[]>()
  readonly #in_hand = new Set<Socket>()
  readonly #crowded = new WeakSet<Socket>()
  /** In the order in which they were written. */
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

  /** Whether some request is unanswered, or some answer is not taken yet. */
  get anyInHand(): boolean {
    return this.#in_hand.size > 0
  }

  /** Bytes of answers that clients have not yet taken. */
  get unsentBytes(): number {
    return this.#unsent_bytes
  }

  /**
   * Whether the connection of this request has too many unanswered requests. Then no more is read
   * from it.
   */
  isTooMany({ socket }: IncomingMessage): boolean {
    return this.#crowded.has(socket)
  }

  /**
   * Resolves when all earlier requests of the connection are answered: to false when the connection
   * has closed meanwhile, so that nobody waits for the answer.
   */
  turnOf({ socket }: IncomingMessage, answer: ServerResponse): Promise<boolean> | true {
    const queue = this.#queues.get(socket) ?? []
    const mine = queue.find(one => one.answer === answer)
    if (mine === undefined || mine === queue[0]) return true
    return new Promise(resolve => {
      mine.wake = resolve
    })
  }

  /** Counts the bytes of an answer until the client has taken them. */
  sending({ socket }: IncomingMessage, answer: ServerResponse, bytes: number): void {
    if (!this.#in_hand.has(socket)) return
    this.#sent(answer)
    this.#unsent.set(answer, { bytes, socket })
    this.#unsent_bytes += bytes
    for (const oldest of this.#unsent.values()) {
      if (this.#unsent_bytes <= this.#most_bytes) break
      oldest.socket.destroy()
      this.#close(oldest.socket)
    }
  }

  /** False for requests that came in the same bytes as one too many: nobody handles those. */
  #begin({ socket }: IncomingMessage, answer: ServerResponse): boolean {
    if (this.#crowded.has(socket)) return false
    const queue = this.#queues.get(socket)
    if (queue === undefined) {
      this.#queues.set(socket, [{ answer }])
      socket.once('close', () => this.#close(socket))
    } else {
      queue.push({ answer })
    }
    this.#in_hand.add(socket)
    answer.on('close', () => this.#end(socket, answer))
    if (queue !== undefined && queue.length > MAX_UNANSWERED) {
      this.#crowded.add(socket)
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
    if (queue.length === 0) this.#in_hand.delete(socket)
  }

  /** Answers that wait for their turn get no event of their own when the connection closes. */
  #close(socket: Socket): void {
    this.#in_hand.delete(socket)
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
