// Who begins, in which order, at a few places.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairTurns } from './fair.ts'

/** Works that go on until they are ended, and the names of those that have begun. */
function worksAt(places: number) {
  const turns = new FairTurns(places)
  const begun: string[] = []
  const ends = new Map<string, PromiseWithResolvers<void>>()
  return {
    begun,
    /** `a1` is the first work of owner `a`. */
    ask(...names: string[]) {
      return names.map(name => {
        const end = Promise.withResolvers<void>()
        ends.set(name, end)
        return turns.run(name.slice(0, 1), () => {
          begun.push(name)
          return end.promise
        })
      })
    },
    async end(name: string, error?: Error) {
      if (error === undefined) ends.get(name)?.resolve()
      else ends.get(name)?.reject(error)
      await settled()
    },
  }
}

/** All that is ready to run has run. */
function settled(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}

test('FairTurns, one owner asks for much: a place is left for another, who begins at once', async () => {
  const { ask, begun } = worksAt(4)
  ask('a1', 'a2', 'a3', 'a4', 'a5')
  await settled()
  assert.deepEqual(begun, ['a1', 'a2', 'a3'])
  ask('b1')
  await settled()
  assert.deepEqual(begun, ['a1', 'a2', 'a3', 'b1'])
})

test('FairTurns, several wait: each owner in turn, the oldest of each first', async () => {
  const { ask, begun, end } = worksAt(2)
  ask('x1', 'y1', 'a1', 'a2', 'a3', 'b1', 'c1', 'c2')
  await settled()
  for (const name of ['x1', 'y1', 'a1', 'b1', 'c1', 'a2']) await end(name)
  assert.deepEqual(begun, ['x1', 'y1', 'a1', 'b1', 'c1', 'a2', 'c2', 'a3'])
})

test('FairTurns, one place: everybody has it in turn', async () => {
  const { ask, begun, end } = worksAt(1)
  ask('a1', 'a2', 'a3', 'b1')
  await settled()
  for (const name of ['a1', 'a2', 'b1']) await end(name)
  assert.deepEqual(begun, ['a1', 'a2', 'b1', 'a3'])
})

test('FairTurns, a work fails: its error is its own, and its place is free again', async () => {
  const { ask, begun, end } = worksAt(1)
  const [first] = ask('a1', 'a2')
  const failed = assert.rejects(first ?? Promise.resolve(), /gone/)
  await settled()
  await end('a1', new Error('gone'))
  await failed
  assert.deepEqual(begun, ['a1', 'a2'])
})
