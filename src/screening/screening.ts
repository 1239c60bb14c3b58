// The nouns of screening: whom a list names, whom it is asked about, and what was found. Pure.

export const LISTS = ['ofac', 'ofac-cons', 'un', 'eu', 'uk'] as const
export type ListName = (typeof LISTS)[number]

const PARTY_KINDS = ['person', 'organisation', 'vessel', 'aircraft', 'unknown'] as const
type PartyKind = (typeof PARTY_KINDS)[number]

/** A name as a list has it. */
export interface ListedName {
  readonly text: string
  /** Its list says that the name alone does not tell who is meant. */
  readonly weak: boolean
}

/** From the first to the last day that a birth may have been: YYYY-MM-DD both. */
export interface BirthSpan {
  readonly from: string
  readonly to: string
}

export const ID_KINDS = ['passport', 'national', 'tax', 'registration', 'other'] as const

export interface PartyId {
  readonly kind: (typeof ID_KINDS)[number]
  readonly number: string
  /** ISO 3166-1 alpha-2 of who issued it; '' when that is not known. */
  readonly country: string
}

/** What a list says of one person, organisation, vessel or aircraft. */
export interface ListedEntry {
  /** The id that its list gives it, the same in each version. */
  readonly entry_id: string
  readonly kind: PartyKind
  /** The first is the one it is listed by. */
  readonly names: readonly ListedName[]
  readonly births: readonly BirthSpan[]
  /** ISO 3166-1 alpha-2: nationality, birth, address, registration. */
  readonly countries: readonly string[]
  readonly ids: readonly PartyId[]
  /** Why it is listed, in the words of the list. */
  readonly programmes: readonly string[]
}

/** Whom the lists are asked about. What is not known is left empty. */
export interface Party {
  readonly name: string
  readonly kind: 'person' | 'organisation' | 'unknown'
  /** YYYY-MM-DD. */
  readonly birth_date: string
  readonly countries: readonly string[]
  readonly ids: readonly PartyId[]
}

/** One step of a score: what was compared, and the score behind that step, of 1000. */
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
  /** In the order in which the score was made. */
  readonly pieces: readonly ScorePiece[]
}
