// kill -9 of PostgreSQL while the service signs, stores and sends payments on a chain: what was committed
// is sent, what was not never leaves, and every payout is paid once.
import assert from 'node:assert/strict'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { openEmbedded } from '../../src/postgres/embedded.ts'
import { isConnectionLost } from '../../src/sql/failure.ts'
import { type ChainWorld, openChainWorld } from '../support/chain/world.ts'
import { withTemplate } from '../support/database/database.ts'
import { makeTemplate } from '../support/database/server.ts'
import { pickSeed, seeded, until } from '../support/service/process.ts'
import { share } from '../support/share.ts'

const KILLS = share(2, 100)
const PAYOUTS = share(12, 400)

let folder = ''
let world: ChainWorld
let release: (() => Promise<void>) | undefined
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'corridor-crash-'))
  await chmod(folder, 0o711)
  // It starts the server again after each kill, at the same address.
  const server = await openEmbedded({ data_dir: folder })
  release = server.release
  const template = await makeTemplate(server.url)
  world = await withTemplate(template, () => openChainWorld({ wallets: 2 }))
})
after(async () => {
  await world?.close()
  await release?.()
  await rm(folder, { recursive: true, force: true })
})

async function postmaster(): Promise<number> {
  const text = await readFile(join(folder, 'postgres', 'postmaster.pid'), 'utf8')
  return Number(text.split('\n', 1)[0])
}

/** Works on the database, again while it is away. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isConnectionLost(error) && !/terminat|starting up|ECONN/.test(String(error))) throw error
      await delay(50)
    }
  }
}

test(`PostgreSQL killed ${KILLS} times while ${PAYOUTS} payouts are paid on a chain: each paid once, no number left out`, async t => {
  const seed = pickSeed()
  t.diagnostic(`SEED=${seed}`)
  const random = seeded(seed)
  await world.start()
  for (let kill = 0; kill < KILLS; kill++) {
    await patiently(() => world.pay(Math.ceil(PAYOUTS / KILLS)))
    for (const end = performance.now() + random() * 600; performance.now() < end; ) {
      await patiently(() => world.hurry())
      if (random() < 0.5) await world.anvil.mine()
      await delay(random() * 60)
    }
    const killed = await postmaster()
    process.kill(killed, 'SIGKILL')
    await until('started again', async () => {
      return (await postmaster().catch(() => killed)) !== killed
    })
  }
  await patiently(() => world.untilStatus('succeeded'))
  await world.checkPaidOnce()
  await world.checkOnlyStored()
  assert.equal(world.made.length, KILLS * Math.ceil(PAYOUTS / KILLS))
})
