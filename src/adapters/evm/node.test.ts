// One provider over real HTTP: what counts as an answer, what it may cost, and what stays secret.
import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { inspect } from 'node:util'
import {
  type Said,
  type Script,
  startScriptedNode,
} from '../../../test/support/chain/scripted-node.ts'
import { NoAnswer, Node, NodeError, TooLong } from './node.ts'

const MiB = 1024 * 1024
const KEY = 'k3y-which-nobody-may-see'

const closing: (() => Promise<void>)[] = []
after(async () => {
  for (const close of closing) await close()
})

interface Limits {
  readonly keys?: readonly string[]
  readonly per_second?: number
  readonly batch?: number
  readonly within_ms?: number
}

async function open(script: Script, more: Limits = {}) {
  const server = await startScriptedNode(script)
  closing.push(() => server.close())
  const node = new Node({
    name: 'alchemy',
    url: `${server.url}${KEY}?token=${KEY}`,
    keys: more.keys ?? [KEY],
    per_second: more.per_second ?? 1_000,
    batch: more.batch ?? 1,
    allow_private: true,
    answer_within_ms: more.within_ms ?? 5_000,
  })
  return { node, server }
}

/** JSON-RPC of exactly so many bytes. */
function padded(id: number, bytes: number): string {
  const shell = JSON.stringify({ jsonrpc: '2.0', id, result: '' })
  return shell.replace('""', `"${'a'.repeat(bytes - shell.length)}"`)
}

suite('node', () => {
  test('asked: its URL with the key, JSON-RPC 2.0, and the result', async () => {
    const { node, server } = await open(({ params }) => ({ result: params }))
    assert.deepEqual(await node.ask('eth_call', [{ to: '0x1' }, 'latest']), [
      { to: '0x1' },
      'latest',
    ])
    assert.equal(await node.ask('eth_x', []).then(result => `${result}`), '')
    const [first, second] = server.asked
    assert.deepEqual([first?.method, first?.path], ['eth_call', `/v2/${KEY}?token=${KEY}`])
    assert.notEqual(first?.id, second?.id)
    assert.deepEqual(node.counts, { asked: 2, unanswered: 0, held_back: 0 })
  })

  test('null as a result: a result', async () => {
    const { node } = await open(() => ({ result: null }))
    assert.equal(await node.ask('eth_getTransactionReceipt', []), null)
  })

  test('error of a node: its code, its words on one short line, and the data of a revert', async () => {
    const data = '0x08c379a0'
    const table: readonly (readonly [Said, { code: number; message: string; data: string }])[] = [
      [
        { error: { code: 3, message: 'execution reverted', data } },
        { code: 3, message: 'execution reverted', data },
      ],
      [
        { error: { code: -32015, message: 'VM execution error.', data: `Reverted ${data}` } },
        { code: -32015, message: 'VM execution error.', data },
      ],
      [
        { error: { code: -32000, message: 'reverted', data: { data } } },
        { code: -32000, message: 'reverted', data },
      ],
      [
        { error: { code: -32000, message: 'two\nlines' } },
        { code: -32000, message: 'two\\u000alines', data: '0x' },
      ],
      [
        { error: { code: -32000, message: 'x'.repeat(100_000) } },
        { code: -32000, message: 'x'.repeat(200), data: '0x' },
      ],
    ]
    for (const [said, expected] of table) {
      const { node } = await open(() => said)
      await assert.rejects(
        () => node.ask('eth_call', []),
        (error: unknown) => {
          assert.ok(error instanceof NodeError)
          const { code, message, data } = error
          assert.deepEqual({ code, message, data }, expected)
          return true
        },
      )
    }
  })

  test('error of a call with status 400: an error of the node', async () => {
    const { node } = await open(({ id }) => ({
      status: 400,
      text: JSON.stringify({
        jsonrpc: '2.0',
        id,
        error: { code: -32000, message: 'nonce too low' },
      }),
    }))
    await assert.rejects(() => node.ask('eth_x', []), NodeError)
  })

  const nothing: readonly (readonly [string, Script, RegExp])[] = [
    [
      'another id',
      ({ id }) => ({ text: `{"jsonrpc":"2.0","id":${id + 1},"result":1}` }),
      /no JSON-RPC/,
    ],
    ['no id', () => ({ text: '{"jsonrpc":"2.0","result":1}' }), /no JSON-RPC/],
    ['no version', ({ id }) => ({ text: `{"id":${id},"result":1}` }), /no JSON-RPC/],
    [
      'neither result nor error',
      ({ id }) => ({ text: `{"jsonrpc":"2.0","id":${id}}` }),
      /no JSON-RPC/,
    ],
    [
      'an error without a code',
      ({ id }) => ({ text: `{"jsonrpc":"2.0","id":${id},"error":"no"}` }),
      /no JSON-RPC/,
    ],
    ['null', () => ({ text: 'null' }), /no JSON-RPC/],
    ['nothing', () => ({ text: '' }), /no JSON-RPC/],
    ['a page', () => ({ text: '<html>rate limited</html>' }), /no JSON-RPC/],
    ['a list', ({ id }) => ({ text: `[{"jsonrpc":"2.0","id":${id},"result":1}]` }), /no JSON-RPC/],
    [
      'half of an answer',
      ({ id }) => ({ text: `{"jsonrpc":"2.0","id":${id},"res` }),
      /no JSON-RPC/,
    ],
    [
      'status 500',
      ({ id }) => ({ status: 500, text: `{"jsonrpc":"2.0","id":${id},"result":1}` }),
      /answered 500/,
    ],
    ['status 403', () => ({ status: 403, text: `bad key ${KEY}` }), /answered 403/],
    [
      'a redirect',
      () => ({ status: 302, text: '', headers: { location: 'http://127.0.0.1:1/' } }),
      /answered 302/,
    ],
    ['a cut connection', () => 'cut', /connection reset/],
  ]
  for (const [what, script, reason] of nothing) {
    test(`answer is ${what}: none`, async () => {
      const { node, server } = await open(script)
      await assert.rejects(
        () => node.ask('eth_x', []),
        (error: Error) => error instanceof NoAnswer && reason.test(error.message),
      )
      assert.equal(server.asked.length, 1)
      assert.equal(node.counts.unanswered, 1)
    })
  }

  test('answer of 1 MiB: read; one byte more: none', async () => {
    const { node, server } = await open(({ id }) => ({ text: padded(id, MiB) }))
    const shell = JSON.stringify({ jsonrpc: '2.0', id: 1, result: '' }).length
    assert.equal(`${await node.ask('eth_getLogs', [])}`.length, MiB - shell)
    server.say(({ id }) => ({ text: padded(id, MiB + 1) }))
    await assert.rejects(() => node.ask('eth_getLogs', []), TooLong)
  })

  test('silent node: no answer in time', async () => {
    const { node } = await open(() => 'silent', { within_ms: 300 })
    await assert.rejects(() => node.ask('eth_x', []), /timeout/)
  })

  test('address that is not public, without allow_private: not asked', async () => {
    const { server } = await open(() => ({ result: 1 }))
    const options = { name: 'own', keys: [], per_second: 10, batch: 1, allow_private: false }
    const node = new Node({ ...options, url: server.url.replace('http:', 'https:') })
    await assert.rejects(() => node.ask('eth_x', []), /address not allowed/)
    assert.equal(server.asked.length, 0)
  })

  test('429: asked no more for as long as the provider says; other calls are not sent', async () => {
    const { node, server } = await open(() => ({
      status: 429,
      text: '',
      headers: { 'retry-after': '30' },
    }))
    await assert.rejects(() => node.ask('eth_x', []), /rests for 30 s/)
    await assert.rejects(() => node.ask('eth_x', []), /not asked: asked too often/)
    assert.equal(server.asked.length, 1)
    assert.deepEqual(node.counts, { asked: 1, unanswered: 1, held_back: 1 })
  })

  test('429 as an error of JSON-RPC: rests for a second, and asks again afterwards', async () => {
    const { node, server } = await open(() => ({ error: { code: -32005, message: 'limit' } }))
    await assert.rejects(() => node.ask('eth_x', []), /rests for 1 s/)
    server.say(() => ({ result: 1 }))
    const until = performance.now() + 60_000
    for (;;) {
      const refused = await node.ask('eth_x', []).then(
        () => undefined,
        (error: Error) => error.message,
      )
      if (refused === undefined) break
      assert.match(refused, /not asked/)
      assert.ok(performance.now() < until)
      await new Promise(resolve => setTimeout(resolve, 50))
    }
    assert.equal(server.asked.length, 2)
  })

  test('rate agreed with the provider: more wait their turn, and too many are not sent', async () => {
    const { node, server } = await open(() => ({ result: 1 }), { per_second: 5 })
    const asked = Array.from({ length: 40 }, () =>
      node.ask('eth_x', []).catch(error => error.message),
    )
    const results = await Promise.all(asked)
    const sent = results.filter(result => result === 1).length
    // A burst of 5, and 5 a second for the 2 seconds that one waits.
    assert.equal(sent, 15)
    assert.equal(server.asked.length, 15)
    assert.deepEqual([...new Set(results.slice(sent))], ['not asked: busy'])
  })

  test('provider repeats its URL and key in an error: in no message, log or JSON', async () => {
    const { node, server } = await open(({ path, headers }) => ({
      error: { code: -32000, message: `no key ${KEY} at http://${headers.host}${path}: ${path}` },
    }))
    const shown: string[] = []
    const fail = async () => {
      const error = (await node.ask('eth_x', []).catch(one => one)) as Error
      shown.push(
        error.message,
        `${error.stack}`,
        inspect(error, { depth: 9 }),
        JSON.stringify(error),
      )
    }
    await fail()
    server.say(() => ({ status: 401, text: KEY }))
    await fail()
    server.say(() => 'cut')
    await fail()
    await server.close()
    await fail()
    shown.push(inspect(node, { depth: 9, showHidden: true }), JSON.stringify(node))
    for (const text of shown) {
      assert.ok(!text.includes(KEY), text)
      assert.ok(!text.includes('/v2/'), text)
    }
    assert.match(shown[0] ?? '', /no key … at …/)
  })

  test('provider repeats a key that the settings write into its URL: in no message', async () => {
    const said = { error: { code: -32000, message: `no key ${KEY}` } }
    const { node } = await open(() => said, { keys: [] })
    await assert.rejects(() => node.ask('eth_x', []), { message: 'no key …' })
  })

  test('calls of one moment: few requests, each with its own answer; logs go alone', async () => {
    const { node, server } = await open(
      ({ method, params: [n] }) =>
        method === 'eth_fail' ? { error: { code: 3, message: `no ${n}` } } : { result: n },
      { batch: 20 },
    )
    const asked = Array.from({ length: 45 }, (_, n) => node.ask('eth_call', [n]))
    const failing = node.ask('eth_fail', [7]).catch(error => error.message)
    const logs = node.ask('eth_getLogs', [8])
    assert.deepEqual(
      await Promise.all(asked),
      Array.from({ length: 45 }, (_, n) => n),
    )
    assert.deepEqual([await failing, await logs], ['no 7', 8])
    assert.deepEqual(server.requests.toSorted(), [1, 20, 20, 6])
    assert.deepEqual(node.counts, { asked: 47, unanswered: 0, held_back: 0 })
  })

  test('calls in order: one request of their own; beyond the rate: not sent, nor are those behind', async () => {
    const { node, server } = await open(({ params: [n] }) => ({ result: n }), {
      ...{ batch: 20, per_second: 1 },
    })
    const results = await node.askInOrder('eth_x', [[1], [2], [3], [4], [5]])
    // One at once, and one more in each of the 2 seconds that one waits.
    assert.deepEqual(
      results.map(one => (one.status === 'fulfilled' ? one.value : one.reason.message)),
      [1, 2, 3, 'not asked: busy', 'not asked: busy'],
    )
    assert.deepEqual(server.requests, [3])
  })

  const swapped: Script = ({ id }) => ({
    text: JSON.stringify([
      { jsonrpc: '2.0', id: id + 1, result: 'second' },
      { jsonrpc: '2.0', id, result: 'first' },
    ]),
  })
  const partly: Script = ({ id }) => ({
    text: JSON.stringify([{ jsonrpc: '2.0', id, result: 'first' }, null]),
  })
  const ofBatch = async (script: Script) => {
    const { node, server } = await open(script, { batch: 20 })
    const asked = ['a', 'b'].map(method => node.ask(method, []).catch(error => error.message))
    return { results: await Promise.all(asked), requests: server.requests, node }
  }

  test('answers of a batch in another order: each to its call', async () => {
    assert.deepEqual((await ofBatch(swapped)).results, ['first', 'second'])
  })

  test('answer of a batch that lacks one: none for that call alone', async () => {
    assert.deepEqual((await ofBatch(partly)).results, ['first', 'the answer is no JSON-RPC'])
  })

  const refusals: readonly (readonly [string, Script])[] = [
    ['an error for all', ({ id }) => ({ text: `{"jsonrpc":"2.0","id":${id},"result":"one"}` })],
    ['status 403', ({ method, id }) => ({ status: 403, text: `${method} ${id}` })],
  ]
  for (const [what, script] of refusals) {
    test(`batch refused by ${what}: each call alone, and no batch any more`, async () => {
      const { results, requests, node } = await ofBatch(script)
      assert.deepEqual(requests, [2, 1, 1])
      assert.equal(results.length, 2)
      await Promise.allSettled([node.ask('c', []), node.ask('d', [])])
      assert.deepEqual(requests, [2, 1, 1, 1, 1])
    })
  }

  test('answer of a batch that is too long: each call alone', async () => {
    const half = 'x'.repeat(MiB / 2)
    const { results, requests, node } = await ofBatch(() => ({ result: half }))
    assert.deepEqual(results, [half, half])
    assert.deepEqual(requests, [2, 1, 1])
    await Promise.all([node.ask('c', []), node.ask('d', [])])
    assert.equal(requests[3], 2)
  })

  test('closed: waits for what is open, and asks no more', async () => {
    const { node } = await open(() => 'silent', { within_ms: 300 })
    const ended: string[] = []
    const asking = node.ask('eth_x', []).catch(() => ended.push('asked'))
    await new Promise(resolve => setImmediate(resolve))
    await node.close()
    await asking
    assert.deepEqual(ended, ['asked'])
    await assert.rejects(() => node.ask('eth_x', []), /the rail closes/)
  })
})
