// What the rules of batches speak of: the batch, its items, and what it comes to.
import type { Problem } from '../errors.ts'
import type { Instant } from '../instant.ts'
import type { PayoutOutcome } from '../payout/payout.ts'
import type { PayoutRequest } from '../payout/request.ts'

export const BATCH_MODES = ['all_or_nothing', 'best_effort'] as const
export type BatchMode = (typeof BATCH_MODES)[number]

export const ITEM_STATUSES = ['created', 'held', 'refused'] as const
export type ItemStatus = (typeof ITEM_STATUSES)[number]

/** What was taken of one balance; amounts in minor units of its currency. */
export interface Total {
  readonly currency: string
  /** How many payouts were made from it. */
  readonly payouts: number
  readonly amount: bigint
  readonly fixed_fee: bigint
  readonly variable_fee: bigint
  /** What the balance was when the last of them was made. */
  readonly available_after: bigint
}

/** A batch as stored, once it is made. */
export interface PayoutBatch {
  readonly account_id: string
  readonly id: string
  readonly mode: BatchMode
  /** '' when none was sent. */
  readonly reference_id: string
  readonly metadata: Readonly<Record<string, string>> | null
  readonly created: number
  readonly held: number
  readonly refused: number
  /** In the order of the codes of currencies. */
  readonly totals: readonly Total[]
  readonly created_at: Instant
}

/** One payout asked for, as stored. */
export interface BatchItem {
  readonly account_id: string
  readonly batch_id: string
  /** Its index in the request. */
  readonly position: number
  readonly status: ItemStatus
  /** '' when it was refused. */
  readonly payout_id: string
  readonly reference_id: string
  /** Their `remarks` begin at the payout, not at the request. */
  readonly problems: readonly Problem[]
}

/** What becomes of one payout: it is made, or there are problems. */
export interface Decided {
  readonly position: number
  readonly request: PayoutRequest
  readonly outcome: PayoutOutcome | null
  readonly problems: readonly Problem[]
}
