// Archives of events: a file that is proved by itself and held against the database; whatever is changed
// in it is named by its line.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { settleOnce } from '../../src/app/worker/settle-payouts.ts'
import { createDatabase } from '../support/database/database.ts'
import { bankBeneficiary, localPayout } from '../support/given/bodies.ts'
import { type Cli, openCli } from '../support/service/cli.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'

let service: TestService
let ada: Cli
let account: Client
let folder: string
const at = (name: string) => join(folder, name)
const FUTURE = '2999-01-01T00:00:00Z'

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'corridor-archive-'))
  service = await startTestService({ simulator_delay_ms: 0 })
  await service.setRates({ 'USD/HKD': '8' })
  ada = await openCli(service.database.url, { CORRIDOR_USER: 'ada' })
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 10n ** 8n } })
  for (const amount of [1_000, 200_000, 3_000]) {
    await account.post('/v3/payout', { ...localPayout, amount })
  }
  while ((await settleOnce(service.deps)) > 0);
})
after(async () => {
  await ada.close()
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

const archive = (name: string, ...more: string[]) =>
  ada.run('events', 'archive', account.account.account_id, '--to', at(name), ...more, '--json')
const check = (name: string, ...more: string[]) => ada.run('events', 'check', at(name), ...more)

async function archived(name: string, ...more: string[]) {
  const ran = await archive(name, '--before', FUTURE, ...more)
  assert.equal(ran.code, 0, ran.stderr)
  return ran.json
}

async function linesOf(name: string): Promise<string[]> {
  return gunzipSync(await readFile(at(name)))
    .toString()
    .split('\n')
    .slice(0, -1)
}

async function book(): Promise<{ event_count: bigint; head: string }> {
  const [row] = await service.database.owner<{ event_count: bigint; head: string }[]>`
    select event_count, encode(event_head, 'hex') as head from books
    where account_id = ${account.account.account_id}`
  return row ?? assert.fail('no book')
}

test("events archive of a whole account: complete to the book's head, provable with and without the database", async () => {
  const { sequence, hash } = await archived('all')
  const { event_count, head } = await book()
  assert.deepEqual([sequence, hash], [String(event_count), head])
  const [first = '', ...rows] = await linesOf('all')
  const { archive: what, version, after: from } = JSON.parse(first)
  assert.deepEqual([what, version, from], ['corridor events', 1, '0'])
  assert.equal(rows.length - 1, JSON.parse(rows.at(-1) ?? '').rows)
  for (const more of [[], ['--offline']]) {
    const ran = await check('all', ...more)
    assert.deepEqual([ran.code, ran.stderr], [0, ''])
  }
  const [act] = (await ada.run('audit', 'list', '--act', 'events archive', '--json')).json
  assert.deepEqual([act.changed_by, act.after.archived_after], ['ada', '0'])
})

/** Preloaded into a process: says which folders it has flushed, and what is in them then. */
const SAY_SYNCED = `
  import promises from 'node:fs/promises'
  import { syncBuiltinESMExports } from 'node:module'
  const { open } = promises
  promises.open = async (path, ...more) => {
    const handle = await open(path, ...more)
    const { sync } = handle
    const watched = async () => {
      await sync.call(handle)
      console.error('flushed', path, await promises.readdir(path))
    }
    return Object.assign(handle, { sync: watched })
  }
  syncBuiltinESMExports()`

test('events archive: its file is durable on disk before the command reports success', async () => {
  const preload = `--import=data:text/javascript,${encodeURIComponent(SAY_SYNCED)}`
  const watched = await openCli(service.database.url, {
    CORRIDOR_USER: 'ada',
    NODE_OPTIONS: preload,
  })
  const wanted = [account.account.account_id, '--before', FUTURE, '--to', at('durable')]
  const ran = await watched.spawn('', 'events', 'archive', ...wanted)
  await watched.close()
  assert.equal(ran.code, 0, ran.stderr)
  assert.match(ran.stderr, /flushed \S+ \[[^\]]*'durable'/)
})

test('events archive, second one: continues at the end of the first', async () => {
  const { sequence } = await archived('first')
  assert.equal((await account.post('/v3/beneficiary', bankBeneficiary)).status, 200)
  const next = await archived('second', '--after', sequence)
  assert.equal(BigInt(next.sequence), BigInt(sequence) + 1n)
  assert.equal((await check('second')).code, 0)
  const none = await archive('none', '--before', FUTURE, '--after', '999999')
  assert.match(none.stderr, /no row ends with event 999999/)
})

test('events archive up to a time before all events: empty', async () => {
  const { code, json } = await archive('old', '--before', '2020-01-01T00:00:00Z')
  assert.deepEqual([code, json.rows, json.sequence], [0, 0, '0'])
  assert.equal((await check('old')).code, 0)
})

test('events archive, file exists: file unchanged; archive refused: no file left', async () => {
  await writeFile(at('mine'), 'mine')
  const ran = await archive('mine', '--before', FUTURE)
  assert.match(ran.stderr, /is there already/)
  assert.equal(await readFile(at('mine'), 'utf8'), 'mine')
  assert.equal((await archive('bad', '--before', 'yesterday')).code, 2)
  const left = (await readdir(folder)).filter(name => /part|bad/.test(name))
  assert.deepEqual(left, [])
})

test('events archive, a line changed, missing, moved or truncated: named', async () => {
  await archived('whole')
  const lines = await linesOf('whole')
  const change: Readonly<Record<string, (lines: string[], i: number) => string[]>> = {
    changed: (all, i) => all.map((line, n) => (n === i ? line.replace(/[0-9]/, flip) : line)),
    'left out': (all, i) => all.filter((_, n) => n !== i),
    twice: (all, i) => all.flatMap((line, n) => (n === i ? [line, line] : [line])),
    'cut off': (all, i) => all.slice(0, i),
  }
  for (const [what, make] of Object.entries(change)) {
    for (let i = 0; i < lines.length; i++) {
      // The head says from when it is, which no row proves.
      if (what === 'changed' && i === 0) continue
      await writeFile(at('forged'), gzipSync(`${make(lines, i).join('\n')}\n`))
      const ran = await check('forged', '--offline')
      assert.deepEqual([ran.code, ran.stdout], [1, ''], `${what}: ${i}`)
      assert.match(ran.stderr, /line \d+: /, `${what}: ${i}`)
    }
  }
  await writeFile(at('half'), (await readFile(at('whole'))).subarray(0, 200))
  assert.equal((await check('half', '--offline')).code, 1)
})

const flip = (digit: string) => String((Number(digit) + 1) % 10)

test('events archive, erased events: proved by their stored digests, no personal data', async () => {
  const made = await account.post('/v3/beneficiary', { ...bankBeneficiary, name: 'Zwick Before' })
  const { id } = made.json.data
  await account.put(`/v3/beneficiary/${id}`, { name: 'Zwick After' })
  assert.equal((await ada.run('privacy', 'erase', id, '--reason', 'Request')).code, 0)
  await archived('erased')
  const lines = await linesOf('erased')
  assert.ok(lines.some(line => line.includes('"was":"')))
  assert.ok(!lines.some(line => line.includes('Zwick')))
  assert.equal((await check('erased')).code, 0)
})

test('events archive of another database: its chain valid, but not the chain of this database', async () => {
  const other = await createDatabase()
  const cli = await openCli(other.url, { CORRIDOR_USER: 'ada' })
  try {
    await archived('elsewhere')
    const ran = await cli.run('events', 'check', at('elsewhere'))
    assert.deepEqual([ran.code, ran.stdout], [1, ''])
    assert.match(ran.stderr, /has another hash in the database: none/)
  } finally {
    await cli.close()
    await other.drop()
  }
})
