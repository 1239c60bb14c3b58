// What PostgreSQL holds of payments on chains, whatever code does: statements of the service's role
// that would pay twice, leave out a number, or change what was signed.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { transferData } from '../../src/adapters/evm/abi.ts'
import type { Hex } from '../../src/adapters/evm/chain.ts'
import { EXAMPLE } from '../../src/adapters/evm/config.ts'
import { insertSlots, type NewSlot, transactHouse } from '../../src/adapters/evm/slot-store.ts'
import { insertTransactions } from '../../src/adapters/evm/transaction-store.ts'
import { beginWallet, holdWallet, reserveNonces } from '../../src/adapters/evm/wallet-store.ts'
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
})

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

/** Bytes that carry a call to a token, as far as PostgreSQL reads them. */
const bytes = (number: number, change: object = {}) => ({
  ...{ chain_id: CHAIN, wallet, nonce: 0n, number, kind: 'pay' as 'pay' | 'void' },
  hash: `0x${String(wallets).padStart(32, '0')}${String(number).padStart(32, '0')}` as Hex,
  raw: `0x02${TOKEN.slice(2)}${CALLDATA.slice(2)}` as Hex,
  ...{ gas: 60_000n, max_fee: 10n, tip: 1n },
  ...change,
})

async function reserveOne(): Promise<void> {
  await inHouse(async tx => {
    assert.ok(await reserve(tx))
    await insertSlots(tx, [slot(0n)])
    await insertTransactions(tx, [bytes(1)])
  })
}

const step = (tx: TransactionSql, to: string) =>
  tx`update evm_slots set state = ${to} where wallet = ${wallet}`

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
      await insertSlots(tx, [slot(0n, { units: 2_000_000n })])
    },
    /whole_factor/,
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
    'bytes to nobody, given up by nobody',
    tx => insertTransactions(tx, [bytes(2, { kind: 'void', raw: `0x02${wallet.slice(2)}` })]),
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

test('signed payment whose payout is erased: payee, call and bytes removed, and nothing else', async () => {
  await reserveOne()
  const payout_id = `pot_${wallets}_0`
  await service.database.owner.begin(async tx => {
    await tx`set local corridor.maintenance = on`
    await tx`
      insert into erasures (account_id, party_id, erased_at, table_name, key, erased_by, reason)
      values (${ACCOUNT}, 'bnf_1', now(), 'payouts', ${payout_id}, 'ada', 'Asked.')`
  })
  await inHouse(async tx => {
    await tx`update evm_slots set payee = '', calldata = '' where payout_id = ${payout_id}`
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

test('settings of a rail without a wallet that has a payment under way: refused', async () => {
  const { sql } = service.deps
  const rail = { name: 'chain', kind: 'evm', secret: '', paused_reason: '' } as const
  const [first] = EXAMPLE.wallets
  const config = { ...EXAMPLE, wallets: [{ ...first, address: wallet }] }
  await insertRail(sql, { ...rail, config })
  await reserveOne()
  const without = { ...rail, config: EXAMPLE }
  await assert.rejects(updateRail(sql, without), /under way/)
})
