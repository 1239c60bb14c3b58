// The SQL statements of the shares of institutions: what the operator wants, and what there is.
import { findPivot } from '../prices/policy/store.ts'
import { convertAtMid, RateBook, waysBetween } from '../prices/rate/rules.ts'
import { listRates } from '../prices/rate/store.ts'
import { databaseNow, type Sql } from '../sql/connect.ts'
import type { Tag } from '../sql/sql.ts'
import { type Base, type MostShare, type Share, sharesOf } from './institutions.ts'
import { listResources } from './safeguarding-store.ts'

function listMostShares(sql: Tag): Promise<MostShare[]> {
  return sql<MostShare[]>`
    select pool, currency, most_share from safeguarding_shares order by pool, currency`
}

/** Sets the largest share of a pool in a currency; '' for all currencies together. */
export async function upsertMostShare(sql: Tag, asked: MostShare): Promise<void> {
  await sql`
    insert into safeguarding_shares (pool, currency, most_share)
    values (${asked.pool}, ${asked.currency}, ${asked.most_share}::integer)
    on conflict (pool, currency) do update set most_share = excluded.most_share`
}

/** The shares of this moment, by the books. */
export async function readShares(sql: Sql): Promise<Share[]> {
  const now = await databaseNow(sql)
  const resources = await listResources(sql, now)
  return sharesOf(resources, await listMostShares(sql), await baseOf(sql, now))
}

/** The pivot of the rate book. A rate of any age is better than no sum; samples are no rates. */
async function baseOf(sql: Sql, now: string): Promise<Base> {
  const currency = await findPivot(sql)
  const rates = (await listRates(sql)).filter(({ sample }) => !sample)
  const book = new RateBook(currency, rates)
  const any = { spread_bps: 0, max_age_s: null, any_age: true }
  return {
    currency,
    convert: (amount, from) =>
      waysBetween(book, from, currency) === undefined
        ? undefined
        : convertAtMid({ rates: book, policyOf: () => any }, amount, from, currency, now),
  }
}
