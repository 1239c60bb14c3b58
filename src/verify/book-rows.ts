// The rows that the walk of a book reads, and the selects that give them in its order.
import type { Instant } from '../instant.ts'
import type { JournalKind } from '../ledger/rules.ts'
import { ofAccount, POSTING_COLUMNS, type PostingColumns } from './rows.ts'

export interface BookRow {
  account_id: string
  has_account: boolean
  /** Of the account; null of none. */
  wanted: string[] | null
  journal_count: bigint | null
  head_hash: string | null
  currencies: string[] | null
  available: string[] | null
}

export interface JournalRow extends PostingColumns {
  account_id: string
  number: bigint
  kind: JournalKind
  source: string
  created_at: Instant
  hash: string
}

export interface LineRow {
  account_id: string
  journal_number: bigint
  id: string
  type: string
  operation_type: string
  currency: string
  amount: bigint
  fixed_fee: bigint
  variable_fee: bigint
  net_amount: bigint
  balance_after: bigint
  source: string
  description: string
  created_at: Instant
}

export const BOOKS = `
  select coalesce(a.account_id, b.account_id, m.account_id) as account_id,
    a.account_id is not null as has_account, a.currencies as wanted, b.journal_count,
    encode(b.head_hash, 'hex') as head_hash, m.currencies, m.available
  from accounts a full join books b on b.account_id = a.account_id
  full join (
    select account_id, array_agg(currency order by currency) as currencies,
      array_agg(available::text order by currency) as available
    from balances group by account_id
  ) m on m.account_id = coalesce(a.account_id, b.account_id)
  where $1::text is null or coalesce(a.account_id, b.account_id, m.account_id) = $1
  order by 1`

export const journalsOf = (account_id: string | null) => `
  select j.account_id, j.number, j.kind, j.source, ${POSTING_COLUMNS}, j.created_at,
    encode(j.hash, 'hex') as hash
  from journals j where ${ofAccount('j.account_id', account_id)} order by j.account_id, j.number`

export const linesOf = (account_id: string | null) => `
  select account_id, journal_number, id, type, operation_type, currency, amount, fixed_fee,
    variable_fee, net_amount, balance_after, source, description, created_at
  from balance_transactions where ${ofAccount('account_id', account_id)}
  order by account_id, journal_number, id`
