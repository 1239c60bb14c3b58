// How long callers wait for the database. Work is not begun after its caller has had a 503.
import { type Refusal, refusal } from '../values/errors.ts'

/** The longest wait for an answer. After it, the answer is a 503. */
export const MAX_WAIT_MS = 4_500

/**
 * Wraps work that waits for its turn. Refuses the work if its turn comes after MAX_WAIT_MS, when
 * its caller has had a 503: an overloaded database must not work for callers who are gone.
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

/** The refusal of work that has waited for MAX_WAIT_MS since `since`; undefined before that. */
export function refusalIfLate(since: number): Refusal | undefined {
  if (performance.now() - since < MAX_WAIT_MS) return undefined
  return refusal('service_unavailable', 'The database is busy; try again.')
}
