// A match of a party with an entry of a list, and what a person has decided about it. Pure.
import { hash } from 'node:crypto'
import { invalidField, refusal, refuseIfAny } from '../errors.ts'
import type { Instant } from '../instant.ts'
import { storedEntry } from './list-rules.ts'
import type { NamedParty } from './parties.ts'
import type { Hit, ListName, ScorePiece } from './screening.ts'

/**
 * What a payout waits for: '' nothing, `waits` for screening, `open` for a person; `confirmed`
 * blocks it.
 */
export type ScreeningHold = '' | 'waits' | 'open' | 'confirmed'

/**
 * What is compared with earlier clears: the party that was asked about, and the entry at that time.
 */
interface MatchKey {
  readonly party_hash: string
  readonly list: ListName
  readonly entry_id: string
  readonly entry_digest: string
}

export interface Match extends MatchKey {
  readonly party: string
  readonly score: number
  readonly pieces: readonly ScorePiece[]
}

/** A stored match with its object: a payout, or a party by itself. */
export interface StoredMatch extends Match {
  readonly account_id: string
  readonly object_id: string
  readonly state: 'open' | 'cleared' | 'confirmed'
  readonly found_at: Instant
  readonly decided_at: Instant | null
  readonly decided_by: string
  readonly reason: string
}

/** Whether a party may be listed: '' it may not, `open` a person must decide, or `confirmed`. */
export type PartyScreening = '' | 'open' | 'confirmed'

/** The worst state of its matches. */
export function screeningOf(states: readonly StoredMatch['state'][]): PartyScreening {
  if (states.includes('confirmed')) return 'confirmed'
  return states.includes('open') ? 'open' : ''
}

/** What a person decides about the matches of a payout or a party. */
export interface Said {
  readonly state: 'cleared' | 'confirmed'
  /** The person. A log-in, which others may share, is no person. */
  readonly person: string
  readonly reason: string
  /** The digest of the matches that the person was shown. */
  readonly digest?: string
}

/** SHA-256, in hex, of the matches that wait for a person, in any order; '' when none does. */
export function digestOfMatches(matches: readonly StoredMatch[]): string {
  const lines = matches
    .filter(({ state }) => state !== 'cleared')
    .map(match => `${match.party} ${clearName(match)} ${match.score} ${match.state}\n`)
  return lines.length === 0 ? '' : hash('sha256', lines.sort().join(''), 'hex')
}

/**
 * Refuses a clear of matches that the person has not seen. If matches were added to the first ones,
 * the person must name the digest of what they were shown.
 */
function checkSeen(named: string, matches: readonly StoredMatch[], { state, digest }: Said): void {
  const waiting = matches.filter(match => match.state !== 'cleared')
  const is_added = new Set(waiting.map(({ found_at }) => found_at)).size > 1
  if (digest === undefined && (state === 'confirmed' || !is_added)) return
  if (digest === digestOfMatches(matches)) return
  const message =
    digest === undefined
      ? `More was found of ${named} since: look at it again, and send the digest that is shown.`
      : `The digest is not what was found of ${named}: look at it again.`
  throw refusal('approval_outdated', message, 'digest')
}

/**
 * The matches that a person decides. Refuses a decision without a person, and a clear of unseen
 * matches.
 */
export function decidedBy(
  named: string,
  matches: readonly StoredMatch[],
  said: Said,
): StoredMatch[] {
  const { state, person, reason } = said
  refuseIfAny([
    ...(person === '' ? [invalidField('operator', 'Say who decides.')] : []),
    ...(reason === '' ? [invalidField('reason', 'Say why.')] : []),
  ])
  // A match that was confirmed by mistake can be cleared.
  const may = state === 'cleared' ? ['open', 'confirmed'] : ['open']
  const decided = matches.filter(match => may.includes(match.state))
  if (decided.length === 0) {
    throw refusal('invalid_transition', `${named} has no match that can be ${state}.`)
  }
  checkSeen(named, matches, said)
  return decided
}

/** What screening finds about a payout. */
export interface Screened {
  /**
   * The version of the lists; null: they are not in memory, or not current, so the payout must
   * wait.
   */
  readonly version: bigint | null
  /** The matches that no person has cleared. */
  readonly matches: readonly Match[]
  /** When the compared entity last changed. Absent when there was none. */
  readonly entity_at?: Instant
}

/** The result for a payout that was not screened. */
export const NOT_SCREENED: Screened = { version: null, matches: [] }

export function matchOf({ party, hash }: NamedParty, { list, entry, score, pieces }: Hit): Match {
  const { entry_id, digest } = storedEntry(entry)
  return { party, party_hash: hash, list, entry_id, entry_digest: digest, score, pieces }
}

/** The name under which a clear is remembered. */
export function clearName({ party_hash, list, entry_id, entry_digest }: MatchKey): string {
  return [party_hash, list, entry_id, entry_digest].join(' ')
}

/** What identifies a match among those of its payout or party. */
function matchPlace({ party, list, entry_id }: Match): string {
  return [party, list, entry_id].join(' ')
}

/**
 * The open matches of a payout: those that nobody has cleared, and those that a person has
 * confirmed about its parties by themselves. The latter hold it even if the lists no longer have
 * them.
 */
export function openMatches(
  found: readonly Match[],
  confirmed: readonly StoredMatch[],
  isCleared: (match: Match) => boolean,
): Match[] {
  const open = found.filter(match => !isCleared(match))
  const places = new Set(open.map(matchPlace))
  const others = confirmed.filter(match => !places.has(matchPlace(match)))
  return [...open, ...new Map(others.map(match => [matchPlace(match), match])).values()]
}

/**
 * The found matches that a person must be asked about: nobody has cleared them, and nobody is asked
 * yet. A match under question stays as it was found, so that a person decides about what they were
 * shown.
 */
export function newMatches(
  found: readonly Match[],
  stored: readonly StoredMatch[],
  isCleared: (match: Match) => boolean,
): Match[] {
  const asked = new Set(stored.filter(({ state }) => state !== 'cleared').map(matchPlace))
  return found.filter(match => !isCleared(match) && !asked.has(matchPlace(match)))
}
