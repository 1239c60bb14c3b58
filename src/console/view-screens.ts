// Screens of the views that a person has saved: of an account's lists, or of the installation's.
// The person renames and deletes views here. Saving a view leads back to its list.
import { html } from '../text/html.ts'
import { ApiError, queryText } from './api.ts'
import { fieldText, postForm } from './form.ts'
import { rows } from './list.ts'
import type { SavedView } from './objects.ts'
import type { Screens } from './screens.ts'
import { words } from './show.ts'
import { saveForm } from './views.ts'
import type { Screen, Visit } from './visit.ts'

const API = '/v3/saved_view'

export function viewScreens(screens: Screens): void {
  for (const area of ['account', 'installation'] as const) {
    screens.show(area, '/views', show)
    screens.act(area, '/views', saveView, show)
    screens.act(
      area,
      '/views/:id/rename',
      visit => change(visit, 'saved', 'PATCH', { name: fieldText(visit, 'name') }),
      show,
    )
    screens.act(area, '/views/:id/delete', visit => change(visit, 'removed', 'DELETE'), show)
  }
}

async function saveView(visit: Visit): Promise<string> {
  const body = { name: fieldText(visit, 'name'), place: fieldText(visit, 'place') }
  // The API has checked that `place` is a page of the console; a form could name another site.
  const { place } = await visit.api.send<SavedView>('POST', API, body)
  return `${place}${place.includes('?') ? '&' : '?'}done=kept`
}

async function change(
  visit: Visit,
  done: string,
  method: 'PATCH' | 'DELETE',
  body?: object,
): Promise<string> {
  try {
    await visit.api.send(method, `${API}/${visit.params.id}`, body)
  } catch (error) {
    // A second click on “delete” finds it deleted.
    const isGone = error instanceof ApiError && error.status === 404
    if (method !== 'DELETE' || !isGone) throw error
  }
  return `${visit.root}/views${queryText({ done })}`
}

async function show(visit: Visit): Promise<Screen> {
  const all = await visit.api.list<SavedView>(API)
  const results = all.results.filter(({ place }) => place.startsWith(`${visit.root}/`))
  const place = fieldText(visit, 'place')
  // The name in the posted form would otherwise stand in the name field of every view.
  const withoutForm = { ...visit, form: new URLSearchParams(), formError: null }
  const body = html`${place !== '' && saveForm(visit, place)}${rows(
    {
      caption: 'Your views',
      empty: 'No views yet. Filter a list, then save it as a view.',
      columns: [
        { name: 'View', show: view => html`<a href="${view.place}">${view.name}</a>` },
        {
          name: 'Shows',
          show: ({ place }) => {
            const [page = '', query] = place.slice(visit.root.length + 1).split('?')
            const filters = [...new URLSearchParams(query)]
            return [page, ...filters.map(([name, is]) => `${words(name)}: ${is}`)].join(', ')
          },
        },
        {
          name: 'Change',
          show: view => forms(withoutForm, `${visit.root}/views/${view.id}`, view.name),
        },
      ],
    },
    results,
  )}`
  return { title: 'Your views', body }
}

function forms(visit: Visit, path: string, name: string) {
  return html`<details><summary>Rename or delete</summary>${postForm(visit, {
    action: `${path}/rename`,
    button: 'Rename',
    fields: [{ name: 'name', label: 'Name', value: name, required: true }],
  })}${postForm(visit, { action: `${path}/delete`, button: 'Delete', danger: true })}</details>`
}
