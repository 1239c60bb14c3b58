// Entities that come in files, held against the very schema and rules of POST /v3/entity, so that
// the command line takes what the API takes and refuses what it refuses, in the same words.
import type { FastifySchemaValidationError } from 'fastify/types/schema.js'
import { buildApp } from '../app.ts'
import { checkEntity } from '../entity/record.ts'
import { EntityRequest } from '../entity/wire.ts'
import { type Problem, Refusal } from '../errors.ts'
import { JsonError, readJson } from '../http/json.ts'
import { validationProblems, withMore } from '../http/problems.ts'
import { describedOnly } from './openapi.ts'

/** Everything wrong with what should be a creation's body; nothing: it is an EntityRequest. */
export type EntityProblems = (body: unknown) => readonly Problem[]

type Validate = ((body: unknown) => boolean) & { errors?: FastifySchemaValidationError[] | null }

/** Builds the validator once, which takes some tenths of a second. */
export async function openEntityReader(): Promise<EntityProblems> {
  const app = await buildApp(describedOnly())
  await app.ready()
  const compile = app.validatorCompiler
  if (compile === undefined) throw new Error('the application has no validator')
  const route = { method: 'POST', url: '/v3/entity', httpPart: 'body' }
  const validate = compile({ schema: EntityRequest, ...route }) as unknown as Validate
  await app.close()
  return body => {
    const shape = validate(body) ? [] : validationProblems(validate.errors ?? [], 'body')
    return withMore(shape, problemsByRules(body, shape.length === 0))
  }
}

/** A body of the wrong shape may break a rule that reads it; its shape is then all there is. */
function problemsByRules(body: unknown, wellShaped: boolean): readonly Problem[] {
  try {
    checkEntity(body as EntityRequest)
    return []
  } catch (error) {
    if (error instanceof Refusal) return error.problems
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
