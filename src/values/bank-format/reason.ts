// The reasons that banks give by a code: the external lists of ISO 20022 for statuses and returns
// (ExternalStatusReason1Code, ExternalReturnReason1Code), and Nacha's codes of returns and changes
// (Nacha Operating Rules, Appendix Four and Five). reasons.json has one row for each code. Pure.
import lists from './reasons.json' with { type: 'json' }

/** The cause of a reason. values/failures.ts has the failure of each cause. */
export type ReasonCause =
  | 'unspecified'
  | 'account_invalid'
  | 'account_closed'
  | 'account_blocked'
  | 'bank_invalid'
  | 'party_mismatch'
  | 'address_invalid'
  | 'refused'
  | 'amount'
  | 'funds'
  | 'unexecuted'
  | 'authorization'
  | 'regulatory'
  | 'technical'
  | 'format'
  | 'date'
  | 'duplicate'
  | 'cancelled'
  /** It confirms that something is in order. */
  | 'positive'
  /** An answer to a return, which the banks settle between them. */
  | 'answer'
  /** A change of a field in later entries, or the refusal of such a notification. */
  | 'change'
  | 'refused_change'

export interface Reason {
  readonly cause: ReasonCause
  /** One sentence for people. */
  readonly words: string
  /** Whether the money does not arrive, or comes back, by the wish of the payee or the account. */
  readonly at_wish?: boolean
  /** Whether the payment missed the cut-off, or the bank moved its day. */
  readonly cut_off?: boolean
  /** Whether the code is of debits. Some banks return credits by it. */
  readonly debit?: boolean
}

export type Scheme = 'iso20022' | 'nacha'

/** A row of reasons.json: the cause, the words, and the members that are true. */
type Row = readonly [cause: ReasonCause, words: string, ...flags: Flag[]]
type Flag = 'at_wish' | 'cut_off' | 'debit'
type List = ReadonlyMap<string, Reason>

function readList(rows: Readonly<Record<string, readonly string[]>>): List {
  return new Map(
    Object.entries(rows).map(([code, row]) => {
      const [cause, words, ...flags] = row as Row
      return [code, { cause, words, ...Object.fromEntries(flags.map(flag => [flag, true])) }]
    }),
  )
}

const LISTS = { iso20022: readList(lists.iso20022), nacha: readList(lists.nacha) }
const RETURNS = readList(lists.iso20022_returns)

/**
 * The reason with this code, in capitals or not; undefined for an unknown code. A few codes of ISO
 * 20022 mean something else when money comes back: `is_returned`.
 */
export function reasonOf(scheme: Scheme, code: string, is_returned = false): Reason | undefined {
  const name = code.toUpperCase()
  const other = is_returned && scheme === 'iso20022' ? RETURNS.get(name) : undefined
  return other ?? LISTS[scheme].get(name)
}

export const codesOf = (scheme: Scheme): readonly string[] => [...LISTS[scheme].keys()]
