// The day of a chain as a statement: its lines lead from the opening balance to the closing one, to
// the unit, whatever the wallets of a rail send each other and whenever one joins.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pickSeed, seeded } from '../../../test/support/service/process.ts'
import type { Hex } from '../../adapters/evm/chain.ts'
import type { KnownTransfer } from '../../adapters/evm/transfer-store.ts'
import { plusDays } from '../../values/calendar/day.ts'
import type { Instant } from '../../values/instant.ts'
import { type ChainDay, chainDay, type DayWallet, startOf } from './chain-day.ts'
import type { StatementEnd, StatementLine } from './statement.ts'

const address = (n: number): Hex => `0x${String(n).padStart(40, '0')}`
const WALLETS = [address(1), address(2), address(3)]
const STRANGERS = [address(8), address(9)]
const DAY = '2026-11-02'

/** The time of a block: one comes each hour. */
const timeOf = (block: bigint): Instant => {
  const day = plusDays(DAY, Number(block / 24n) - 1)
  return `${day}T${String(block % 24n).padStart(2, '0')}:30:00.000000Z` as Instant
}

function transferOf(block: bigint, sender: Hex, receiver: Hex, units: bigint): KnownTransfer {
  const tx_hash: Hex = `0x${String(block).padStart(64, '0')}`
  return { tx_hash, log_index: 0n, block, at: timeOf(block), sender, receiver, units, uetr: '' }
}

function partsOf(day: ChainDay) {
  const parts = chainDay(day)
  const lines = parts.filter((part): part is StatementLine => part.kind === 'line')
  const end = parts.at(-1) as StatementEnd
  const amount = lines.reduce((sum, line) => sum + line.amount, 0n)
  return { lines, amount, opening: end.opening ?? 0n, closing: end.closing ?? 0n }
}

const USUAL = { day: DAY, currency: 'USDC', scale: 1n, statement_id: 'base', opening: null }

/** A wallet whose balance is known at this block. */
const walletOf = (wallet: Hex, units: bigint, block = 99n, begun = 0n): DayWallet => {
  return { wallet, units, block, at: timeOf(block), begun_at: timeOf(begun) }
}

test('any transfers over five days, wallets that join, a token of 18 places: each day sums to its closing balance', () => {
  const random = seeded(pickSeed())
  const any = <T>(items: readonly T[]) => items[Math.floor(random() * items.length)] as T
  for (let run = 0; run < 300; run++) {
    const scale = any([1n, 10n ** 12n])
    const begun = new Map(
      WALLETS.map((wallet, i) => [wallet, i === 0 ? 1n : BigInt(Math.floor(random() * 100))]),
    )
    const units = new Map(
      WALLETS.map(wallet => [wallet, BigInt(Math.floor(random() * 2 ** 40)) * scale]),
    )
    const transfers: KnownTransfer[] = []
    for (let block = 2n; block <= 143n; block++) {
      const [sender, receiver] = [any([...WALLETS, ...STRANGERS]), any([...WALLETS, ...STRANGERS])]
      const most = units.get(sender) ?? 2n ** 60n
      const moved = (most * BigInt(Math.floor(random() * 1000))) / 1500n
      if (moved === 0n || random() < 0.3) continue
      if (units.has(sender)) units.set(sender, (units.get(sender) ?? 0n) - moved)
      if (units.has(receiver)) units.set(receiver, (units.get(receiver) ?? 0n) + moved)
      // A transfer is known from then on that one of its sides is a wallet of the rail.
      const isKnown = [sender, receiver].some(side => block > (begun.get(side) ?? 1_000n))
      if (isKnown) transfers.push(transferOf(block, sender, receiver, moved))
    }
    const wallets = WALLETS.map(wallet =>
      walletOf(wallet, units.get(wallet) ?? 0n, 143n, begun.get(wallet)),
    )
    let opening: bigint | null = null
    for (let n = 0; n < 4; n++) {
      const day = plusDays(DAY, n)
      const since = transfers.filter(({ at }) => at >= startOf(day))
      const ours = n === 0 ? wallets.filter(({ begun_at }) => begun_at < startOf(day)) : wallets
      const found = partsOf({ ...USUAL, day, scale, wallets: ours, transfers: since, opening })
      assert.equal(found.opening + found.amount, found.closing, `run ${run}, ${day}`)
      opening = n === 0 && ours.length < wallets.length ? null : found.closing
    }
  }
})

test('payment, refund and a transfer between two wallets of the rail: a line each for the first two alone', () => {
  const [first, second, stranger] = [address(1), address(2), address(9)]
  const transfers = [
    { ...transferOf(25n, first, stranger, 700n), uetr: 'the-attempt' },
    transferOf(26n, first, second, 100n),
    transferOf(27n, stranger, second, 30n),
  ]
  const wallets = [walletOf(first, 200n), walletOf(second, 130n)]
  const { lines, opening, closing } = partsOf({ ...USUAL, wallets, transfers })
  assert.deepEqual(
    lines.map(({ amount, uetr, counterparty, booked_on }) => [
      amount,
      uetr,
      counterparty,
      booked_on,
    ]),
    [
      [-700n, 'the-attempt', stranger, DAY],
      [30n, '', stranger, DAY],
    ],
  )
  assert.deepEqual([opening, closing], [1000n, 330n])
})

test('transfers behind the day, known up to the balance of their wallet: no part of the day', () => {
  const [wallet, stranger] = [address(1), address(9)]
  const transfers = [
    transferOf(25n, wallet, stranger, 5n),
    transferOf(49n, stranger, wallet, 40n),
    // Read by another range, after the balance.
    transferOf(120n, stranger, wallet, 900n),
  ]
  const { lines, closing } = partsOf({
    ...USUAL,
    wallets: [walletOf(wallet, 45n, 100n)],
    transfers,
  })
  assert.deepEqual([lines.map(({ amount }) => amount), closing], [[-5n], 5n])
})

test('a unit more than transfers explain: the statement does not sum to its closing balance', () => {
  const wallets = [walletOf(address(1), 1_001n)]
  const { amount, opening, closing } = partsOf({
    ...USUAL,
    wallets,
    transfers: [],
    opening: 1_000n,
  })
  assert.deepEqual({ amount, opening, closing }, { amount: 0n, opening: 1_000n, closing: 1_001n })
})

test('wallet that joins with money on a later day: a line says so, and a first statement has none', () => {
  const wallets = [walletOf(address(1), 10n), walletOf(address(2), 500n, 99n, 30n)]
  const later = partsOf({ ...USUAL, wallets, transfers: [], opening: 10n })
  assert.deepEqual(
    later.lines.map(({ amount, code }) => [amount, code]),
    [[500n, 'begin']],
  )
  assert.equal(later.opening + later.amount, later.closing)
  const first = partsOf({ ...USUAL, wallets, transfers: [] })
  assert.deepEqual([first.lines.length, first.opening, first.closing], [0, 510n, 510n])
})
