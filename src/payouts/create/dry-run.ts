// The dry run of POST /v3/payout: every refusal, and the cost. It runs the checks of a creation and
// writes nothing. Pure.
import { isDeepStrictEqual } from 'node:util'
import { type Book, bookOf } from '../../ledger/rules.ts'
import { countryWarnings } from '../../parties/beneficiary/country.ts'
import type { Quote } from '../../quotes/quote.ts'
import type { Routed } from '../../rails/rules.ts'
import { type Problem, Refusal } from '../../values/errors.ts'
import type { Instant } from '../../values/instant.ts'
import type { PayoutState } from '../payout.ts'
import type { PayoutRequest } from '../request.ts'
import { judgePayout } from './create.ts'
import { intentIn } from './intent.ts'

export interface DryRun {
  /** In the order of `judgePayout`. A creation would be refused with the first problem. */
  readonly problems: readonly Problem[]
  /** What refuses nothing, and a person should look at. */
  readonly warnings: readonly string[]
  /** The entity whose review the payout would wait for, '' for none. */
  readonly held_for: string
  /** When the payout would be executed; null: at once. */
  readonly execute_at: Instant | null
  /** How many people would have to approve it; 0 for nobody. */
  readonly approvals_needed: number
  /** Undefined when there is no price. */
  readonly quote: Quote | undefined
  /** Undefined when no route fits. */
  readonly routed: Routed | undefined
  readonly book: Book
}

/** Runs all checks of a creation; collects the refusals that a creation would throw. */
export function dryRunPayout(state: PayoutState, request: PayoutRequest): DryRun {
  const problems: Problem[] = []
  const intent = intentIn(state, request)
  const judged = judgePayout(state, intent, check => {
    try {
      return check()
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      // Some checks run twice, alone and within another.
      const isNew = (one: Problem) => !problems.some(known => isDeepStrictEqual(known, one))
      problems.push(...error.problems.filter(isNew))
      return undefined
    }
  })
  const { held_for = '', execute_at = null, quote, routed, needed, beneficiary } = judged
  const { bank } = beneficiary?.details.destination_details ?? {}
  const warnings = bank === undefined ? [] : countryWarnings(bank)
  const approvals_needed = needed?.approvers ?? 0
  const book = bookOf(state.books, intent.account_id)
  return { problems, warnings, held_for, execute_at, approvals_needed, quote, routed, book }
}
