// Who may do what by the operator API: each caller, each route, each state of what is named. A route
// that this file has no call of is a failure.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import document from '../../docs/operator.openapi.json' with { type: 'json' }
import { assertRefused } from '../support/assert/check.ts'
import { readDocument } from '../support/assert/document.ts'
import { type WrittenTables, watchWrittenTables } from '../support/database/written.ts'
import type { Answer } from '../support/service/service.ts'
import { CALLS, type Call, makeCallers, makeOperatorWorld, type OperatorWorld } from './world.ts'

const api = readDocument(document)
let world: OperatorWorld
let callers: Readonly<Record<string, Record<string, string>>>
let written: WrittenTables
before(async () => {
  world = await makeOperatorWorld()
  callers = await makeCallers(world)
  written = await watchWrittenTables(world.service.database.owner)
})
after(() => world.close())

/** What each caller gets, by what the route needs. */
const EXPECTED: Readonly<Record<string, readonly [read: Expected, write: Expected]>> = {
  nobody: ['missing_credentials', 'missing_credentials'],
  'wrong secret': ['invalid_credentials', 'invalid_credentials'],
  'disabled operator': ['invalid_credentials', 'invalid_credentials'],
  'account key, read': ['insufficient_scope', 'insufficient_scope'],
  'account key, write': ['insufficient_scope', 'insufficient_scope'],
  'account key, operator': ['insufficient_scope', 'insufficient_scope'],
  viewer: ['insufficient_scope', 'insufficient_scope'],
  maker: ['insufficient_scope', 'insufficient_scope'],
  approver: ['insufficient_scope', 'insufficient_scope'],
  auditor: ['well', 'insufficient_scope'],
}
type Expected = keyof typeof STATUS
const STATUS = {
  well: 200,
  missing_credentials: 401,
  invalid_credentials: 401,
  insufficient_scope: 403,
}

test('routes: each is documented, has a call here, and needs a person', () => {
  const documented = api.operations
    .filter(({ path }) => path.startsWith('/v3/operator/'))
    .map(({ name }) => name.replace(/\{(\w+)\}/g, ':$1'))
    .sort()
  const names = world.routes.map(({ name }) => name).sort()
  assert.deepEqual(names, documented)
  assert.deepEqual(names, Object.keys(CALLS).sort())
  for (const { name, method, scope } of world.routes) {
    assert.equal(scope, method === 'GET' ? 'installation_read' : 'installation_write', name)
  }
  assert.deepEqual(Object.keys(callers), Object.keys(EXPECTED))
})

for (const [name, callOf] of Object.entries(CALLS)) {
  const needed = name.startsWith('GET') ? 0 : 1

  test(`${name}: every caller as the table says, before an id that nothing has is 404; who is refused changes no row; an operator: 200 as documented`, async () => {
    const call = await callOf(world)
    await written()
    const assertAnswers = async (
      one: Call,
      whos: readonly string[],
      well: (answer: Answer, who: string) => void,
    ) => {
      for (const who of whos) {
        const headers = callers[who] ?? assert.fail(who)
        const expected = EXPECTED[who]?.[needed] ?? assert.fail(who)
        const answer = await world.call(name, one, headers)
        if (expected === 'well') well(answer, who)
        else assertRefused(answer, STATUS[expected], expected)
      }
    }
    await assertAnswers(call, Object.keys(callers), ({ status, text }, who) =>
      assert.equal(status, 200, `${who}: ${text}`),
    )
    if (name.includes(':')) {
      const [id = ''] = call.ids ?? []
      const nobodys = { ...call, ids: [id.replace(/(?<=_|^C).*/, text => '0'.repeat(text.length))] }
      await assertAnswers(nobodys, ['nobody', 'maker', 'auditor'], answer =>
        assertRefused(answer, 404, 'not_found'),
      )
      assertRefused(await world.call(name, nobodys), 404, 'not_found')
      const malformed = { ...call, ids: ['POT_'] }
      assertRefused(await world.call(name, malformed), 400, 'invalid_path_parameter')
    }
    assert.deepEqual(await written(), [])
    const done = await world.call(name, call)
    assert.equal(done.status, 200, done.text)
    const [method = '', url = ''] = name.split(' ')
    const path = url.replace(/:(\w+)/g, '{$1}')
    const schema = api.answerSchema(path, method.toLowerCase(), 200, 'application/json')
    assert.equal(api.mismatch(schema, done.json), '', done.text)
  })
}
