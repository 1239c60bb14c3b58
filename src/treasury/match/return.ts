// Sends money in suspense back to its payer. One journal of the house takes the line out of
// suspense, so that nobody is credited with it; another one expects the debit of the payment, which
// a person makes once. Undone, both are reversed, while the bank has not debited it.
import type { Sql, TransactionSql } from '../../sql/connect.ts'
import { refusal } from '../../values/errors.ts'
import { bookHouse, movedOn, takeHouseTurn } from '../house.ts'
import type { Nostro } from '../nostro.ts'
import { openMembers, today } from './by-person.ts'
import { caseId } from './case-id.ts'
import { asMatcher, findHouseItems, returnReference, writeMatches } from './match-store.ts'
import { listCreditedBeside } from './return-store.ts'
import { checkSecondPerson, type Decider } from './second-person.ts'
import { checkUnbooked } from './unbooked.ts'

export interface AskedReturn {
  readonly line: bigint
  readonly nostro: Nostro
  readonly note: string
  readonly by: Decider
}

export interface MadeReturn {
  readonly match: bigint
  readonly amount: bigint
  /** What the payment must name as its end-to-end id: the debit of the bank then matches. */
  readonly end_to_end_id: string
}

/** Refuses (409) a line that is matched, that is no credit, or whose money an account has. */
export function returnByPerson(sql: Sql, asked: AskedReturn): Promise<MadeReturn> {
  // Whoever credits a line has the turn of its nostro too.
  return asMatcher(sql, { nostro: asked.nostro.name, waits: true }, tx => bookReturn(tx, asked))
}

async function bookReturn(tx: TransactionSql, { line, nostro, note, by: person }: AskedReturn) {
  const by = person.name
  await takeHouseTurn(tx)
  const [member] = await openMembers(tx, 'line', [line])
  const id = caseId('line', line)
  const { amount = 0n, currency = '', value_on = today() } = member ?? {}
  if (amount <= 0n || currency !== nostro.currency) {
    throw refusal('invalid_transition', `${id} is no credit in ${nostro.currency}.`)
  }
  if ((await listCreditedBeside(tx, [{ lines: [line], items: [] }])).size > 0) {
    throw refusal('invalid_transition', `${id} is credited to an account: reverse that first.`)
  }
  await checkUnbooked(tx, line)
  await checkSecondPerson(tx, { nostro, line, amount, to: 'return' }, person)
  const journal = { kind: 'return', or_later: true, note, by } as const
  const house_number = await bookHouse(tx, {
    ...{ ...journal, value_on, reference: '', postings: movedOn(nostro, amount, 'returns') },
  })
  const items = (await findHouseItems(tx, house_number)).map(item => item.id)
  const of = { nostro: nostro.name, rule: 'person', by, note, house_number } as const
  const [match] = await writeMatches(tx, [{ ...of, lines: [line], items, sum: amount }])
  if (match === undefined) throw new Error('a match without an id')
  const end_to_end_id = returnReference(match)
  await bookHouse(tx, {
    ...{ ...journal, value_on: today(), reference: end_to_end_id },
    postings: movedOn(nostro, -amount, 'returns'),
  })
  return { match, amount, end_to_end_id }
}
