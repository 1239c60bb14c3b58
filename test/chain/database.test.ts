// What PostgreSQL holds of payments on chains, whatever code does: statements of the service's role
// that would pay twice, leave out a number, or change what was signed.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { transferData } from '../../src/adapters/evm/abi.ts'
import type { Hex } from '../../src/adapters/evm/chain.ts'
import { EXAMPLE } from '../../src/adapters/evm/config.ts'
import type { OpenEvmRail } from '../../src/adapters/evm/open.ts'
import { listSigning } from '../../src/adapters/evm/purses.ts'
import {
  insertSlots,
  listOpen,
  type NewSlot,
  transactHouse,
} from '../../src/adapters/evm/slot-store.ts'
import { insertTransactions } from '../../src/adapters/evm/transaction-store.ts'
import { OF_WATCH } from '../../src/adapters/evm/trouble.ts'
import { findTroubles, noteTroubles } from '../../src/adapters/evm/trouble-store.ts'
import {
  beginWallet,
  holdWallet,
  reserveNonces,
  stopWallet,
} from '../../src/adapters/evm/wallet-store.ts'
import { noteRestored } from '../../src/rails/mark-store.ts'
import { insertRail, updateRail } from '../../src/rails/row-store.ts'
import type { TransactionSql } from '../../src/sql/connect.ts'
import { startTestService, type TestService } from '../support/service/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service?.close())

const CHAIN = 8453n
const ACCOUNT = 'acc_7k2m9x4q'
const TOKEN: Hex = `0x${'c'.repeat(40)}`
const PAYEE: Hex = `0x${'d'.repeat(40)}`
const CALLDATA = transferData(PAYEE, 1_000_000n)

let wallet: Hex
let wallets = 0
beforeEach(async () => {
  wallets += 1
  wallet = `0x${String(wallets).padStart(40, '0')}`
  const { sql } = service.deps
  const at = { number: 0n, hash: `0x${'0'.repeat(64)}`, at: '2026-11-30T00:00:00.000000Z' } as const
  await beginWallet(sql, { chain_id: CHAIN, address: wallet, rail: 'chain', next_nonce: 0n }, at)
  await holdWallet(sql, { chain_id: CHAIN, address: wallet }, 'me', 60_000)
  await useWallets(wallet)
})

/** Settings of the rail with these wallets, and another token than that of the table. */
function configOf(...addresses: readonly Hex[]) {
  const [first] = EXAMPLE.wallets
  const list = addresses.map(address => ({ ...first, address }))
  const tokens = { USDC: { address: TOKEN, decimals: 6, force: true } }
  return { ...EXAMPLE, tokens, max_day: '1000000', wallets: list }
}

const RAIL = { name: 'chain', kind: 'evm', secret: '', paused_reason: '' } as const

async function useWallets(...addresses: readonly Hex[]): Promise<void> {
  const { sql } = service.deps
  const row = { ...RAIL, config: configOf(...addresses) }
  // The wallets of earlier tests have payments under way.
  if (!(await insertRail(sql, row))) {
    const { owner } = service.database
    await owner.unsafe('alter table rails disable trigger keeps_its_wallets')
    await updateRail(owner, row)
    await owner.unsafe('alter table rails enable trigger keeps_its_wallets')
  }
}

const inHouse = <T>(work: (tx: TransactionSql) => Promise<T>) =>
  transactHouse(service.deps.sql, [ACCOUNT], work)

const slot = (nonce: bigint, change: Partial<NewSlot> = {}): NewSlot => ({
  ...{ chain_id: CHAIN, wallet, nonce, rail: 'chain', uetr: '', purpose: 'pay' },
  ...{ account_id: ACCOUNT, payout_id: `pot_${wallets}_${nonce}`, attempt: 1 },
  ...{ currency: 'USDC', amount: 1_000_000n, units: 1_000_000n, token: TOKEN, payee: PAYEE },
  ...{ calldata: CALLDATA, to_contract: false, state: 'signed' },
  ...change,
})

const reserve = (tx: TransactionSql, count = 1, next_nonce = 0n) =>
  reserveNonces(tx, { chain_id: CHAIN, address: wallet, next_nonce }, count, 'me')

/** Bytes that make a call of a token, as far as PostgreSQL reads them. */
const pays = (to: Hex, data: Hex): Hex =>
  `0x02f8ac94${to.slice(2)}80b8${(data.length / 2 - 1).toString(16)}${data.slice(2)}c001`

const bytes = (number: number, change: object = {}) => ({
  ...{ chain_id: CHAIN, wallet, nonce: 0n, number, kind: 'pay' as 'pay' | 'void' },
  hash: `0x${String(wallets).padStart(32, '0')}${String(number).padStart(32, '0')}` as Hex,
  raw: pays(TOKEN, CALLDATA),
  ...{ gas: 60_000n, max_fee: 10n, tip: 1n },
  ...change,
})

/** With the caps of the settings: 250,000 a payout, and 1,000,000 a day. */
const MOST = { amount: 250_000_000_000n, units: 250_000_000_000n }
const MORE = { amount: 250_000_000_001n, units: 250_000_000_001n }

async function reserved(tx: TransactionSql, change: Partial<NewSlot> = {}): Promise<void> {
  await reserve(tx)
  await insertSlots(tx, [slot(0n, change)])
}

async function reserveOne(): Promise<void> {
  await inHouse(async tx => {
    assert.ok(await reserve(tx))
    await insertSlots(tx, [slot(0n)])
    await insertTransactions(tx, [bytes(1)])
  })
}

const toOurselves = (): Hex => `0x02f86594${wallet.slice(2)}8080c001`

const inBlock = (tx: TransactionSql, succeeded: boolean, number = 1) => tx`
  update evm_transactions set block = 5, block_hash = ${`0x${'b'.repeat(64)}`}, gas_used = 1,
    cost_wei = 1, succeeded = ${succeeded} where wallet = ${wallet} and number = ${number}`

const step = (tx: TransactionSql, to: string) =>
  tx`update evm_slots set state = ${to} where wallet = ${wallet}`

const end = (tx: TransactionSql, to: string) =>
  tx`update evm_slots set state = ${to}, ended_at = now() where wallet = ${wallet}`

const giveUp = (tx: TransactionSql, by: string) => tx`
  update evm_slots set void_as = 'fail', void_by = ${by}, void_reason = 'Stuck', void_at = now()
  where wallet = ${wallet}`

type Case = readonly [what: string, work: (tx: TransactionSql) => Promise<unknown>, why: RegExp]

const WITHOUT_SLOT: readonly Case[] = [
  ['a slot whose number is not counted', tx => insertSlots(tx, [slot(0n)]), /is not reserved/],
  ['a number counted without a slot', tx => reserve(tx), /has 0 slots from nonce 0 to 0/],
  [
    'two numbers counted with one slot',
    async tx => {
      await reserve(tx, 2)
      await insertSlots(tx, [slot(1n)])
    },
    /has 1 slots from nonce 0 to 1/,
  ],
  [
    'a slot that begins sent',
    async tx => {
      await reserve(tx)
      await insertSlots(tx, [slot(0n, { state: 'sent' as 'signed' })])
    },
    /is not reserved/,
  ],
  [
    'units that are no whole power of ten of the amount',
    async tx => {
      await reserve(tx)
      const calldata = transferData(PAYEE, 2_000_000n)
      await insertSlots(tx, [slot(0n, { units: 2_000_000n, calldata })])
    },
    /whole_factor/,
  ],
  [
    'a call that pays somebody else',
    tx => reserved(tx, { calldata: transferData(TOKEN, 1_000_000n) }),
    /calls_as_ordered/,
  ],
  [
    'a call that pays more',
    tx => reserved(tx, { calldata: transferData(PAYEE, 1_000_001n) }),
    /calls_as_ordered/,
  ],
  [
    'a call with more than a tag behind it',
    tx => reserved(tx, { calldata: `${CALLDATA}${'ee'.repeat(17)}` }),
    /calls_as_ordered/,
  ],
  ['a token that the rail has not', tx => reserved(tx, { token: PAYEE }), /may not pay/],
  ['a currency of another token', tx => reserved(tx, { currency: 'USDT' }), /may not pay/],
  [
    'more than max_payout',
    tx => reserved(tx, { ...MORE, calldata: transferData(PAYEE, MORE.units) }),
    /may not pay/,
  ],
  [
    'a payee that is a wallet of ours',
    tx => reserved(tx, { payee: wallet, calldata: transferData(wallet, 1_000_000n) }),
    /may not pay/,
  ],
  ['a rail that is not there', tx => reserved(tx, { rail: 'other' }), /may not pay/],
  [
    'a rail that is paused at this moment',
    async tx => {
      await tx`update rails set paused_reason = 'restored' where name = 'chain'`
      await reserved(tx)
    },
    /may not pay/,
  ],
  [
    'more in a day than max_day',
    async tx => {
      await reserve(tx, 5)
      await insertSlots(
        tx,
        [0n, 1n, 2n, 3n, 4n].map(nonce =>
          slot(nonce, { ...MOST, calldata: transferData(PAYEE, MOST.units) }),
        ),
      )
    },
    /today than max_day/,
  ],
  [
    'a stopped wallet without a reason',
    tx => tx`update evm_wallets set state = 'stopped' where address = ${wallet}`,
    /stopped_for_a_reason/,
  ],
]

for (const [what, work, why] of WITHOUT_SLOT) {
  test(`wallet without payments, ${what}: refused`, async () => {
    await assert.rejects(inHouse(work), why)
  })
}

const WITH_SLOT: readonly Case[] = [
  [
    'the same attempt under another number',
    async tx => {
      await reserve(tx, 1, 1n)
      await insertSlots(tx, [slot(1n, { payout_id: `pot_${wallets}_0` })])
    },
    /one_slot_an_attempt/,
  ],
  [
    'another attempt of the payout, while this one may be paid',
    async tx => {
      await reserve(tx, 1, 1n)
      await insertSlots(tx, [slot(1n, { payout_id: `pot_${wallets}_0`, attempt: 2 })])
    },
    /another payment that is not dead/,
  ],
  [
    'another attempt under the same number',
    async tx => insertSlots(tx, [slot(0n, { payout_id: 'pot_other' })]),
    /slot_of_a_nonce/,
  ],
  [
    'the same attempt refused',
    tx => insertSlots(tx, [slot(0n, { state: 'refused', wallet: '', nonce: null })]),
    /one_slot_an_attempt/,
  ],
  [
    'numbers counted back',
    tx => tx`update evm_wallets set next_nonce = 0 where address = ${wallet}`,
    /its counts only rise/,
  ],
  [
    'another amount',
    tx => tx`update evm_slots set amount = 2, units = 2 where wallet = ${wallet}`,
    /permission denied/,
  ],
  [
    'paid without a block',
    tx => step(tx, 'paid'),
    /cannot go from signed to paid|ended_when_it_is_over/,
  ],
  ['in a block that none of its transactions has', tx => step(tx, 'mined'), /has no transaction/],
  [
    'paid by a transaction that has failed',
    async tx => {
      await inBlock(tx, false)
      await step(tx, 'mined')
      await end(tx, 'paid')
    },
    /has no transaction that is paid/,
  ],
  [
    'dead by a transaction that has succeeded',
    async tx => {
      await inBlock(tx, true)
      await step(tx, 'mined')
      await end(tx, 'reverted')
    },
    /has no transaction that is reverted/,
  ],
  [
    'void by its payment',
    async tx => {
      await giveUp(tx, 'ann')
      await inBlock(tx, false)
      await step(tx, 'mined')
      await end(tx, 'voided')
    },
    /has no transaction that is voided/,
  ],
  [
    'in two blocks at once',
    async tx => {
      await insertTransactions(tx, [bytes(2)])
      await inBlock(tx, true)
      await inBlock(tx, true, 2)
      await step(tx, 'mined')
    },
    /has no transaction that is mined/,
  ],
  [
    'back to signed',
    async tx => {
      await step(tx, 'sent')
      await step(tx, 'signed')
    },
    /cannot go from sent to signed/,
  ],
  [
    'bytes with another call',
    tx => insertTransactions(tx, [bytes(2, { raw: bytes(2).raw.replaceAll('d', 'e') })]),
    /does not fit/,
  ],
  ['bytes with a number left out', tx => insertTransactions(tx, [bytes(3)]), /does not fit/],
  [
    'bytes with the call, to another contract',
    tx => insertTransactions(tx, [bytes(2, { raw: pays(PAYEE, CALLDATA) })]),
    /does not fit/,
  ],
  [
    'bytes with the call, and more behind it',
    tx => insertTransactions(tx, [bytes(2, { raw: pays(TOKEN, `${CALLDATA}ff`) })]),
    /does not fit/,
  ],
  [
    'bytes to nobody, given up by nobody',
    tx => insertTransactions(tx, [bytes(2, { kind: 'void', raw: toOurselves() })]),
    /does not fit/,
  ],
  [
    'bytes to somebody else, given up',
    async tx => {
      await giveUp(tx, 'ann')
      await insertTransactions(tx, [bytes(2, { kind: 'void', raw: `0x94${PAYEE.slice(2)}8080c0` })])
    },
    /does not fit/,
  ],
  [
    'bytes of the payment after it is given up',
    async tx => {
      await giveUp(tx, 'ann')
      await insertTransactions(tx, [bytes(2)])
    },
    /does not fit/,
  ],
  [
    'eleven transactions',
    async tx => {
      for (let number = 2; number <= 11; number++) await insertTransactions(tx, [bytes(number)])
    },
    /number/,
  ],
  [
    'given up by the service although it was sent',
    async tx => {
      await tx`
        update evm_transactions set sends = 1, first_sent_at = now() where wallet = ${wallet}`
      await giveUp(tx, 'corridor')
    },
    /stays as it is/,
  ],
  [
    'given up twice',
    async tx => {
      await giveUp(tx, 'ann')
      await tx`update evm_slots set void_as = 'again' where wallet = ${wallet}`
    },
    /stays as it is/,
  ],
  [
    'the bytes removed while the payee is known',
    tx => tx`update evm_transactions set raw = '' where wallet = ${wallet}`,
    /stays as it was signed/,
  ],
  [
    'the payee removed without an erasure',
    tx => tx`update evm_slots set payee = '', calldata = '' where wallet = ${wallet}`,
    /append-only/,
  ],
  [
    'other bytes',
    tx => tx`update evm_transactions set gas = 1 where wallet = ${wallet}`,
    /permission denied/,
  ],
  ['slot deleted', tx => tx`delete from evm_slots where wallet = ${wallet}`, /permission denied/],
]

for (const [what, work, why] of WITH_SLOT) {
  test(`signed payment, ${what}: refused`, async () => {
    await reserveOne()
    await assert.rejects(inHouse(work), why)
  })
}

test('payment whose payout is erased: refused while it may be sent; over: payee, call and bytes removed, and nothing else', async () => {
  await reserveOne()
  const payout_id = `pot_${wallets}_0`
  await service.database.owner.begin(async tx => {
    await tx`set local corridor.maintenance = on`
    await tx`
      insert into erasures (account_id, party_id, erased_at, table_name, key, erased_by, reason)
      values (${ACCOUNT}, 'bnf_1', now(), 'payouts', ${payout_id}, 'ada', 'Asked.')`
  })
  const erase = (tx: TransactionSql) =>
    tx`update evm_slots set payee = '', calldata = '' where payout_id = ${payout_id}`
  await assert.rejects(inHouse(erase), /append-only/)
  await inHouse(async tx => {
    await inBlock(tx, true)
    await step(tx, 'mined')
    await end(tx, 'paid')
    await erase(tx)
    await tx`update evm_transactions set raw = '' where wallet = ${wallet}`
  })
  await assert.rejects(
    inHouse(tx => tx`update evm_slots set payee = ${PAYEE} where payout_id = ${payout_id}`),
    /stays as it is/,
  )
})

test('nonces read before another process has counted, or under a lost lease: not reserved', async () => {
  await reserveOne()
  await inHouse(async tx => {
    assert.equal(await reserve(tx, 1, 0n), false)
    const place = { chain_id: CHAIN, address: wallet, next_nonce: 1n }
    assert.equal(await reserveNonces(tx, place, 1, 'thief'), false)
  })
})

test('two troubles of a kind found at once: one, with both messages; judged again a minute and a half later: the same', async () => {
  const { sql } = service.deps
  const on = (name: string) =>
    ({ wallet: '', kind: 'other_chain', message: `${name} is on chain 1` }) as const
  const judge = () => noteTroubles(sql, 'chain', OF_WATCH, [on('one'), on('two'), on('two')])
  await judge()
  const [first] = await findTroubles(sql)
  assert.equal(first?.message, 'one is on chain 1; two is on chain 1')
  // A round of 12 seconds and slow answers may come between two looks of a minute.
  await service.database.owner`update evm_troubles set seen_at = seen_at - interval '90 seconds'`
  assert.equal((await findTroubles(sql)).length, 1)
  await judge()
  assert.equal((await findTroubles(sql))[0]?.since, first?.since)
  await noteTroubles(sql, 'chain', OF_WATCH, [])
  assert.deepEqual(await findTroubles(sql), [])
})

for (const [kind, may] of [
  ['providers_disagree', false],
  ['chain_stopped', false],
  ['other_chain', true],
  ['provider_wrong', true],
] as const)
  test(`chain with the trouble ${kind}: ${may ? 'wallets sign' : 'no wallet signs, for a payout or the house'}`, async () => {
    const { sql, log } = service.deps
    const chain = { nonce: async () => ({ agreed: 0n }) }
    const config = { chain: { id: CHAIN }, wallets: [{ address: wallet }] }
    const rail = { sql, log, chain, config, name: 'chain' } as unknown as OpenEvmRail
    const signing = async () => {
      const found = await listSigning(rail, [wallet], { number: 0n })
      return found.map(({ address }) => address)
    }
    assert.deepEqual(await signing(), [wallet])
    await noteTroubles(sql, 'chain', OF_WATCH, [{ wallet: '', kind, message: 'As found.' }])
    assert.deepEqual(await signing(), may ? [wallet] : [])
    await noteTroubles(sql, 'chain', OF_WATCH, [])
  })

test('settings of a rail without a wallet that has a payment under way: refused', async () => {
  const { sql } = service.deps
  await reserveOne()
  await assert.rejects(updateRail(sql, { ...RAIL, config: configOf(PAYEE) }), /under way/)
})

test('wallet whose only payment is with a person: leaves the settings, and its trouble with it', async () => {
  const { sql } = service.deps
  await reserveOne()
  await inHouse(tx => step(tx, 'stopped'))
  await stopWallet(sql, { chain_id: CHAIN, address: wallet }, 'foreign_transaction', 'a thief')
  const ofWallet = async () =>
    (await findTroubles(sql)).filter(one => one.wallet === wallet).map(({ kind }) => kind)
  assert.deepEqual(await ofWallet(), ['foreign_transaction'])
  const { owner } = service.database
  // Those of earlier tests have payments that may be mined.
  await owner.unsafe('alter table evm_slots disable trigger user')
  await owner`update evm_slots set state = 'stopped' where state in ('signed', 'sent', 'mined')`
  await owner.unsafe('alter table evm_slots enable trigger user')
  await updateRail(sql, { ...RAIL, config: configOf(PAYEE) })
  assert.deepEqual(await ofWallet(), [])
})

test('wallet that the settings lose while a payment of it is signed: no payment that nobody looks at', async () => {
  await useWallets(PAYEE)
  await assert.rejects(inHouse(reserved), /may not pay/)
})

test('database that is a copy: every wallet stopped as history_lost, and nothing reserved', async () => {
  await reserveOne()
  await noteRestored(service.deps.sql)
  const [row] = await service.database.owner`
    select state, stopped_as from evm_wallets where address = ${wallet}`
  assert.deepEqual({ ...row }, { state: 'stopped', stopped_as: 'history_lost' })
  assert.equal(await inHouse(tx => reserve(tx, 1, 1n)), false)
})

test('open payments beyond what a round looks at: those that no block has come first, of every wallet', async () => {
  const { sql } = service.deps
  const address: Hex = `0x${'f'.repeat(39)}${wallets % 10}`
  const at = { number: 0n, hash: `0x${'0'.repeat(64)}`, at: '2026-11-30T00:00:00.000000Z' } as const
  await beginWallet(sql, { chain_id: CHAIN, address, rail: 'chain', next_nonce: 0n }, at)
  await holdWallet(sql, { chain_id: CHAIN, address }, 'me', 60_000)
  await useWallets(wallet, address)
  await inHouse(async tx => {
    await reserve(tx, 3)
    await insertSlots(tx, [slot(0n), slot(1n), slot(2n)])
    await insertTransactions(tx, [bytes(1)])
    await inBlock(tx, true)
    await tx`update evm_slots set state = 'mined' where wallet = ${wallet} and nonce = 0`
    await reserveNonces(tx, { chain_id: CHAIN, address, next_nonce: 0n }, 1, 'me')
    await insertSlots(tx, [slot(0n, { wallet: address, payout_id: `pot_${wallets}_last` })])
    const open = await listOpen(tx, CHAIN, [wallet, address], 3)
    assert.deepEqual(
      open.map(one => `${one.wallet.slice(-1)} ${one.state}`),
      [wallet, wallet, address].map(one => `${one.slice(-1)} signed`),
    )
  })
})
