// How long the words of operators may be, whether they come by a command or by the API.

import { invalidField, Refusal, refuseIfAny } from '../errors.ts'
import type { Read } from '../text/csv.ts'

/** The longest name of an account; statements print it. */
export const MAX_NAME = 200

/** The longest reference of a payment, and the longest reason of an operator. */
export const MAX_REFERENCE = 140
export const MAX_REASON = 500

/** The members of bodies whose name is not that of the command's option. */
const MEMBERS: Readonly<Record<string, string>> = {
  account: 'account_id',
  key: 'key_id',
  'new-for': 'new_for_hours',
  lead: 'lead_minutes',
  'arrives-after': 'arrival_days',
  days: 'expires_after_days',
  'paid-in': 'currency',
}

/** A message about options of a command, as a message about members of a body. */
function inMembers(words: string): string {
  return words.replace(
    /(?<![\w-])--([a-z]+(?:-[a-z]+)*)/g,
    (_, option: string) => MEMBERS[option] ?? option.replaceAll('-', '_'),
  )
}

/** The value that was read. Refuses what a command would refuse as its text. */
export function readOrRefuse<T>({ value, messages = [] }: Read<T>, remarks = ''): T {
  refuseIfAny(messages.map(message => invalidField(remarks, inMembers(message))))
  return value as T
}

/** Throws the same error. A refusal is put in the words of the API. */
export function refuseInMembers(error: unknown): never {
  if (!(error instanceof Refusal) || !/--[a-z]/.test(error.message)) throw error
  const problems = error.problems.map(problem => ({
    ...problem,
    message: inMembers(problem.message),
  }))
  const said = new Refusal(problems, error.unlisted, error.retry_after_s)
  said.cause = error
  throw said
}
