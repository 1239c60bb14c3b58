// What a transfer that reverts when it is tried means for its payout: only a revert that is the payee's
// own fails it, and everything else makes it wait.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Hex } from './chain.ts'
import { checkOrders } from './check.ts'
import type { OpenEvmRail } from './open.ts'
import type { Order } from './order.ts'

const WALLET: Hex = `0x${'11'.repeat(20)}`
const PAYEE: Hex = `0x${'22'.repeat(20)}`
const UNITS = 5n

interface Seen {
  /** Whose accounts the issuer has frozen. */
  readonly frozen?: readonly Hex[]
  readonly balance?: bigint
  /** Of each trial of the transfer, and of one to the wallet itself: whether it reverts. */
  readonly reverts: readonly boolean[]
  readonly reverts_for_all?: boolean
}

/** What follows for a payment, on a chain that looks like this. */
async function checked({ frozen = [], balance = 100n, reverts, reverts_for_all }: Seen) {
  const left = [...reverts]
  const isReverting = (payee: Hex) =>
    payee === WALLET ? reverts_for_all === true : left.length > 1 ? left.shift() : left[0]
  const chain = {
    market: async () => ({ agreed: { base_fee: 1n, tip: 1n } }),
    isContract: async () => ({ agreed: false }),
    frozen: async (account: Hex) => ({ agreed: frozen.includes(account) }),
    balance: async () => ({ agreed: balance }),
    simulate: async ({ payee }: { payee: Hex }) => ({
      agreed: isReverting(payee) ? { reverted: 'no' } : { gas: 50_000n },
    }),
  }
  const config = { max_fee: 1_000n, max_cost: 10n ** 18n, chain: { min_tip: 0n } }
  const order = {
    ...{ token: `0x${'33'.repeat(20)}`, payee: PAYEE, units: UNITS, currency: 'USDC' },
    key: { account_id: 'acc_1', payout_id: 'pot_1', attempt: 1 },
  }
  const [result] = await checkOrders(
    { chain, config } as unknown as OpenEvmRail,
    [{ order: order as unknown as Order, wallet: WALLET }],
    new Map(),
    new Map([[WALLET, 10n ** 18n]]),
  )
  if (result === undefined || 'checked' in result) return 'signed'
  if ('refused' in result) return `refused: ${result.refused.reason}`
  const { wait } = result.waiting
  return typeof wait === 'string' ? wait : `waits: ${wait.kind}`
}

const TABLE: readonly (readonly [what: string, seen: Seen, follows: string])[] = [
  ['moves', { reverts: [false] }, 'signed'],
  ['reverts for this payee', { reverts: [true] }, 'refused: reverted'],
  ['payee frozen', { reverts: [true], frozen: [PAYEE] }, 'refused: frozen'],
  ['our wallet frozen', { reverts: [true], frozen: [WALLET] }, 'waits: wallet_frozen'],
  ['reverts for everybody', { reverts: [true], reverts_for_all: true }, 'waits: token_paused'],
  ['less money than the payment now', { reverts: [true], balance: UNITS - 1n }, 'waits: no_funds'],
  ['just enough money', { reverts: [true], balance: UNITS }, 'refused: reverted'],
  ['moves a moment later', { reverts: [true, false] }, 'signed'],
]

for (const [what, seen, follows] of TABLE)
  test(`transfer tried, ${what}: ${follows}`, async () => {
    assert.equal(await checked(seen), follows)
  })
