// Large credits in suspense need two people, where their nostro says so: one proposes whose the
// money is, and another one does it.
import type { Tag } from '../../sql/sql.ts'
import { refusal } from '../../values/errors.ts'
import { moneyWords } from '../../values/money/words.ts'
import type { Nostro } from '../nostro.ts'
import { caseId } from './case-id.ts'

/** Somebody who decides whose money is. */
export interface Decider {
  readonly name: string
  /** Whether the name is a log-in, which several people may share. */
  readonly is_login: boolean
}

interface Decision {
  readonly nostro: Pick<Nostro, 'currency' | 'settings'>
  readonly line: bigint
  /** Minor units. */
  readonly amount: bigint
  /** An account, `return`, or what it is booked as in the books of the house. */
  readonly to: string
}

/**
 * Refuses (409) a decision on a large credit that no other person has proposed. The newest proposal
 * of a line counts, so that a person may think again.
 */
export async function checkSecondPerson(
  sql: Tag,
  { nostro, line, amount, to }: Decision,
  person: Decider,
): Promise<void> {
  const { two_people_from: from } = nostro.settings
  if (from === undefined || amount < BigInt(from)) return
  const [proposal] = await sql<{ by: string; proposes: string }[]>`
    select by, proposes from case_notes
    where of = 'line' and row_id = ${line}::bigint and proposes <> '' order by id desc limit 1`
  if (person.is_login) {
    const message = `Set CORRIDOR_USER to your name: others may share the log-in "${person.name}".`
    throw refusal('invalid_transition', message)
  }
  const is_other = proposal !== undefined && proposal.by !== person.name
  if (is_other && proposal.proposes === to) return
  const money = moneyWords(amount, nostro.currency)
  const id = caseId('line', line)
  const message = `${money} needs two people: somebody else first proposes ${to} for ${id}.`
  throw refusal('invalid_transition', message)
}
