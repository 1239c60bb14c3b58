// The rate feed against a publisher of the test's own: what it takes, what it leaves, and that a
// publisher that fails changes nothing.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { beforeEach, test } from 'node:test'
import { fetchRatesOnce, startFetchingRates } from '../../src/app/worker/fetch-rates.ts'
import { writeMetrics } from '../../src/runtime/metrics.ts'
import { listen } from '../support/network/raw-receiver.ts'
import { until } from '../support/service/process.ts'
import { openWithCli } from '../support/service/with-cli.ts'

/** What the publisher answers from now on. */
let published = { status: 200, text: '' }
const file = await readFile('test/fixtures/eurofxref-daily.xml', 'utf8')
const server = createServer((_request, response) => {
  response.writeHead(published.status).end(published.text)
})
const rate_feed_url = `http://127.0.0.1:${await listen(server)}/rates`
const feed = { rate_feed_url, rate_feed_allow_http: true, rate_feed_interval_s: 1 }
const { service, cli } = await openWithCli(feed, {
  CORRIDOR_RATE_FEED_URL: rate_feed_url,
  CORRIDOR_RATE_FEED_ALLOW_HTTP: 'on',
})
beforeEach(async () => {
  await service.database.owner`delete from rates where not pegged`
  published = { status: 200, text: file }
})

function rows() {
  return service.database.owner`select * from rates order by base, quote`
}

function changes() {
  return service.database.owner`
    select changed_by, coalesce(after, before) ->> 'quote' as quote from audit_log
    where table_name = 'rates' order by change_id`
}

async function counted(result: string): Promise<number> {
  const text = (await writeMetrics(service.deps.metrics)).join('')
  return Number(text.split(`corridor_rate_feed_total{result="${result}"} `)[1]?.split('\n')[0] ?? 0)
}

/** Fetches once; the result, which is counted as well. */
async function fetched(): Promise<string> {
  const result = await fetchRatesOnce(service.deps)
  assert.ok((await counted(result)) > 0)
  return result
}

/** The day after, with these replacements. */
function next(...replacements: readonly (readonly [from: string, to: string])[]): string {
  return replacements.reduce(
    (text, [from, to]) => {
      assert.ok(text.includes(from), from)
      return text.replace(from, to)
    },
    file.replace('2026-10-06', '2026-10-07'),
  )
}

test('rate feed, first publication: stored with its time, source "feed" in the history; repeated or older: nothing written', async () => {
  const before = (await changes()).length
  assert.equal(await fetched(), 'changed')
  const stored = await rows()
  assert.equal(stored.filter(({ pegged }) => !pegged).length, file.match(/currency=/g)?.length)
  const usd = stored.find(({ base, quote }) => base === 'EUR' && quote === 'USD')
  assert.deepEqual([usd?.mid, usd?.as_of], ['1.1269', '2026-10-06T14:00:00.000000Z'])
  const made = (await changes()).slice(before)
  assert.ok(made.length > 0 && made.every(({ changed_by }) => changed_by === 'feed'))
  assert.equal(await fetched(), 'unchanged')
  assert.deepEqual(await rows(), stored)
  published.text = next(['1.1269', '1.13'])
  assert.equal(await fetched(), 'changed')
  const newer = await rows()
  published.text = file
  assert.equal(await fetched(), 'unchanged')
  assert.deepEqual(await rows(), newer)
})

test('rate feed, one rate moved too far: this rate kept, others updated', async () => {
  await fetched()
  published.text = next(['1.1269', '11.269'], ['178.15', '179'])
  assert.equal(await fetched(), 'refused')
  const mids = new Map((await rows()).map(({ quote, mid, as_of }) => [quote, [mid, as_of]]))
  assert.deepEqual(mids.get('USD'), ['1.1269', '2026-10-06T14:00:00.000000Z'])
  assert.deepEqual(mids.get('JPY'), ['179', '2026-10-07T14:00:00.000000Z'])
})

test('rate feed, rates shifted between currencies: no rate stored, not even a plausible one', async () => {
  await fetched()
  const stored = await rows()
  const mids = file.match(/(?<=rate=').*(?=')/g) ?? []
  // The Swedish krona gets the rate of the Norwegian one.
  let i = 3
  published.text = next().replaceAll(/(?<=rate=').*(?=')/g, () => mids[i++ % mids.length] ?? '')
  assert.notEqual(published.text, next())
  assert.equal(await fetched(), 'refused')
  assert.deepEqual(await rows(), stored)
})

const FAILURES = [
  ['half a file', 200, '<?xml version="1.0"?><Envelope><Cube><Cube time="2026-10-07">'],
  ['an HTTP error', 500, ''],
  ['CSV without a date', 200, 'base,quote,mid\nEUR,USD,1.13\n'],
  ['CSV dated tomorrow', 200, 'base,quote,mid,as_of\nEUR,USD,1.13,2999-01-01T00:00:00Z\n'],
] as const

for (const [what, status, text] of FAILURES) {
  test(`rate feed, ${what}: failed, counted, nothing changed`, async () => {
    await fetched()
    const stored = await rows()
    published = { status, text }
    assert.equal(await fetched(), 'failed')
    assert.deepEqual(await rows(), stored)
  })
}

test('rate feed, two processes in parallel: each publication stored once', async () => {
  const other = await service.anotherProcess()
  try {
    const before = (await changes()).length
    const results = await Promise.all([fetchRatesOnce(service.deps), fetchRatesOnce(other.deps)])
    assert.deepEqual(results.sort(), ['changed', 'unchanged'])
    assert.equal((await changes()).length - before, file.match(/currency=/g)?.length)
  } finally {
    await other.close()
  }
})

test('rate feed worker: fetches at its interval despite failures, until stopped', async () => {
  published.status = 500
  const worker = startFetchingRates(service.deps)
  try {
    const failed = await counted('failed')
    await until('a fetch has failed', async () => (await counted('failed')) > failed)
    published.status = 200
    await until('rates are taken', async () => (await rows()).some(({ pegged }) => !pegged))
  } finally {
    await worker.stop()
  }
})

test('corridor rates fetch: dry run, then stored, then no news; large move: named, exit code 1, stored with --force', async () => {
  const dry = await cli.run('rates', 'fetch', '--dry-run')
  assert.equal(dry.code, 0, dry.stderr)
  assert.match(dry.stdout, /\n\d+ rates from 127\.0\.0\.1 would be taken, 0 no news\n$/)
  assert.ok((await rows()).every(({ pegged }) => pegged))
  assert.equal((await cli.run('rates', 'fetch')).code, 0)
  const again = await cli.run('rates', 'fetch', '--json')
  assert.deepEqual([again.code, again.json.taken, again.json.refused], [0, [], []])
  published.text = next(['1.1269', '11.269'])
  const moved = await cli.run('rates', 'fetch')
  assert.equal(moved.code, 1)
  assert.match(
    moved.stderr,
    /^corridor: 1 rates refused; --force .*\n {2}line 9: EUR\/USD 11\.269 /,
  )
  const forced = await cli.run('rates', 'fetch', '--force', '--json')
  assert.deepEqual([forced.code, forced.json.taken.length], [0, 1])
})

test('corridor rates fetch, URL without https, or failing publisher: one sentence, nothing written', async () => {
  const before = await rows()
  const plain = await cli.run('rates', 'fetch', 'http://rates.example.com/daily.csv')
  assert.deepEqual(
    [plain.code, plain.stderr],
    [2, 'corridor: rates are fetched by https:// alone\n'],
  )
  published.status = 503
  const failed = await cli.run('rates', 'fetch')
  const words = 'corridor: 127.0.0.1: status 503; nothing was written\n'
  assert.deepEqual([failed.code, failed.stderr], [1, words])
  published = { status: 200, text: 'base,quote,mid\nEUR,USD,1.13\n' }
  const undated = await cli.run('rates', 'fetch')
  assert.equal(undated.code, 1)
  assert.match(
    undated.stderr,
    /^corridor: 127\.0\.0\.1 has one problem; nothing was written\n {2}line 2/,
  )
  assert.deepEqual(await rows(), before)
})
