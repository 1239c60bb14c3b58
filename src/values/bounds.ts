// The bounds of objects in bytes. What an account can add to again and again has a bound, because
// lists, events and webhooks carry whole objects.
import { refusal } from './errors.ts'

/** The most bytes of the details of a party, as JSON: as many as a request may have. */
export const MAX_DETAILS_BYTES = 256 * 1024

export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

/** Refuses (422) details that an update makes too large. */
export function checkDetailsSize(details: object): void {
  const bytes = bytesOf(details)
  if (bytes <= MAX_DETAILS_BYTES) return
  const sizes = Object.entries(details).map(([name, value]) => [bytesOf(value), name] as const)
  const [, largest = ''] = sizes.toSorted(([a], [b]) => b - a)[0] ?? []
  const message =
    `The details would have ${bytes} bytes, and at most ${MAX_DETAILS_BYTES} fit: ` +
    `send a shorter ${largest}.`
  throw refusal('object_full', message, largest)
}

/** An entity with its steps of approval. */
interface Reviewed {
  readonly id: string
  readonly approval_history: readonly unknown[]
}

/** The most steps of an approval by which the account may ask for a further review. */
const MAX_STEPS = 500

/** Refuses (422) a further submission of an entity that has been reviewed again and again. */
export function checkSteps({ id, approval_history }: Reviewed): void {
  if (approval_history.length < MAX_STEPS) return
  const message =
    `Entity ${id} has ${approval_history.length} steps of approval, and can be submitted until ` +
    `it has ${MAX_STEPS}: create the entity anew.`
  throw refusal('object_full', message, 'approval_history')
}
