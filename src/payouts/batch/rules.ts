// The rules of batches: the decision on each payout, the totals of all payouts, and the refusal of
// the whole batch. payouts/create/create.ts decides a single payout. Pure.
import { type Problem, Refusal } from '../../values/errors.ts'
import { decidePayout } from '../create/create.ts'
import { intentIn } from '../create/intent.ts'
import type { PayoutOutcome } from '../create/new-row.ts'
import type { PayoutState } from '../payout.ts'
import type { PayoutRequest } from '../request.ts'
import type { BatchItem, BatchMode, Decided, ItemStatus, PayoutBatch, Total } from './batch.ts'
import { type BatchRequest, modeOf } from './request.ts'

/** The most problems that an answer lists; the others are counted. */
export const MAX_LISTED = 100

/**
 * Decides one payout after the earlier payouts of the batch. A refusal leaves the state unchanged,
 * so it does not affect later payouts.
 */
export function decideItem(state: PayoutState, request: PayoutRequest, position: number): Decided {
  try {
    const outcome = decidePayout(state, intentIn(state, request))
    return { position, request, outcome, problems: [] }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { position, request, outcome: null, problems: error.problems }
  }
}

export function statusOf({ outcome }: Decided): ItemStatus {
  if (outcome === null) return 'refused'
  return outcome.payout.held_for === '' ? 'created' : 'held'
}

export function itemOf(account_id: string, batch_id: string, decided: Decided): BatchItem {
  const { position, request, outcome, problems } = decided
  const { reference_id = '' } = request
  const payout_id = outcome?.payout.id ?? ''
  const status = statusOf(decided)
  return { account_id, batch_id, position, status, payout_id, reference_id, problems }
}

export interface Tally {
  readonly counts: Record<ItemStatus, number>
  readonly totals: Map<string, Total>
  /** The first refused payouts, at most MAX_LISTED. */
  readonly refused: Decided[]
  /** How many problems the refused payouts have. */
  problems: number
  /** The bytes of the batch's writes about its payouts. A dry run writes nothing. */
  text_bytes: number
}

export function newTally(): Tally {
  const counts = { created: 0, held: 0, refused: 0 }
  return { counts, totals: new Map(), refused: [], problems: 0, text_bytes: 0 }
}

export function addToTally(tally: Tally, decided: Decided): void {
  tally.counts[statusOf(decided)] += 1
  if (decided.outcome !== null) addTo(tally.totals, decided.outcome)
  else if (tally.refused.length < MAX_LISTED) tally.refused.push(decided)
  tally.problems += decided.problems.length
}

/** Adds the debit of a payout, which is its first entry; held payouts have one too. */
function addTo(totals: Map<string, Total>, { entries: [debit] }: PayoutOutcome): void {
  if (debit === undefined) throw new Error('a payout without its debit')
  const { currency, amount, fixed_fee, variable_fee, balance_after } = debit.line
  const before = totals.get(currency)
  totals.set(currency, {
    currency,
    payouts: (before?.payouts ?? 0) + 1,
    amount: (before?.amount ?? 0n) - amount,
    fixed_fee: (before?.fixed_fee ?? 0n) - fixed_fee,
    variable_fee: (before?.variable_fee ?? 0n) - variable_fee,
    available_after: balance_after,
  })
}

export function totalDebitOf({ amount, fixed_fee, variable_fee }: Omit<Total, 'currency'>): bigint {
  return amount + fixed_fee + variable_fee
}

/** Whether the refused payouts refuse the whole batch. */
export function isRefused(mode: BatchMode, { counts }: Pick<Tally, 'counts'>): boolean {
  return mode === 'all_or_nothing' && counts.refused > 0
}

/** Whether the batch makes any payout. A batch of refused payouts alone is not kept. */
export function makesPayouts({ counts }: Pick<Tally, 'counts'>): boolean {
  return counts.created + counts.held > 0
}

/** The refusal of the whole batch: the problems of each payout, by its path in the request. */
export function refusalOf({ refused, problems }: Tally): Refusal {
  const listed = refused
    .flatMap(({ position, problems }) => problems.map(problem => atPosition(position, problem)))
    .slice(0, MAX_LISTED)
  return new Refusal(listed, problems - listed.length)
}

/** A problem of one payout as a problem of the whole request. */
export function atPosition(position: number, problem: Problem): Problem {
  const { remarks } = problem
  const path = `payouts[${position}]`
  return { ...problem, remarks: remarks === '' ? path : `${path}.${remarks}` }
}

/** The batch, once all its payouts are decided. */
export function makeBatch(
  identity: Pick<PayoutBatch, 'account_id' | 'id' | 'made_by' | 'created_at'>,
  request: BatchRequest,
  { counts, totals: unsorted }: Tally,
): PayoutBatch {
  const { reference_id = '', metadata = null } = request
  const totals = [...unsorted.values()].sort((a, b) => (a.currency < b.currency ? -1 : 1))
  return { ...identity, mode: modeOf(request), reference_id, metadata, ...counts, totals }
}
