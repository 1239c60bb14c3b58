// The members of an object that a change has altered. Pure.
import { isDeepStrictEqual } from 'node:util'

/** With their values before it. */
export function changedMembers(before: object, after: object): object {
  const values = after as Readonly<Record<string, unknown>>
  const altered = Object.entries(before).filter(
    ([name, value]) => !isDeepStrictEqual(value, values[name]),
  )
  return Object.fromEntries(altered)
}
