// How long anybody waits for the database, and what is no longer done for those who have left.
import { type Refusal, refusal } from '../errors.ts'

/** The longest wait for an answer, unless said otherwise: then it is 503. */
export const MAX_WAIT_MS = 4_500

/**
 * Work that waits for its turn, refused instead of done when that comes too late: its caller has
 * had a 503 by then. Overloaded, a database would otherwise read for nobody, and be late for all.
 */
export function unlessLate<Parameters extends unknown[], T>(
  work: (...parameters: Parameters) => Promise<T>,
): (...parameters: Parameters) => Promise<T> {
  const since = performance.now()
  return async (...parameters) => {
    const late = refusalIfLate(since)
    if (late !== undefined) throw late
    return work(...parameters)
  }
}

/** What is said of work that has waited since then, once that is too long. */
export function refusalIfLate(since: number): Refusal | undefined {
  if (performance.now() - since < MAX_WAIT_MS) return undefined
  return refusal('service_unavailable', 'The database is busy; try again.')
}
