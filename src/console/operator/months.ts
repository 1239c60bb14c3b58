// The screen of the months of the house's books: what the next one needs before it closes and where
// to do it, the form that closes it, and the closed ones with their digests.
import { type Content, type Html, html } from '../../values/text/html.ts'
import { emptyBody, field, isRefused, postForm } from '../form.ts'
import { rows, type Table } from '../list.ts'
import type { ClosedMonth, MonthBlocker } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { link, time } from '../show.ts'
import { mayOperate, type Screen, type Visit } from '../visit.ts'
import { placeOfCase } from './exception-words.ts'
import { noteBody, noteFields } from './nostro-notes.ts'

const API = '/v3/operator/month'

export function monthScreens(screens: Screens): void {
  screens.show('installation', '/months', show)
  const close = { to: `${API}/:month/close`, body: emptyBody, next: '/months?done=closed' }
  screens.send('installation', '/months/:month', close, show)
  const note = { to: '/v3/operator/nostro_case/:id/note', body: noteBody }
  // To the same month: its place in the address is that of the path.
  const next = '/months?month=:month&done=saved'
  screens.send('installation', '/months/:month/note/:id', { ...note, next }, show)
}

async function show(visit: Visit): Promise<Screen> {
  const closed = await visit.api.list<ClosedMonth>(API)
  const month = visit.params.month ?? (visit.query.month || nextOf(closed.results))
  const isClosed = closed.results.some(one => one.month === month)
  const blockers = isClosed ? undefined : await visit.api.list<MonthBlocker>(`${API}/${month}`)
  const body = html`<form class="filters" action="${visit.root}/months">${field(visit, {
    name: 'month',
    label: 'Month',
    value: month,
    hint: 'Such as 2026-11',
  })}<div class="buttons"><button class="quiet">Check the month</button></div></form>
<h2>${month}</h2>
${blockers === undefined ? html`<p>It is closed.</p>` : openMonth(visit, month, blockers.results)}
<h2>Closed months</h2>
${rows(CLOSED, closed.results)}`
  return { title: 'Months', body }
}

/** The month behind the last closed one; without one, the last month. */
function nextOf([newest]: readonly ClosedMonth[]): string {
  const now = new Date()
  const [year = 0, number = 0] =
    newest === undefined
      ? [now.getUTCFullYear(), now.getUTCMonth() - 1]
      : newest.month.split('-').map(Number)
  return new Date(Date.UTC(year, number, 1)).toISOString().slice(0, 7)
}

const isOver = (month: string) => month < new Date().toISOString().slice(0, 7)

function openMonth(visit: Visit, month: string, blockers: readonly MonthBlocker[]): Html {
  const isReady = blockers.length === 0 && isOver(month)
  const action = `${visit.root}/months/${month}`
  return html`${!isOver(month) && html`<p>The month is not over. So far it needs this:</p>`}
${rows(blockerTable(visit, month), blockers.slice(0, MOST_SHOWN))}
${
  blockers.length > MOST_SHOWN &&
  html`<p class="faint">The first ${MOST_SHOWN} of ${blockers.length}${
    blockers.length >= MOST_FOUND && ' or more'
  }.</p>`
}
${
  // A refused form stays, with what the API has said.
  (isReady || isRefused(visit, { action })) &&
  mayOperate(visit) &&
  postForm(visit, {
    action,
    button: `Close ${month}`,
    asksPassword: true,
    danger: true,
    body: html`<p>Closing keeps the trial balance of the month's end, the accounts at banks as they
are now, and the SHA-256 of both. No journal of the house enters the month from then on, and it
never opens again: what comes late is booked in the next month.</p>`,
  })
}`
}

/** What stands against closing, and what to do. */
const BLOCKERS: Readonly<Record<MonthBlocker['what'], readonly [what: string, next: string]>> = {
  behind: [
    'The journals of an account are not in the books of the house yet.',
    'Wait some seconds. If it stays, whoever runs the server looks why.',
  ],
  statement_missing: [
    'No statement covers the last day of the month.',
    'Take in the statement of that day.',
  ],
  not_proved: [
    'A statement does not follow the one before it.',
    'Take in the statement that is missing, or ask the bank.',
  ],
  line_without_note: [
    'A line of the bank is open and has no note.',
    'Match it, or write down why it is open.',
  ],
  item_without_note: [
    'An item of the books is open and has no note.',
    'Match it, or write down why it is open.',
  ],
}

/** The API names no more. */
const MOST_FOUND = 1000
const MOST_SHOWN = 100

function blockerTable(visit: Visit, month: string): Table<MonthBlocker> {
  return {
    caption: 'What the month needs before it closes',
    empty: 'Nothing stands against closing it.',
    columns: [
      { name: 'Which', show: blocker => placeOf(visit, blocker) },
      { name: 'What', show: ({ what }) => BLOCKERS[what][0] },
      { name: 'What to do', show: blocker => nextOfBlocker(visit, month, blocker) },
    ],
  }
}

/** A note is written where the month asks for it. */
function nextOfBlocker(visit: Visit, month: string, { what, name }: MonthBlocker): Content {
  const isNoted = what === 'line_without_note' || what === 'item_without_note'
  if (!isNoted || !mayOperate(visit)) return BLOCKERS[what][1]
  return html`${BLOCKERS[what][1]}${postForm(visit, {
    action: `${visit.root}/months/${month}/note/${name}`,
    under: 'Write a note',
    button: 'Save the note',
    fields: noteFields,
  })}`
}

function placeOf(visit: Visit, { what, name, nostro }: MonthBlocker): Content {
  if (what === 'behind') return link(`${visit.root}/accounts/${name}`, html`<code>${name}</code>`)
  const id = /^(line|item)_/.test(name) ? name : ''
  return link(`${visit.root}/${placeOfCase({ nostro, id })}`, name)
}

const CLOSED: Table<ClosedMonth> = {
  caption: 'Closed months, newest first',
  empty: 'No month is closed.',
  columns: [
    { name: 'Month', show: ({ month }) => month },
    { name: 'Closed', show: ({ at }) => time(at) },
    { name: 'By', show: ({ by }) => by },
    { name: 'SHA-256 of the month', show: ({ sha256 }) => html`<code>${sha256}</code>` },
    { name: 'SHA-256 of the books of accounts', show: ({ cuts }) => html`<code>${cuts}</code>` },
  ],
}
