// What operators set for the whole installation: rails that are paused, lists that are required. A
// repeat of such a change changes nothing more, and the audit log has it once.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertRefused, rowVersions } from '../support/assert/check.ts'
import { openFileWorld } from '../support/bank/file-rail.ts'
import { openCli } from '../support/service/cli.ts'
import { callUntilAnswered, makeOperatorWorld, newRail, type OperatorWorld } from './world.ts'

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

test('GET operator bank files: list and object equal those of the command, with payments, page by page', async t => {
  const bank = await openFileWorld(world.service, {
    name: 'bank_of_files',
    profile: { release_by_person: true },
  })
  const cli = await openCli(world.service.database.url, { CORRIDOR_USER: 'ada' })
  t.after(() => Promise.all([bank.close(), cli.close()]))
  for (const amounts of [[1_234, 66], [500]]) {
    await bank.pay(amounts)
    await bank.work()
  }
  const list = async (query: string) => {
    const answer = await world.call('GET /v3/operator/bank_file', { query })
    assert.equal(answer.status, 200, answer.text)
    return answer.json.data
  }
  const first = await list('?rail=bank_of_files&state=sealed&limit=1')
  const [newest] = first.results
  const second = await list(`?rail=bank_of_files&limit=1&starting_after=${newest.msg_id}`)
  const [older] = second.results
  assert.deepEqual([first.has_more, second.has_more], [true, false])
  assert.deepEqual([newest.control_sum, older.control_sum], ['5.00', '13.00'])
  const commanded = await cli.run('file', 'list', '--rail', 'bank_of_files', '--json')
  assert.deepEqual(commanded.json.results, [newest, older])
  const ids = [older.msg_id]
  const shown = (await world.call('GET /v3/operator/bank_file/:id', { ids })).json.data
  assert.deepEqual(shown, (await cli.run('file', 'show', older.msg_id, '--json')).json)
  const amounts = shown.payments.map(({ amount }: { amount: number }) => amount)
  assert.deepEqual(amounts.toSorted(), [1_234, 66])
  assert.deepEqual(await list('?rail=bank_of_files&state=sent'), {
    ...{ object: 'list', has_more: false, results: [] },
  })
  const nobodys = 'C0000000000000N0'
  const missing = await world.call('GET /v3/operator/bank_file/:id', { ids: [nobodys] })
  assertRefused(missing, 404, 'not_found')
  const query = `?starting_after=${nobodys}`
  const after = await world.call('GET /v3/operator/bank_file', { query })
  assertRefused(after, 400, 'invalid_query_parameter')
})

test('POST rail pause and resume, each twice: logged once, with the person; secret not shown', async () => {
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
    [paused?.changed_by, paused?.via, paused?.before.paused_reason, paused?.after.name],
    ['ada', 'api from 127.0.0.1', '', name],
  )
  assert.equal(paused?.after.paused_reason, 'The bank is closed')
  assert.equal((await loggedOf('rail resume')).length, 1)
})

test('POST pause and resume of the manual rail: 400 invalid_path_parameter, no row changes', async () => {
  const before = await rowVersions(world.service.database.owner)
  for (const [step, body] of [
    ['pause', { reason: 'Holiday' }],
    ['resume', {}],
  ] as const) {
    const answer = await world.call(`POST /v3/operator/rail/:name/${step}`, {
      ids: ['manual'],
      body,
    })
    assertRefused(answer, 400, 'invalid_path_parameter', 'name')
  }
  assert.deepEqual(await rowVersions(world.service.database.owner), before)
})

test('POST /v3/operator/screening_list/require, same value twice: logged once with the reason, shown for each list', async () => {
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
  assert.deepEqual([act?.changed_by, act?.after.reason], ['ada', body.reason])
})

const UNSAID: readonly (readonly [what: string, body: object, remarks: string])[] = [
  ['no lists', { reason: 'Screened elsewhere' }, 'required'],
  ['a list that there is not', { required: ['us'], reason: 'All' }, 'required'],
  ['no reason', { required: [] }, 'reason'],
  ['a reason of two lines', { required: [], reason: 'a\nb' }, 'reason'],
]

test('POST /v3/operator/screening_list/require, invalid: 400, requirement unchanged', async () => {
  const before = await rowVersions(world.service.database.owner)
  for (const [what, body, remarks] of UNSAID) {
    const answer = await world.call('POST /v3/operator/screening_list/require', { body })
    assertRefused(answer, 400, 'invalid_field')
    assert.match(answer.json.errors[0].remarks, new RegExp(`^${remarks}`), what)
  }
  assert.deepEqual(await rowVersions(world.service.database.owner), before)
})

test('POST limit, same values twice: logged once; payouts counted; cap changed; removed once', async () => {
  const { account_id } = (await world.service.openAccount({ sandbox: false })).account
  const asked = { account_id, amount: 50_000, currency: 'USD', per: 'payout' }
  const set = async (body: object) => {
    const { status, json, text } = await world.call('POST /v3/operator/limit', { body })
    assert.equal(status, 200, text)
    return json.data
  }
  const first = await set(asked)
  assert.deepEqual([first.cap, first.before, first.counted], [50_000, null, 0])
  const again = await set(asked)
  assert.deepEqual(
    [again.limit_id, again.before.cap, again.counted],
    [first.limit_id, 50_000, null],
  )
  assert.deepEqual((await set({ ...asked, amount: 60_000 })).before.cap, 50_000)
  const ids = [first.limit_id]
  const list = await world.call('GET /v3/operator/limit', { query: `?account_id=${account_id}` })
  const listed = list.json.data.results.map((limit: { limit_id: string }) => limit.limit_id)
  assert.deepEqual(listed, ids)
  const shown = await world.call('GET /v3/operator/limit/:id', { ids })
  assert.deepEqual([shown.json.data.cap, shown.json.data.used], [60_000, []], shown.text)
  const removed = await world.call('POST /v3/operator/limit/:id/remove', { ids })
  assert.equal(removed.json.data.cap, 60_000, removed.text)
  const twice = await world.call('POST /v3/operator/limit/:id/remove', { ids })
  assertRefused(twice, 404, 'not_found')
  const caps = (await loggedOf('limit set')).map(({ after }) => Number(after.cap))
  assert.deepEqual(caps, [60_000, 50_000])
  assert.equal((await loggedOf('limit remove')).length, 1)
})

test('POST limit, same values by six requests in parallel: each answered, one limit', async () => {
  const { account_id } = (await world.service.openAccount({ sandbox: false })).account
  const body = { account_id, count: 9, hours: 24 }
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => callUntilAnswered(world, 'POST /v3/operator/limit', { body })),
  )
  const ids = answers.map(({ status, json, text }) => {
    assert.equal(status, 200, text)
    return json.data.limit_id
  })
  assert.equal(new Set(ids).size, 1)
  const list = await world.call('GET /v3/operator/limit', { query: `?account_id=${account_id}` })
  assert.equal(list.json.data.results.length, 1)
})

/** One row a member; test/live/limits.test.ts has the command's. */
const NO_LIMITS: readonly (readonly [body: object, words: RegExp])[] = [
  [{ per: 'payout' }, /an amount with its currency, or a count/],
  [{ count: 2 }, /a payout, a day of a zone, or a number of hours/],
  [{ count: 2, per: 'day', zone: 'Mars/Base' }, /There is no time zone Mars/],
  [{ amount: 2, per: 'payout' }, /is of a currency, such as USD/],
  [{ count: 2, hours: 1, rail: 'bnk' }, /no rail bnk/],
  [{ count: 2, hours: 1, network: 'x' }, /no network x/],
  [{ count: 2, hours: 1, key_id: `key_${'0'.repeat(20)}` }, /no key/],
]

test('POST limit, invalid: 400 naming its members, no row changes', async () => {
  const before = await rowVersions(world.service.database.owner)
  for (const [body, words] of NO_LIMITS) {
    const answer = await world.call('POST /v3/operator/limit', { body })
    assertRefused(answer, 400, 'invalid_field')
    assert.match(answer.json.errors[0].message, words)
    assert.doesNotMatch(answer.text, /--[a-z]/)
  }
  assert.deepEqual(await rowVersions(world.service.database.owner), before)
})
