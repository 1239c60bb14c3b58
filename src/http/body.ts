// Reads the body of a request from its socket. Checks the headers of a body before it reads bytes.
// The body's memory counts against a budget until the request is answered. Long bodies are parsed
// in turns. This file knows bytes and their account; json.ts parses them.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { CATALOGUE, type Refusal, refusal } from '../values/errors.ts'
import { MAX_BODY_BYTES, readJson, readJsonInTurns } from './json.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Node's response, which takes the answer. */
    answer: ServerResponse
  }
}

type Done = (error: Error | null, value?: unknown) => void
type Received = (error: Error | null, pieces: readonly Buffer[]) => void

const MiB = 1024 * 1024

/** A body up to this size does not count, so that small requests pass whatever others send. */
const UNCOUNTED_BYTES = 16 * 1024

/** The most bytes of bodies in memory, for all callers and for each: ordinary, then long bodies. */
const MAX_BODIES = { all: 32 * MiB, each: 16 * MiB }
export const MAX_LONG_BODIES = { all: 64 * MiB, each: 32 * MiB }

/** Bytes are copied into blocks of this size, because a client may send them one by one. */
const BLOCK_BYTES = 64 * 1024

/** Registers the reader of JSON bodies, and refuses every other content type. */
export function readBodies(app: FastifyInstance): void {
  const ordinary = new MemoryBudget(MAX_BODIES)
  const long = new MemoryBudget(MAX_LONG_BODIES)
  app.decorateRequest('answer')
  app.addHook('onRequest', (request, reply, done) => {
    request.answer = reply.raw
    done()
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', (request, payload, done: Done) => {
    // A public route takes no body.
    if (request.routeOptions.config.scope === undefined) return done(null)
    const isLong = request.routeOptions.bodyLimit > MAX_BODY_BYTES
    const read: Received = (error, pieces) => {
      if (error !== null) done(error)
      else if (isLong) readJsonInTurns(pieces).then(value => done(null, value), done)
      else readAtOnce(request, pieces, done)
    }
    receive(request, payload, isLong ? long : ordinary, read)
  })
}

/** Refuses (415) a content encoding, and a charset other than UTF-8. */
export function checkBodyHeaders({ method, headers }: FastifyRequest): void {
  // No route reads the body of these methods.
  if (method === 'GET' || method === 'HEAD') return
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    throw refusal('unsupported_media_type', 'Send the body without Content-Encoding.')
  }
  // RFC 8259: JSON on the wire is UTF-8.
  const charsets = (headers['content-type'] ?? '').matchAll(/;\s*charset\s*(?:=\s*([^;]*))?/gi)
  for (const [, charset = ''] of charsets) {
    if (/^("utf-?8"|utf-?8)\s*$/i.test(charset)) continue
    throw refusal('unsupported_media_type', 'JSON is read as UTF-8 only.')
  }
}

function readAtOnce(request: FastifyRequest, pieces: readonly Buffer[], done: Done): void {
  const [first] = pieces
  const body = pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces)
  const none = body.length === 0 && request.routeOptions.config.optionalBody === true
  try {
    done(null, none ? undefined : readJson(body))
  } catch (error) {
    done(error as Error)
  }
}

/** Collects the bytes of a body while the budget has room for them. */
function receive(
  request: FastifyRequest,
  payload: IncomingMessage,
  budget: MemoryBudget,
  done: Received,
): void {
  const limit = request.routeOptions.bodyLimit
  const announced = Number(request.headers['content-length'] ?? Number.NaN)
  const blocks = new Blocks(announced)
  let reservation: Reservation | undefined
  const reserve = (bytes: number) => {
    if (bytes <= UNCOUNTED_BYTES) return true
    reservation ??= openReservation(budget, request)
    return reservation.grow(bytes)
  }
  const malformed = () => end(refusal('invalid_request', CATALOGUE.invalid_request.meaning))
  const end = (error: Error | null) => {
    payload.off('data', take).off('end', finish).off('error', malformed)
    done(error, blocks.pieces)
  }
  const take = (bytes: Buffer) => {
    blocks.add(bytes)
    if (blocks.length > limit) end(tooLarge(limit))
    else if (!reserve(blocks.length)) end(noRoom())
  }
  const finish = () => {
    if (Number.isNaN(announced) || announced === blocks.length) end(null)
    else malformed()
  }
  const { caller } = request
  if (announced > limit) end(tooLarge(limit))
  else if (announced > UNCOUNTED_BYTES && !budget.wouldFit(caller, announced)) end(noRoom())
  else payload.on('data', take).on('end', finish).on('error', malformed).resume()
}

function openReservation(
  budget: MemoryBudget,
  { caller, answer, raw: { socket } }: FastifyRequest,
): Reservation {
  const reservation = budget.open(caller)
  const release = () => {
    socket.off('close', release)
    answer.off('close', release)
    reservation.release()
  }
  // An answer that waits for its turn on a connection gets no event when the connection closes.
  socket.once('close', release)
  answer.once('close', release)
  return reservation
}

function tooLarge(limit: number): Refusal {
  const KiB = limit / 1024
  const name = KiB < 1024 ? `${KiB} KiB` : `${KiB / 1024} MiB`
  return refusal('payload_too_large', `The body is over ${name}.`)
}

function noRoom(): Refusal {
  const message = 'The service reads too many long requests now; nothing was written. Try again.'
  return refusal('service_unavailable', message)
}

/** Collects bytes in blocks as they arrive. */
class Blocks {
  length = 0
  readonly #blocks: Buffer[] = []
  readonly #announced: number
  #used = 0

  constructor(announced: number) {
    this.#announced = announced
  }

  get pieces(): readonly Buffer[] {
    const last = this.#blocks.at(-1)
    return last === undefined ? [] : [...this.#blocks.slice(0, -1), last.subarray(0, this.#used)]
  }

  /** Copies the bytes: Node reuses its buffer, and a slice would keep all of that buffer alive. */
  add(bytes: Buffer): void {
    for (let rest = bytes; rest.length > 0; ) {
      const last = this.#blocks.at(-1)
      if (last === undefined || this.#used === last.length) {
        const left = this.#announced - this.length
        const size = left > 0 ? Math.min(left, BLOCK_BYTES) : Math.max(rest.length, BLOCK_BYTES)
        this.#blocks.push(Buffer.allocUnsafe(size))
        this.#used = 0
        continue
      }
      const copied = rest.copy(last, this.#used)
      this.#used += copied
      this.length += copied
      rest = rest.subarray(copied)
    }
  }
}

/** The bounds of a budget, in bytes. */
interface BudgetSize {
  /** For all callers together. */
  readonly all: number
  /** For one caller. */
  readonly each: number
}

/** The part of a budget that one body takes. */
export interface Reservation {
  /** Reserves this many bytes in total. False, with nothing changed, when they do not fit. */
  grow(to: number): boolean
  /** Returns all bytes to the budget. A second call has no effect. */
  release(): void
}

/** Counts the reserved bytes, in total and by caller. */
export class MemoryBudget {
  readonly #size: BudgetSize
  readonly #reserved = new Map<string, number>()
  #all = 0

  constructor(size: BudgetSize) {
    this.#size = size
  }

  /** Whether this many more bytes fit for the caller now. */
  wouldFit(caller: string, more: number): boolean {
    const { all, each } = this.#size
    return this.#all + more <= all && (this.#reserved.get(caller) ?? 0) + more <= each
  }

  open(caller: string): Reservation {
    let size = 0
    return {
      grow: to => {
        if (!this.wouldFit(caller, to - size)) return false
        this.#add(caller, to - size)
        size = to
        return true
      },
      release: () => {
        this.#add(caller, -size)
        size = 0
      },
    }
  }

  #add(caller: string, bytes: number): void {
    const reserved = (this.#reserved.get(caller) ?? 0) + bytes
    this.#all += bytes
    if (reserved === 0) this.#reserved.delete(caller)
    else this.#reserved.set(caller, reserved)
  }
}
