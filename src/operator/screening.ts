// What screening holds, and what people decide of it.
import { readConfined } from '../db/confine.ts'
import type { Sql } from '../db/connect.ts'
import type { ReadPayout } from '../payout/payout.ts'
import {
  type DecidedScreening,
  type DecideScreening,
  decideScreening,
  type ScreeningState,
} from '../payout/screening-operation.ts'
import { findOpenPayouts } from '../payout/state-store.ts'
import { findListed } from '../screening/list-store.ts'
import type { StoredMatch } from '../screening/match.ts'
import { findMatches, type HeldByScreening } from '../screening/match-store.ts'
import { type Deed, type Operator, Unknown } from './deed.ts'
import { accountOfPayout } from './payouts.ts'

export function presentHeld(held: HeldByScreening) {
  const { id, account_id, screening, status, updated_at } = held
  return { payout: id, account_id, screening, status, updated_at }
}

export interface ShownScreening {
  readonly payout: ReadPayout
  readonly matches: readonly ShownMatch[]
}

export interface ShownMatch extends StoredMatch {
  /** Whether its list still has the entry; a person decides also when it does not. */
  readonly listed: boolean
}

/** Whom the parties of a payout may be. */
export async function showScreening(
  { audit, sql }: { readonly audit: Sql; readonly sql: Sql },
  payout_id: string,
): Promise<ShownScreening> {
  const account_id = await accountOfPayout(audit, payout_id)
  const { payout, matches } = await readConfined(sql, [account_id], async tx => ({
    payout: (await findOpenPayouts(tx, [{ account_id, id: payout_id }]))[0],
    matches: await findMatches(tx, { account_id, payout_id }),
  }))
  if (payout === undefined) throw new Unknown('payout', payout_id)
  const listed = await findListed(sql, matches)
  return {
    payout,
    matches: matches.map(match => {
      return { ...match, listed: listed.has(`${match.list} ${match.entry_id}`) }
    }),
  }
}

export function presentScreening({ payout, matches }: ShownScreening) {
  const { id, account_id, status, screened, screening } = payout
  return {
    payout: id,
    account_id,
    status,
    screening,
    screened_at_version: screened === null ? null : Number(screened),
    matches: matches.map(presentMatch),
  }
}

function presentMatch(match: ShownMatch) {
  const { party, list, entry_id, listed, score, pieces, state, found_at } = match
  const { decided_at, decided_by, reason } = match
  const found = { party, list, entry_id, listed, score, pieces, state, found_at }
  return { ...found, decided_at, decided_by, reason }
}

/** A person says that nobody of a payout is listed, or that somebody is. */
export async function decision(
  audit: Sql,
  { name: person }: Operator,
  payout_id: string,
  { state, reason }: Pick<DecideScreening, 'state' | 'reason'>,
): Promise<Deed<DecideScreening, ScreeningState, DecidedScreening>> {
  const account_id = await accountOfPayout(audit, payout_id)
  return {
    operation: decideScreening,
    command: { account_id, payout_id, state, person, reason },
    act: ({ payout, screening, matches }) => ({
      table_name: 'screening_matches',
      reason,
      before: { account_id, id: payout_id, screening: payout.screening },
      after: {
        account_id,
        id: payout_id,
        screening,
        matches: matches.map(m => `${m.party} ${m.list} ${m.entry_id} ${state}`).join(', '),
      },
    }),
  }
}
