// The notes of people on a line, an item or a statement, and the form that adds one. Pure.
import { type Html, html } from '../../values/text/html.ts'
import { type Field, fieldText } from '../form.ts'
import type { CaseNote } from '../objects.ts'
import { when } from '../show.ts'
import type { Visit } from '../visit.ts'

export const noteFields: readonly Field[] = [
  { name: 'note', label: 'Note', required: true },
  { name: 'owner', label: 'Who looks after it' },
]

export function noteBody(visit: Visit): object {
  return { note: fieldText(visit, 'note'), owner: fieldText(visit, 'owner') }
}

/** Newest first; '' without one. */
export function noteList(notes: readonly CaseNote[]): Html | '' {
  if (notes.length === 0) return ''
  return html`<ul class="plain">${notes.map(
    ({ at, by, owner, note }) => html`<li>${note}<br>
<small>${by}, ${when(at)}${owner && `; ${owner} looks after it`}</small></li>`,
  )}</ul>`
}
