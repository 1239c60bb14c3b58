// One account reads more than the database can answer. Only that account has to wait: reads and writes
// of others, health and the look at revoked keys go on, and what nobody waits for any more is not read.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { markKeyRevoked } from '../../src/accounts/store.ts'
import { tally, until } from '../support/service/process.ts'
import { startTestService } from '../support/service/service.ts'

const CROWD = 400
const QUOTE = { payout_type: 'local', payout_info: { currency: 'USD', amount: 10_000 } }

const service = await startTestService()
const account = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
const other = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
after(() => service.close())

/** Sessions that wait for the table. */
async function waiting(): Promise<number> {
  const sessions = await service.database.owner`
    select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  return sessions.length
}

test(`${CROWD} lists of one account, database does not answer them: other accounts and other routes unaffected`, async () => {
  const key = await service.addKey(other, 'read')
  const { owner } = service.database
  await owner.begin(async tx => {
    await tx`lock table payouts in access exclusive mode`
    const crowd = Array.from({ length: CROWD }, () => account.get('/v3/payout'))
    let answered = false
    const answers = Promise.all(crowd).finally(() => {
      answered = true
    })
    await until('all connections are held that one account may hold', async () => {
      return (await waiting()) >= service.deps.config.read_connections - 1
    })
    let written = 0
    while (!answered) {
      // It touches no payout.
      const made = await other.post('/v3/payout/quote', QUOTE)
      assert.equal(made.status, 200, made.text)
      const balance = await other.get('/v3/balance')
      assert.equal(balance.status, 200, balance.text)
      const quote = await other.get(`/v3/payout/quote/${made.json.id}`)
      assert.equal(quote.status, 200, quote.text)
      const ready = await service.inject({ method: 'GET', url: '/readyz' })
      assert.equal(ready.status, 200, ready.text)
      if (written === 0) await markKeyRevoked(service.deps.sql, key.key_id)
      written += 1
      await delay(50)
    }
    assert.equal((await key.get('/v3/balance')).status, 401)
    assert.deepEqual(tally(await answers), { '503 service_unavailable': CROWD })
    // The last that began in time are stopped by the server; the others are not begun.
    await until('nobody reads for who has left', async () => (await waiting()) === 0)
  })
  const list = await account.get('/v3/payout')
  assert.equal(list.status, 200, list.text)
})
