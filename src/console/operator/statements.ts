// The screen of the statements of one account at a bank: takes a file, says what was taken of it,
// and lists what is there, each with what to do about it.
import { type Content, type Html, html } from '../../values/text/html.ts'
import { field, fields, fieldText, post, postForm } from '../form.ts'
import { rows, type Table } from '../list.ts'
import type {
  BankStatement,
  CaseNote,
  ImportedStatements,
  NostroSettings,
  TreasuryExceptions,
} from '../objects.ts'
import type { Screens } from '../screens.ts'
import { link, money, state, time, words } from '../show.ts'
import { mayOperate, type Screen, type Visit } from '../visit.ts'
import { noteBody, noteFields, noteList } from './nostro-notes.ts'

export function statementScreens(screens: Screens): void {
  const path = '/treasury/:name/statements'
  screens.show('installation', path, show)
  screens.act('installation', path, take, show)
  const next = `${path}?done=saved`
  const note = { to: '/v3/operator/nostro_case/:id/note', body: noteBody, next }
  screens.send('installation', `${path}/note/:id`, note, show)
}

/** What to do about a statement that is not proved. */
const NEXT: Readonly<Record<string, string>> = {
  gap: 'Take in the statement that is missing before it: both are then proved.',
  overlap: 'Ask the bank which one is right.',
  sum_differs: 'Ask the bank for the statement again.',
}

/** So many statements that are not proved are shown with their notes. */
const MOST_NOTED = 20

const show = (visit: Visit) => page(visit)

async function page(visit: Visit, taken: Html | '' = ''): Promise<Screen> {
  const { name = '' } = visit.params
  const until = visit.query.until ?? ''
  const [nostro, statements, exceptions] = await Promise.all([
    visit.api.get<NostroSettings>(`/v3/operator/nostro/${name}`),
    visit.api.list<BankStatement>(`/v3/operator/nostro/${name}/statement`, { until }),
    visit.api.get<TreasuryExceptions>('/v3/operator/nostro_exception', { nostro: name }),
  ])
  const unproved = statements.results.filter(one => one.state !== 'proved').slice(0, MOST_NOTED)
  const notes = await Promise.all(unproved.map(({ id }) => notesOf(visit, id)))
  const known = new Map(unproved.map(({ id }, i) => [id, notes[i] ?? []]))
  const late = exceptions.exceptions.filter(({ kind }) => kind === 'statement_late')
  const why = new Map(exceptions.exceptions.map(one => [one.id, one.note]))
  const body = html`<p>${link(`${visit.root}/treasury/${name}`, name)}: its open lines and
items.</p>
${late.map(({ note }) => html`<p class="note wait">Late: ${note}.</p>`)}
${taken}${mayOperate(visit) && takeForm(visit, name, statements.results.length > 0)}
<h2>Statements</h2>
<form class="filters" action="${visit.root}/treasury/${name}/statements">${field(visit, {
    name: 'until',
    label: 'Up to the day',
    type: 'date',
    value: until,
  })}<div class="buttons"><button class="quiet">Show</button></div></form>
${rows(statementTable(visit, nostro.currency, why, known), statements.results)}
${statements.results.length >= 100 && html`<p class="faint">The newest 100 up to that day.</p>`}`
  return { title: `Statements of ${name}`, body }
}

async function notesOf(visit: Visit, id: string): Promise<readonly CaseNote[]> {
  const path = `/v3/operator/nostro_case/${id}/note`
  return (await visit.api.unlisted().list<CaseNote>(path)).results
}

function takeForm(visit: Visit, name: string, hasOne: boolean): Html {
  return postForm(visit, {
    action: `${visit.root}/treasury/${name}/statements`,
    // The first one is what the page is for.
    ...(hasOne && { under: 'Take in a statement' }),
    button: 'Take it in',
    body: html`<p>camt.053, MT940, BAI2, or CSV where the account has a mapping. Each line is
taken once, however often a file comes. A file of more than some 2 MB is taken by whoever runs the
server.</p>
<div class="field"><label for="f-file">Choose the file, or paste its text below</label>
<input type="file" id="f-file" data-into="f-content" data-name-into="f-file-name" hidden></div>
${fields(visit, [
  { name: 'content', label: 'The statement', rows: 8, required: true },
  { name: 'file_name', label: 'What the file is called (optional)' },
])}<p><button class="quiet" name="check" value="yes">Check without taking it in</button></p>`,
  })
}

async function take(visit: Visit): Promise<Screen> {
  const { name = '' } = visit.params
  const file_name = fieldText(visit, 'file_name')
  const dry_run = fieldText(visit, 'check') === 'yes'
  const [content = '', ...more] = piecesOf(visit.form.get('content') ?? '')
  const sent = {
    ...{ content, more },
    ...(file_name !== '' && { file_name }),
    ...(dry_run && { dry_run }),
  }
  const path = `/v3/operator/nostro/${name}/statement`
  // The page would show the whole file in its examples of code.
  const unlisted = { ...visit, api: visit.api.unlisted() }
  const answer = dry_run
    ? await unlisted.api.post<ImportedStatements>(path, sent)
    : await post<ImportedStatements>(unlisted, path, sent)
  const { currency } = await unlisted.api.get<NostroSettings>(`/v3/operator/nostro/${name}`)
  // After a check the form keeps what was sent.
  const next = dry_run ? visit : { ...visit, form: new URLSearchParams() }
  return page(next, takenPart(answer, currency, `${visit.root}/treasury/${name}`))
}

/** The API takes a long text in pieces. */
const piecesOf = (text: string) => text.match(/[\s\S]{1,60000}/gu) ?? []

type Taken = ImportedStatements['statements'][number]

function takenPart(
  { known, dry_run, statements, first_lines }: ImportedStatements,
  currency: string,
  path: string,
): Html {
  if (known) {
    return html`<p class="note good" role="status">The same file was taken before: nothing is
added.</p>`
  }
  const table: Table<Taken> = {
    caption: 'What the file has',
    empty: 'The file has no statement.',
    columns: [
      { name: 'Account', show: ({ nostro }) => nostro },
      { name: 'Days', show: daysOf },
      { name: 'Lines', number: true, show: ({ lines }) => lines },
      { name: 'Held already', number: true, show: ({ held }) => held },
      { name: 'Before the opening', number: true, show: ({ left_out }) => left_out },
      { name: 'Result', show: resultOf },
    ],
  }
  const lines: Table<ImportedStatements['first_lines'][number]> = {
    caption: 'The first lines',
    empty: 'The file has no line.',
    columns: [
      { name: 'Day', show: ({ booked_on }) => booked_on },
      { name: 'Who', show: line => line.counterparty_name || line.text },
      { name: 'Key', show: line => line.end_to_end_id || line.bank_reference },
      { name: 'Amount', number: true, show: line => money(line.amount, line.currency || currency) },
    ],
  }
  const said = dry_run ? 'A check: nothing is taken in.' : 'The file is taken in.'
  const next = !dry_run && html` ${link(path, 'Look at the open lines and items')}.`
  return html`<p class="note ${dry_run ? 'wait' : 'good'}" role="status">${said}${next}</p>
${rows(table, statements)}${dry_run && html`<h2>The first lines</h2>${rows(lines, first_lines)}`}`
}

function resultOf({ final, state: now }: Taken): Content {
  if (!final) return 'not final: it makes no lines'
  return now !== null && stateWith(now)
}

const stateWith = (now: string): Html =>
  html`${state(now)}${NEXT[now] && html`<br><small>${NEXT[now]}</small>`}`

const daysOf = ({ opened_on, closed_on }: Pick<BankStatement, 'opened_on' | 'closed_on'>) =>
  opened_on === closed_on ? closed_on : `${opened_on} to ${closed_on}`

function statementTable(
  visit: Visit,
  currency: string,
  why: ReadonlyMap<string, string>,
  notes: ReadonlyMap<string, readonly CaseNote[]>,
): Table<BankStatement> {
  const balance = (amount: string | null) => amount !== null && money(amount, currency)
  return {
    caption: 'Statements, newest first',
    empty: 'No statement yet.',
    columns: [
      { name: 'Days', show: one => html`<span id="${one.id}">${daysOf(one)}</span>` },
      { name: 'State', show: one => html`${stateWith(one.state)}${whyOf(why.get(one.id))}` },
      { name: 'Opens with', number: true, show: ({ opening }) => balance(opening) },
      { name: 'Closes with', number: true, show: ({ closing }) => balance(closing) },
      { name: 'Lines', number: true, show: linesOf },
      { name: 'Came as', show: cameAs },
      { name: 'Notes', show: ({ id }) => notePart(visit, id, notes.get(id)) },
    ],
  }
}

const whyOf = (words: string | undefined) => words && html`<br><small>Why: ${words}.</small>`

const linesOf = ({ lines, held }: BankStatement) =>
  held === '0' ? lines : `${lines}, ${held} of them held already`

const cameAs = ({ format, file, statement_id, received_at }: BankStatement) =>
  html`${words(format)} <code>${statement_id}</code><br><small>${file}</small><br>
${time(received_at)}`

function notePart(visit: Visit, id: string, notes: readonly CaseNote[] | undefined): Content {
  if (notes === undefined) return ''
  const form = postForm(visit, {
    action: `${visit.root}/treasury/${visit.params.name}/statements/note/${id}`,
    under: 'Write a note',
    button: 'Save the note',
    fields: noteFields,
  })
  return html`${noteList(notes)}${mayOperate(visit) && form}`
}
