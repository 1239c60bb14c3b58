// A statement over HTTP: taken and begun before the answer, so that what goes wrong until then is
// an ordinary refusal, then written as fast as the client reads, with the memory of a few pages and
// no connection to the database held in between.
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import type { Reads } from '../engine/reads.ts'
import { rateLimited } from '../errors.ts'
import type { StatementWanted } from './statement.ts'
import { csvWriter } from './statement-csv.ts'
import { findStatement, type InTurn, statementPages } from './statement-store.ts'
import { writeStatement } from './statement-write.ts'

/** Statements being written at once: by one process, and for one account. */
const MAX_OPEN = 32
const MAX_OPEN_OF_ACCOUNT = 4
/**
 * A client that takes nothing for so long is gone. What it takes shows only when the system has
 * room for more, which of a fast connection that has become slow may be a megabyte later.
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
  // Half of the connections for reads: the others stay for requests that are one look-up.
  const inHalf = turns(Math.max(1, Math.floor(config.read_connections / 2)))
  const open = new Map<string, number>()
  return {
    async send(reply, wanted) {
      const { account_id } = wanted
      const inTurn: InTurn = query => inHalf(() => deps.inTurn(account_id, query))
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
        // The answer stays without its end, which a client of HTTP sees.
        reply.log.error({ err: error, account_id }, 'statement broken off')
        reply.raw.destroy()
      } finally {
        release()
      }
      return reply
    },
  }
}

/** What the answer is, whatever its method. The connection ends with it, also while draining. */
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

/** Writes pieces as fast as they are taken; a client that has gone, or stalls, ends them. */
export async function sendPieces(
  raw: ServerResponse,
  begun: string,
  pieces: AsyncGenerator<string, void>,
  stall_ms: number = STALL_MS,
): Promise<void> {
  // The socket's own time: it begins anew with every byte that is taken.
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

/** Counts the account's statement in; the way out of it, or undefined when there are too many. */
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

/** At most so many at once; the others wait in the order in which they came. */
function turns(places: number): InTurn {
  let free = places
  const waiting: (() => void)[] = []
  return async query => {
    if (free > 0) free -= 1
    else await new Promise<void>(resolve => waiting.push(resolve))
    try {
      return await query()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    }
  }
}
