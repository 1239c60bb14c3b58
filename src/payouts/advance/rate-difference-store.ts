// Reads what prices the payouts that go back after their price has ended: the price book as it is
// in the transaction, and the ends of their prices.
import { type Book, bookOf } from '../../ledger/rules.ts'
import { pricingFrom } from '../../prices/book.ts'
import { listPolicies } from '../../prices/policy/store.ts'
import { listRates } from '../../prices/rate/store.ts'
import { findQuotes } from '../../quotes/store.ts'
import type { TransactionSql } from '../../sql/connect.ts'
import { among, eachShard, type OfAccount } from '../../sql/shard.ts'
import { byName, type Key, nameOf } from '../../values/id.ts'
import type { Instant } from '../../values/instant.ts'
import type { Payout } from '../payout.ts'
import { isConverted, type PresentPrice, priceEnd } from './rate-difference.ts'

/** The present prices of the payouts that convert and whose price has ended. */
export async function loadPresent(
  tx: TransactionSql,
  payouts: readonly Payout[],
  books: ReadonlyMap<string, Book>,
  now: Instant,
): Promise<ReadonlyMap<string, PresentPrice>> {
  const converted = payouts.filter(isConverted)
  if (converted.length === 0) return new Map()
  const named: Key[] = converted.flatMap(({ account_id, quote_id: id }) =>
    id === '' ? [] : [{ account_id, id }],
  )
  const quotes = named.length === 0 ? new Map() : byName(await findQuotes(tx, named))
  const ends = converted.map(payout => {
    const { account_id, quote_id: id } = payout
    const quoted: Instant | undefined = quotes.get(nameOf({ account_id, id }))?.valid_until
    return { payout, ended_at: priceEnd(payout, quoted) }
  })
  const ended = ends.filter(
    ({ payout, ended_at }) => ended_at <= bookOf(books, payout.account_id).now,
  )
  if (ended.length === 0) return new Map()
  const [rates, policies, sandboxes] = await Promise.all([
    listRates(tx),
    listPolicies(tx),
    findSandboxes(
      tx,
      ended.map(({ payout }) => payout),
    ),
  ])
  const pricing = pricingFrom({ rates, fees: [], policies })
  return new Map(
    ended.map(({ payout, ended_at }) => {
      const sandbox = sandboxes.has(payout.account_id)
      return [nameOf(payout), { pricing, sandbox, now, ended_at }]
    }),
  )
}

async function findSandboxes(tx: TransactionSql, owned: readonly OfAccount[]) {
  const rows = await eachShard(
    owned,
    owned => tx<OfAccount[]>`
      select account_id from books b where sandbox and ${among('b', owned)}`,
  )
  return new Set(rows.map(({ account_id }) => account_id))
}
