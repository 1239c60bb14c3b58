// Attempts as they are stored: one payout handed to one rail, once. Also rail exceptions, which a
// person must look at. Pure.
import type { PayeeNotice, StoredNotice } from '../parties/beneficiary/notice.ts'
import type { Instant } from '../values/instant.ts'
import type { Attempt } from './rail.ts'
import type { RouteTaken } from './rules.ts'

/** How an attempt ended; '' while it is open. */
export type AttemptEnd = '' | 'paid' | 'failed' | 'not_taken' | 'returned'

/** Why a rail has not taken an attempt. */
export interface NotTaken {
  readonly code: string
  readonly message: string
}

export interface PayoutAttempt extends Omit<Attempt, 'id' | 'arrival_days'> {
  readonly account_id: string
  readonly payout_id: string
  /** The route that led to the rail; null when a person named it. */
  readonly route: RouteTaken | null
  /** When the rail was first asked about the attempt, and may have it since; null: not yet. */
  readonly asked_at: Instant | null
  readonly ended_at: Instant | null
  readonly ended_as: AttemptEnd
  readonly not_taken: NotTaken | null
  readonly rail_references: Readonly<Record<string, string>>
  readonly released_at: Instant | null
  readonly expected_at: Instant | null
  /** When the rail of an attempt that is over is asked again; null: it is not asked. */
  readonly ask_again_at: Instant | null
}

/** Whether the attempt ended without a payment. Its rail's later reports add no step. */
export function isOver({ ended_as }: Pick<PayoutAttempt, 'ended_as'>): boolean {
  return ended_as !== '' && ended_as !== 'paid'
}

/** An exception for a person. `isHolding` says whether the payout stands still meanwhile. */
export interface RailException extends Omit<StoredNotice, 'notice'> {
  readonly attempt: number
  readonly rail: string
  readonly kind: string
  readonly message: string
  /** The change of the payee that the bank asks for; null for other exceptions, and once erased. */
  readonly notice: PayeeNotice | null
  /** The finding of the person who closed it. */
  readonly note: string
}

/**
 * The kinds of exceptions that hold no payout back: the rail's reports count while they are open. A
 * `notice` asks a person for something, and the bank's payment is as it was. Anybody can cause a
 * `doubt`, at a time of their choice; nobody makes a second payment, by hand or by a file, before a
 * person has looked. Every other kind holds the payout back.
 */
const HOLDS_NOTHING = {
  change_notified: 'notice',
  return_answered: 'notice',
  credit_unmarked: 'doubt',
} as const

type Free = typeof HOLDS_NOTHING
export type NoticeKind = {
  [Kind in keyof Free]: Free[Kind] extends 'notice' ? Kind : never
}[keyof Free]

const FREE: ReadonlyMap<string, 'notice' | 'doubt'> = new Map(Object.entries(HOLDS_NOTHING))

export const FREE_KINDS: readonly string[] = [...FREE.keys()]

export const NOTICES = FREE_KINDS.filter(kind => isNotice({ kind })) as readonly NoticeKind[]

export function isNotice({ kind }: Pick<RailException, 'kind'>): boolean {
  return FREE.get(kind) === 'notice'
}

/** Whether the exception is open and no notice: nobody makes a second payment meanwhile. */
export function isOpenException(exception: Pick<RailException, 'closed_at' | 'kind'>): boolean {
  return exception.closed_at === null && !isNotice(exception)
}

/** Whether an exception, once open, holds the payout back until a person has closed it. */
export function holdsBack({ kind }: Pick<RailException, 'kind'>): boolean {
  return !FREE.has(kind)
}

/** Whether the exception is open and holds the payout back. */
export function isHolding(exception: Pick<RailException, 'closed_at' | 'kind'>): boolean {
  return exception.closed_at === null && holdsBack(exception)
}

/** References that only operators read: a bank's status may be about the operator's own account. */
const OPERATOR_ONLY: ReadonlySet<string> = new Set(['bank_status'])

export function accountReferences(references: PayoutAttempt['rail_references']) {
  const known = Object.entries(references).filter(([name]) => !OPERATOR_ONLY.has(name))
  return Object.fromEntries(known)
}

/** The id by which a rail knows an attempt. */
export function attemptId(payout_id: string, number: number): string {
  return `${payout_id}-${number}`
}

/** The key of an attempt in maps. */
export function attemptName(of: Pick<PayoutAttempt, 'account_id' | 'payout_id' | 'number'>) {
  return `${of.account_id}/${attemptId(of.payout_id, of.number)}`
}

/** The attempt as its rail gets it. */
export function attemptOf(attempt: PayoutAttempt): Attempt {
  const { payout_id, number, rail, uetr, opened_at, route } = attempt
  const arrival_days = route?.timetable?.arrival_days ?? null
  return { id: attemptId(payout_id, number), number, rail, uetr, opened_at, arrival_days }
}
