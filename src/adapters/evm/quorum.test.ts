// A chain through providers over real HTTP that lag, lie and disagree: an answer, or none.
import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { inspect } from 'node:util'
import {
  blockJson,
  byView,
  hash32,
  hashAt,
  type Said,
  type Script,
  type ScriptedNode,
  startScriptedNode,
  type View,
} from '../../../test/support/chain/scripted-node.ts'
import { until } from '../../../test/support/service/process.ts'
import { TRANSFER_TOPIC } from './abi.ts'
import type { Agreed, Hex } from './chain.ts'
import { EVM_CHAINS } from './chains.ts'
import { bytesOf, hashOf, wordOf } from './hex.ts'
import { type ChainConfig, type OpenChain, openChain } from './quorum.ts'

const NAMES = ['one', 'two', 'three', 'four', 'five']
const WALLET: Hex = `0x${'11'.repeat(20)}`
const PAYEE: Hex = `0x${'22'.repeat(20)}`
const TOKEN: Hex = `0x${'33'.repeat(20)}`
const HASH = hash32('a transaction')

const closing: (() => Promise<void>)[] = []
after(async () => {
  for (const close of closing) await close()
})

interface World {
  readonly chain: OpenChain
  readonly nodes: readonly ScriptedNode[]
  readonly views: readonly View[]
  /** How each provider answers what is no question about blocks. */
  answer(...scripts: readonly Script[]): void
}

const [base] = EVM_CHAINS.filter(({ type }) => type === 'base')
assert.ok(base !== undefined)
/** Heads are asked for anew at each question, so that a test can move them. */
const BASE = { ...base, block_ms: 0 }

async function open(count = 3, more: Partial<ChainConfig> = {}, batch = 20): Promise<World> {
  const views = NAMES.slice(0, count).map(
    (): View => ({ chain_id: 8453, head: 1_000, final: 900, fork: 'a', forked_at: 0 }),
  )
  const nodes = await Promise.all(views.map(view => startScriptedNode(byView(view))))
  const chain = openChain(
    {
      chain: BASE,
      providers: nodes.map(({ url }, i) => ({
        name: NAMES[i] ?? '',
        url,
        per_second: 10_000,
        batch,
      })),
      ...{ lag_blocks: 3, settles_on: 'finalized', allow_private: true },
      ...more,
    },
    '',
  )
  closing.push(async () => {
    for (const node of nodes) await node.close()
    await chain.close()
  })
  const answer = (...scripts: readonly Script[]) => {
    nodes.forEach((node, i) => {
      const [view, script] = [views[i], scripts[i] ?? scripts.at(-1)]
      if (view !== undefined) node.say(byView(view, script))
    })
  }
  return { chain, nodes, views, answer }
}

const result =
  (value: unknown): Script =>
  () => ({ result: value })
const failing =
  (message: string, code = -32_000): Script =>
  () => ({ error: { code, message } })
const silent: Script = () => 'cut'

function agreedOf<T>(found: Agreed<T>): T {
  assert.ok('agreed' in found, inspect(found))
  return found.agreed
}

function unclearOf(found: Agreed<unknown>): string {
  assert.ok('unclear' in found)
  return found.unclear
}

const view = { fork: 'a', forked_at: 0 }

function transferLog(number: number, more: Record<string, unknown> = {}) {
  return {
    address: TOKEN,
    topics: [
      TRANSFER_TOPIC,
      `0x${WALLET.slice(2).padStart(64, '0')}`,
      `0x${PAYEE.slice(2).padStart(64, '0')}`,
    ],
    data: `0x${wordOf(5n)}`,
    blockNumber: `0x${number.toString(16)}`,
    blockHash: hashAt(view, number),
    transactionHash: HASH,
    logIndex: '0x2',
    removed: false,
    ...more,
  }
}

function receiptJson(more: Record<string, unknown> = {}) {
  return {
    ...{ transactionHash: HASH, blockNumber: '0x384', blockHash: hashAt(view, 900) },
    ...{ status: '0x1', gasUsed: '0xea60', effectiveGasPrice: '0x3b9aca00', l1Fee: '0x64' },
    logs: [transferLog(900)],
    ...more,
  }
}

suite('blocks of a quorum', () => {
  test('head: the newest block of the slowest provider that counts', async () => {
    const { chain, views } = await open()
    const [one, two, three] = views as [View, View, View]
    Object.assign(one, { head: 1_002 })
    Object.assign(three, { head: 500 })
    const head = agreedOf(await chain.head())
    assert.deepEqual([head.number, head.hash], [1_000n, hashAt(two, 1_000)])
    assert.deepEqual([head.base_fee, head.at], [1_000_000_000n, '2026-09-21T14:46:40.000000Z'])
  })

  test('head, both of two on other histories: none, and both are named', async () => {
    const { chain, views } = await open(2)
    Object.assign(views[1] as View, { fork: 'b', forked_at: 990 })
    assert.match(unclearOf(await chain.head()), /give different answers/)
  })

  test('one of two silent: none', async () => {
    const { chain, nodes } = await open(2)
    nodes[1]?.say(silent)
    assert.match(unclearOf(await chain.head()), /two is left out: connection reset/)
  })

  test('one of four silent, and one behind: none, as three of those in the settings must agree', async () => {
    const { chain, nodes, views } = await open(4)
    nodes[0]?.say(silent)
    Object.assign(views[1] as View, { head: 5 })
    assert.match(unclearOf(await chain.head()), /one is left out: .*two is left out: it is 995/)
  })

  test('all behind, as one that is ahead breaks off: none, so that nothing is read as of long ago', async () => {
    const { chain, nodes, views } = await open()
    agreedOf(await chain.head())
    nodes[0]?.say(silent)
    for (const one of views) one.head = 5
    assert.match(unclearOf(await chain.head()), /the newest block went back from 1000 to 5/)
  })

  test('final: the highest block that is final for enough providers', async () => {
    const { chain, views } = await open()
    Object.assign(views[0] as View, { final: 905 })
    Object.assign(views[1] as View, { final: 903 })
    assert.equal(agreedOf(await chain.final()).number, 903n)
  })

  test('final, one provider claims a later block: what two have counts', async () => {
    const { chain, views } = await open()
    Object.assign(views[0] as View, { final: 1_000 })
    assert.equal(agreedOf(await chain.final()).number, 900n)
  })

  test('final, named earlier than before: stays', async () => {
    const { chain, views } = await open()
    assert.equal(agreedOf(await chain.final()).number, 900n)
    for (const one of views) one.final = 800
    assert.equal(agreedOf(await chain.final()).number, 900n)
  })

  test('final, same height with another hash: none', async () => {
    const { chain, views } = await open()
    await chain.final()
    for (const one of views) Object.assign(one, { fork: 'b', forked_at: 100 })
    assert.match(unclearOf(await chain.final()), /is another now/)
  })

  test('settled by a number of blocks: so many below the head; final: as the chain says', async () => {
    const { chain } = await open(3, { settles_on: { blocks: 12 } })
    const { number } = agreedOf(await chain.settled())
    assert.equal(number, 988n)
    assert.ok(agreedOf(await chain.final()).number < number)
  })

  test('block of a number: as two of three have it; null where there is none', async () => {
    const { chain, views } = await open()
    Object.assign(views[2] as View, { fork: 'b', forked_at: 100 })
    assert.equal(agreedOf(await chain.block(500n))?.hash, hashAt(view, 500))
    assert.equal(agreedOf(await chain.block(5_000n)), null)
    await until('three is counted', async () => {
      const counts = chain.providers().map(({ other_answers }) => other_answers)
      return String(counts) === '0,0,1'
    })
  })
})

suite('receipts of a quorum', () => {
  test('receipt: its block, its transfers, and all that the gas cost', async () => {
    const { chain, answer } = await open()
    answer(result(receiptJson()))
    assert.deepEqual(agreedOf(await chain.receipt(HASH)), {
      ...{ hash: HASH, block: 900n, block_hash: hashAt(view, 900), succeeded: true },
      ...{ gas_used: 60_000n, cost_wei: 60_000n * 1_000_000_000n + 100n },
      transfers: [
        {
          ...{ tx_hash: HASH, block: 900n, block_hash: hashAt(view, 900), log_index: 2 },
          ...{ token: TOKEN, sender: WALLET, receiver: PAYEE, units: 5n },
        },
      ],
    })
  })

  test('receipt by one provider alone: none', async () => {
    const { chain, answer } = await open()
    answer(result(receiptJson()), result(null), silent)
    assert.match(unclearOf(await chain.receipt(HASH)), /different answers/)
  })

  test('no receipt by two of three: none there, whatever the third says', async () => {
    const { chain, answer } = await open()
    answer(result(null), result(null), result(receiptJson()))
    assert.equal(agreedOf(await chain.receipt(HASH)), null)
  })

  const differing: readonly (readonly [string, Record<string, unknown>])[] = [
    ['status', { status: '0x0' }],
    ['block', { blockHash: hash32('other'), logs: [] }],
    ['amount', { logs: [transferLog(900, { data: `0x${wordOf(6n)}` })] }],
    [
      'payee',
      {
        logs: [
          transferLog(900, { topics: [TRANSFER_TOPIC, `0x${wordOf(1n)}`, `0x${wordOf(2n)}`] }),
        ],
      },
    ],
    ['fee', { effectiveGasPrice: '0x1' }],
  ]
  for (const [what, change] of differing) {
    test(`receipts of two that differ in the ${what}: none`, async () => {
      const { chain, answer } = await open(2)
      answer(result(receiptJson()), result(receiptJson(change)))
      unclearOf(await chain.receipt(HASH))
    })
  }

  const unreadable: readonly (readonly [string, unknown])[] = [
    ['of another transaction', receiptJson({ transactionHash: hash32('other') })],
    ['without a status', receiptJson({ status: undefined })],
    ['with a status of 2', receiptJson({ status: '0x2' })],
    ['with a number as a number', receiptJson({ gasUsed: 60_000 })],
    ['with 33 bytes of gas', receiptJson({ gasUsed: `0x${'f'.repeat(66)}` })],
    ['without the fee of the layer below', receiptJson({ l1Fee: undefined })],
    [
      'with a log of another transaction',
      receiptJson({ logs: [transferLog(900, { transactionHash: hash32('x') })] }),
    ],
    ['with a log of another block', receiptJson({ logs: [transferLog(901)] })],
    ['with a removed log', receiptJson({ logs: [transferLog(900, { removed: true })] })],
    [
      'with an amount of 31 bytes',
      receiptJson({ logs: [transferLog(900, { data: `0x${'00'.repeat(31)}` })] }),
    ],
    ['that is pending', receiptJson({ blockNumber: null })],
    ['as a list', [receiptJson()]],
    ['as text', 'paid'],
  ]
  for (const [what, json] of unreadable) {
    test(`receipt ${what}: no answer`, async () => {
      const { chain, answer } = await open(2)
      answer(result(json))
      assert.match(unclearOf(await chain.receipt(HASH)), /eth_getTransactionReceipt cannot be read/)
    })
  }

  test('receipt with other events and an NFT: its transfers of ERC-20 alone', async () => {
    const { chain, answer } = await open(2)
    const nft = transferLog(900, { topics: [TRANSFER_TOPIC, ...Array(3).fill(`0x${wordOf(1n)}`)] })
    const event = transferLog(900, { topics: [hash32('Approval')], data: '0x' })
    answer(result(receiptJson({ logs: [nft, event, transferLog(900)] })))
    assert.equal(agreedOf(await chain.receipt(HASH))?.transfers.length, 1)
  })
})

suite('accounts and calls of a quorum', () => {
  test('nonce at the newest block: asked as of one block, so that heads may differ', async () => {
    const { chain, views, nodes, answer } = await open()
    Object.assign(views[0] as View, { head: 1_001 })
    answer(({ params: [, at] }) => ({ result: at === '0x3e8' ? '0x7' : '0x8' }))
    assert.equal(agreedOf(await chain.nonce(WALLET, 'latest')), 7n)
    assert.equal(agreedOf(await chain.nonce(WALLET, 'finalized')), 8n)
    const asked = nodes[0]?.asked.filter(({ method }) => method === 'eth_getTransactionCount')
    assert.deepEqual(
      asked?.map(({ params }) => params),
      [
        [WALLET, '0x3e8'],
        [WALLET, '0x384'],
      ],
    )
  })

  test('balance of a token and of the coin: a number; a call without an answer is none', async () => {
    const { chain, answer } = await open()
    answer(({ method }) => ({ result: method === 'eth_call' ? `0x${wordOf(12n)}` : '0xde' }))
    assert.equal(agreedOf(await chain.balance(WALLET, TOKEN, 'latest')), 12n)
    assert.equal(agreedOf(await chain.balance(WALLET, null, 5n)), 222n)
    answer(result('0x'))
    assert.match(unclearOf(await chain.balance(WALLET, TOKEN, 'latest')), /eth_call cannot be read/)
  })

  const revert: Said = { error: { code: 3, message: 'execution reverted' } }
  const byQuestion =
    (circle: Said, tether: Said): Script =>
    ({ params }) => {
      const [{ data }] = params as [{ data: string }]
      return data.startsWith('0xfe575a87') ? circle : tether
    }
  const yes = { result: `0x${wordOf(1n)}` }
  const no = { result: `0x${wordOf(0n)}` }
  const frozen: readonly (readonly [string, Said, Said, boolean | undefined])[] = [
    ['as Circle says it', yes, revert, true],
    ['as Tether says it', revert, yes, true],
    ['no, as Circle says it', no, revert, false],
    ['a token that cannot freeze', revert, revert, false],
    ['a contract that answers nothing', { result: '0x' }, { result: '0x' }, false],
    ['a number that is neither yes nor no', { result: `0x${wordOf(2n)}` }, revert, undefined],
    [
      'a node that cannot tell',
      { error: { code: -32000, message: 'header not found' } },
      no,
      undefined,
    ],
  ]
  for (const [what, circle, tether, expected] of frozen) {
    test(`frozen, ${what}: ${expected ?? 'no answer'}`, async () => {
      const { chain, answer } = await open(2)
      answer(byQuestion(circle, tether))
      const found = await chain.frozen(PAYEE, TOKEN)
      assert.equal('agreed' in found ? found.agreed : undefined, expected)
    })
  }

  test('code of an account: a contract', async () => {
    const { chain, answer } = await open()
    answer(result('0x6080'), result('0x6080'), result('0x'))
    assert.equal(agreedOf(await chain.isContract(PAYEE)), true)
    answer(result('0x'))
    assert.equal(agreedOf(await chain.isContract(PAYEE)), false)
  })

  const move = { wallet: WALLET, token: TOKEN, payee: PAYEE, units: 5n, tag: '0xabcd' } as const
  const trying =
    (call: Said, gas: Said = { result: '0xea60' }): Script =>
    ({ method }) =>
      method === 'eth_call' ? call : gas

  test('trial of a transfer, one of three asks for absurd gas: the median, so it makes nothing dear', async () => {
    const { chain, answer } = await open()
    for (const absurd of ['0x989680', '0x1']) {
      answer(
        trying(yes, { result: absurd }),
        trying(yes, { result: '0xea60' }),
        trying(yes, { result: '0xfde8' }),
      )
      const { gas } = agreedOf(await chain.simulate(move)) as { gas: bigint }
      assert.ok(gas >= 60_000n && gas <= 65_000n, `${gas}`)
    }
  })

  test('trial that reverts, one of three words it: as most do', async () => {
    const { chain, answer } = await open()
    const saying = (words: string) =>
      trying({ error: { code: 3, message: `execution reverted: ${words}`, data: '0x' } })
    answer(saying('send it to 0x66'), saying('Pausable: paused'), saying('Pausable: paused'))
    assert.deepEqual(agreedOf(await chain.simulate(move)), { reverted: 'Pausable: paused' })
  })

  test('trial of a transfer: the exact bytes, and of two the higher gas', async () => {
    const { chain, nodes, answer } = await open(2)
    answer(trying(yes), trying({ result: '0x' }, { result: '0xfde8' }))
    assert.deepEqual(agreedOf(await chain.simulate(move)), { gas: 65_000n })
    const call = nodes[0]?.asked.find(({ method }) => method === 'eth_call')
    const data = `0xa9059cbb${PAYEE.slice(2).padStart(64, '0')}${wordOf(5n)}abcd`
    assert.deepEqual(call?.params[0], { from: WALLET, to: TOKEN, data })
  })

  test('trial of a transfer: its call and its gas as of one block, which has a number', async () => {
    const { chain, nodes, answer } = await open(2)
    answer(trying(yes))
    agreedOf(await chain.simulate(move))
    const [{ asked } = assert.fail('no node')] = nodes
    const tried = asked.filter(({ params }) => (params[0] as { from?: string })?.from === WALLET)
    assert.deepEqual(
      tried.map(({ method, params }) => [method, params[1]]),
      ['eth_call', 'eth_estimateGas'].map(method => [method, '0x3e8']),
    )
  })

  test('trial that reverts for both: the reason that one of them gives', async () => {
    const { chain, answer } = await open(2)
    answer(
      trying({ error: { code: -32015, message: 'VM execution error: revert' } }),
      trying({ error: { code: 3, message: 'execution reverted: Pausable: paused', data: '0x' } }),
    )
    assert.deepEqual(agreedOf(await chain.simulate(move)), { reverted: 'Pausable: paused' })
  })

  test('trial of a token that answers false: it would not move', async () => {
    const { chain, answer } = await open(2)
    answer(trying(no))
    assert.deepEqual(agreedOf(await chain.simulate(move)), { reverted: 'the token answers false' })
  })

  test('trial that reverts for one alone, or fails: no answer', async () => {
    const { chain, answer } = await open(2)
    answer(trying(yes), trying(revert))
    unclearOf(await chain.simulate(move))
    answer(trying(yes), trying({ error: { code: -32000, message: 'missing trie node' } }))
    unclearOf(await chain.simulate(move))
    answer(trying({ result: `0x${wordOf(7n)}` }))
    unclearOf(await chain.simulate(move))
  })

  test('market: the median of providers, so that one alone makes nothing dear', async () => {
    const { chain, answer } = await open()
    const history = (base: string, tips: readonly string[]) =>
      result({ baseFeePerGas: ['0x1', base], reward: tips.map(tip => [tip]) })
    answer(
      history('0xa', ['0x3', '0x1', '0x2']),
      history('0xffffffffffff', ['0xffffff']),
      history('0xb', ['0x4']),
    )
    assert.deepEqual(agreedOf(await chain.market()), { base_fee: 11n, tip: 4n })
    answer(history('0xa', ['0x3']), silent, result({ baseFeePerGas: [], reward: [] }))
    unclearOf(await chain.market())
  })

  test('transaction of a hash: as two have it; null for none', async () => {
    const { chain, answer } = await open()
    const input = `0xa9059cbb${'00'.repeat(64)}${'ab'.repeat(16)}`
    const json = {
      hash: HASH,
      from: WALLET,
      nonce: '0x7',
      gas: '0xea60',
      maxFeePerGas: '0x5',
      input,
    }
    answer(result(json), result(json), result(null))
    const known = { sender: WALLET, nonce: 7n, max_fee: 5n, gas: 60_000n, data: input }
    assert.deepEqual(agreedOf(await chain.transaction(HASH)), known)
    answer(result({ ...json, maxFeePerGas: undefined, gasPrice: '0x6' }))
    assert.equal(agreedOf(await chain.transaction(HASH))?.max_fee, 6n)
    answer(result(null))
    assert.equal(agreedOf(await chain.transaction(HASH)), null)
    answer(result({ ...json, hash: hash32('other') }))
    unclearOf(await chain.transaction(HASH))
    answer(result({ ...json, nonce: 7 }))
    unclearOf(await chain.transaction(HASH))
  })
})

suite('transfers of a quorum', () => {
  /** Logs by the range that is asked, and only for the senders. */
  const logs =
    (numbers: readonly number[], most = Number.POSITIVE_INFINITY): Script =>
    asked => {
      const [{ fromBlock, toBlock, topics }] = asked.params as [Record<string, string>]
      const [from, to] = [Number(fromBlock), Number(toBlock)]
      const found = numbers.filter(number => number >= from && number <= to)
      if (found.length > most) return { error: { code: -32_005 - 1, message: 'too many results' } }
      const isOut = topics?.length === 2
      const logOf = (number: number) =>
        transferLog(number, { transactionHash: hash32(`transaction in ${number}`) })
      return { result: isOut ? found.map(logOf) : [] }
    }

  test('transfers of a range: in the order of the chain, from questions of 1,000 blocks', async () => {
    const { chain, views, nodes, answer } = await open()
    for (const one of views) Object.assign(one, { head: 9_000, final: 8_000 })
    answer(logs([3_000, 5, 1_500]))
    const found = agreedOf(await chain.transfers([WALLET], [TOKEN], 1n, 3_000n))
    assert.deepEqual(
      found.map(({ block }) => block),
      [5n, 1_500n, 3_000n],
    )
    const asked = nodes[0]?.asked.filter(({ method }) => method === 'eth_getLogs') ?? []
    assert.equal(asked.length, 6)
  })

  test('too many for one answer: asked for in halves', async () => {
    const { chain, answer } = await open()
    const numbers = Array.from({ length: 300 }, (_, i) => 100 + i)
    answer(logs(numbers, 20))
    const found = agreedOf(await chain.transfers([WALLET], [TOKEN], 100n, 400n))
    assert.deepEqual(
      found.map(({ block }) => Number(block)),
      numbers,
    )
  })

  test('provider whose final block is before the range: its empty list counts for nothing', async () => {
    const { chain, views, answer } = await open(2)
    Object.assign(views[1] as View, { final: 899 })
    answer(logs([900]), result([]))
    assert.match(
      unclearOf(await chain.transfers([WALLET], [TOKEN], 1n, 900n)),
      /two: its final block is 899, before 900/,
    )
  })

  test('provider that falls behind while it answers: counts for nothing', async () => {
    const { chain, views, answer } = await open(2)
    answer(logs([900]), () => {
      Object.assign(views[1] as View, { final: 10 })
      return { result: [] }
    })
    assert.match(
      unclearOf(await chain.transfers([WALLET], [TOKEN], 1n, 900n)),
      /two: its final block/,
    )
  })

  test('empty list of a lagging node of three: what two have', async () => {
    const { chain, answer } = await open()
    answer(logs([900]), result([]), logs([900]))
    assert.equal(agreedOf(await chain.transfers([WALLET], [TOKEN], 1n, 900n)).length, 1)
  })

  const foreign: readonly (readonly [string, Record<string, unknown>])[] = [
    ['of another token', { address: PAYEE }],
    ['outside the range', { blockNumber: '0x1' }],
    ['of other accounts', { topics: [TRANSFER_TOPIC, `0x${wordOf(1n)}`, `0x${wordOf(2n)}`] }],
    ['that was removed', { removed: true }],
  ]
  for (const [what, change] of foreign) {
    test(`log ${what}: no answer`, async () => {
      const { chain, answer } = await open(2)
      answer(result([transferLog(900, change)]))
      assert.match(
        unclearOf(await chain.transfers([WALLET], [TOKEN], 800n, 900n)),
        /cannot be read/,
      )
    })
  }

  test('no wallet or no token: nobody is asked for the transfers of everybody', async () => {
    const { chain, nodes } = await open(2)
    assert.deepEqual(agreedOf(await chain.transfers([], [TOKEN], 1n, 900n)), [])
    assert.deepEqual(agreedOf(await chain.transfers([WALLET], [], 1n, 900n)), [])
    assert.ok(nodes.every(({ asked }) => asked.length === 0))
  })
})

suite('bytes handed over', () => {
  const RAW: Hex = '0x02c0'
  const has = result(hashOf(Uint8Array.of(2, 0xc0)))
  const table: readonly (readonly [string, readonly Script[], string])[] = [
    ['one takes them', [has, silent], 'taken'],
    ['geth has them', [failing('already known'), silent], 'taken'],
    ['reth has them', [failing('already imported'), silent], 'taken'],
    ['anvil has them', [failing('transaction already imported'), silent], 'taken'],
    ['Erigon has them', [failing('ALREADY_EXISTS: already known'), silent], 'taken'],
    ['Nethermind has them', [failing('known transaction: abcd'), silent], 'taken'],
    [
      'the nonce is used',
      [failing('nonce too low: next nonce 5, tx nonce 4'), silent],
      'nonce_used',
    ],
    ['one takes them, one says that the nonce is used', [failing('nonce too low'), has], 'taken'],
    ['too cheap', [failing('replacement transaction underpriced')], 'unclear'],
    ['a type that is not known', [failing('unknown transaction type')], 'unclear'],
    ['no money', [failing('insufficient funds for gas * price + value')], 'unclear'],
    ['another hash', [result(hash32('x'))], 'unclear'],
    ['true', [result(true)], 'unclear'],
    ['nobody answers', [silent], 'unclear'],
  ]
  for (const [what, scripts, expected] of table) {
    test(`bytes, ${what}: ${expected}`, async () => {
      const { chain, answer } = await open(2)
      answer(...scripts)
      const [said] = await chain.broadcast([RAW])
      assert.equal(said?.taken, expected)
    })
  }

  test('bytes: handed to every provider, also to one that is behind; not to another chain', async () => {
    const { chain, nodes, views, answer } = await open()
    Object.assign(views[1] as View, { head: 10 })
    Object.assign(views[2] as View, { chain_id: 1 })
    answer(failing('underpriced'))
    const [said] = await chain.broadcast([RAW])
    const got = nodes.map(({ asked }) => asked.filter(({ params: [raw] }) => raw === RAW).length)
    assert.deepEqual(got, [1, 1, 0])
    assert.match(said?.answers ?? '', /one: underpriced/)
  })

  const RAWS = ['0x02c0', '0x02c1', '0x02c2', '0x02c3'] as const
  /** Takes all but these bytes. */
  const takesBut =
    (...refused: readonly Hex[]): Script =>
    ({ params: [raw] }) =>
      refused.includes(raw as Hex)
        ? { error: { code: -32_000, message: 'underpriced' } }
        : { result: hashOf(bytesOf(raw as Hex)) }
  const sentTo = ({ asked }: ScriptedNode) =>
    asked.flatMap(({ method, params: [raw] }) => (method === 'eth_sendRawTransaction' ? raw : []))

  test('bytes of several numbers: each provider gets them in one request, in their order', async () => {
    const { chain, nodes, answer } = await open(2)
    answer(takesBut())
    const said = await chain.broadcast(RAWS)
    assert.deepEqual(
      said.map(({ taken }) => taken),
      ['taken', 'taken', 'taken', 'taken'],
    )
    const [one] = nodes
    assert.deepEqual(one && [sentTo(one), one.requests.at(-1)], [RAWS, 4])
  })

  test('bytes of several numbers, one refused: what goes in later requests is not sent', async () => {
    const { chain, nodes, answer } = await open(2, {}, 2)
    answer(takesBut(RAWS[0]))
    const said = await chain.broadcast(RAWS)
    assert.deepEqual(
      said.map(({ taken }) => taken),
      ['unclear', 'taken'],
    )
    assert.deepEqual(nodes.map(sentTo), [RAWS.slice(0, 2), RAWS.slice(0, 2)])
  })

  test('bytes of several numbers, one provider refuses the second and another takes all: all are taken', async () => {
    const { chain, answer } = await open(2)
    answer(takesBut(RAWS[1]), takesBut())
    const said = await chain.broadcast(RAWS)
    assert.ok(said.every(({ taken }) => taken === 'taken'))
    assert.equal(said.length, RAWS.length)
  })

  test('bytes of several numbers, nodes without a pool: each only after the one before it is taken', async () => {
    const { chain, nodes, answer } = await open(2, { chain: { ...BASE, keeps_pending: false } })
    answer(takesBut(RAWS[2]))
    const said = await chain.broadcast(RAWS)
    assert.deepEqual(
      said.map(({ taken }) => taken),
      ['taken', 'taken', 'unclear'],
    )
    assert.deepEqual(nodes.map(sentTo), [RAWS.slice(0, 3), RAWS.slice(0, 3)])
    assert.ok(nodes.every(({ requests }) => requests.every(calls => calls === 1)))
  })

  test('bytes of several numbers, a provider that takes no batch: one after the other, in the same call', async () => {
    const { chain, nodes, answer } = await open(1)
    const takes = takesBut()
    answer(asked =>
      nodes[0]?.requests.at(-1) === 1 ? takes(asked) : { text: 'no batches', status: 403 },
    )
    const said = await chain.broadcast(RAWS)
    assert.ok(said.every(({ taken }) => taken === 'taken'))
    assert.deepEqual(nodes[0]?.requests.slice(-5), [4, 1, 1, 1, 1])
  })
})

suite('troubles of providers', () => {
  test('all well: none', async () => {
    const { chain } = await open()
    assert.deepEqual(await chain.troubles(), [])
  })

  test('provider on another chain: named, and its answers count for nothing', async () => {
    const { chain, views } = await open()
    Object.assign(views[1] as View, { chain_id: 1 })
    const message = 'two is on chain 1, not on Base, 8453'
    assert.deepEqual(await chain.troubles(), [{ kind: 'other_chain', providers: ['two'], message }])
    assert.equal(agreedOf(await chain.head()).number, 1_000n)
  })

  test('one of three with another final block than the others: it alone is wrong, with the hashes', async () => {
    const { chain, views } = await open()
    Object.assign(views[2] as View, { fork: 'b', forked_at: 890 })
    const [trouble, ...others] = await chain.troubles()
    assert.deepEqual([trouble?.kind, trouble?.providers], ['provider_wrong', ['three']])
    const its = hashAt({ fork: 'b', forked_at: 890 }, 900)
    assert.ok(trouble?.message.includes(`three has ${its}, but one has ${hashAt(view, 900)}`))
    assert.deepEqual(others, [])
    assert.equal(agreedOf(await chain.final()).hash, hashAt(view, 900))
  })

  /** What a provider may forge about something final. */
  const forged: Readonly<
    Record<string, readonly [ask: (chain: OpenChain) => unknown, said: Said]>
  > = {
    'the receipt of a payment': [
      chain => chain.receipt(HASH),
      { result: receiptJson({ status: '0x0' }) },
    ],
    'the number of a wallet': [chain => chain.nonce(WALLET, 'finalized'), { result: '0x9' }],
    'the balance of a wallet': [chain => chain.balance(WALLET, null, 800n), { result: '0x9' }],
    'the transfers of a wallet': [
      chain => chain.transfers([WALLET], [TOKEN], 800n, 900n),
      { result: [] },
    ],
  }
  const honest: Script = ({ method, params }) => {
    if (method === 'eth_getTransactionReceipt') return { result: receiptJson() }
    if (method !== 'eth_getLogs') return { result: '0x7' }
    const [{ topics }] = params as [{ topics: readonly unknown[] }]
    return { result: topics.length === 2 ? [transferLog(900)] : [] }
  }
  for (const [what, [ask, said]] of Object.entries(forged)) {
    test(`one of three forges ${what}: it is named, and the others are believed`, async () => {
      const { chain, answer } = await open()
      answer(honest, () => said, honest)
      await chain.final()
      assert.ok('agreed' in ((await ask(chain)) as Agreed<unknown>))
      await until('a trouble', async () => (await chain.troubles()).length > 0)
      const [trouble] = await chain.troubles()
      assert.deepEqual([trouble?.kind, trouble?.providers], ['provider_wrong', ['two']])
    })

    test(`one of two forges ${what}: no answer, and both are named`, async () => {
      const { chain, answer } = await open(2)
      answer(honest, () => said)
      await chain.final()
      unclearOf((await ask(chain)) as Agreed<unknown>)
      await until('a trouble', async () => (await chain.troubles()).length > 0)
      const [trouble] = await chain.troubles()
      assert.deepEqual([trouble?.kind, trouble?.providers], ['providers_disagree', ['one', 'two']])
    })
  }

  test('receipt that one provider has not yet: nobody is wrong', async () => {
    const { chain, answer } = await open()
    answer(honest, honest, result(null))
    await chain.final()
    agreedOf(await chain.receipt(HASH))
    await until('three is counted', async () => chain.providers()[2]?.other_answers === 1)
    assert.deepEqual(await chain.troubles(), [])
  })

  test('two of two with other histories: both are named, at the lower final block', async () => {
    const { chain, views } = await open(2)
    Object.assign(views[1] as View, { fork: 'b', forked_at: 100, final: 700 })
    const [trouble] = await chain.troubles()
    assert.deepEqual([trouble?.kind, trouble?.providers], ['providers_disagree', ['one', 'two']])
    assert.match(trouble?.message ?? '', /final block 700/)
  })

  test('histories that differ above what is final: no trouble', async () => {
    const { chain, views } = await open()
    Object.assign(views[2] as View, { fork: 'b', forked_at: 950 })
    assert.deepEqual(await chain.troubles(), [])
  })

  test('state of providers: heads, lag, final blocks, and why one is left out', async () => {
    const { chain, views } = await open()
    Object.assign(views[2] as View, { head: 10 })
    await chain.final()
    await chain.troubles()
    const [one, , three] = chain.providers()
    assert.deepEqual([one?.name, one?.left_out, one?.final, one?.lag], ['one', '', 900n, 0])
    assert.deepEqual([three?.left_out, three?.lag], ['it is 990 blocks behind', 990])
    assert.equal(one?.head?.hash, blockJson(view, 1_000).hash)
  })

  test('key that the secret lacks: the rail does not open, and the key is named', async () => {
    const [base] = EVM_CHAINS
    assert.ok(base !== undefined)
    const providers = [
      { name: 'one', url: 'https://rpc.example/{alchemy}', per_second: 1, batch: 1 },
    ]
    const config: ChainConfig = {
      ...{ chain: base, providers, lag_blocks: 3, settles_on: 'finalized', allow_private: false },
    }
    assert.throws(() => openChain(config, ''), /provider one: the secret has no key alchemy/)
  })
})
