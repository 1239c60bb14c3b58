// What enough providers say alike, as a property over answers that lie, fail, come late or never.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { pickSeed } from '../../../test/support/service/process.ts'
import { share } from '../../../test/support/share.ts'
import { agree, firstOf, quorumOf } from './agree.ts'

const SEED = pickSeed()
const NAMES = ['one', 'two', 'three', 'four', 'five']

/** What a provider does, and in which turn. Never: it stays silent. */
const behaviour = fc.record({
  says: fc.constantFrom('truth', 'truth', 'lie', 'other lie', 'fault', 'never'),
  turn: fc.integer({ min: 0, max: 5 }),
})

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise(resolve => setImmediate(resolve))
}

test('quorum: both of two, two of three, three of four and of five', () => {
  assert.deepEqual([2, 3, 4, 5].map(quorumOf), [2, 2, 3, 3])
})

test(`answers of providers: agreed exactly when enough say the same, SEED=${SEED}`, async () => {
  let agreed = 0
  await fc.assert(
    fc.asyncProperty(fc.array(behaviour, { minLength: 2, maxLength: 5 }), async behaviours => {
      const need = quorumOf(behaviours.length)
      const answers = behaviours.map(async ({ says, turn }) => {
        await turns(turn)
        if (says === 'never') await new Promise(() => {})
        if (says === 'fault') throw new Error('timeout')
        return { block: 7n, hash: says }
      })
      const asked = answers.map((answer, i) => ({ name: NAMES[i] ?? '', answer }))
      const found = agree(asked, need)
      const count = (says: string) => behaviours.filter(one => one.says === says).length
      const right = ['truth', 'lie', 'other lie'].find(says => count(says) >= need)
      if (right === undefined && count('never') > 0) {
        // It may wait for the silent ones, but never invents an answer.
        const early = await Promise.race([found, turns(20)])
        assert.ok(early === undefined || 'unclear' in early)
        return
      }
      const result = await found
      if (right === undefined) {
        assert.ok('unclear' in result && result.unclear !== '')
        return
      }
      agreed += 1
      assert.deepEqual(result, { agreed: { block: 7n, hash: right } })
    }),
    { numRuns: share(500, 10_000), seed: SEED },
  )
  assert.ok(agreed > 50)
})

test('answers without a quorum: the reason names each provider', async () => {
  const fault = Promise.reject(new Error('timeout'))
  const both = [
    { name: 'own', answer: Promise.resolve(1) },
    { name: 'alchemy', answer: Promise.resolve(2) },
  ]
  assert.deepEqual(await agree(both, 2), { unclear: 'own and alchemy give different answers' })
  const one = [both[0] as (typeof both)[0], { name: 'alchemy', answer: fault }]
  assert.deepEqual(await agree(one, 2), { unclear: 'alchemy: timeout; only own answered' })
  assert.deepEqual(await agree([], 2), { unclear: 'no provider can be asked' })
})

test('quorum that cannot be reached any more: no wait for a silent provider', async () => {
  const silent = new Promise<number>(() => {})
  const asked = [
    { name: 'own', answer: Promise.reject<number>(new Error('timeout')) },
    { name: 'alchemy', answer: silent },
  ]
  assert.ok('unclear' in (await agree(asked, 2)))
})

test('first answers: as many as are needed; fewer once all have ended', async () => {
  const silent = new Promise<number>(() => {})
  const fault = () => Promise.reject<number>(new Error('timeout'))
  assert.deepEqual(
    await firstOf([fault(), Promise.resolve(1), silent, Promise.resolve(2)], 2),
    [1, 2],
  )
  assert.deepEqual(await firstOf([fault(), Promise.resolve(1)], 2), [1])
  assert.deepEqual(await firstOf([], 2), [])
})

test('first answers with a grace: also those that come within it, and no silent one', async () => {
  const silent = new Promise<number>(() => {})
  const soon = turns(3).then(() => 3)
  assert.deepEqual(
    await firstOf([Promise.resolve(1), Promise.resolve(2), soon, silent], 2, 200),
    [1, 2, 3],
  )
  assert.deepEqual(await firstOf([Promise.resolve(1), soon], 1, 60_000), [1, 3])
})
