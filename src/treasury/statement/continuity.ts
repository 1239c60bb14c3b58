// Says of each statement of a nostro whether it follows those before it, so that the balance at the
// bank is proved. Pure.
import type { IsoDate } from '../../values/calendar/calendar.ts'

export const CONTINUITIES = ['proved', 'gap', 'overlap', 'sum_differs'] as const
/**
 * `proved`: it follows the one before it. `gap`: statements before it are missing, or it has no
 * balances. `overlap`: it has lines of another one and agrees with none. `sum_differs`: its lines
 * do not lead from its opening to its closing balance.
 */
export type Continuity = (typeof CONTINUITIES)[number]

/** What the judgement needs of a statement. Amounts are minor units. */
export interface Link {
  readonly id: bigint
  readonly opened_on: IsoDate
  readonly closed_on: IsoDate
  readonly opening: bigint | null
  readonly closing: bigint | null
  /** The sum of its lines, those included that another statement had. */
  readonly amount: bigint
  readonly lines: number
  /** How many of its lines another statement had. */
  readonly held: number
}

/** A balance that the statements have reached, and how many statements stand before it. */
interface Boundary {
  readonly balance: bigint
  readonly at: number
}

/**
 * Judges statements in the order of their days, from the balance before them. A statement that
 * says again what others have said is proved, if it begins at a balance that they have reached and
 * leaves out no day. A gap is proved by a statement over all its days.
 */
export function judge(links: readonly Link[], before: bigint): Map<bigint, Continuity> {
  const states = new Map<bigint, Continuity>()
  const done: Link[] = []
  const boundaries: Boundary[] = [{ balance: before, at: 0 }]
  let reached = before
  for (const link of inOrder(links, before)) {
    const { id, opening, closing } = link
    const state = stateOf(link, reached, boundaries, done)
    states.set(id, state)
    done.push(link)
    // Lines that contradict the others prove no balance.
    if (closing === null || (state === 'overlap' && opening !== reached)) continue
    reached = closing
    boundaries.push({ balance: closing, at: done.length })
  }
  for (const link of done) {
    if (states.get(link.id) === 'gap' && isWithin(link, done, states)) states.set(link.id, 'proved')
  }
  return states
}

/**
 * By their last day. Of several of one day, each follows the balance of the one before it; one over
 * the whole day comes behind its parts.
 */
function inOrder(links: readonly Link[], before: bigint): Link[] {
  const sorted = links.toSorted(
    (a, b) =>
      compare(a.closed_on, b.closed_on) ||
      compare(b.opened_on, a.opened_on) ||
      a.lines - b.lines ||
      (a.id < b.id ? -1 : 1),
  )
  let balance = before
  const ordered: Link[] = []
  for (const day of Map.groupBy(sorted, ({ closed_on }) => closed_on).values()) {
    const rest = [...day]
    while (rest.length > 0) {
      const next = rest.findIndex(({ opening }) => opening === balance)
      const [link] = rest.splice(Math.max(0, next), 1)
      if (link === undefined) break
      ordered.push(link)
      balance = link.closing ?? balance
    }
  }
  return ordered
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

function stateOf(
  link: Link,
  reached: bigint,
  boundaries: readonly Boundary[],
  done: readonly Link[],
): Continuity {
  const { opening, closing, opened_on, held, amount } = link
  if (opening === null || closing === null) return 'gap'
  if (opening + amount !== closing) return 'sum_differs'
  if (opening === reached) return 'proved'
  const says_again = boundaries.some(({ balance, at }) => {
    const next = done[at]
    return balance === opening && next !== undefined && next.closed_on >= opened_on
  })
  if (says_again) return 'proved'
  return held > 0 ? 'overlap' : 'gap'
}

/** Whether a proved statement over more days has all days of this one. */
function isWithin(
  link: Link,
  all: readonly Link[],
  states: ReadonlyMap<bigint, Continuity>,
): boolean {
  const { id, opened_on, closed_on, opening, closing, amount } = link
  if (opening === null || closing === null || opening + amount !== closing) return false
  return all.some(
    other =>
      other.id !== id &&
      states.get(other.id) === 'proved' &&
      other.opened_on <= opened_on &&
      other.closed_on >= closed_on &&
      (other.opened_on < opened_on || other.closed_on > closed_on),
  )
}

/** What decides whether two statements have bookings in common. */
export type Span = Pick<Link, 'id' | 'opened_on' | 'closed_on' | 'opening' | 'closing'>

/**
 * The statements that may have bookings in common with one: their days meet, and balances do not
 * say that the one follows the other. Two statements of one day follow each other when the one
 * opens with the closing balance of the other. Where they do not move the balance, they are one.
 */
export function inCommon<S extends Span>(span: Omit<Span, 'id'>, others: readonly S[]): S[] {
  const met = others.filter(
    ({ opened_on, closed_on }) => opened_on <= span.closed_on && closed_on >= span.opened_on,
  )
  const apart = new Set<S>()
  /** The same statement, perhaps in another format: it never stands behind or before itself. */
  const isTwin = (other: S) =>
    other.opening === span.opening &&
    other.closing === span.closing &&
    other.opened_on === span.opened_on &&
    other.closed_on === span.closed_on
  const walk = (
    from: bigint | null,
    next: (other: S) => readonly [bigint | null, bigint | null],
  ) => {
    for (let balance = from; balance !== null; ) {
      const found = met.find(other => {
        const [near, far] = next(other)
        return !apart.has(other) && !isTwin(other) && near === balance && far !== near
      })
      if (found === undefined) return
      apart.add(found)
      balance = next(found)[1]
    }
  }
  if (span.opening !== span.closing) {
    walk(span.opening, other =>
      other.closed_on <= span.closed_on ? [other.closing, other.opening] : [null, null],
    )
    walk(span.closing, other =>
      other.opened_on >= span.opened_on ? [other.opening, other.closing] : [null, null],
    )
  }
  return met.filter(other => !apart.has(other))
}
