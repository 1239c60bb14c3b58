// kill -9 of the embedded PostgreSQL under load: the service answers 503 and lives, brings the server
// back by itself, and has lost nothing that it acknowledged.
import assert from 'node:assert/strict'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { openEmbedded } from '../../src/postgres/embedded.ts'
import { connect } from '../../src/sql/connect.ts'
import { checkBooks } from '../support/assert/books.ts'
import { startListening } from '../support/service/listening.ts'
import {
  checkPaid,
  type KeyedPayout,
  lastAnswers,
  repeatAll,
  startLoad,
} from '../support/service/load.ts'
import {
  httpClient,
  openAccountOn,
  pickSeed,
  seeded,
  tally,
  until,
} from '../support/service/process.ts'
import { share } from '../support/share.ts'

const KILLS = share(4, 10)
/** More, while each has fallen between two batches, when nobody need notice. */
const MOST_KILLS = 5 * KILLS
/** Under load before each: the long run is to acknowledge 50,000. */
const LOAD_MS = share(200, 6_000)

const folder = await mkdtemp(join(tmpdir(), 'corridor-crash-'))
await chmod(folder, 0o711)
const service = await startListening({ CORRIDOR_DATA: folder })
const account = await onServer(url => openAccountOn(url, { USD: 1_000_000_000n }))
const account_id = account.account.account_id
const client = httpClient(account)
after(async () => {
  client.close()
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

async function onServer<T>(work: (url: string) => Promise<T>): Promise<T> {
  const server = await openEmbedded({ data_dir: folder })
  return work(server.url).finally(server.release)
}

async function postmaster(): Promise<number> {
  const text = await readFile(join(folder, 'postgres', 'postmaster.pid'), 'utf8')
  return Number(text.split('\n', 1)[0])
}

test(`PostgreSQL killed at least ${KILLS} times under load: 503 meanwhile, then back, nothing lost`, async t => {
  // It was made beside the service, which learns of it.
  const known = async () => (await client.get(service.address, '/v3/balance')).status === 200
  await until('the key is known', known)
  const seed = pickSeed()
  const random = seeded(seed)
  const all: KeyedPayout[] = []
  const away: number[] = []
  const refused = () => all.filter(({ answer }) => answer?.status === 503).length
  for (let round = 0; round < KILLS || (round < MOST_KILLS && refused() === 0); round++) {
    const { address } = service
    const name = `pg-${seed}-${round}`
    const load = startLoad({ client, clients: 16, address: () => address, name, random })
    await delay(LOAD_MS + random() * 400)
    const killed = await postmaster()
    process.kill(killed, 'SIGKILL')
    const killed_at = performance.now()
    await until('started again', async () => {
      const running = await postmaster().catch(() => killed)
      return running !== killed
    })
    const again_at = performance.now()
    await until(
      'paying again',
      () =>
        load.asked.some(({ answer, asked_at }) => answer?.status === 200 && asked_at > again_at),
      () => lastAnswers(load),
    )
    away.push(Math.round(performance.now() - killed_at))
    await load.stop()
    all.push(...load.asked)
  }
  const answers = all.flatMap(one => (one.answer === undefined ? [] : [one.answer]))
  assert.equal(answers.length, all.length, 'every request was answered')
  const kinds = Object.keys(tally(answers)).filter(kind => kind !== '503 service_unavailable')
  assert.deepEqual(kinds, ['200'])
  const { acknowledged, committed_unanswered } = await repeatAll(client, service.address, all)
  t.diagnostic(
    `SEED=${seed} ${away.length} kills, ${all.length} keys: ${acknowledged} acknowledged, ${refused()} told ` +
      `503, of which ${committed_unanswered} had committed; paying again after ${away.join(', ')} ms`,
  )
  assert.ok(refused() > 0, 'a kill hit it at work: a batch in hand is answered 503')
  await onServer(async url => {
    const sql = connect(url, { max: 1, as: 'owner' })
    try {
      await checkPaid(sql, account_id, all)
      await checkBooks(sql, { DATABASE_URL: url })
    } finally {
      await sql.end({ timeout: 1 })
    }
  })
})
