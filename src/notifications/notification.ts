// The nouns of notifications: what people are told, by which way, and how far each way has come.
import type { Instant } from '../values/instant.ts'

/** What a person must know of: one message has all of one kind. */
export const KINDS = [
  'approval',
  'hold',
  'failure',
  'low_balance',
  'endpoint',
  'stale_rate',
  'fault',
] as const
export type Kind = (typeof KINDS)[number]

export const WAYS = ['email', 'webhook'] as const
export type WayName = (typeof WAYS)[number]

/** How many new things of one sort an account has; ids and counts, and no personal data. */
export interface News {
  /** What it is, by its words: `payout`, `screening`. */
  readonly sort: Sort
  /** The account; '' for something of the installation. */
  readonly account_id: string
  readonly count: number
  /** A currency, or a pair of them; '' for none. */
  readonly of: string
}

/** The sorts of each kind. */
export const SORTS = {
  approval: ['payout', 'beneficiary'],
  hold: ['screening', 'review', 'action', 'exception'],
  failure: ['failed', 'reversed'],
  low_balance: ['balance'],
  endpoint: ['endpoint'],
  stale_rate: ['rate'],
  fault: ['fault'],
} as const satisfies Record<Kind, readonly string[]>
export type Sort = (typeof SORTS)[Kind][number]

export interface Message {
  readonly subject: string
  readonly text: string
}

/** A way to people. */
export interface Way {
  readonly name: WayName
  /** Rejects with a SendFailed. */
  send(message: Message): Promise<void>
}

/** Why a message was not taken, in words without an address or a secret. */
export class SendFailed extends Error {}

/** The part of the time that a message is about: after `from`, up to `to`. */
export interface Period {
  readonly from: Instant
  readonly to: Instant
}

/** How far people were told of one kind by one way. */
export interface WayState {
  readonly kind: Kind
  readonly way: WayName
  /** Everything up to then is told. */
  readonly told_until: Instant
  /** How often in a row the way has failed, since when, and why last; '' after a success. */
  readonly failures: number
  readonly failing_since: Instant | null
  readonly last_error: string
}

/** One kind by one way, claimed by this process. */
export interface Claim extends Omit<WayState, 'failing_since'> {
  /** The database's time at the claim. */
  readonly now: Instant
  /** Identifies the claim. */
  readonly due_at: Instant
}
