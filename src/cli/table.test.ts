// Tables in a terminal: no cell is cut, and no line is wider than the terminal.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { table } from './table.ts'
import { widthOf } from './terminal.ts'

const HEADINGS = ['account', 'name', 'state', 'currencies', 'balances', 'created']
const ID = 'acc_01m7xpm2kyj94bggdx1c'
const LONG =
  'Harbour Trading and Shipping of the Far East and of the Islands Beyond It Limited Company'
const ROWS = [
  [ID, 'Harbour', 'compliance_hold', 'USD,EUR', 'USD 1,000.00', '2026-11-22'],
  [ID, LONG, 'active', 'USD,EUR,HKD', 'USD 1,000.00', '2026-11-22'],
  [ID, '漢字'.repeat(15), 'active', 'USD', '', '2026-11-22'],
]

/** The cells' words, whatever lines they stand on. */
const wordsOf = (text: string) => text.split(/\s+/).filter(word => word !== '')

const assertWhole = (text: string, rows: readonly (readonly string[])[]) => {
  assert.deepEqual(wordsOf(text), wordsOf([HEADINGS, ...rows].flat().join(' ')))
}

test('CLI table, output not to a terminal: one line per row', () => {
  const text = table(HEADINGS, ROWS)
  assertWhole(text, ROWS)
  assert.equal(text.split('\n').length, 1 + ROWS.length)
})

test('CLI table, all cells fit the terminal: one line per row', () => {
  const rows = [['USD', '1.00']]
  assert.equal(table(['currency', 'balance'], rows, 17), 'currency  balance\nUSD       1.00')
})

for (const columns of [66, 80, 100, 132]) {
  test(`CLI table in ${columns} columns: every line fits, no cell is cut, columns aligned`, () => {
    const text = table(HEADINGS, ROWS, columns)
    assertWhole(text, ROWS)
    for (const line of text.split('\n')) assert.ok(widthOf(line) <= columns, line)
    assert.equal(text.split('\n').filter(line => line.startsWith(ID)).length, ROWS.length)
  })
}

test('CLI table, row of several lines: indented, each value below its heading', () => {
  const rows = [
    [ID, 'Harbour', 'active', 'USD'],
    [ID, 'Acme', 'frozen', 'USD,EUR'],
  ]
  assert.equal(
    table(HEADINGS.slice(0, 4), rows, 40),
    [
      'account                   name',
      '  state   currencies',
      `${ID}  Harbour`,
      '  active  USD',
      `${ID}  Acme`,
      '  frozen  USD,EUR',
    ].join('\n'),
  )
})

test('CLI table, cell wider than a line: broken between words, a long word within itself', () => {
  const rows = [[ID, LONG, 'active', 'USD', 'USD 1.00', '2026-11-22']]
  const lines = table(HEADINGS, rows, 66).split('\n')
  assert.ok(lines.includes('  Harbour Trading and Shipping of the Far East and of the Islands'))
  assert.ok(lines.includes('    Beyond It Limited Company'))
  const endless = 'x'.repeat(200)
  const text = table(HEADINGS, [[ID, endless]], 80)
  for (const line of text.split('\n')) assert.ok(widthOf(line) <= 80, line)
  assert.ok(text.replaceAll(/\s/g, '').includes(endless))
})

test('CLI table, terminal narrower than an id: ids and amounts not broken', () => {
  assertWhole(table(HEADINGS, ROWS, 20), ROWS)
})
