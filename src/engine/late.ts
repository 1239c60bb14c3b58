// How long callers wait for the database. Work whose caller has already been answered is not begun.
import { type Refusal, refusal } from '../errors.ts'

/** The longest wait for an answer. After it, the answer is a 503. */
export const MAX_WAIT_MS = 4_500

/**
 * Wraps work that waits for its turn. It is refused when its turn comes too late, as its caller has
 * had a 503. Otherwise an overloaded database would work for callers who are gone.
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

/** The refusal of work that has waited too long since `since`; undefined before that. */
export function refusalIfLate(since: number): Refusal | undefined {
  if (performance.now() - since < MAX_WAIT_MS) return undefined
  return refusal('service_unavailable', 'The database is busy; try again.')
}
