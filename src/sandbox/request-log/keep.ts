// Writes ended requests to the log once a second, apart from all requests. While the database is
// away, newer requests replace older ones: no request waits or fails.
import { transactConfined } from '../../sql/confine.ts'
import type { Sql } from '../../sql/connect.ts'
import { waitAtMost } from '../../values/event-loop.ts'
import { bookId } from '../../values/id.ts'
import { type LoggedRequest, MAX_ROWS } from './request-log.ts'
import { dropOld, insertLogged } from './store.ts'

const WRITE_EVERY_MS = 1_000
/** The longest wait of close() for the last write: a silent database does not keep the process. */
const LAST_WRITE_WITHIN_MS = 1_000

export interface RequestLog {
  /** The log writes it later. */
  note(request: Omit<LoggedRequest, 'id'>): void
  /** A timer calls it once a second, and close() calls it too. */
  write(): Promise<void>
  close(): Promise<void>
}

export function openRequestLog(sql: Sql, onError: (error: unknown) => void): RequestLog {
  const nextId = makeIds()
  let waiting = new Map<string, LoggedRequest[]>()
  let writing = Promise.resolve()

  const note = (request: Omit<LoggedRequest, 'id'>) => {
    const requests = waiting.get(request.account_id) ?? []
    waiting.set(request.account_id, requests)
    requests.push({ ...request, id: nextId() })
    // The table keeps MAX_ROWS rows. Twice as many may wait, so that few calls cut the list.
    if (requests.length >= 2 * MAX_ROWS) requests.splice(0, requests.length - MAX_ROWS)
  }
  const writeWaiting = async () => {
    const taken = waiting
    waiting = new Map()
    for (const [account_id, requests] of taken) {
      try {
        await transactConfined(sql, [account_id], async tx => {
          await insertLogged(tx, requests.slice(-MAX_ROWS))
          await dropOld(tx, account_id)
        })
      } catch (error) {
        onError(error)
      }
    }
  }
  /** Writes one batch after the other. */
  const write = () => {
    writing = writing.then(writeWaiting)
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
    note,
    write,
    async close() {
      clearInterval(timer)
      await waitAtMost(LAST_WRITE_WITHIN_MS, write())
    },
  }
}

/** Gives ids that rise within this process, also within a millisecond. */
function makeIds(): () => string {
  const clock = { now: '', ids_given: 0 }
  return () => {
    const now = new Date().toISOString().replace('Z', '000Z')
    if (now > clock.now) Object.assign(clock, { now, ids_given: 0 })
    return bookId(clock, 'rql')
  }
}
