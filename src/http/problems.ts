// Turns the errors of the schema validator into problems that a caller can act on: one for each
// field, with its path and a sentence that says what is allowed. Never repeats a sent value.
import type { FastifyRequest } from 'fastify'
import type { FastifySchemaValidationError } from 'fastify/types/schema.js'
import type { Account } from '../accounts/rules.ts'
import { type Problem, type Reason, Refusal } from '../values/errors.ts'
import { nearestOf } from '../values/text/nearest.ts'
import { REASON } from './schema.ts'

/** An error of ajv. With the option `verbose` it has the schema that the value breaks. */
type Finding = FastifySchemaValidationError & {
  readonly parentSchema?: Readonly<Record<string, unknown>>
  /** The member whose name is not valid. ajv adds an error of `propertyNames`, which is used. */
  readonly propertyName?: string
}

/** The most problems in an answer: it must not be many times the size of a refused body. */
export const MAX_PROBLEMS = 100

/** The most characters of a name in a path, as in json-error.ts. */
const MAX_NAME_IN_PATH = 64

const REASON_BY_PLACE: Readonly<Record<string, Reason>> = {
  body: 'invalid_field',
  params: 'invalid_path_parameter',
  querystring: 'invalid_query_parameter',
  headers: 'invalid_request',
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Checks the rules across fields of a body that has passed its schema. Runs before the handler,
     * and throws a Refusal that names every problem.
     */
    check?: (body: never, account: Account) => void
    /** As `check`, for the query. A parameter sent twice is an array here. */
    checkQuery?: (query: never) => void
    /**
     * Rules that the operation itself checks, after it has looked for an answer kept under the
     * Idempotency-Key. Here they only add problems to those of the schema.
     */
    checkInOperation?: (body: never, account: Account) => void
  }
}

/** Refuses a request that breaks its schema or its route's rules, with every problem at once. */
export function refuseInvalid(request: FastifyRequest): void {
  const { validationError } = request
  if (validationError === undefined) {
    runRules(request)
    return
  }
  const { validation = [], validationContext = 'body' } = validationError
  const problems = validationProblems(validation, validationContext)
  const byRules = refusalByRules(request)
  throw new Refusal(withMore(problems, byRules?.problems ?? []), byRules?.unlisted)
}

function runRules({ body, query, account, routeOptions }: FastifyRequest): void {
  const { check, checkQuery } = routeOptions.config
  checkQuery?.(query as never)
  // A route whose body is optional has no rules for a missing one.
  if (isObject(body)) check?.(body as never, account)
}

/** The problems of the schema, and the rules' problems of other fields. */
export function withMore(found: readonly Problem[], byRules: readonly Problem[]): Problem[] {
  const named = new Set(found.map(({ remarks }) => remarks))
  return [...found, ...byRules.filter(({ remarks }) => !named.has(remarks))]
}

/**
 * The problems that the rules find. On a body of the wrong shape a rule may throw any error, which
 * counts as no problem.
 */
export function problemsByRules(
  check: (body: unknown) => void,
  body: unknown,
  isWellShaped: boolean,
): readonly Problem[] {
  if (!isObject(body)) return []
  try {
    check(body)
    return []
  } catch (error) {
    // A status other than 400 makes sense only for a body of the right shape.
    if (error instanceof Refusal) return isWellShaped || error.status === 400 ? error.problems : []
    if (isWellShaped) throw error
    return []
  }
}

function refusalByRules(request: FastifyRequest): Refusal | undefined {
  const { body, account } = request
  try {
    runRules(request)
    if (isObject(body)) request.routeOptions.config.checkInOperation?.(body as never, account)
    return undefined
  } catch (error) {
    // A rule may throw any error on a body of the wrong shape: then only the schema's errors count.
    // A refusal with another status than 400 can wait until the request is valid.
    return error instanceof Refusal && error.status === 400 ? error : undefined
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function validationProblems(
  findings: readonly FastifySchemaValidationError[],
  place: string,
): Problem[] {
  const problems = new Map<string, Problem>()
  for (const finding of findings as readonly Finding[]) {
    if (finding.propertyName !== undefined) continue
    const { remarks, message } = describe(finding, place === 'querystring' ? queryPath : jsonPath)
    // A field that fails two keywords is one problem, the first one.
    if (!problems.has(remarks)) {
      problems.set(remarks, { reason: reasonOf(finding, place), message, remarks })
    }
  }
  return [...problems.values()]
}

function reasonOf({ keyword, parentSchema }: Finding, place: string): Reason {
  const special = parentSchema?.[REASON] as Reason | undefined
  const outOfBounds = keyword === 'minimum' || keyword === 'maximum'
  if (special === 'amount_out_of_range' && outOfBounds) return special
  if (special === 'currency' && keyword === 'pattern') return special
  return REASON_BY_PLACE[place] ?? 'invalid_field'
}

function describe(
  finding: Finding,
  pathOf: (pointer: string) => string,
): { remarks: string; message: string } {
  const { keyword, params, instancePath, parentSchema } = finding
  const path = pathOf(instancePath)
  const child = (name: unknown) =>
    pathOf === queryPath
      ? queryPath(`${instancePath}/${escaped(String(name))}`)
      : memberPath(path, shortName(String(name)))
  switch (keyword) {
    case 'required': {
      const remarks = child(params.missingProperty)
      return { remarks, message: `${remarks} is required.` }
    }
    case 'additionalProperties': {
      const name = String(params.additionalProperty)
      const known = Object.keys(parentSchema?.properties ?? {})
      return { remarks: child(name), message: unknownWords(name, known, child) }
    }
    case 'propertyNames':
      return {
        remarks: child(params.propertyName),
        message: `${path} has a name that is not valid.`,
      }
    default:
      return { remarks: path, message: `${path || 'The body'} ${expectation(finding)}.` }
  }
}

/** `payout_info.amont is not a field of this request; did you mean payout_info.amount?` */
export function unknownWords(
  name: string,
  known: readonly string[],
  pathOf: (name: string) => string,
): string {
  const nearest = nearestOf(shortName(name), known)
  const end = nearest === undefined ? '.' : `; did you mean ${pathOf(nearest)}?`
  return `${pathOf(name)} is not a field of this request${end}`
}

function expectation({ keyword, params, parentSchema }: Finding): string {
  switch (keyword) {
    case 'type':
      return params.type === 'integer' && parentSchema?.maximum !== undefined
        ? `must be an integer literal from ${parentSchema.minimum} to ${parentSchema.maximum}`
        : expectedType([params.type].flat() as string[])
    case 'minimum':
      return `must be at least ${params.limit}`
    case 'maximum':
      return `must be at most ${params.limit}`
    case 'minLength':
      return `must have at least ${params.limit} characters`
    case 'maxLength':
      return `must have at most ${params.limit} characters`
    case 'maxItems':
      return `must have at most ${params.limit} items`
    case 'maxProperties':
      return `must have at most ${params.limit} members`
    case 'enum':
      return `must be one of ${(params.allowedValues as unknown[]).join(', ')}`
    case 'pattern':
      if (params.pattern === '\\S') return 'must not be blank'
      return `must match ${params.pattern}`
    case 'format':
      if (params.format !== 'date-time') return 'is not valid'
      return 'must be an RFC 3339 time with an offset, such as 2026-12-01T09:00:00Z'
    default:
      return 'is not valid'
  }
}

function expectedType(types: readonly string[]): string {
  // Bodies take no fractions in numbers (docs/decisions/bounds-and-rate-limits.md).
  if (types.includes('integer') && types.includes('string')) {
    return 'must be an integer, or a decimal number as text, such as "33.3"'
  }
  return `must be of type ${types.join(' or ')}`
}

/** Writes `/payout_info/amount` as `payout_info.amount`, `/documents/2` as `documents[2]`. */
function jsonPath(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => {
      if (/^\d+$/.test(part)) return `${path}[${part}]`
      return memberPath(path, shortName(part))
    }, '')
}

const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')

/** The name of the query parameter, whichever of its values failed; for a pair `metadata[key]`. */
function queryPath(pointer: string): string {
  const [, name = '', ...keys] = pointer.split('/')
  const key = keys.join('/').replaceAll('~1', '/').replaceAll('~0', '~')
  return keys.length === 0 || /^\d+$/.test(key) ? shortName(name) : `${name}[${shortName(key)}]`
}

/** Joins `payout_info` and `amount` to `payout_info.amount`. */
export function memberPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

/** A name that the caller sent, cut by code points: no answer may get as long as its body. */
export function shortName(name: string): string {
  const points = Array.from(name.slice(0, 2 * MAX_NAME_IN_PATH + 1))
  return points.length > MAX_NAME_IN_PATH ? `${points.slice(0, MAX_NAME_IN_PATH).join('')}…` : name
}
