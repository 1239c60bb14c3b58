// The operations on stored parties: one stores the matches that a worker has found, the other a
// person's decision about them.
import type { Operation } from '../engine/operation.ts'
import { lockBooks } from '../ledger/store.ts'
import { found } from '../values/errors.ts'
import type { Instant } from '../values/instant.ts'
import {
  clearName,
  type Match,
  type MatchDecision,
  matchesToDecide,
  newMatches,
  type PartyScreening,
  type StoredMatch,
  screeningOf,
} from './match.ts'
import { findCleared, findMatches, keepMatches, storeDecision } from './match-store.ts'
import { findParty, type LockedParty, queueParty, updateScreening } from './party-store.ts'

interface KeepFound {
  readonly account_id: string
  readonly party_id: string
  /** `updated_at` of the compared party. */
  readonly compared_at: Instant
  readonly matches: readonly Match[]
}

interface FoundState {
  readonly party: LockedParty | undefined
  readonly stored: readonly StoredMatch[]
  /** The cleared matches, as `findCleared` returns them. */
  readonly cleared: ReadonlySet<string>
}

interface KeptFound {
  readonly party: LockedParty | undefined
  /** The inserted matches, which a person must decide. */
  readonly matches: readonly Match[]
}

/** Stores the matches that a worker has found for a party. A transaction runs one command. */
export const keepFound: Operation<KeepFound, FoundState, KeptFound> = {
  name: 'keep_found',
  while_frozen: true,

  async load(tx, [command]) {
    if (command === undefined) return { party: undefined, stored: [], cleared: new Set() }
    const { account_id, party_id, matches } = command
    const [, party, stored, cleared] = await Promise.all([
      lockBooks(tx, [account_id]),
      findParty(tx, { account_id, id: party_id }),
      findMatches(tx, { account_id, object_id: party_id }),
      findCleared(tx, [{ account_id, matches }]),
    ])
    return { party, stored, cleared }
  },

  decide({ party, stored, cleared }, { account_id, compared_at, matches }) {
    // The party has changed since the comparison. The change has queued it, or an erasure has
    // removed its data.
    if (party === undefined || party.updated_at !== compared_at) return { party, matches: [] }
    const isCleared = (match: Match) => cleared.has(`${account_id}/${clearName(match)}`)
    return { party, matches: newMatches(matches, stored, isCleared) }
  },

  store: (tx, outcomes) =>
    Promise.all(
      outcomes.flatMap(({ party, matches }) => {
        if (party === undefined || matches.length === 0) return []
        const { account_id, id: object_id } = party
        const inserted = keepMatches(tx, [{ account_id, object_id, matches }])
        return party.screening === '' ? [inserted, updateScreening(tx, party, 'open')] : [inserted]
      }),
    ),
}

interface DecideParty extends MatchDecision {
  readonly account_id: string
  readonly party_id: string
}

interface PartyState {
  readonly party: LockedParty | undefined
  readonly matches: readonly StoredMatch[]
}

interface DecidedParty {
  readonly party: LockedParty
  readonly decision: Pick<StoredMatch, 'state' | 'decided_by' | 'reason'>
  /** The matches that this decision is about. */
  readonly matches: readonly StoredMatch[]
  readonly screening: PartyScreening
}

/** A person clears or confirms the matches of a party. A transaction runs one command. */
export const decideParty: Operation<DecideParty, PartyState, DecidedParty> = {
  name: 'decide_party',
  while_frozen: true,

  async load(tx, [command]) {
    if (command === undefined) return { party: undefined, matches: [] }
    const { account_id, party_id } = command
    const [, party, matches] = await Promise.all([
      lockBooks(tx, [account_id]),
      findParty(tx, { account_id, id: party_id }),
      findMatches(tx, { account_id, object_id: party_id }),
    ])
    return { party, matches }
  },

  decide({ party: read, matches }, command) {
    const { state, person: decided_by, reason } = command
    const party = found(read)
    const decided = matchesToDecide(party.id, matches, command)
    const states = matches.map(match => (decided.includes(match) ? state : match.state))
    const screening = screeningOf(states)
    return { party, decision: { state, decided_by, reason }, matches: decided, screening }
  },

  store: (tx, outcomes) =>
    Promise.all(
      outcomes.flatMap(({ party, decision, matches, screening }) => [
        storeDecision(tx, matches, decision),
        updateScreening(tx, party, screening),
        // The cleared matches may be older than the party's last change: a worker compares it
        // again.
        decision.state === 'cleared' && queueParty(tx, party),
      ]),
    ),
}
