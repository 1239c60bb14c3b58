// Converts answers of a connector to evidence and back: one row for a payment, one for each of its
// steps, and one for an answer without a payment. Pure.
import type { Evidence, NewEvidence } from '../../rails/evidence.ts'
import type { RailPayout } from '../../rails/rail.ts'
import type { Payment, Step } from './protocol.ts'
import { amountProblem, type Money } from './steps.ts'

/** A row of evidence without the members that follow from its payout. */
export type ConnectorEvidence = Omit<
  NewEvidence,
  'account_id' | 'payout_id' | 'attempt' | 'rail' | 'source'
>

/** The levels of evidence. With its number in the level, no step counts as a repeat of another. */
const PAYMENT = 'payment'
const ANSWER = 'answer'
const STEP = /^step ([0-9]+)$/

const EMPTY = {
  position: '',
  reasons: [],
  message: '',
  amount: null,
  currency: '',
  reference: '',
  said_at: '',
  detail: {},
}

export function paymentEvidence(payment: Payment): readonly ConnectorEvidence[] {
  const { amount, currency, reference } = payment
  const taken = { ...EMPTY, level: PAYMENT, code: 'taken', reference: plain(reference) }
  return [{ ...taken, amount: BigInt(amount), currency }, ...payment.steps.map(stepEvidence)]
}

/** The evidence of an answer without a payment: a refused order, or an unknown payment. */
export function answerEvidence(status_code: number, message: string): ConnectorEvidence {
  return { ...EMPTY, level: ANSWER, code: String(status_code), message: plain(message) }
}

function stepEvidence({
  number,
  status,
  code,
  message,
  at,
  category,
  ...money
}: Step): ConnectorEvidence {
  return {
    ...EMPTY,
    level: `step ${number}`,
    code: plain(status),
    reasons: code === '' ? [] : [plain(code)],
    message: plain(message),
    amount: money.amount === undefined ? null : BigInt(money.amount),
    currency: money.currency ?? '',
    said_at: at,
    detail: category === undefined ? {} : { category: plain(category) },
  }
}

/** The row with the members that follow from its payout. */
export function withPayout(payout: RailPayout, row: ConnectorEvidence): NewEvidence {
  const { account_id, id: payout_id, attempt } = payout
  return { account_id, payout_id, attempt: attempt.number, rail: attempt.rail, source: '', ...row }
}

/** Removes control characters: PostgreSQL takes no NUL, and a terminal obeys the others. */
function plain(text: string): string {
  return text.toWellFormed().replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, ' ')
}

/** Whether the connector has ever answered that it has the payment. */
export function wasTaken(evidence: readonly Evidence[]): boolean {
  return evidence.some(({ level }) => level === PAYMENT)
}

/** The reported steps, in the order of receipt. */
export function stepsIn(evidence: readonly Evidence[]) {
  return evidence.flatMap(({ level, code: status, reasons, detail, ...row }) => {
    const [, number] = STEP.exec(level) ?? []
    if (number === undefined) return []
    const { message, amount, currency, received_at } = row
    const { category = '' } = detail as { readonly category?: string }
    const code = reasons[0] ?? ''
    const money = { amount, currency }
    return [{ number: Number(number), status, code, message, category, ...money, received_at }]
  })
}

/** Why a person must look at the evidence of a payment; undefined when it fits the order. */
export function paymentProblem(evidence: readonly Evidence[], ordered: Money) {
  const payments = evidence.filter(({ level }) => level === PAYMENT)
  const misfit = payments.find(
    ({ amount, currency }) => amount !== ordered.amount || currency !== ordered.currency,
  )
  if (misfit !== undefined) {
    const [actual, expected] = [misfit, ordered].map(
      ({ amount, currency }) => `${amount} ${currency}`,
    )
    const message = `The rail has ${actual} (minor units), and ${expected} was ordered.`
    return { kind: 'amount_differs', message }
  }
  const problem = amountProblem(stepsIn(evidence), ordered)
  if (problem !== '') return { kind: 'amount_differs', message: problem }
  const references = [...new Set(payments.map(({ reference }) => reference))].filter(r => r !== '')
  if (references.length < 2) return undefined
  const message = `The rail names this payment ${references.join(' and ')}: it may be paid twice.`
  return { kind: 'reference_differs', message }
}
