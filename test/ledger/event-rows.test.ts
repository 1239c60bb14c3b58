// Events as they are read from their rows: by the SQL of `corridor verify` and by every list, held against a
// history of commands drawn at random.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { readList } from '../../src/http/list.ts'
import { type Event, type NamedEvent, nameEvent } from '../../src/statements/event/event.ts'
import { fold, gather } from '../../src/statements/event/row.ts'
import { EACH_EVENT } from '../../src/statements/event/row-sql.ts'
import {
  findEvents,
  insertEvents,
  listEvents,
  listEventsAfter,
} from '../../src/statements/event/store.ts'
import { plusMilliseconds } from '../../src/values/instant.ts'
import { createDatabase, type TestDatabase } from '../support/database/database.ts'
import { commandsAt } from '../support/given/events.ts'
import { share } from '../support/share.ts'

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
console.log(`SEED=${seed}`)

const COMMANDS = 30
const FIRST = '2026-11-21T00:03:13.167287Z'
const ACCOUNTS = ['acc_a', 'acc_b'] as const

/** Of each account, each asked for by itself. */
const OBJECTS = share(8, Infinity)

let database: TestDatabase
/** By account, oldest first. */
const told = new Map<string, NamedEvent[]>(ACCOUNTS.map(account_id => [account_id, []]))

/** The payouts that have succeeded, each by its event. */
const succeeded = new Map<string, Event>()

before(async () => {
  database = await createDatabase()
  const { owner } = database
  // On a cluster, rows of events come by their books.
  for (const account_id of ACCOUNTS) {
    await owner`insert into books (account_id, head_hash) values (${account_id}, sha256(''))`
  }
  for (let i = 0; i < COMMANDS; i++) {
    const [command = []] = fc.sample(commandsAt(plusMilliseconds(FIRST, i)), {
      numRuns: 1,
      seed: seed + i,
    })
    const counts = new Map([...told].map(([account_id, all]) => [account_id, all.length]))
    const events = command.map(event => ({
      ...event,
      type: succeedsAgain(event) ? 'payout.failed' : event.type,
      sequence: event.sequence + BigInt(counts.get(event.account_id) ?? 0),
    }))
    for (const event of events) told.get(event.account_id)?.push(nameEvent(event))
    const rows = gather(fold(events), () => false).map(row => ({
      ...row,
      kept: null,
      hash: '0'.repeat(64),
    }))
    await owner.begin(tx => insertEvents(tx, rows))
  }
  for (const { account_id, object_id, created_at } of succeeded.values()) {
    await owner`
      insert into payout_outcomes (account_id, id, updated_at, rail_steps, rail_attempts, status,
        rail, status_description, rail_reference, taken_by, answers)
      values (${account_id}, ${object_id}, ${created_at}, 1, 1, 'succeeded', 'simulator', '', '', '',
        '[]')`
  }
  for (const [account_id, { length }] of told) {
    await owner`update books set event_count = ${length} where account_id = ${account_id}`
  }
})
after(() => database.drop())

/** No payout succeeds twice: the time of its outcome leads to its event. */
function succeedsAgain(event: Event): boolean {
  if (event.type !== 'payout.succeeded') return false
  const name = `${event.account_id}/${event.object_id}`
  const again = succeeded.has(name)
  if (!again) succeeded.set(name, event)
  return again
}

const outline = (event: NamedEvent) => [
  ...[event.id, event.sequence, event.type, event.object_id],
  ...[JSON.stringify(event.data), event.created_at],
]

test('view each_event: the same definition as the SQL that corridor verify reads', async () => {
  const { owner } = database
  const [view] = await owner.begin(async tx => {
    await tx`create temporary view expected as ${tx.unsafe(EACH_EVENT)}`
    return tx<{ expected: string; found: string }[]>`
      select pg_get_viewdef('pg_temp.expected'::regclass) as expected,
        pg_get_viewdef('each_event'::regclass) as found`
  })
  assert.equal(view?.found, view?.expected)
})

for (const account_id of ACCOUNTS) {
  test(`SQL of events, ${account_id}: every event as the API shows it, with its digest`, async () => {
    const { owner } = database
    const rows = await owner<(NamedEvent & { digest: string | null; text: string })[]>`
      select id, sequence, type, object_id, data, data::text as text, created_at,
        encode(content, 'hex') as digest
      from ${owner.unsafe(EACH_EVENT)} e where account_id = ${account_id} order by sequence`
    const all = told.get(account_id) ?? []
    assert.deepEqual(rows.map(outline), all.map(outline))
    assert.deepEqual(
      rows.map(row => [row.text, row.digest]),
      all.map(event => [JSON.stringify(event.data), event.content ?? null]),
    )
  })

  test(`lists of events, ${account_id}: by type, object and time, pages in both directions`, async () => {
    const all = told.get(account_id) ?? []
    const types = [undefined, ...new Set(all.map(event => event.type)), 'payout.reversed']
    const objects = [...new Set(all.map(event => event.object_id))]
    const queries = [
      ...types.flatMap(type => [type === undefined ? {} : { type }]),
      ...objects.slice(0, OBJECTS).map(object_id => ({ object_id })),
      ...objects
        .slice(0, share(2, 5))
        .flatMap(object_id =>
          types.flatMap(type => (type === undefined ? [] : [{ object_id, type }])),
        ),
    ]
    const middle = all[Math.floor(all.length / 2)]?.created_at ?? ''
    for (const query of queries) {
      for (const time of [{}, { 'created.gte': middle }, { 'created.lt': middle }]) {
        const expected = all.filter(
          event =>
            (!('type' in query) || event.type === query.type) &&
            (!('object_id' in query) || event.object_id === query.object_id) &&
            (!('created.gte' in time) || event.created_at >= middle) &&
            (!('created.lt' in time) || event.created_at < middle),
        )
        await assertPages(account_id, { ...query, ...time }, expected.reverse())
      }
    }
  })

  test(`events of ${account_id}, by id and by number: exactly the requested ones`, async () => {
    const all = told.get(account_id) ?? []
    const keys = all.flatMap(({ id }, i) => (i % 3 === 0 ? [] : [{ account_id, id }]))
    const found = await findEvents(database.owner, keys)
    const sorted = found.toSorted((a, b) => (a.sequence < b.sequence ? -1 : 1))
    const wanted = all.filter((_, i) => i % 3 !== 0)
    assert.deepEqual(sorted.map(outline), wanted.map(outline))
    for (let from = 0; from < all.length; from += share(5, 1)) {
      for (const length of [1, 2, 9]) {
        const range = { after: BigInt(from), to: BigInt(from + length) }
        const listed = await listEventsAfter(database.owner, account_id, range, 7)
        assert.deepEqual(
          listed.map(outline),
          all.slice(from, from + Math.min(length, 7)).map(outline),
        )
      }
    }
  })
}

/** Newest first from the beginning to the end, and back. */
async function assertPages(account_id: string, query: object, expected: readonly NamedEvent[]) {
  const limit = 7
  const page = async (cursor: object) => {
    const found = await listEvents(
      database.owner,
      account_id,
      readList({ ...query, ...cursor, limit: String(limit) }),
    )
    return found ?? assert.fail('no such cursor')
  }
  const what = JSON.stringify(query)
  for (let i = 0; i <= expected.length; i += limit) {
    const cursor = i === 0 ? {} : { starting_after: expected[i - 1]?.id }
    const { rows, has_more } = await page(cursor)
    assert.deepEqual(rows.map(outline), expected.slice(i, i + limit).map(outline), what)
    assert.equal(has_more, expected.length > i + limit, what)
    const last = expected[i + limit]
    if (last === undefined) continue
    const up = await page({ ending_before: last.id })
    assert.deepEqual(up.rows.map(outline), rows.map(outline), what)
    assert.equal(up.has_more, i > 0, what)
  }
}
