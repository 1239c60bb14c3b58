// Screens of screening: what it holds, and one of them with its matches and the forms to decide.
import { type Html, html } from '../../values/text/html.ts'
import { anyOf, bodyOf, postForm, REASON, reasonOf } from '../form.ts'
import { showList } from '../list.ts'
import type { HeldByScreening, Lists, Match, Screening } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { link, members, state, time } from '../show.ts'
import type { Screen, Visit } from '../visit.ts'

const API = '/v3/operator/screening'

export function screeningScreens(screens: Screens): void {
  screens.show('installation', '/screening', heldScreen)
  screens.show('installation', '/screening/:id', show)
  const held = { to: `${API}/:id`, next: '/screening?done=saved', again: show }
  const decide = (visit: Visit) => ({ ...reasonOf(visit), ...bodyOf(visit.form, ['digest']) })
  screens.sendEach('installation', '/screening/:id', held, { clear: decide, confirm: decide })
}

async function heldScreen(visit: Visit): Promise<Screen> {
  const { root } = visit
  const held = await showList<HeldByScreening>(visit, '/screening', {
    api: API,
    caption: 'Payouts that screening holds, and parties that may be listed',
    columns: [
      { name: 'Held', show: ({ id }) => link(`${root}/screening/${id}`, html`<code>${id}</code>`) },
      { name: 'Kind', show: ({ of }) => of },
      {
        name: 'Screening',
        show: ({ screening, delisted }) =>
          html`${state(screening)}${delisted && html` <span class="state wait">delisted</span>`}`,
      },
      { name: 'State', show: ({ status }) => state(status) },
      { name: 'Account', show: ({ account_id }) => account_id },
      { name: 'Since', show: ({ since }) => time(since) },
    ],
    filters: [
      { name: 'of', label: 'Kind', options: anyOf(['payout', 'entity', 'beneficiary']) },
      { name: 'state', label: 'Screening', options: anyOf(['waits', 'open', 'confirmed']) },
      { name: 'account_id', label: 'Account' },
    ],
    empty: 'Screening holds no payout and no party.',
  })
  const { lists, required } = await visit.api.get<Lists>('/v3/operator/screening_list')
  const shown = lists.map(list => html`<section class="card">${members(root, list)}</section>`)
  const body = html`${held}<h2>Lists</h2>
<p>Lists required for live accounts: ${required.length === 0 ? 'none' : required.join(', ')}.</p>
<div class="cards">${shown}</div>`
  return { title: 'Screening', body }
}

async function show(visit: Visit): Promise<Screen> {
  const { id = '' } = visit.params
  const found = await visit.api.get<Screening>(`${API}/${id}`)
  const forms = DECISIONS[found.screening]?.map(decision =>
    postForm(visit, {
      action: `${visit.root}/screening/${id}/${decision}`,
      asksPassword: true,
      button:
        decision === 'clear' ? 'Clear: it is somebody else' : 'Confirm: it is the listed party',
      danger: decision === 'confirm',
      hidden: { digest: found.digest },
      fields: [REASON],
    }),
  )
  const body = html`<p class="lead">${state(found.screening)}
${PAGES[found.of] && html`<a href="${visit.root}/${PAGES[found.of]}/${id}">The ${found.of}</a>`}</p>
${forms && html`<div class="side">${forms}</div>`}
<h2>Matches</h2>${found.matches.map(match => matchOf(visit.root, match))}`
  return { title: 'Held by screening', body }
}

/** By state. A person can clear what was confirmed by mistake. */
const DECISIONS: Readonly<Record<string, readonly ('clear' | 'confirm')[]>> = {
  open: ['clear', 'confirm'],
  confirmed: ['clear'],
}

/** '' for beneficiaries, as the installation has no such page. */
const PAGES = { payout: 'payouts', entity: 'entities', beneficiary: '' } as const

function matchOf(
  root: string,
  { party, list, entry_id, listed, score, state: was, ...more }: Match,
): Html {
  return html`<section class="card"><h3>Score ${score} of 1000: the ${party} and
<code>${list} ${entry_id}</code></h3><p>${state(was)}
${!listed && html`<span class="state wait">no longer listed</span>`}</p>
${members(root, more)}</section>`
}
