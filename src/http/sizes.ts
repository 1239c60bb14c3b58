// Refuses a body that is too large for its schema, before the validator runs. The validator visits
// and reports every item and member, so a body with a hundred thousand of them would make all
// callers wait. This check stops at the schema's bounds. Knows schemas and values.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { invalidField, type Problem, Refusal } from '../values/errors.ts'
import { isObject, MAX_PROBLEMS, memberPath, shortName, unknownWords } from './problems.ts'

/** Four times the longest ordinary text. The validator judges shorter texts. */
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
export function refuseOversized(
  request: FastifyRequest,
  _reply: FastifyReply,
  done: () => void,
): void {
  const { body, routeOptions } = request
  const { schema } = routeOptions
  const found = schema?.body === undefined ? [] : oversizedParts(schema.body as object, body)
  if (found.length > 0) throw new Refusal(found)
  done()
}

/** The oversized parts and unknown members of the value at `path`; empty if it is not too large. */
export function oversizedParts(schema: object, value: unknown, path = ''): Problem[] {
  const check = new SizeCheck()
  check.visit(schema, value, path)
  return check.isOversized ? check.problems.slice(0, MAX_PROBLEMS) : []
}

class SizeCheck {
  readonly problems: Problem[] = []
  isOversized = false

  visit(schema: Sized, value: unknown, path: string): void {
    if (typeof value === 'string') this.#text(schema, value, path)
    else if (Array.isArray(value)) this.#list(schema, value, path)
    else if (isObject(value)) this.#object(schema, value, path)
  }

  #text({ maxLength = MAX_TEXT }: Sized, { length }: string, path: string): void {
    // A text may be a whole file, where its schema says so.
    if (length > Math.max(MAX_TEXT, maxLength))
      this.#refuse(path, `must have at most ${maxLength} characters`)
  }

  #list({ items, maxItems }: Sized, list: readonly unknown[], path: string): void {
    if (maxItems !== undefined && list.length > maxItems) {
      this.#refuse(path, `must have at most ${maxItems} items`)
      return
    }
    if (items === undefined) return
    for (const [i, item] of list.entries()) this.visit(items, item, `${path}[${i}]`)
  }

  #object(schema: Sized, object: Readonly<Record<string, unknown>>, path: string): void {
    const { properties = {}, additionalProperties: others, maxProperties } = schema
    const names = Object.keys(object)
    if (maxProperties !== undefined && names.length > maxProperties) {
      this.#refuse(path, `must have at most ${maxProperties} members`)
      return
    }
    for (const name of names) {
      // The answer already has as many problems as it may have.
      if (this.isOversized && this.problems.length >= MAX_PROBLEMS) return
      const known = Object.hasOwn(properties, name) ? properties[name] : undefined
      if (known !== undefined) this.visit(known, object[name], memberPath(path, name))
      else if (others === false) this.#unknown(name, Object.keys(properties), path)
      else if (typeof others === 'object') this.visit(others, object[name], memberPath(path, name))
    }
  }

  #unknown(name: string, known: readonly string[], path: string): void {
    const pathOf = (member: string) => memberPath(path, shortName(member))
    this.problems.push(invalidField(pathOf(name), unknownWords(name, known, pathOf)))
    if (this.problems.length > MAX_PROBLEMS) this.isOversized = true
  }

  #refuse(remarks: string, what: string): void {
    const message = `${remarks === '' ? 'The body' : remarks} ${what}.`
    this.problems.push(invalidField(remarks, message))
    this.isOversized = true
  }
}
