/// <reference lib="dom" />
// A batch of payouts from a table in the console: the templates, every problem of every row at
// once, and what the batch shows of its payees.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { XLSX_TYPE, xlsxOf } from '../../src/values/text/xlsx.ts'
import {
  addSession,
  assertAccessible,
  NO_BROWSER,
  openBrowser,
  openPage,
} from '../support/service/browser.ts'
import { addPerson, startTestService, type TestService } from '../support/service/service.ts'
import { logIn, sendForm } from '../support/service/session.ts'

let service: TestService
let id: string
let address: string
let headers: Awaited<ReturnType<typeof logIn>>

before(async () => {
  service = await startTestService()
  await service.setFees([{ payout_type: 'local' }])
  await service.setRates({ 'USD/HKD': '7.8' })
  const opened = { currencies: ['USD'], fund: { USD: 1_000_000n } }
  const { account } = await service.openAccount(opened)
  id = account.account_id
  await addPerson(service, { user: 'mia', role: 'member', roles: [[id, 'maker']] })
  headers = await logIn(service, 'mia')
  address = await service.app.listen({ host: '127.0.0.1', port: 0 })
})
after(() => service.close())

const form = () => `/console/${id}/batches/new`
const sent = (csv: string, more: Record<string, string> = {}) =>
  sendForm(service, headers, form(), { csv, key: 'batch', ...more })

const NAMES = [
  ...['amount_major', 'currency', 'purpose', 'reference_id', 'beneficiary.name'],
  ...['beneficiary.type', 'beneficiary.country', 'beneficiary.account_number'],
  'beneficiary.bank_codes.bank_code',
]
/** A row that is in order, but for these cells. */
function rowWith(i: number, wrong: Readonly<Record<string, string>> = {}): string[] {
  const right: Record<string, string> = {
    amount_major: `${10 + i}.00`,
    currency: 'HKD',
    purpose: 'salary',
    reference_id: `ROW-${i}`,
    'beneficiary.name': `Payee ${i}`,
    'beneficiary.type': 'individual',
    'beneficiary.country': 'HK',
    'beneficiary.account_number': `12345678901${i}`,
    'beneficiary.bank_codes.bank_code': '004',
  }
  return NAMES.map(name => wrong[name] ?? right[name] ?? '')
}
const WRONG: ReadonlyMap<number, Readonly<Record<string, string>>> = new Map([
  [2, { amount_major: '1.234' }],
  [5, { currency: 'HKX' }],
  [6, { 'beneficiary.type': 'person', 'beneficiary.name': '' }],
  [11, { 'beneficiary.bank_codes.bank_code': '4' }],
  [14, { amount_major: '90000000.00' }],
  [19, { purpose: '' }],
])
const table = (wrong: boolean) =>
  Array.from({ length: 20 }, (_, i) => rowWith(i, wrong ? WRONG.get(i) : {}))
const joined = (rows: readonly (readonly string[])[], between: string) =>
  [NAMES, ...rows].map(row => row.join(between)).join('\r\n')

/** Line by line, the columns that the page names. */
const LINES: readonly (readonly [line: number, column: string])[] = [
  [4, 'Amount'],
  [7, 'Currency'],
  [8, 'Payee’s name'],
  [8, 'Kind of payee'],
  [13, 'Bank code'],
  [16, 'Amount'],
  [21, 'Purpose'],
]

for (const [name, between] of [
  ['commas', ','],
  ['semicolons', ';'],
  ['tabs', '\t'],
] as const) {
  test(`new batch, 20 rows with ${name}, 6 rows wrong in different ways: every problem named at once by line and column, no payout made`, async () => {
    const refused = await sent(joined(table(true), between))
    assert.equal(refused.status, 400, refused.text)
    const text = refused.text.replaceAll(/<[^>]*>/g, '\n')
    for (const [line, column] of LINES) {
      assert.ok(text.includes(`Line ${line}${column && `, ${column}`}: `), `${line} ${column}`)
    }
    assert.match(text, /Line 8, Payee’s name: is required\./)
    const named = new Set(text.match(/(?<=Line )\d+/g))
    assert.deepEqual([...named].map(Number), [4, 7, 8, 13, 16, 21])
    assert.equal(await countPayouts(), 0)
  })
}

async function countPayouts() {
  const [row] = await service.database.owner<{ count: number }[]>`
    select count(*)::integer as count from payouts where account_id = ${id}`
  return row?.count
}

test('new batch, a column named Amount: refused, because the API would read it as minor units', async () => {
  const csv = joined(table(false), ',').replace('amount_major', 'Amount')
  for (const more of [{}, { check: 'yes' }]) {
    const { status, text } = await sent(csv, more)
    assert.equal(status, 400)
    assert.match(text, /Line 1: The column amount has minor units, such as cents\./)
  }
  assert.equal(await countPayouts(), 0)
})

test('new batch, check without creating, some rows wrong: names them in a table, counts and costs the others', async () => {
  const { status, text } = await sent(joined(table(true), ','), { check: 'yes' })
  assert.equal(status, 200, text)
  assert.match(text, /<dt>Would be created<\/dt>\s*<dd>14</)
  assert.match(text, /<dt>Would be refused<\/dt>\s*<dd>6</)
  assert.match(text, /<td[^>]*>13<\/td>\s*<td[^>]*>Bank code</)
  assert.equal(await countPayouts(), 0)
})

test('batch templates: CSV has the columns, the workbook as well; each column is one that a batch takes', async () => {
  const csv = await service.inject({ url: `/console/${id}/batches/template.csv`, headers })
  assert.equal(csv.headers['content-disposition'], 'attachment; filename="payouts.csv"')
  const { status, text } = await sent(`${csv.text}${','.repeat(csv.text.split(',').length - 1)}x`)
  assert.equal(status, 400)
  assert.equal(/unknown column|no column/.test(text), false, text)
  const workbook = await service.inject({ url: `/console/${id}/batches/template.xlsx`, headers })
  assert.equal(workbook.headers['content-type'], XLSX_TYPE)
  assert.equal(workbook.headers['content-disposition'], 'attachment; filename="payouts.xlsx"')
})

test('new batch in a browser, workbook chosen: its first sheet fills the table; the batch shows payees, amounts and states', {
  skip: NO_BROWSER ?? false,
}, async () => {
  const browser = await openBrowser()
  try {
    const { page, context, faults } = await openPage(browser, address, {})
    await addSession(service, context, address, 'mia')
    await page.goto(form())
    const rows = [NAMES, ...table(false).slice(0, 3), rowWith(7, { 'beneficiary.name': 'A\t"B"' })]
    const buffer = xlsxOf([
      { name: 'Payouts', rows },
      { name: 'Columns', rows: [['not this sheet']] },
    ])
    const file = { name: 'payroll.XLSX', mimeType: XLSX_TYPE, buffer }
    await page.setInputFiles('input[type=file]', file)
    await page.waitForFunction(() => document.querySelector('textarea')?.value.includes('ROW-7'))
    await assertAccessible(page, 'new batch')
    await page.click('button:text("Create the payouts")')
    await page.waitForURL(/\/batches\/pob_/)
    const cells = await page.locator('table tbody tr').allInnerTexts()
    assert.equal(cells.length, 4)
    assert.match(cells[0] ?? '', /Payee 0\s+10\.00\sHKD/)
    assert.match(cells[3] ?? '', /A\s+"B"\s+17\.00\sHKD/)
    const lost = { ...file, name: 'lost.xlsx', buffer: Buffer.from('no workbook') }
    await page.goto(form())
    await page.setInputFiles('input[type=file]', lost)
    await page.waitForFunction(
      () => document.querySelector<HTMLInputElement>('input[type=file]')?.validationMessage !== '',
    )
    assert.deepEqual(faults, [])
    await context.close()
  } finally {
    await browser.close()
  }
})
