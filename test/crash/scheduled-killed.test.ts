// kill -9 of the service around the moment at which scheduled payouts are due, with cancels against
// it: each is cancelled or goes out once, none before its time, and the money is exact.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { checkBooks } from '../support/assert/books.ts'
import { localPayout } from '../support/given/bodies.ts'
import { openAccountOn, pickSeed, seeded, until } from '../support/service/process.ts'
import { openScene } from '../support/service/scene.ts'
import { share } from '../support/share.ts'

const START = 100_000_000n
const AMOUNT = 10_000n
const PAYOUTS = 40
const KILLS = share(1, 20)
/** From the first payout on: also a busy machine makes them all before the first is due. */
const DUE_MS = 10_000
const SPREAD_MS = 1_000

const { database, client, start, listen } = await openScene(url =>
  openAccountOn(url, { USD: START }),
)
const env = { CORRIDOR_RAIL_TIMEOUT_MS: '500' }

test(`scheduled payouts, ${KILLS} times kill -9 across their time: each once or cancelled, none early`, async t => {
  const seed = pickSeed()
  t.diagnostic(`SEED=${seed}`)
  const random = seeded(seed)
  let cancelled = 0n
  for (let kill = 0; kill < KILLS; kill++) {
    const service = await start(env)
    const { address } = service
    const due = Date.now() + DUE_MS
    const make = () => {
      const execute_at = new Date(due + random() * SPREAD_MS).toISOString()
      return client.post(address, '/v3/payout', { ...localPayout, execute_at })
    }
    const made = await Promise.all(Array.from({ length: PAYOUTS }, make))
    const ids: string[] = made.map(({ json, text }) => json?.data?.id ?? assert.fail(text))
    await delay(due - Date.now() + (random() - 0.5) * SPREAD_MS)
    // An answer that is lost is asked for again, by the next process.
    const asked = ids.map(id => client.post(address, `/v3/payout/${id}/cancel`, {}, id))
    const cancels = asked.map(answer => answer.catch(() => undefined))
    await delay(random() * 30)
    await service.kill()
    await Promise.all(cancels)
    const last = await listen(env)
    for (const id of ids) {
      const again = await client.post(last.address, `/v3/payout/${id}/cancel`, {}, id)
      assert.ok(again.status === 200 || again.status === 409, again.text)
      if (again.status === 200) cancelled += 1n
    }
    await until('nothing is open', async () => {
      const [row] = await database.owner<{ open: number }[]>`
        select count(*)::integer as open from open_payouts`
      return row?.open === 0
    })
    await last.close()
  }
  const wrong = await database.owner`
    select p.id, s.status, p.execute_at, s.updated_at
    from payouts p join payout_states s using (account_id, id)
    where not (s.status = 'failed' and s.failure ->> 'code' = 'PF000100' and s.rail_attempts = 0
      or s.status = 'succeeded' and s.updated_at >= p.execute_at and s.rail_attempts > 0)`
  assert.deepEqual([...wrong], [])
  const paid = BigInt(PAYOUTS * KILLS) - cancelled
  t.diagnostic(`${cancelled} cancelled, ${paid} paid`)
  const [left] = await database.owner`select available from balances`
  assert.equal(left?.available, START - paid * AMOUNT)
  await checkBooks(database.owner, { DATABASE_URL: database.url })
})
