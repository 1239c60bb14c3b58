// Somebody else has the key of a wallet: a transaction that is not ours takes a number of the wallet.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { Hex } from '../../examples/chain/anvil.ts'
import { type ChainWorld, type Made, openChainWorld, someTime } from '../support/chain/world.ts'

let world: ChainWorld
before(async () => {
  world = await openChainWorld()
  await world.start()
})
after(() => world?.close())

/**
 * A payout whose bytes every pool has forgotten, while another transaction of the wallet takes its
 * number: this calldata, to the token.
 */
async function overtaken(dataOf: (made: Made) => Hex): Promise<Made> {
  const made = await world.payOne()
  await world.untilSlot(made, 'sent')
  const nonce = (await world.slotOf(made))?.nonce ?? assert.fail('no number')
  for (const { lies } of world.providers) lies.down = true
  await world.book.forget()
  await world.anvil.sendAs(world.wallet.address, world.tokens.USDC.address, dataOf(made), { nonce })
  await world.anvil.mine(world.book.finality + 1)
  for (const provider of world.providers) provider.honest()
  return made
}

/** As if ten minutes had passed since the number was first seen taken. */
async function tenMinutesLater(): Promise<void> {
  await world.whileAsking('a suspicion', async () => {
    const rows = await world.service.database.owner`
      update evm_slots set suspect_at = suspect_at - interval '11 minutes'
      where suspect_at is not null returning id`
    return rows.length > 0
  })
}

test('foreign transaction with the tag of the payment, which paid the payee: its evidence, paid once', async () => {
  const made = await overtaken(({ id, payee, amount }) => {
    const tag = createHash('sha256').update(`corridor ${id}-1`).digest('hex').slice(0, 32)
    return `${world.tokens.USDC.transferData(payee, amount)}${tag}`
  })
  await tenMinutesLater()
  await world.untilStatus('succeeded', [made])
  assert.equal((await world.chainPaid([made])).get(made.id)?.length, 1)
})

test('foreign transaction at the number of a payment, seen once: nothing is known; ten minutes later: wallet stopped, exception foreign_transaction, money held', async () => {
  const thief = world.newPayee()
  const made = await overtaken(() => world.tokens.USDC.transferData(thief, 1n))
  await someTime()
  assert.deepEqual(
    [await world.statusOf(made), await world.walletState()],
    ['processing', 'active'],
  )
  assert.deepEqual(await world.exceptionsOf(made), [])
  await tenMinutesLater()
  await world.whileMining('an exception', async () => (await world.exceptionsOf(made)).length > 0)
  assert.deepEqual(await world.exceptionsOf(made), ['foreign_transaction'])
  assert.equal(await world.walletState(), 'stopped foreign_transaction')
  assert.equal(await world.statusOf(made), 'processing')
  const next = await world.payOne()
  await someTime()
  assert.equal((await world.slotOf(next))?.nonce ?? null, null, 'nothing is signed any more')
  assert.deepEqual([...(await world.chainPaid([made, next])).values()], [[], []])
})
