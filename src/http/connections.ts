// What the connections of a server owe their clients: requests in hand, answered one after the
// other on each connection, and answers that no client has taken yet, which are bounded for all
// together. It knows sockets and answers, nothing of what is asked.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Requests on one connection whose answers are not sent; whoever sends more does not read. */
export const MAX_UNANSWERED = 32

/** All answers that are not taken; beyond it, who has not taken theirs for longest is cut off. */
const MAX_UNSENT_BYTES = 64 * 1024 * 1024

/** A client that has taken nothing of its answer for so long is gone. */
export const STALLED_MS = 120_000

interface Waiting {
  readonly answer: ServerResponse
  /** Told when its turn has come, or that its client has gone. */
  wake?: (isOpen: boolean) => void
}

export class Connections {
  /** Of each connection its requests that are not answered, in the order in which they came. */
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

  /** Requests are known before whatever answers them looks at them. */
  watch(server: Server): void {
    const listeners = server.listeners('request')
    server.removeAllListeners('request')
    server.on('request', (request, answer) => {
      if (!this.#begin(request, answer)) return
      for (const listener of listeners) listener.call(server, request, answer)
    })
  }

  /** Whether there is a request that is not answered, or whose answer is not taken. */
  get anyInHand(): boolean {
    return this.#in_hand.size > 0
  }

  /** Bytes of answers that no client has taken. */
  get unsentBytes(): number {
    return this.#unsent_bytes
  }

  /** Whether this request is one too many of its connection, which is read no further. */
  isTooMany({ socket }: IncomingMessage): boolean {
    return this.#crowded.has(socket)
  }

  /**
   * Resolves when all requests before this one on its connection are answered: to false when the
   * connection was closed meanwhile, and nobody waits for an answer any more.
   */
  turnOf({ socket }: IncomingMessage, answer: ServerResponse): Promise<boolean> | true {
    const queue = this.#queues.get(socket) ?? []
    const mine = queue.find(one => one.answer === answer)
    if (mine === undefined || mine === queue[0]) return true
    return new Promise(resolve => {
      mine.wake = resolve
    })
  }

  /** Counts an answer until it is taken. */
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

  /** False when nobody is to look at the request: hundreds come in one piece of a connection. */
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
    answer.once('close', () => this.#end(socket, answer))
    if (queue !== undefined && queue.length > MAX_UNANSWERED) {
      this.#crowded.add(socket)
      socket.pause()
    }
    return true
  }

  #end(socket: Socket, answer: ServerResponse): void {
    this.#sent(answer)
    // The first answer of a closed connection learns of it before the connection itself.
    if (socket.destroyed) this.#close(socket)
    const queue = this.#queues.get(socket) ?? []
    const place = queue.findIndex(one => one.answer === answer)
    if (place !== -1) queue.splice(place, 1)
    queue[0]?.wake?.(true)
    if (queue.length === 0) this.#in_hand.delete(socket)
  }

  /** An answer that waits for its turn on the connection does not learn that this was closed. */
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
