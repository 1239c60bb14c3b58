// The form that makes a batch of payouts from a table: a template to fill in, all problems of all
// rows at once, and a check that creates nothing.
import { payoutColumn } from '../../imports/payouts.ts'
import { readPayouts, type TextRow } from '../../imports/text.ts'
import { type Html, html } from '../../values/text/html.ts'
import { XLSX_TYPE, xlsxOf } from '../../values/text/xlsx.ts'
import { ApiError } from '../api.ts'
import { fields, fieldText, post, postForm } from '../form.ts'
import { rows, type Table } from '../list.ts'
import type { Batch } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { facts } from '../show.ts'
import type { Screen, Visit } from '../visit.ts'
import { costsOf } from './batches.ts'

export function newBatchScreens(screens: Screens): void {
  screens.show('account', '/batches/new', form)
  screens.act('account', '/batches/new', make, form)
  screens.stream('account', '/batches/template.csv', (_request, reply) => {
    void reply.header('content-disposition', 'attachment; filename="payouts.csv"')
    const header = TEMPLATE.map(([name]) => name).join(',')
    return reply.type('text/csv; charset=utf-8').send(`${header}\r\n`)
  })
  screens.stream('account', '/batches/template.xlsx', (_request, reply) => {
    void reply.header('content-disposition', 'attachment; filename="payouts.xlsx"')
    return reply.type(XLSX_TYPE).send(workbook())
  })
}

type TemplateColumn = readonly [name: string, words: string, meaning: string, example: string]

/** The columns that most payouts need. A file may have any others of the API, too. */
const TEMPLATE: readonly TemplateColumn[] = [
  ['amount_major', 'Amount', 'Required. With a point before the cents.', '1250.50'],
  ['currency', 'Currency', 'Required. Three letters.', 'EUR'],
  ['purpose', 'Purpose', 'Required. Why you pay.', 'supplier_payment'],
  ['type', 'Way of paying', 'local, swift, wallet, … Without it: local.', 'local'],
  ['holding_currency', 'Balance', 'The balance to pay from. Without it: that of the currency.', ''],
  ['reference_id', 'Your reference', 'You find the payout by it.', 'INV-2041'],
  ['transaction_description', 'Description', 'The payee’s bank may show it.', 'Invoice 2041'],
  ['beneficiary', 'Saved payee', 'Its id, instead of all the following columns.', ''],
  ['beneficiary.name', 'Payee’s name', 'Required of a new payee.', 'Nordlicht GmbH'],
  ['beneficiary.type', 'Kind of payee', 'individual or business.', 'business'],
  ['beneficiary.country', 'Country', 'Of the payee’s bank, two letters.', 'DE'],
  ['beneficiary.iban', 'IBAN', 'Where the country has IBANs.', 'DE89370400440532013000'],
  ['beneficiary.account_number', 'Account number', 'Where it has none.', ''],
  ['beneficiary.bank_codes.swift_code', 'BIC', 'Of the payee’s bank.', ''],
  ['beneficiary.bank_codes.bank_code', 'Bank code', 'Where the country asks for one.', ''],
  ['beneficiary.address.line1', 'Street', 'Of the payee.', ''],
  ['beneficiary.address.city', 'City', 'Of the payee.', ''],
  ['beneficiary.address.country', 'Country of the address', 'Of the payee, two letters.', ''],
]

function workbook(): Buffer {
  const [names, meanings] = [TEMPLATE.map(([name]) => name), TEMPLATE.map(row => [...row])]
  const head = ['Column', 'In words', 'What it is', 'Example']
  return xlsxOf([
    { name: 'Payouts', rows: [names] },
    { name: 'Columns', rows: [head, ...meanings] },
  ])
}

const WORDS = new Map(TEMPLATE.map(([name, words]) => [name, words]))

/** The column of a member in words; '' for a whole row. */
function columnInWords(member: string): string {
  const name = payoutColumn(member === 'amount' ? 'amount_major' : member)
  return WORDS.get(name) ?? name
}

const MODES = { all_or_nothing: 'create no payout', best_effort: 'create the other payouts' }

async function form(visit: Visit): Promise<Screen> {
  return { title: 'New batch', body: formUnder(visit, undefined) }
}

/** The findings are those of a check, if there was one. */
function formUnder(visit: Visit, findings: Html | undefined): Html {
  const template = (kind: string) => `${visit.root}/batches/template.${kind}`
  const hint = html`Copy the cells out of your spreadsheet and paste them here, with the line of the
columns’ names. Commas, semicolons and tabs between the cells are understood.`
  const fileInput = html`<p>1. Fill in a template:
<a href="${template('xlsx')}" download>Excel</a> or
<a href="${template('csv')}" download>CSV</a>.</p>
<div class="field"><label for="f-file">2. Choose the file, or paste its cells below</label>
<input type="file" id="f-file" accept=".csv,.xlsx,text/csv" data-into="f-csv" hidden></div>`
  return html`${findings}${postForm(visit, {
    action: `${visit.root}/batches/new`,
    button: 'Create the payouts',
    body: html`${fileInput}${fields(visit, [
      { name: 'csv', label: 'Payouts', rows: 12, required: true, hint },
      { name: 'mode', label: 'If a payout is refused', options: MODES },
      { name: 'reference_id', label: 'Your reference (optional)' },
    ])}<p><button class="quiet" name="check" value="yes">Check without creating</button></p>`,
  })}`
}

interface Finding {
  readonly line: number
  /** The column in words; '' for a whole row. */
  readonly column: string
  readonly message: string
}

async function make(visit: Visit): Promise<Screen | string> {
  const { rows: read, problems } = readPayouts(visit.form.get('csv') ?? '')
  const found = problems.map(problem => findingAt(problem.line, problem.member, problem.message))
  if (read.length === 0) {
    const none = { line: 1, column: '', message: 'The table has no row under its columns’ names.' }
    throw asRefusal(found.length > 0 ? found : [none])
  }
  const reference_id = fieldText(visit, 'reference_id')
  const base = {
    mode: fieldText(visit, 'mode') || 'all_or_nothing',
    ...(reference_id && { reference_id }),
  }
  if (fieldText(visit, 'check') === 'yes') {
    const { findings, batch } = await checkAll(visit, read, found)
    return { title: 'New batch', body: formUnder(visit, shownFindings(findings, batch)) }
  }
  if (found.length > 0) throw asRefusal((await checkAll(visit, read, found)).findings)
  try {
    const payouts = read.map(row => row.body)
    const batch = await post<Batch>(visit, '/v3/payout_batch', { ...base, payouts })
    return `${visit.root}/batches/${batch.id}?done=batch`
  } catch (error) {
    if (!(error instanceof ApiError) || error.problems.every(p => positionOf(p) === undefined)) {
      throw error
    }
    throw asRefusal((await checkAll(visit, read, found)).findings)
  }
}

/** How often the rows that are left are checked again. Each check names a hundred problems. */
const MOST_CHECKS = 20

/**
 * Every problem of every row, in the order of lines. Creates nothing. The API first names rows of
 * a wrong form, so the others are checked again without them, against balances and limits.
 */
async function checkAll(visit: Visit, read: readonly TextRow[], found: readonly Finding[]) {
  const findings = [...found]
  const wrong = new Set(found.map(({ line }) => line))
  const [others, readable] = [true, false].map(is => read.filter(r => wrong.has(r.line) === is))
  let left = readable ?? []
  let batch: Batch | undefined
  for (let checks = 0; left.length > 0 && checks < MOST_CHECKS; checks += 1) {
    const result = await dryRun(visit, left)
    const named = result instanceof ApiError ? ofForm(result, left) : ofRows(result, left)
    findings.push(...named)
    if (!(result instanceof ApiError)) {
      batch = result
      break
    }
    if (named.length === 0) throw result
    const lines = new Set(named.map(({ line }) => line))
    left = left.filter(({ line }) => !lines.has(line))
  }
  // A row with one wrong cell may have more of them.
  if (others !== undefined && others.length > 0) {
    const result = await dryRun(visit, others)
    if (result instanceof ApiError) findings.push(...ofForm(result, others))
  }
  return { findings: findings.sort((a, b) => a.line - b.line), batch }
}

/** The findings of a refusal that names payouts by their positions. */
function ofForm({ problems }: ApiError, read: readonly TextRow[]): Finding[] {
  return problems.flatMap(problem => {
    const row = read[positionOf(problem) ?? -1]
    const member = problem.remarks.replace(/^payouts\[\d+\]\.?/, '')
    if (row === undefined) return []
    return [findingAt(row.line, member, problem.message, problem.remarks)]
  })
}

/** The findings of the payouts that a dry run refuses. */
function ofRows({ refused }: Batch, read: readonly TextRow[]): Finding[] {
  return refused.flatMap(({ position, errors }) => {
    const line = read[Number(position)]?.line ?? 0
    return errors.map(({ remarks, message }) => findingAt(line, remarks, message))
  })
}

/** The refusal as a value when the API names rows of a wrong form. */
async function dryRun(visit: Visit, read: readonly TextRow[]): Promise<Batch | ApiError> {
  const payouts = read.map(row => row.body)
  try {
    const body = { mode: 'best_effort', dry_run: true, payouts }
    return await visit.api.post<Batch>('/v3/payout_batch', body)
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return error
    throw error
  }
}

/** The index of the payout that a problem of the API names. */
function positionOf({ remarks }: { readonly remarks: string }): number | undefined {
  const position = /^payouts\[(\d+)\]/.exec(remarks)?.[1]
  return position === undefined ? undefined : Number(position)
}

/** `path` names the member in the API's message, in place of which the column is named. */
function findingAt(line: number, member: string, message: string, path = member): Finding {
  const named = path !== '' && message.startsWith(`${path} `)
  const column = member === '' ? '' : columnInWords(member)
  return { line, column, message: named ? message.slice(path.length + 1) : message }
}

const MAX_PROBLEMS = 200

/** With a problem for each finding, up to MAX_PROBLEMS (400). */
function asRefusal(findings: readonly Finding[]): ApiError {
  const shown = findings.slice(0, MAX_PROBLEMS).map(({ line, column, message }) => {
    return `Line ${line}${column && `, ${column}`}: ${message}`
  })
  const more = findings.length - shown.length
  const all = more > 0 ? [...shown, `${more} more problems are not shown.`] : shown
  return new ApiError(
    400,
    all.map(message => ({ reason: 'invalid_field', message, remarks: '' })),
  )
}

const FINDINGS: Table<Finding> = {
  caption: 'Rows that are refused',
  empty: 'No row is refused.',
  columns: [
    { name: 'Line', number: true, show: ({ line }) => line },
    { name: 'Column', show: ({ column }) => column },
    { name: 'What is wrong', show: ({ message }) => message },
  ],
}

function shownFindings(findings: readonly Finding[], batch: Batch | undefined): Html {
  const refused = new Set(findings.map(({ line }) => line)).size
  return html`<section class="card"><h2>Checked: no payout is created yet</h2>
${facts([
  ['Would be created', batch?.counts.created ?? '0'],
  ['Would be refused', refused],
  ...costsOf('Would cost', batch?.totals ?? []),
])}${rows(FINDINGS, findings.slice(0, MAX_PROBLEMS))}</section>`
}
