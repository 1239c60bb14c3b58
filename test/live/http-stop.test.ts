// SIGTERM while something long is in hand: it is answered all the same, and only then does the process
// end. A batch of payouts is made to be slow by the database, a statement by whoever reads it.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { makeBusyAccount } from '../ledger/busy-account.ts'
import { slowDown } from '../support/database/slow-down.ts'
import { localPayout } from '../support/given/bodies.ts'
import { openAccountOn, until } from '../support/service/process.ts'
import { openScene } from '../support/service/scene.ts'
import { basic, startTestService } from '../support/service/service.ts'

/** Stored in portions of 256, each of which is made to take SLOW_S. */
const PAYOUTS = 1_024
const SLOW_S = 1
/** Some 1,000 bytes each as camt.053: twice as much as lies in the buffers of two sockets. */
const LINES = 8_000
/** Requests were cut off so long after the listener had closed. */
const ONCE_CUT_MS = 5_500

const { database, account, client, start } = await openScene(url =>
  openAccountOn(url, { USD: 9_000_000_000_000n }),
)
const env = { CORRIDOR_SETTLE: 'off' }

test('SIGTERM while a batch of payouts is written: answered, written once, no new connection accepted', async t => {
  const leaving = await start(env)
  await slowDown(t, database.owner, 'payouts', SLOW_S)
  const payouts = Array.from({ length: PAYOUTS }, () => localPayout)
  const asked = client.post(leaving.address, '/v3/payout_batch', { payouts }, 'slow batch')
  await until('the batch is being written', async () => {
    const [row] = await database.owner<{ busy: boolean }[]>`
      select exists (select from pg_stat_activity
        where datname = current_database() and wait_event = 'PgSleep') as busy`
    return row?.busy === true
  })
  leaving.signal('SIGTERM')
  const told_at = performance.now()
  // Connections that never ask hold nobody up, and are not what is waited for.
  const { port, hostname } = new URL(leaving.address)
  const silent = connect(Number(port), hostname).on('error', () => {})
  t.after(() => silent.destroy())
  const answer = await asked
  const took_ms = performance.now() - told_at
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(answer.json.data.counts, {
    payouts: PAYOUTS,
    created: PAYOUTS,
    held: 0,
    refused: 0,
  })
  assert.equal(answer.headers.connection, 'close')
  assert.equal(await leaving.ended, 0, JSON.stringify(leaving.log.slice(-3)))
  t.diagnostic(`answered ${Math.round(took_ms)} ms after SIGTERM`)
  assert.ok(took_ms > ONCE_CUT_MS, 'the batch is slow enough to have been cut off before')
  const [made] = await database.owner<{ count: string }[]>`
    select count(*)::text as count from payouts where account_id = ${account.account.account_id}`
  assert.equal(made?.count, String(PAYOUTS))
})

test('SIGTERM while a statement is read slowly: delivered in full, then the process ends', async t => {
  const service = await startTestService()
  t.after(() => service.close())
  const busy = await makeBusyAccount(service, LINES)
  const leaving = await start({ ...env, DATABASE_URL: service.database.url })
  const authorization = basic(busy.client.key_id, busy.client.secret)
  const path = `/v3/statement?format=camt053&currency=USD&from=${busy.from}`
  const sent = request(`${leaving.address}${path}`, { headers: { authorization } }).end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  answer.pause()
  leaving.signal('SIGTERM')
  await delay(ONCE_CUT_MS + 2_500)
  assert.equal(answer.statusCode, 200)
  assert.ok(leaving.running())
  let text = ''
  for await (const chunk of answer.setEncoding('utf8')) text += chunk
  assert.equal(text.match(/<Ntry>/g)?.length, busy.lines.USD)
  assert.match(text, /<\/Document>\s*$/)
  assert.equal(await leaving.ended, 0)
})
