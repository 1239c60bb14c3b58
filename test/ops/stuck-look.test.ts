// The look at reference data never ends, as by a fault of the driver or of what is in between. It is
// given up with its connection, the next look is on another one, and what comes late of the first
// changes nothing.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { openReference, type Reference } from '../../src/runtime/reference.ts'
import { connect, type Sql } from '../../src/sql/connect.ts'
import { createDatabase } from '../support/database/database.ts'
import { openAccountOn, until } from '../support/service/process.ts'

const database = await createDatabase()
after(() => database.drop())

/** A pool whose queries, or whose transactions, end only once it is let go. */
function holding(held: 'queries' | 'transactions') {
  const sql = connect(database.url, { max: 1, as: 'service', look_ups: true })
  let gate: PromiseWithResolvers<void> | undefined
  const behind = async <T>(work: () => Promise<T>) => {
    const result = await work()
    await gate?.promise
    return result
  }
  const { begin } = sql
  const pool = new Proxy(sql, {
    apply: (target, self, parameters) =>
      held === 'queries' && gate !== undefined
        ? behind(async () => Reflect.apply(target, self, parameters))
        : Reflect.apply(target, self, parameters),
    get: (target, name, receiver) =>
      held === 'transactions' && name === 'begin'
        ? (...parameters: Parameters<typeof begin>) => behind(() => begin(...parameters))
        : Reflect.get(target, name, receiver),
  })
  const hold = () => {
    gate = Promise.withResolvers()
  }
  return { pool, hold, letGo: () => gate?.resolve() }
}

function open(opened: Sql[]): Sql {
  const pool = connect(database.url, { max: 1, as: 'service', look_ups: true })
  opened.push(pool)
  return pool
}

const WITHIN_MS = 300

for (const held of ['queries', 'transactions'] as const) {
  test(`periodic read whose ${held} never end: abandoned; accounts created meanwhile are known`, async t => {
    const { pool, hold, letGo } = holding(held)
    const opened: Sql[] = [pool]
    const reference: Reference = await openReference(pool, {
      poll_within_ms: WITHIN_MS,
      renew: () => open(opened),
    })
    t.after(async () => {
      letGo()
      await reference.close()
      await Promise.all(opened.map(sql => sql.end({ timeout: 1 })))
    })
    const make = async () => (await openAccountOn(database.url, {})).account.account_id
    const knows = (account_id: string) => () => {
      try {
        return reference.current().accounts.has(account_id)
      } catch {
        // On a busy machine it may not have looked for long.
        return false
      }
    }
    hold()
    const first = await make()
    await until('the first account is known', knows(first))
    assert.equal(opened.length, 2, 'another connection took the place of the first')
    const second = await make()
    await until('the second account is known', knows(second))
    // What the first look has read has neither account, or only one of them.
    letGo()
    await new Promise(resolve => setImmediate(resolve))
    await until('both are still known', () => knows(first)() && knows(second)())
  })
}

test('periodic read that never ends, process stops: not awaited, no connection opened', async t => {
  const { pool, hold, letGo } = holding('queries')
  let asked = 0
  const told: unknown[] = []
  const opened: Sql[] = [pool]
  const reference = await openReference(pool, {
    pollAlso: async () => {
      asked += 1
    },
    onError: error => told.push(error),
    renew: () => open(opened),
  })
  t.after(async () => {
    letGo()
    await Promise.all(opened.map(sql => sql.end({ timeout: 1 })))
  })
  hold()
  const before = asked
  await until('a look has begun', () => asked > before)
  const closed = reference.close().then(() => 'closed')
  // Less than a look may take.
  const waited = setTimeout(8_000, 'it waits', { ref: false })
  assert.equal(await Promise.race([closed, waited]), 'closed')
  await closed
  assert.equal(opened.length, 1)
  assert.deepEqual(told, [])
})

test('prices changed while the process stops: no quote at the old price', async t => {
  const pool = connect(database.url, { max: 1, as: 'service', look_ups: true })
  t.after(() => pool.end({ timeout: 1 }))
  const reference = await openReference(pool)
  const { price_version } = reference.current()
  await reference.close()
  await database.owner`
    update reference_version set version = version + 1, price_version = price_version + 1`
  await assert.rejects(reference.pricing(price_version + 1n), /The process stops/)
})
