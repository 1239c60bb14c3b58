// The book of the reference connector, which must forget no payment: cut off in the middle of a line,
// and on a disk that is full for a while.
import assert from 'node:assert/strict'
import { appendFile, mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { Book, type Order } from '../../examples/connector/book.ts'

const folder = await mkdtemp(join(tmpdir(), 'corridor-book-'))
after(() => rm(folder, { recursive: true, force: true }))

const ORDER: Order = { payout: 'p', account: 'a', amount: '1', currency: 'EUR', beneficiary: {} }
const accepted = { status: 'accepted', code: '', message: '', at: '2026-11-23T09:00:00Z' }
const paid = { ...accepted, status: 'paid' }

let books = 0
const newPath = () => join(folder, `${++books}.jsonl`)

/** What a book knows after it is opened: statuses by payment. */
async function reopened(path: string): Promise<Record<string, string[]>> {
  const book = await Book.open(path)
  await book.close()
  const told = [...book.entries].map(([id, { steps }]) => [id, steps.map(step => step.status)])
  return Object.fromEntries(told)
}

test("connector's payment file, last line truncated: dropped at the next start, later lines complete", async () => {
  const path = newPath()
  const first = await Book.open(path)
  await first.add('one', ORDER, 'R1', [accepted]).stored
  await first.close()
  const whole = await readFile(path, 'utf8')
  for (const torn of ['{"kind":"order","id":"t', '{', whole.slice(0, -1)]) {
    await appendFile(path, torn)
    const book = await Book.open(path)
    const name = `after ${torn.length}`
    await book.add(name, ORDER, 'R2', [accepted]).stored
    await book.close()
    assert.deepEqual((await reopened(path))[name], ['accepted'])
  }
  assert.deepEqual(Object.keys(await reopened(path)).length, 4)
})

/** The next append to any file writes half of its text, and then the disk is full. */
async function fillDisk(t: TestContext): Promise<void> {
  const file = await open(newPath(), 'a')
  const kind = Object.getPrototypeOf(file)
  await file.close()
  const append = kind.appendFile
  let left = 1
  t.mock.method(kind, 'appendFile', async function half(this: unknown, text: string) {
    left -= 1
    if (left < 0) return append.call(this, text)
    await append.call(this, text.slice(0, text.length / 2))
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  })
}

test("connector's payment file, disk full for a while: reported, then all lines present, in order", async t => {
  const path = newPath()
  const book = await Book.open(path)
  await book.add('one', ORDER, 'R1', [accepted]).stored
  await fillDisk(t)
  const two = book.add('two', ORDER, 'R2', [accepted])
  await assert.rejects(two.stored, /no space left/)
  // Asked for again: it is on disk before anybody hears of it.
  await book.keep(two)
  assert.deepEqual(await reopened(path), { one: ['accepted'], two: ['accepted'] })
  book.addStep(two, paid)
  await book.keep(two)
  await book.close()
  assert.deepEqual(await reopened(path), { one: ['accepted'], two: ['accepted', 'paid'] })
})

test("connector's payment file, disk full for a payment, then its step added: both written once there is room", async t => {
  const path = newPath()
  const book = await Book.open(path)
  await fillDisk(t)
  const one = book.add('one', ORDER, 'R1', [accepted])
  await assert.rejects(one.stored, /no space left/)
  book.addStep(one, paid)
  await one.stored
  await book.close()
  assert.deepEqual(await reopened(path), { one: ['accepted', 'paid'] })
})
