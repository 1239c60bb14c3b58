// Requests that are larger than any may be, many of them, on a process of its own: each is refused, and
// the process is as large after them as before. In the long share alone, as a leak shows in thousands of
// requests. Figures are printed.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createDatabase, type TestDatabase } from '../support/database/database.ts'
import { talk } from '../support/network/raw-client.ts'
import { openAccountOn, type RunningProcess, startProcess } from '../support/service/process.ts'
import { basic } from '../support/service/service.ts'
import { LONG } from '../support/share.ts'

const REQUESTS = 10_000
const MiB = 1024 * 1024
const MOST_GROWTH = 50 * MiB

let database: TestDatabase
let service: RunningProcess
let headers: string[]
before(async () => {
  if (!LONG) return
  database = await createDatabase()
  const { key_id, secret } = await openAccountOn(database.url, { USD: 1_000_000n })
  const authorization = `Authorization: ${basic(key_id, secret)}`
  const type = 'Content-Type: application/json'
  headers = ['Host: corridor.example', authorization, type, 'Connection: close']
  service = await startProcess({ DATABASE_URL: database.url, CORRIDOR_SETTLE: 'off' })
})
after(async () => {
  await service?.kill()
  await database?.drop()
})

const post = (path: string, more: readonly string[], body = '') =>
  [`POST ${path} HTTP/1.1`, ...headers, ...more, '', body].join('\r\n')
const chunked = (bytes: number) => `${bytes.toString(16)}\r\n${' '.repeat(bytes)}\r\n`

/** What is sent, and what it is told. */
const OVERSIZED: readonly (readonly [message: () => string, status: number])[] = [
  [() => post('/v3/payout', [`Content-Length: ${2 ** 31}`], ' '.repeat(64 * 1024)), 413],
  [() => post('/v3/payout', ['Transfer-Encoding: chunked'], chunked(300 * 1024)), 413],
  [() => post('/v3/payout', [`Content-Length: ${250_000}`], '['.repeat(250_000)), 400],
  [() => post('/v3/payout', [`Content-Length: ${250_000}`], `"${'\\n'.repeat(124_999)}"`), 400],
  [() => post('/v3/payout', [`X-A: ${'a'.repeat(17 * 1024)}`]), 431],
  [() => post('/v3/payout', Array(2_000).fill('b: c')), 431],
  [() => post(`/v3/payout?${'a'.repeat(8 * 1024)}`, ['Content-Length: 0']), 414],
  [() => post('/v3/payout_batch', [`Content-Length: ${17 * MiB}`], ' '.repeat(64 * 1024)), 413],
]

/** Slow to send, so one in so many: all of 16 MiB are taken before it is refused. */
const LARGEST_EVERY = 100
const largest = () => post('/v3/payout_batch', ['Transfer-Encoding: chunked'], chunked(17 * MiB))

async function residentBytes(): Promise<number> {
  const answer = await fetch(`${service.address}/metrics`)
  const [, bytes] = /^process_resident_memory_bytes (\d+)/m.exec(await answer.text()) ?? []
  return Number(bytes)
}

async function sendMany(count: number): Promise<void> {
  const one = async (i: number) => {
    const [message, status] =
      i % LARGEST_EVERY === 0
        ? ([largest, 413] as const)
        : (OVERSIZED[i % OVERSIZED.length] as (typeof OVERSIZED)[number])
    const { answers, closed } = await talk(service.address, [message()], 20_000)
    assert.deepEqual(
      answers.map(answer => answer.status),
      [status],
      message().slice(0, 60),
    )
    assert.ok(closed)
  }
  for (let i = 0; i < count; i += 8) {
    await Promise.all(Array.from({ length: 8 }, (_, k) => one(i + k)))
  }
}

test(`${REQUESTS} oversized requests: each refused, memory grows by at most 50 MiB`, {
  skip: !LONG && 'in the long share',
}, async t => {
  await sendMany(REQUESTS / 10)
  const before = await residentBytes()
  await sendMany(REQUESTS)
  const after = await residentBytes()
  t.diagnostic(`${REQUESTS} requests: ${before / MiB} MiB before, ${after / MiB} MiB after`)
  assert.ok(after - before <= MOST_GROWTH, `${(after - before) / MiB} MiB more`)
  assert.ok(service.running())
})
