// Lists the rate book with the ages of rates, and sets one rate.

import { databaseNow, type Sql } from '../db/connect.ts'
import { secondsBetween } from '../instant.ts'
import { pricingFrom } from '../price/book.ts'
import { findFrame, listPolicies } from '../price/policy/store.ts'
import { type Changed, type ChangeOptions, changeRates } from '../price/rate/change.ts'
import { findGaps } from '../price/rate/gap.ts'
import type { Judged } from '../price/rate/guard.ts'
import { presentRate, type RateCells, readRate } from '../price/rate/load.ts'
import { goodUntil, type Rate, rateBookOf } from '../price/rate/rules.ts'
import { listRates } from '../price/rate/store.ts'
import type { Read } from '../text/csv.ts'

/** The rate book, with the age of each rate and until when it is good for live accounts. */
export async function datedRates(sql: Sql) {
  const rates = await listRates(sql)
  const policies = await listPolicies(sql)
  const now = await databaseNow(sql)
  // The policy of a live account without policies of its own.
  const pricing = pricingFrom({ rates, fees: [], policies })
  const { policyOf } = pricing({ account_id: '', sandbox: false }, now)
  const { pivot, spreadOf } = await findFrame(sql)
  const gaps = findGaps(rateBookOf(pivot, rates), spreadOf)
  const dated = rates.map(rate => ({
    ...presentRate(rate),
    gap: gaps.find(gap => gap.rate === rate)?.message ?? null,
    age_s: secondsBetween(rate.as_of, now),
    good_until: goodUntil(rate, policyOf(rate.base, rate.quote).max_age_s)?.good_until ?? null,
  }))
  return { dated, now }
}

export interface AskedRate extends Omit<ChangeOptions, 'pivot' | 'spreadOf'> {
  readonly cells: RateCells
  readonly peg: boolean
}

/**
 * Sets one rate, unless it is a likely slip and not forced. Returns what is wrong with its text.
 */
export async function setRate(
  sql: Sql,
  { cells, peg, ...options }: AskedRate,
): Promise<Read<Changed>> {
  const read = readRate(cells, { source: 'operator', now: await databaseNow(sql) })
  if (read.messages !== undefined) return read
  const value = { ...read.value, pegged: peg }
  const frame = await findFrame(sql)
  return { value: await changeRates(sql, [{ line: 1, value }], { ...options, ...frame }) }
}

export function presentChangedRate({ rate, before, inverse }: Judged) {
  const orNull = (row: Rate | undefined) => (row === undefined ? null : presentRate(row))
  return { ...presentRate(rate), previous: orNull(before), replaced_inverse: orNull(inverse) }
}
