// A restored backup: the chain has payments of which the database knows nothing. Nothing is sent before
// a person adopts them, and they are found by their tags.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ChainWorld, openChainWorld, RAIL, someTime } from '../support/chain/world.ts'
import { createDatabase, withTemplate } from '../support/database/database.ts'
import { openCli, succeed } from '../support/service/cli.ts'

let world: ChainWorld
before(async () => {
  world = await openChainWorld()
})
after(() => world?.close())

test('backup older than the chain: nothing sent before rail adopt, then each payment found by its tag, none paid twice', async t => {
  const first = await world.start()
  const known = await world.pay(3)
  await world.untilStatus('succeeded', known)
  await first.close()
  const lost = await world.pay(5)
  await world.leave()

  const copy = await withTemplate(world.env.DATABASE_URL, () => createDatabase())
  t.after(() => copy.drop())
  const original = await world.start()
  const isPaid = async () => {
    return [...(await world.chainPaid(lost)).values()].every(units => units.length === 1)
  }
  await untilBlocksBring(isPaid)
  await original.close()
  await world.anvil.mine(world.book.finality + 1)

  const restored = world.on(copy)
  const sends = () => world.providers.reduce((sum, one) => sum + one.broadcasts.length, 0)
  const before = sends()
  const cli = await openCli(copy.url, { ...restored.env, CORRIDOR_USER: 'olga' })
  t.after(cli.close)
  const again = await restored.start()
  t.after(again.close)
  // A copy pauses its rails by itself, where it is seen to be one.
  await cli.run('rail', 'resume', RAIL)

  await restored.whileMining('history_lost', async () => {
    return (await restored.walletState()) === 'stopped history_lost'
  })
  await restored.whileAsking('the rail is asked about each payout', async () => {
    const asked = await copy.owner`
      select from payout_attempts where payout_id = any (${lost.map(({ id }) => id)}::text[])`
    return asked.length === lost.length
  })
  await someTime()
  assert.equal(sends(), before, 'nothing is sent')
  assert.deepEqual(
    [...(await restored.statuses(lost)).values()],
    lost.map(() => 'processing'),
  )
  await succeed(cli, 'rail', 'adopt', RAIL)
  await restored.untilStatus('succeeded', lost)
  for (const [id, units] of await restored.chainPaid([...known, ...lost])) {
    assert.equal(units.length, 1, `${id} is paid once`)
  }

  assert.equal(await restored.walletState(), 'active')
})

/** Blocks come until it is so; nothing is read from the database, which the test has left. */
async function untilBlocksBring(isDone: () => Promise<boolean>): Promise<void> {
  for (let blocks = 0; blocks < 600; blocks++) {
    if (await isDone()) return
    await world.anvil.mine()
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  assert.fail('the original has not paid')
}
