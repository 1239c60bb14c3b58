// Credits money that came in to the account that its key names: once, whatever dies, by the unique
// indexes of bookings. A payer whom a list may name, and every doubt, waits for a person.
import { SERVICE } from '../accounts/user/user.ts'
import { readListsVersion } from '../screening/list-store.ts'
import type { Lists } from '../screening/lists-in-memory.ts'
import { payerParty } from '../screening/parties.ts'
import type { Sql } from '../sql/connect.ts'
import type { Booking } from '../statements/funding/rules.ts'
import { Refusal } from '../values/errors.ts'
import { runInTurns } from '../values/event-loop.ts'
import {
  accountOf,
  bookedReference,
  type CreditLine,
  type Found,
  keysOf,
  payoutNamesIn,
  sourceOfLine,
} from './funding-key.ts'
import {
  findFundingKeys,
  isCreditable,
  listCreditLines,
  namesOfPayouts,
} from './funding-key-store.ts'
import { asMatcher } from './match/match-store.ts'
import { actForTheHouse } from './nostro-store.ts'

/** The most open lines that are looked at together. */
const LINES = 1_000

export interface Crediting {
  readonly sql: Sql
  /** Reads the payouts of all accounts. */
  readonly audit: Sql
  readonly finder: Sql
  readonly lists: Lists
  /** Books in the name of the service, as an operator's write with its row in the audit log. */
  book(booking: Booking): Promise<void>
}

interface LeftLine {
  readonly line: CreditLine
  readonly reason: string
  /** What failed, where nobody has refused it. */
  readonly error?: unknown
}

interface Credited {
  readonly credited: number
  /** The lines that are left, with the reason. */
  readonly left: readonly LeftLine[]
}

/** Credits each open line after this one whose account is certain. */
export async function creditLines(crediting: Crediting, after = 0n): Promise<Credited> {
  const left: LeftLine[] = []
  let credited = 0
  for (let last: bigint | undefined = after; last !== undefined; ) {
    const lines: readonly CreditLine[] = await findLines(crediting, last)
    const page = await creditPage(crediting, lines)
    credited += page.credited
    left.push(...page.left)
    last = lines.at(-1)?.id
  }
  return { credited, left }
}

async function creditPage(crediting: Crediting, lines: readonly CreditLine[]): Promise<Credited> {
  const { sql } = crediting
  const values = [
    ...new Set(lines.flatMap(line => [...keysOf(line).values()].flatMap(s => [...s]))),
  ]
  const keys = await sql.begin(async tx => {
    void actForTheHouse(tx)
    return findFundingKeys(tx, values)
  })
  const left: LeftLine[] = []
  let credited = 0
  for (const line of lines) {
    // A line that fails stops no other.
    const reason = await creditLine(crediting, line, accountOf(line, keys)).catch(error => {
      left.push({ line, reason: 'it failed', error })
    })
    if (reason === '') credited += 1
    else if (reason !== undefined) left.push({ line, reason })
  }
  return { credited, left }
}

async function findLines({ sql, audit }: Crediting, after: bigint): Promise<CreditLine[]> {
  const rows = await listCreditLines(sql, after, LINES)
  const named = await namesOfPayouts(audit, rows.flatMap(payoutNamesIn))
  return rows.map(line => ({
    ...line,
    names_payout: payoutNamesIn(line).some(name => named.has(name)),
  }))
}

const UNPROVED =
  'it is matched or credited, an open item has its key, or its statement does not follow the one ' +
  'before'

/** Returns why the line is not credited; '' when it is. */
async function creditLine(crediting: Crediting, line: CreditLine, found: Found): Promise<string> {
  if (found.account_id === null) return found.reason
  const screened = await screenPayer(crediting, line.counterparty_name)
  if (screened !== '') return screened
  const { account_id } = found
  try {
    // No matcher takes the line meanwhile, and no other process credits it.
    return await asMatcher(crediting.sql, { nostro: line.nostro, waits: true }, async tx => {
      if (!(await isCreditable(tx, line))) return UNPROVED
      await crediting.book(bookingOf(line, account_id, SERVICE, ''))
      return ''
    })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return error.problems[0]?.message ?? 'it was refused'
  }
}

/** The booking of a whole line on an account. */
export function bookingOf(
  line: Omit<CreditLine, 'names_payout'>,
  account_id: string,
  by: string,
  reason: string,
): Booking {
  const { currency, amount, nostro, id } = line
  const booked = { source: sourceOfLine(id), reference: bookedReference(line), nostro }
  return { kind: 'funding', account_id, currency, amount, ...booked, reason, by }
}

/** Why the payer keeps the money in suspense; '' when no list hits. */
async function screenPayer({ lists, finder }: Crediting, name: string): Promise<string> {
  const present = await lists.waitFor(await readListsVersion(finder))
  const rule = present?.ruleFor({ sandbox: false }) ?? 'wait'
  if (rule === 'pass') return ''
  if (present === undefined || rule === 'wait') return 'the sanctions lists are not current'
  if (name.trim() === '') return ''
  const hits = await runInTurns(present.screening(payerParty(name)))
  return hits.length === 0 ? '' : 'a sanctions list may name its payer'
}
