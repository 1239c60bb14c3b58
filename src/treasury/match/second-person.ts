// Large credits in suspense need two people, where their nostro says so: one proposes whose the
// money is, and another one does it.
import type { Tag } from '../../sql/sql.ts'
import { refusal } from '../../values/errors.ts'
import { moneyWords } from '../../values/money/words.ts'
import type { Nostro } from '../nostro.ts'
import { caseId } from './case-id.ts'
import { listItemsOfAccounts } from './return-store.ts'

/** Somebody who decides whose money is. */
export interface Decider {
  readonly name: string
  /** Whether the name is a log-in, which several people may share. */
  readonly is_login: boolean
}

/** What is proposed for lines that are matched with items of the house, or with other lines. */
export const MATCHED = 'match'

type Asking = Pick<Nostro, 'currency' | 'settings'>

/** Whether two people decide about a credit of this sum, in minor units. */
export function needsTwoPeople({ settings }: Pick<Nostro, 'settings'>, amount: bigint): boolean {
  const { two_people_from: from } = settings
  return from !== undefined && amount >= BigInt(from)
}

interface Decision {
  readonly nostro: Asking
  readonly line: bigint
  /** Minor units. */
  readonly amount: bigint
  /** An account, `return`, `match`, or what it is booked as in the books of the house. */
  readonly to: string
}

interface AskedOf {
  readonly nostro: Asking
  readonly lines: readonly { readonly id: bigint; readonly amount: bigint }[]
  readonly items: readonly bigint[]
  readonly rest: bigint
  readonly rest_as: string | undefined
}

/**
 * Refuses (409) a match by which one person decides about a large credit: its rest is large, or
 * what items of accounts leave of its large lines is. A funding counts only if it names the line:
 * without one, a person books so little that nobody else is asked.
 */
export async function checkMatch(
  sql: Tag,
  { nostro, lines, items, rest, rest_as }: AskedOf,
  person: Decider,
): Promise<void> {
  const credits = lines.filter(({ amount }) => amount > 0n)
  const large = credits.filter(({ amount }) => needsTwoPeople(nostro, amount))
  if (rest_as !== undefined && needsTwoPeople(nostro, rest)) {
    for (const { id: line } of credits) {
      await checkSecondPerson(sql, { nostro, line, amount: rest, to: rest_as }, person)
    }
    return
  }
  if (large.length === 0) return
  const sum = (rows: readonly { readonly amount: bigint }[]) =>
    rows.reduce((total, { amount }) => (amount > 0n ? total + amount : total), 0n)
  const named = new Set(large.map(({ id }) => caseId('line', id)))
  const owned = (await listItemsOfAccounts(sql, items)).filter(
    ({ kind, instruction }) => kind !== 'funding' || named.has(instruction),
  )
  const left = sum(large) - sum(owned)
  for (const { id: line } of large) {
    await checkSecondPerson(sql, { nostro, line, amount: left, to: MATCHED }, person)
  }
}

/**
 * Refuses (409) a decision on a large credit that no other person has proposed. The newest proposal
 * of a line counts, so that a person may think again; one that a match has used does not. Names
 * that differ in case or white space are one person.
 */
export async function checkSecondPerson(
  sql: Tag,
  { nostro, line, amount, to }: Decision,
  person: Decider,
): Promise<void> {
  if (!needsTwoPeople(nostro, amount)) return
  if (person.is_login) {
    const message = `Set CORRIDOR_USER to your name: others may share the log-in "${person.name}".`
    throw refusal('invalid_transition', message)
  }
  const [row] = await sql<{ proposed: boolean }[]>`
    select is_proposed(${line}::bigint, ${to}, ${person.name}) as proposed`
  if (row?.proposed === true) return
  const money = moneyWords(amount, nostro.currency)
  const id = caseId('line', line)
  const message = `${money} needs two people: somebody else first proposes ${to} for ${id}.`
  throw refusal('invalid_transition', message)
}
