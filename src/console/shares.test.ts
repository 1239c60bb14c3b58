import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Refusal } from '../values/errors.ts'
import { type Holder, MOST_STREAMS, makeRoom } from './live.ts'

const holder = (account_id: string | null, user: string, session = user): Holder => ({
  account_id,
  user,
  session,
})

/** Opens as many streams as are let in, 2,000 at most. */
function fill(open: Holder[], next: (i: number) => Holder): string {
  for (let i = 0; i < 2_000; i++) {
    const comer = next(i)
    try {
      const ended = makeRoom(open, comer)
      if (ended !== undefined) open.splice(open.indexOf(ended), 1)
    } catch (error) {
      const { status, message, retry_after_s } = error as Refusal
      assert.deepEqual([status, retry_after_s], [429, 10])
      return message
    }
    open.push(comer)
  }
  return 'all are let in'
}

test('live streams, too many of a session, user or account: refused, the message names which', () => {
  const open: Holder[] = []
  assert.match(
    fill(open, () => holder('acc_a', 'max')),
    /^In this session 20 pages/,
  )
  assert.equal(open.length, MOST_STREAMS.of_session)
  assert.match(
    fill(open, i => holder('acc_b', 'max', `s${i}`)),
    /^Of max 60 pages/,
  )
  assert.equal(open.length, MOST_STREAMS.of_user)
  open.length = 0
  assert.match(
    fill(open, i => holder('acc_a', `user${i}`)),
    /^Of this account 250 pages/,
  )
  assert.equal(open.length, MOST_STREAMS.of_account)
  assert.equal(makeRoom(open, holder(null, 'olga')), undefined)
})

test('live streams, all taken by four accounts: a stream of a smaller account replaces one of the largest account', () => {
  const open: Holder[] = []
  for (const account of ['acc_a', 'acc_b', 'acc_c', 'acc_d']) {
    const many = account === 'acc_c' ? 'many' : ''
    fill(open, i => holder(account, many && i < 40 ? many : `${account}${i}`, `s${i}`))
  }
  assert.equal(open.length, MOST_STREAMS.all)
  const ended = makeRoom(open, holder(null, 'olga'))
  assert.equal(ended, open[0], 'the first of accounts alike, and its oldest')
  open.splice(open.indexOf(ended as Holder), 1, holder(null, 'olga'))
  // Each account ends with as many as the others, and nobody pushes out whoever has fewer.
  const said = fill(open, i => holder('acc_e', `user${i}`))
  assert.match(said, /^Too many pages/)
  const counts = [...Map.groupBy(open, ({ account_id }) => account_id)].map(
    ([account, of]) => [account, of.length] as const,
  )
  assert.deepEqual(
    counts.filter(([, count]) => count < 199),
    [[null, 1]],
  )
  assert.equal(open.length, MOST_STREAMS.all)
})

test("live streams, all taken: the oldest stream of the largest account's largest user is closed", () => {
  const open = Array.from({ length: MOST_STREAMS.all }, (_, i) =>
    i < 250
      ? holder('acc_a', i % 5 === 4 ? 'many' : `user${i}`, `s${i}`)
      : holder(`acc_${i}`, `u${i}`),
  )
  assert.equal(makeRoom(open, holder(null, 'olga')), open[4])
})
