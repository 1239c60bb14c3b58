// Sends a statement over HTTP. It takes the statement and reads its first page before it answers,
// so that an early failure is an ordinary refusal. It then writes as fast as the client reads, in
// the memory of a few pages, and holds no connection to the database between pages.
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { FairTurns } from '../../../engine/fair.ts'
import type { Reads } from '../../../engine/reads.ts'
import { logOf } from '../../../http/requests.ts'
import { rateLimited, refusal } from '../../../values/errors.ts'
import { csvWriter } from './csv.ts'
import { fileName, MEDIA, type StatementFormat, writerOf } from './formats.ts'
import { FormatTooNarrow, type Statement, type StatementWanted } from './statement.ts'
import { countStatement, findStatement, type InTurn, statementPages } from './store.ts'
import { writeStatement } from './write.ts'

/** The most statements at once, of one process and of one account. */
const MAX_OPEN = 32
const MAX_OPEN_OF_ACCOUNT = 4
/**
 * A client that reads nothing for this long counts as gone. The process sees progress only when the
 * system's send buffer has room again. On a slow connection that may be a megabyte later.
 */
const STALL_MS = 300_000

/** The statements of one process. */
export interface Statements {
  send(reply: FastifyReply, request: StatementRequest): Promise<FastifyReply>
}

export interface Needs extends Pick<Reads, 'reads' | 'inTurn'> {
  readonly config: { readonly read_connections: number }
}

/** The statement to send, and its format. */
export interface StatementRequest {
  readonly format: StatementFormat
  /** The account's name. */
  readonly name: string
  readonly wanted: StatementWanted
}

const opened = new WeakMap<Needs, Statements>()

/** The statements of the process. Made at the first request: openapi.json is written without. */
export function statementsOf(deps: Needs): Statements {
  return opened.getOrInsertComputed(deps, openStatements)
}

function openStatements(deps: Needs): Statements {
  // Statements use half of the read connections. The others stay free for single look-ups.
  const turns = new FairTurns(Math.max(1, Math.floor(deps.config.read_connections / 2)))
  let statements = 0
  const open = new Map<string, number>()
  return {
    async send(reply, request) {
      const { account_id } = request.wanted
      // Each statement is an owner of turns, so it sends one query at a time.
      const owner = String(statements++)
      const inTurn: InTurn = query => turns.run(owner, () => deps.inTurn(account_id, query))
      const release = admit(open, account_id)
      if (release === undefined) {
        throw rateLimited('The account reads too many statements at once; wait until one ends.', 5)
      }
      try {
        const statement = await take(deps, request, inTurn)
        const headers = fileHeaders(request.format, statement)
        // HEAD has no body.
        if (reply.request.method === 'HEAD') return await reply.headers(headers).send()
        const pieces = await begin(deps, request, statement, inTurn)
        // Header, opening balances and the first page.
        const first = [await pieces.next(), await pieces.next(), await pieces.next()]
        const beginning = first.map(({ value }) => value ?? '').join('')
        if (reply.raw.headersSent) {
          // The handler's time-out has answered.
          await pieces.return()
          return reply
        }
        // From here on this function answers, and the handler's time-out is off.
        void reply.hijack()
        const { raw } = reply
        raw.writeHead(200, { ...headersOf(reply), ...headers })
        await sendPieces(raw, beginning, pieces, { encoding: MEDIA[request.format].encoding })
      } catch (error) {
        if (!reply.raw.headersSent) throw refusalOf(error)
        // The answer stays without its end, which every HTTP client detects.
        logOf(reply.request).error({ err: error, account_id }, 'statement broken off')
        reply.raw.destroy()
      } finally {
        release()
      }
      return reply
    },
  }
}

/** Turns a format that cannot hold the figures into a refusal, because another format can. */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof FormatTooNarrow)) return error
  return refusal('invalid_query_parameter', `${error.message}.`, 'format')
}

async function take({ reads }: Needs, { wanted }: StatementRequest, inTurn: InTurn) {
  const statement = await inTurn(() => findStatement(reads, wanted))
  if (statement.from !== null && statement.from >= statement.created_at) {
    throw refusal('invalid_query_parameter', 'The period has not begun.', 'from')
  }
  return statement
}

/** The pieces of the file. Counts the totals first for formats that write them before the lines. */
async function begin(
  { reads }: Needs,
  { format, name }: StatementRequest,
  statement: Statement,
  inTurn: InTurn,
) {
  const pagesOf = (currency?: string) => statementPages(reads, statement, currency, inTurn)
  if (format === 'csv') return writeStatement(statement, csvWriter, pagesOf)
  const expected = await inTurn(() => countStatement(reads, statement))
  return writeStatement(statement, writerOf(format, name, expected), pagesOf, expected)
}

/** The headers for GET and HEAD. The connection closes after the answer, also while draining. */
function fileHeaders(
  format: StatementFormat,
  statement: Statement,
): Readonly<Record<string, string>> {
  return {
    'content-type': MEDIA[format].type,
    'content-disposition': `attachment; filename="${fileName(format, statement)}"`,
    vary: 'accept',
    connection: 'close',
  }
}

function headersOf(reply: FastifyReply): Record<string, string> {
  const entries = Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)])
  return Object.fromEntries(entries)
}

interface Sending {
  readonly stall_ms?: number
  readonly encoding?: 'utf8' | 'latin1'
}

/** Writes pieces as fast as the client reads. Stops when the client is gone or stalls. */
export async function sendPieces(
  raw: ServerResponse,
  beginning: string,
  pieces: AsyncGenerator<string, void>,
  { stall_ms = STALL_MS, encoding = 'utf8' }: Sending = {},
): Promise<void> {
  // The socket's timeout restarts with every byte that the client takes.
  raw.setTimeout(stall_ms, () => raw.destroy())
  try {
    await write(raw, beginning, encoding)
    for await (const piece of pieces) {
      if (raw.destroyed) return
      await write(raw, piece, encoding)
    }
    raw.end()
  } finally {
    await pieces.return()
  }
}

async function write(
  raw: ServerResponse,
  text: string,
  encoding: 'utf8' | 'latin1',
): Promise<void> {
  if (raw.destroyed || text === '' || raw.write(text, encoding)) return
  const waiting = new AbortController()
  const { signal } = waiting
  try {
    await Promise.race([once(raw, 'drain', { signal }), once(raw, 'close', { signal })])
  } finally {
    waiting.abort()
  }
}

/** Counts a statement as open and returns its release; undefined when too many are open. */
function admit(open: Map<string, number>, account_id: string): (() => void) | undefined {
  const of_account = open.get(account_id) ?? 0
  const all = [...open.values()].reduce((sum, count) => sum + count, 0)
  if (of_account >= MAX_OPEN_OF_ACCOUNT || all >= MAX_OPEN) return undefined
  open.set(account_id, of_account + 1)
  return () => {
    const left = (open.get(account_id) ?? 1) - 1
    if (left === 0) open.delete(account_id)
    else open.set(account_id, left)
  }
}

interface Range {
  readonly type: string
  readonly q: number
}

/**
 * Whether an Accept header (RFC 9110, 12.5.1) prefers text/csv to JSON, by weight and then by
 * exactness. False without a header, without a preference, and for other types.
 */
export function prefersCsv(accept: string | undefined): boolean {
  if (accept === undefined) return false
  const ranges = accept.toLowerCase().split(',').map(readRange)
  const csv = weightOf(ranges, 'text', 'csv')
  const json = weightOf(ranges, 'application', 'json')
  if (csv.q === 0) return false
  return csv.q === json.q ? csv.exactness > json.exactness : csv.q > json.q
}

function readRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map(part => part.trim())
  const weight = parameters.map(one => /^q\s*=\s*(\S*)$/.exec(one)?.[1]).find(q => q !== undefined)
  // An invalid weight counts as 0.
  const q = weight === undefined ? 1 : /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? +weight : 0
  return { type, q }
}

/** The weight of the most exact range that matches; 0 without one. */
function weightOf(ranges: readonly Range[], type: string, subtype: string) {
  const patterns = ['*/*', `${type}/*`, `${type}/${subtype}`]
  for (let exactness = patterns.length - 1; exactness >= 0; exactness -= 1) {
    const matching = ranges.filter(range => range.type === patterns[exactness])
    if (matching.length > 0) return { q: Math.max(...matching.map(({ q }) => q)), exactness }
  }
  return { q: 0, exactness: -1 }
}
