// The reads that share a statement, and the answer to each.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Key } from '../values/id.ts'
import { MAX_WAIT_MS } from './late.ts'
import { reader } from './reads.ts'

/** A reader whose turns and answers the test controls. */
function controlledReader() {
  const turns: { owner: string; begin(): void }[] = []
  const asked: string[][] = []
  const answers: PromiseWithResolvers<readonly Key[]>[] = []
  const inTurn = async <T>(owner: string, work: () => Promise<T>) => {
    await new Promise<void>(begin => turns.push({ owner, begin }))
    return work()
  }
  const read = reader<Key>(inTurn, keys => {
    const answer = Promise.withResolvers<readonly Key[]>()
    asked.push(keys.map(({ id }) => id))
    answers.push(answer)
    return answer.promise
  })
  return { turns, asked, answers, read }
}

function key(account_id: string, id: string): Key {
  return { account_id, id }
}

function settled(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}

test('reads of one account, requested before its statement begins: all in one statement', async () => {
  const { turns, asked, answers, read } = controlledReader()
  const first = [read(key('a', '1')), read(key('a', '2'))]
  await settled()
  const second = read(key('a', '3'))
  await settled()
  assert.deepEqual(
    turns.map(({ owner }) => owner),
    ['a'],
  )
  turns[0]?.begin()
  await settled()
  assert.deepEqual(asked, [['1', '2', '3']])
  // A read that comes after the statement was sent may see more, and gets a new statement.
  const third = read(key('a', '3'))
  await settled()
  assert.equal(turns.length, 2)
  answers[0]?.resolve([key('a', '3'), key('a', '1')])
  assert.deepEqual(await Promise.all([...first, second]), [key('a', '1'), undefined, key('a', '3')])
  turns[1]?.begin()
  await settled()
  answers[1]?.resolve([])
  assert.equal(await third, undefined)
})

test('reads of several accounts in one turn of the event loop: one shared statement, apart from statements of one account', async () => {
  const { turns, asked, read } = controlledReader()
  void read(key('a', '1'))
  await settled()
  void read(key('a', '2'))
  void read(key('b', '2'))
  await settled()
  assert.deepEqual(
    turns.map(({ owner }) => owner),
    ['a', ''],
  )
  for (const { begin } of turns) begin()
  await settled()
  assert.deepEqual(asked, [['1'], ['2', '2']])
})

test('reads of one account, more than 200: statements of 200, each waits for its own turn', async () => {
  const { turns, asked, read } = controlledReader()
  for (let i = 0; i < 401; i++) void read(key('a', String(i)))
  await settled()
  assert.equal(turns.length, 3)
  for (const { begin } of turns) begin()
  await settled()
  assert.deepEqual(
    asked.map(ids => ids.length),
    [200, 200, 1],
  )
})

test('reads, no turn in time: refused, later reads answered', async t => {
  const clock = t.mock.method(performance, 'now')
  clock.mock.mockImplementation(() => 0)
  const { turns, asked, answers, read } = controlledReader()
  const late = read(key('a', '1'))
  await settled()
  clock.mock.mockImplementation(() => MAX_WAIT_MS - 1)
  const timely = read(key('a', '2'))
  await settled()
  clock.mock.mockImplementation(() => MAX_WAIT_MS)
  turns[0]?.begin()
  await assert.rejects(late, { status: 503 })
  await settled()
  assert.deepEqual(asked, [['2']])
  answers[0]?.resolve([key('a', '2')])
  assert.deepEqual(await timely, key('a', '2'))
})

test('reads, one row cannot be decoded: only the read of this row rejects', async () => {
  const { turns, asked, answers, read } = controlledReader()
  const [bad, good] = [read(key('a', '1')), read(key('a', '2'))]
  await settled()
  turns[0]?.begin()
  await settled()
  answers[0]?.reject(new Error('of both'))
  await settled()
  answers[1]?.reject(new Error('unreadable'))
  await assert.rejects(bad as Promise<unknown>, /^Error: unreadable$/)
  await settled()
  answers[2]?.resolve([key('a', '2')])
  assert.deepEqual(await good, key('a', '2'))
  void read(key('a', '3'))
  await settled()
  turns[1]?.begin()
  await settled()
  assert.deepEqual(asked, [['1', '2'], ['1'], ['2'], ['3']])
})

test('reads, database unavailable: every read of the failed statement rejects at once', async () => {
  const { turns, asked, answers, read } = controlledReader()
  const reads = [read(key('a', '1')), read(key('a', '2'))]
  await settled()
  turns[0]?.begin()
  await settled()
  answers[0]?.reject(Object.assign(new Error('gone'), { code: 'CONNECTION_CLOSED' }))
  for (const one of reads) await assert.rejects(one, /^Error: gone$/)
  assert.deepEqual(asked, [['1', '2']])
})
