// Attempts of a payout: one payout handed to one rail, once. Pure.
import type { Attempt } from '../rail/rail.ts'
import type { Payout } from './payout.ts'
import { uetrOf } from './swift/uetr.ts'

/**
 * The first attempt of a payout. Its end-to-end reference is the one that the payout's MT103 says.
 */
export function firstAttempt({ id, rail, created_at }: Payout): Attempt {
  return {
    id: `${id}-1`,
    number: 1,
    rail,
    opened_at: created_at,
    // Made when it is read: the simulator reads none.
    get uetr() {
      return uetrOf(id)
    },
  }
}
