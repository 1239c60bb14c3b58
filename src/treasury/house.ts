// Journals of the house: bank fees, interest, transfers and deals, which no account's journal has.
// PostgreSQL numbers and chains them, checks their sums, and makes their items.
import type { TransactionSql } from '../sql/connect.ts'

export const HOUSE_KINDS = [
  'cost',
  'interest',
  'transfer',
  'deal',
  'own_funds',
  'topup',
  'write_off',
  'correction',
  'return',
] as const
export type HouseKind = (typeof HOUSE_KINDS)[number]

/** Positions of the house besides its nostros. */
export type HouseCode = 'costs' | 'interest' | 'own_funds' | 'fx' | 'write_offs' | 'returns'

/** Minor units, signed as in journals of accounts: money that a nostro receives is negative. */
export type HousePosting =
  | { readonly code: 'bank'; readonly nostro: string; currency: string; readonly amount: bigint }
  | { readonly code: HouseCode; readonly currency: string; readonly amount: bigint }

export interface HouseJournal {
  readonly kind: HouseKind
  /** A day, in no closed month. */
  readonly value_on: string
  /** Of a bank's line: when its month is closed, the journal is of the first open day. */
  readonly or_later?: true
  readonly postings: readonly HousePosting[]
  readonly reference: string
  readonly note: string
  /** The person, or the rule that books it. */
  readonly by: string
  /** The journal that it reverses. */
  readonly undoes?: bigint
}

/** The position that a sum on a nostro is booked against, by kind; the others need two nostros. */
export const AGAINST: Readonly<Partial<Record<HouseKind, HouseCode>>> = {
  cost: 'costs',
  interest: 'interest',
  own_funds: 'own_funds',
  topup: 'own_funds',
  write_off: 'write_offs',
}

/** The postings of money in (+) or out (-) of one nostro, against one position. */
export function movedOn(
  nostro: { readonly name: string; readonly currency: string },
  amount: bigint,
  code: HouseCode,
): HousePosting[] {
  const { name, currency } = nostro
  return [
    { code: 'bank', nostro: name, currency, amount: -amount },
    { code, currency, amount },
  ]
}

/** Takes the turn of journals of the house until the transaction ends: one writes at a time. */
export async function takeHouseTurn(tx: TransactionSql): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended('corridor house_journals', 0))`
}

/** Books the journal with its items. The transaction acts for the house. Returns its number. */
export async function bookHouse(tx: TransactionSql, journal: HouseJournal): Promise<bigint> {
  const { kind, value_on, or_later = false, postings } = journal
  const { reference, note, by, undoes = null } = journal
  const words = (word: (posting: HousePosting) => string) => postings.map(word).join(' ')
  // The newest closed month is known once no month is closing.
  if (or_later) await takeHouseTurn(tx)
  const [row] = await tx<{ number: bigint }[]>`
    insert into house_journals (value_on, kind, codes, currencies, nostros, amounts, undoes,
      reference, note, by)
    values (
      case when ${or_later} then greatest(${value_on}::date, (
        select (to_date(max(month), 'YYYY-MM') + interval '1 month')::date from closes))
      else ${value_on}::date end,
      ${kind}, ${words(({ code }) => code)},
      ${words(({ currency }) => currency)},
      ${words(posting => (posting.code === 'bank' ? posting.nostro : '-'))},
      ${postings.map(({ amount }) => String(amount))}::bigint[], ${undoes}::bigint, ${reference},
      ${note}, ${by})
    returning number`
  if (row === undefined) throw new Error('a journal of the house without a number')
  return row.number
}

/** Reverses a journal of the house, once, on this day. Returns the number of the reversal. */
export async function reverseHouse(
  tx: TransactionSql,
  number: bigint,
  { value_on, note, by }: Pick<HouseJournal, 'value_on' | 'note' | 'by'>,
): Promise<bigint> {
  const [row] = await tx<{ number: bigint }[]>`
    insert into house_journals (value_on, kind, codes, currencies, nostros, amounts, undoes,
      reference, note, by)
    select ${value_on}::date, kind, codes, currencies, nostros,
      (select array_agg(-amount order by place) from unnest(amounts) with ordinality
        as a (amount, place)),
      number, reference, ${note}, ${by}
    from house_journals where number = ${number}::bigint
    returning number`
  if (row === undefined) throw new Error(`no journal ${number} of the house`)
  return row.number
}
