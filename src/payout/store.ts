// The statements of payouts.
import { rowsAsJson, type Sql, type TransactionSql } from '../db/connect.ts'
import { findAccountOf, keysOf } from '../db/keys.ts'
import { inserter } from '../db/rows.ts'
import type { Key } from '../id.ts'
import type { Instant } from '../instant.ts'
import { parseDecimal } from '../money/decimal.ts'
import type { Payout } from './rules.ts'

type Row = Omit<Payout, 'holding_to_payout' | 'payout_to_destination'> & {
  holding_to_payout: string
  payout_to_destination: string
}

export const insertPayouts = inserter<Payout>('payouts', {
  account_id: 'text',
  id: 'text',
  quote_id: 'text',
  type: 'text',
  amount: 'bigint',
  currency: 'text',
  holding_currency: 'text',
  holding_amount: 'bigint',
  fixed_fee: 'bigint',
  variable_fee: 'bigint',
  destination_currency: 'text',
  destination_amount: 'bigint',
  holding_to_payout: 'decimal',
  payout_to_destination: 'decimal',
  holding_fx_id: 'text',
  payout_fx_id: 'text',
  balance_transaction_id: 'text',
  beneficiary_id: 'text',
  beneficiary_details: 'json',
  particulars: 'json',
  fund_transfer_network: 'text',
  charge_type: 'text',
  status: 'text',
  status_description: 'text',
  failure: 'json',
  rail_steps: 'integer',
  ask_rail_at: 'timestamptz',
  held_for: 'text',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
})

/** By (account, id), in no order; what is not found or another account's is simply absent. */
export async function findPayouts(
  sql: Sql | TransactionSql,
  keys: readonly Key[],
): Promise<Payout[]> {
  const rows = await sql<Row[]>`
    select r.* from ${keysOf(sql, keys)}
    cross join lateral (
      select account_id, id, quote_id, type, amount, currency, holding_currency, holding_amount,
        fixed_fee, variable_fee, destination_currency, destination_amount, holding_to_payout::text
        as holding_to_payout, payout_to_destination::text as payout_to_destination, holding_fx_id,
        payout_fx_id, balance_transaction_id, beneficiary_id, beneficiary_details, particulars,
        fund_transfer_network, charge_type, status, status_description, failure, rail_steps,
        ask_rail_at, held_for, created_at, updated_at
      from payouts p where p.account_id = k.account_id and p.id = k.id limit 1
    ) r`
  return rows.map(fromRow)
}

/** Writes what a transition may change; the trigger refuses a step that is not in the table. */
export function updatePayoutStates(tx: TransactionSql, payouts: readonly Payout[], now: Instant) {
  const rows = payouts.map(p => ({
    account_id: p.account_id,
    id: p.id,
    status: p.status,
    status_description: p.status_description,
    failure: p.failure,
    rail_steps: p.rail_steps,
    ask_rail_at: p.ask_rail_at,
    held_for: p.held_for,
  }))
  return tx`
    update payouts p set status = r.status, status_description = r.status_description,
      failure = r.failure, rail_steps = r.rail_steps, ask_rail_at = r.ask_rail_at,
      held_for = r.held_for, updated_at = ${now}
    from json_to_recordset(${rowsAsJson(rows)}::text::json)
      as r(account_id text, id text, status text, status_description text, failure json,
        rail_steps integer, ask_rail_at timestamptz, held_for text)
    where p.account_id = r.account_id and p.id = r.id`
}

/** Payouts whose rail is due to be asked, oldest first. Reads without a lock; claiming decides. */
export async function listDuePayouts(sql: Sql, limit: number): Promise<Key[]> {
  return sql<Key[]>`
    select account_id, id from payouts
    where ask_rail_at <= clock_timestamp()
    order by ask_rail_at limit ${limit}`
}

/**
 * Claims due payouts of one account for `lease_ms`: whoever's update finds them due has them.
 * Returns the claimed ones and how often each was claimed before. An unapplied claim comes due
 * again.
 */
export async function claimDuePayouts(
  sql: Sql,
  account_id: string,
  ids: readonly string[],
  lease_ms: number,
): Promise<{ id: string; rail_attempts: number }[]> {
  return sql<{ id: string; rail_attempts: number }[]>`
    update payouts set rail_attempts = rail_attempts + 1,
      ask_rail_at = clock_timestamp() + ${`${lease_ms} milliseconds`}::interval
    where account_id = ${account_id} and id = any (${[...ids]}::text[])
      and ask_rail_at <= clock_timestamp()
    returning id, rail_attempts - 1 as rail_attempts`
}

/** Lets the worker look at the payouts that these entities' reviews have held back. */
export function wakeHeldPayouts(tx: TransactionSql, entities: readonly Key[], now: Instant) {
  return tx`
    update payouts p set ask_rail_at = ${now}
    from ${keysOf(tx, entities)}
    where p.account_id = k.account_id and p.held_for = k.id and p.held_for <> ''`
}

/** The account of a payout, for the operator, who names a payout alone. */
export function findPayoutAccount(sql: Sql, id: string): Promise<string | undefined> {
  return findAccountOf(sql, 'payouts', id)
}

/** How many payouts wait for the review of an entity. */
export async function countHeldPayouts(sql: Sql, { account_id, id }: Key): Promise<number> {
  const [row] = await sql<{ held: number }[]>`
    select count(*)::integer as held from payouts
    where account_id = ${account_id} and held_for = ${id} and held_for <> ''`
  return row?.held ?? 0
}

function fromRow(row: Row): Payout {
  const holding_to_payout = parseDecimal(row.holding_to_payout)
  const payout_to_destination = parseDecimal(row.payout_to_destination)
  if (holding_to_payout === undefined || payout_to_destination === undefined) {
    throw new Error(`stored rates of payout ${row.id}`)
  }
  return { ...row, holding_to_payout, payout_to_destination }
}
