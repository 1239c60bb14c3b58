// Batches of payouts as pure functions: what becomes of each payout asked for, what all of them
// come to, and when the whole is refused. How one payout is decided is the payouts' own matter.
import type { Account } from '../account/rules.ts'
import { type Problem, Refusal } from '../errors.ts'
import { decidePayout } from '../payout/create.ts'
import type { PayoutOutcome, PayoutState } from '../payout/payout.ts'
import type { PayoutRequest } from '../payout/request.ts'
import type {
  BatchItem,
  BatchMode,
  Decided,
  ItemStatus,
  PayoutBatch,
  Total,
} from './payout-batch.ts'

/** Problems that one answer lists; the rest are counted. */
export const MAX_LISTED = 100

/**
 * Decides one payout as if it came alone, after those before it. What is refused leaves the state
 * as it was, so that those after it are judged without it.
 */
export function decideItem(
  state: PayoutState,
  account: Account,
  request: PayoutRequest,
  position: number,
): Decided {
  try {
    const outcome = decidePayout(state, account, request)
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

/** What is known of a batch so far. */
export interface Tally {
  readonly counts: Record<ItemStatus, number>
  readonly totals: Map<string, Total>
  /** The first of what was refused, at most MAX_LISTED. */
  readonly refused: Decided[]
  /** Of everything refused. */
  problems: number
}

export function newTally(): Tally {
  const counts = { created: 0, held: 0, refused: 0 }
  return { counts, totals: new Map(), refused: [], problems: 0 }
}

/** Adds what was decided to the tally. */
export function count(tally: Tally, decided: Decided): void {
  tally.counts[statusOf(decided)] += 1
  if (decided.outcome !== null) addTo(tally.totals, decided.outcome)
  else if (tally.refused.length < MAX_LISTED) tally.refused.push(decided)
  tally.problems += decided.problems.length
}

/** The first entry of a payout is its debit; held ones are debited too. */
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

export function sortedTotals({ totals }: Tally): Total[] {
  return [...totals.values()].sort((a, b) => (a.currency < b.currency ? -1 : 1))
}

/** Whether what was refused refuses the whole. */
export function isRefused(mode: BatchMode, { counts }: Pick<Tally, 'counts'>): boolean {
  return mode === 'all_or_nothing' && counts.refused > 0
}

/** The refusal of the whole: what is wrong with each payout, by its place in the request. */
export function refusalOf({ refused, problems }: Tally): Refusal {
  const listed = refused
    .flatMap(({ position, problems }) => problems.map(problem => within(position, problem)))
    .slice(0, MAX_LISTED)
  return new Refusal(listed, problems - listed.length)
}

/** A problem of one payout as one of the request. */
export function within(position: number, problem: Problem): Problem {
  const { remarks } = problem
  const path = `payouts[${position}]`
  return { ...problem, remarks: remarks === '' ? path : `${path}.${remarks}` }
}

/** A batch as it is once all its payouts are decided. */
export function makeBatch(
  identity: Pick<PayoutBatch, 'account_id' | 'id' | 'created_at'>,
  request: {
    readonly mode: BatchMode
    readonly reference_id?: string
    readonly metadata?: Readonly<Record<string, string>>
  },
  tally: Tally,
): PayoutBatch {
  const { mode, reference_id = '', metadata = null } = request
  const totals = sortedTotals(tally)
  return { ...identity, mode, reference_id, metadata, ...tally.counts, totals }
}
