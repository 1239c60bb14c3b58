// What proves that a payment on a chain was made, or never will be: a final block that providers agree
// about, and nothing else.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { Hex } from '../../examples/chain/anvil.ts'
import { type ChainWorld, type Made, openChainWorld, someTime } from '../support/chain/world.ts'
import { type Cli, openCli } from '../support/service/cli.ts'

const FINALITY = 3

let world: ChainWorld
let cli: Cli
before(async () => {
  world = await openChainWorld({ finality: FINALITY })
  cli = await openCli(world.env.DATABASE_URL, { ...world.env, CORRIDOR_USER: 'olga' })
  await world.start()
})
after(async () => {
  await cli?.close()
  await world?.close()
})

/** What follows the two arguments of a transfer in the calldata of this transaction. */
async function tagOf(hash: Hex): Promise<string> {
  const { input } = (await world.anvil.ask('eth_getTransactionByHash', [hash])) as { input: Hex }
  return input.slice(2 + 2 * (4 + 32 + 32))
}

/** A payout whose transaction the providers have, and no block. */
async function sent(): Promise<Made> {
  const made = await world.payOne()
  await world.untilSlot(made, 'sent')
  return made
}

const statusIs = (made: Made, status: string) =>
  world.whileAsking(`${made.id} is ${status}`, async () => (await world.statusOf(made)) === status)

test('payment mined and not final: processing; final: succeeded, paid once, its tag behind its arguments', async () => {
  const made = await sent()
  await world.anvil.mine()
  await world.untilSlot(made, 'mined')
  await world.hurry()
  await someTime()
  assert.equal(await world.statusOf(made), 'processing')
  await world.anvil.mine(FINALITY)
  await statusIs(made, 'succeeded')
  await world.checkPaidOnce([made])
  const [transaction] = await world.transactionsOf(made)
  const tag = createHash('sha256').update(`corridor ${made.id}-1`).digest('hex').slice(0, 32)
  assert.equal(await tagOf(transaction?.hash ?? '0x'), tag)
})

test('payment final: the timeline of the account names transaction, block, wallet and number', async () => {
  const made = await world.payOne()
  await world.untilStatus('succeeded', [made])
  const { text } = await world.live.get(`/v3/payout/${made.id}/timeline`)
  const [transaction] = await world.transactionsOf(made)
  for (const word of [transaction?.hash, world.wallet.address, 'https://polygonscan.com/tx/'])
    assert.ok(text.includes(word ?? 'no transaction'), `${word} is in ${text}`)
})

test('receipt by one of two providers alone: nothing is known, no other number is used', async () => {
  const made = await sent()
  const [one] = world.providers
  if (one === undefined) assert.fail('no provider')
  one.lies.behind = 50
  await world.anvil.mine(FINALITY + 1)
  await someTime()
  assert.equal(await world.statusOf(made), 'processing')
  assert.equal((await world.slotOf(made))?.attempt, 1)
  one.honest()
  await statusIs(made, 'succeeded')
  await world.checkPaidOnce([made])
})

test('every provider away: nothing is known; back: paid once', async () => {
  const made = await sent()
  for (const { lies } of world.providers) lies.down = true
  await world.anvil.mine(FINALITY + 1)
  await someTime()
  assert.equal(await world.statusOf(made), 'processing')
  for (const provider of world.providers) provider.honest()
  await statusIs(made, 'succeeded')
  await world.checkPaidOnce([made])
})

test('payment reverted, not final: nothing is known; final: dead, and the next attempt pays once', async () => {
  const made = await sent()
  await world.tokens.USDC.become('reverts')
  await world.anvil.mine()
  await world.tokens.USDC.become('UsdcLike')
  await world.untilSlot(made, 'mined')
  assert.equal((await world.slotOf(made))?.attempt, 1)
  await world.untilStatus('succeeded', [made])
  const states = (await world.slots()).filter(({ payout_id }) => payout_id === made.id)
  assert.deepEqual(
    states.map(({ attempt, state }) => `${attempt} ${state}`),
    ['1 reverted', '2 paid'],
  )
  await world.checkPaidOnce([made])
})

test('payment in a block that a reorg takes back: sent again with the same bytes, paid once', async () => {
  const made = await sent()
  await world.anvil.mine()
  await world.untilSlot(made, 'mined')
  await world.book.reorg(1)
  await world.untilSlot(made, 'sent', 'signed')
  await world.untilStatus('succeeded', [made])
  await world.checkPaidOnce([made])
  await world.checkOnlyStored()
})

/** Gives the payment up, as a person does. */
async function giveUp(made: Made, then: '--fail' | '--again'): Promise<void> {
  const words = ['rail', 'void', made.id, then, '--reason', 'Stuck since Monday']
  const { code, stderr } = await cli.run(...words)
  assert.equal(code, 0, stderr)
  await world.whileAsking('sent to nobody', async () => {
    const rows = await world.service.database.owner`
      select t.hash from evm_transactions t join evm_slots s
        on s.chain_id = t.chain_id and s.wallet = t.wallet and s.nonce = t.nonce
      where s.payout_id = ${made.id} and t.kind = 'void' and t.sends > 0`
    return rows.length > 0
  })
}

test('payment given up with --fail, its void final: failed PF000690, paid by nothing', async () => {
  const made = await sent()
  await giveUp(made, '--fail')
  await world.untilStatus('failed', [made])
  assert.equal((await world.failureOf(made))?.code, 'PF000690')
  await world.checkPaidOnce([made])
})

test('payment given up with --again, its void final: the next attempt pays once', async () => {
  const made = await sent()
  await giveUp(made, '--again')
  await world.untilStatus('succeeded', [made])
  assert.equal((await world.slotOf(made))?.attempt, 2)
  await world.checkPaidOnce([made])
})

test('payment given up, and mined before its void: succeeded, as the chain says', async () => {
  const made = await sent()
  const raw = world.providers[0]?.broadcasts.at(-1) ?? '0x'
  await world.anvil.mine(1)
  await world.untilSlot(made, 'mined')
  await world.book.reorg(1)
  await world.untilSlot(made, 'sent')
  await giveUp(made, '--fail')
  await world.book.reorg(1, [[raw, 0]])
  await world.untilStatus('succeeded', [made])
  await world.checkPaidOnce([made])
})

/** What the token does from before the hand-over, or from between it and the block. */
const OTHER_AMOUNTS = [
  ['keeps a fee', 'FeeToken', 'before'],
  ['answers false', 'FalseToken', 'between'],
  ['has no code', 'nothing', 'between'],
] as const

for (const [what, kind, when] of OTHER_AMOUNTS)
  test(`token ${what}, its transaction final with status 1: exception amount_differs, neither paid nor failed`, async () => {
    if (when === 'before') await world.tokens.USDC.become(kind)
    const made = await sent()
    if (when === 'between') await world.tokens.USDC.become(kind)
    await world.anvil.mine(FINALITY + 1)
    await world.whileAsking('an exception', async () => (await world.exceptionsOf(made)).length > 0)
    assert.deepEqual(await world.exceptionsOf(made), ['amount_differs'])
    assert.equal(await world.statusOf(made), 'processing')
    await world.tokens.USDC.become('UsdcLike')
    const next = await world.payOne()
    await world.untilStatus('succeeded', [next])
    assert.equal(await world.statusOf(made), 'processing')
  })
