// Tests the rows of events: the exact rows of ordinary commands, and that every event comes out of
// its row as it went in.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { commandsAt } from '../../../test/support/given/events.ts'
import { share } from '../../../test/support/share.ts'
import { bookId, numberedId, withPrefix } from '../../values/id.ts'
import { type Event, nameEvent } from './event.ts'
import {
  type EventRow,
  endOf,
  fold,
  gather,
  idHasTime,
  MAX_EVENTS,
  successEndOf,
  unfold,
} from './row.ts'

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
console.log(`SEED=${seed}`)

const created_at = '2026-11-21T00:03:13.167287Z'
const commands = commandsAt(created_at, '2026-11-21T00:03:13.167288Z')
const account_id = 'acc_7k2m9x4q'
const pot = bookId({ now: created_at, ids_given: 0 }, 'pot')
const end = pot.slice(15)
const digest = (letter: string) => letter.repeat(64)

const event = (sequence: bigint, type: string, object_id: string, rest: Partial<Event>): Event => ({
  account_id,
  sequence,
  type,
  object_id,
  data: {},
  created_at,
  ...rest,
})
const line = (sequence: bigint, number: bigint) => {
  const id = numberedId('btr', { account_id, created_at }, number)
  return event(sequence, 'balance_transaction.created', id, {})
}
const data = { status: 'processing', by: 'account', journals: [17] }
const paid = [
  event(11n, 'payout_quote.created', withPrefix(pot, 'poq'), {}),
  event(12n, 'payout.created', pot, { data, content: digest('b') }),
  line(13n, 17n),
]
const row = (columns: Partial<EventRow>): EventRow => ({
  account_id,
  sequence: 13n,
  created_at,
  told: '',
  type: '',
  object_id: '',
  data: null,
  content: null,
  ...columns,
})

test('event row of a new payout: one row, without values that can be derived', () => {
  assert.deepEqual(fold(paid), [row({ told: `Q P${end} L17`, content: digest('b') })])
})

test('event row of a payout with a new beneficiary: one row for both events, stored under the rarer type', () => {
  const bnf = withPrefix(pot, 'bnf')
  const made = event(10n, 'beneficiary.created', bnf, { content: digest('a') })
  const content = digest('a') + digest('b')
  const told = `B${end} Q P${end} L17`
  assert.deepEqual(fold([made, ...paid]), [row({ told, type: 'beneficiary.created', content })])
})

const endsNone = () => false

test('event row of a payout that succeeds by its rail: journal, id and digest in one value', () => {
  const settled = {
    status: 'succeeded',
    previous_status: 'processing',
    failure: null,
    by: 'rail',
    journals: [18],
  }
  const success = event(13n, 'payout.succeeded', pot, { data: settled, content: digest('c') })
  const word = `D18.${pot.slice(4)}`
  assert.deepEqual(fold([success]), [row({ told: word, content: digest('c') })])
  const by_hand = { ...settled, by: 'operator' }
  assert.deepEqual(fold([{ ...success, data: by_hand }]), [
    row({ told: 'S', object_id: pot, data: [by_hand], content: digest('c') }),
  ])
})

test('event row of a payout that fails: one row for the step and the credit back', () => {
  const failed = { status: 'failed', previous_status: 'processing', by: 'rail', journals: [17] }
  const failure = event(12n, 'payout.failed', pot, { data: failed, content: digest('c') })
  const content = digest('c')
  assert.deepEqual(fold([failure, line(13n, 17n)]), [
    row({ told: '- L17', type: 'payout.failed', object_id: pot, data: [failed, null], content }),
  ])
})

test("event rows, commands at one time: merged where they fit, not after a request's last event", () => {
  const rows = fold(paid)
  const later = paid.map(one => ({ ...one, sequence: one.sequence + 3n }))
  const third = paid.map(one => ({ ...one, sequence: one.sequence + 6n }))
  const all = [paid, later, third].flatMap(fold)
  const twice = `Q P${end} L17 Q P${end} L17`
  assert.deepEqual(gather(all, endsNone), [
    row({ sequence: 16n, told: twice, content: digest('b').repeat(2) }),
    row({ sequence: 19n, told: `Q P${end} L17`, content: digest('b') }),
  ])
  assert.deepEqual(
    gather(all, ({ sequence }) => sequence === 13n),
    [rows[0], row({ sequence: 19n, told: twice, content: digest('b').repeat(2) })],
  )
})

test('event rows, payouts that succeed in one batch: one row per time', () => {
  const done = (sequence: bigint, at = created_at) =>
    row({ sequence, created_at: at, told: `D${sequence}.${pot.slice(4)}`, content: digest('c') })
  const told = [13n, 14n].map(n => done(n).told).join(' ')
  assert.deepEqual(gather([done(13n), done(14n)], endsNone), [
    row({ sequence: 14n, told, content: digest('c').repeat(2) }),
  ])
  assert.equal(gather([done(13n), done(14n, '2026-11-21T00:03:14.167287Z')], endsNone).length, 2)
  assert.equal(gather([done(13n), done(15n)], endsNone).length, 2)
  const many = Array.from({ length: 9 }, (_, i) => done(13n + BigInt(i)))
  assert.deepEqual(
    gather(many, endsNone).map(one => one.sequence),
    [20n, 21n],
  )
})

/** A row for each event, in the order of their numbers, in which they are chained. */
const ordered = (events: readonly Event[]) =>
  events.flatMap(one => fold([one])).toSorted((a, b) => (a.sequence < b.sequence ? -1 : 1))

test('event rows of random commands, merged by gather: every event unchanged, in its place, with its digest', () => {
  fc.assert(
    fc.property(commands, events => {
      const rows = gather(ordered(events), endsNone)
      for (const one of rows) assert.ok(unfold([one]).length <= MAX_EVENTS)
      for (const account of new Set(events.map(one => one.account_id))) {
        const mine = (one: { account_id: string }) => one.account_id === account
        assert.equal(
          JSON.stringify(unfold(rows).filter(mine).map(plain)),
          JSON.stringify(events.filter(mine).map(nameEvent).map(plain)),
        )
      }
    }),
    { seed, numRuns: share(200, 2_000) },
  )
})

test('event rows of random commands, folded and unfolded: every event unchanged, in its place', () => {
  fc.assert(
    fc.property(commands, events => {
      const rows = fold(events)
      const back = unfold(rows)
      for (const account of new Set(events.map(one => one.account_id))) {
        const mine = (one: { account_id: string }) => one.account_id === account
        // Compares as JSON, which has no undefined, because rows store JSON.
        assert.equal(
          JSON.stringify(back.filter(mine).map(plain)),
          JSON.stringify(events.filter(mine).map(nameEvent).map(plain)),
        )
      }
    }),
    { seed, numRuns: share(500, 5_000) },
  )
})

test("event rows: bounded events per row; an object without its own index entry has an id with the row's time", () => {
  fc.assert(
    fc.property(commands, events => {
      for (const one of fold(events)) {
        const [first, ...others] = unfold([one])
        assert.ok(others.length < MAX_EVENTS)
        for (const { object_id, created_at: at } of [first, ...others].flatMap(e => e ?? [])) {
          if (object_id === one.object_id) continue
          assert.equal(at, one.created_at)
          assert.ok(idHasTime(object_id))
          assert.ok([endOf, successEndOf].some(endOf => one.told.includes(endOf(object_id))))
        }
      }
    }),
    { seed, numRuns: share(200, 2_000) },
  )
})

/** An event's members in one order, for JSON. */
function plain({ id, type, object_id, data, sequence, content, created_at }: Named) {
  return [id, String(sequence), type, object_id, data, created_at, content]
}

type Named = ReturnType<typeof unfold>[number]
