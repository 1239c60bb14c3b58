// A collector of traces that is silent, then back, then gone: the service answers as ever, keeps no
// more spans than it was told to, and ends in time.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { localPayout } from '../support/given/bodies.ts'
import { startCollector } from '../support/network/collector.ts'
import { type HttpAnswer, tally, until } from '../support/service/process.ts'
import { openScene } from '../support/service/scene.ts'
import { promised, share } from '../support/share.ts'

const QUEUE = 64
const CLIENTS = 16
const PAYOUTS = share(200, 20_000)
/** Whoever waits for the collector waits ten seconds; a busy machine takes one at times. */
const SLOWEST_MS = share(5_000, 1_000)

const { client, start } = await openScene()
const collector = await startCollector()
after(() => collector.close())
const service = await start({
  CORRIDOR_DRAIN_MS: '0',
  // No spans but those of requests.
  CORRIDOR_SETTLE: 'off',
  CORRIDOR_WEBHOOKS: 'off',
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_BSP_SCHEDULE_DELAY: '50',
  OTEL_BSP_MAX_QUEUE_SIZE: String(QUEUE),
})

async function pay(payouts: number): Promise<HttpAnswer[]> {
  const answers: HttpAnswer[] = []
  let left = payouts
  const work = async () => {
    while (left-- > 0) {
      answers.push(await client.post(service.address, '/v3/payout', { ...localPayout, amount: 1 }))
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, work))
  return answers
}

test('trace collector that does not answer: every payout created, none slow, stored spans bounded', async t => {
  collector.hang()
  const answers = await pay(PAYOUTS)
  assert.deepEqual(tally(answers), { '200': PAYOUTS })
  const slowest_ms = Math.max(...answers.map(({ took_ms }) => took_ms))
  promised(t, 'the slowest payout', slowest_ms, SLOWEST_MS)
  collector.answer()
  await until('the collector gets spans again', () => collector.spans.length > 0)
  // What is in the queue now was there all the time.
  await client.post(service.address, '/v3/payout', { ...localPayout, amount: 2 })
  const { length } = collector.spans
  await until('the newest spans come', () => collector.spans.length > length)
  const kept = collector.spans.filter(({ name }) => name === 'POST /v3/payout').length
  assert.ok(collector.spans.length < 4 * QUEUE, `${collector.spans.length} spans`)
  assert.ok(kept < PAYOUTS / 2, `${kept} requests`)
})

test('trace collector not running: payouts created, few log lines, process ends', async t => {
  await collector.close()
  assert.deepEqual(tally(await pay(50)), { '200': 50 })
  const told_at = performance.now()
  service.signal('SIGTERM')
  assert.equal(await service.ended, 0)
  // To send what is left would be tried for eight seconds and more.
  promised(t, 'ended', performance.now() - told_at, 6_000)
  const words = service.log.filter(({ msg }) => msg === 'tracing')
  assert.ok(words.length > 0 && words.length < 30, `${words.length} lines`)
})
