// What operators set for the whole installation: rails that are paused, lists that are required. A
// repeat of such a change changes nothing more, and the audit log has it once.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertRefused, rowVersions } from '../support/assert/check.ts'
import { makeOperatorWorld, newRail, type OperatorWorld } from './world.ts'

let world: OperatorWorld
before(async () => {
  world = await makeOperatorWorld()
})
after(() => world.close())

interface Logged {
  readonly act: string
  readonly changed_by: string
  readonly via: string
  readonly before: Record<string, unknown>
  readonly after: Record<string, unknown>
}

/** What the log has of an act, newest first. */
async function loggedOf(act: string): Promise<Logged[]> {
  const query = `?limit=100&act=${encodeURIComponent(act)}`
  const { status, json, text } = await world.call('GET /v3/operator/audit', { query })
  assert.equal(status, 200, text)
  return json.data.results
}

test('a rail, paused twice and resumed twice: each in the log once, under the name; its secret is not shown', async () => {
  const name = await newRail(world)
  const ids = [name]
  const pause = { ids, body: { reason: 'The bank is closed' } }
  for (let i = 0; i < 2; i++) {
    const paused = await world.call('POST /v3/operator/rail/:name/pause', pause)
    assert.equal(paused.status, 200, paused.text)
    const { config: _, ...shown } = paused.json.data
    const words = { paused: true, paused_reason: 'The bank is closed' }
    assert.deepEqual(shown, { name, kind: 'connector', has_secret: true, ...words })
    assert.doesNotMatch(paused.text, /xxxx/)
  }
  const { json, text } = await world.call('GET /v3/operator/rail/:name', { ids })
  assert.deepEqual([json.data.paused, json.data.routes], [true, []])
  assert.doesNotMatch(text, /xxxx/)
  for (let i = 0; i < 2; i++) {
    const resumed = await world.call('POST /v3/operator/rail/:name/resume', { ids })
    assert.deepEqual([resumed.status, resumed.json.data.paused], [200, false], resumed.text)
  }
  const [paused, ...more] = await loggedOf('rail pause')
  assert.deepEqual(more, [])
  assert.deepEqual(
    [paused?.changed_by, paused?.via, paused?.before['paused_reason'], paused?.after['name']],
    ['ada', 'api from 127.0.0.1', '', name],
  )
  assert.equal(paused?.after['paused_reason'], 'The bank is closed')
  assert.equal((await loggedOf('rail resume')).length, 1)
})

for (const step of ['pause', 'resume']) {
  test(`${step} of the rail of people: 400 invalid_path_parameter, and no row changes`, async () => {
    const before = await rowVersions(world.service.database.owner)
    const body = step === 'pause' ? { reason: 'Holiday' } : {}
    const answer = await world.call(`POST /v3/operator/rail/:name/${step}`, {
      ids: ['manual'],
      body,
    })
    assertRefused(answer, 400, 'invalid_path_parameter', 'name')
    assert.deepEqual(await rowVersions(world.service.database.owner), before)
  })
}

test('lists that are required: said twice, in the log once with the reason, and shown of each list', async () => {
  const route = 'POST /v3/operator/screening_list/require'
  const body = { required: ['eu', 'un', 'eu'], reason: 'Pays from the EU in euro alone' }
  for (let i = 0; i < 2; i++) {
    const set = await world.call(route, { body })
    assert.deepEqual(set.json.data, { required: ['un', 'eu'], reason: body.reason }, set.text)
  }
  const { json } = await world.call('GET /v3/operator/screening_list', {})
  const required = json.data.lists.filter(({ required }: { required: boolean }) => required)
  assert.deepEqual(
    [json.data.required, required.map(({ list }: { list: string }) => list)],
    [
      ['un', 'eu'],
      ['un', 'eu'],
    ],
  )
  const [act, ...more] = await loggedOf('screening require')
  assert.deepEqual(more, [])
  assert.deepEqual([act?.changed_by, act?.after['reason']], ['ada', body.reason])
})

const UNSAID: readonly (readonly [what: string, body: object, remarks: string])[] = [
  ['no lists', { reason: 'Screened elsewhere' }, 'required'],
  ['a list that there is not', { required: ['us'], reason: 'All' }, 'required'],
  ['no reason', { required: [] }, 'reason'],
  ['a reason of two lines', { required: [], reason: 'a\nb' }, 'reason'],
]

for (const [what, body, remarks] of UNSAID) {
  test(`lists that are required, ${what}: 400, and what is required stays`, async () => {
    const before = await rowVersions(world.service.database.owner)
    const answer = await world.call('POST /v3/operator/screening_list/require', { body })
    assertRefused(answer, 400, 'invalid_field')
    assert.match(answer.json.errors[0].remarks, new RegExp(`^${remarks}`))
    assert.deepEqual(await rowVersions(world.service.database.owner), before)
  })
}
