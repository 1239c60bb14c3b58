// Transfers that fail: frozen payees and wallets, paused tokens, too little money, dear gas, nodes that
// are wrong. Each is told by its name, and nothing is paid that should not be.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Hex } from '../../examples/chain/anvil.ts'
import {
  type ChainWorld,
  type Made,
  openChainWorld,
  someTime,
  walletPayout,
} from '../support/chain/world.ts'
import { share } from '../support/share.ts'

let world: ChainWorld
before(async () => {
  world = await openChainWorld({ settings: { max_payout: '10000000', max_day: '100000000' } })
  await world.start()
})
after(() => world?.close())

async function assertFailed(made: Made, code: string, category: string): Promise<void> {
  const failure = await world.failureOf(made)
  assert.deepEqual([failure?.code, failure?.category], [code, category])
  await world.checkPaidOnce([made])
}

for (const currency of ['USDC', 'USDT'] as const)
  test(`payee of ${currency} frozen by the issuer before the payout: failed PF000512, nothing signed`, async () => {
    const payee = world.newPayee()
    await world.tokens[currency].freeze(payee, true)
    await world.untilSeen()
    const made = await world.payOne({ payee, currency })
    await world.untilStatus('failed', [made])
    await assertFailed(made, 'PF000512', 'account')
    assert.equal((await world.slotOf(made))?.state, 'refused')
    assert.deepEqual(await world.transactionsOf(made), [])
  })

test('payee frozen between sending and block: reverted, and failed PF000512 once that is final', async () => {
  const made = await world.payOne()
  await world.untilSlot(made, 'sent')
  await world.tokens.USDC.freeze(made.payee, true)
  await world.untilStatus('failed', [made])
  await assertFailed(made, 'PF000512', 'account')
})

test('transfer reverted three times for another reason: failed PF000671 with three numbers used', async () => {
  const made = await world.payOne()
  for (const attempt of [1, 2, 3]) {
    // Without further blocks, so that none has it before the token refuses it.
    await world.whileMining(`attempt ${attempt - 1} is dead`, async () => {
      const slot = await world.slotOf(made)
      return attempt === 1 || slot?.state === 'reverted' || slot?.attempt === attempt
    })
    await world.whileAsking(`attempt ${attempt} is sent`, async () => {
      const slot = await world.slotOf(made)
      return slot?.attempt === attempt && slot.state === 'sent'
    })
    await world.tokens.USDC.become('reverts')
    await world.anvil.mine()
    await world.tokens.USDC.become('UsdcLike')
  }
  await world.untilStatus('failed', [made])
  await assertFailed(made, 'PF000671', 'rejected')
  const states = (await world.slots()).filter(({ payout_id }) => payout_id === made.id)
  assert.deepEqual(
    states.map(({ state }) => state),
    ['reverted', 'reverted', 'reverted'],
  )
})

interface Trouble {
  readonly kind: string
  begin(wallet: Hex): Promise<void>
  end(wallet: Hex): Promise<void>
}

/** What a wallet has at the beginning. */
const MUCH = 10n ** 12n

const TROUBLES: Readonly<Record<string, Trouble>> = {
  'our wallet frozen': {
    kind: 'wallet_frozen',
    begin: wallet => world.tokens.USDC.freeze(wallet, true),
    end: wallet => world.tokens.USDC.freeze(wallet, false),
  },
  'token paused': {
    kind: 'token_paused',
    begin: () => world.tokens.USDC.pause(true),
    end: () => world.tokens.USDC.pause(false),
  },
  'too little of the token': {
    kind: 'no_funds',
    begin: wallet => world.tokens.USDC.setBalance(wallet, 10n),
    end: wallet => world.tokens.USDC.setBalance(wallet, MUCH),
  },
  'no coin for gas': {
    kind: 'no_gas',
    begin: wallet => world.anvil.give(wallet, 0n),
    end: wallet => world.anvil.give(wallet, 10n ** 20n),
  },
}

for (const [what, { kind, begin, end }] of Object.entries(TROUBLES))
  test(`${what}: trouble ${kind}, payouts wait and nothing is signed; over: paid once in their order`, async () => {
    await begin(world.wallet.address)
    await world.untilSeen()
    const waiting = await world.pay(2)
    await world.whileMining(`trouble ${kind}`, async () => (await world.troubles()).includes(kind))
    for (const made of waiting) {
      assert.equal(await world.statusOf(made), 'processing')
      assert.equal(await world.slotOf(made), undefined)
    }
    await end(world.wallet.address)
    await world.untilStatus('succeeded', waiting)
    await world.checkPaidOnce(waiting)
    const [first, second] = await Promise.all(waiting.map(made => world.slotOf(made)))
    assert.ok((first?.nonce ?? 0) < (second?.nonce ?? 0), 'the first goes first')
    await world.whileMining('the trouble is over', async () => {
      return !(await world.troubles()).includes(kind)
    })
  })

test('payouts of a day above max_day of the settings: wait with trouble cap, nothing signed; a higher cap: paid once', async () => {
  await world.set({ max_payout: '1', max_day: '1' })
  const made = await world.payOne()
  await world.untilTrouble('cap')
  await someTime()
  assert.equal(await world.slotOf(made), undefined)
  await world.set({ max_payout: '10000000', max_day: '100000000' })
  await world.untilStatus('succeeded', [made])
  await world.checkPaidOnce([made])
})

const REFUSED: Readonly<Record<string, () => Partial<Made>>> = {
  'above max_payout': () => ({ amount: 10_000_000_000_001n }),
  'to a wallet of the rail': () => ({ payee: world.wallet.address }),
  'to the contract of a token': () => ({ payee: world.tokens.USDC.address }),
  'to the address zero': () => ({ payee: `0x${'0'.repeat(40)}` }),
  'to a precompiled contract': () => ({ payee: `0x${'1'.padStart(40, '0')}` }),
}

for (const [what, change] of Object.entries(REFUSED))
  test(`payout ${what}: refused when it is made, nothing debited`, async () => {
    const usual = { payee: world.newPayee(), currency: 'USDC', amount: 1_000_000n } as const
    const before = (await world.live.get('/v3/balance')).text
    const { status, text } = await world.live.post(
      '/v3/payout',
      walletPayout({ ...usual, ...change() }),
    )
    assert.ok(status === 400 || status === 422, text)
    assert.equal((await world.live.get('/v3/balance')).text, before)
  })

test('gas dearer than the cap of the settings: nothing sent beyond it; cheaper: paid once', async () => {
  await world.set({ fees: { max_fee_gwei: '10', max_cost: '1' } })
  const GWEI = 10n ** 9n
  await world.anvil.setBaseFee(50n * GWEI)
  await world.anvil.mine()
  await world.anvil.setBaseFee(50n * GWEI)
  const made = await world.payOne()
  await someTime()
  for (const { max_fee } of await world.transactionsOf(made)) {
    assert.ok(BigInt(max_fee) <= 10n * GWEI, `${max_fee} wei`)
  }
  await world.anvil.setBaseFee(1n * GWEI)
  await world.untilStatus('succeeded', [made])
  await world.checkPaidOnce([made])
})

if (share(false, true))
  test('gas dearer than the cap for stuck_after_s: trouble stuck, and a person is offered the void', async () => {
    await world.set({ stuck_after_s: 60, fees: { max_fee_gwei: '10', max_cost: '1' } })
    const made = await world.payOne()
    await world.untilSlot(made, 'sent')
    await world.book.forget()
    await world.whileMining('trouble stuck', async () => {
      await world.anvil.setBaseFee(50n * 10n ** 9n)
      return (await world.troubles()).includes('stuck')
    })
    await world.anvil.setBaseFee(10n ** 9n)
    await world.set({})
    await world.untilStatus('succeeded', [made])
    await world.checkPaidOnce([made])
  })

test('a provider names another chain: told by name, nothing sent; right again: paid once', async () => {
  const [one = assert.fail('no provider')] = world.providers
  one.lies.chain_id = '0x1'
  // It is asked for its chain when the rail is opened, and then each minute.
  await world.set({ gas_low: 201 })
  const made = await world.payOne()
  await world.whileMining('a trouble of providers', async () => {
    return (await world.troubles()).some(kind => /other_chain|providers_disagree/.test(kind))
  })
  assert.deepEqual(await world.transactionsOf(made), [])
  one.honest()
  await world.set({})
  await world.untilStatus('succeeded', [made])
  await world.checkPaidOnce([made])
})

test('two providers disagree about a final block: the rail stops itself with providers_disagree; agree again: paid once', async () => {
  const made = await world.payOne()
  await world.untilSlot(made, 'sent')
  const [one = assert.fail('no provider')] = world.providers
  one.lies.block = block => ({ ...block, hash: `0x${'66'.repeat(32)}` })
  await world.whileMining('trouble providers_disagree', async () => {
    return (await world.troubles()).includes('providers_disagree')
  })
  assert.equal(await world.statusOf(made), 'processing')
  one.honest()
  await world.untilStatus('succeeded', [made])
  await world.checkPaidOnce([made])
})

if (share(false, true))
  test('no new block for a minute: trouble chain_stopped, nothing signed; a block again: paid once', async () => {
    const made = await world.payOne({ currency: 'USDT' })
    await world.untilSlot(made, 'sent')
    await world.untilTrouble('chain_stopped')
    const later = await world.payOne()
    await someTime()
    assert.deepEqual(await world.transactionsOf(later), [])
    await world.untilStatus('succeeded', [made, later])
    await world.checkPaidOnce([made, later])
  })
