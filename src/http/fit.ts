// Presents a page of a list within a bound of bytes, in slices, so that no list makes other callers
// wait. Knows no resource.
import type { Page } from '../sql/page.ts'
import { runInTurns } from '../values/event-loop.ts'

/** The most bytes of the objects of a page, in JSON. A page has one object whatever its size. */
export const MAX_PAGE_BYTES = 1024 * 1024

/** How many rows are presented together: what they expand to is read together. */
const PORTION = 25

export type PresentAll<Row> = (
  rows: readonly Row[],
) => readonly object[] | Promise<readonly object[]>

/**
 * The objects that fit into MAX_PAGE_BYTES, from the end that is nearer to the cursor. With
 * `has_more`, the caller reads the others by the next page.
 */
export async function fitPage<Row>(
  { rows, has_more }: Page<Row>,
  from: 'first' | 'last',
  presentAll: PresentAll<Row>,
): Promise<Page<object>> {
  const nearest = from === 'last' ? rows.toReversed() : rows
  const fitting: object[] = []
  let left = MAX_PAGE_BYTES
  for (let start = 0; start < nearest.length && left > 0; start += PORTION) {
    const objects = await presentAll(nearest.slice(start, start + PORTION))
    left = await runInTurns(addFitting(fitting, objects, left))
  }
  const is_cut = fitting.length < nearest.length
  return { rows: from === 'last' ? fitting.reverse() : fitting, has_more: has_more || is_cut }
}

/** Adds the objects that fit, and always the first one. Returns the bytes left, 0 at the end. */
function* addFitting(
  fitting: object[],
  objects: readonly object[],
  free: number,
): Generator<void, number> {
  let left = free
  for (const object of objects) {
    left -= Buffer.byteLength(JSON.stringify(object))
    if (left < 0 && fitting.length > 0) return 0
    fitting.push(object)
    yield
  }
  return Math.max(left, 0)
}
