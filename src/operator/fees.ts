// Sets and removes rows of the fee schedule.
import { bankingCountry } from '../beneficiary/country.ts'
import type { Sql, TransactionSql } from '../db/connect.ts'
import { refusal } from '../errors.ts'
import { findChain } from '../network/chain.ts'
import { isCountry } from '../network/country.ts'
import { NETWORKS } from '../network/local.ts'
import { paymentNetworksNamed } from '../network/payment.ts'
import { findFeeSlips } from '../price/fee/guard.ts'
import { describeSubject, type FeeVocabulary } from '../price/fee/load.ts'
import type { Fee } from '../price/fee/rules.ts'
import { deleteFee, listFees, lockFees, replaceFees, upsertFees } from '../price/fee/store.ts'
import { PAYOUT_TYPES } from '../quote/quote.ts'
import { CHARGE_TYPES } from '../quote/request.ts'
import { hasNoCountry } from '../quote/terms.ts'

interface AskedFees {
  /** Whether a person has seen the likely slips and confirms them. */
  readonly force: boolean
  readonly dry_run?: boolean
  /** Whether the rows become the whole schedule. */
  readonly replace?: boolean
}

/**
 * Sets rows of the schedule, all or none; returns the schedule before. Refuses likely slips (422).
 */
export function setFees(
  sql: Sql,
  fees: readonly Fee[],
  { force, dry_run = false, replace = false }: AskedFees,
): Promise<readonly Fee[]> {
  return changeFees(sql, async (tx, present) => {
    if (!force) refuseSlips(fees, present)
    if (dry_run) return
    await (replace ? replaceFees(tx, fees) : upsertFees(tx, fees))
  })
}

/**
 * Removes the row with the same matching columns; returns the schedule before. Refuses (404) if
 * there is none.
 */
export function removeFee(sql: Sql, key: Fee): Promise<readonly Fee[]> {
  return changeFees(sql, async tx => {
    if (await deleteFee(tx, key)) return
    throw refusal('not_found', `no row is for exactly ${describeSubject(key)}`)
  })
}

/** Changes the schedule under a lock; returns the schedule before. */
function changeFees(
  sql: Sql,
  write: (tx: TransactionSql, present: readonly Fee[]) => Promise<void>,
): Promise<readonly Fee[]> {
  return sql.begin(async tx => {
    await lockFees(tx)
    const before = await listFees(tx)
    await write(tx, before)
    return before
  })
}

function refuseSlips(fees: readonly Fee[], present: readonly Fee[]): void {
  const slips = fees.flatMap(fee => findFeeSlips(fee, sameRow(present, fee)))
  if (slips.length > 0) throw refusal('likely_slip', slips.join('; '))
}

/** The row with the same matching columns. */
export function sameRow(fees: readonly Fee[], fee: Fee): Fee | undefined {
  return fees.find(row => describeSubject(row) === describeSubject(fee))
}

/** The values that rows of fees may have: the types, networks and countries of payouts. */
export const VOCABULARY: FeeVocabulary = {
  payout_types: PAYOUT_TYPES,
  charge_types: { swift: CHARGE_TYPES },
  countryFault,
  networkName,
}

function countryFault(payout_type: string, code: string): string | undefined {
  if (hasNoCountry(payout_type)) return `a ${payout_type} payout has no destination_country`
  if (!isCountry(code)) return `unknown country ${code}`
  const country = bankingCountry(code)
  if (country === code) return undefined
  return `accounts of ${code} count as of ${country} (docs/requirements.md); name ${country}`
}

function networkName(payout_type: string, name: string): string | undefined {
  const wanted = name.toLowerCase()
  switch (payout_type) {
    case 'local':
      return NETWORKS.find(network => network.name === wanted)?.name
    case 'wallet':
      return findChain(wanted)?.type
    case 'local_payment_network':
      return paymentNetworksNamed(wanted)[0]?.name
    default:
      return undefined
  }
}
