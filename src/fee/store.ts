// The statements of the fee schedule, a reference table.
import { rowsAsJson, type Sql } from '../db/connect.ts'
import type { Fee } from './rules.ts'

export async function listFees(sql: Sql): Promise<Fee[]> {
  return sql<Fee[]>`
    select payout_type, payout_currency, destination_country, network, charge_type, fixed_amount,
      fee_currency, variable_bps, minimum_amount, maximum_amount
    from fees
    order by payout_type, payout_currency nulls first, destination_country nulls first,
      network nulls first, charge_type nulls first`
}

/** Adds or replaces one row for each combination of matching columns. */
export async function upsertFees(sql: Sql, fees: readonly Fee[]): Promise<void> {
  await sql`
    insert into fees (payout_type, payout_currency, destination_country, network, charge_type,
      fixed_amount, fee_currency, variable_bps, minimum_amount, maximum_amount)
    select payout_type, payout_currency, destination_country, network, charge_type,
      fixed_amount, fee_currency, variable_bps, minimum_amount, maximum_amount
    from json_to_recordset(${rowsAsJson(fees)}::text::json)
      as r(payout_type text, payout_currency text, destination_country text, network text,
        charge_type text, fixed_amount bigint, fee_currency text, variable_bps integer,
        minimum_amount bigint, maximum_amount bigint)
    on conflict (payout_type, payout_currency, destination_country, network, charge_type)
    do update set fixed_amount = excluded.fixed_amount, fee_currency = excluded.fee_currency,
      variable_bps = excluded.variable_bps, minimum_amount = excluded.minimum_amount,
      maximum_amount = excluded.maximum_amount`
}

/** Makes the schedule exactly these rows, in one transaction. */
export async function replaceFees(sql: Sql, fees: readonly Fee[]): Promise<void> {
  await sql.begin(async tx => {
    await tx`delete from fees`
    if (fees.length > 0) await upsertFees(tx as unknown as Sql, fees)
  })
}
