// kill -9 of a service while it keeps what it has found of entities, at each step of the transaction:
// whoever was acknowledged and is listed is asked about once, by the next process.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '../../src/sql/connect.ts'
import { checkBooks } from '../support/assert/books.ts'
import { failingAt, type RunningProcess, until } from '../support/service/process.ts'
import { openScene } from '../support/service/scene.ts'
import { readUnList, takeUnList } from '../support/service/un-list.ts'
import { share } from '../support/share.ts'

const POINTS = share(
  ['before store', 'after commit'],
  ['before load', 'before store', 'before commit', 'after commit'],
)

const { database, client, start, listen } = await openScene()
const env = { CORRIDOR_WEBHOOKS: 'off' }

const sql = connect(database.url, { max: 1, as: 'service' })
await takeUnList({ deps: { sql } }, await readUnList())
await sql.end({ timeout: 5 })

/** The id of a new entity that is listed; undefined when nobody has answered. */
async function makeListed({ address }: RunningProcess): Promise<string | undefined> {
  try {
    const made = await client.post(address, '/v3/entity', {
      type: 'individual',
      name: 'Eric Badege',
    })
    return made.status === 200 ? made.json.data.id : undefined
  } catch {
    return undefined
  }
}

async function countQueued(): Promise<number> {
  const [row] = await database.owner<{ left: number }[]>`
    select count(*)::integer as left from screening_queue`
  return row?.left ?? -1
}

test(`screening worker killed ${POINTS.join(', ')} of its matches is stored: no match lost, none stored twice`, async () => {
  const ids: string[] = []
  for (const point of POINTS) {
    const dying = await start({ ...env, ...failingAt(`${point} keep_found 1`) })
    dying.signal('SIGUSR2')
    await until(`killed ${point}`, async () => {
      const id = await makeListed(dying)
      if (id !== undefined) ids.push(id)
      return !dying.running()
    })
    assert.equal(await dying.ended, 'SIGKILL')
    // As if the lease of the one that was killed had run out.
    await database.owner`update screening_queue set due_at = now()`
    await database.owner`update screening_pass set due_at = clock_timestamp()`
  }
  const last = await listen(env)
  await until('all are compared', async () => (await countQueued()) === 0)
  await last.close()
  const rows = await database.owner<{ id: string; screening: string; matches: number }[]>`
    select e.id, e.screening, (
      select count(*)::integer from screening_matches m
      where m.account_id = e.account_id and m.object_id = e.id
    ) as matches
    from entities e order by 1`
  assert.ok(rows.length > 0)
  assert.deepEqual(
    rows.filter(({ screening, matches }) => screening !== 'open' || matches !== 1),
    [],
  )
  const known = new Set(rows.map(({ id }) => id))
  assert.deepEqual(
    ids.filter(id => !known.has(id)),
    [],
  )
  await checkBooks(database.owner, { DATABASE_URL: database.url })
})
