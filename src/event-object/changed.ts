// The members of an object that a change altered. Pure.
import { isDeepStrictEqual } from 'node:util'

/** The altered members, with their values before the change. */
export function changedMembers(before: object, after: object): object {
  const values = after as Readonly<Record<string, unknown>>
  const altered = Object.entries(before).filter(
    ([name, value]) => !isDeepStrictEqual(value, values[name]),
  )
  return Object.fromEntries(altered)
}
