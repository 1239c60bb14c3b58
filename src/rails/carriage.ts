// Whether the rails of a payout can carry it, as far as that is known before it is made. Pure.
import type { RailPayout } from './rail.ts'

/** The members of a payout that decide whether a rail can carry it. */
export type Carried = Pick<
  RailPayout,
  | 'beneficiary_details'
  | 'answers'
  | 'fund_transfer_network'
  | 'charge_type'
  | 'particulars'
  | 'destination_amount'
  | 'destination_currency'
>

/** Why a rail cannot carry a payout. */
export interface CarriageFault {
  /** The member of the payee or payout at fault; null: the operator can lead it elsewhere. */
  readonly member:
    | 'name'
    | 'address.city'
    | 'address.country'
    | 'destination_details.wallet.deposit_address'
    | 'amount'
    | 'on_behalf_of'
    | null
  readonly message: string
  /** What would make the payout fit, without a full stop; '' for nothing known. */
  readonly remedy: string
}

/** The faults of a payout on each rail, by the rail's name. Other rails carry any payout. */
export type Carriage = ReadonlyMap<string, (payout: Carried) => readonly CarriageFault[]>

/** A fault that the account can correct. */
export type PayeeFault = CarriageFault & { readonly member: string }

/**
 * The faults of the first of these rails that the account can correct, when each rail has some; []
 * when one takes it, or the operator alone can help.
 */
export function faultsOfAll(carriage: Carriage, rails: readonly string[], payout: Carried) {
  let first: readonly PayeeFault[] = []
  for (const rail of rails) {
    const faults = (carriage.get(rail)?.(payout) ?? []).filter(isOfPayee)
    if (faults.length === 0) return []
    if (first.length === 0) first = faults
  }
  return first
}

function isOfPayee(fault: CarriageFault): fault is PayeeFault {
  return fault.member !== null
}

/** The code of a rail that has not taken a payout because it cannot carry it. */
export const CANNOT_CARRY = 'file_cannot_carry'

/**
 * Why a rail cannot carry a payout, and what would make it fit; '' when it can. One way to lead it
 * elsewhere is enough.
 */
export function faultWords(faults: readonly CarriageFault[]): string {
  const elsewhere = faults.find(({ member, remedy }) => member === null && remedy !== '')
  const of_payee = faults.filter(isOfPayee).map(({ remedy }) => remedy)
  const remedies = [...of_payee, elsewhere?.remedy ?? ''].filter(Boolean)
  const fits = remedies.length === 0 ? '' : `. What helps: ${remedies.join(', and ')}`
  return faults.map(({ message }) => message).join('; ') + fits
}
