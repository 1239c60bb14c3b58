// Compiles schemas: each once a process, for all applications in it, and only for the first value.
// Compiling the schemas of all routes would take a third of the service's start.
import buildValidators from '@fastify/ajv-compiler'
import { DOC_KEYWORDS } from './docs.ts'
import { REASON } from './schema.ts'

/** Ajv's options for requests. */
export const REQUESTS = {
  // Fastify's defaults change the body: null would become 0.
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: false,
  allErrors: true,
  verbose: true,
  // Ajv's optimizer doubles the time of a first request, and makes the validators no faster.
  code: { optimize: false as const },
  keywords: [REASON, ...DOC_KEYWORDS],
  // Members of updates may be null, and percentages are integers or text.
  allowUnionTypes: true,
}

type Build = ReturnType<typeof buildValidators>
type Validate = ReturnType<ReturnType<Build>>

const build = buildValidators()

/** The factory from which Fastify gets a compiler of schemas. */
export const buildValidator: Build = (...options) => {
  const compile = build(...options)
  return route => lazyValidator(() => compile(route))
}

/** A validator that is compiled at its first call. */
function lazyValidator(compile: () => Validate): Validate {
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

/** Ajv's options for other services' answers, whose schemas have keywords unknown to Ajv. */
const ANSWERS = { ...REQUESTS, strict: false, verbose: false }
let compileAnswer: ReturnType<Build> | undefined

/** The misfits of a value other than a request, such as another service's answer; [] if it fits. */
export function misfitsOf(schema: object, value: unknown): readonly Misfit[] {
  compileAnswer ??= build({}, { customOptions: ANSWERS })
  const validate = compileAnswer({ schema })
  return validate(value) === true ? [] : (validate.errors ?? [])
}

/** A validator that decides as a route with this schema does. It is compiled at its first call. */
export function openValidator(schema: object): Validate {
  return buildValidator({}, { customOptions: REQUESTS })({ schema })
}
