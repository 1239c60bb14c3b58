// The form that makes a batch of payouts from CSV.
import { readPayouts, type TextRow } from '../../imports/text.ts'
import { type Html, html } from '../../values/text/html.ts'
import { ApiError } from '../api.ts'
import { fields, fieldText, post, postForm } from '../form.ts'
import { rows, type Table } from '../list.ts'
import type { Batch, BatchItem } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { facts } from '../show.ts'
import type { Screen, Visit } from '../visit.ts'
import { costsOf, REFUSAL_COLUMNS } from './batches.ts'

export function newBatchScreens(screens: Screens): void {
  screens.show('account', '/batches/new', form)
  screens.act('account', '/batches/new', make, form)
}

const EXAMPLE_HEADER =
  'amount_major,currency,purpose,transaction_description,reference_id,' +
  'beneficiary.name,beneficiary.type,beneficiary.iban,beneficiary.country'
const HINT = html`A header line, then a line for each payout. A header is, for example,
<code>${EXAMPLE_HEADER}</code>`

const MODES = { all_or_nothing: 'create no payout', best_effort: 'create the other payouts' }

async function form(visit: Visit): Promise<Screen> {
  return { title: 'New batch', body: formUnder(visit, undefined) }
}

/** The findings are those of a check, if there was one. */
function formUnder(visit: Visit, findings: Html | undefined): Html {
  const fileInput = html`<input type="file" accept=".csv,text/csv" data-into="f-csv" hidden
aria-label="Choose a file">`
  return html`${findings}${postForm(visit, {
    action: `${visit.root}/batches/new`,
    button: 'Create the payouts',
    body: html`${fileInput}${fields(visit, [
      { name: 'csv', label: 'Payouts, as CSV', rows: 12, required: true, hint: HINT },
      { name: 'mode', label: 'If a payout is refused', options: MODES },
      { name: 'reference_id', label: 'Your reference (optional)' },
    ])}<p><button class="quiet" name="check" value="yes">Check without creating</button></p>`,
  })}`
}

async function make(visit: Visit): Promise<Screen | string> {
  const { rows: read, problems } = readPayouts(visit.form.get('csv') ?? '')
  if (problems.length > 0) throw asRefusal(problems.map(p => `Line ${p.line}: ${p.message}`))
  if (read.length === 0) throw asRefusal(['The CSV has no row under the header.'])
  const dry_run = fieldText(visit, 'check') === 'yes'
  const reference_id = fieldText(visit, 'reference_id')
  const body = {
    mode: fieldText(visit, 'mode') || 'all_or_nothing',
    dry_run,
    ...(reference_id && { reference_id }),
    payouts: read.map(row => row.body),
  }
  const batch = await withLines(read, () =>
    dry_run
      ? visit.api.post<Batch>('/v3/payout_batch', body)
      : post<Batch>(visit, '/v3/payout_batch', body),
  )
  if (dry_run) return { title: 'New batch', body: formUnder(visit, findingsOf(read, batch)) }
  return `${visit.root}/batches/${batch.id}?done=batch`
}

const MAX_PROBLEMS = 50

/** With a problem for each message, up to MAX_PROBLEMS (400). */
function asRefusal(messages: readonly string[]): ApiError {
  const shown = messages.slice(0, MAX_PROBLEMS)
  return new ApiError(
    400,
    shown.map(message => ({ reason: 'invalid_field', message, remarks: '' })),
  )
}

/** The API's problems name a payout by its position. */
async function withLines<T>(read: readonly TextRow[], call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const problems = error.problems.map(problem => {
      const position = /^payouts\[(\d+)\]/.exec(problem.remarks)?.[1]
      const line = position === undefined ? undefined : read[Number(position)]?.line
      return line === undefined
        ? problem
        : { ...problem, message: `Line ${line}: ${problem.message}` }
    })
    throw new ApiError(error.status, problems)
  }
}

function findingsOf(read: readonly TextRow[], batch: Batch): Html {
  const { counts, totals, refused } = batch
  const table: Table<BatchItem> = {
    caption: 'Rows that are refused',
    empty: 'No row is refused.',
    columns: [
      { name: 'Line', number: true, show: ({ position }) => read[Number(position)]?.line },
      ...REFUSAL_COLUMNS,
    ],
  }
  return html`<section class="card"><h2>Checked: no payout is created yet</h2>
${facts([
  ['Payouts', counts.payouts],
  ['Would be created', counts.created],
  ['Would be refused', counts.refused],
  ...costsOf('Would cost', totals),
])}${rows(table, refused)}</section>`
}
