// What a few accounts have written since it was last asked, in one round trip: whatever row version a
// transaction made that the look before could not see. Knows the tables; judges nothing. Amounts and
// numbers come as text, so that JSON loses nothing.
import type { Sql } from '../../src/sql/connect.ts'

export interface BookRow {
  account_id: string
  journal_count: string
  head_hash: string
  event_count: string
}
export interface BalanceRow {
  account_id: string
  currency: string
  available: string
}
export interface JournalRow {
  account_id: string
  number: string
  kind: string
  source: string
  codes: string[]
  currencies: string[]
  amounts: string[]
  created_at: string
  hash: string
  /** What it says of its line, as the chain has it. */
  line:
    | [figures: string, undoes: string | null, conversions: string | null, said: string | null]
    | null
}
export interface LineRow {
  account_id: string
  id: string
  journal_number: string
  type: string
  operation_type: string
  currency: string
  amount: string
  fixed_fee: string
  variable_fee: string
  net_amount: string
  balance_after: string
  source: string
  created_at: string
}
export interface EventRow {
  account_id: string
  sequence: string
  type: string
  object_id: string
  status: string | null
}
export interface PayoutRow {
  account_id: string
  id: string
  quote_id: string
  type: string
  holding_currency: string
  holding_amount: string
  fixed_fee: string
  variable_fee: string
  destination_currency: string
  destination_amount: string
  debit: string
  status: string
}
export interface NamedRow {
  account_id: string
  id: string
}
export interface QuoteRow extends NamedRow {
  status: string
}

/** Books and balances as they are; of everything else what is new or changed. */
export interface Look {
  /** The next look begins here. */
  readonly horizon: string
  /** Whether any row of these accounts was written, be it with the same values. */
  readonly written: boolean
  readonly books: readonly BookRow[]
  readonly balances: readonly BalanceRow[]
  /** By account and number. */
  readonly journals: readonly JournalRow[]
  /** By account and number of their journals. */
  readonly lines: readonly LineRow[]
  /** By account and sequence. */
  readonly events: readonly EventRow[]
  readonly payouts: readonly PayoutRow[]
  readonly quotes: readonly QuoteRow[]
  readonly beneficiaries: readonly NamedRow[]
}

/** From the beginning. */
export const START = '0'

/**
 * All of it in one statement, and so on one snapshot. A row version that the snapshot before could not
 * see was written by a transaction that began to write after it: transactions of these accounts must
 * have ended when this is asked.
 */
export async function lookAt(sql: Sql, ids: readonly string[], horizon: string): Promise<Look> {
  const of = sql`account_id = any (${[...ids]}::text[])`
  const fresh = sql`xmin::text::bigint >= ${horizon}::text::bigint`
  const [row] = await sql<[Look & { keys: boolean }]>`
    select (pg_snapshot_xmax(pg_current_snapshot())::text::bigint % 4294967296)::text as horizon,
      coalesce((select json_agg(r) from (
        select account_id, journal_count::text, encode(head_hash, 'hex') as head_hash,
          event_count::text
        from books where ${of}) r), '[]') as books,
      coalesce((select json_agg(r) from (
        select account_id, currency, available::text from balances where ${of}) r), '[]')
        as balances,
      coalesce((select json_agg(r) from (
        select account_id, number::text, kind, source, string_to_array(codes, ' ') as codes,
          string_to_array(currencies, ' ') as currencies,
          amounts::text[] as amounts, ${utc(sql)} as created_at, encode(hash, 'hex') as hash,
          case when currency is not null then json_build_array(
            concat_ws(' ', currency, amount, fixed_fee, variable_fee, balance_after), undoes,
            fx_conversions::text, metadata::text) end as line
        from journals where ${of} and ${fresh} order by account_id, journals.number) r), '[]')
        as journals,
      coalesce((select json_agg(r) from (
        select account_id, id, journal_number::text, type, operation_type, currency, amount::text,
          fixed_fee::text, variable_fee::text, net_amount::text, balance_after::text, source,
          ${utc(sql)} as created_at
        from balance_transactions t where (account_id, journal_number) in (
          select account_id, number from journals where ${of} and ${fresh})
        order by account_id, t.journal_number) r), '[]') as lines,
      coalesce((select json_agg(r) from (
        select account_id, sequence::text, type, object_id, data ->> 'status' as status
        from each_event e where ${of} and row_sequence = any (array(
          select sequence from events where account_id = e.account_id and ${fresh}))
        order by account_id, e.sequence) r), '[]')
        as events,
      coalesce((select json_agg(r) from (
        select account_id, id, type,
          case quote_id when '' then 'poq_' || substr(id, 5) else quote_id end as quote_id,
          holding_currency, holding_amount::text,
          fixed_fee::text, variable_fee::text, destination_currency, destination_amount::text,
          balance_transaction_id as debit, status
        from payouts join payout_states using (account_id, id)
        where ${of} and (account_id, id) in (
          select account_id, id from payouts where ${of} and ${fresh}
          union all select account_id, id from open_payouts where ${of} and ${fresh}
          union all select account_id, id from payout_outcomes where ${of} and ${fresh})) r), '[]')
        as payouts,
      coalesce((select json_agg(r) from (
        select account_id, id, status from quotes where ${of} and ${fresh}
        union all select account_id, 'poq_' || substr(id, 5), 'used' from payouts
        where quote_id = '' and ${of} and ${fresh}) r), '[]') as quotes,
      coalesce((select json_agg(r) from (
        select account_id, id from beneficiaries where ${of} and ${fresh}) r), '[]')
        as beneficiaries,
      exists (select from books where ${of} and ${fresh})
        or exists (select from balances where ${of} and ${fresh})
        or exists (select from open_payouts where ${of} and ${fresh})
        or exists (select from payout_outcomes where ${of} and ${fresh})
        or exists (select from idempotency_keys where ${of} and ${fresh}) as written`
  const { journals, lines, events, payouts, quotes, beneficiaries } = row
  const tables = [journals, lines, events, payouts, quotes, beneficiaries]
  return { ...row, written: row.written || tables.some(rows => rows.length > 0) }
}

/** As the API prints times. */
function utc(sql: Sql) {
  return sql`to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}
