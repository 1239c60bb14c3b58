// Derives a payout's steps from all evidence of its attempt at a connector, in the order of
// receipt. A contradiction becomes an exception for a person. Only an explicit rejection or
// cancellation fails a payout. Pure.
import type { RailReport, RailStep } from '../../rails/rail.ts'
import { isWholeReturn } from '../../rails/returned.ts'
import { reasonOf } from '../../values/bank-format/reason.ts'
import { failureWith } from '../../values/failures.ts'
import { DAY_MS } from '../../values/instant.ts'
import { moneyWords } from '../../values/money/words.ts'
import { STEP_STATUSES, type Step, type StepStatus } from './protocol.ts'

/** A step as the connector reported it. */
export type ReportedStep = Pick<Step, 'number' | 'status' | 'code' | 'message'> &
  Partial<Pick<Step, 'category'>> & {
    /** Minor units; null or absent: the ordered amount. */
    readonly amount?: bigint | null
    readonly currency?: string
  }

export interface Money {
  /** Minor units. */
  readonly amount: bigint
  readonly currency: string
}

type StepsReport = Pick<RailReport, 'steps' | 'not_taken' | 'exception'>

/** The statuses that no step may follow. */
const FINAL_STATUSES: readonly string[] = ['rejected', 'not_taken', 'cancelled', 'returned']

/**
 * The payout's steps, in the order of receipt. A history that contradicts itself gives an exception
 * and no step at all, because its earlier part may be the wrong one.
 */
export function readSteps(reported: readonly ReportedStep[]): StepsReport {
  const problem = historyProblem(reported)
  if (problem !== '') return { steps: [], exception: { kind: 'contradiction', message: problem } }
  const report = { steps: railSteps(reported) }
  const last = lastKnown(reported)
  if (last?.status !== 'not_taken') return report
  return { ...report, not_taken: { code: last.code, message: last.message } }
}

/**
 * Why a history is impossible, as a sentence; '' when it is possible. A step with an unknown status
 * is ignored, but its number counts.
 */
export function historyProblem(reported: readonly Pick<ReportedStep, 'number' | 'status'>[]) {
  let before: Pick<ReportedStep, 'status'> | undefined
  for (const [i, step] of reported.entries()) {
    if (step.number !== i + 1) {
      return `Step ${step.number} (${step.status}) came where step ${i + 1} is next.`
    }
    if (!isKnown(step.status)) continue
    if (before !== undefined && !mayFollow(before.status, step.status)) {
      return `The rail said ${step.status} after ${before.status}.`
    }
    if (before?.status !== 'paid' && step.status === 'returned') {
      return 'The rail said returned before it said paid.'
    }
    before = step
  }
  return ''
}

/**
 * Why a person must look at the amounts, as a sentence; '' when they fit the order. They do not fit
 * when `paid` has other money than the order, or `returned` has more, or less than a whole return.
 */
export function amountProblem(reported: readonly ReportedStep[], ordered: Money): string {
  const misfit = reported.find(step => {
    const money = moneyOf(step, ordered)
    if (step.status === 'paid') return words(money) !== words(ordered)
    if (step.status !== 'returned') return false
    return !isWholeReturn(money, ordered) || money.amount > ordered.amount
  })
  if (misfit === undefined) return ''
  const [actual, expected] = [moneyOf(misfit, ordered), ordered].map(words)
  return `The rail says ${misfit.status} ${actual}, and ${expected} was ordered.`
}

/**
 * The returned money as text, if it differs from the ordered money. The account gets back the money
 * that it paid, and the operator bears the difference.
 */
export function shortReturn(reported: readonly ReportedStep[], ordered: Money): string | undefined {
  const step = reported.find(({ status }) => status === 'returned')
  const returned = step === undefined ? ordered : moneyOf(step, ordered)
  return words(returned) === words(ordered) ? undefined : words(returned)
}

/** The money of a step; the ordered money when the step has none. */
function moneyOf({ amount, currency }: ReportedStep, ordered: Money): Money {
  return { amount: amount ?? ordered.amount, currency: currency || ordered.currency }
}

const words = ({ amount, currency }: Money) => moneyWords(amount, currency)

/** Whether a payment with this status is paid or will never be paid. */
export function isEnd(status: string): boolean {
  return status === 'paid' || FINAL_STATUSES.includes(status)
}

function lastKnown(reported: readonly ReportedStep[]): ReportedStep | undefined {
  return reported.findLast(({ status }) => isKnown(status))
}

function isKnown(status: string): status is StepStatus {
  return Object.hasOwn(STEP_STATUSES, status)
}

function mayFollow(before: string, status: string): boolean {
  if (FINAL_STATUSES.includes(before)) return false
  return before !== 'paid' || status === 'returned'
}

function railSteps(reported: readonly ReportedStep[]): readonly RailStep[] {
  const steps: RailStep[] = []
  for (const step of reported) {
    const next = isKnown(step.status) ? railStep(step, step.status) : undefined
    if (next === undefined) continue
    const waits = isWait(steps.at(-1))
    if (next.status === 'processing' && !waits) continue
    // A payout goes from one wait to another only through `processing` (payouts/states.ts).
    if (waits && isWait(next)) steps.push({ status: 'processing', failure: null })
    steps.push(next)
  }
  return steps
}

function isWait(step: RailStep | undefined): boolean {
  return step?.status === 'requires_action' || step?.status === 'compliance_hold'
}

function railStep(step: ReportedStep, status: StepStatus): RailStep | undefined {
  switch (status) {
    case 'accepted':
    case 'processing':
      return { status: 'processing', failure: null }
    case 'requires_action':
      return { status: 'requires_action', failure: null, description: step.message }
    case 'on_hold':
      return { status: 'compliance_hold', failure: null, description: step.message }
    case 'paid':
      return { status: 'succeeded', failure: null }
    case 'rejected':
      return { status: 'failed', failure: failureOf(step, 'PF000600'), ...wish(step) }
    case 'cancelled':
      return { status: 'failed', failure: failureOf(step, 'PF000610'), ...wish(step) }
    case 'returned':
      return { status: 'reversed', failure: failureOf(step, 'PR000600'), ...wish(step) }
    case 'not_taken':
      return undefined
  }
}

/** The mark of a wish, for a provider's code that ISO 20022 has for wishes, such as CUST. */
function wish({ code }: ReportedStep): { readonly at_wish?: true } {
  return reasonOf('iso20022', code, true)?.at_wish === true ? { at_wish: true } : {}
}

/** The message keeps the provider's own code, unchanged. */
function failureOf(
  { code, message, category }: ReportedStep,
  failure_code: 'PF000600' | 'PF000610' | 'PR000600',
) {
  const words = [code, message].filter(text => text.trim() !== '').join(': ')
  const failure = failureWith(failure_code, words || 'No reason was given.')
  return { ...failure, category: category || failure.category }
}

const MINUTE_MS = 60_000
/** How long the connector is asked about a payment that has ended: returns come late. */
export const ENDED_FOR_MS = 60 * DAY_MS

/**
 * The milliseconds until the connector is asked again; null: never. Questions become rarer as a
 * payment ages. After its end they follow daily, while the connector knows its id: paid money may
 * come back, and a provider may take back a refusal.
 */
export function askAgainIn(
  reported: readonly ReportedStep[],
  age: { readonly since_opened_ms: number; readonly since_ended_ms: number },
  key_lifetime_ms: number | null,
): number | null {
  const last = lastKnown(reported)?.status ?? ''
  if (isEnd(last)) {
    const left_ms = (key_lifetime_ms ?? Number.POSITIVE_INFINITY) - age.since_opened_ms
    const is_over = age.since_ended_ms >= ENDED_FOR_MS || left_ms <= 0
    return is_over ? null : Math.min(DAY_MS, left_ms)
  }
  const tenth_of_age_ms = Math.floor(age.since_opened_ms / 10)
  return Math.min(15 * MINUTE_MS, Math.max(1_000, tenth_of_age_ms))
}

/** Whether neither the provider nor the payee has the money, by the last known status. */
export function hasNoMoney(reported: readonly ReportedStep[]): boolean {
  return FINAL_STATUSES.includes(lastKnown(reported)?.status ?? '')
}
