// Credits money that came in with a key. It runs behind the matching of lines, because a line that
// an exact key explains is no new money. A round that dies has credited some lines; the next one
// finds the others.
import { SERVICE } from '../../accounts/user/user.ts'
import { bookingAct } from '../../operator/funding.ts'
import { refuseFunding } from '../../operator/funding-nostro.ts'
import type { Deps } from '../../runtime/deps.ts'
import { bookMoney } from '../../statements/funding/operations.ts'
import type { Booking } from '../../statements/funding/rules.ts'
import { creditLines } from '../../treasury/credit.ts'
import { findCreditMark } from '../../treasury/funding-key-store.ts'

/** A list that was not current may be by now, and an account that was closed may be open. */
const LOOK_AT_ALL_MS = 60_000

/** What the last round has looked at. */
export interface Credited {
  line: bigint
  keys: string
  /** When all open lines were last looked at, by the process's clock. */
  all_at: number
}

export const NOTHING_CREDITED: Credited = { line: 0n, keys: '', all_at: Number.NEGATIVE_INFINITY }

/** Looks at new lines at once; and at all that are open once in a while, or with new keys. */
export async function creditNew(deps: Deps, done: Credited): Promise<void> {
  const { line, keys } = await findCreditMark(deps.sql)
  const now = performance.now()
  const all = keys !== done.keys || now - done.all_at > LOOK_AT_ALL_MS
  if (!all && line === done.line) return
  await creditAll(deps, all ? 0n : done.line)
  Object.assign(done, { line, keys }, all && { all_at: now })
}

/** Credits each open line after this one whose account is certain. Returns how many. */
export async function creditAll(deps: Deps, after = 0n): Promise<number> {
  const { sql, finder, lists, operators } = deps
  const { audit } = operators
  const author = { operator: SERVICE, act: 'nostro credit', via: 'corridor treasury', origin: {} }
  const book = async (command: Booking) => {
    await operators
      .run(author, { operation: bookMoney, command, act: bookingAct })
      .catch(refuseFunding)
  }
  const { credited, left } = await creditLines({ sql, audit, finder, lists, book }, after)
  for (const { line, error } of left) {
    if (error === undefined) continue
    deps.log.warn({ err: error, line: `line_${line.id}` }, 'a line could not be credited')
  }
  return credited
}
