// Derives the report of an attempt from all evidence of it, in the order of receipt. What does not
// go together becomes an exception for a person. Pure.
import type { Evidence } from '../../rails/evidence.ts'
import type { Failure, RailReport } from '../../rails/rail.ts'
import { failureOfCause, failureWith } from '../../values/failures.ts'
import { type Code, codeOf } from './evidence.ts'

export type ChainReport = Pick<RailReport, 'steps' | 'not_taken' | 'exception'>

type Row = Pick<Evidence, 'code' | 'reasons' | 'message' | 'reference' | 'received_at' | 'number'>

/** The codes behind which nothing follows by itself. */
const ENDS: readonly Code[] = ['refused', 'final', 'reverted', 'voided', 'differs', 'foreign']

/** The attempts of a payout that may end by a revert before the payout fails. */
const MOST_REVERTED = 3

/**
 * The report by this evidence. `attempt` is the number of the attempt within its payout. Two ends
 * that contradict each other give an exception and no step, because either may be the wrong one.
 */
export function reportOf(evidence: readonly Row[], attempt: number): ChainReport {
  const ends = evidence.filter(row => {
    const code = codeOf(row)
    return code !== undefined && ENDS.includes(code)
  })
  const codes = new Set(ends.filter(({ code }) => code !== 'foreign').map(({ code }) => code))
  if (codes.size > 1) {
    const words = ends.map(({ code, reference }) => `${code} ${reference}`.trim()).join(', ')
    const message = `The chain contradicts itself about one nonce: ${words}.`
    return { steps: [], exception: { kind: 'contradiction', message } }
  }
  const lost = evidence.findLast(({ code }) => code === 'final' || code === 'reorged')
  if (codes.has('final') && lost?.code === 'reorged') {
    const message = `The block of ${lost.reference} was paid, and is not on the chain any more.`
    return { steps: [], exception: { kind: 'history_changed', message } }
  }
  // A receipt that was found after all is more than the sight of a foreign transaction.
  const end = ends.findLast(({ code }) => code !== 'foreign') ?? ends.at(-1)
  return end === undefined ? { steps: [] } : ofEnd(end, attempt)
}

function ofEnd(row: Row, attempt: number): ChainReport {
  const { message, reasons } = row
  switch (codeOf(row)) {
    case 'final':
      return { steps: [{ status: 'succeeded', failure: null }] }
    case 'refused':
      if (reasons.includes('cannot_carry')) return notTaken('cannot_carry', message)
      return failed(ofRevert(row))
    case 'reverted':
      return reasons.includes('frozen') || attempt >= MOST_REVERTED
        ? failed(ofRevert(row))
        : again('reverted', row)
    case 'voided':
      return reasons.includes('again')
        ? again('voided', row)
        : failed(failureWith('PF000690', message))
    case 'differs':
      return { steps: [], exception: { kind: 'amount_differs', message } }
    case 'foreign':
      return { steps: [], exception: { kind: 'foreign_transaction', message } }
    default:
      return { steps: [] }
  }
}

function ofRevert({ reasons, message }: Row): Failure {
  const words = message || 'The token gave no reason.'
  return reasons.includes('frozen')
    ? { ...failureOfCause('account_blocked', 'failed'), message: words }
    : failureWith('PF000671', words)
}

function failed(failure: Failure): ChainReport {
  return { steps: [{ status: 'failed', failure }] }
}

/** The attempt is dead, so the same rail may take another one at once. */
function again(code: string, { message, received_at, reference }: Row): ChainReport {
  const words = message || `Transaction ${reference} has moved nothing.`
  return { steps: [], not_taken: { code, message: words, again_from: received_at } }
}

function notTaken(code: string, message: string): ChainReport {
  return { steps: [], not_taken: { code, message } }
}

/** Whether nothing follows by itself any more. */
export function isEnded(evidence: readonly Pick<Evidence, 'code'>[]): boolean {
  return evidence.some(row => {
    const code = codeOf(row)
    return code !== undefined && ENDS.includes(code)
  })
}

const MINUTE_MS = 60_000
const MOST_WAIT_MS = 15 * MINUTE_MS

/**
 * The milliseconds until the rail is asked again about a payment that is on its way: a block, then
 * half of its age. An end wakes the payout before.
 */
export function askAgainIn(age_ms: number, block_ms: number): number {
  const least_ms = Math.max(1_000, block_ms)
  return Math.min(MOST_WAIT_MS, Math.max(least_ms, Math.floor(age_ms / 2)))
}
