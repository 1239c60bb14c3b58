// Two services with one wallet: the lease saves work, and the numbers in the database make it safe.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type ChainWorld, openChainWorld } from '../support/chain/world.ts'
import { pickSeed, seeded } from '../support/service/process.ts'
import { share } from '../support/share.ts'

const PAYOUTS = share(24, 480)
const THEFTS = share(6, 100)

let world: ChainWorld
before(async () => {
  world = await openChainWorld({ wallets: 2 })
})
after(() => world?.close())

/** The lease passes to nobody, so that whoever comes first has it, in the middle of the other's work. */
async function steal(): Promise<void> {
  await world.service.database.owner`
    update evm_wallets set held_by = 'thief', held_until = clock_timestamp() - interval '1 s'`
}

test(`two services, ${PAYOUTS} payouts, the lease stolen ${THEFTS} times: each paid once, no number left out`, async t => {
  const seed = pickSeed()
  t.diagnostic(`SEED=${seed}`)
  const random = seeded(seed)
  await Promise.all([world.start(), world.start()])
  await world.pay(PAYOUTS)
  for (let times = 0; times < THEFTS; times++) {
    await delay(random() * 300)
    await steal()
    await world.hurry()
    await world.anvil.mine()
  }
  await world.untilStatus('succeeded')
  await world.checkPaidOnce()
  await world.checkOnlyStored()
})

test('a refusal that races with the payment of the same attempt in the other service: one of both, never both', async () => {
  const made = await world.pay(share(8, 80))
  const { USDC } = world.tokens
  for (const [i, { payee }] of made.entries()) if (i % 2 === 0) await USDC.freeze(payee, true)
  await world.hurry()
  for (const [i, { payee }] of made.entries()) if (i % 2 === 0) await USDC.freeze(payee, false)
  await world.whileMining('all ended', async () => {
    const now = await world.statuses(made)
    return made.every(({ id }) => ['succeeded', 'failed'].includes(now.get(id) ?? ''))
  })
  await world.checkPaidOnce()
  const slots = (await world.slots()).map(({ payout_id, attempt }) => `${payout_id}-${attempt}`)
  assert.equal(new Set(slots).size, slots.length, 'one slot an attempt')
})
