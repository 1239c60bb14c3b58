// Whose answers count, as heads rise, lag, go back, or turn out to be of another chain.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { blockJson, type View } from '../../../test/support/chain/scripted-node.ts'
import { pickSeed } from '../../../test/support/service/process.ts'
import { share } from '../../../test/support/share.ts'
import { Heads, PATIENCE_MS } from './heads.ts'
import type { Provider } from './node.ts'

const SEED = pickSeed()
const RULES = { chain_id: 8453n, lag_blocks: 3, block_ms: 2_000, need: 2 }
const NAMES = ['one', 'two', 'three']

/** A provider whose view a test changes between two looks. */
class Seen implements Provider {
  readonly name: string
  view: Pick<View, 'head' | 'chain_id'> & { fault?: string; hangs?: boolean } = {
    head: 100,
    chain_id: 8453,
  }

  constructor(name: string) {
    this.name = name
  }

  async ask(method: string): Promise<unknown> {
    const { fault, head, chain_id, hangs } = this.view
    if (hangs === true) await new Promise(() => {})
    if (fault !== undefined) throw new Error(fault)
    if (method === 'eth_chainId') return `0x${chain_id.toString(16)}`
    return blockJson({ fork: 'a', forked_at: 0 }, head)
  }
}

function follow(count = 3, need = RULES.need) {
  const providers = NAMES.slice(0, count).map(name => new Seen(name))
  let now = 1_000
  const heads = new Heads(providers, { ...RULES, need }, () => now)
  return {
    heads,
    /** Sets the heads, lets some time pass, and says who counts. */
    async see(numbers: readonly number[], after_ms = 1_000) {
      numbers.forEach((head, i) => {
        const provider = providers[i]
        if (provider !== undefined) provider.view = { ...provider.view, head }
      })
      now += after_ms
      await heads.look(0, { all: true })
      return heads.good().map(({ name }) => name)
    },
    providers,
    pass(ms: number) {
      now += ms
    },
  }
}

test('provider behind: left out beyond lag_blocks, and counts again when it has caught up', async () => {
  const { see, heads } = follow()
  assert.deepEqual(await see([100, 100, 97]), NAMES)
  assert.deepEqual(await see([101, 101, 97]), ['one', 'two'])
  assert.equal(heads.judge()[2]?.left_out, 'it is 4 blocks behind')
  assert.deepEqual(await see([103, 103, 103]), NAMES)
})

test('provider that claims a far head alone: the others still count', async () => {
  const { see, heads } = follow()
  assert.deepEqual(await see([100, 101, 1_000_000]), NAMES)
  assert.deepEqual(
    heads.judge().map(({ lag }) => lag),
    [1, 0, 0],
  )
})

test('absurd head that is taken back: held against its provider for a few blocks alone', async () => {
  const { see, heads } = follow()
  await see([100, 100, 1_000_000])
  assert.deepEqual(await see([101, 101, 101]), ['one', 'two'])
  assert.equal(heads.judge()[2]?.left_out, 'its head went back from 104 to 101')
  assert.deepEqual(await see([104, 104, 104]), NAMES)
})

test('head that goes back by itself: left out until it is as high again', async () => {
  const { see, heads } = follow()
  await see([105, 104, 104])
  assert.deepEqual(await see([103, 105, 105]), ['two', 'three'])
  assert.equal(heads.judge()[0]?.left_out, 'its head went back from 105 to 103')
  assert.deepEqual(await see([104, 106, 106]), ['two', 'three'])
  assert.deepEqual(await see([105, 107, 107]), NAMES)
})

test('heads that go back together, as by a reorganization: all count', async () => {
  const { see } = follow()
  await see([105, 105, 105])
  assert.deepEqual(await see([103, 103, 103]), NAMES)
  assert.deepEqual(await see([104, 104, 104]), NAMES)
})

test('provider on another chain: left out and named, and counts when it comes back', async () => {
  const { see, heads, providers, pass } = follow()
  const [first] = providers
  assert.ok(first !== undefined)
  first.view = { head: 100, chain_id: 1 }
  assert.deepEqual(await see([100, 100, 100]), ['two', 'three'])
  assert.equal(heads.judge()[0]?.left_out, 'it is on chain 1, not 8453')
  first.view = { head: 101, chain_id: 8453 }
  pass(60_000)
  assert.deepEqual(await see([101, 101, 101]), NAMES)
})

test('provider without answers: counts for ten seconds after its last head, then no more', async () => {
  const { see, heads, providers } = follow()
  await see([100, 100, 100])
  const [first] = providers
  if (first !== undefined) first.view.fault = 'timeout'
  assert.deepEqual(await see([100, 101, 101], 9_000), NAMES)
  assert.deepEqual(await see([100, 102, 102], 2_000), ['two', 'three'])
  assert.equal(heads.judge()[0]?.left_out, 'timeout')
})

test('chain without new blocks: the time since its height rose last, whoever claims more', async () => {
  const { see, heads } = follow()
  await see([100, 100, 100])
  await see([100, 100, 200], 30_000)
  assert.equal(heads.still_ms, 30_000)
  await see([100, 101, 201], 30_000)
  assert.equal(heads.still_ms, 0)
})

test('chain without new blocks, one provider comes and goes: the time since its height rose last', async () => {
  const { see, heads, providers } = follow()
  const [, second] = providers
  assert.ok(second !== undefined)
  await see([99, 100, 100])
  second.view.fault = 'timeout'
  await see([99, 100, 100], 20_000)
  second.view = { head: 100, chain_id: 8453 }
  await see([99, 100, 100], 20_000)
  assert.equal(heads.still_ms, 40_000)
})

test('provider that answers late: waited for once with patience, and then by nobody', async () => {
  const { heads, providers, see, pass } = follow()
  await see([100, 100, 100])
  const [first] = providers
  assert.ok(first !== undefined)
  first.view.hangs = true
  const began_at = performance.now()
  await heads.look(0)
  const patience_ms = performance.now() - began_at
  assert.ok(patience_ms > PATIENCE_MS / 2, `${patience_ms} ms`)
  pass(PATIENCE_MS + 1)
  const again_at = performance.now()
  for (let n = 0; n < 5; n++) await heads.look(0)
  assert.ok(performance.now() - again_at < patience_ms, 'five looks take less than one patience')
})

test('two that must agree, one of them late: waited for each time, as its answer is needed', async () => {
  const { heads, providers, see, pass } = follow(2)
  await see([100, 100])
  const [first] = providers
  assert.ok(first !== undefined)
  const ask = first.ask.bind(first)
  first.ask = async method => {
    pass(PATIENCE_MS + 1)
    return ask(method)
  }
  for (const head of [101, 102]) {
    for (const provider of providers) provider.view.head = head
    await heads.look(0)
    assert.deepEqual(
      heads.judge().map(one => Number(one.head?.number)),
      [head, head],
    )
  }
})

test('look at once while an older question is open: its answer is not new enough', async () => {
  const { heads, providers } = follow(1, 1)
  const [first] = providers
  assert.ok(first !== undefined)
  const open = Promise.withResolvers<void>()
  const ask = first.ask.bind(first)
  let asked = 0
  first.ask = async method => {
    const answer = await ask(method)
    asked += 1
    if (asked === 2) await open.promise
    return answer
  }
  const older = heads.look(0)
  await new Promise(resolve => setImmediate(resolve))
  first.view = { head: 101, chain_id: 8453 }
  const newer = heads.look(0)
  open.resolve()
  await Promise.all([older, newer])
  assert.equal(heads.judge()[0]?.head?.number, 101n)
})

test('look: asks nobody who was asked just now', async () => {
  const { see, heads, providers } = follow()
  await see([100, 100, 100])
  providers.forEach(provider => {
    provider.view.head = 200
  })
  await heads.look(5_000)
  assert.deepEqual(
    heads.judge().map(({ head }) => head?.number),
    [100n, 100n, 100n],
  )
})

test('provider that stays silent: waited for once, and not again until it answers', async () => {
  const { see, heads, providers } = follow()
  await see([100, 100, 100])
  const [first] = providers
  assert.ok(first !== undefined)
  first.view.fault = 'timeout'
  await see([100, 101, 101])
  // From now on its answer does not come at all.
  first.view.hangs = true
  await heads.look(0)
  assert.equal(heads.good().length, 3)
})

test(`heads at random: two honest providers of three always count, SEED=${SEED}`, async () => {
  const step = fc.record({
    up: fc.integer({ min: 0, max: 3 }),
    skew: fc.integer({ min: 0, max: 1 }),
  })
  const lies = fc.integer({ min: 0, max: 1_000_000 })
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(step, lies), { maxLength: 30 }), async steps => {
      const { see } = follow()
      let head = 1_000
      let second = head
      for (const [{ up, skew }, lie] of steps) {
        head += up
        // It may be a block behind, but no head of an honest one goes back.
        second = Math.max(second, head - skew)
        const good = await see([head, second, lie])
        assert.deepEqual(good.slice(0, 2), ['one', 'two'])
      }
    }),
    { numRuns: share(200, 5_000), seed: SEED },
  )
})
