// The operation that keeps what a worker has found of a party by itself.
import type { Operation } from '../engine/operation.ts'
import type { Instant } from '../instant.ts'
import { lockBooks } from '../ledger/store.ts'
import { clearName, type Match, newMatches, type StoredMatch } from './match.ts'
import { findCleared, findMatches, keepMatches } from './match-store.ts'
import type { LockedParty } from './party.ts'
import { findParty, updateScreening } from './party-store.ts'

interface KeepFound {
  readonly account_id: string
  readonly party_id: string
  /** When the party that was compared had last changed. */
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
  /** Those that a person is asked about now. */
  readonly matches: readonly Match[]
}

/** One command a transaction. */
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
    // It has changed since it was read, and is in the queue for that; it may be erased by now.
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
