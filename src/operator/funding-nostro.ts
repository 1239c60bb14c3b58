// On which account at a bank, and of which money there, an operator may fund an account.
import type { Sql } from '../sql/connect.ts'
import type { Booking } from '../statements/funding/rules.ts'
import { caseId } from '../treasury/match/case-id.ts'
import { findSpentLine } from '../treasury/match/return-store.ts'
import { needsTwoPeople } from '../treasury/match/second-person.ts'
import type { Nostro } from '../treasury/nostro.ts'
import { listNostros } from '../treasury/nostro-store.ts'
import { invalidField, refusal, refuseIfAny } from '../values/errors.ts'
import { moneyWords } from '../values/money/words.ts'
import { nostroNamed } from './nostro-changes.ts'

/** Refuses (404) an unknown nostro, and (400) one that the money cannot move on. */
export async function checkNostro(
  audit: Sql,
  { nostro: name, currency }: { readonly nostro?: string; readonly currency: string },
  sandbox: boolean,
): Promise<void> {
  if (name === undefined) return
  const nostro = await nostroNamed(audit, name)
  refuseIfAny([
    ...(sandbox ? [invalidField('nostro', 'a sandbox has no money at a bank')] : []),
    ...(nostro.closed_at === null ? [] : [invalidField('nostro', `${name} is closed`)]),
    ...(nostro.currency === currency
      ? []
      : [invalidField('nostro', `${name} is in ${nostro.currency}, not in ${currency}`)]),
  ])
}

/**
 * Refuses (409) a funding without a line from the limit of a nostro on, at which two people decide:
 * one person would book it, and the line would then match it by itself.
 */
export async function checkSmall(audit: Sql, booking: Omit<Booking, 'by'>): Promise<void> {
  const { currency, amount, nostro: named } = booking
  const fits = (one: Nostro) =>
    named === undefined ? one.purpose === 'client' : one.name === named
  const open = (await listNostros(audit)).filter(one => one.closed_at === null && fits(one))
  const large = open.find(one => one.currency === currency && needsTwoPeople(one, amount))
  if (large === undefined) return
  const message =
    `${moneyWords(amount, currency)} on ${large.name} needs two people: one proposes the account ` +
    'for its line (corridor nostro propose), and another one credits it (corridor nostro ' +
    'credit). Without statements there are no lines: set no limit there.'
  throw refusal('invalid_transition', message, 'amount')
}

/**
 * Refuses (409) a funding without a line, with the reference of a credit that went back to its
 * payer, or that the house has: the same money would be somebody's twice.
 */
export async function checkUnspent(audit: Sql, booking: Omit<Booking, 'by'>): Promise<void> {
  const line = await findSpentLine(audit, booking)
  if (line === undefined) return
  const message =
    `${caseId('line', line)} has the reference "${booking.reference}", and is no account’s ` +
    'money: undo its match first, or name the line of this money as source.'
  throw refusal('invalid_transition', message, 'reference')
}

/** What PostgreSQL refuses as well, by constraint: something has changed since it was looked at. */
const REFUSED: ReadonlyMap<string, string> = new Map([
  ['funded_by_an_open_line', 'The line was matched or credited meanwhile: look at it again.'],
  ['large_credit_by_two', 'Another person first proposes this account for the line.'],
  ['large_funding_has_a_line', 'This much needs two people: name the line of the money as source.'],
  [
    'funded_by_unspent_money',
    'A credit with this reference is no account’s money: name the line of this money as source.',
  ],
])

/** Turns what PostgreSQL refuses about a funding into a refusal (409). */
export function refuseFunding(error: unknown): never {
  const { constraint_name = '' } = error as { constraint_name?: string }
  const message = REFUSED.get(constraint_name)
  throw message === undefined ? error : refusal('invalid_transition', message)
}
