// How long anybody waits for the database, and what is no longer done for those who have left.
import { refusal } from '../errors.ts'

/** The longest wait for an answer, unless said otherwise: then it is 503. */
export const MAX_WAIT_MS = 4_500

/**
 * Work that waits for its turn, refused instead of done when that comes too late: its caller has
 * had a 503 by then. Overloaded, a database would otherwise read for nobody, and be late for all.
 */
export function unlessLate<Parameters extends unknown[], T>(
  work: (...parameters: Parameters) => Promise<T>,
): (...parameters: Parameters) => Promise<T> {
  const asked_at = performance.now()
  return async (...parameters) => {
    if (performance.now() - asked_at < MAX_WAIT_MS) return work(...parameters)
    throw refusal('service_unavailable', 'The database is busy; try again.')
  }
}
