// Requests that come in files, held against the very schema and rules of the route that takes them,
// so that the command line takes what the API takes and refuses what it refuses, in the same words.
import type { FastifySchemaValidationError } from 'fastify/types/schema.js'
import { buildApp, describedOnly } from '../app.ts'
import { type Problem, Refusal } from '../errors.ts'
import { readJson } from '../http/json.ts'
import { JsonError } from '../http/json-error.ts'
import { isObject, validationProblems, withMore } from '../http/problems.ts'
import { tooMuch } from '../http/sizes.ts'

/** Everything wrong with what should be a request's body; nothing: it is one. */
export type RequestProblems = (body: unknown) => readonly Problem[]

type Validate = ((body: unknown) => boolean) & { errors?: FastifySchemaValidationError[] | null }

/**
 * Builds the validator of a POST's bodies once, which takes some tenths of a second. `check` is the
 * rule of the route for bodies of the right shape.
 */
export async function openRequestReader(
  url: string,
  schema: object,
  check: (body: unknown) => void,
): Promise<RequestProblems> {
  const app = await buildApp(describedOnly())
  await app.ready()
  const compile = app.validatorCompiler
  if (compile === undefined) throw new Error('the application has no validator')
  const route = { method: 'POST', url, httpPart: 'body' }
  const validate = compile({ schema, ...route }) as unknown as Validate
  await app.close()
  return body => {
    // As the API: of what is too much, nothing else is asked.
    const excess = tooMuch(schema, body)
    if (excess.length > 0) return excess
    const shape = validate(body) ? [] : validationProblems(validate.errors ?? [], 'body')
    return withMore(shape, problemsByRules(check, body, shape.length === 0))
  }
}

/** A body of the wrong shape may break a rule that reads it; its shape is then all there is. */
function problemsByRules(
  check: (body: unknown) => void,
  body: unknown,
  wellShaped: boolean,
): readonly Problem[] {
  if (!isObject(body)) return []
  try {
    check(body)
    return []
  } catch (error) {
    // Refusals of another kind than 400 come when the request is right.
    if (error instanceof Refusal) return wellShaped || error.status === 400 ? error.problems : []
    if (wellShaped) throw error
    return []
  }
}

/** Text as a JSON body of the API: the value, or the one reason why it is none. */
export function readBody(text: string): { value: unknown } | { message: string } {
  try {
    return { value: readJson(Buffer.from(text)) }
  } catch (error) {
    if (error instanceof JsonError) return { message: error.message }
    throw error
  }
}
