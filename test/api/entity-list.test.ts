// GET /v3/entity, and with it the machinery of every list (§list.page): pages, cursors, bounds,
// filters, what is refused, and that a page costs an index look-up whatever the table holds.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readList } from '../../src/http/list.ts'
import { listEntities } from '../../src/parties/entity/store.ts'
import { assertProblems } from '../support/assert/check.ts'
import {
  assertBounds,
  assertFilters,
  assertListed,
  assertRefusals,
  getAll,
  type Item,
  list,
  type Query,
  urlOf,
} from '../support/assert/listing.ts'
import { assertPageCost, crossed, madeAt, madeAtSql } from '../support/assert/page-cost.ts'
import { review } from '../support/service/review.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'

const PATH = '/v3/entity'
const NOTHING =
  '{"status":"success","message":"","data":{"object":"list","has_more":false,"results":[]}}'

let service: TestService
let account: Client
let other: Client
/** Of `account`, newest first: twelve at different times, and three of one batch. */
let all: Item[]
before(async () => {
  service = await startTestService()
  account = await service.openAccount()
  other = await service.openAccount()
  const on_behalf_of = await add(account, { type: 'business' })
  for (let i = 1; i < 12; i++) {
    await add(account, {
      type: i % 3 === 0 ? 'business' : 'individual',
      ...(i % 2 === 0 ? { reference_id: i % 4 === 0 ? 'A b+&="\\' : 'a B+&="\\' } : {}),
      ...(i % 5 === 0 ? { on_behalf_of } : {}),
    })
  }
  const last = await Promise.all([0, 1, 2].map(() => add(account)))
  await review(service, account, last[0] ?? '', 'rejected')
  all = await getAll(account, PATH, await idsNow(account))
})
after(() => service.close())

async function add(of: Client, more: object = {}): Promise<string> {
  const answer = await of.post(PATH, { type: 'individual', name: 'Anna', ...more })
  assert.equal(answer.status, 200, answer.text)
  return answer.json.data.id
}

/** Newest first, by another way than the list. */
async function idsNow({ account: { account_id } }: Client): Promise<string[]> {
  const rows = await service.database.owner<{ id: string }[]>`
    select id from entities where account_id = ${account_id} order by created_at desc, id desc`
  return rows.map(({ id }) => id)
}

test(`GET ${PATH}, fifteen entities: newest first, all of them for any page size, each equals its GET by id; none of another account`, async () => {
  assert.equal(all.length, 15)
  const shown = [
    [{}, 10, true],
    [{ limit: '14' }, 14, true],
    [{ limit: '15' }, 15, false],
    [{ limit: '16' }, 15, false],
  ] as const
  for (const [query, count, more] of shown) {
    const { results, has_more } = await list(account, PATH, query)
    assert.deepEqual([results, has_more], [all.slice(0, count), more])
  }
  await assertListed(account, PATH, all)
  for (const query of [{}, { type: 'individual' }, { approval_status: 'pending' }]) {
    assert.equal((await other.get(urlOf(PATH, query))).text, NOTHING)
  }
})

test(`GET ${PATH}?created.gt|gte|lt|lte, bound equal to an entity's time: entity included by gte and lte only`, () =>
  assertBounds(account, PATH, all))

test(`GET ${PATH}, filters, alone and combined: exactly the matching entities, for any page size`, () => {
  const on_behalf_of = all.at(-1)?.id ?? ''
  return assertFilters(account, PATH, all, [
    [{ type: 'business' }, e => e.type === 'business'],
    [{ approval_status: 'pending' }, e => e.approval_status === 'pending'],
    [{ approval_status: 'rejected' }, e => e.approval_status === 'rejected'],
    [{ approval_status: 'approved' }, () => false],
    [{ reference_id: 'A b+&="\\' }, e => e.reference_id === 'A b+&="\\'],
    [{ reference_id: 'A B+&="\\' }, () => false],
    [{ on_behalf_of }, e => e.on_behalf_of === on_behalf_of],
    [
      { type: 'individual', on_behalf_of, approval_status: 'pending' },
      e => e.type === 'individual' && e.on_behalf_of === on_behalf_of,
    ],
  ])
})

const NO_LIMITS = ['-1', '+5', '05', '5.0', '1e1', ' 5', 'ten', '٣', '0x10']
const NO_TIMES = ['', 'now', 'infinity', '2026-01-31', '2026-02-30T00:00:00Z', '1769851800']

test(`GET ${PATH}, wrong parameters: 400 naming each; both cursors: 400 at ending_before`, async () => {
  const foreign = await add(await service.openAccount())
  await assertRefusals(
    account,
    PATH,
    'ent',
    {
      ...{ limit: NO_LIMITS, 'created.gt': NO_TIMES, 'created.gte': ['2026-01-31T09:30:00'] },
      ...{ type: ['robot'], approval_status: ['new'], on_behalf_of: ['x'] },
      reference_id: ['x'.repeat(129)],
    },
    foreign,
  )
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

test(`GET ${PATH}, many entities, statement planned for an empty table: reads only the rows of the page`, async () => {
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
      insert into entities (made_by, account_id, id, type, on_behalf_of, reference_id, details,
        approval_status, approval_history, created_at, updated_at, registration_key)
      select 'key_1', case when i % 3 = 0 then 'acc_b' else 'acc_a' end, ${madeAtSql(owner, 'ent')},
        case when i % 20 = 2 then 'business' else 'individual' end,
        case when i % 7 = 0 then ${madeAt('ent', 7)} else '' end,
        case when i % 2 = 0 then 'ref-' || i % 50 - 1 else '' end, '{}',
        case when i % 40 = 2 then 'submitted' else 'pending' end, '[]',
        timestamptz '2026-01-01T00:00:00Z' + i * interval '1 second', now(),
        case when i % 20 = 2 then sha256(i::text::bytea) end
      from generate_series(1, 5000) i`,
  })
})
