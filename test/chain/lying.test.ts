// Providers that lose, delay, repeat, forget, lag and lie, and chains that reorganize: every payout is
// paid once, whatever one of them does.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { Lies, Provider } from '../support/chain/proxy.ts'
import { type ChainWorld, type Made, openChainWorld } from '../support/chain/world.ts'
import { pickSeed, seeded } from '../support/service/process.ts'
import { share } from '../support/share.ts'

const FINALITY = 21
/** Payouts for each switch. */
const PAYOUTS = share(3, 30)

let world: ChainWorld
before(async () => {
  world = await openChainWorld({ providers: 3, finality: FINALITY })
  await world.start()
})
after(() => world?.close())
beforeEach(() => {
  for (const provider of world.providers) provider.honest()
  Object.assign(world.book, { rules: 'geth', keeps_pending: true })
})

const seed = pickSeed()
const random = seeded(seed)

/** Final at once: only what happens before the next block is of interest. */
async function endSoon(): Promise<void> {
  world.book.finality = 2
  await world.anvil.mine(3)
}

async function expectPaid(): Promise<void> {
  await endSoon()
  await world.untilStatus('succeeded')
  world.book.finality = FINALITY
  await world.checkPaidOnce()
  await world.checkOnlyStored()
  world.made.length = 0
}

const tell = (providers: readonly Provider[], lies: Partial<Lies>) => {
  for (const provider of providers) Object.assign(provider.lies, lies)
}
/** All providers, or the first alone, do so. */
const ALL = (lies: Partial<Lies>) => tell(world.providers, lies)
const ONE = (lies: Partial<Lies>) => tell(world.providers.slice(0, 1), lies)

/** What lies while payouts are made. */
const LIES: Readonly<Record<string, () => unknown>> = {
  'answers lost after each provider has the bytes': () => ALL({ lost: 4 }),
  'broadcasts dropped': () => ALL({ dropped: 4 }),
  'answers delayed, and so in another order': () => ALL({ delay_ms: () => random() * 60 }),
  'broadcasts duplicated': () => ALL({ duplicates: true }),
  // A provider rests for a second each time; the test of a node has the rule.
  ...share({}, { 'requests refused with 429': () => ALL({ too_many: 2 }) }),
  'one provider away': () => ONE({ down: true }),
  'one provider with a stale head': () => ONE({ behind: 40 }),
  'one provider without logs': () => ONE({ no_logs: true }),
}

/** What one provider of three forges, and how a trouble names it; `hash` is of a payment. */
const FORGED: Readonly<Record<string, readonly [Partial<Lies>, words: (hash: string) => string]>> =
  {
    'the status of receipts': [
      { receipt: receipt => ({ ...receipt, status: '0x0' }) },
      hash => `provider_wrong: .*one contradicts the others about the receipt of ${hash}`,
    ],
    amounts: [
      {
        receipt: receipt => ({
          ...receipt,
          logs: receipt.logs.map(log => ({ ...log, data: `0x${'1'.padStart(64, '0')}` as const })),
        }),
      },
      hash => `provider_wrong: .*one contradicts the others about the receipt of ${hash}`,
    ],
    'final blocks': [
      { block: block => ({ ...block, hash: `0x${'66'.repeat(32)}` }) },
      () => 'provider_wrong: .*about the final block \\d+: one has 0x6666',
    ],
    'the chain id': [{ chain_id: '0x1' }, () => 'other_chain: one is on chain 1,'],
  }

for (const [what, [lies, wordsOf]] of Object.entries(FORGED))
  test(`one provider forges ${what}, a payout: paid once, and a trouble names the provider`, async () => {
    ONE(lies)
    // A rail that is opened asks for the chain at once, and later each minute.
    if (lies.chain_id !== undefined) await world.set({ stuck_after_s: 3_000 })
    const made = await world.payOne()
    await expectPaid()
    const [{ hash } = assert.fail('no transaction')] = await world.transactionsOf(made)
    const words = new RegExp(wordsOf(hash))
    await world.whileMining(`trouble ${words}`, async () => words.test(await world.troubleWords()))
  })

for (const [what, lie] of Object.entries(LIES))
  test(`${what}, ${PAYOUTS} payouts: each paid once`, async t => {
    t.diagnostic(`SEED=${seed}`)
    await lie()
    await world.pay(PAYOUTS)
    await expectPaid()
  })

/** A payment that waits in the pools, and the base fee that leaves it behind. */
async function leftBehind(): Promise<readonly [Made, bigint]> {
  const made = await world.payOne()
  await world.untilSlot(made, 'sent')
  const [first] = await world.transactionsOf(made)
  return [made, BigInt(first?.max_fee ?? 0) * 2n]
}

for (const rules of share(['reth'] as const, ['geth', 'reth'] as const))
  test(`base fee risen above the payment, nodes by the rules of ${rules}: replaced within two bumps, paid once`, async () => {
    world.book.rules = rules
    const [made, base] = await leftBehind()
    await world.whileMining('mined', async () => {
      await world.anvil.setBaseFee(base)
      return ['mined', 'paid'].includes((await world.slotOf(made))?.state ?? '')
    })
    const transactions = await world.transactionsOf(made)
    assert.ok(transactions.length >= 2 && transactions.length <= 3, `${transactions.length}`)
    for (const [i, { max_fee, tip }] of transactions.entries()) {
      const before = transactions[i - 1]
      if (before === undefined) continue
      for (const [old, fee] of [[before.max_fee, max_fee] as const, [before.tip, tip] as const])
        assert.ok(BigInt(fee) >= (BigInt(old) * 9n + 7n) / 8n + 1n, `${fee} after ${old}`)
    }
    await expectPaid()
  })

test('nodes without a pool, several payouts: the next number only after the one before it, each paid once', async () => {
  world.book.keeps_pending = false
  await world.pay(4)
  await expectPaid()
})

test('all pools forget what waits, again and again: each paid once', async () => {
  await world.pay(PAYOUTS)
  for (const made of world.made) await world.untilSlot(made, 'sent')
  for (let times = 0; times < 3; times++) await world.book.forget()
  await expectPaid()
})

for (const depth of share([20], [1, 2, 3, 5, 8, 13, 20]))
  test(`reorg of ${depth} blocks after the payments were mined, ${PAYOUTS} payouts: each paid once`, async () => {
    await world.pay(PAYOUTS)
    await world.whileMining('mined', async () => {
      const slots = await Promise.all(world.made.map(made => world.slotOf(made)))
      return slots.every(slot => slot?.state === 'mined')
    })
    const head = await world.anvil.head()
    const final = await world.book.final()
    await world.anvil.mine(Math.max(0, depth - (head - final)))
    await world.book.reorg(depth)
    await expectPaid()
  })

test('number of the head of the line forgotten by one provider alone: taken by another, each paid once', async () => {
  ONE({ dropped: 1_000 })
  await world.pay(PAYOUTS)
  await expectPaid()
})
