// Many payouts over several wallets, with a block each second.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type StepContext, stepChannel } from '../../src/values/diagnostics.ts'
import { openChainWorld } from '../support/chain/world.ts'
import { until } from '../support/service/process.ts'
import { promised, share } from '../support/share.ts'

const PAYOUTS = share(128, 2_000)
const WALLETS = 4
const WITHIN_MS = 60_000

test(`${PAYOUTS} payouts over ${WALLETS} wallets, a block each second: mined within ${WITHIN_MS / 1_000} s of their claim, each paid once`, async t => {
  const world = await openChainWorld({ wallets: WALLETS, block_time_s: 1, finality: 2 })
  t.after(() => world.close())
  await world.pay(PAYOUTS)
  const commits: number[] = []
  const onCommit = (step: unknown) => {
    const { name, size } = step as StepContext
    if (name === 'reserve') commits.push(size)
  }
  stepChannel('chain').asyncEnd.subscribe(onCommit)
  t.after(() => stepChannel('chain').asyncEnd.unsubscribe(onCommit))
  const began_at = performance.now()
  await world.start()
  // The numbers of the wallets, because the transfers of all would be work of the same machine.
  await until('mined', async () => {
    await delay(100)
    const counts = world.wallets.map(({ address }) =>
      world.anvil.ask('eth_getTransactionCount', [address, 'latest']),
    )
    return (await Promise.all(counts)).reduce<number>((sum, n) => sum + Number(n), 0) >= PAYOUTS
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
  // One by one, those that had to wait for room would take a commit each.
  t.diagnostic(`payments of each commit: ${commits.join(', ')}`)
  assert.ok(commits.length <= PAYOUTS / 3, `${commits.length} commits for ${PAYOUTS} payments`)
  const calls = world.providers.flatMap(({ asked }) => [...asked])
  const by_method = Map.groupBy(calls, ([method]) => method)
  const each = [...by_method].map(([method, of]) => {
    const sum = of.reduce((all, [, count]) => all + count, 0)
    return `${method} ${(sum / world.providers.length / PAYOUTS).toFixed(2)}`
  })
  t.diagnostic(`calls of a payment and provider: ${each.join(', ')}`)
})
