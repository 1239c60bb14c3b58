// A lane of long commands: each in a transaction of its own, rolled back when it is refused in the
// middle, tried again after contention, and waited for as long as the lane says. Nobody waits for the
// long command of another account.
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { Lane } from '../../src/engine/lane.ts'
import { LongCommands, planLanes } from '../../src/engine/lanes.ts'
import { MAX_WAIT_MS } from '../../src/engine/late.ts'
import type { LongOperation, Operation } from '../../src/engine/operation.ts'
import { connect, type TransactionSql } from '../../src/sql/connect.ts'
import { Refusal, refusal } from '../../src/values/errors.ts'
import { createDatabase } from '../support/database/database.ts'

interface Command {
  readonly ids: readonly number[]
  readonly ends: 'well' | 'refused' | 'contends once' | 'late'
}

let together: number[] = []
let contended = false

const write: LongOperation<Command, null, number> = {
  name: 'write_numbers',
  async load(tx, commands) {
    together.push(commands.length)
    await tx`select 1`
    return null
  },
  async settle(tx, _state, { ids, ends }) {
    for (const id of ids) await tx`insert into numbers values (${id})`
    if (ends === 'refused') throw refusal('invalid_field', 'No.')
    if (ends === 'late') await delay(MAX_WAIT_MS + 500)
    if (ends === 'contends once' && !contended) {
      contended = true
      await tx.unsafe(`do $$ begin raise exception 'told to' using errcode = '40001'; end $$`)
    }
    return ids.length
  },
}

const database = await createDatabase()
await database.owner`create table numbers (id integer)`
await database.owner`grant all on numbers to corridor_service`
const sql = connect(database.url, { max: 2, as: 'service' })
after(async () => {
  await sql.end({ timeout: 1 })
  await database.drop()
})
beforeEach(async () => {
  together = []
  contended = false
  await database.owner`truncate numbers`
})

async function stored(): Promise<number[]> {
  const rows = await database.owner<{ id: number }[]>`select id from numbers order by id`
  return rows.map(({ id }) => id)
}

test('lane, long commands in parallel: one transaction each, whatever max_batch', async () => {
  const lane = new Lane(sql, write, { max_batch: 100 })
  const counts = [[1, 2], [3], [4, 5, 6]].map(ids => lane.run({ ids, ends: 'well' }))
  assert.deepEqual(await Promise.all(counts), [2, 1, 3])
  assert.deepEqual(together, [1, 1, 1])
  assert.deepEqual(await stored(), [1, 2, 3, 4, 5, 6])
})

test('lane, long command refused midway: nothing of it written, commands beside it written', async () => {
  const lane = new Lane(sql, write, { max_batch: 1 })
  const [one, two, three] = await Promise.allSettled([
    lane.run({ ids: [1], ends: 'well' }),
    lane.run({ ids: [2, 3], ends: 'refused' }),
    lane.run({ ids: [4], ends: 'well' }),
  ])
  assert.equal(one?.status, 'fulfilled')
  assert.ok(two?.status === 'rejected' && two.reason instanceof Refusal)
  assert.equal(two.reason.status, 400)
  assert.equal(three?.status, 'fulfilled')
  assert.deepEqual(await stored(), [1, 4])
})

test('lane, long command with serialization failures: retried, written once', async () => {
  const lane = new Lane(sql, write, { max_batch: 1 })
  assert.equal(await lane.run({ ids: [1, 2], ends: 'contends once' }), 2)
  assert.equal(together.length, 2)
  assert.deepEqual(await stored(), [1, 2])
})

test('lane, long command that waits longer than others: ordinary commands still answered after the usual wait', async () => {
  const patient = new Lane(sql, write, { max_batch: 1, max_wait_ms: 30_000 })
  assert.equal(await patient.run({ ids: [1], ends: 'late' }), 1)
  const other = new Lane(sql, write, { max_batch: 1 })
  await assert.rejects(other.run({ ids: [2], ends: 'late' }), { status: 503 })
})

interface Owned {
  readonly account_id: string
}

/** A write under the lock of its account, as of a book. */
const lock = async (tx: TransactionSql, { account_id }: Owned) => {
  await tx`select pg_advisory_xact_lock(hashtext(${account_id}))`
}

const short: Operation<Owned, null, string> = {
  name: 'short',
  async load(tx, commands) {
    for (const command of commands) await lock(tx, command)
    return null
  },
  decide: (_state, { account_id }) => account_id,
  store: () => Promise.resolve(),
}

test("lane, long command of one account: that account's commands wait, other accounts' do not", async () => {
  const locked = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const long: LongOperation<Owned, null, string> = {
    name: 'long',
    async load(tx, [command]) {
      await lock(tx, command as Owned)
      return null
    },
    async settle() {
      locked.resolve()
      await gate.promise
      return 'long'
    },
  }
  const pool = connect(database.url, { max: 6, as: 'service' })
  const options = { max_batch: 100, lanes: 1, long_commands: new LongCommands() }
  const on = { coordinator: pool, at: () => undefined }
  const longs = planLanes(long, options).open(on)
  const shorts = planLanes(short, options).open(on)
  // What is in the lane already goes before it.
  const early = shorts.run({ account_id: 'one' })
  const running = longs.run({ account_id: 'one' })
  await locked.promise
  assert.equal(await Promise.race([early, 'still waiting']), 'one')
  let answered = 0
  // The first goes alone, the second would have taken the other account's along.
  const own = [1, 2, 3].map(() => shorts.run({ account_id: 'one' }).finally(() => answered++))
  const others = [1, 2, 3].map(() => shorts.run({ account_id: 'other' }))
  assert.deepEqual(await Promise.all(others), ['other', 'other', 'other'])
  assert.equal(answered, 0)
  gate.resolve()
  assert.equal(await running, 'long')
  assert.deepEqual(await Promise.all(own), ['one', 'one', 'one'])
  assert.equal(options.long_commands.has('one'), false)
  await pool.end({ timeout: 1 })
})
