// The views that a person has saved of the lists of an account or of the installation: rename them
// and delete them. Saving one leads back to its list.
import { html } from '../text/html.ts'
import { ApiError, queryText } from './api.ts'
import { deed, said } from './form.ts'
import { rows } from './list.ts'
import type { SavedView } from './objects.ts'
import type { Screens } from './screens.ts'
import { words } from './show.ts'
import { keepForm } from './views.ts'
import type { Screen, Visit } from './visit.ts'

const API = '/v3/saved_view'

export function viewScreens(screens: Screens): void {
  for (const room of ['account', 'installation'] as const) {
    screens.show(room, '/views', show)
    screens.act(room, '/views', keep, show)
    screens.act(
      room,
      '/views/:id/rename',
      visit => change(visit, 'saved', 'PATCH', { name: said(visit, 'name') }),
      show,
    )
    screens.act(room, '/views/:id/delete', visit => change(visit, 'removed', 'DELETE'), show)
  }
}

async function keep(visit: Visit): Promise<string> {
  const body = { name: said(visit, 'name'), place: said(visit, 'place') }
  // The answer decides where to go, never the form: it is a page of the console.
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
  const place = said(visit, 'place')
  // A hidden name would be filled into every form of the page.
  const bare = { ...visit, form: new URLSearchParams(), trouble: null }
  const body = html`${place !== '' && keepForm(visit, place)}${rows(
    {
      caption: 'Your views',
      empty: 'None yet. Filter a list, and keep what you see under a name.',
      columns: [
        { name: 'View', show: view => html`<a href="${view.place}">${view.name}</a>` },
        {
          name: 'Shows',
          show: ({ place }) => {
            const [page = '', query] = place.slice(visit.root.length + 1).split('?')
            const set = [...new URLSearchParams(query)].map(([name, is]) => `${words(name)}: ${is}`)
            return [page, ...set].join(', ')
          },
        },
        { name: 'Change', show: view => forms(bare, `${visit.root}/views/${view.id}`, view.name) },
      ],
    },
    results,
  )}`
  return { title: 'Your views', body }
}

function forms(visit: Visit, path: string, name: string) {
  return html`<details><summary>Another name, or delete</summary>${deed(visit, {
    action: `${path}/rename`,
    button: 'Rename',
    fields: [{ name: 'name', label: 'Name', value: name, required: true }],
  })}${deed(visit, { action: `${path}/delete`, button: 'Delete', danger: true })}</details>`
}
