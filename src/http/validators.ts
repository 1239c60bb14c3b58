// Compiles schemas: each once a process, however many applications there are in it, and not before
// the first value. Compiling those of all routes would take a third of the service's start.
import buildValidators from '@fastify/ajv-compiler'
import { DOC_KEYWORDS } from './docs.ts'
import { REASON } from './schema.ts'

/** How Ajv judges requests. */
export const REQUESTS = {
  // Fastify's defaults change the body: null would become 0.
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: false,
  allErrors: true,
  verbose: true,
  // Its optimizer doubles the time of a first request, and the validators are no faster for it.
  code: { optimize: false as const },
  keywords: [REASON, ...DOC_KEYWORDS],
  // Members of updates may be null, and percentages are integers or text.
  allowUnionTypes: true,
}

type Build = ReturnType<typeof buildValidators>
type Validate = ReturnType<ReturnType<Build>>

const build = buildValidators()

/** What Fastify asks for a compiler of schemas. */
export const buildValidator: Build = (...options) => {
  const compile = build(...options)
  return route => later(() => compile(route))
}

/** A validator that is compiled at its first call. */
function later(compile: () => Validate): Validate {
  let compiled: Validate | undefined
  const validate = (value: unknown) => {
    compiled ??= compile()
    const result = compiled(value)
    validate.errors = compiled.errors
    return result
  }
  validate.errors = undefined as Validate['errors']
  return validate as Validate
}

/** Where a value does not fit a schema, and how. */
interface Misfit {
  /** `/steps/0/amount`; empty for the value itself. */
  readonly instancePath: string
  readonly message?: string
}

/** Schemas of other services' answers have keywords that Ajv does not know. */
const ANSWERS = { ...REQUESTS, strict: false, verbose: false }
let compileAnswer: ReturnType<Build> | undefined

/**
 * The misfits of a value that is no request, such as an answer of another service; [] when it fits.
 */
export function misfitsOf(schema: object, value: unknown): readonly Misfit[] {
  compileAnswer ??= build({}, { customOptions: ANSWERS })
  const validate = compileAnswer({ schema })
  return validate(value) === true ? [] : (validate.errors ?? [])
}

/**
 * A validator that judges values as the route with this schema does. It is compiled at its first
 * call.
 */
export function openValidator(schema: object): Validate {
  return buildValidator({}, { customOptions: REQUESTS })({ schema })
}
