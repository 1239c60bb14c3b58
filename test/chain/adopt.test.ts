// What the chain has and the database has not: payments that a restore has lost, and transactions that
// have a number of ours. The chain answers from tables of the test.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { tagOf, transferData } from '../../src/adapters/evm/abi.ts'
import { adoptFound, findLost, findUnknown, NotNow } from '../../src/adapters/evm/adopt.ts'
import type { Block, Chain, Hex, SeenTransaction } from '../../src/adapters/evm/chain.ts'
import type { Checked } from '../../src/adapters/evm/check.ts'
import { Leases } from '../../src/adapters/evm/lease.ts'
import type { OpenEvmRail } from '../../src/adapters/evm/open.ts'
import { reserve } from '../../src/adapters/evm/reserve.ts'
import type { OpenSlot } from '../../src/adapters/evm/send.ts'
import {
  insertSlots,
  listSlotsOf,
  type NewSlot,
  transactHouse,
} from '../../src/adapters/evm/slot-store.ts'
import { adoptTagged } from '../../src/adapters/evm/tagged.ts'
import { insertTransfers } from '../../src/adapters/evm/transfer-store.ts'
import {
  beginWallet,
  findWallets,
  holdWallet,
  reserveNonces,
  stopWallet,
} from '../../src/adapters/evm/wallet-store.ts'
import { openTold, toldSettings } from '../support/chain/told.ts'
import { walletPayout } from '../support/chain/world.ts'
import type { Client, TestService } from '../support/service/service.ts'
import { payAll } from '../support/service/settling.ts'

const RAIL = 'chain'
const WALLET: Hex = `0x${'a1'.repeat(20)}`
const PAYEE: Hex = `0x${'d2'.repeat(20)}`
const ZERO: Hex = `0x${'0'.repeat(64)}`
const { settings: SETTINGS, config } = toldSettings(WALLET)
const CHAIN = config.chain.id
const TOKEN = config.tokens.get('USDC')?.address ?? assert.fail('no token')

let service: TestService
let live: Client
before(async () => {
  ;({ service, live } = await openTold(SETTINGS, RAIL))
})
after(() => service?.close())

/** Payouts of 1.00 USDC whose rail was asked about their first attempts. */
async function pay(count: number): Promise<string[]> {
  const body = walletPayout({ payee: PAYEE, currency: 'USDC', amount: 1_000_000n })
  const outcomes = await payAll(
    service,
    live,
    Array.from({ length: count }, () => body),
  )
  const ids = outcomes.map(({ outcome }) => outcome?.payout?.id ?? assert.fail('no payout'))
  await service.database.owner`
    insert into payout_attempts (account_id, payout_id, number, opened_at, rail, uetr)
    select ${live.account.account_id}, id, 1, now(), ${RAIL}, gen_random_uuid()
    from unnest(${ids}::text[]) as id`
  return ids
}

/** What the chain has: transactions of the wallet by number, and how it counts them. */
let sent: Map<Hex, SeenTransaction>
let counts: { readonly final: bigint; readonly latest: bigint; readonly pending: bigint }
let unclear: Set<string>

const FINAL: Block = {
  ...{ number: 1_000n, hash: `0x${'f'.repeat(64)}`, base_fee: 1n },
  at: '2026-11-30T00:00:00.000000Z',
}

const said = <T>(what: string, agreed: T) =>
  Promise.resolve(unclear.has(what) ? { unclear: 'they disagree' } : { agreed })

const chain = {
  final: () => said('final', FINAL),
  block: (number: bigint) => said('block', { ...FINAL, number }),
  balance: () => said('balance', 0n),
  transfers: () => said('transfers', []),
  nonce: (_: Hex, at: string | bigint) =>
    said('nonce', typeof at === 'bigint' ? counts.final : counts[at as 'latest' | 'pending']),
  transaction: (hash: Hex) => said(hash, sent.get(hash) ?? null),
} as unknown as Chain

const rail = () =>
  ({
    ...{ name: RAIL, config, chain, sql: service.deps.sql, log: service.deps.log },
    leases: new Leases(service.deps.sql, 'me'),
    committed: () => {},
  }) as unknown as OpenEvmRail

let hashes = 0
beforeEach(async () => {
  const { owner } = service.database
  await owner.unsafe(`
    alter table evm_wallets disable trigger user; alter table evm_slots disable trigger user;
    alter table evm_transfers disable trigger user; alter table evm_transactions disable trigger user;
    delete from evm_transactions; delete from evm_transfers; delete from evm_slots;
    delete from evm_wallets;
    alter table evm_wallets enable trigger user; alter table evm_slots enable trigger user;
    alter table evm_transfers enable trigger user; alter table evm_transactions enable trigger user`)
  sent = new Map()
  counts = { final: 0n, latest: 0n, pending: 0n }
  unclear = new Set()
  const place = { chain_id: CHAIN, address: WALLET, rail: RAIL, next_nonce: 0n }
  await beginWallet(service.deps.sql, place, { number: 900n, hash: ZERO, at: FINAL.at })
})

/** The chain has a payment of this number with this tag, and its transfer is read already. */
async function lost(nonce: bigint, tag: Hex, is_read = true): Promise<Hex> {
  hashes += 1
  const hash: Hex = `0x${String(hashes).padStart(64, '0')}`
  const data = transferData(PAYEE, 1_000_000n, tag)
  sent.set(hash, { sender: WALLET, nonce, max_fee: 2n, gas: 60_000n, data })
  const at = new Date().toISOString().replace('Z', '000Z') as Block['at']
  const moved = { tx_hash: hash, block: 950n, block_hash: ZERO, log_index: 0, token: TOKEN, at }
  const transfer = { ...moved, sender: WALLET, receiver: PAYEE, units: 1_000_000n }
  if (is_read) {
    await transactHouse(service.deps.sql, [], tx => insertTransfers(tx, CHAIN, [transfer]))
  }
  return hash
}

const stop = () =>
  stopWallet(service.deps.sql, { chain_id: CHAIN, address: WALLET }, 'history_lost', 'restored')

const known = (count: bigint) => {
  counts = { final: count, latest: count, pending: count }
}

const find = () => findLost({ name: RAIL, config, chain }, service.deps.operators.audit)

const newSlot = (payout_id: string, nonce: bigint): NewSlot => ({
  ...{ chain_id: CHAIN, wallet: WALLET, nonce, rail: RAIL, uetr: '', purpose: 'pay' },
  ...{ account_id: live.account.account_id, payout_id, attempt: 1, currency: 'USDC' },
  ...{ amount: 1_000_000n, units: 1_000_000n, token: TOKEN, payee: PAYEE, to_contract: false },
  ...{ calldata: transferData(PAYEE, 1_000_000n, tagOf(`${payout_id}-1`)), state: 'signed' },
})

/** Payments that the database has. */
async function reserved(ids: readonly string[]): Promise<void> {
  const { sql } = service.deps
  const place = { chain_id: CHAIN, address: WALLET }
  await holdWallet(sql, place, 'me', 60_000)
  await transactHouse(sql, [live.account.account_id], async tx => {
    assert.ok(await reserveNonces(tx, { ...place, next_nonce: 0n }, ids.length, 'me'))
    await insertSlots(
      tx,
      ids.map((id, i) => newSlot(id, BigInt(i))),
    )
  })
}

const walletNow = async () => {
  const [row] = await findWallets(service.deps.sql, CHAIN, [WALLET])
  return row === undefined ? undefined : [row.state, row.next_nonce]
}

test('205 payments that a restore has lost, their transfers read already: each found by its tag', async () => {
  const ids = await pay(205)
  for (const [i, id] of ids.entries()) await lost(BigInt(i), tagOf(`${id}-1`))
  known(205n)
  await stop()
  const [found] = await find()
  assert.deepEqual([found?.adopted.length, found?.foreign], [205, []])
})

test('lost payment of an attempt that the database does not have: named, so that nobody pays it again', async () => {
  const [first = '', second = ''] = await pay(2)
  await lost(0n, tagOf(`${first}-1`))
  await lost(1n, tagOf(`${second}-2`))
  known(2n)
  await stop()
  const found = await find()
  assert.equal(found[0]?.adopted.length, 1)
  assert.deepEqual(await findUnknown({ config }, service.deps.operators.audit, found), [
    `${second}-2`,
  ])
})

test('two transactions with the tag of one attempt: the first is its payment, the other one foreign', async () => {
  const [id = ''] = await pay(1)
  await lost(0n, tagOf(`${id}-1`))
  await lost(1n, tagOf(`${id}-1`))
  known(2n)
  await stop()
  const [found = assert.fail('none')] = await find()
  assert.deepEqual(
    [found.adopted, found.foreign].map(all =>
      all.map(one => ('place' in one ? one.place : one).nonce),
    ),
    [[0n], [1n]],
  )
  await adoptFound(service.deps.sql, RAIL, found, 'olga')
  assert.deepEqual(await walletNow(), ['active', 2n])
})

test('stopped wallet whose own payments wait in a pool: opened again, its count kept', async () => {
  await reserved(await pay(3))
  await stop()
  counts = { final: 1n, latest: 1n, pending: 2n }
  const [found = assert.fail('none')] = await find()
  await adoptFound(service.deps.sql, RAIL, found, 'olga')
  assert.deepEqual(await walletNow(), ['active', 3n])
})

test('stopped wallet with a transaction in a pool that the database does not have: not now', async () => {
  await reserved(await pay(1))
  await stop()
  counts = { final: 1n, latest: 1n, pending: 2n }
  await assert.rejects(find(), NotNow)
})

/** The slot of a payment that the database has, as the watch reads it. */
async function openSlot(): Promise<OpenSlot> {
  const [payout_id = ''] = await pay(1)
  await reserved([payout_id])
  const { account_id } = live.account
  const [slot] = await transactHouse(service.deps.sql, [account_id], tx =>
    listSlotsOf(tx, account_id, payout_id),
  )
  return { slot, transactions: [] } as unknown as OpenSlot
}

/** Another transaction at the number of a payment: with its tag it is the payment. */
const TAGGED: Readonly<Record<string, [(slot: OpenSlot) => Promise<unknown>, string]>> = {
  'no transfer has left': [() => Promise.resolve(), 'none'],
  'it has another tag': [() => lost(0n, '0x'), 'none'],
  'the providers do not agree about it': [
    async ({ slot }) => unclear.add(await lost(0n, tagOf(`${slot.payout_id}-1`))),
    'unknown',
  ],
  'the transfers of a range are unclear': [async () => unclear.add('transfers'), 'unknown'],
  'the final block is unclear': [async () => unclear.add('final'), 'unknown'],
}

for (const [what, [given, expected]] of Object.entries(TAGGED))
  test(`transaction at the number of a payment, ${what}: ${expected}`, async () => {
    const open = await openSlot()
    await given(open)
    assert.equal(await adoptTagged(rail(), open), expected)
  })

test('payments whose money was read before another one was signed: none signed', async () => {
  const [first = '', second = ''] = await pay(2)
  await reserved([first])
  let signatures = 0
  const signer = {
    address: WALLET,
    sign: () => {
      signatures += 1
      throw new Error('no signature is wanted')
    },
  }
  const open = { ...rail(), signers: new Map([[WALLET, signer]]) } as OpenEvmRail
  const key = { account_id: live.account.account_id, payout_id: second, attempt: 1 }
  const { calldata, token, payee } = newSlot(second, 0n)
  const order = { key, token, payee, calldata, payout: { attempt: { uetr: '' } } }
  const fees = { max_fee: 2n, tip: 1n }
  const checked = { order, wallet: WALLET, gas: 60_000n, fees, to_contract: false }
  const one = [checked] as unknown as Checked[]
  assert.equal(await reserve(open, { address: WALLET, next_nonce: 0n }, one), 0)
  assert.equal(signatures, 0)
  assert.equal(await reserve(open, { address: WALLET, next_nonce: 1n }, one), 0)
  assert.equal(signatures, 1)
})
