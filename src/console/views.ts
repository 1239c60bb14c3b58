// The bar above a list: a link to each view that the person has saved of it, and a form that saves
// another.
import { type Html, html } from '../text/html.ts'
import { postForm } from './form.ts'
import type { SavedView } from './objects.ts'
import type { Visit } from './visit.ts'

/** The pages whose views can be saved: lists directly below the root. */
const LIST_PAGE = /^\/console\/[a-z0-9_]+\/[a-z]+$/

/** The bar; '' without views and filters. `query` has the filters of the address. */
export async function viewBar(visit: Visit, page: string, query: string): Promise<Html | ''> {
  if (!LIST_PAGE.test(page)) return ''
  const views = await visit.api.unlisted().list<SavedView>('/v3/saved_view', { page })
  if (views.results.length === 0 && query === '') return ''
  const place = `${page}${query}`
  const isSaved = views.results.some(view => view.place === place)
  return html`<div class="views" role="group" aria-label="Your views">${views.results.map(
    view =>
      html`<a href="${view.place}"${view.place === place && html` aria-current="true"`}>${
        view.name
      }</a>`,
  )}
${
  query !== '' &&
  !isSaved &&
  html`<details><summary>Save this view</summary>${saveForm(visit, place)}</details>`
}
${views.results.length > 0 && html`<a href="${visit.root}/views">Manage views</a>`}</div>`
}

export function saveForm(visit: Visit, place: string): Html {
  return postForm(visit, {
    action: `${visit.root}/views`,
    button: 'Save',
    hidden: { place },
    fields: [{ name: 'name', label: 'Name of the view', required: true }],
  })
}
