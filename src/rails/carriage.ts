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

/** A member of the payee or payout that a rail cannot carry. */
export interface CarriageFault {
  readonly member: 'name' | 'address.city' | 'address.country' | 'on_behalf_of'
  readonly message: string
}

/** The faults of a payout on each rail, by the rail's name. Other rails carry any payout. */
export type Carriage = ReadonlyMap<string, (payout: Carried) => readonly CarriageFault[]>

/** The faults of the first of these rails, when each of them has some; [] when one takes it. */
export function faultsOfAll(carriage: Carriage, rails: readonly string[], payout: Carried) {
  let first: readonly CarriageFault[] = []
  for (const rail of rails) {
    const faults = carriage.get(rail)?.(payout) ?? []
    if (faults.length === 0) return []
    if (first.length === 0) first = faults
  }
  return first
}
