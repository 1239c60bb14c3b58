// Compiles schemas: each once a process, however many applications there are in it, and not before
// the first value. Those of all routes would take a third of the service's start.
import buildValidators from '@fastify/ajv-compiler'

type Build = ReturnType<typeof buildValidators>
type Validate = ReturnType<ReturnType<Build>>

const build = buildValidators()

/** What Fastify asks for a compiler of schemas. */
export const buildValidator: Build = (...options) => {
  const compile = build(...options)
  return route => later(() => compile(route))
}

/** The validator that this compiles, at its first call. */
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
export interface Misfit {
  /** `/steps/0/amount`; empty for the value itself. */
  readonly instancePath: string
  readonly message?: string
}

const EXACT = {
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: false,
  allErrors: true,
  // Schemas have keywords of our own, for readers.
  strict: false,
}
let compileExact: ReturnType<Build> | undefined

/** Of a value that is no request, such as an answer of another service; [] when it fits. */
export function misfitsOf(schema: object, value: unknown): readonly Misfit[] {
  compileExact ??= build({}, { customOptions: EXACT })
  const validate = compileExact({ schema })
  return validate(value) === true ? [] : (validate.errors ?? [])
}
