// Tables in a terminal: words give way, and nothing that would mean something else when it is cut.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { table } from './context.ts'
import { widthOf } from './terminal.ts'

const HEADINGS = ['account', 'name', 'currencies', 'balances', 'created']
const ID = 'acc_01m7xpm2kyj94bggdx1c'
const ROWS = [
  [
    ID,
    'Harbour Trading and Shipping of the Far East Ltd',
    'USD,EUR,HKD',
    'USD 1,000.00',
    '2026-11-22',
  ],
  [ID, '漢字'.repeat(20), 'USD', 'USD 12.00', '2026-11-22'],
]

test('a table without a terminal: every cell whole', () => {
  const text = table(HEADINGS, ROWS)
  for (const cell of ROWS.flat()) assert.ok(text.includes(cell))
  assert.ok(!text.includes('…'))
})

for (const columns of [90, 100]) {
  test(`a table in ${columns} columns: every line fits, names are cut, all else is whole`, () => {
    const text = table(HEADINGS, ROWS, columns)
    for (const line of text.split('\n')) assert.ok(widthOf(line) <= columns, line)
    for (const [id, name, ...rest] of ROWS) {
      for (const cell of [id, ...rest]) assert.ok(text.includes(String(cell)))
      assert.ok(!text.includes(String(name)))
    }
    assert.match(text, /Harbour.*…/)
  })
}

test('a table that cannot fit: names at their narrowest, ids and amounts whole', () => {
  const text = table(HEADINGS, ROWS, 20)
  for (const [id, , ...rest] of ROWS) {
    for (const cell of [id, ...rest]) assert.ok(text.includes(String(cell)))
  }
  assert.match(text, /Harbour…/)
})
