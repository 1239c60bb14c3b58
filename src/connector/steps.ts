// What a connector has said about an attempt, as the steps of its payout. All of the evidence is
// read, in the order of receipt. A contradiction becomes an exception for a person; only an
// explicit rejection fails a payout. Pure.
import { DAY_MS } from '../instant.ts'
import { moneyWords } from '../money/words.ts'
import type { RailReport, RailStep } from '../rail/rail.ts'
import { STEP_STATUSES, type Step, type StepStatus } from './protocol.ts'

/** A step as it was reported, once. */
export type ToldStep = Pick<Step, 'number' | 'status' | 'code' | 'message'> &
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

type Said = Pick<RailReport, 'steps' | 'not_taken' | 'exception'>

/** Final steps: no step follows them. */
const LAST: readonly string[] = ['rejected', 'not_taken', 'cancelled', 'returned']

/**
 * The steps of the payout, in the order of receipt. None of a history that contradicts itself is
 * applied: its beginning may be the wrong part.
 */
export function readSteps(told: readonly ToldStep[]): Said {
  const problem = historyProblem(told)
  if (problem !== '') return { steps: [], exception: { kind: 'contradiction', message: problem } }
  const said = { steps: railSteps(told) }
  const last = lastKnown(told)
  if (last?.status !== 'not_taken') return said
  return { ...said, not_taken: { code: last.code, message: last.message } }
}

/**
 * Why a history is impossible, as a sentence; '' when it is possible. Unknown steps say nothing.
 */
export function historyProblem(told: readonly Pick<ToldStep, 'number' | 'status'>[]): string {
  let before: Pick<ToldStep, 'status'> | undefined
  for (const [i, step] of told.entries()) {
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
 * Why a person must look at the amounts of steps, as a sentence; '' when they fit the order. They
 * do not if another amount was paid, or if more came back than was paid, or nothing did.
 */
export function amountProblem(told: readonly ToldStep[], ordered: Money): string {
  const step = told.find(each => {
    const { amount, currency } = moneyOf(each, ordered)
    const is_other = currency !== ordered.currency
    if (each.status === 'paid') return is_other || amount !== ordered.amount
    return each.status === 'returned' && (amount === 0n || (!is_other && amount > ordered.amount))
  })
  if (step === undefined) return ''
  const [said, was] = [moneyOf(step, ordered), ordered].map(words)
  return `The rail says ${step.status} ${said}, and ${was} was ordered.`
}

/**
 * What came back, if it is less than was paid, or in another currency; undefined when it is all of
 * it. The account gets back what it paid: the difference is a cost of the operator.
 */
export function shortReturn(told: readonly ToldStep[], ordered: Money): string | undefined {
  const step = told.find(({ status }) => status === 'returned')
  const said = step === undefined ? ordered : moneyOf(step, ordered)
  return words(said) === words(ordered) ? undefined : words(said)
}

/** The money of a step; if the step does not say it, the ordered money. */
function moneyOf({ amount, currency }: ToldStep, ordered: Money): Money {
  return { amount: amount ?? ordered.amount, currency: currency || ordered.currency }
}

const words = ({ amount, currency }: Money) => moneyWords(amount, currency)

/** Whether a payment with this step is paid, or will never be paid. */
export function isEnd(status: string): boolean {
  return status === 'paid' || LAST.includes(status)
}

function lastKnown(told: readonly ToldStep[]): ToldStep | undefined {
  return told.findLast(({ status }) => isKnown(status))
}

function isKnown(status: string): status is StepStatus {
  return Object.hasOwn(STEP_STATUSES, status)
}

function mayFollow(before: string, status: string): boolean {
  if (LAST.includes(before)) return false
  return before !== 'paid' || status === 'returned'
}

function railSteps(told: readonly ToldStep[]): readonly RailStep[] {
  const steps: RailStep[] = []
  for (const step of told) {
    const next = isKnown(step.status) ? railStep(step, step.status) : undefined
    if (next === undefined) continue
    const waits = isWait(steps.at(-1))
    if (next.status === 'processing' && !waits) continue
    // Between two waits there is a step to `processing` (payout/states.ts).
    if (waits && isWait(next)) steps.push({ status: 'processing', failure: null })
    steps.push(next)
  }
  return steps
}

function isWait(step: RailStep | undefined): boolean {
  return step?.status === 'requires_action' || step?.status === 'compliance_hold'
}

function railStep(step: ToldStep, status: StepStatus): RailStep | undefined {
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
      return { status: 'failed', failure: failureOf(step, 'PF000400', 'rejected') }
    case 'cancelled':
      return { status: 'failed', failure: failureOf(step, 'PF000410', 'cancelled') }
    case 'returned':
      return { status: 'reversed', failure: failureOf(step, 'PR000400', 'returned') }
    case 'not_taken':
      return undefined
  }
}

/** The message keeps the raw code of the provider. */
function failureOf({ code, message, category }: ToldStep, known_as: string, fallback: string) {
  const words = [code, message].filter(text => text.trim() !== '').join(': ')
  return {
    code: known_as,
    category: category || fallback,
    message: words || 'No reason was given.',
  }
}

const MINUTE_MS = 60_000
/** How long a payment that has ended is asked about, once a day: returns come late. */
export const ENDED_FOR_MS = 60 * DAY_MS

/**
 * When to ask again; null when it is no longer useful. A young payment is asked about often, an old
 * one ever less. A payment that has ended is asked about once a day while its rail knows its id:
 * paid money may come back, and a provider may take back a refusal.
 */
export function askAgainIn(
  told: readonly ToldStep[],
  age: { readonly since_opened_ms: number; readonly since_ended_ms: number },
  key_lifetime_ms: number | null,
): number | null {
  const last = lastKnown(told)?.status ?? ''
  if (isEnd(last)) {
    const known_for_ms = (key_lifetime_ms ?? Number.POSITIVE_INFINITY) - age.since_opened_ms
    const is_over = age.since_ended_ms >= ENDED_FOR_MS || known_for_ms <= 0
    return is_over ? null : Math.min(DAY_MS, known_for_ms)
  }
  const wanted = Math.floor(age.since_opened_ms / 10)
  return Math.min(15 * MINUTE_MS, Math.max(1_000, wanted))
}

/** Whether the last step says that neither the provider nor the payee has the money. */
export function hasNoMoney(told: readonly ToldStep[]): boolean {
  return LAST.includes(lastKnown(told)?.status ?? '')
}
