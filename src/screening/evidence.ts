// Moves a name's score by the other facts of party and entry. A fact that the party or the entry
// lacks moves nothing. Pure.
import { electronicForm } from '../parties/beneficiary/bank-code.ts'
import { accountsOf } from '../parties/beneficiary/wallet-address.ts'
import type { NameScore } from './name-score.ts'
import type { BirthSpan, ListedEntry, Party, PartyId, ScorePiece } from './screening.ts'

const WEAK_FACTOR = 0.95
const KIND_FACTOR = 0.85
/** Birth dates that agree reduce the distance to 1 to this share. */
export const BIRTH_AGREES = 0.6
/** So does the same number from another issuer. */
export const NUMBER_AGREES = 0.6
const BIRTH_DIFFERS = 0.8
const COUNTRY_DIFFERS = 0.95
const ID_DIFFERS = 0.7

/** A step of the score, with the score after it, from 0 to 1. */
export interface Step extends Omit<ScorePiece, 'score'> {
  readonly score: number
}

/** A person decides from this score on, of 1000 (docs/decisions/comparison-of-names.md). */
export const THRESHOLD = 890
const HELD = THRESHOLD / 1000

/**
 * The steps from the name's score to the entry's score. `weak` says that the name is weak.
 * `same_number` is a number of the party that the entry has from another country. All other facts
 * come from the account: they may raise a score, and never lower one below a hold.
 */
export function evidenceSteps(
  { score: from }: Pick<NameScore, 'score'>,
  party: Party,
  entry: ListedEntry,
  weak: boolean,
  same_number?: PartyId,
): readonly Step[] {
  const steps: Step[] = []
  let score = from
  const add = (piece: Step['piece'], moved: number, text: string) => {
    const isHeld = piece !== 'weak' && score >= HELD && moved < HELD
    score = isHeld ? HELD : moved
    const stays = isHeld ? '; what the account says ends no hold' : ''
    steps.push({ piece, text: text + stays, score })
  }
  if (weak) add('weak', score * WEAK_FACTOR, 'its list calls this name a weak one')
  const kinds = compareKinds(party, entry)
  if (kinds !== undefined) add('kind', score * KIND_FACTOR, kinds)
  const births = compareBirths(party.birth_date, entry.births)
  if (births === 'agree') {
    add('birth', 1 - (1 - score) * BIRTH_AGREES, `born ${party.birth_date}, as listed`)
  } else if (births === 'differ') {
    const text = `born ${party.birth_date}, listed as born ${spansText(entry.births)}`
    add('birth', score * BIRTH_DIFFERS, text)
  }
  if (areDisjoint(party.countries, entry.countries)) {
    const text = `of ${party.countries.join(', ')}, listed for ${entry.countries.join(', ')}`
    add('country', score * COUNTRY_DIFFERS, text)
  }
  const other = conflictingId(party.ids, entry.ids)
  if (same_number !== undefined) {
    add('id', 1 - (1 - score) * NUMBER_AGREES, sameNumberText(same_number))
  } else if (other !== undefined) {
    const { kind, number } = other
    add('id', score * ID_DIFFERS, `${kind} number ${number} is not the listed one`)
  }
  return steps
}

function compareKinds({ kind }: Party, entry: ListedEntry): string | undefined {
  if (kind === 'unknown' || entry.kind === 'unknown' || kind === entry.kind) return undefined
  if (kind === 'bank' && entry.kind === 'organisation') return undefined
  return `${withArticle(kind)}, listed as ${withArticle(entry.kind)}`
}

function withArticle(kind: string): string {
  return `${/^[aou]/.test(kind) ? 'an' : 'a'} ${kind}`
}

/** A birth date this near a listed one is no contradiction: lists often guess. */
const NEAR_DAYS = 366

type Births = 'agree' | 'differ' | 'unknown'

/** A date within a listed span agrees. A date near one is `unknown`, as is a missing date. */
function compareBirths(birth_date: string, spans: readonly BirthSpan[]): Births {
  const day = dayOf(birth_date)
  if (day === undefined || spans.length === 0) return 'unknown'
  if (spans.some(({ from, to }) => birth_date >= from && birth_date <= to)) return 'agree'
  const isNear = spans.some(({ from, to }) => {
    const first = dayOf(from)
    const last = dayOf(to)
    if (first === undefined || last === undefined) return true
    return day >= first - NEAR_DAYS && day <= last + NEAR_DAYS
  })
  return isNear ? 'unknown' : 'differ'
}

function dayOf(date: string): number | undefined {
  const time = Date.parse(`${date}T00:00:00Z`)
  return Number.isNaN(time) ? undefined : Math.floor(time / 86_400_000)
}

function spansText(spans: readonly BirthSpan[]): string {
  return spans.map(({ from, to }) => (from === to ? from : `${from} to ${to}`)).join(' or ')
}

/** Whether both have countries, and share none. */
function areDisjoint(some: readonly string[], others: readonly string[]): boolean {
  return some.length > 0 && others.length > 0 && !some.some(country => others.includes(country))
}

/** A country gives a party one number of these kinds. A renewed passport has another number. */
const ONE_OF_EACH = new Set(['national', 'tax', 'registration'])

/** The party's id that the entry has with another number from the same country. */
function conflictingId(ids: readonly PartyId[], listed: readonly PartyId[]): PartyId | undefined {
  return ids.find(id => {
    if (!ONE_OF_EACH.has(id.kind) || id.country === '' || idKeys(id).length === 0) return false
    const same = listed.filter(({ kind, country }) => kind === id.kind && country === id.country)
    return same.length > 0 && !same.some(one => idKeys(one)[0] === idKeys(id)[0])
  })
}

export function sameNumberText({ kind, number, country }: PartyId): string {
  return `the same ${kind} number, ${number}; the account says that ${country} has issued it`
}

/** Two parties hardly have the same number of this many characters by chance. */
const LONG_ID = 8

/** Whether a number identifies a party, whatever country the account says has issued it. */
export function isTellingNumber(id: PartyId): boolean {
  return idKeys(id).some(key => key.length >= LONG_ID)
}

/** A shorter number does not identify a party. */
const SHORTEST_ID = 5

/** The id in comparable forms, most often one; none for a number without meaning, such as 00000. */
export function idKeys({ kind, number }: PartyId): string[] {
  if (kind === 'wallet') return accountsOf(number).map(account => `wallet ${account}`)
  if (kind === 'bank') return bankKeys(number)
  const key = number
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^0-9A-Z]+/g, '')
  return key.length < SHORTEST_ID || /^(.)\1*$/.test(key) ? [] : [key]
}

/** Eight characters of a BIC name the bank, the others its branch. */
const BIC_OF_BANK = 8

function bankKeys(bic: string): string[] {
  const bank = electronicForm(bic).slice(0, BIC_OF_BANK)
  return bank.length === BIC_OF_BANK ? [`bank ${bank}`] : []
}

/** Whether one country may have issued both: their countries are equal, or one is unknown. */
export function sameIssuer(one: PartyId, other: PartyId): boolean {
  return one.country === '' || other.country === '' || one.country === other.country
}
