// The nouns of screening: listed entries, the party that is compared with them, and what was found.
// Pure.

export const LISTS = ['ofac', 'ofac-cons', 'un', 'eu', 'uk'] as const
export type ListName = (typeof LISTS)[number]

const PARTY_KINDS = ['person', 'organisation', 'vessel', 'aircraft', 'unknown'] as const
type PartyKind = (typeof PARTY_KINDS)[number]

/** A name as a list has it. */
export interface ListedName {
  readonly text: string
  /** Whether its list says that the name alone does not tell who is meant. */
  readonly weak: boolean
}

/** The first and the last possible day of a birth, both as YYYY-MM-DD. */
export interface BirthSpan {
  readonly from: string
  readonly to: string
}

export const ID_KINDS = ['passport', 'national', 'tax', 'registration', 'other'] as const

export interface PartyId {
  readonly kind: (typeof ID_KINDS)[number]
  readonly number: string
  /** ISO 3166-1 alpha-2 of the issuer; '' when it is not known. */
  readonly country: string
}

/** A list's record of one person, organisation, vessel or aircraft. */
export interface ListedEntry {
  /** The id that its list gives it, the same in each version. */
  readonly entry_id: string
  readonly kind: PartyKind
  /** The first is its main name. */
  readonly names: readonly ListedName[]
  readonly births: readonly BirthSpan[]
  /** ISO 3166-1 alpha-2: nationality, birth, address, registration. */
  readonly countries: readonly string[]
  readonly ids: readonly PartyId[]
  /** Why it is listed, in the words of the list. */
  readonly programmes: readonly string[]
}

/** The party that is compared with the lists. Unknown members are empty. */
export interface Party {
  readonly name: string
  readonly kind: 'person' | 'organisation' | 'unknown'
  /** YYYY-MM-DD. */
  readonly birth_date: string
  readonly countries: readonly string[]
  readonly ids: readonly PartyId[]
}

/** One step of a score: what was compared, and the score after it, of 1000. */
export interface ScorePiece {
  readonly piece: 'words' | 'left_over' | 'not_named' | 'weak' | 'kind' | 'birth' | 'country' | 'id'
  readonly score: number
  readonly text: string
}

/** An entry that a party may be. */
export interface Hit {
  readonly list: ListName
  readonly entry: ListedEntry
  /** The listed name that is most alike. */
  readonly name: string
  /** Of 1000. */
  readonly score: number
  /** In the order in which they made the score. */
  readonly pieces: readonly ScorePiece[]
}
