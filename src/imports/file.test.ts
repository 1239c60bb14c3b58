// Tests how files from spreadsheets are read: empty rows, blanks, apostrophes and other encodings.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { columnsOf, openFile, readBody, readRows } from './file.ts'

const SET = columnsOf({ properties: { amount: { type: 'integer' }, name: { type: 'string' } } }, [
  ['amount'],
])

let folder = ''
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'corridor-'))
})
after(() => rm(folder, { recursive: true }))

/** The bodies of the rows, or the messages about the file. */
async function bodiesOf(content: string | Buffer): Promise<unknown[]> {
  const path = join(folder, 'rows.csv')
  await writeFile(path, content)
  const file = await openFile(path, SET)
  if ('problems' in file) return file.problems.map(({ message }) => message)
  const bodies: unknown[] = []
  for await (const record of readRows(path, true)) bodies.push(readBody(file.columns, record))
  return bodies.slice(1)
}

const ANNA = { amount: 131, name: 'Anna' }
const OF_BASEL = { amount: 131, name: 'Anna, of Basel' }
const WITH_SEMICOLON = { amount: 131, name: 'Anna; of Basel' }

const FILES: readonly (readonly [what: string, content: string, bodies: readonly unknown[]])[] = [
  ['empty rows', 'amount,name\n131,Anna\n\n,\n , \n', [ANNA]],
  ['spaces around cells', ' amount , name \r\n 131 ,  Anna\r\n', [ANNA]],
  ['upper case in the header', 'AMOUNT,Name\n131,Anna\n', [ANNA]],
  ['the line sep=,', 'sep=,\r\namount,name\r\n131,Anna\r\n', [ANNA]],
  [
    'an apostrophe before digits',
    "amount,name\n'131,'012345678901\n",
    [{ amount: 131, name: '012345678901' }],
  ],
  ['an apostrophe before a formula', "amount,name\n131,'=Anna\n", [{ amount: 131, name: '=Anna' }]],
  ['an apostrophe in a name', "amount,name\n131,'t Hooft\n", [{ amount: 131, name: "'t Hooft" }]],
  ['semicolons', 'amount;name\n131;Anna\n;\n', [ANNA]],
  ['semicolons, and commas in cells', 'amount;name\n131;Anna, of Basel\n', [OF_BASEL]],
  ['semicolons and quotes', '"amount";"name"\n131;"Anna, of Basel"\n', [OF_BASEL]],
  ['the line sep=;', 'sep=;\r\namount;name\r\n131;Anna\r\n', [ANNA]],
  ['a line break in a quoted cell', 'amount;name\n131;"An\nna;"\n', [{ ...ANNA, name: 'An\nna;' }]],
  ['tabs', 'amount\tname\n131\tAnna\n', [ANNA]],
  ['commas, and semicolons in cells', 'amount,name\n131,Anna; of Basel\n', [WITH_SEMICOLON]],
]

for (const [what, content, bodies] of FILES) {
  test(`CSV with ${what}: parsed as intended`, async () => {
    assert.deepEqual(await bodiesOf(content), bodies)
  })
}

test('CSV in UTF-16: refused, naming the encoding', async () => {
  const message = 'the file is UTF-16 text; save it as CSV in UTF-8'
  const text = Buffer.from('\ufeffamount,name\n131,Anna\n', 'utf16le')
  assert.deepEqual(await bodiesOf(text), [message])
  assert.deepEqual(await bodiesOf(Buffer.from(text).swap16()), [message])
})
