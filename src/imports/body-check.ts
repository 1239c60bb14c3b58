// Checks bodies in a file as the API does, and refuses in the same words.
import { problemsByRules, validationProblems, withMore } from '../http/problems.ts'
import { oversizedParts } from '../http/sizes.ts'
import { openValidator } from '../http/validators.ts'
import type { Problem } from '../values/errors.ts'

/** An empty list says that the body is valid. */
export type BodyCheck = (body: unknown) => readonly Problem[]

/** `check` is the route's rule for bodies that fit the schema; it throws a Refusal. */
export function openBodyCheck(schema: object, check: (body: unknown) => void): BodyCheck {
  const validate = openValidator(schema)
  return body => {
    // Like the API, checks nothing else of a body that is too large.
    const excess = oversizedParts(schema, body)
    if (excess.length > 0) return excess
    const shape = validate(body) ? [] : validationProblems(validate.errors ?? [], 'body')
    return withMore(shape, problemsByRules(check, body, shape.length === 0))
  }
}
