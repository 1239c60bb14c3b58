// Records of files: CSV and JSON lines read in pieces, with breaks where pieces meet, and faulty
// records that do not take their neighbours along.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { cellsOf, readRecords } from '../../src/imports/records.ts'

const folder = await mkdtemp(join(tmpdir(), 'corridor-records-'))
after(() => rm(folder, { recursive: true, force: true }))

async function read(text: string | Buffer, quotes: boolean, max_bytes = 256 * 1024) {
  const path = join(folder, 'records')
  await writeFile(path, text)
  const records = await Array.fromAsync(readRecords(path, { quotes, max_bytes }))
  return records.map(({ bytes, ...rest }) => ({ ...rest, text: bytes.toString('utf8') }))
}

const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`

test('CSV record, random cells: written and parsed back equal', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'é') })
  fc.assert(
    fc.property(
      fc.array(cell, { minLength: 1 }),
      fc.infiniteStream(fc.boolean()),
      (cells, bare) => {
        const plain = (text: string) => !/[",\n\r]/.test(text) && bare.next().value
        const record = cells.map(text => (plain(text) ? text : quoted(text))).join(',')
        assert.deepEqual(cellsOf(record, ','), cells)
      },
    ),
  )
})

test('CSV record, misplaced quotes: refused', () => {
  for (const record of [
    'a"b',
    '"a"b',
    '"a',
    '"a""',
    'a,"b" ',
    ' "a"',
    '"a""b"c"',
    '5" pipe',
    'x""y',
  ]) {
    assert.equal(cellsOf(record, ','), undefined, record)
  }
})

test('CSV records, split over many chunks: every record, with the last line', async () => {
  const records = Array.from({ length: 20_000 }, (_, i) =>
    i % 7 === 0 ? `${quoted(`"Mill"\n${'é'.repeat(i % 40)},\r\n`)},${i}` : `Anna ${i},é"x""y`,
  )
  const found = await read(records.join('\r\n'), true)
  assert.deepEqual(
    found.map(({ text }) => text),
    records,
  )
  let line = 0
  for (const [i, record] of records.entries()) {
    line += record.split('\n').length
    assert.deepEqual([found[i]?.line, found[i]?.fault], [line, null])
  }
  assert.equal(found.at(-1)?.bytes_read, Buffer.byteLength(records.join('\r\n')))
})

test('CSV records, one too long in the middle: named, the next record parsed', async () => {
  for (const quotes of [true, false]) {
    const found = await read(`a\n${'b'.repeat(700_000)}\nc\r\n\n \t\nd`, quotes)
    assert.deepEqual(
      found.map(({ line, text, fault }) => [line, text, fault]),
      [
        [1, 'a', null],
        [2, '', 'too_long'],
        [3, 'c', null],
        [6, 'd', null],
      ],
    )
  }
  const [exact, over] = [
    await read('x'.repeat(100), false, 100),
    await read('x'.repeat(101), false, 100),
  ]
  assert.deepEqual([exact[0]?.fault, over[0]?.fault], [null, 'too_long'])
})

test('CSV records, unclosed quote: its line named, the next record parsed', async () => {
  const rows = Array.from({ length: 50_000 }, (_, i) => `row ${i},x`)
  const found = await read(`a\n"b,x\n${rows.join('\n')}\n`, true)
  assert.deepEqual([found[1]?.line, found[1]?.fault], [2, 'open_quote'])
  assert.deepEqual(
    found.slice(2).map(({ text }) => text),
    rows,
  )
  const long = await read(`"${'b'.repeat(700_000)}\nc`, true)
  assert.deepEqual(
    long.map(({ line, text, fault }) => [line, text, fault]),
    [
      [1, '', 'too_long'],
      [2, 'c', null],
    ],
  )
})

test('CSV records, misplaced quotes: each refused within its own line', async () => {
  const rows = ['5" pipe,x', 'a"",x', '"a" "b,x', '"a"b""c,x', 'x,"a"', '"",""""', ' "a,x']
  const found = await read(rows.join('\n'), true)
  assert.deepEqual(
    found.map(({ text }) => text),
    rows,
  )
})

test('CSV records, byte order mark: skipped at the start only', async () => {
  const found = await read('\ufeffa\n\ufeffb', false)
  assert.deepEqual(
    found.map(({ text }) => text),
    ['a', '\ufeffb'],
  )
})
