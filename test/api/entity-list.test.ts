// GET /v3/entity, and with it the machinery of every list (§list.page): pages, cursors, bounds,
// filters, what is refused, and that a page costs an index look-up whatever the table holds.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Entity } from '../../src/entity/record.ts'
import type { EntityRequest } from '../../src/entity/request.ts'
import { draftOf } from '../../src/entity/rules.ts'
import { listEntities } from '../../src/entity/store.ts'
import { readList } from '../../src/http/list.ts'
import { assertProblems, assertRefused } from '../support/assert/check.ts'
import { readDocument } from '../support/assert/document.ts'
import { assertPageCost, crossed, madeAt, madeAtSql } from '../support/assert/page-cost.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'

const PATH = '/v3/entity'
const NOBODY = 'ent_00000000000000000000'
const NOTHING =
  '{"status":"success","message":"","data":{"object":"list","has_more":false,"results":[]}}'

let service: TestService
let account: Client
let other: Client
/** Of `account`, newest first. */
let some: readonly Entity[]
before(async () => {
  service = await startTestService()
  account = await service.openAccount()
  other = await service.openAccount()
  // Twelve at different times, and some of one batch, which have the same time.
  const one_by_one: Entity[] = []
  for (let i = 0; i < 12; i++) one_by_one.push(...(await add(account, [named(i)])))
  some = newestFirst([
    ...one_by_one,
    ...(await add(
      account,
      [12, 13, 14].map(i => named(i)),
    )),
  ])
})
after(() => service.close())

function named(i: number, more: Partial<EntityRequest> = {}): EntityRequest {
  return { type: 'individual', name: `Number ${i}`, ...more }
}

/** Written side by side, as many requests at once would be. */
function add({ account: { account_id } }: Client, bodies: readonly EntityRequest[]) {
  return Promise.all(
    bodies.map(async body => {
      const change = { kind: 'create', draft: draftOf(body) } as const
      const command = { account_id, claim: null, change }
      const { outcome } = await service.deps.lanes.writeEntity.run(command)
      if (outcome?.did !== 'created') throw new Error(`${body.name} was not created`)
      return outcome.entity
    }),
  )
}

function newestFirst(entities: readonly Entity[]): Entity[] {
  const place = ({ created_at, id }: Entity) => `${created_at} ${id}`
  return entities.toSorted((a, b) => (place(a) < place(b) ? 1 : -1))
}

type Query = Readonly<Record<string, string>>

function urlOf(query: Query): string {
  return `${PATH}?${new URLSearchParams(query)}`
}

async function list(client: Client, query: Query = {}) {
  const answer = await client.get(urlOf(query))
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(Object.keys(answer.json), ['status', 'message', 'data'])
  const { object, has_more, results } = answer.json.data
  assert.deepEqual(Object.keys(answer.json.data), ['object', 'has_more', 'results'])
  assert.equal(object, 'list')
  const ids: string[] = results.map((entity: { id: string }) => entity.id)
  return { ids, has_more: has_more as boolean, results }
}

const idsOf = (entities: readonly { id: string }[]) => entities.map(({ id }) => id)

function at<T>(items: readonly T[], index: number): T {
  const item = items.at(index)
  if (item === undefined) throw new Error(`no item ${index}`)
  return item
}

test(`GET ${PATH}, no entities: an empty list in the envelope`, async () => {
  const { text } = await other.get(PATH)
  assert.equal(text, NOTHING)
})

test(`GET ${PATH}, fifteen entities: the ten newest, each as its own GET shows it`, async () => {
  const { ids, has_more, results } = await list(account)
  assert.deepEqual(ids, idsOf(some.slice(0, 10)))
  assert.equal(has_more, true)
  for (const entity of results) {
    const { json } = await account.get(`${PATH}/${entity.id}`)
    assert.deepEqual(entity, json.data)
  }
})

test(`GET ${PATH}?limit, one less, as many and one more than there are: has_more only at first`, async () => {
  for (const limit of [14, 15, 16]) {
    const { ids, has_more } = await list(account, { limit: String(limit) })
    assert.deepEqual(ids, idsOf(some.slice(0, limit)))
    assert.equal(has_more, limit === 14)
  }
})

for (const limit of ['0', '101', '-1', '+5', '05', '5.0', '1e1', ' 5', '', 'ten', '٣', '0x10']) {
  test(`GET ${PATH}?limit=${JSON.stringify(limit)}: 400 invalid_query_parameter`, async () => {
    assertRefused(await account.get(urlOf({ limit })), 400, 'invalid_query_parameter', 'limit')
  })
}

test(`GET ${PATH}?starting_after, first, middle and last entity: the rows just older`, async () => {
  const cases: [index: number, has_more: boolean][] = [
    [0, true],
    [5, true],
    [11, false],
    [14, false],
  ]
  for (const [index, more] of cases) {
    const starting_after = at(some, index).id
    const { ids, has_more } = await list(account, { starting_after, limit: '3' })
    assert.deepEqual(ids, idsOf(some.slice(index + 1, index + 4)))
    assert.equal(has_more, more, String(index))
  }
})

test(`GET ${PATH}?ending_before, last, middle and first entity: the rows just newer, newest first`, async () => {
  const cases: [index: number, has_more: boolean][] = [
    [14, true],
    [5, true],
    [3, false],
    [0, false],
  ]
  for (const [index, more] of cases) {
    const ending_before = at(some, index).id
    const { ids, has_more } = await list(account, { ending_before, limit: '3' })
    assert.deepEqual(ids, idsOf(some.slice(Math.max(0, index - 3), index)))
    assert.equal(has_more, more, String(index))
  }
})

test(`GET ${PATH}, both cursors: 400 at ending_before`, async () => {
  const id = at(some, 5).id
  const answer = await account.get(urlOf({ starting_after: id, ending_before: id }))
  assertProblems(answer, 400, [['invalid_query_parameter', 'ending_before']])
})

for (const parameter of ['starting_after', 'ending_before']) {
  test(`GET ${PATH}?${parameter}, nobody's, another account's, no id: 400 at it, the first two alike`, async () => {
    const [foreign] = await add(await service.openAccount(), [named(0)])
    const bad = ['', 'x', `${NOBODY} `, NOBODY.replace('ent', 'bnf'), `${NOBODY}\0`, '%']
    const answers = await Promise.all(
      [NOBODY, foreign?.id ?? '', ...bad].map(id => account.get(urlOf({ [parameter]: id }))),
    )
    for (const answer of answers) {
      assertProblems(answer, 400, [['invalid_query_parameter', parameter]])
    }
    assert.equal(answers[0]?.text, answers[1]?.text)
  })
}

test(`GET ${PATH}?created.gt|gte|lt|lte, at the time of an entity: with or without it`, async () => {
  const { created_at } = at(some, 7)
  const older = some.filter(e => e.created_at < created_at)
  const newer = some.filter(e => e.created_at > created_at)
  const same = some.filter(e => e.created_at === created_at)
  const finer = created_at.replace('Z', '001Z')
  const padded = created_at.replace('Z', '000Z')
  const cases: [query: Query, expected: readonly Entity[]][] = [
    [{ 'created.gt': created_at }, newer],
    [{ 'created.gte': created_at }, [...newer, ...same]],
    [{ 'created.lt': created_at }, older],
    [{ 'created.lte': created_at }, [...same, ...older]],
    [{ 'created.gte': created_at, 'created.lte': created_at }, same],
    [{ 'created.gt': created_at, 'created.lt': created_at }, []],
    [{ 'created.gt': created_at, 'created.gte': created_at }, newer],
    [{ 'created.lt': created_at, 'created.lte': created_at }, older],
    [{ 'created.gte': padded, 'created.lte': padded }, same],
    [{ 'created.gt': finer }, newer],
    [{ 'created.gte': finer }, newer],
    [{ 'created.lt': finer }, [...same, ...older]],
    [{ 'created.lte': finer }, [...same, ...older]],
    [{ 'created.gt': created_at.replace('Z', '+00:00') }, newer],
    [{ 'created.lt': '2020-01-01T00:00:00+02:00' }, []],
    [{ 'created.gte': '2020-01-01T00:00:00-02:00' }, some],
  ]
  for (const [query, expected] of cases) {
    const { ids, has_more } = await list(account, { ...query, limit: '100' })
    assert.deepEqual(ids, idsOf(expected), JSON.stringify(query))
    assert.equal(has_more, false)
  }
})

test(`GET ${PATH}, bounds and a cursor: both hold, has_more ends at the bound`, async () => {
  const bounds = { 'created.gt': at(some, 12).created_at, 'created.lt': at(some, 4).created_at }
  const down = await list(account, { ...bounds, starting_after: at(some, 8).id, limit: '3' })
  assert.deepEqual([down.ids, down.has_more], [idsOf(some.slice(9, 12)), false])
  const up = await list(account, { ...bounds, ending_before: at(some, 8).id, limit: '3' })
  assert.deepEqual([up.ids, up.has_more], [idsOf(some.slice(5, 8)), false])
  const wide = await list(account, { ...bounds, starting_after: at(some, 0).id })
  assert.deepEqual(wide.ids, idsOf(some.slice(5, 12)))
})

const BAD_TIMES = ['', 'now', 'infinity', '2026-01-31', '2026-02-30T00:00:00Z', '1769851800']

test(`GET ${PATH}?created.*, no time with an offset: 400 at that bound`, async () => {
  for (const name of ['created.gt', 'created.gte', 'created.lt', 'created.lte']) {
    for (const time of [...BAD_TIMES, '2026-01-31T09:30:00', '2026-01-31T09:30:00Z\0']) {
      const answer = await account.get(urlOf({ [name]: time }))
      assertProblems(answer, 400, [['invalid_query_parameter', name]])
    }
  }
})

test(`GET ${PATH}, parameters twice or unknown: 400 at each`, async () => {
  const time = '2026-01-31T09:30:00Z'
  const pairs: [string, string][] = [
    ['limit', '5'],
    ['starting_after', NOBODY],
    ['created.gt', time],
    ['type', 'business'],
    ['reference_id', 'a'],
  ]
  for (const [name, value] of pairs) {
    const twice = await account.get(`${PATH}?${name}=${value}&${name}=${value}`)
    assertProblems(twice, 400, [['invalid_query_parameter', name]])
  }
  for (const name of [
    'created',
    'created[gt]',
    'created_gt',
    'offset',
    'Limit',
    'id',
    '__proto__',
  ]) {
    const answer = await account.get(`${PATH}?${name}=1`)
    assertProblems(answer, 400, [['invalid_query_parameter', name]])
  }
})

test(`GET ${PATH}, wrong in every way: every problem at once`, async () => {
  const bad = '&created.gt=yesterday&type=robot&reference_id=&on_behalf_of=x&colour=red'
  const answer = await account.get(`${PATH}?limit=0&starting_after=x&ending_before=y${bad}`)
  assertProblems(
    answer,
    400,
    [
      ...['limit', 'starting_after', 'ending_before', 'created.gt'],
      ...['type', 'reference_id', 'on_behalf_of', 'colour'],
    ].map(name => ['invalid_query_parameter', name]),
  )
})

test(`GET ${PATH}, a blank filter or one that no text can match: 400 at it`, async () => {
  for (const name of ['type', 'approval_status', 'reference_id', 'on_behalf_of']) {
    for (const value of ['', ' ', 'a\0']) {
      const answer = await account.get(urlOf({ [name]: value }))
      assertProblems(answer, 400, [['invalid_query_parameter', name]])
    }
  }
  const long = await account.get(urlOf({ reference_id: 'x'.repeat(129) }))
  assertRefused(long, 400, 'invalid_query_parameter', 'reference_id')
})

test(`GET ${PATH}, filters: exact, several at once, with bounds and cursors`, async () => {
  const client = await service.openAccount()
  const [principal, rejected] = await add(client, [named(0), named(1)])
  const on_behalf_of = principal?.id ?? ''
  const review = { kind: 'review', id: rejected?.id ?? '', status: 'rejected' } as const
  await service.deps.lanes.writeEntity.run({
    account_id: client.account.account_id,
    claim: null,
    change: { ...review, description: '' },
  })
  const bodies = Array.from({ length: 24 }, (_, i) =>
    named(i, {
      type: i % 3 === 0 ? 'business' : 'individual',
      ...(i % 2 === 0 ? { reference_id: i % 4 === 0 ? 'A b+&="\\' : 'a B+&="\\' } : {}),
      ...(i % 5 === 0 ? { on_behalf_of } : {}),
    }),
  )
  const all = newestFirst([...(await add(client, bodies)), ...(principal ? [principal] : [])])
  const cases: [query: Query, matches: (entity: Entity) => boolean][] = [
    [{ type: 'business' }, e => e.type === 'business'],
    [{ approval_status: 'pending' }, () => true],
    [{ approval_status: 'approved' }, () => false],
    [{ reference_id: 'A b+&="\\' }, e => e.details.reference_id === 'A b+&="\\'],
    [{ reference_id: 'A B+&="\\' }, () => false],
    [{ on_behalf_of }, e => e.details.on_behalf_of === on_behalf_of],
    [{ on_behalf_of: NOBODY }, () => false],
    [
      { type: 'individual', on_behalf_of, approval_status: 'pending' },
      e => e.type === 'individual' && e.details.on_behalf_of === on_behalf_of,
    ],
    [
      { type: 'business', reference_id: 'a B+&="\\', on_behalf_of },
      e =>
        /^a/.test(e.details.reference_id ?? '') &&
        e.type === 'business' &&
        !!e.details.on_behalf_of,
    ],
  ]
  for (const [query, matches] of cases) {
    const expected = all.filter(matches)
    const whole = await list(client, { ...query, limit: '100' })
    assert.deepEqual(whole.ids, idsOf(expected), JSON.stringify(query))
    for (const limit of ['1', '4']) {
      assert.deepEqual(await pageDown(client, { ...query, limit }), idsOf(expected))
      const newer = expected.filter(({ id }) => id !== on_behalf_of)
      assert.deepEqual(await pageUp(client, on_behalf_of, { ...query, limit }), idsOf(newer))
    }
  }
  const { ids } = await list(client, { approval_status: 'rejected' })
  assert.deepEqual(ids, [rejected?.id])
})

/** Every id from the newest on, page by page. */
async function pageDown(client: Client, query: Query, between?: () => Promise<unknown>) {
  const ids: string[] = []
  for (;;) {
    const last = ids.at(-1)
    const page = await list(client, last === undefined ? query : { ...query, starting_after: last })
    assert.equal(page.has_more && page.ids.length < Number(query.limit), false)
    ids.push(...page.ids)
    if (!page.has_more) return ids
    await between?.()
  }
}

/** Every id newer than an entity, page by page from there on; newest first. */
async function pageUp(
  client: Client,
  from: string,
  query: Query,
  between?: () => Promise<unknown>,
) {
  let ids: string[] = []
  for (;;) {
    const page = await list(client, { ...query, ending_before: ids.at(0) ?? from })
    assert.equal(page.has_more && page.ids.length < Number(query.limit), false)
    ids = [...page.ids, ...ids]
    if (!page.has_more) return ids
    await between?.()
  }
}

test(`GET ${PATH}, 1,000 entities and more being added, every kind of limit: none missed, none twice`, async () => {
  const client = await service.openAccount()
  const oldest = await add(client, [named(0)])
  const rest = await add(
    client,
    Array.from({ length: 999 }, (_, i) => named(i)),
  )
  let all = newestFirst([...oldest, ...rest])
  assert.ok(new Set(all.map(e => e.created_at)).size < 900, 'some share their time')
  for (const limit of ['1', '7', '10', '99', '100']) {
    const added: Promise<Entity[]>[] = []
    const more = async () => {
      if (added.length < 5) added.push(add(client, [named(0), named(1)]))
    }
    // Those added meanwhile are newer than where a walk to the older ones has begun.
    const down = await pageDown(client, { limit }, more)
    assert.deepEqual(down, idsOf(all), `down by ${limit}`)
    // The walk to the newer ones meets all that are there when it comes to them.
    const up = await pageUp(client, at(all, -1).id, { limit }, async () => {
      await more()
      await Promise.all(added)
    })
    all = newestFirst([...all, ...(await Promise.all(added)).flat()])
    assert.deepEqual(up, idsOf(all.slice(0, -1)), `up by ${limit}`)
  }
})

test(`GET ${PATH}, another account: sees nothing of it, with any filter`, async () => {
  for (const query of [{}, { type: 'individual' }, { approval_status: 'pending' }]) {
    assert.equal((await other.get(urlOf(query))).text, NOTHING)
  }
})

test(`GET ${PATH}, a key that may read: 200; no key: 401`, async () => {
  const reader = await service.addKey(account, 'read')
  assert.equal((await reader.get(PATH)).status, 200)
  assertRefused(await service.inject({ url: PATH }), 401, 'missing_credentials')
})

test(`GET ${PATH} in openapi.json: limit is a number, and every parameter is there`, async () => {
  const { json } = await service.inject({ url: '/openapi.json' })
  const { paths } = readDocument(json).json
  const parameters: { name: string; schema: object }[] = paths[PATH].get.parameters
  assert.deepEqual(parameters.map(({ name }) => name).sort(), [
    ...['approval_status', 'created.gt', 'created.gte', 'created.lt', 'created.lte'],
    ...['ending_before', 'limit', 'on_behalf_of', 'reference_id', 'starting_after', 'type'],
  ])
  assert.deepEqual(parameters.find(({ name }) => name === 'limit')?.schema, {
    type: 'integer',
    minimum: 1,
    maximum: 100,
    default: 10,
  })
})

test('a page of many entities, planned while there were none: fetches what it shows and no more', async () => {
  const time = { 'created.gte': '2026-01-01T00:10:00Z', 'created.lt': '2026-01-01T01:10:00Z' }
  const cursor = madeAt('ent', 2500)
  const filters: Query[] = [
    ...[{}, { type: 'business' }, { approval_status: 'submitted' }],
    ...[{ reference_id: 'ref-21' }, { on_behalf_of: madeAt('ent', 7) }],
  ]
  await assertPageCost({
    table: 'entities',
    queries: crossed(filters, [{}, time, { starting_after: cursor }, { ending_before: cursor }]),
    page: (tx, query) => listEntities(tx, 'acc_a', readList({ ...query, limit: '5' })),
    fill: owner => owner`
      insert into entities (account_id, id, type, on_behalf_of, reference_id, details,
        approval_status, approval_history, created_at, updated_at, registration_key)
      select case when i % 3 = 0 then 'acc_b' else 'acc_a' end, ${madeAtSql(owner, 'ent')},
        case when i % 20 = 2 then 'business' else 'individual' end,
        case when i % 7 = 0 then ${madeAt('ent', 7)} else '' end,
        case when i % 2 = 0 then 'ref-' || i % 50 - 1 else '' end, '{}',
        case when i % 40 = 2 then 'submitted' else 'pending' end, '[]',
        timestamptz '2026-01-01T00:00:00Z' + i * interval '1 second', now(),
        case when i % 20 = 2 then sha256(i::text::bytea) end
      from generate_series(1, 5000) i`,
  })
})
