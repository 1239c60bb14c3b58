// Keeps requests in memory as they end, and writes them once a second, apart from all requests.
// Each account has its own transaction. When the database does not take them, newer requests push
// out older ones: the log loses lines, and no request waits or fails.
import { transactConfined } from '../db/confine.ts'
import type { Sql } from '../db/connect.ts'
import { bookId } from '../id.ts'
import { waitAtMost } from '../turns.ts'
import { KEPT, type LoggedRequest, MAX_WAITING_TEXT } from './request-log.ts'
import { dropOld, insertLogged } from './store.ts'

const WRITE_EVERY_MS = 1_000
/** The last write may take this long, so that a silent database does not keep the process. */
const LAST_WRITE_WITHIN_MS = 1_000

export interface RequestLog {
  /** Whether bodies are logged too. */
  readonly bodies: boolean
  /** Takes no time: the log writes it later. */
  note(request: Omit<LoggedRequest, 'id'>): void
  /** Writes the noted requests; a timer calls it once a second, and close() calls it too. */
  write(): Promise<void>
  close(): Promise<void>
}

export function openRequestLog(
  sql: Sql,
  bodies: boolean,
  onError: (error: unknown) => void,
): RequestLog {
  const nextId = makeIds()
  let waiting = new Map<string, LoggedRequest[]>()
  let text = 0
  let writing = Promise.resolve()

  const note = (request: Omit<LoggedRequest, 'id'>) => {
    const of = waiting.get(request.account_id) ?? []
    waiting.set(request.account_id, of)
    text += request.body.length
    const body = text > MAX_WAITING_TEXT ? '' : request.body
    of.push({ ...request, id: nextId(), body })
    // The table keeps no more than KEPT rows. Twice as many may wait, so that few calls cut the
    // list.
    if (of.length >= 2 * KEPT) of.splice(0, of.length - KEPT)
  }
  const writeAll = async () => {
    const taken = waiting
    waiting = new Map()
    text = 0
    for (const [account_id, requests] of taken) {
      try {
        await transactConfined(sql, [account_id], async tx => {
          await insertLogged(tx, requests.slice(-KEPT))
          await dropOld(tx, account_id)
        })
      } catch (error) {
        onError(error)
      }
    }
  }
  /** Writes one after the other. */
  const write = () => {
    writing = writing.then(writeAll)
    return writing
  }
  let busy = false
  const timer = setInterval(async () => {
    if (busy) return
    busy = true
    await write()
    busy = false
  }, WRITE_EVERY_MS)
  return {
    bodies,
    note,
    write,
    async close() {
      clearInterval(timer)
      await waitAtMost(LAST_WRITE_WITHIN_MS, write())
    },
  }
}

/** The ids of one process rise, also within a millisecond. */
function makeIds(): () => string {
  const clock = { now: '', ids_given: 0 }
  return () => {
    const now = new Date().toISOString().replace('Z', '000Z')
    if (now > clock.now) Object.assign(clock, { now, ids_given: 0 })
    return bookId(clock, 'rql')
  }
}
