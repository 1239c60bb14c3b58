// A statement over HTTP. It is taken and begun before the answer, so that an early failure is an
// ordinary refusal. It is then written as fast as the client reads, in the memory of a few pages,
// and holds no connection to the database between pages.

import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { FairTurns } from '../../engine/fair.ts'
import type { Reads } from '../../engine/reads.ts'
import { rateLimited } from '../../errors.ts'
import { csvWriter } from './csv.ts'
import type { StatementWanted } from './statement.ts'
import { findStatement, type InTurn, statementPages } from './store.ts'
import { writeStatement } from './write.ts'

/** The most statements at once, of one process and of one account. */
const MAX_OPEN = 32
const MAX_OPEN_OF_ACCOUNT = 4
/**
 * A client that reads nothing for so long is gone. The process sees progress only when the system's
 * send buffer has room again; on a connection that has become slow that may be a megabyte later.
 */
const STALL_MS = 300_000

/** The statements of one process. */
export interface CsvStatements {
  send(reply: FastifyReply, wanted: StatementWanted): Promise<FastifyReply>
}

interface Needs extends Pick<Reads, 'reads' | 'inTurn'> {
  readonly config: { readonly read_connections: number }
}

export function csvStatements(deps: Needs): CsvStatements {
  const { reads, config } = deps
  // Half of the read connections; the others stay free for single look-ups.
  const half = new FairTurns(Math.max(1, Math.floor(config.read_connections / 2)))
  let statements = 0
  const open = new Map<string, number>()
  return {
    async send(reply, wanted) {
      const { account_id } = wanted
      // Each statement is an owner of its own: it sends one query at a time.
      const owner = String(statements++)
      const inTurn: InTurn = query => half.run(owner, () => deps.inTurn(account_id, query))
      const release = admit(open, account_id)
      if (release === undefined) {
        throw rateLimited('Too many statements are being read; let one end first.', 5)
      }
      try {
        const statement = await inTurn(() => findStatement(reads, wanted))
        const pieces = writeStatement(statement, csvWriter(), currency =>
          statementPages(reads, statement, currency, inTurn),
        )
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
        raw.writeHead(200, { ...headersOf(reply), ...csvHeaders(account_id) })
        await sendPieces(raw, begun, pieces)
      } catch (error) {
        if (!reply.raw.headersSent) throw error
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

/** The headers for GET and HEAD. The connection closes after the answer, also while draining. */
export function csvHeaders(account_id: string): Readonly<Record<string, string>> {
  return {
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="statement-${account_id}.csv"`,
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
