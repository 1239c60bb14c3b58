import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Histogram, Registry } from 'prom-client'
import { LINES_A_TURN, makeMetrics, writeMetrics } from './metrics.ts'

const ours = (text: string) =>
  text
    .split('\n')
    .filter(line => line.includes('corridor_'))
    .sort()

test('metrics text: the same lines as prom-client writes', async () => {
  const metrics = makeMetrics()
  const alike = new Histogram({
    name: 'corridor_http_request_seconds',
    help: 'Duration of HTTP requests, from the request line to the end of the answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [],
  })
  for (const route of ['/v3/payout', '/v3/quote', 'a "quoted"\\\nroute']) {
    for (const seconds of [0.0007, 0.3, 1e-7, 99]) {
      const labels = { method: 'GET', route, status: '200' }
      metrics.requests.observe(labels, seconds)
      alike.observe(labels, seconds)
    }
  }
  metrics.rateGoodFor.set(Number.POSITIVE_INFINITY)
  metrics.calendarDaysLeft.set({ calendar: 'TARGET' }, -1.5)
  const merged = Registry.merge([metrics.registry])
  merged.registerMetric(alike)
  const written = ours((await writeMetrics(metrics)).join(''))
  const unused = /corridor_lane_batch/
  assert.deepEqual(
    written.filter(line => !unused.test(line)),
    ours(await merged.metrics()),
  )
  assert.ok(written.includes('corridor_rate_good_for_seconds +Inf'))
})

test('metrics text, many routes, rails and kinds: written in several turns of the event loop', async () => {
  const metrics = makeMetrics()
  for (let i = 0; i < 200; i++) {
    metrics.requests.observe({ method: 'GET', route: `/v3/${i}`, status: '200' }, 0.1)
    for (let kind = 0; kind < 20; kind++) {
      metrics.railExceptions.set({ rail: `rail${i}`, kind: `kind${kind}` }, 1)
    }
  }
  let turns = 0
  let isOver = false
  const count = () => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  await writeMetrics(metrics)
  isOver = true
  assert.ok(turns >= 200 + 4_000 / LINES_A_TURN, `${turns} turns`)
})
