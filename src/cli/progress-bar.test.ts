// Tests the progress bar by the bytes that a terminal gets.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Bar } from './progress-bar.ts'

function record() {
  const written: string[] = []
  return { written, out: { write: (text: string) => written.push(text) > 0 } as never }
}

test('progress bar, drawn, updated at once and stopped: one line, no second drawing within 100 ms, the line cleared', () => {
  const { written, out } = record()
  const bar = new Bar(
    '{bar} {percentage}% {rows}',
    { total: 4, payload: { rows: '0' }, barsize: 4 },
    out,
  )
  bar.update(1, { rows: '1' })
  bar.stop()
  assert.deepEqual(written, ['\x1b[?25l', '\r\x1b[K░░░░ 0% 0', '\r\x1b[K\x1b[?25h'])
})

test('progress bar, updated later: share, value and total, never above the whole; none of an unknown total', t => {
  let now = 0
  t.mock.method(performance, 'now', () => now)
  const { written, out } = record()
  const bar = new Bar('{bar} {percentage}% {value}/{total}', { barsize: 4 }, out)
  for (const value of [3, 5, 9]) {
    now += 100
    bar.update(value)
    bar.setTotal(8)
  }
  assert.deepEqual(
    written.map(text => text.replace('\r\x1b[K', '')),
    ['\x1b[?25l', '░░░░ 0% 0/0', '░░░░ 0% 3/0', '██░░ 62% 5/8', '████ 100% 9/8'],
  )
})
