// Refuses a body that is too large for its schema before the validator runs. The validator visits
// every item and member and reports each, so that a body with a hundred thousand of them would make
// all callers wait. This check stops at the bounds of the schema. Knows schemas and values.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { invalidField, type Problem, Refusal } from '../errors.ts'
import { isObject, MAX_PROBLEMS, memberPath, shortName } from './problems.ts'

/**
 * Four times the longest text of any schema. A text that is a little too long goes to the
 * validator.
 */
const MAX_TEXT = 8 * 1024

/** The keywords of a JSON schema that bound a value. */
interface Sized {
  readonly maxItems?: number
  readonly maxProperties?: number
  readonly maxLength?: number
  readonly items?: Sized
  readonly properties?: Readonly<Record<string, Sized>>
  readonly additionalProperties?: boolean | Sized
}

/** A hook that refuses a body that is too large for its schema. */
export function refuseTooMuch(
  request: FastifyRequest,
  _reply: FastifyReply,
  done: () => void,
): void {
  const { body, routeOptions } = request
  const { schema } = routeOptions
  const found = schema?.body === undefined ? [] : tooMuch(schema.body as object, body)
  if (found.length > 0) throw new Refusal(found)
  done()
}

/**
 * The oversized parts and unknown members of the value at `path`; empty when it is not too large.
 */
export function tooMuch(schema: object, value: unknown, path = ''): Problem[] {
  const look = new Look()
  look.at(schema, value, path)
  return look.isTooMuch ? look.problems.slice(0, MAX_PROBLEMS) : []
}

class Look {
  readonly problems: Problem[] = []
  isTooMuch = false

  at(schema: Sized, value: unknown, path: string): void {
    if (typeof value === 'string') this.#text(schema, value, path)
    else if (Array.isArray(value)) this.#list(schema, value, path)
    else if (isObject(value)) this.#object(schema, value, path)
  }

  #text({ maxLength = MAX_TEXT }: Sized, { length }: string, path: string): void {
    if (length > MAX_TEXT) this.#refuse(path, `must have at most ${maxLength} characters`)
  }

  #list({ items, maxItems }: Sized, list: readonly unknown[], path: string): void {
    if (maxItems !== undefined && list.length > maxItems) {
      this.#refuse(path, `must have at most ${maxItems} items`)
      return
    }
    if (items === undefined) return
    for (const [i, item] of list.entries()) this.at(items, item, `${path}[${i}]`)
  }

  #object(schema: Sized, object: Readonly<Record<string, unknown>>, path: string): void {
    const { properties = {}, additionalProperties: others, maxProperties } = schema
    const names = Object.keys(object)
    if (maxProperties !== undefined && names.length > maxProperties) {
      this.#refuse(path, `must have at most ${maxProperties} members`)
      return
    }
    for (const name of names) {
      // The answer has already as many problems as it may.
      if (this.isTooMuch && this.problems.length >= MAX_PROBLEMS) return
      const known = Object.hasOwn(properties, name) ? properties[name] : undefined
      if (known !== undefined) this.at(known, object[name], memberPath(path, name))
      else if (others === false) this.#unknown(memberPath(path, shortName(name)))
      else if (typeof others === 'object') this.at(others, object[name], memberPath(path, name))
    }
  }

  #unknown(remarks: string): void {
    const message = `${remarks} is not a field of this request.`
    this.problems.push(invalidField(remarks, message))
    if (this.problems.length > MAX_PROBLEMS) this.isTooMuch = true
  }

  #refuse(remarks: string, what: string): void {
    const message = `${remarks === '' ? 'The body' : remarks} ${what}.`
    this.problems.push(invalidField(remarks, message))
    this.isTooMuch = true
  }
}
