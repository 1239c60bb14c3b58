// What matching is about: open lines of a bank, open items of the books, and their matches. Amounts
// are minor units, money in (+) or out (−).
import type { IsoDate } from '../../values/calendar/calendar.ts'
import type { Instant } from '../../values/instant.ts'

/** The part of a nostro that matching needs. */
export interface Matched {
  readonly name: string
  readonly currency: string
}

/** A line of a bank that no live match has. */
export interface OpenLine {
  readonly id: bigint
  readonly nostro: string
  readonly amount: bigint
  readonly currency: string
  readonly booked_on: IsoDate
  readonly value_on: IsoDate
  readonly code: string
  readonly end_to_end_id: string
  readonly uetr: string
  readonly instruction: string
  readonly block: string
  readonly file: string
  readonly bank_reference: string
  readonly counterparty: string
  readonly counterparty_name: string
  readonly text: string
}

/** An item of the books that no live match has, with its payee or the account that it funds. */
export interface OpenItem {
  readonly id: bigint
  readonly nostro: string
  readonly amount: bigint
  readonly currency: string
  readonly booked_at: Instant
  readonly value_on: IsoDate
  readonly kind: string
  readonly account_id: string
  readonly payout_id: string
  readonly rail: string
  readonly key: string
  readonly uetr: string
  readonly block: string
  /** '' where nobody is known. */
  readonly payee_name: string
  readonly payee_account: string
}

/** A match to write. `by` is '' for a rule of the engine. */
export interface NewMatch {
  readonly nostro: string
  readonly rule: MatchRule
  readonly by: string
  readonly note: string
  readonly lines: readonly bigint[]
  readonly items: readonly bigint[]
  /** The sum of the lines, which is the sum of the items. */
  readonly sum: bigint
  /** The journal of the house that is written for this match; null for none. */
  readonly house_number: bigint | null
}

/**
 * Why lines and items are matched. `key`: an exact key of both. `details`: each payment of a line
 * has an item with its key. `block`: a line is the sum of a block of payments. `text`: the key is
 * a word of the line's text. `payee_account`: amount, account of the payee and date agree, and
 * those of nothing else, where the nostro lets that match. `nostro_rule`: a rule of the nostro has
 * booked the line. `person`: a person said so. `reversal`: a journal of the house, and the one
 * that reverses it.
 */
export const MATCH_RULES = [
  'key',
  'details',
  'block',
  'text',
  'payee_account',
  'nostro_rule',
  'person',
  'reversal',
] as const
export type MatchRule = (typeof MATCH_RULES)[number]

/** A match as it is stored. */
export interface StoredMatch extends NewMatch {
  readonly id: bigint
  readonly at: Instant
  readonly undone_at: Instant | null
}
