// A statement over HTTP. It is taken and begun before the answer, so that an early failure is an
// ordinary refusal. It is then written as fast as the client reads, in the memory of a few pages,
// and holds no connection to the database between pages.

import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { FairTurns } from '../../engine/fair.ts'
import type { Reads } from '../../engine/reads.ts'
import { rateLimited, refusal } from '../../errors.ts'
import { csvWriter } from './csv.ts'
import { MEDIA, type StatementFormat, writerOf } from './formats.ts'
import { FormatTooNarrow, type StatementWanted } from './statement.ts'
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
  send(reply: FastifyReply, period: Period): Promise<FastifyReply>
}

export interface Needs extends Pick<Reads, 'reads' | 'inTurn'> {
  readonly config: { readonly read_connections: number }
}

/** What is sent, and for whom. */
export interface Period {
  readonly format: StatementFormat
  /** The account's name. */
  readonly name: string
  readonly wanted: StatementWanted
}

const opened = new WeakMap<Needs, Statements>()

/** The statements of the process, made at the first request: writing openapi.json needs none. */
export function statementsOf(deps: Needs): Statements {
  return opened.getOrInsertComputed(deps, openStatements)
}

function openStatements(deps: Needs): Statements {
  // Half of the read connections; the others stay free for single look-ups.
  const half = new FairTurns(Math.max(1, Math.floor(deps.config.read_connections / 2)))
  let statements = 0
  const open = new Map<string, number>()
  return {
    async send(reply, period) {
      // HEAD has no body.
      if (reply.request.method === 'HEAD') return reply.headers(fileHeaders(period)).send()
      const { account_id } = period.wanted
      // Each statement is an owner of its own: it sends one query at a time.
      const owner = String(statements++)
      const inTurn: InTurn = query => half.run(owner, () => deps.inTurn(account_id, query))
      const release = admit(open, account_id)
      if (release === undefined) {
        throw rateLimited('Too many statements are being read; let one end first.', 5)
      }
      try {
        const pieces = await begin(deps, period, inTurn)
        // Header, opening balances and the first page.
        const first = [await pieces.next(), await pieces.next(), await pieces.next()]
        const begun = first.map(({ value }) => value ?? '').join('')
        if (reply.raw.headersSent) {
          // The time-out of the handler has answered.
          await pieces.return()
          return reply
        }
        // From here the answer is ours, and the time-out of the handler is off.
        void reply.hijack()
        const { raw } = reply
        raw.writeHead(200, { ...headersOf(reply), ...fileHeaders(period) })
        await sendPieces(raw, begun, pieces)
      } catch (error) {
        if (!reply.raw.headersSent) throw refusalOf(error)
        // The answer has no end, which every HTTP client detects.
        reply.log.error({ err: error, account_id }, 'statement broken off')
        reply.raw.destroy()
      } finally {
        release()
      }
      return reply
    },
  }
}

/** A format that cannot hold the figures is refused, as another one can. */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof FormatTooNarrow)) return error
  return refusal('invalid_query_parameter', `${error.message}.`, 'format')
}

/** The pieces of the file. Formats with totals before their lines have them counted first. */
async function begin(
  { reads }: Needs,
  { format, name, wanted }: Period,
  inTurn: InTurn,
): Promise<AsyncGenerator<string, void>> {
  const statement = await inTurn(() => findStatement(reads, wanted))
  if (statement.from !== null && statement.from >= statement.created_at) {
    throw refusal('invalid_query_parameter', 'The period has not begun.', 'from')
  }
  const pagesOf = (currency?: string) => statementPages(reads, statement, currency, inTurn)
  if (format === 'csv') return writeStatement(statement, csvWriter, pagesOf)
  const expected = await inTurn(() => countStatement(reads, statement))
  return writeStatement(statement, writerOf(format, name, expected), pagesOf, { expected })
}

/** The headers for GET and HEAD. The connection closes after the answer, also while draining. */
function fileHeaders({ format, wanted }: Period): Readonly<Record<string, string>> {
  const { type, ending } = MEDIA[format]
  const { account_id, filters } = wanted
  const name = ['statement', account_id, ...(filters.currency ?? [])].join('-')
  return {
    'content-type': type,
    'content-disposition': `attachment; filename="${name}.${ending}"`,
    vary: 'accept',
    connection: 'close',
  }
}

function headersOf(reply: FastifyReply): Record<string, string> {
  const entries = Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)])
  return Object.fromEntries(entries)
}

/** Writes pieces as fast as the client reads; stops when the client is gone or stalls. */
export async function sendPieces(
  raw: ServerResponse,
  begun: string,
  pieces: AsyncGenerator<string, void>,
  stall_ms: number = STALL_MS,
): Promise<void> {
  // The socket's timeout restarts with every byte that the client takes.
  raw.setTimeout(stall_ms, () => raw.destroy())
  try {
    await write(raw, begun)
    for await (const piece of pieces) {
      if (raw.destroyed) return
      await write(raw, piece)
    }
    raw.end()
  } finally {
    await pieces.return()
  }
}

async function write(raw: ServerResponse, text: string): Promise<void> {
  if (raw.destroyed || text === '' || raw.write(text)) return
  const waiting = new AbortController()
  const { signal } = waiting
  try {
    await Promise.race([once(raw, 'drain', { signal }), once(raw, 'close', { signal })])
  } finally {
    waiting.abort()
  }
}

/** Counts a statement in and returns its release; undefined when there are too many. */
function admit(open: Map<string, number>, account_id: string): (() => void) | undefined {
  const mine = open.get(account_id) ?? 0
  const all = [...open.values()].reduce((sum, count) => sum + count, 0)
  if (mine >= MAX_OPEN_OF_ACCOUNT || all >= MAX_OPEN) return undefined
  open.set(account_id, mine + 1)
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
 * exactness. Without a header, without a preference, and for other types it does not.
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
