// The operation by which a person decides the matches of a payout: clears them, or confirms one.
import type { Operation } from '../../engine/operation.ts'
import { lockBooks } from '../../ledger/store.ts'
import {
  type MatchDecision,
  matchesToDecide,
  type ScreeningHold,
  type StoredMatch,
} from '../../screening/match.ts'
import { findConfirmed, findMatches, storeDecision } from '../../screening/match-store.ts'
import { found, refusal } from '../../values/errors.ts'
import { payoutKey } from '../../values/id.ts'
import type { ReadPayout } from '../payout.ts'
import { findOpenPayouts, lockOpenPayouts } from '../state-store.ts'
import { isHeldForMatch, partiesOfPayout } from './release.ts'
import { updateHold } from './screening-store.ts'

interface DecideScreening extends MatchDecision {
  readonly account_id: string
  readonly payout_id: string
}

interface ScreeningState {
  readonly payout: ReadPayout | undefined
  readonly matches: readonly StoredMatch[]
  /** The confirmed matches of the payout's stored parties. */
  readonly confirmed: readonly StoredMatch[]
}

interface DecidedScreening {
  readonly payout: ReadPayout
  readonly decision: Pick<StoredMatch, 'state' | 'decided_by' | 'reason'>
  /** The matches that this decision is about. */
  readonly matches: readonly StoredMatch[]
  /** The new hold; null when no match held the payout. */
  readonly screening: ScreeningHold | null
}

/** Decides the matches of one payout. Each transaction has one command. */
export const decideScreening: Operation<DecideScreening, ScreeningState, DecidedScreening> = {
  name: 'decide_screening',
  while_frozen: true,

  async load(tx, [command]) {
    if (command === undefined) return { payout: undefined, matches: [], confirmed: [] }
    const { account_id, payout_id: object_id } = command
    const [, , [payout], matches] = await Promise.all([
      lockBooks(tx, [account_id]),
      lockOpenPayouts(tx, [payoutKey(command)]),
      findOpenPayouts(tx, [payoutKey(command)]),
      findMatches(tx, { account_id, object_id }),
    ])
    const parties = payout === undefined ? [] : partiesOfPayout(payout)
    return { payout, matches, confirmed: await findConfirmed(tx, parties) }
  },

  decide({ payout: read, matches, confirmed }, command) {
    const { state, person: decided_by, reason } = command
    const payout = found(read)
    const decided = matchesToDecide(`Payout ${payout.id}`, matches, command)
    if (state === 'cleared') checkParties(payout, confirmed)
    const waits_for = state === 'cleared' ? 'waits' : 'confirmed'
    const screening = isHeldForMatch(payout) ? waits_for : null
    return { payout, decision: { state, decided_by, reason }, matches: decided, screening }
  },

  store: (tx, outcomes) =>
    Promise.all(
      outcomes.flatMap(({ payout, decision, matches, screening }) => [
        storeDecision(tx, matches, decision),
        screening !== null && updateHold(tx, payout, screening),
      ]),
    ),
}

/**
 * Refuses to clear a payout of a confirmed party: screening would hold the payout again at once.
 */
function checkParties({ id }: ReadPayout, [match]: readonly StoredMatch[]): void {
  if (match === undefined) return
  const { object_id: party } = match
  const what = `${party}, which is confirmed to be listed: clear ${party} first`
  const message = `Payout ${id} is held for ${what}.`
  throw refusal('invalid_transition', message)
}
