// kill -9 of the service while it pays on a chain that reorganizes and forgets, and of PostgreSQL: every
// payout is paid once, and no number of a wallet is left out.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { STEPS } from '../../src/values/diagnostics.ts'
import { checkBooks } from '../support/assert/books.ts'
import { type ChainWorld, openChainWorld } from '../support/chain/world.ts'
import {
  failingAt,
  pickSeed,
  type RunningProcess,
  seeded,
  startProcess,
} from '../support/service/process.ts'
import { share } from '../support/share.ts'

const PAYOUTS = share(8, 480)
const KILLS = share(1, 100)
const FINALITY = 6

let world: ChainWorld
let running: RunningProcess | undefined
before(async () => {
  world = await openChainWorld({ wallets: 2, finality: FINALITY })
})
after(async () => {
  await running?.kill()
  await world?.close()
})

/** The longest life of a service before it is killed; most of a second of it is its start. */
const LIFE_MS = 1_200

/** A block, a reorg of a few, or a loss of every pool. */
async function disturb(random: () => number): Promise<void> {
  const chance = random()
  if (chance < 0.5) return world.anvil.mine()
  if (chance < 0.75) return world.book.forget()
  const deepest = (await world.anvil.head()) - (await world.book.final())
  if (deepest > 0) await world.book.reorg(1 + Math.floor(random() * Math.min(5, deepest)))
}

async function expectPaidOnce(): Promise<void> {
  const last = await world.start()
  await world.untilStatus('succeeded')
  await last.close()
  await world.checkPaidOnce()
  await world.checkOnlyStored()
}

test(`service killed at any moment, ${KILLS} times, blocks taken back and pools lost, ${PAYOUTS} payouts: each paid once, no number left out`, async t => {
  const seed = pickSeed()
  t.diagnostic(`SEED=${seed}`)
  const random = seeded(seed)
  for (let kill = 0; kill < KILLS; kill++) {
    await world.pay(Math.ceil(PAYOUTS / KILLS))
    running = await startProcess(world.env)
    const until = performance.now() + random() * LIFE_MS
    while (performance.now() < until) {
      await disturb(random)
      await world.hurry()
      await delay(random() * 100)
    }
    await running.kill()
    await world.leasesRunOut()
  }
  await expectPaidOnce()
  await checkBooks(world.service.database.owner, world.env)
})

/** The steps of the rail's work, as `values/diagnostics.ts` publishes them. */
const POINTS = [
  ...['before rail chain', 'after rail chain', 'before commit advance_payout'],
  ...['after commit advance_payout', 'before chain sign', 'after chain sign'],
  ...['before chain reserve', 'after chain reserve', 'before chain send', 'after chain send'],
  ...['before chain note', 'after chain note', 'before chain watch', 'after chain watch'],
].filter(point => STEPS.some(step => step === point.split(' ')[1]))

/** Between what is stored and what is sent, and between that and what is noted of it. */
for (const point of share(['after chain reserve', 'after chain send'], POINTS)) {
  const times = share(
    [1],
    Array.from({ length: Math.ceil(100 / POINTS.length) }, (_, i) => 1 + i),
  )
  for (const nth of times)
    test(`service killed ${point} for the ${nth}. time: each payout paid once`, async () => {
      world.made.length = 0
      const [when = '', step = '', name = ''] = point.split(' ')
      running = await startProcess({ ...world.env, ...failingAt(`${when} ${step} ${name} ${nth}`) })
      running.signal('SIGUSR2')
      await world.pay(2)
      while (running.running()) {
        if (await isOver()) await world.pay(1)
        await world.anvil.mine()
        await world.hurry()
        await delay(20)
      }
      assert.equal(await running.ended, 'SIGKILL')
      await world.leasesRunOut()
      await expectPaidOnce()
    })
}

/** Then the point was not reached yet, and another payout brings it nearer. */
async function isOver(): Promise<boolean> {
  const now = await world.statuses()
  return world.made.every(({ id }) => now.get(id) === 'succeeded')
}

test('killed at a step of the chain: the steps are published', () => {
  assert.ok(
    STEPS.some(step => String(step) === 'chain'),
    'a kill between signing and storing can be made to happen',
  )
})
