// The SQL statements of the reference table `fees`, the fee schedule.
import { rowsAsJson, type TransactionSql } from '../../sql/connect.ts'
import type { Tag } from '../../sql/sql.ts'
import type { Fee, FeeKey } from './rules.ts'

export async function listFees(sql: Tag): Promise<Fee[]> {
  return sql<Fee[]>`
    select payout_type, payout_currency, destination_country, network, charge_type, fixed_amount,
      fee_currency, variable_bps, minimum_amount, maximum_amount, sample
    from fees
    order by payout_type, payout_currency nulls first, destination_country nulls first,
      network nulls first, charge_type nulls first`
}

/** Inserts rows, and replaces rows with the same matching columns. */
export async function upsertFees(sql: Tag, fees: readonly Fee[]): Promise<void> {
  await sql`
    insert into fees (payout_type, payout_currency, destination_country, network, charge_type,
      fixed_amount, fee_currency, variable_bps, minimum_amount, maximum_amount, sample)
    select payout_type, payout_currency, destination_country, network, charge_type,
      fixed_amount, fee_currency, variable_bps, minimum_amount, maximum_amount, sample
    from json_to_recordset(${rowsAsJson(fees)}::text::json)
      as r(payout_type text, payout_currency text, destination_country text, network text,
        charge_type text, fixed_amount bigint, fee_currency text, variable_bps integer,
        minimum_amount bigint, maximum_amount bigint, sample boolean)
    on conflict (payout_type, payout_currency, destination_country, network, charge_type)
    do update set fixed_amount = excluded.fixed_amount, fee_currency = excluded.fee_currency,
      variable_bps = excluded.variable_bps, minimum_amount = excluded.minimum_amount,
      maximum_amount = excluded.maximum_amount, sample = excluded.sample`
}

/** Replaces the whole schedule. An equal row makes no change in the history. */
export async function replaceFees(tx: TransactionSql, fees: readonly Fee[]): Promise<void> {
  await tx`
    delete from fees f
    where not exists (
      select from json_to_recordset(${rowsAsJson(fees)}::text::json)
        as r(payout_type text, payout_currency text, destination_country text, network text,
          charge_type text)
      where f.payout_type = r.payout_type
        and f.payout_currency is not distinct from r.payout_currency
        and f.destination_country is not distinct from r.destination_country
        and f.network is not distinct from r.network
        and f.charge_type is not distinct from r.charge_type)`
  await upsertFees(tx, fees)
}

/** Deletes a row; false without such a row. */
export async function deleteFee(tx: TransactionSql, key: FeeKey): Promise<boolean> {
  const { count } = await tx`
    delete from fees
    where payout_type = ${key.payout_type}
      and payout_currency is not distinct from ${key.payout_currency}
      and destination_country is not distinct from ${key.destination_country}
      and network is not distinct from ${key.network}
      and charge_type is not distinct from ${key.charge_type}`
  return count === 1
}

/**
 * Blocks other writers of fees until the transaction ends. Readers go on. A change takes this lock
 * before it compares its rows with the stored rows.
 */
export async function lockFees(tx: TransactionSql): Promise<void> {
  await tx`lock table fees in share row exclusive mode`
}
