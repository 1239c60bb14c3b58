// A person books the money of a bank's line on an account, in the turn of the line's nostro: nobody
// returns or matches it meanwhile.
import { findCreditLine } from '../treasury/funding-key-store.ts'
import { caseId } from '../treasury/match/case-id.ts'
import { asMatcher } from '../treasury/match/match-store.ts'
import { findLines } from '../treasury/match/open-store.ts'
import { findCredited, isOpenLine } from '../treasury/match/return-store.ts'
import { checkSecondPerson } from '../treasury/match/second-person.ts'
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
  known('line', id, (await findLines(audit, [number]))[0])
  const line = await findCreditLine(audit, number)
  if (line === undefined) {
    throw refusal('invalid_transition', `${id} is no open credit on an account for clients.`)
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
