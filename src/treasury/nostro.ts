// A nostro: an account of the installation at a bank, a provider or a chain, in one currency.
import type { Instant } from '../values/instant.ts'

export const NOSTRO_KINDS = ['bank', 'provider', 'chain', 'cash'] as const
export const PURPOSES = ['client', 'own'] as const
export const POOLS = ['payments', 'emoney', 'none'] as const

/** Each member that is absent is not set. */
export interface NostroSettings {
  /** How its statements are read, and by when each is due. */
  readonly statement?: {
    readonly format?: string
    /** Columns of a CSV file, by the name of the member of a line. */
    readonly mapping?: Readonly<Record<string, string>>
    /** `HH:MM` of UTC on the banking day after. */
    readonly due_by?: string
    readonly calendar?: string
  }
  /** Lines that are booked without an item: bank fees, interest, transfers. */
  readonly rules?: readonly Readonly<Record<string, string>>[]
  /** Minor units as text: a forecast below them warns, or wakes somebody. */
  readonly low?: string
  readonly critical?: string
  /** Minor units as text: from this credit on, two people decide whose it is. */
  readonly two_people_from?: string
  /** Whether a line and an item match by themselves by the payee's account, amount and date. */
  readonly match_by_account?: boolean
  /** Whether payouts that it does not cover wait, the longest due first. */
  readonly gate?: boolean
  /** Banking days after which an open item is missing at the bank. */
  readonly expected_days?: number
}

export interface Nostro {
  readonly name: string
  readonly kind: (typeof NOSTRO_KINDS)[number]
  readonly currency: string
  readonly institution: string
  /** The IBAN or number that its statements name, folded; '' for not set. */
  readonly account: string
  readonly bic: string
  readonly purpose: (typeof PURPOSES)[number]
  readonly pool: (typeof POOLS)[number]
  /** The rails whose payouts leave from it. */
  readonly rails: readonly string[]
  /** Minor units at the start of `opening_on`, at the bank and in the books. */
  readonly opening_balance: bigint
  /** A day of UTC. */
  readonly opening_on: string
  readonly closed_at: Instant | null
  readonly settings: NostroSettings
}
