// A person books the money of a bank's line on an account, in the turn of the line's nostro: nobody
// returns or matches it meanwhile.
import { findCreditLine } from '../treasury/funding-key-store.ts'
import { caseId } from '../treasury/match/case-id.ts'
import type { OpenLine } from '../treasury/match/match.ts'
import { asMatcher } from '../treasury/match/match-store.ts'
import { findLines, type Listed } from '../treasury/match/open-store.ts'
import { findCredited, isOpenLine } from '../treasury/match/return-store.ts'
import { checkSecondPerson } from '../treasury/match/second-person.ts'
import type { Nostro } from '../treasury/nostro.ts'
import { refusal } from '../values/errors.ts'
import type { Acting } from './action.ts'
import { nostroNamed } from './nostro-changes.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { known } from './operator-write.ts'

/** An open credit on an account for clients. */
export type OpenCredit = NonNullable<Awaited<ReturnType<typeof findCreditLine>>>

/**
 * Refuses a line that is unknown (404); that is no open credit for clients, or needs another person
 * to propose the account (409); with `alone`, also one of which an account has a part already.
 * `work` gets what no account has of it yet, in minor units.
 */
export async function inTurnOfLine<T>(
  { audit, operator }: Pick<Acting<unknown>, 'audit' | 'operator'>,
  number: bigint,
  { to, alone }: { readonly to: string; readonly alone: boolean },
  work: (line: OpenCredit, left: bigint) => Promise<T>,
): Promise<T> {
  const id = caseId('line', number)
  const found = known('line', id, (await findLines(audit, [number]))[0])
  const line = await findCreditLine(audit, number)
  if (line === undefined) {
    const why = whyNot(found, await nostroNamed(audit, found.nostro))
    throw refusal('invalid_transition', `${id} funds no account: ${why}.`)
  }
  return oneAtATime(() =>
    asMatcher(audit, { nostro: line.nostro, waits: true }, async tx => {
      if (!(await isOpenLine(tx, number))) {
        throw refusal('invalid_transition', `${id} is matched since.`)
      }
      const credited = await findCredited(tx, number)
      if (alone && credited > 0n) {
        throw refusal('source_already_used', `${id} is credited to an account.`, 'source')
      }
      const nostro = await nostroNamed(tx, line.nostro)
      await checkSecondPerson(tx, { nostro, line: number, amount: line.amount, to }, operator)
      return work(line, line.amount - credited)
    }),
  )
}

/** Why the line is no open credit for clients. */
function whyNot({ match, amount, currency, code }: Listed<OpenLine>, nostro: Nostro): string {
  const { name, purpose, closed_at, currency: own } = nostro
  if (match !== null) return `it is in ${caseId('match', match)}`
  if (amount <= 0n) return 'it is a debit'
  if (purpose === 'own') return `${name} has the house’s own money`
  if (closed_at !== null) return `${name} is closed`
  if (currency !== own) return `it is in ${currency}, and ${name} in ${own}`
  return `its code ${code} is that of a payment that came back`
}
