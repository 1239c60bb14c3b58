// The switches of the providers of the tests: each does what its name says, so that a green test of the
// rail means something.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { privateKeyToAccount } from 'viem/accounts'
import {
  ANVIL_ID,
  type Anvil,
  askNode,
  type Hex,
  inHex,
  startAnvil,
} from '../../examples/chain/anvil.ts'
import { type Provider, Rulebook, startProvider } from '../support/chain/proxy.ts'

const account = privateKeyToAccount(`0x${'7'.repeat(64)}`)
const wallet = account.address.toLowerCase() as Hex
const GWEI = 10n ** 9n

let anvil: Anvil
let book: Rulebook
let one: Provider
let nonce = 0

before(async () => {
  anvil = await startAnvil({ block_time_s: 0 })
  book = new Rulebook(anvil, 3)
  one = await startProvider(book, 'one')
  await anvil.give(wallet, 10n ** 21n)
})
after(async () => {
  await one?.close()
  await anvil?.close()
})
beforeEach(async () => {
  one.honest()
  book.rules = 'anvil'
  book.keeps_pending = true
  await book.forget()
  nonce = Number(await anvil.ask('eth_getTransactionCount', [wallet, 'latest']))
})

const ask = (method: string, ...params: readonly unknown[]) =>
  askNode(one.url.replace('{one}', one.key), method, params)

/** A signed transfer of nothing to itself. */
function signed(more: { nonce?: number; tip?: bigint; max_fee?: bigint } = {}): Promise<Hex> {
  const { tip = GWEI, max_fee = 10n * GWEI } = more
  return account.signTransaction({
    ...{ type: 'eip1559', chainId: ANVIL_ID, to: wallet, value: 0n, gas: 21_000n },
    ...{ nonce: more.nonce ?? nonce, maxFeePerGas: max_fee, maxPriorityFeePerGas: tip },
  })
}

const send = (raw: Hex) => ask('eth_sendRawTransaction', raw)
const nonceNow = async () => Number(await ask('eth_getTransactionCount', wallet, 'latest'))

test('provider, wrong key: 401', async () => {
  const response = await fetch(one.url.replace('{one}', 'wrong'), { method: 'POST', body: '{}' })
  assert.equal(response.status, 401)
})

test('provider, answer to a broadcast lost: the connection ends, and the transaction is mined', async () => {
  one.lies.lost = 1
  await assert.rejects(send(await signed()))
  await anvil.mine()
  assert.equal(await nonceNow(), nonce + 1)
})

test('provider, broadcast dropped: nothing is mined', async () => {
  one.lies.dropped = 1
  await assert.rejects(send(await signed()))
  await anvil.mine()
  assert.equal(await nonceNow(), nonce)
})

test('provider, broadcast duplicated: the second answer says that it is known, and it is mined once', async () => {
  one.lies.duplicates = true
  await assert.rejects(send(await signed()), /already (imported|known)/)
  await anvil.mine()
  assert.equal(await nonceNow(), nonce + 1)
})

test('provider, two requests too many: 429 twice, then answers', async () => {
  one.lies.too_many = 2
  const post = () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' })
    return fetch(one.url.replace('{one}', one.key), { method: 'POST', body })
  }
  const statuses = [await post(), await post(), await post()].map(({ status }) => status)
  assert.deepEqual(statuses, [429, 429, 200])
})

test('provider two blocks behind: the older head, no receipt, nonce and log of newer blocks', async () => {
  const hash = await send(await signed())
  await anvil.mine(2)
  const head = await anvil.head()
  one.lies.behind = 2
  assert.equal(await ask('eth_blockNumber'), inHex(head - 2))
  assert.equal(await ask('eth_getTransactionReceipt', hash), null)
  assert.equal(await nonceNow(), nonce)
  assert.equal(await ask('eth_getBlockByNumber', inHex(head), false), null)
  one.honest()
  assert.equal(await nonceNow(), nonce + 1)
})

test('provider, three blocks to finality: finalized is three behind the head, and no reorg takes it back', async () => {
  await anvil.mine(5)
  const head = await anvil.head()
  const block = (await ask('eth_getBlockByNumber', 'finalized', false)) as { number: Hex }
  assert.equal(Number(block.number), head - 3)
  await assert.rejects(book.reorg(4), /is final/)
  await book.reorg(3)
  assert.equal(await anvil.head(), head)
})

test('provider, reorg of the block of a transaction: receipt and transaction gone, nonce back, same bytes mined again', async () => {
  const raw = await signed()
  const hash = await send(raw)
  await anvil.mine()
  await book.reorg(1)
  assert.equal(await ask('eth_getTransactionReceipt', hash), null)
  assert.equal(await nonceNow(), nonce)
  await send(raw)
  await anvil.mine()
  assert.equal(await nonceNow(), nonce + 1)
})

const REPLACEMENTS = [
  ['geth', 110, 110, true],
  ['geth', 110, 100, false],
  ['geth', 100, 110, false],
  ['geth', 109, 109, false],
  ['reth', 110, 110, false],
  ['reth', 111, 111, true],
] as const

for (const [rules, tip, max_fee, is_taken] of REPLACEMENTS)
  test(`provider by the rules of ${rules}, tip of ${tip} % and fee of ${max_fee} %: ${is_taken ? 'taken' : 'underpriced'}`, async () => {
    book.rules = rules
    const times = (by: number, fee: bigint) => (fee * BigInt(by)) / 100n
    await send(await signed())
    const raw = await signed({ tip: times(tip, GWEI), max_fee: times(max_fee, 10n * GWEI) })
    if (is_taken) await send(raw)
    else await assert.rejects(send(raw), /replacement transaction underpriced/)
  })

test('provider without a pool, nonce after the next: too high, and taken once the next is there', async () => {
  book.keeps_pending = false
  const later = await signed({ nonce: nonce + 1 })
  await assert.rejects(send(later), /nonce too high/)
  await send(await signed())
  await send(later)
  await anvil.mine()
  assert.equal(await nonceNow(), nonce + 2)
})

test('provider, pool forgets: nothing is mined, and the same bytes are taken again', async () => {
  const raw = await signed()
  await send(raw)
  await book.forget()
  await anvil.mine()
  assert.equal(await nonceNow(), nonce)
  await send(raw)
  await anvil.mine()
  assert.equal(await nonceNow(), nonce + 1)
})

test('provider with another chain id, empty logs or a forged receipt: says so', async () => {
  const hash = await send(await signed())
  await anvil.mine()
  one.lies.chain_id = '0x1'
  one.lies.no_logs = true
  one.lies.receipt = receipt => ({ ...receipt, status: '0x0' })
  assert.equal(await ask('eth_chainId'), '0x1')
  assert.deepEqual(await ask('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' }), [])
  const receipt = (await ask('eth_getTransactionReceipt', hash)) as { status: Hex }
  assert.equal(receipt.status, '0x0')
})
