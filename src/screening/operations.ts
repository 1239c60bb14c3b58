// The operations on parties that are compared by themselves: one stores the found matches, the
// other a person's decision about them.
import type { Operation } from '../engine/operation.ts'
import { found } from '../errors.ts'
import type { Instant } from '../instant.ts'
import { lockBooks } from '../ledger/store.ts'
import {
  clearName,
  decidedBy,
  type Match,
  newMatches,
  type PartyScreening,
  type Said,
  type StoredMatch,
  screeningOf,
} from './match.ts'
import { findCleared, findMatches, keepMatches, storeDecision } from './match-store.ts'
import { findParty, type LockedParty, queueParty, updateScreening } from './party-store.ts'

interface KeepFound {
  readonly account_id: string
  readonly party_id: string
  /** When the party had last changed before it was compared. */
  readonly compared_at: Instant
  readonly matches: readonly Match[]
}

interface FoundState {
  readonly party: LockedParty | undefined
  readonly stored: readonly StoredMatch[]
  /** Names of clears, as findCleared returns them. */
  readonly cleared: ReadonlySet<string>
}

interface KeptFound {
  readonly party: LockedParty | undefined
  /** The matches that a person is asked about now. */
  readonly matches: readonly Match[]
}

/** Keeps what a worker has found about a party. A transaction runs one command. */
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
    // The party has changed since it was read, and is in the queue for that; it may be erased by
    // now.
    if (party === undefined || party.updated_at !== compared_at) return { party, matches: [] }
    const isCleared = (match: Match) => cleared.has(`${account_id}/${clearName(match)}`)
    return { party, matches: newMatches(matches, stored, isCleared) }
  },

  store: (tx, outcomes) =>
    Promise.all(
      outcomes.flatMap(({ party, matches }) => {
        if (party === undefined || matches.length === 0) return []
        const { account_id, id: object_id } = party
        const kept = keepMatches(tx, [{ account_id, object_id, matches }])
        return party.screening === '' ? [kept, updateScreening(tx, party, 'open')] : [kept]
      }),
    ),
}

interface DecideParty extends Said {
  readonly account_id: string
  readonly party_id: string
}

interface PartyState {
  readonly party: LockedParty | undefined
  readonly matches: readonly StoredMatch[]
}

interface DecidedParty {
  readonly party: LockedParty
  readonly said: Pick<StoredMatch, 'state' | 'decided_by' | 'reason'>
  /** The matches that are decided now. */
  readonly matches: readonly StoredMatch[]
  readonly screening: PartyScreening
}

/**
 * A person decides the matches of a party: they are not whom the lists name, or they are. A
 * transaction runs one command.
 */
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
    const decided = decidedBy(party.id, matches, command)
    const states = matches.map(match => (decided.includes(match) ? state : match.state))
    const screening = screeningOf(states)
    return { party, said: { state, decided_by, reason }, matches: decided, screening }
  },

  store: (tx, outcomes) =>
    Promise.all(
      outcomes.flatMap(({ party, said, matches, screening }) => [
        storeDecision(tx, matches, said),
        updateScreening(tx, party, screening),
        // What is cleared was found when the party was compared. As it is now, it is compared
        // again.
        said.state === 'cleared' && queueParty(tx, party),
      ]),
    ),
}
