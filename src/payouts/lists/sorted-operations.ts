// Lists payouts by amount or oldest first, and sums them by currency. No index has such an order,
// as each index makes every payout slower. So both read the payouts that the filters fit, up to a
// bound.
import type { Page, Wanted } from '../../sql/page.ts'
import type { Tag } from '../../sql/sql.ts'
import { refusal } from '../../values/errors.ts'
import type { Payout } from '../payout.ts'
import { SORTS } from '../request.ts'
import { findPayouts } from '../store.ts'
import { listPayouts, listSums, type PayoutSums } from './list-store.ts'

/** The most payouts that are sorted or summed: some 20 ms in the database. */
export const MOST_SORTED = 2_000

type Sort = (typeof SORTS)[number]

type Compare = (a: PayoutSums, b: PayoutSums) => number

const oldestFirst: Compare = (a, b) => (a.id < b.id ? -1 : 1)

/** Amounts of different currencies have no order, so each currency stands by itself. */
function byAmount(sign: 1 | -1): Compare {
  return (a, b) => {
    if (a.currency !== b.currency) return a.currency < b.currency ? -1 : 1
    if (a.amount !== b.amount) return a.amount < b.amount ? -sign : sign
    return -oldestFirst(a, b)
  }
}

const ORDERS: Readonly<Record<Sort, Compare>> = {
  amount: byAmount(1),
  '-amount': byAmount(-1),
  created_at: oldestFirst,
}

/** A page in the order of `sort`, newest first without it. Refuses (400) to sort too many. */
export async function listInOrder(
  tx: Tag,
  account_id: string,
  asked: Wanted,
): Promise<Page<Payout> | undefined> {
  const { sort, ...filters } = asked.filters
  const wanted = { ...asked, filters }
  const order = SORTS.find(one => one === sort?.[0])
  if (order === undefined) return listPayouts(tx, account_id, wanted)
  const { rows, has_more } = await listSums(tx, account_id, wanted, MOST_SORTED)
  if (has_more) throw tooMany()
  const ids = rows.toSorted(ORDERS[order]).map(({ id }) => id)
  const { limit, cursor } = wanted
  const at = cursor === null ? -1 : ids.indexOf(cursor.id)
  if (cursor !== null && at === -1) return undefined
  const isBack = cursor?.towards === 'newer'
  const start = isBack ? Math.max(0, at - limit) : at + 1
  const end = isBack ? at : start + limit
  const page = ids.slice(start, end)
  const found = await findPayouts(
    tx,
    page.map(id => ({ account_id, id })),
  )
  const payouts = new Map(found.map(payout => [payout.id, payout]))
  return {
    rows: page.flatMap(id => payouts.get(id) ?? []),
    has_more: isBack ? start > 0 : end < ids.length,
  }
}

function tooMany() {
  const message =
    `More than ${MOST_SORTED} payouts fit: narrow them by created and other filters, and they ` +
    'are sorted.'
  return refusal('invalid_query_parameter', message, 'sort')
}

export interface Totals {
  /** Whether no payout is left out. */
  readonly complete: boolean
  readonly count: number
  /** What was paid out, by its currency. */
  readonly paid: ReadonlyMap<string, bigint>
  /** What the payouts have debited, fees included, and the fees, by holding currency. */
  readonly debited: ReadonlyMap<string, { readonly amount: bigint; readonly fees: bigint }>
}

/** The sums of the payouts that the filters fit; of the newest ones when they are too many. */
export async function sumPayouts(tx: Tag, account_id: string, asked: Wanted): Promise<Totals> {
  const { sort: _, ...filters } = asked.filters
  const { rows, has_more } = await listSums(tx, account_id, { ...asked, filters }, MOST_SORTED)
  const paid = new Map<string, bigint>()
  const debited = new Map<string, { amount: bigint; fees: bigint }>()
  for (const row of rows) {
    paid.set(row.currency, (paid.get(row.currency) ?? 0n) + row.amount)
    const fees = row.fixed_fee + row.variable_fee
    const sums = debited.get(row.holding_currency) ?? { amount: 0n, fees: 0n }
    debited.set(row.holding_currency, {
      amount: sums.amount + row.holding_amount + fees,
      fees: sums.fees + fees,
    })
  }
  return { complete: !has_more, count: rows.length, paid, debited }
}
