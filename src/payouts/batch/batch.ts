// The nouns of batches: the batch, its items and its totals.
import type { Maker } from '../../accounts/maker.ts'
import type { Problem } from '../../values/errors.ts'
import type { Instant } from '../../values/instant.ts'
import type { PayoutOutcome } from '../create/new-row.ts'
import type { PayoutRequest } from '../request.ts'

export const BATCH_MODES = ['all_or_nothing', 'best_effort'] as const
export type BatchMode = (typeof BATCH_MODES)[number]

export const ITEM_STATUSES = ['created', 'held', 'refused'] as const
export type ItemStatus = (typeof ITEM_STATUSES)[number]

/** The debits of the batch in one balance, in minor units of its currency. */
export interface Total {
  readonly currency: string
  /** How many payouts the balance paid. */
  readonly payouts: number
  readonly amount: bigint
  readonly fixed_fee: bigint
  readonly variable_fee: bigint
  /** The available balance after the last of these payouts. */
  readonly available_after: bigint
}

/** A batch as stored. */
export interface PayoutBatch {
  readonly account_id: string
  readonly id: string
  readonly mode: BatchMode
  /** '' is "not set". */
  readonly reference_id: string
  readonly metadata: Readonly<Record<string, string>> | null
  /** How many payouts were made and not held, made and held, and refused. */
  readonly created: number
  readonly held: number
  readonly refused: number
  /** By currency code. */
  readonly totals: readonly Total[]
  readonly made_by: Maker
  readonly created_at: Instant
}

/** One requested payout of a batch, as stored. */
export interface BatchItem {
  readonly account_id: string
  readonly batch_id: string
  /** Its index in the request. */
  readonly position: number
  readonly status: ItemStatus
  /** '' when the payout was refused. */
  readonly payout_id: string
  readonly reference_id: string
  /** Why the payout was refused. `remarks` are paths within the payout. */
  readonly problems: readonly Problem[]
}

/** The decision on one payout: an outcome, or problems. */
export interface Decided {
  readonly position: number
  readonly request: PayoutRequest
  readonly outcome: PayoutOutcome | null
  readonly problems: readonly Problem[]
}
