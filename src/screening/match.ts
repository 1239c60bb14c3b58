// A match of a party with a listed entry, and a person's decision about it. Pure.
import { hash } from 'node:crypto'
import { invalidField, refusal, refuseIfAny } from '../values/errors.ts'
import type { Instant } from '../values/instant.ts'
import { storedEntry } from './list-rules.ts'
import type { NamedParty } from './parties.ts'
import type { Hit, ListName, ScorePiece } from './screening.ts'

/**
 * A payout's hold: '' none, `waits` for screening, `open` for a person's decision. `confirmed`
 * blocks the payout.
 */
export type ScreeningHold = '' | 'waits' | 'open' | 'confirmed'

/** The key of a clear: a party and an entry, both with their content. */
interface MatchKey {
  /** `hash` of the NamedParty. */
  readonly party_hash: string
  readonly list: ListName
  readonly entry_id: string
  /** `digest` of the StoredEntry. */
  readonly entry_digest: string
}

export interface Match extends MatchKey {
  /** The party's role, such as `beneficiary`. */
  readonly party: string
  /** From the threshold to 1000. */
  readonly score: number
  readonly pieces: readonly ScorePiece[]
  /** The entry's name that fitted; for a match by a number its main name. */
  readonly listed_name: string
}

/** The hash of every erased party, in hex: it says nothing about who it was. */
export const ERASED_HASH = '00'.repeat(32)

/** A stored match and its object: a payout, an entity or a beneficiary. */
export interface StoredMatch extends Match {
  readonly account_id: string
  readonly object_id: string
  readonly state: 'open' | 'cleared' | 'confirmed'
  readonly found_at: Instant
  readonly decided_at: Instant | null
  readonly decided_by: string
  readonly reason: string
}

/** A party's state: '' nothing open, `open` waits for a person's decision, or `confirmed`. */
export type PartyScreening = '' | 'open' | 'confirmed'

/** The party's state by its matches' states: the worst one counts. */
export function screeningOf(states: readonly StoredMatch['state'][]): PartyScreening {
  if (states.includes('confirmed')) return 'confirmed'
  return states.includes('open') ? 'open' : ''
}

/** A person's decision about the matches of a payout or party. */
export interface MatchDecision {
  readonly state: 'cleared' | 'confirmed'
  /** The user's name. A database login, which people may share, is no person. */
  readonly person: string
  readonly reason: string
  /** The digest of the matches that the person saw. */
  readonly digest?: string
}

/** SHA-256, in hex, of the matches that nobody has cleared, in any order; '' without any. */
export function digestOfMatches(matches: readonly StoredMatch[]): string {
  const lines = matches
    .filter(({ state }) => state !== 'cleared')
    .map(match => `${match.party} ${clearName(match)} ${match.score} ${match.state}\n`)
  return lines.length === 0 ? '' : hash('sha256', lines.sort().join(''), 'hex')
}

/**
 * Refuses a digest that does not fit the present matches. A clear needs a digest once screening has
 * added matches to the first ones.
 */
function checkDigest(
  named: string,
  matches: readonly StoredMatch[],
  { state, digest }: MatchDecision,
): void {
  const waiting = matches.filter(match => match.state !== 'cleared')
  const is_added = new Set(waiting.map(({ found_at }) => found_at)).size > 1
  if (digest === undefined && (state === 'confirmed' || !is_added)) return
  if (digest === digestOfMatches(matches)) return
  const message =
    digest === undefined
      ? `There are new matches of ${named}: look at it again, and send the digest that is shown.`
      : `The digest does not fit the matches of ${named}: look at it again.`
  throw refusal('approval_outdated', message, 'digest')
}

/**
 * The matches that the decision is about. Refuses a decision without a person or a reason, one that
 * fits no match (`invalid_transition`), and one about outdated matches (`approval_outdated`).
 * `named` is the object's id.
 */
export function matchesToDecide(
  named: string,
  matches: readonly StoredMatch[],
  decision: MatchDecision,
): StoredMatch[] {
  const { state, person, reason } = decision
  refuseIfAny([
    ...(person === '' ? [invalidField('operator', 'Say who decides.')] : []),
    ...(reason === '' ? [invalidField('reason', 'Say why.')] : []),
  ])
  // A person may clear a match that somebody confirmed by mistake.
  const decidable = state === 'cleared' ? ['open', 'confirmed'] : ['open']
  const decided = matches.filter(match => decidable.includes(match.state))
  if (decided.length === 0) {
    throw refusal('invalid_transition', `${named} has no match that can be ${state}.`)
  }
  checkDigest(named, matches, decision)
  return decided
}

/** The result of a payout's screening. */
export interface Screened {
  /** The lists' version. Null: the lists are not in memory or not current, and the payout waits. */
  readonly version: bigint | null
  /** The matches that nobody has cleared. */
  readonly matches: readonly Match[]
  /** `updated_at` of the compared entity. Absent for a payout without an entity. */
  readonly entity_at?: Instant
}

/** The result of a payout that was not screened. */
export const NOT_SCREENED: Screened = { version: null, matches: [] }

export function matchOf({ party, hash }: NamedParty, hit: Hit): Match {
  const { list, score, pieces, name: listed_name } = hit
  const { entry_id, digest: entry_digest } = storedEntry(hit.entry)
  return { party, party_hash: hash, list, entry_id, entry_digest, score, pieces, listed_name }
}

export function clearName({ party_hash, list, entry_id, entry_digest }: MatchKey): string {
  return [party_hash, list, entry_id, entry_digest].join(' ')
}

function matchId({ party, list, entry_id }: Match): string {
  return [party, list, entry_id].join(' ')
}

/**
 * Whether a match of a stored party holds its payouts. It does if a person has confirmed it. It
 * also does if a person must decide about the party's earlier content, which its account has
 * changed. `hashes` are the hashes of the payout's parties.
 */
export function holdsPayouts(
  match: StoredMatch,
  hashes: ReadonlySet<string>,
  isCleared: (match: Match) => boolean,
): boolean {
  if (match.state === 'confirmed') return true
  return hashes.size > 0 && !hashes.has(match.party_hash) && !isCleared(match)
}

/**
 * The matches that hold a payout: the found ones that nobody has cleared, and its stored parties'
 * matches that `holdsPayouts`, even after their entry has left the list.
 */
export function openMatches(
  found: readonly Match[],
  of_parties: readonly StoredMatch[],
  isCleared: (match: Match) => boolean,
): readonly Match[] {
  if (found.length === 0 && of_parties.length === 0) return found
  const open = found.filter(match => !isCleared(match))
  const open_ids = new Set(open.map(matchId))
  const others = of_parties.filter(match => !open_ids.has(matchId(match)))
  return [...open, ...new Map(others.map(match => [matchId(match), match])).values()]
}

/**
 * The found matches to insert: nobody has cleared them, and the payout or party has no open or
 * confirmed match like them. A stored match keeps its content, so that a person decides about the
 * match that they saw.
 */
export function newMatches(
  found: readonly Match[],
  stored: readonly StoredMatch[],
  isCleared: (match: Match) => boolean,
): Match[] {
  const waiting = new Set(stored.filter(({ state }) => state !== 'cleared').map(matchId))
  return found.filter(match => !isCleared(match) && !waiting.has(matchId(match)))
}
