// Compiles the schemas of routes: each once a process, however many applications there are in it,
// and not before the first request. All of them together would take a third of the service's start.
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
