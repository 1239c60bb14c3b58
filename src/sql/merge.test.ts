// One list of two tables: the query of the second table, and the merged page.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mergePages, withinReach } from './merge.ts'
import { NEWEST, OLDEST } from './order.ts'
import type { Page, Wanted } from './page.ts'

const row = (second: number, id: string) => ({
  account_id: 'acc_1',
  id,
  created_at: `2026-01-31T09:30:0${second}.000000Z`,
})
const wanted = (limit: number, towards?: 'older' | 'newer'): Wanted => {
  const cursor = towards === undefined ? null : { id: 'x', towards }
  return { limit, above: OLDEST, below: NEWEST, filters: {}, cursor }
}
const pageOf = (has_more: boolean, ...rows: ReturnType<typeof row>[]) => ({ has_more, rows })
const idsOf = ({ rows, has_more }: Page<{ id: string }>) =>
  `${rows.map(({ id }) => id).join(' ')}${has_more ? ' …' : ''}`

test('mergePages of two tables, towards older: the newest rows of both; has_more if either page has more or rows are left over', () => {
  const a = pageOf(false, row(5, 'e'), row(3, 'c'))
  const b = pageOf(false, row(4, 'd'), row(3, 'b'))
  assert.equal(idsOf(mergePages(wanted(4), a, b)), 'e d c b')
  assert.equal(idsOf(mergePages(wanted(3), a, b)), 'e d c …')
  assert.equal(idsOf(mergePages(wanted(4, 'older'), { ...a, has_more: true }, b)), 'e d c …')
  assert.equal(idsOf(mergePages(wanted(4), a, { ...b, has_more: true })), 'e d c b …')
  assert.equal(idsOf(mergePages(wanted(4), pageOf(false), b)), 'd b')
  // The rows beyond the last one of a page are not known whole.
  const short = pageOf(true, row(5, 'e'))
  assert.equal(idsOf(mergePages(wanted(4), short, b)), 'e …')
})

test('mergePages of two tables, towards newer: the oldest rows of both, newest first', () => {
  const a = pageOf(false, row(5, 'e'), row(3, 'c'))
  const b = pageOf(false, row(4, 'd'), row(3, 'b'))
  assert.equal(idsOf(mergePages(wanted(3, 'newer'), a, b)), 'd c b …')
  assert.equal(idsOf(mergePages(wanted(4, 'newer'), a, b)), 'e d c b')
  assert.equal(idsOf(mergePages(wanted(4, 'newer'), pageOf(true, row(3, 'c')), b)), 'c b …')
})

test("withinReach, first table fills the page: the query of the second table ends at the time of the page's last row, inclusive", () => {
  const full = pageOf(true, row(5, 'e'), row(3, 'c'))
  const { created_at } = row(3, 'c')
  assert.deepEqual(withinReach(wanted(2), full).above, { created_at, side: 'before' })
  assert.deepEqual(withinReach(wanted(2), full).below, NEWEST)
  const newer = withinReach(wanted(2, 'newer'), full)
  assert.deepEqual(newer.below, { created_at: row(5, 'e').created_at, side: 'after' })
  assert.deepEqual(newer.above, OLDEST)
})

test('withinReach, first table leaves the page partly empty: query of the second table unchanged', () => {
  for (const page of [pageOf(false, row(5, 'e')), pageOf(false)]) {
    assert.deepEqual(withinReach(wanted(2), page), wanted(2))
  }
})
