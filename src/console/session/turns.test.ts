import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Turns } from './operations.ts'

/** Log-ins that begin when their turn comes, and end when told to. */
class Queue {
  readonly #turns = new Turns()
  readonly begun: string[] = []
  readonly refused: string[] = []
  readonly #ends: (() => void)[] = []

  come(who: string, known: boolean, owner = who): void {
    const work = () => {
      this.begun.push(who)
      return new Promise<void>(resolve => this.#ends.push(resolve))
    }
    this.#turns.run({ known, owner }, work).catch(error => {
      assert.equal(error.status, 503)
      this.refused.push(who)
    })
  }

  /** Ends the log-in that began first. */
  async end(): Promise<void> {
    this.#ends.shift()?.()
    await new Promise(setImmediate)
  }
}

const numbered = (count: number, name: string) => Array.from({ length: count }, (_, i) => name + i)

test('log-in queue, full of unknown devices: a known device gets a place and is next', async () => {
  const queue = new Queue()
  for (const who of numbered(40, 'stranger')) queue.come(who, false)
  queue.come('max', true)
  await queue.end()
  assert.deepEqual(queue.begun, ['stranger0', 'stranger1', 'max'])
  assert.deepEqual(queue.refused, numbered(40, 'stranger').slice(32))
})

test('log-in queue, many known devices of one user: an unknown device gets every second turn', async () => {
  const queue = new Queue()
  for (const who of numbered(4, 'max')) queue.come(who, true, 'max')
  for (const who of numbered(2, 'stranger')) queue.come(who, false)
  for (let i = 0; i < 6; i++) await queue.end()
  assert.deepEqual(queue.begun, ['max0', 'max1', 'max2', 'stranger0', 'max3', 'stranger1'])
})

test('log-in queue, full of requests from one network: a request from another network replaces the last of them', async () => {
  const queue = new Queue()
  for (const who of numbered(33, 'many')) queue.come(who, false, '192.0.2.1')
  queue.come('one', false, '192.0.2.2')
  await queue.end()
  assert.deepEqual(queue.refused, ['many32', 'many31'])
  await queue.end()
  // The networks take turns: the other one does not wait for thirty.
  assert.deepEqual(queue.begun, ['many0', 'many1', 'many2', 'one'])
})

test('log-in queue, a log-in fails: its place is free again', async () => {
  const turns = new Turns()
  for (let i = 0; i < 5; i++) {
    const failed = turns.run({ known: false, owner: 'x' }, () => Promise.reject(new Error('no')))
    await assert.rejects(failed, /no/)
  }
  assert.equal(await turns.run({ known: false, owner: 'x' }, async () => 'in'), 'in')
})
