import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachInTurn } from './event-loop.ts'

test('eachInTurn: one item a turn, in order; a failing read rejects every item', async () => {
  const began: string[] = []
  const items = eachInTurn(Promise.resolve(['a', 'b', 'c']), 3)
  const used = items.map(async item => began.push(String(await item)))
  const turns: string[] = []
  for (let i = 0; i < 8; i++) {
    await new Promise(setImmediate)
    turns.push(began.splice(0).join(''))
  }
  await Promise.all(used)
  assert.deepEqual(
    turns.filter(text => text !== ''),
    ['a', 'b', 'c'],
  )
  for (const item of eachInTurn(Promise.reject(new Error('gone')), 2)) {
    await assert.rejects(item, /gone/)
  }
})
