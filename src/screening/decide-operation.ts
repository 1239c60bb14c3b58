// The operation by which a person decides what was found of a party by itself: it is not whom the
// lists name, or it is.
import type { Operation } from '../engine/operation.ts'
import { found } from '../errors.ts'
import { lockBooks } from '../ledger/store.ts'
import { decidedBy, type Said, type StoredMatch } from './match.ts'
import { findMatches, storeDecision } from './match-store.ts'
import { type LockedParty, type PartyScreening, screeningOf } from './party.ts'
import { findParty, queueParty, updateScreening } from './party-store.ts'

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
  /** Those that are decided now. */
  readonly matches: readonly StoredMatch[]
  readonly screening: PartyScreening
}

/** One command a transaction. */
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
        // What is cleared was found of the party as it was: as it is now, it is compared again.
        said.state === 'cleared' && queueParty(tx, party),
      ]),
    ),
}
