// Many payouts over several wallets, with a block each second.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { openChainWorld } from '../support/chain/world.ts'
import { until } from '../support/service/process.ts'
import { promised, share } from '../support/share.ts'

const PAYOUTS = share(64, 2_000)
const WALLETS = 4
const WITHIN_MS = 60_000

test(`${PAYOUTS} payouts over ${WALLETS} wallets, a block each second: mined within ${WITHIN_MS / 1_000} s of their claim, each paid once`, async t => {
  const world = await openChainWorld({ wallets: WALLETS, block_time_s: 1, finality: 2 })
  t.after(() => world.close())
  await world.pay(PAYOUTS)
  const began_at = performance.now()
  await world.start()
  await until('mined', async () => {
    const paid = [...(await world.chainPaid()).values()]
    return paid.every(units => units.length === 1)
  })
  promised(t, `${PAYOUTS} payouts from claim to block`, performance.now() - began_at, WITHIN_MS)
  await until('succeeded', async () => {
    await world.hurry()
    const now = await world.statuses()
    if ([...now.values()].every(status => status === 'succeeded')) return true
    await delay(200)
    return false
  })
  await world.checkPaidOnce()
  const used = Map.groupBy(await world.slots(), ({ wallet }) => wallet)
  const counts = [...used.values()].map(slots => slots.length)
  assert.equal(counts.length, WALLETS, 'every wallet pays')
  t.diagnostic(`payments of each wallet: ${counts.join(', ')}`)
})
