// The HTTP side of the connector: checks signatures, answers each path of the protocol, and signs
// every answer. The rule that money depends on is in `take`: an id is one payment, for ever.
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Book, Entry, Order } from './book.ts'
import type { Faults } from './faults.ts'
import { LIMITS, type Provider, referenceOf } from './provider.ts'
import { faultOf, sign } from './signing.ts'

const MAX_BODY_BYTES = 256 * 1024
const ID = /^\/payments\/(pot_[0-9a-z]{20}-[1-9]\d{0,3})(\/cancel|\/answers)?$/

const CAPABILITIES = {
  protocol: '1',
  name: 'Reference connector',
  currencies: Object.entries(LIMITS).map(([currency, { min, max }]) => {
    return { currency, min: String(min), max: String(max) }
  }),
  key_lifetime_s: null,
  cancellation: true,
  answers: true,
}

interface Reply {
  readonly status: number
  readonly body: object
}

interface Asked {
  readonly method: string
  /** What follows the address of the connector. */
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export interface ConnectorOptions {
  readonly secret: string
  readonly book: Book
  readonly provider: Provider
  readonly faults: Faults
}

export function connectorServer(options: ConnectorOptions): Server {
  const server = createServer((request, response) => {
    serve(options, request, response).catch(error => {
      process.stderr.write(`${request.method} ${request.url}: ${error}\n`)
      response.destroy()
    })
  })
  return server
}

async function serve(
  options: ConnectorOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { faults } = options
  const body = await readBody(request)
  const { method = '', url: path = '', headers } = request
  const asked = { method, path, headers, body: body ?? '' }
  if (faults.hits('slow')) await wait(12_000)
  if (method === 'GET' && path !== '/capabilities' && faults.hits('redirects')) {
    response.writeHead(307, { location: '/elsewhere' }).end()
    return
  }
  const reply = body === undefined ? error(413, 'too_large') : await replyTo(options, asked)
  if (faults.hits('drop-answers')) {
    response.destroy()
    return
  }
  if (reply.status === 404 && faults.hits('html-errors')) {
    response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not found</h1>')
    return
  }
  send(options, response, String(headers['webhook-id'] ?? randomUUID()), reply)
}

/** Every answer is signed, with the id of its request: nobody on the way can change or replay it. */
function send(
  { secret, faults }: ConnectorOptions,
  response: ServerResponse,
  id: string,
  { status, body }: Reply,
): void {
  const text = JSON.stringify(body)
  const now_s = Math.floor(Date.now() / 1000)
  const isUnsigned =
    faults.hits('answers-unsigned') || (status >= 400 && faults.hits('errors-unsigned'))
  response.writeHead(status, {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(now_s),
    ...(!isUnsigned && { 'webhook-signature': sign(secret, id, now_s, `${status}\n${text}`) }),
  })
  response.end(text)
}

async function replyTo(options: ConnectorOptions, asked: Asked): Promise<Reply> {
  const { book, provider, faults } = options
  if (!isBelieved(options, asked)) return error(401, 'wrong_signature')
  if (faults.hits('errors-500')) return error(500, 'internal')
  const { method, path } = asked
  if (path === '/capabilities' && method === 'GET') return { status: 200, body: CAPABILITIES }
  const [, id, action] = ID.exec(path) ?? []
  if (id === undefined) return error(404, 'unknown_path')
  if (method === 'PUT' && action === undefined) return take(options, id, asked.body)
  const entry = book.entries.get(id)
  if (entry === undefined) {
    if (faults.hits('unknown-as-empty')) return { status: 200, body: { id, steps: [] } }
    return error(404, 'unknown_payment', id)
  }
  if (method === 'GET' && action === undefined) {
    return faults.hits('known-as-404') ? error(404, 'unknown_payment', id) : shown(options, entry)
  }
  if (method === 'POST' && action === '/cancel') {
    provider.cancel(entry)
    return shown(options, entry)
  }
  if (method === 'POST' && action === '/answers') return takeAnswers(options, entry, asked.body)
  return error(405, 'method_not_allowed')
}

function isBelieved({ secret, faults }: ConnectorOptions, asked: Asked): boolean {
  const { method, path, headers, body } = asked
  const text = (name: string) => headers[name]?.toString()
  const signature = {
    id: text('webhook-id'),
    time: text('webhook-timestamp'),
    signatures: text('webhook-signature'),
  }
  const now_s = Math.floor(Date.now() / 1000)
  const fault = faultOf(secret, signature, `${method} ${path}\n${body}`, now_s)
  if (fault === 'missing') return faults.hits('unsigned-believed')
  if (fault === 'wrong') return faults.hits('any-signature-believed')
  if (fault === 'old') return faults.hits('old-believed')
  return fault === undefined
}

/** Takes a payment once. The same id and body get the same answer; another body is refused. */
async function take(options: ConnectorOptions, id: string, body: string): Promise<Reply> {
  const { book, provider, faults } = options
  const order = readOrder(body, faults)
  if (order === undefined) return error(400, 'invalid_order', id)
  const known = book.entries.get(id)
  const isSame = known !== undefined && isSameOrder(known.order, order, faults)
  if (known !== undefined && !isSame) return error(409, 'other_body', id)
  const isAgain = known !== undefined && faults.hits('pays-again')
  if (known !== undefined && !isAgain) {
    // Its first order may have had no answer because the disk was full.
    await book.keep(known)
    provider.pay(known)
    return shown(options, known)
  }
  const isRacing = faults.hits('races')
  if (isRacing) await wait(50)
  const again = isAgain || isRacing ? `-${randomUUID()}` : ''
  // In memory before the first wait: a second request with this id finds it.
  const entry = book.add(id, order, referenceOf(id) + again, [provider.judge(order)])
  await book.keep(entry)
  provider.pay(entry)
  if (faults.hits('forgets-keys')) setTimeout(() => book.entries.delete(id), 2_000).unref()
  return shown(options, entry)
}

async function takeAnswers(options: ConnectorOptions, entry: Entry, body: string): Promise<Reply> {
  const { book, provider, faults } = options
  const { answers } = readJson(body) as { answers?: readonly { number: number }[] }
  if (!Array.isArray(answers) || answers.length === 0) return error(400, 'invalid_answers')
  const highest = Math.max(...answers.map(({ number }) => number))
  if (highest > entry.answers_seen || faults.hits('answers-twice')) {
    // Here a real connector hands the answers to its provider.
    const isAgain = highest <= entry.answers_seen
    book.addAnswers(entry, isAgain ? entry.answers_seen + 1 : highest)
    provider.pay(entry)
  }
  return shown(options, entry)
}

/** The payment as it is on disk. */
async function shown({ book, faults }: ConnectorOptions, entry: Entry): Promise<Reply> {
  await book.keep(entry)
  const { id, order, reference, answers_seen } = entry
  const { amount: ordered, currency } = order
  const amount = faults.hits('other-amount') ? String(BigInt(ordered) - 1n) : ordered
  let steps = [...entry.steps]
  if (faults.hits('steps-reordered')) steps.reverse()
  if (faults.hits('steps-rewritten')) {
    steps = steps.slice(-1).map(step => ({ ...step, number: 1 }))
  }
  return { status: 200, body: { id, amount, currency, reference, steps, answers_seen } }
}

const MEMBERS = [
  'payout',
  'account',
  'attempt',
  'uetr',
  'type',
  'amount',
  'currency',
  'network',
  'charge_type',
  'purpose',
  'transaction_description',
  'reference_id',
  'creditor_reference',
  'ultimate_debtor',
  'beneficiary',
  'created_at',
]

/** The order; undefined when this connector cannot read it. Passes over members it does not know. */
function readOrder(body: string, faults: Faults): Order | undefined {
  const order = readJson(body)
  const { amount, currency, beneficiary } = order as Partial<Order>
  // Text, never a number: JSON.parse rounds numbers above 2^53.
  if (typeof amount !== 'string' || !/^[1-9]\d{0,18}$/.test(amount)) return undefined
  if (typeof currency !== 'string' || typeof beneficiary !== 'object' || beneficiary === null)
    return undefined
  const isKnown = Object.keys(order).every(name => MEMBERS.includes(name))
  if (!isKnown && faults.hits('strict-orders')) return undefined
  const read = faults.hits('float-amounts') ? String(BigInt(Number(amount))) : amount
  return { ...order, amount: read } as Order
}

function isSameOrder(known: Order, order: Order, faults: Faults): boolean {
  const compared = { ...order }
  if (faults.hits('amount-not-compared')) compared.amount = known.amount
  if (faults.hits('beneficiary-not-compared')) compared.beneficiary = known.beneficiary
  if (faults.hits('account-not-compared')) {
    const { destination_details } = known.beneficiary
    compared.beneficiary = { ...order.beneficiary, destination_details }
  }
  return sorted(compared) === sorted(known)
}

/** JSON with the members of its objects in order: white space and order make no difference. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_name, inner) => {
    const isObject = typeof inner === 'object' && inner !== null && !Array.isArray(inner)
    return isObject
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner
  })
}

function readJson(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

/** Undefined when it is too long. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of request) {
    bytes += part.length
    if (bytes > MAX_BODY_BYTES) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

function error(status: number, code: string, id?: string): Reply {
  return {
    status,
    body: { code, message: code.replaceAll('_', ' '), ...(id !== undefined && { id }) },
  }
}
