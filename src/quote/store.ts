// The statements of quotes.
import { rowsAsJson, type Sql, type TransactionSql } from '../db/connect.ts'
import type { Instant } from '../instant.ts'
import { formatDecimal, parseDecimal } from '../money/decimal.ts'
import type { Quote } from './rules.ts'

type Row = Omit<Quote, 'holding_to_payout' | 'payout_to_destination'> & {
  holding_to_payout: string
  payout_to_destination: string
}

export function insertQuotes(tx: TransactionSql, quotes: readonly Quote[]) {
  const rows = quotes.map(quote => ({
    ...quote,
    holding_to_payout: formatDecimal(quote.holding_to_payout),
    payout_to_destination: formatDecimal(quote.payout_to_destination),
  }))
  return tx`
    insert into quotes
      (account_id, id, payout_type, holding_currency, holding_amount, payout_currency,
       payout_amount, destination_currency, destination_country, destination_amount,
       holding_to_payout, payout_to_destination, fixed_fee_holding, fixed_fee_payout,
       variable_fee_holding, variable_fee_payout, fund_transfer_network, payment_network,
       wallet_type, wallet_network, charge_type, entity_id, status, valid_until, created_at,
       updated_at)
    select account_id, id, payout_type, holding_currency, holding_amount, payout_currency,
      payout_amount, destination_currency, destination_country, destination_amount,
      holding_to_payout, payout_to_destination, fixed_fee_holding, fixed_fee_payout,
      variable_fee_holding, variable_fee_payout, fund_transfer_network, payment_network,
      wallet_type, wallet_network, charge_type, entity_id, status, valid_until, created_at,
      updated_at
    from json_to_recordset(${rowsAsJson(rows)}::text::json)
      as r(account_id text, id text, payout_type text, holding_currency text,
        holding_amount bigint, payout_currency text, payout_amount bigint,
        destination_currency text, destination_country text, destination_amount bigint,
        holding_to_payout numeric, payout_to_destination numeric, fixed_fee_holding bigint,
        fixed_fee_payout bigint, variable_fee_holding bigint, variable_fee_payout bigint,
        fund_transfer_network text, payment_network text, wallet_type text, wallet_network text,
        charge_type text, entity_id text, status text, valid_until timestamptz,
        created_at timestamptz, updated_at timestamptz)`
}

/** By (account, id), in no order; what is not found or another account's is simply absent. */
export async function findQuotes(
  sql: Sql | TransactionSql,
  keys: readonly { readonly account_id: string; readonly id: string }[],
): Promise<Quote[]> {
  const rows = await sql<Row[]>`
    select q.account_id, q.id, q.payout_type, q.holding_currency, q.holding_amount,
      q.payout_currency, q.payout_amount, q.destination_currency, q.destination_country,
      q.destination_amount, q.holding_to_payout::text as holding_to_payout,
      q.payout_to_destination::text as payout_to_destination, q.fixed_fee_holding,
      q.fixed_fee_payout, q.variable_fee_holding, q.variable_fee_payout,
      q.fund_transfer_network, q.payment_network, q.wallet_type, q.wallet_network,
      q.charge_type, q.entity_id, q.status, q.valid_until, q.created_at, q.updated_at
    from json_to_recordset(${rowsAsJson(keys)}::text::json) as k(account_id text, id text)
    join quotes q on q.account_id = k.account_id and q.id = k.id`
  return rows.map(fromRow)
}

/** Marks quotes used; the payout's unique quote_id is what makes a second use impossible. */
export function markQuotesUsed(
  tx: TransactionSql,
  keys: readonly { readonly account_id: string; readonly id: string }[],
  now: Instant,
) {
  return tx`
    update quotes q set status = 'used', updated_at = ${now}
    from json_to_recordset(${rowsAsJson(keys)}::text::json) as k(account_id text, id text)
    where q.account_id = k.account_id and q.id = k.id and q.status = 'active'`
}

function fromRow(row: Row): Quote {
  const holding_to_payout = parseDecimal(row.holding_to_payout)
  const payout_to_destination = parseDecimal(row.payout_to_destination)
  if (holding_to_payout === undefined || payout_to_destination === undefined) {
    throw new Error(`stored rates of quote ${row.id}`)
  }
  return { ...row, holding_to_payout, payout_to_destination }
}
