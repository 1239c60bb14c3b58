// The views that a person has saved of a list, above the list: one click each, and a form to save
// another.
import { type Html, html } from '../text/html.ts'
import { deed } from './form.ts'
import type { SavedView } from './objects.ts'
import type { Visit } from './visit.ts'

/** Pages whose views can be saved: lists directly under the root. */
const OF_A_LIST = /^\/console\/[a-z0-9_]+\/[a-z]+$/

/** `query` has the filters of the address. */
export async function viewBar(visit: Visit, page: string, query: string): Promise<Html | ''> {
  if (!OF_A_LIST.test(page)) return ''
  const views = await visit.api.quietly().list<SavedView>('/v3/saved_view', { page })
  if (views.results.length === 0 && query === '') return ''
  const place = `${page}${query}`
  const isKept = views.results.some(view => view.place === place)
  return html`<div class="views" role="group" aria-label="Your views">${views.results.map(
    view =>
      html`<a href="${view.place}"${view.place === place && html` aria-current="true"`}>${
        view.name
      }</a>`,
  )}
${
  query !== '' &&
  !isKept &&
  html`<details><summary>Keep this view</summary>${keepForm(visit, place)}</details>`
}
${views.results.length > 0 && html`<a href="${visit.root}/views">Change</a>`}</div>`
}

export function keepForm(visit: Visit, place: string): Html {
  return deed(visit, {
    action: `${visit.root}/views`,
    button: 'Keep',
    hidden: { place },
    fields: [{ name: 'name', label: 'Name of the view', required: true }],
  })
}
