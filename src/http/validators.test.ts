// Validators of routes: compiled at the first call, with the errors of the last. The service
// compiles no schema when it starts, so these tests compile all of them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import { addRoutes, buildApp, depsForDescription } from '../app/app.ts'
import { Type } from './type.ts'
import { buildValidator, misfitsOf } from './validators.ts'

interface Validate {
  (value: unknown): boolean
  readonly errors?: readonly { readonly message?: string }[] | null
}

test('validator, several calls: the errors are those of the last call', () => {
  const compile = buildValidator({}, { customOptions: { coerceTypes: false } })
  const validate = compile({ schema: { type: 'integer' } } as object) as Validate
  assert.equal(validate.errors ?? undefined, undefined)
  assert.equal(validate('1'), false)
  assert.deepEqual(
    validate.errors?.map(({ message }) => message),
    ['must be integer'],
  )
  assert.equal(validate(1), true)
  assert.equal(validate.errors, null)
})

test('validator of an invalid schema: throws at each call', () => {
  const validate = buildValidator(
    {},
    { customOptions: {} },
  )({ schema: { type: 'number?' } } as object)
  assert.throws(() => validate(1), /invalid|JSONType/)
  assert.throws(() => validate(1), /invalid|JSONType/)
})

test('validators, request schemas of every route: compile', async () => {
  const schemas: { readonly what: string; readonly schema: object }[] = []
  const routes = fastify()
  routes.addHook('onRoute', ({ method, url, schema = {} }) => {
    for (const part of ['body', 'querystring', 'params', 'headers'] as const) {
      const of_part = schema[part] as object | undefined
      if (of_part !== undefined) schemas.push({ what: `${method} ${url} ${part}`, schema: of_part })
    }
  })
  addRoutes(routes, depsForDescription())
  assert.ok(schemas.length > 40, `${schemas.length} schemas`)
  const app = await buildApp(depsForDescription())
  await app.ready()
  for (const { what, schema } of schemas) {
    const validate = app.validatorCompiler?.({ schema, method: '', url: '', httpPart: '' })
    assert.doesNotThrow(() => validate?.({}), what)
  }
  await app.close()
})

test('misfitsOf, invalid value: each fault with its place; valid value: none; the value is unchanged', () => {
  const Step = Type.Object({ at: Type.Integer(), note: Type.Optional(Type.String()) })
  const Steps = Type.Object({ steps: Type.Array(Step, { 'x-reason': 'our own' }) })
  assert.deepEqual(misfitsOf(Steps, { steps: [{ at: 1 }, { at: 2, note: '', more: 1 }] }), [])
  const wrong = Object.freeze({ steps: [Object.freeze({ at: '1' }), Object.freeze({ note: 1 })] })
  const places = misfitsOf(Steps, wrong).map(
    ({ instancePath, message }) => `${instancePath} ${message}`,
  )
  assert.deepEqual(places, [
    '/steps/0/at must be integer',
    "/steps/1 must have required property 'at'",
    '/steps/1/note must be string',
  ])
  assert.deepEqual(
    misfitsOf(Steps, null).map(({ instancePath, message }) => [instancePath, message]),
    [['', 'must be object']],
  )
})
