// Payouts that screening holds: whom they are like, how much, and the decision of a person.
import { type Html, html } from '../../html.ts'
import { anyOf, deed, post, reasonField, said } from '../form.ts'
import { showList } from '../list.ts'
import type { Screens } from '../screens.ts'
import { members, state, time } from '../show.ts'
import { rootOf, type Screen, type Visit } from '../visit.ts'
import type { HeldByScreening, Lists, Match } from './objects.ts'

const API = '/v3/operator/screening'

export function screeningScreens(screens: Screens): void {
  screens.show('installation', '/screening', heldScreen)
  screens.show('installation', '/screening/:id', show)
  for (const decision of ['clear', 'confirm']) {
    screens.act(
      'installation',
      `/screening/:id/${decision}`,
      async visit => {
        const path = `${API}/${visit.params.id}/${decision}`
        await post(visit, path, { reason: said(visit, 'reason') })
        return `${rootOf(visit)}/screening?done=saved`
      },
      show,
    )
  }
}

async function heldScreen(visit: Visit): Promise<Screen> {
  const root = rootOf(visit)
  const held = await showList<HeldByScreening>(visit, {
    api: API,
    page: `${root}/screening`,
    caption: 'Payouts that screening holds',
    withoutDays: true,
    oneWay: true,
    cursorOf: ({ payout }) => payout,
    columns: [
      {
        name: 'Payout',
        show: ({ payout }) =>
          html`<a href="${root}/screening/${payout}"><code>${payout}</code></a>`,
      },
      { name: 'Screening', show: ({ screening }) => state(screening) },
      { name: 'State', show: ({ status }) => state(status) },
      { name: 'Account', show: ({ account_id }) => account_id },
      { name: 'Since', show: ({ updated_at }) => time(updated_at) },
    ],
    filters: [
      { name: 'state', label: 'Screening', options: anyOf(['waits', 'open', 'confirmed']) },
      { name: 'account_id', label: 'Account' },
    ],
    empty: 'Screening holds nothing.',
  })
  const { lists, required } = await visit.api.get<Lists>('/v3/operator/screening_list')
  const shown = lists.map(list => html`<section class="card">${members(root, list)}</section>`)
  const body = html`${held}<h2>Lists</h2>
<p>Required of live accounts: ${required.length === 0 ? 'none' : required.join(', ')}.</p>
<div class="cards">${shown}</div>`
  return { title: 'Screening', body }
}

async function show(visit: Visit): Promise<Screen> {
  const { id = '' } = visit.params
  const root = rootOf(visit)
  const found = await visit.api.get<{
    account_id: string
    screening: string
    matches: readonly Match[]
  }>(`${API}/${id}`)
  const forms = ['clear', 'confirm'].map(decision =>
    deed(visit, {
      action: `${root}/screening/${id}/${decision}`,
      button: decision === 'clear' ? 'Clear: it is somebody else' : 'Confirm: it is them',
      danger: decision === 'confirm',
      body: reasonField(visit),
    }),
  )
  const body = html`<p class="lead">${state(found.screening)}
<a href="${root}/payouts/${id}">The payout</a></p>
${found.screening === 'open' && html`<div class="side">${forms}</div>`}
<h2>Whom it is like</h2>${found.matches.map(match => matchOf(root, match))}`
  return { title: 'Held by screening', body }
}

function matchOf(
  root: string,
  { party, list, entry_id, listed, score, state: was, ...more }: Match,
): Html {
  return html`<section class="card"><h3>${score} of 100: the ${party} and
<code>${list} ${entry_id}</code></h3><p>${state(was)}
${!listed && html`<span class="state wait">no longer listed</span>`}</p>
${members(root, more)}</section>`
}
