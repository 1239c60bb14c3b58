// The keys by which a payment finds the account that it funds, and the decision whose it is. Only
// an exact key decides; every doubt leaves the money in suspense until a person decides. Pure.
import type { Instant } from '../values/instant.ts'
import { referenceFault } from '../values/network/creditor-reference.ts'

export const FUNDING_KEY_KINDS = ['virtual_iban', 'reference', 'payer_account', 'address'] as const
export type FundingKeyKind = (typeof FUNDING_KEY_KINDS)[number]

export interface FundingKey {
  readonly id: bigint
  readonly account_id: string
  readonly kind: FundingKeyKind
  /** Folded: capital letters, without white space. */
  readonly value: string
  readonly nostro: string
  readonly currency: string
  readonly made_at: Instant
  readonly made_by: string
  readonly ended_at: Instant | null
}

/** A line of a statement that brings money, as far as its keys go. */
export interface CreditLine {
  readonly id: bigint
  readonly nostro: string
  readonly currency: string
  /** Minor units, positive. */
  readonly amount: bigint
  readonly booked_on: string
  readonly bank_reference: string
  readonly end_to_end_id: string
  readonly uetr: string
  readonly instruction: string
  readonly own_account: string
  readonly counterparty: string
  readonly counterparty_name: string
  readonly text: string
  /** Whether another line of the nostro has the same reference of the bank. */
  readonly reference_repeats: boolean
  /** A large credit came in then, and no newer key credits it; null where a key may be newer. */
  readonly keys_before: Instant | null
  /** Whether it names a payout of ours, and so may be a return. */
  readonly names_payout: boolean
}

/** The fewest and the most characters of a key. */
export const MIN_KEY = 8
export const MAX_KEY = 64
/** Payers write a reference of ISO 11649 in at most so many words. */
const MOST_WORDS = 8

/** A reference that payers quote: one word, with a digit, that no other text has by chance. */
export const isReference = (value: string) =>
  value.length >= MIN_KEY && /^[0-9A-Z]+$/.test(value) && /[0-9]/.test(value)

/**
 * What could be a reference: each whole word; and words that together are a reference of ISO 11649,
 * whose check digits hold.
 */
export function referencesIn(text: string): Set<string> {
  const words = text.toUpperCase().match(/[0-9A-Z]+/g) ?? []
  const found = new Set(words.filter(isReference))
  for (const [i, first] of words.entries()) {
    if (!first.startsWith('RF')) continue
    let run = ''
    for (const word of words.slice(i, i + MOST_WORDS)) {
      run += word
      if (run.length > MAX_KEY) break
      if (isReference(run) && referenceFault(run) === undefined) found.add(run)
    }
  }
  return found
}

/** The keys that the line could have, by kind. */
export function keysOf(line: CreditLine): ReadonlyMap<FundingKeyKind, ReadonlySet<string>> {
  const { own_account, counterparty, end_to_end_id, text } = line
  const exact = (value: string) => new Set(value === '' ? [] : [folded(value)])
  const references = new Set([...referencesIn(text), ...referencesIn(end_to_end_id)])
  return new Map<FundingKeyKind, ReadonlySet<string>>([
    ['virtual_iban', exact(own_account)],
    ['reference', references],
    ['payer_account', exact(counterparty)],
    ['address', exact(own_account)],
  ])
}

/** The texts by which a line may name a payout of ours. */
export function payoutNamesIn(line: Omit<CreditLine, 'names_payout'>): string[] {
  const { end_to_end_id, bank_reference, instruction, uetr, text } = line
  const own = [end_to_end_id, bank_reference, instruction, uetr]
  const names = [...own, ...own.map(folded), ...referencesIn(text)]
  return names.filter(Boolean)
}

/** As fold_reference does. */
export function folded(value: string): string {
  return value.replace(/\s/g, '').toUpperCase()
}

export type Found =
  | { readonly account_id: string; readonly key: FundingKey }
  | { readonly account_id: null; readonly reason: string }

/** Whose the money is, by the live keys of the line's currency. */
export function accountOf(line: CreditLine, keys: readonly FundingKey[]): Found {
  const none = (reason: string) => ({ account_id: null, reason })
  if (line.names_payout) return none('it names a payout, and may be a return')
  const wanted = keysOf(line)
  const hit = keys.filter(
    ({ kind, value, currency, nostro }) =>
      currency === line.currency && nostro === line.nostro && wanted.get(kind)?.has(value),
  )
  const [key] = hit
  if (key === undefined) return none('no funding key names an account')
  const accounts = new Set(hit.map(({ account_id }) => account_id))
  if (accounts.size > 1) return none(`its keys name ${accounts.size} accounts`)
  const { keys_before: before } = line
  if (before !== null && !hit.some(({ made_at }) => made_at < before)) {
    return none('its key is newer than this large credit: two people decide')
  }
  return { account_id: key.account_id, key }
}

/**
 * The reference under which the line is booked: the bank's, where no other line has it. The line's
 * own number is unique.
 */
export function bookedReference({
  id,
  bank_reference,
  reference_repeats,
}: Pick<CreditLine, 'id' | 'bank_reference' | 'reference_repeats'>): string {
  const reference = bank_reference.trim()
  return reference === '' || reference_repeats ? `line_${id}` : reference
}

/** The source of the booking, which an account has once. */
export const sourceOfLine = (id: bigint) => `esc_line${id}`

/** A source that names a line, with its number: a regular expression, in PostgreSQL too. */
export const LINE_SOURCE = '^esc_line([1-9][0-9]{0,17})$'

/** The number of the line that a source names; undefined for any other source. */
export function lineOfSource(source: string): bigint | undefined {
  const [, number] = new RegExp(LINE_SOURCE).exec(source) ?? []
  return number === undefined ? undefined : BigInt(number)
}

/** Whether a source looks as if it named a line, and names none: one line has one source. */
export const isMisspeltLine = (source: string) =>
  /^esc_line[0-9]+$/.test(source) && lineOfSource(source) === undefined
