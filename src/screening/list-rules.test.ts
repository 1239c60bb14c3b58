// The rules of lists: the changes of an import, files that look wrong, and stale lists.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ListStatus } from './list.ts'
import { doubtOf, planImport, STALE_AFTER_S, staleAt, stateOf, storedEntry } from './list-rules.ts'
import type { ListedEntry } from './screening.ts'

function entry(entry_id: string, name = 'Somebody'): ListedEntry {
  const names = [{ text: name, weak: false }]
  return { entry_id, kind: 'person', names, births: [], countries: [], ids: [], programmes: [] }
}

function status(more: Partial<ListStatus> = {}): ListStatus {
  return {
    list: 'un',
    version: 4,
    sha256: '',
    file_name: 'un.xml',
    format: 'UN consolidated XML',
    published_on: '2026-11-20',
    is_sample: false,
    entry_count: 1_000,
    name_count: 4_000,
    added: 0,
    changed: 0,
    removed: 0,
    left_out_count: 0,
    left_out: [],
    reason: '',
    imported_by: 'kim',
    imported_at: '2026-11-20T10:00:00.000000Z',
    age_s: 0,
    ...more,
  }
}

test('list import: writes exactly the added, changed and removed entries', () => {
  const listed = [entry('same'), entry('other', 'Before'), entry('gone')].map(storedEntry)
  const plan = planImport(new Map(listed.map(({ entry_id, digest }) => [entry_id, digest])), [
    entry('same'),
    entry('other', 'After'),
    entry('new'),
  ])
  assert.deepEqual(
    plan.insert.map(({ entry_id }) => entry_id),
    ['other', 'new'],
  )
  assert.deepEqual(plan.end, ['other', 'gone'])
  assert.deepEqual([plan.added, plan.changed, plan.removed], [1, 1, 1])
})

test('list entry, members in another order: an equal entry', () => {
  const { names, ...others } = entry('1')
  assert.equal(storedEntry({ names, ...others }).digest, storedEntry(entry('1')).digest)
})

/** A file of a hundred records, all with a name. */
const WHOLE = { left_out_count: 0, records: 100 }

test('list file, older, old, dated in the future or without former entries: suspicious', () => {
  const newest = status()
  const rows: readonly (readonly [
    published_on: string,
    removed: number,
    newest: ListStatus | undefined,
    doubt: RegExp,
  ])[] = [
    ['2026-11-20', 0, newest, /^$/],
    ['2026-11-23', 100, newest, /^$/],
    ['2026-11-23', 101, newest, /^it lacks 101 of the 1000 entries that are listed/],
    ['2026-11-19', 0, newest, /^it was published on 2026-11-19, and the one that is here on /],
    ['2026-11-19', 900, status({ is_sample: true }), /^$/],
    ['2026-10-24', 0, undefined, /^$/],
    ['2026-10-23', 0, undefined, /31 days ago: there is a newer one/],
    ['2026-11-24', 0, undefined, /^$/],
    ['2026-11-25', 0, undefined, /2026-11-25, is in the future/],
  ]
  for (const [published_on, removed, before, doubt] of rows) {
    assert.match(doubtOf({ published_on, removed, ...WHOLE }, before, '2026-11-23'), doubt)
  }
})

test('list file, more than a tenth of its records without a name: suspicious, also on the first import', () => {
  const file = { published_on: '2026-11-23', removed: 0 }
  const doubt = (left_out_count: number, records: number) =>
    doubtOf({ ...file, left_out_count, records }, undefined, '2026-11-23')
  assert.deepEqual([doubt(21, 210), doubt(20, 40)], ['', ''])
  assert.match(doubt(21, 209), /^21 of its 209 records have no name$/)
})

test('list status: missing, sample, current for a week, then stale', () => {
  assert.equal(stateOf(undefined), 'missing')
  assert.equal(stateOf(status({ is_sample: true, age_s: STALE_AFTER_S + 1 })), 'sample')
  assert.equal(stateOf(status({ age_s: STALE_AFTER_S })), 'current')
  assert.equal(stateOf(status({ age_s: STALE_AFTER_S + 1 })), 'stale')
})

test('list validity: a week from its import; a sample is never valid', () => {
  const imported_at = '2026-11-23T10:00:00.000001Z'
  assert.equal(staleAt({ imported_at, is_sample: false }), '2026-11-30T10:00:00.000001Z')
  assert.equal(staleAt({ imported_at, is_sample: true }), null)
})
