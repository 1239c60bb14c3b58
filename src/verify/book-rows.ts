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

export const BOOKS = statement`
  select coalesce(a.account_id, b.account_id, m.account_id) as account_id,
    a.account_id is not null as has_account, a.currencies as wanted, b.journal_count,
    encode(b.head_hash, 'hex') as head_hash, m.currencies, m.available
  from accounts a full join books b on b.account_id = a.account_id
  full join (
    select account_id, array_agg(currency order by currency) as currencies,
      array_agg(available::text order by currency) as available
    from balances group by account_id
  ) m on m.account_id = coalesce(a.account_id, b.account_id)
  where ${ofAccount('coalesce(a.account_id, b.account_id, m.account_id)')}
  order by 1`

export const JOURNALS = statement`
  select j.account_id, j.number, j.kind, j.source, ${POSTING_COLUMNS}, j.created_at,
    encode(j.hash, 'hex') as hash, j.currency, j.amount, j.fixed_fee, j.variable_fee,
    j.balance_after, j.undoes, j.fx_conversions::text as fx_conversions,
    j.metadata::text as metadata,
    case when j.currency is null
      then num_nonnulls(j.amount, j.fixed_fee, j.variable_fee, j.balance_after, j.undoes,
        j.fx_conversions, j.metadata) = 0
      else num_nulls(j.amount, j.fixed_fee, j.variable_fee, j.balance_after) = 0
    end as line_is_whole
  from journals j where ${ofAccount('j.account_id')} order by j.account_id, j.number`
