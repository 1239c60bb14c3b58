// kill -9 of the command that matches a nostro, while it works: what was matched stays, nothing is
// matched twice, and the next run matches the rest.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { connect, type Sql } from '../../src/sql/connect.ts'
import { matchNostro } from '../../src/treasury/match/match-nostro.ts'
import { createDatabase, type TestDatabase } from '../support/database/database.ts'
import { pickSeed, seeded, spawnCommand, until } from '../support/service/process.ts'
import { share } from '../support/share.ts'
import { giveItems, giveLines, identityOf, openNostro } from '../support/treasury/open-rows.ts'

/** More than the rules match in one transaction. */
const PAIRS = share(10_500, 60_000)
const KILLS = share(2, 20)

let database: TestDatabase
let owner: Sql
let sql: Sql
before(async () => {
  database = await createDatabase()
  owner = database.owner
  sql = connect(database.url, { max: 2, as: 'service', look_ups: true })
})
after(async () => {
  await sql.end()
  await database.drop()
})

const keyOf = (i: number) => `C${String(i).padStart(14, '0')}`

async function countMatches(): Promise<number> {
  const [row] = await owner<{ count: number }[]>`select count(*)::integer as count from matches`
  return row?.count ?? -1
}

test(`match-all killed ${KILLS} times at work: nothing twice, nothing missing`, async t => {
  const seed = pickSeed()
  t.diagnostic(`SEED=${seed}`)
  const random = seeded(seed)
  const nostro = await openNostro(owner, 'eur_main')
  const pairs = Array.from({ length: PAIRS }, (_, i) => i)
  await giveItems(
    owner,
    nostro,
    pairs.map(i => ({ amount: -BigInt(i + 1), key: keyOf(i) })),
  )
  await giveLines(
    owner,
    nostro,
    pairs.map(i => ({ amount: -BigInt(i + 1), end_to_end_id: keyOf(i) })),
  )
  const env = { DATABASE_URL: database.url, CORRIDOR_USER: 'ada' }
  for (let kill = 0; kill < KILLS; kill++) {
    const before = await countMatches()
    const child = spawnCommand(['nostro', 'match-all', 'eur_main'], env)
    // Some are killed in their first transaction, and some after it.
    const later = random() < 0.5
    await until('the command works', async () => {
      if (child.exitCode !== null) return true
      if (later && (await countMatches()) > before) return true
      const [row] = await owner<{ works: boolean }[]>`
        select exists (select from pg_locks where locktype = 'advisory'
          and database = (select oid from pg_database where datname = current_database())) as works`
      return !later && row?.works === true
    })
    child.kill('SIGKILL')
    await until('its session has ended', async () => {
      const [row] = await owner<{ left: number }[]>`
        select count(*)::integer as left from pg_stat_activity
        where datname = current_database() and application_name like 'corridor%' and state <> 'idle'
          and pid <> pg_backend_pid() and query like '%bank_lines%'`
      return row?.left === 0
    })
    const { difference, open } = await identityOf(owner, nostro)
    assert.equal(difference, open)
  }
  await matchNostro(sql, nostro)
  assert.equal(await countMatches(), PAIRS)
  assert.deepEqual(await identityOf(owner, nostro), { difference: 0n, open: 0n })
  const [row] = await owner<{ wrong: number }[]>`
    select count(*)::integer as wrong from bank_lines l join nostro_items i on i.match = l.match
    where i.amount <> l.amount or i.key <> l.end_to_end_id`
  assert.equal(row?.wrong, 0)
})

test('two matchers at once: each pair is matched once', async () => {
  const nostro = await openNostro(owner, 'eur_second')
  const pairs = Array.from({ length: 500 }, (_, i) => i)
  await giveItems(
    owner,
    nostro,
    pairs.map(i => ({ amount: 5n, key: `S${keyOf(i)}` })),
  )
  await giveLines(
    owner,
    nostro,
    pairs.map(i => ({ amount: 5n, bank_reference: `S${keyOf(i)}` })),
  )
  const counts = await Promise.all([matchNostro(sql, nostro), matchNostro(sql, nostro)])
  assert.equal(
    counts.reduce((sum, { by_key }) => sum + by_key, 0),
    500,
  )
})
