// What a request may have is bounded by its schema alone: every list, object and text of every route has
// a bound, and all together fit into what the reader of bodies takes.
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { test } from 'node:test'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { buildApp, depsForDescription } from '../../src/app/app.ts'
import { MAX_STEP_VALUES } from '../../src/http/json-reader.ts'
import { PayoutRequest } from '../../src/payouts/request.ts'

// biome-ignore lint/suspicious/noExplicitAny: a schema is whatever it is
type Json = any

/** The longest text that a member may have; the validator is not asked of four times as much. */
const MAX_TEXT = 2_048

async function bodies(): Promise<[name: string, schema: Json][]> {
  const routes: RouteOptions[] = []
  const watch = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance }
    fastify.addHook('onRoute', route => void routes.push(route))
  }
  subscribe('fastify.initialization', watch)
  const app = await buildApp(depsForDescription())
  await app.ready()
  unsubscribe('fastify.initialization', watch)
  await app.close()
  const taking = routes.filter(({ schema }) => schema?.body !== undefined)
  const found = taking.map(({ method, url, schema }) => [`${method} ${url}`, schema?.body])
  return [...(found as [string, Json][]), ['a payout of a batch', PayoutRequest]]
}

/** The most values there can be; what has no bound is added to `unbounded`. */
function mostValues(node: Json, path: string, unbounded: string[]): number {
  if (typeof node !== 'object' || node === null) return 1
  const types: string[] = [node.type].flat()
  const inner = (child: Json, name: string) => mostValues(child, `${path}.${name}`, unbounded)
  let most = 1
  if (types.includes('string') && node.enum === undefined && node.const === undefined) {
    const isBounded = node.maxLength <= MAX_TEXT || /^\^.*\$$/.test(node.pattern ?? '')
    if (!isBounded) unbounded.push(path)
  }
  for (const [name, child] of Object.entries(node.properties ?? {})) most += inner(child, name)
  if (types.includes('array')) {
    if (node.maxItems === undefined) unbounded.push(path)
    // Payouts of a batch are counted one by one.
    else if (node.items !== undefined) most += node.maxItems * inner(node.items, '[]')
  }
  if (types.includes('object') && node.additionalProperties !== false) {
    if (node.maxProperties === undefined) unbounded.push(path)
    else most += node.maxProperties * inner(node.additionalProperties, '*')
  }
  for (const one of [node.anyOf, node.oneOf, node.allOf].flatMap(some => some ?? [])) {
    most += inner(one, '|')
  }
  return most
}

test('request schemas, all: lists, objects and texts bounded; a body with every list full has at most half of the allowed values', async t => {
  const all = await bodies()
  assert.ok(all.length > 15)
  for (const [name, schema] of all) {
    const unbounded: string[] = []
    const most = mostValues(schema, name, unbounded)
    assert.deepEqual(unbounded, [], name)
    assert.ok(2 * most <= MAX_STEP_VALUES, `${name}: ${most} values`)
    t.diagnostic(`${name}: ${most} values at most`)
  }
})
