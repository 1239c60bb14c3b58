// The last use of each API key. Requests note it in memory, and one statement a minute writes it
// for all keys. So no request waits for the write.
import type { Sql } from '../sql/connect.ts'
import { waitAtMost } from '../values/event-loop.ts'
import { upsertKeyUses } from './store.ts'

const WRITE_EVERY_MS = 60_000
/** The longest wait of close() for the last write: a silent database does not keep the process. */
const LAST_WRITE_WITHIN_MS = 1_000

export interface KeyUses {
  note(key_id: string): void
  /** Writes the noted uses; a timer calls it once a minute, and close() calls it too. */
  write(): Promise<void>
  close(): Promise<void>
}

export function openKeyUses(sql: Sql, onError: (error: unknown) => void): KeyUses {
  let noted = new Map<string, number>()
  const write = async () => {
    if (noted.size === 0) return
    const taken = noted
    noted = new Map()
    const now = performance.now()
    const uses = [...taken].map(([key_id, at]) => ({ key_id, ago_ms: now - at }))
    try {
      await upsertKeyUses(sql, uses)
    } catch (error) {
      // Uses noted during the write are newer, so they win.
      noted = new Map([...taken, ...noted])
      onError(error)
    }
  }
  const timer = setInterval(write, WRITE_EVERY_MS)
  return {
    note(key_id) {
      noted.set(key_id, performance.now())
    },
    write,
    async close() {
      clearInterval(timer)
      await waitAtMost(LAST_WRITE_WITHIN_MS, write())
    },
  }
}
