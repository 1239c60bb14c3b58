// The nouns of screening: listed entries, the party that is compared with them, and the hits. Pure.

export const LISTS = ['ofac', 'ofac-cons', 'un', 'eu', 'uk'] as const
export type ListName = (typeof LISTS)[number]

/** What each list is, and who publishes it. */
export const LIST_TITLES: Readonly<Record<ListName, string>> = {
  ofac: 'Specially Designated Nationals, OFAC (United States)',
  'ofac-cons': 'Consolidated Sanctions List, OFAC (United States)',
  un: 'Consolidated List of the UN Security Council',
  eu: 'Consolidated Financial Sanctions List (European Union)',
  uk: 'UK Sanctions List, FCDO (United Kingdom)',
}

const PARTY_KINDS = ['person', 'organisation', 'vessel', 'aircraft', 'unknown'] as const
type PartyKind = (typeof PARTY_KINDS)[number]

/** A name of an entry, as its list spells it. */
export interface ListedName {
  readonly text: string
  /** Whether its list calls it a weak alias: the name alone does not identify the entry. */
  readonly weak: boolean
}

/** The first and the last possible birth date, both as YYYY-MM-DD. */
export interface BirthSpan {
  readonly from: string
  readonly to: string
}

export const ID_KINDS = [
  'passport',
  'national',
  'tax',
  'registration',
  'wallet',
  'bank',
  'other',
] as const

export interface PartyId {
  readonly kind: (typeof ID_KINDS)[number]
  /** The number, a wallet's address, or a bank's BIC. */
  readonly number: string
  /** The issuer's ISO 3166-1 alpha-2 code; '' for an unknown issuer. */
  readonly country: string
}

/** A list's record of one person, organisation, vessel or aircraft. */
export interface ListedEntry {
  /** The id that its list gives it, the same in each version. */
  readonly entry_id: string
  readonly kind: PartyKind
  /** The main name comes first. */
  readonly names: readonly ListedName[]
  readonly births: readonly BirthSpan[]
  /** ISO 3166-1 alpha-2 codes of nationality, birth, address and registration. */
  readonly countries: readonly string[]
  readonly ids: readonly PartyId[]
  /** The sanctions programmes, in the list's words. */
  readonly programmes: readonly string[]
  /** What the list says besides, on one line; absent for nothing. */
  readonly remarks?: string
}

/** The query to the lists: the name and facts of a party. Unknown members are empty. */
export interface Party {
  readonly name: string
  readonly kind: 'person' | 'organisation' | 'bank' | 'unknown'
  /** YYYY-MM-DD. */
  readonly birth_date: string
  readonly countries: readonly string[]
  readonly ids: readonly PartyId[]
}

/** One step of a score: the compared fact in words, and the score after it, from 0 to 1000. */
export interface ScorePiece {
  readonly piece: 'words' | 'left_over' | 'not_named' | 'weak' | 'kind' | 'birth' | 'country' | 'id'
  readonly score: number
  readonly text: string
}

/** An entry that a party may be. */
export interface Hit {
  readonly list: ListName
  readonly entry: ListedEntry
  /** The entry's most similar name. */
  readonly name: string
  /** From the threshold to 1000. */
  readonly score: number
  /** The steps of the score, in order. */
  readonly pieces: readonly ScorePiece[]
}
