// The order in which owners' work begins at a few places.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairTurns } from './fair.ts'

/** Runs work that goes on until `end`. `begun` has the names of the work that has begun. */
function worksAt(places: number) {
  const turns = new FairTurns(places)
  const begun: string[] = []
  const ends = new Map<string, PromiseWithResolvers<void>>()
  return {
    begun,
    /** `a1` is the first work of owner `a`. */
    run(...names: string[]) {
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

/** Resolves after all pending callbacks have run. */
function settled(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}

test('FairTurns, one owner fills all but the reserved place: another owner begins at once', async () => {
  const { run, begun } = worksAt(4)
  run('a1', 'a2', 'a3', 'a4', 'a5')
  await settled()
  assert.deepEqual(begun, ['a1', 'a2', 'a3'])
  run('b1')
  await settled()
  assert.deepEqual(begun, ['a1', 'a2', 'a3', 'b1'])
})

test('FairTurns, several owners wait: served in turn, the oldest work of each first', async () => {
  const { run, begun, end } = worksAt(2)
  run('x1', 'y1', 'a1', 'a2', 'a3', 'b1', 'c1', 'c2')
  await settled()
  for (const name of ['x1', 'y1', 'a1', 'b1', 'c1', 'a2']) await end(name)
  assert.deepEqual(begun, ['x1', 'y1', 'a1', 'b1', 'c1', 'a2', 'c2', 'a3'])
})

test('FairTurns, one place: two owners alternate', async () => {
  const { run, begun, end } = worksAt(1)
  run('a1', 'a2', 'a3', 'b1')
  await settled()
  for (const name of ['a1', 'a2', 'b1']) await end(name)
  assert.deepEqual(begun, ['a1', 'a2', 'b1', 'a3'])
})

test('FairTurns, one work fails: only its promise rejects, its place is free again', async () => {
  const { run, begun, end } = worksAt(1)
  const [first] = run('a1', 'a2')
  const failed = assert.rejects(first ?? Promise.resolve(), /gone/)
  await settled()
  await end('a1', new Error('gone'))
  await failed
  assert.deepEqual(begun, ['a1', 'a2'])
})
