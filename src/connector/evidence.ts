// What a connector says, as evidence: a statement for the payment, one for each step, and one for
// an answer that has no payment. Pure.
import type { Evidence, NewEvidence } from '../rail/evidence.ts'
import type { RailPayout } from '../rail/rail.ts'
import type { Payment, Step } from './protocol.ts'
import { amountProblem, type Money, type ToldStep } from './steps.ts'

/** One statement of a connector. Its payout tells whose it is. */
export type Word = Omit<NewEvidence, 'account_id' | 'payout_id' | 'attempt' | 'rail' | 'source'>

/** The levels of evidence; the number of a step is part of its level. */
const PAYMENT = 'payment'
const ANSWER = 'answer'
const STEP = /^step ([0-9]+)$/

const NOTHING = {
  position: '',
  reasons: [],
  message: '',
  amount: null,
  currency: '',
  reference: '',
  said_at: '',
  detail: {},
}

export function wordsOf(payment: Payment): readonly Word[] {
  const { amount, currency, reference } = payment
  const taken = { ...NOTHING, level: PAYMENT, code: 'taken', reference: plain(reference) }
  return [{ ...taken, amount: BigInt(amount), currency }, ...payment.steps.map(wordOfStep)]
}

/** An answer without a payment: a refused order, or a payment that is no longer known. */
export function wordOfAnswer(status_code: number, message: string): Word {
  return { ...NOTHING, level: ANSWER, code: String(status_code), message: plain(message) }
}

function wordOfStep({ number, status, code, message, at, category, ...money }: Step): Word {
  return {
    ...NOTHING,
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

/** The statement with its payout. */
export function evidenceOf(payout: RailPayout, word: Word): NewEvidence {
  const { account_id, id: payout_id, attempt } = payout
  return { account_id, payout_id, attempt: attempt.number, rail: attempt.rail, source: '', ...word }
}

/** PostgreSQL takes no NUL, and a terminal obeys other control characters. */
function plain(text: string): string {
  return text.toWellFormed().replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, ' ')
}

/** Whether the connector has ever said that it has the payment. */
export function wasTaken(evidence: readonly Evidence[]): boolean {
  return evidence.some(({ level }) => level === PAYMENT)
}

/** The steps, in the order in which they came. */
export function stepsIn(
  evidence: readonly Evidence[],
): readonly (ToldStep & Pick<Evidence, 'received_at'>)[] {
  return evidence.flatMap(({ level, code: status, reasons, detail, ...said }) => {
    const [, number] = STEP.exec(level) ?? []
    if (number === undefined) return []
    const { message, amount, currency, received_at } = said
    const { category = '' } = detail as { readonly category?: string }
    const code = reasons[0] ?? ''
    const money = { amount, currency }
    return [{ number: Number(number), status, code, message, category, ...money, received_at }]
  })
}

/** Why a person must look at what was said about the payment; undefined when it fits the order. */
export function paymentProblem(
  evidence: readonly Evidence[],
  ordered: Money,
): { readonly kind: string; readonly message: string } | undefined {
  const payments = evidence.filter(({ level }) => level === PAYMENT)
  const other = payments.find(
    ({ amount, currency }) => amount !== ordered.amount || currency !== ordered.currency,
  )
  if (other !== undefined) {
    const [said, was] = [other, ordered].map(({ amount, currency }) => `${amount} ${currency}`)
    const message = `The rail has ${said} (minor units), and ${was} was ordered.`
    return { kind: 'amount_differs', message }
  }
  const differs = amountProblem(stepsIn(evidence), ordered)
  if (differs !== '') return { kind: 'amount_differs', message: differs }
  const references = [...new Set(payments.map(({ reference }) => reference))].filter(r => r !== '')
  if (references.length < 2) return undefined
  const message = `The rail names this payment ${references.join(' and ')}: it may be paid twice.`
  return { kind: 'reference_differs', message }
}
