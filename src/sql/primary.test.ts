// Which of several servers is the primary, and which is never written to.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { identityIn } from './identity.ts'
import { choosePrimary, type Seen, whyRefused } from './primary.ts'

const seen = (at: number, timeline: number, more: Partial<Seen> = {}): Seen => ({
  at,
  is_standby: false,
  is_read_only: false,
  system: '7',
  timeline,
  started: `server ${at}`,
  ...more,
})
const standby = (at: number, timeline: number) => seen(at, timeline, { is_standby: true })

const CHOICES: readonly (readonly [
  what: string,
  answers: readonly Seen[],
  newest: Seen | undefined,
  chosen: number | RegExp,
])[] = [
  ['one primary and its standbys', [standby(0, 1), seen(1, 1), standby(2, 1)], undefined, 1],
  ['nobody', [], undefined, /no server .* answers/],
  ['standbys alone', [standby(0, 1), standby(1, 1)], undefined, /takes writes/],
  ['a former primary beside the promoted one', [seen(0, 1), seen(1, 2)], undefined, 1],
  [
    'a former primary, and a standby of the newer one',
    [seen(0, 1), standby(2, 2)],
    undefined,
    /takes writes/,
  ],
  ['a former primary alone, the newer one known', [seen(0, 1)], seen(1, 2), /takes writes/],
  ['a promoted standby after the primary', [seen(2, 2)], seen(0, 1), 2],
  ['the same primary after its restart', [seen(0, 1, { started: 'later' })], seen(0, 1), 0],
  ['two promoted to one timeline', [seen(1, 2), seen(2, 2)], undefined, /several servers/],
  ['the other one promoted to the same timeline', [seen(2, 2)], seen(1, 2), /takes writes/],
  ['one server by two names', [seen(0, 1), seen(1, 1, { started: 'server 0' })], undefined, 1],
  ['servers of two clusters', [seen(0, 1), seen(1, 1, { system: '8' })], undefined, /one cluster/],
  ['a server of another cluster', [seen(1, 5, { system: '8' })], seen(0, 1), /takes writes/],
  ['a read-only primary', [seen(0, 1, { is_read_only: true })], undefined, /takes writes/],
  ['a primary that tells no timeline', [seen(0, 0, { system: '' })], undefined, 0],
]

for (const [what, answers, newest, chosen] of CHOICES) {
  test(`primary among ${what}: ${chosen}`, () => {
    const choice = choosePrimary(answers, newest, undefined)
    if (typeof chosen === 'number') assert.equal('at' in choice && choice.at, chosen)
    else assert.match('reason' in choice ? choice.reason : `chosen: ${choice.at}`, chosen)
  })
}

test('two servers on one timeline, one of them in use: it stays', () => {
  const choice = choosePrimary([seen(1, 2), seen(2, 2)], seen(1, 2), 1)
  assert.equal('at' in choice && choice.at, 1)
})

test('single address, another cluster at it: used; an older timeline: refused; no timeline told any more: refused', () => {
  const newest = seen(0, 2)
  assert.equal(whyRefused(seen(0, 1, { system: '8' }), newest, 1), undefined)
  assert.match(whyRefused(seen(0, 1), newest, 1) ?? '', /former primary/)
  assert.match(whyRefused(seen(0, 0), newest, 1) ?? '', /former primary/)
})

test('identity, values of a row: read; a server that tells little: nothing guessed', () => {
  const row = { is_standby: 't', is_read_only: 'off', system: '7', timeline: '3', started: 's' }
  assert.deepEqual(identityIn(row), {
    ...{ is_standby: true, is_read_only: false, system: '7', timeline: 3, started: 's' },
  })
  const short = identityIn({ is_standby: 'f', is_read_only: 'on' })
  assert.deepEqual(short, {
    ...{ is_standby: false, is_read_only: true, system: '', timeline: 0, started: '' },
  })
})
