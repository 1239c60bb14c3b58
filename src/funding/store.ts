// The statements that say what an operator has booked before. They decide nothing.
import type { TransactionSql } from '../db/connect.ts'
import { BOOKED_TYPES, type BookedBefore, bookedName, REVERSAL_TYPES } from './rules.ts'

interface Asked {
  readonly account_id: string
  readonly source: string
  readonly reference: string
}

/** Under the locks of the books: nobody books any of it meanwhile. */
export async function findBooked(
  tx: TransactionSql,
  asked: readonly Asked[],
): Promise<BookedBefore> {
  const account_ids = asked.map(({ account_id }) => account_id)
  const types = [...BOOKED_TYPES, ...REVERSAL_TYPES]
  const [sources, references] = await Promise.all([
    tx<{ account_id: string; type: string; what: string; id: string }[]>`
      select account_id, type, source as what, id from balance_transactions
      where account_id = any (${account_ids}::text[])
        and source = any (${asked.map(({ source }) => source)}::text[])
        and type = any (${types}::text[])`,
    // By the words of the index that makes references count once.
    tx<{ account_id: string; type: string; what: string; id: string }[]>`
      select account_id, type, metadata ->> 'reference' as what, id from balance_transactions
      where account_id = any (${account_ids}::text[])
        and type in ('escrow', 'withdrawal', 'adjustment') and metadata ->> 'reference' is not null
        and metadata ->> 'reference' = any (${asked.map(({ reference }) => reference)}::text[])`,
  ])
  return { sources: byName(sources), references: byName(references) }
}

function byName(
  rows: readonly { account_id: string; type: string; what: string; id: string }[],
): Map<string, string> {
  return new Map(rows.map(row => [bookedName(row.account_id, row.type, row.what), row.id]))
}
