// GET /v3/event and GET /v3/event/{id}: what happened, in the order of the account.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readList } from '../../src/http/list.ts'
import type { Sql, TransactionSql } from '../../src/sql/connect.ts'
import { findEvents, listEvents } from '../../src/statements/event/store.ts'
import { numberedId } from '../../src/values/id.ts'
import {
  assertBounds,
  assertFilters,
  assertListed,
  assertRefusals,
  type Case,
  getAll,
  type Item,
  type Query,
} from '../support/assert/listing.ts'
import { assertPageCost, crossed, madeAt, madeAtSql } from '../support/assert/page-cost.ts'
import { localPayout } from '../support/given/bodies.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { payAll, report, scriptedRail, settleAll } from '../support/service/settling.ts'

const PATH = '/v3/event'

let service: TestService
let account: Client
let other: Client
/** Of `account`, newest first. */
let all: Item[]

before(async () => {
  service = await startTestService({ simulator_delay_ms: 0 })
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000_000n } })
  other = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
  await payAll(service, account, [{}, { amount: 200_000 }])
  await settleAll(service)
  const made = await account.post('/v3/entity', { type: 'individual', name: 'Anna' })
  const { id } = made.json.data
  assert.equal((await account.put(`/v3/entity/${id}`, { name: 'Anne' })).status, 200)
  assert.equal((await account.post(`/v3/entity/${id}/submit`, {})).status, 200)
  await payAll(service, account, [{ on_behalf_of: id }])
  all = await getAll(account, PATH, await idsOfAll(account))
})
after(() => service.close())

async function idsOfAll({ account }: Client): Promise<string[]> {
  const rows = await service.database.owner<{ id: string }[]>`
    select id from each_event where account_id = ${account.account_id} order by sequence desc`
  return rows.map(({ id }) => id)
}

test(`GET ${PATH}, events of every kind: numbers without gaps, newest first, for any page size and time bounds`, async () => {
  const numbers = all.map(({ sequence }) => sequence)
  assert.deepEqual(
    numbers,
    numbers.map((_, i) => all.length - i),
  )
  assert.ok(new Set(all.map(event => event.created_at)).size < all.length, 'some share their time')
  await assertListed(account, PATH, all)
  await assertBounds(account, PATH, all)
})

test(`GET ${PATH}/{id}: the object after the change, the changed members and the cause`, () => {
  const members = ['id', 'object', 'type', 'created_at', 'sequence', 'account', 'object_id', 'data']
  for (const event of all) {
    assert.deepEqual(Object.keys(event), [...members, 'previous_attributes', 'change', 'erased'])
    assert.deepEqual([event.object, event.erased], ['event', false])
    assert.equal(event.account, account.account.account_id)
    assert.equal(event.data.id, event.object_id)
  }
  const told = (type: string) => {
    const found = all.find(event => event.type === type) ?? assert.fail(`no ${type}`)
    const { data, previous_attributes: before, change } = found
    return { data, before, change }
  }
  const line = told('balance_transaction.created')
  assert.deepEqual([line.before, line.change], [{}, {}])
  for (const kind of ['payout_quote', 'beneficiary', 'entity']) {
    const { data, before, change } = told(`${kind}.created`)
    assert.deepEqual([data.object, before, change], [kind, {}, { made_by: data.made_by }])
  }
  const updated = told('entity.updated')
  assert.deepEqual([updated.data.name, updated.before.name], ['Anne', 'Anna'])
  // Journals of the book: its funding, two debits and what became of them, the third debit.
  const created = told('payout.created')
  assert.equal(created.data.status, 'compliance_hold')
  assert.match(created.data.status_description, /^Held until entity /)
  const { made_by } = created.data
  assert.match(made_by, /^key_/)
  assert.deepEqual(
    [created.before, created.change],
    [{}, { by: 'account', journals: [6], made_by }],
  )
  const held = told('payout.compliance_hold')
  assert.deepEqual([held.data, held.before], [created.data, {}])
  assert.deepEqual(held.change, { by: 'account', journals: [], made_by })
  const succeeded = told('payout.succeeded')
  const { created_at } = succeeded.data
  assert.deepEqual(succeeded.before, { status: 'processing', updated_at: created_at })
  const failed = told('payout.failed')
  assert.deepEqual([failed.data.failure.code, failed.before.failure], ['PF000900', null])
  assert.deepEqual([succeeded.change.by, failed.change.by], ['rail', 'rail'])
  assert.deepEqual([...succeeded.change.journals, ...failed.change.journals].sort(), [4, 5])
})

test(`GET ${PATH}, filters by type, object and both: exactly the matching events, for any page size`, async () => {
  const types = new Set(all.map(event => event.type as string))
  assert.ok(types.size >= 10)
  const payout = all.find(event => event.type === 'payout.failed') as Item
  await assertFilters(account, PATH, all, [
    ...[...types, 'payout.reversed', 'no.such'].map(
      (type): Case => [{ type }, event => event.type === type],
    ),
    [{ object_id: payout.object_id }, event => event.object_id === payout.object_id],
    [{ object_id: 'pot_00000000000000000000' }, () => false],
    [{ object_id: payout.object_id, type: 'payout.failed' }, event => event.id === payout.id],
    [
      { object_id: payout.object_id, type: 'payout.created' },
      event => event.object_id === payout.object_id && event.type === 'payout.created',
    ],
  ])
})

test(`GET ${PATH}, wrong parameters: 400 naming each`, async () => {
  const [foreign = ''] = await idsOfAll(other)
  const wrong = { type: ['payout', 'payout.*', 'Payout.created'], object_id: ['x', foreign] }
  await assertRefusals(account, PATH, 'evt', wrong, foreign)
})

test(`GET ${PATH}, many events, statement planned for an empty table: reads only the rows of the page`, async () => {
  const filters: Query[] = [
    ...[{}, { type: 'payout.failed' }, { type: 'payout.created' }],
    ...[{ object_id: madeAt('pot', 8) }, { object_id: madeAt('pot', 8), type: 'payout.failed' }],
  ]
  const time = { 'created.gte': '2026-01-01T00:10:00Z', 'created.lt': '2026-01-01T00:50:00Z' }
  const at = '2026-01-01T00:33:20.000000Z'
  const cursor = numberedId('evt', { account_id: 'acc_a', created_at: at }, 2000n)
  const key = { account_id: 'acc_a', id: cursor }
  const fill = async (owner: Sql) => {
    await owner`
      insert into events (account_id, sequence, created_at, told, type, object_id, hash)
      select a, i, timestamptz '2026-01-01T00:00:00Z' + i * interval '1 second',
        case i % 5 when 3 then 'P' || lpad(i::text, 9, '0') else '-' end,
        case i % 5 when 3 then '' when 2 then 'payout.failed' else 'payout.processing' end,
        case when i % 5 <> 3 then ${madeAtSql(owner, 'pot', 'i % 11')} else '' end, sha256('')
      from generate_series(1, 4000) i, unnest(array['acc_a', 'acc_b']) a`
    await owner`update books set event_count = 4000 where account_id = 'acc_a'`
  }
  await assertPageCost({
    table: 'events',
    queries: crossed(filters, [{}, time, { starting_after: cursor }, { ending_before: cursor }]),
    page: (tx, query) => listEvents(tx, 'acc_a', readList({ ...query, limit: '5' })),
    prepare: owner => owner`
      insert into books (account_id, head_hash) values ('acc_a', sha256(''))`,
    fill,
    // Each bound of time is found by halving 4,000 events twelve times, and so is the time at which
    // an object was made. Of one object, and of a type that is common, rows are looked through; a
    // row at the end of a range can have events inside.
    besides: query =>
      9 +
      ('created.gte' in query ? 26 : 0) +
      ('object_id' in query ? 26 + ('type' in query ? 40 : 0) : 0) +
      (query.type === 'payout.created' ? 40 : 0),
    one: { read: tx => findEvents(tx, [key]), when: 'always' },
  })
})

test(`GET ${PATH}?object_id, payout changes between two statements of the list: no event missing`, async () => {
  const payer = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
  const made = await payer.post('/v3/payout', localPayout)
  const object_id: string = made.json.data.id
  const rail = scriptedRail(async () => report('succeeded', 'reversed'))
  const page = await service.deps.read(payer.account.account_id, (tx, account_id) =>
    listEvents(
      between(tx, 'from payout_outcomes', () => settleAll(service, rail)),
      account_id,
      readList({ object_id }),
    ),
  )
  assert.deepEqual(
    page?.rows.map(event => event.type),
    ['payout.created'],
  )
  const seen = page?.rows[0]?.id
  const later = await payer.get(`${PATH}?object_id=${object_id}&ending_before=${seen}`)
  assert.deepEqual(
    later.json.data.results.map(({ type }: Item) => type),
    ['payout.reversed', 'payout.succeeded'],
  )
})

/**
 * A transaction in which `act` is done behind the answer of one statement, before the statement of
 * the other events of the object.
 */
function between(tx: TransactionSql, one: string, act: () => Promise<unknown>) {
  let answered: Promise<unknown> = Promise.resolve()
  return new Proxy(tx, {
    apply(target, self, words: Parameters<TransactionSql>) {
      const text = Array.isArray(words[0]) ? words[0].join('?') : ''
      const ask = () => Reflect.apply(target, self, words) as unknown as Promise<unknown>
      if (text.includes(one)) answered = ask().then(rows => rows)
      if (text.includes(one)) return answered
      // Only that one is a fragment and nothing else.
      return text.trim() === '?' ? answered.then(act).then(ask) : ask()
    },
  })
}
