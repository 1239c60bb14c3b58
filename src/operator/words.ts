// The longest texts of operators, by a command and by the API. Also translates messages about a
// command's options into messages about a body's members.

import { invalidField, Refusal, refuseIfAny } from '../errors.ts'
import type { Read } from '../text/csv.ts'

/** The longest name of an account; statements print it. */
export const MAX_NAME = 200

/** The longest reference of a payment, and the longest reason of an operator. */
export const MAX_REFERENCE = 140
export const MAX_REASON = 500

/** The members of bodies that are named otherwise than the option of the command. */
const MEMBERS: Readonly<Record<string, string>> = {
  account: 'account_id',
  key: 'key_id',
  'new-for': 'new_for_hours',
  lead: 'lead_minutes',
  'arrives-after': 'arrival_days',
  days: 'expires_after_days',
  'paid-in': 'currency',
}

/** A message with the names of members in place of a command's options. */
function inMembers(words: string): string {
  return words.replace(
    /(?<![\w-])--([a-z]+(?:-[a-z]+)*)/g,
    (_, option: string) => MEMBERS[option] ?? option.replaceAll('-', '_'),
  )
}

/** The value that was read. Refuses (400) with the messages about its text, in the API's words. */
export function readOrRefuse<T>({ value, messages = [] }: Read<T>, remarks = ''): T {
  refuseIfAny(messages.map(message => invalidField(remarks, inMembers(message))))
  return value as T
}

/** Throws the error; a refusal that names options of a command, in the words of the API. */
export function refuseInMembers(error: unknown): never {
  if (!(error instanceof Refusal) || !/--[a-z]/.test(error.message)) throw error
  const problems = error.problems.map(problem => ({
    ...problem,
    message: inMembers(problem.message),
  }))
  const translated = new Refusal(problems, error.unlisted, error.retry_after_s)
  translated.cause = error
  throw translated
}
