// Which wallet pays which payout, and what waits for room, money or a cap.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assign, type Purse } from './assign.ts'
import type { Hex } from './chain.ts'

const USDC: Hex = `0x${'c'.repeat(40)}`
const USDT: Hex = `0x${'d'.repeat(40)}`
const wallet = (n: number): Hex => `0x${String(n).repeat(40)}`

const purse = (n: number, units: bigint, unmined = 0, today = 0n): Purse => ({
  ...{ address: wallet(n), next_nonce: 0n, unmined, gas_wei: 10n ** 18n },
  units: new Map([
    [USDC, units],
    [USDT, units],
  ]),
  today: new Map([[USDC, today]]),
})
const order = (amount: bigint, token = USDC) => ({
  ...{ token, currency: token === USDC ? 'USDC' : 'USDT', amount, units: amount },
})
const LIMITS = { in_flight: 2, max_day: null }

/** The number of the wallet, or why the order waits. */
const shown = (
  orders: readonly ReturnType<typeof order>[],
  purses: readonly Purse[],
  limits = LIMITS,
) =>
  assign(orders, purses, limits).map(one => {
    if ('wallet' in one) return one.wallet[2]
    return typeof one.wait === 'string' ? one.wait : one.wait.kind
  })

test('payouts to assign, two wallets with money: to the less loaded one each time', () => {
  const purses = [purse(1, 100n, 1), purse(2, 100n)]
  assert.deepEqual(shown([order(1n), order(1n), order(1n)], purses), ['2', '1', '2'])
})

test('payouts to assign, every wallet with as many as may be in flight: they wait for room', () => {
  assert.deepEqual(shown([order(1n), order(1n)], [purse(1, 100n, 1)]), ['1', 'room'])
})

test('payout to assign, money in one wallet alone: to that one, although it has more to do', () => {
  assert.deepEqual(shown([order(50n)], [purse(1, 10n), purse(2, 90n, 1)]), ['2'])
})

test('payout to assign, too little money: no_funds, and no later one of its token overtakes it', () => {
  const orders = [order(50n), order(1n), order(1n, USDT)]
  assert.deepEqual(shown(orders, [purse(1, 40n)]), ['no_funds', 'no_funds', '1'])
})

test('payout to assign, money only in a wallet without room: waits for room, not for money', () => {
  assert.deepEqual(shown([order(50n)], [purse(1, 10n), purse(2, 90n, 2)]), ['room'])
})

test('payout to assign, the day of each wallet with money used up: cap', () => {
  const limits = { in_flight: 9, max_day: 100n }
  assert.deepEqual(shown([order(60n), order(60n)], [purse(1, 1_000n)], limits as never), [
    '1',
    'cap',
  ])
  assert.deepEqual(shown([order(60n)], [purse(1, 1_000n, 0, 50n)], limits as never), ['cap'])
})

test('payout to assign, balance unknown: waits, as the providers are unclear', () => {
  assert.deepEqual(shown([order(1n)], [{ ...purse(1, 1n), units: new Map() }]), ['unclear'])
})

test('any payouts and wallets: no wallet gets more than its money, its room or its day', () => {
  const amount = fc.bigInt({ min: 1n, max: 50n })
  const anyPurse = fc.tuple(fc.bigInt({ min: 0n, max: 200n }), fc.nat(4))
  fc.assert(
    fc.property(fc.array(amount), fc.array(anyPurse, { maxLength: 4 }), (amounts, given) => {
      const purses = given.map(([units, unmined], i) => purse(i + 1, units, unmined))
      const limits = { in_flight: 4, max_day: 120n }
      const assigned = assign(
        amounts.map(one => order(one)),
        purses,
        limits,
      )
      for (const { address, units, unmined } of purses) {
        const own = assigned.filter(one => 'wallet' in one && one.wallet === address)
        const sum = own.reduce((total, one) => total + one.order.amount, 0n)
        assert.ok(sum <= (units.get(USDC) ?? 0n) && sum <= limits.max_day)
        assert.ok(own.length === 0 || own.length + unmined <= limits.in_flight)
      }
    }),
  )
})
