// A rail that settles on a number of blocks: faster than finality, and what it has called paid may be
// taken back. A person is told.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ChainWorld, openChainWorld } from '../support/chain/world.ts'

let world: ChainWorld
before(async () => {
  world = await openChainWorld({ finality: 12, settings: { settles_on: { blocks: 2 } } })
  await world.start()
})
after(() => world?.close())

test('settles_on 2 blocks: succeeded two blocks later, long before the chain calls it final', async () => {
  const made = await world.payOne()
  await world.untilSlot(made, 'sent')
  await world.anvil.mine()
  await world.untilSlot(made, 'mined')
  const mined = await world.anvil.head()
  await world.anvil.mine(2)
  await world.whileAsking('succeeded', async () => (await world.statusOf(made)) === 'succeeded')
  assert.ok((await world.book.final()) < mined, 'the chain could still take it back')
  await world.checkPaidOnce([made])
})

test('settles_on 2 blocks, a reorg of 5 takes the payment back: exception history_changed, the same bytes alone go out again', async () => {
  const made = await world.payOne()
  await world.untilSlot(made, 'sent')
  await world.anvil.mine()
  await world.untilSlot(made, 'mined')
  await world.anvil.mine(4)
  await world.whileAsking('succeeded', async () => (await world.statusOf(made)) === 'succeeded')
  await world.book.reorg(5)
  await world.whileMining('history_changed', async () => {
    return (await world.exceptionsOf(made)).includes('history_changed')
  })
  await world.checkOnlyStored()
  assert.ok(((await world.chainPaid([made])).get(made.id)?.length ?? 0) <= 1, 'never twice')
})
