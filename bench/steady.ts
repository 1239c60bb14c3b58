// Sends requests at a constant rate from another process, without waiting for earlier answers, and
// times each from the moment it was due: a stall of the service shows in every request that falls
// due during it. As a program, it reads a SteadyLoad as JSON and prints a SteadyAnswer.
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { NUMBER_DIGITS } from './load.ts'

const run = promisify(execFile)

interface SteadyLoad {
  /** The service's URLs, used in turn. `#existing#` is drawn for each request, as in a Load. */
  readonly urls: readonly string[]
  /** The highest number for `#existing#`. */
  readonly existing_to?: number
  /**
   * The requests, sent in turn: by POST, each time with a new Idempotency-Key, or without a body by
   * GET.
   */
  readonly requests: readonly SteadyRequest[]
  readonly per_second: number
  readonly seconds: number
}

export interface SteadyRequest {
  readonly authorization: string
  readonly body?: string | undefined
}

export interface SteadyResult {
  readonly requests: number
  readonly per_second: number
  /** Latencies from the due time of a request to the end of its answer. */
  readonly p50_ms: number
  readonly p99_ms: number
  readonly max_ms: number
  /** The lateness of the sender itself, which the latencies include. */
  readonly sender_p99_ms: number
}

interface SteadyAnswer extends SteadyResult {
  /** Answers that are not 2xx, and requests that have none. */
  readonly failures: number
}

/** Waits for all answers; throws when one of them is not 2xx. */
export async function sendSteadily(load: SteadyLoad): Promise<SteadyResult> {
  const ended = run(process.execPath, [import.meta.filename])
  ended.child.stdin?.end(JSON.stringify(load))
  const { failures, ...result }: SteadyAnswer = JSON.parse((await ended).stdout)
  if (failures > 0) throw new Error(`${failures} of ${result.requests} requests failed`)
  return result
}

/** The most open connections to one address; further requests wait. */
const MAX_CONNECTIONS = 512
/** Connections that open before the first request is due. */
const FIRST_CONNECTIONS = 32
const CONNECTING_MS = 500
/** How long the last answers may take. */
const PATIENCE_MS = 10_000

/** One address, with its open connections and waiting requests. */
class Destination {
  readonly #url: URL
  readonly #existing_to: number
  readonly #onAnswer: (due: number, status: number) => void
  readonly #free: Socket[] = []
  readonly #waiting: { readonly due: number; readonly request: string }[] = []
  readonly #due = new Map<Socket, number>()
  #open = 0

  constructor(url: string, existing_to: number, onAnswer: (due: number, status: number) => void) {
    this.#url = new URL(url)
    this.#existing_to = existing_to
    this.#onAnswer = onAnswer
    for (let i = 0; i < FIRST_CONNECTIONS; i++) this.#connect()
  }

  /** Sends a request that is due at this time of performance.now(). */
  send(due: number, { authorization, body }: SteadyRequest): void {
    const { host, href, origin } = this.#url
    const path = fillPath(href.slice(origin.length), this.#existing_to)
    const head = ` ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${authorization}\r\n`
    const request =
      body === undefined
        ? `GET${head}\r\n`
        : `POST${head}Content-Type: application/json\r\nIdempotency-Key: ${randomUUID()}\r\n` +
          `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
    this.#waiting.push({ due, request })
    if (this.#free.length === 0 && this.#open < MAX_CONNECTIONS) this.#connect()
    this.#sendWaiting()
  }

  close(): void {
    for (const socket of [...this.#free, ...this.#due.keys()]) socket.destroy()
  }

  #sendWaiting(): void {
    while (this.#waiting.length > 0) {
      const socket = this.#free.pop()
      if (socket === undefined) return
      const { due, request } = this.#waiting.shift() as { due: number; request: string }
      this.#due.set(socket, due)
      socket.write(request)
    }
  }

  #connect(): void {
    const socket = connect({ host: this.#url.hostname, port: Number(this.#url.port) })
    this.#open += 1
    let received = ''
    const ready = () => {
      this.#free.push(socket)
      this.#sendWaiting()
    }
    // Latin-1 makes each byte one character, so that lengths match content-length.
    socket.setNoDelay(true).setEncoding('latin1')
    socket.on('connect', ready)
    socket.on('data', (chunk: string) => {
      // Data without a request comes from a service that closes an unused connection.
      if (!this.#due.has(socket)) return void socket.destroy()
      received += chunk
      const status = statusOf(received)
      if (status === undefined) return
      received = ''
      this.#answered(socket, status)
      ready()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      this.#open -= 1
      const place = this.#free.indexOf(socket)
      if (place !== -1) this.#free.splice(place, 1)
      this.#answered(socket, 0)
    })
  }

  #answered(socket: Socket, status: number): void {
    const due = this.#due.get(socket)
    if (due === undefined) return
    this.#due.delete(socket)
    this.#onAnswer(due, status)
  }
}

function fillPath(path: string, existing_to: number): string {
  const number = String(1 + Math.floor(Math.random() * existing_to))
  return path.replace('#existing#', number.padStart(NUMBER_DIGITS, '0'))
}

/** The status of a complete answer; undefined for a partial one. */
function statusOf(received: string): number | undefined {
  const head = received.indexOf('\r\n\r\n')
  if (head === -1) return undefined
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(received.slice(0, head + 2))?.[1]
  if (length === undefined) throw new Error(`an answer without a length: ${received}`)
  if (received.length < head + 4 + Number(length)) return undefined
  return Number(received.slice(9, 12))
}

async function main(): Promise<void> {
  const load: SteadyLoad = JSON.parse(await text(process.stdin))
  const { urls, existing_to = 1, requests, per_second, seconds } = load
  const count = Math.round(per_second * seconds)
  const latencies: number[] = []
  const lateness: number[] = []
  const all = Promise.withResolvers<void>()
  let failures = 0
  const onAnswer = (due: number, status: number) => {
    latencies.push(performance.now() - due)
    if (status < 200 || status > 299) failures += 1
    if (latencies.length === count) all.resolve()
  }
  const destinations = urls.map(url => new Destination(url, existing_to, onAnswer))
  const start = performance.now() + CONNECTING_MS
  const dueAt = (n: number) => start + (n / per_second) * 1000
  for (let sent = 0; sent < count; ) {
    const now = performance.now()
    for (; sent < count && dueAt(sent) <= now; sent++) {
      lateness.push(now - dueAt(sent))
      const request = requests[sent % requests.length] as SteadyRequest
      destinations[sent % destinations.length]?.send(dueAt(sent), request)
    }
    await delay(1)
  }
  const giveUp = setTimeout(all.resolve, PATIENCE_MS)
  await all.promise
  clearTimeout(giveUp)
  const ended = performance.now()
  for (const destination of destinations) destination.close()
  const answer: SteadyAnswer = {
    requests: count,
    per_second: latencies.length / ((ended - start) / 1000),
    ...percentilesOf(latencies),
    sender_p99_ms: percentilesOf(lateness).p99_ms,
    failures: failures + count - latencies.length,
  }
  process.stdout.write(JSON.stringify(answer))
}

function percentilesOf(values: readonly number[]) {
  const sorted = Float64Array.from(values).sort()
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN
  return { p50_ms: at(0.5), p99_ms: at(0.99), max_ms: at(1) }
}

if (import.meta.main) await main()
