// The rows that the walk of a book reads, in order.
import type { JournalKind } from '../ledger/rules.ts'
import { type LineColumns, POSTING_COLUMNS, type PostingColumns } from '../ledger/store.ts'
import type { Instant } from '../values/instant.ts'
import { ofAccount, statement } from './rows.ts'

export interface BookRow {
  account_id: string
  has_account: boolean
  /** The currencies that need a row; null when the account does not exist. */
  wanted: string[] | null
  journal_count: bigint | null
  head_hash: string | null
  currencies: string[] | null
  available: string[] | null
}

export interface JournalRow extends PostingColumns, LineColumns {
  account_id: string
  number: bigint
  kind: JournalKind
  source: string
  created_at: Instant
  hash: string
  /** Whether all required columns of its line are set, or none. */
  line_is_whole: boolean
}

/** Each part is of the account, so that one account reads its own rows by their keys. */
export const BOOKS = statement`
  select coalesce(a.account_id, b.account_id, m.account_id) as account_id,
    a.account_id is not null as has_account, a.currencies as wanted, b.journal_count,
    encode(b.head_hash, 'hex') as head_hash, m.currencies, m.available
  from (select * from accounts where ${ofAccount('account_id')}) a
  full join (select * from books where ${ofAccount('account_id')}) b
    on b.account_id = a.account_id
  full join (
    select account_id, array_agg(currency order by currency) as currencies,
      array_agg(available::text order by currency) as available
    from balances where ${ofAccount('account_id')} group by account_id
  ) m on m.account_id = coalesce(a.account_id, b.account_id)
  order by 1`

const JOURNAL_COLUMNS = `
  j.account_id, j.number, j.kind, j.source, ${POSTING_COLUMNS}, j.created_at,
  encode(j.hash, 'hex') as hash, j.currency, j.amount, j.fixed_fee, j.variable_fee,
  j.balance_after, j.undoes, j.fx_conversions::text as fx_conversions,
  j.metadata::text as metadata,
  case when j.currency is null
    then num_nonnulls(j.amount, j.fixed_fee, j.variable_fee, j.balance_after, j.undoes,
      j.fx_conversions, j.metadata) = 0
    else num_nulls(j.amount, j.fixed_fee, j.variable_fee, j.balance_after) = 0
  end as line_is_whole`

export const JOURNALS = statement`
  select ${JOURNAL_COLUMNS}
  from journals j where ${ofAccount('j.account_id')} order by j.account_id, j.number`

/** $1 is the account, $2 the number before the first, $3 the most rows. */
export const JOURNALS_AFTER = `
  select ${JOURNAL_COLUMNS}
  from journals j where j.account_id = $1 and j.number > $2::bigint order by j.number limit $3`
