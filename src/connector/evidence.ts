// What a connector says, as pieces of evidence: a piece for the payment, one for each step, and one
// for an answer that is none. A piece that was kept before is the same piece. Pure.
import type { Instant } from '../instant.ts'
import { instantFromIso } from '../instant.ts'
import type { Payment, Step } from './protocol.ts'
import type { ToldStep } from './steps.ts'

/** One thing that a connector said. '' is "not said". */
export interface Piece {
  readonly level: 'payment' | 'step' | 'answer'
  /** Of a step its number, else ''. */
  readonly item: string
  /** The status of a step, or of an answer. */
  readonly code: string
  /** The provider's own code. */
  readonly reason: string
  readonly text: string
  /** The provider's reference of the payment. */
  readonly reference: string
  readonly amount: bigint | null
  readonly currency: string
  readonly said_at: Instant | null
}

/** A piece as it was stored, in the order in which they came. */
export interface KeptPiece extends Piece {
  readonly received_at: Instant
}

export function piecesOf(payment: Payment): readonly Piece[] {
  const { amount, currency, reference } = payment
  const taken = { ...NOTHING, level: 'payment' as const, code: 'taken', reference }
  return [{ ...taken, amount: BigInt(amount), currency }, ...payment.steps.map(pieceOfStep)]
}

/** An answer that is no payment: a refused order, or a payment that is not known any more. */
export function pieceOfAnswer(status_code: number, text: string): Piece {
  return { ...NOTHING, level: 'answer', code: String(status_code), text }
}

const NOTHING = {
  item: '',
  reason: '',
  text: '',
  reference: '',
  amount: null,
  currency: '',
  said_at: null,
}

function pieceOfStep({ number, status, code, message, at, category, ...money }: Step): Piece {
  return {
    ...NOTHING,
    level: 'step',
    item: String(number),
    code: status,
    reason: code,
    text: category === undefined ? message : `${message} [${category}]`.trim(),
    amount: money.amount === undefined ? null : BigInt(money.amount),
    currency: money.currency ?? '',
    said_at: instantFromIso(at) ?? null,
  }
}

/** The steps in pieces, in the order in which they came. */
export function stepsIn(pieces: readonly Piece[]): readonly ToldStep[] {
  return pieces
    .filter(({ level }) => level === 'step')
    .map(({ item, code: status, reason, text }) => {
      return { number: Number(item), status, code: reason, message: text }
    })
}

/** Why a person must look at what was said of the payment; undefined when it fits the order. */
export function paymentProblem(
  pieces: readonly Piece[],
  ordered: { readonly amount: bigint; readonly currency: string },
): { readonly kind: string; readonly message: string } | undefined {
  const payments = pieces.filter(({ level }) => level === 'payment')
  const other = payments.find(
    ({ amount, currency }) => amount !== ordered.amount || currency !== ordered.currency,
  )
  if (other !== undefined) {
    const [said, was] = [other, ordered].map(({ amount, currency }) => `${amount} ${currency}`)
    const message = `The rail has ${said} (minor units), and ${was} was ordered.`
    return { kind: 'amount_differs', message }
  }
  const references = [...new Set(payments.map(({ reference }) => reference))].filter(r => r !== '')
  if (references.length < 2) return undefined
  const message = `The rail names this payment ${references.join(' and ')}: it may be paid twice.`
  return { kind: 'reference_differs', message }
}
