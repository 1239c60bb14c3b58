// The rules that statements are held against after a test run (judge.ts): each finds what breaks it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judge } from './rules.ts'

const owned = new Set(['books', 'events', 'payouts'])
const SAYS = 'does not say whose rows are wanted'

const RIGHT = [
  'select * from books where account_id = $1',
  'select * from payouts p where p.account_id = any ($1::text[]) and p.id = $2',
  `select r.* from unnest($1::text[], $2::text[]) as k(account_id, id) cross join lateral (
    select * from payouts p where p.account_id = k.account_id and p.id = k.id
      and p.account_id = $3 limit 1) r`,
  `with done as (update payouts t set status = 'x' from (
      select k.*, place from unnest($1::text[]) as k(id) cross join lateral (
        select ctid as place from payouts t where t.id = k.id and t.account_id = $2 limit 1) t) k
    where t.ctid = k.place and t.account_id = $2 returning true)
    select require_all_written(count(*), $3) from done`,
  `insert into events (account_id, id) select b.account_id, r.id from books b
    join unnest($1::text[], $2::text[]) as r(account_id, id) on r.account_id = b.account_id
    where b.account_id = $3`,
  'insert into books (account_id) values ($1)',
  'select clock_timestamp() + clock_ahead from books where account_id = $1',
  'select version from reference_version',
]

test('statement rules, statements on one shard: accepted', async () => {
  for (const text of RIGHT) {
    assert.deepEqual(
      await judge(text, { owned }),
      { faults: [], by_rows: false, too_new: [], ungathered: [] },
      text,
    )
  }
})

const WRONG: readonly (readonly [text: string, fault: string])[] = [
  ['select * from payouts where id = $1', `payouts payouts ${SAYS}`],
  ['select * from payouts where account_id = (select $1)', `payouts payouts ${SAYS}`],
  ['select * from payouts where account_id = $1 or id = $2', `payouts payouts ${SAYS}`],
  ['select * from payouts where not (account_id = $1)', `payouts payouts ${SAYS}`],
  [
    'select * from books b join payouts p on p.account_id = b.account_id where b.account_id = $1',
    `payouts p ${SAYS}`,
  ],
  [
    'select * from books b where b.account_id = $1 and exists (select from events where id = $2)',
    `events events ${SAYS}`,
  ],
  ["update payouts set status = 'x' where ctid = $1", `payouts payouts ${SAYS}`],
  ['delete from payouts where ctid = any (array(select $1::tid))', `payouts payouts ${SAYS}`],
  [
    'update payouts set updated_at = clock_timestamp() where account_id = $1',
    'clock_timestamp() where rows are written',
  ],
  [
    'delete from payouts where account_id = $1 returning clock_timestamp()',
    'clock_timestamp() where rows are written',
  ],
  [
    'with made as (insert into events (account_id) values ($1) returning id) select id from made',
    'an insert is read as made',
  ],
  [
    "select set_config('corridor.accounts', $1, true) from books where account_id = $2",
    'set_config',
  ],
  [
    'insert into events (account_id) select x from (select unnest($1::text[]) as x) r',
    'rows are inserted that do not come by the books',
  ],
  [
    `insert into events (account_id) select x from (
      select $1 as x union all select account_id from payouts where account_id = $1) r`,
    'rows are inserted that do not come by the books',
  ],
]

test('statement rules, a statement that breaks each rule: found', async () => {
  for (const [text, fault] of WRONG) {
    assert.deepEqual((await judge(text, { owned })).faults, [fault], text)
  }
})

test('statement rules, row look-ups for several accounts: recognised', async () => {
  const text = `select r.* from unnest($1::text[], $2::text[]) as k(account_id, id)
    cross join lateral (
      select * from payouts p where p.account_id = k.account_id and p.id = k.id limit 1) r`
  assert.deepEqual(await judge(text, { owned }), {
    faults: [],
    by_rows: true,
    too_new: [],
    ungathered: [],
  })
})

const GATHERED = [
  'select * from payouts p where p.id = any ($1::text[])',
  'select p.id, (select max(version) from reference_version) as version from payouts p',
  `select p.id from books b cross join lateral (
    select * from payouts p where p.account_id = b.account_id and p.id = $1 limit 1) p`,
]

const UNGATHERED: readonly (readonly [text: string, why: string])[] = [
  [
    `select p.id from payouts p where p.id = any ($1::text[])
      and exists (select from rail_inbox_lines l where l.payout_id = p.id)`,
    'rail_inbox_lines is looked up for each row of a shard',
  ],
  [
    `select f.id from unnest($1::text[]) as f(id)
      where exists (select from payouts p where p.id = f.id)`,
    'payouts is looked up on all shards for each row that was sent',
  ],
  [
    `select p.id from unnest($1::text[]) as f(id)
      cross join lateral (select * from payouts p where p.id = f.id limit 1) p`,
    'payouts is looked up on all shards for each row that was sent',
  ],
]

test('statement rules, statements over all shards: those that Citus cannot run reported', async () => {
  for (const [text, why] of [...UNGATHERED, ...GATHERED.map(text => [text] as const)]) {
    const { ungathered, faults } = await judge(text, { owned })
    assert.deepEqual(ungathered, why === undefined ? [] : [why], text)
    assert.notDeepEqual(faults, [], text)
  }
})

test('statement rules, a select in FROM without a name: too new for PostgreSQL 15', async () => {
  const newer = 'select * from (select 1) where true'
  assert.equal((await judge(newer, { owned })).too_new.length, 1)
  assert.equal((await judge('select * from (select 1) one', { owned })).too_new.length, 0)
})
