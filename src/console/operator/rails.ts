// Rails and routes: where payouts go, whether they may go there now, and how that went lately.
import { html } from '../../html.ts'
import { deed, reasonField, reasonOf } from '../form.ts'
import { type Column, rows, type Table } from '../list.ts'
import type { Screens } from '../screens.ts'
import { state } from '../show.ts'
import type { Screen, Visit } from '../visit.ts'
import type { DeskRail, RouteRow } from './objects.ts'
import { figureTables, rateOf, readFigures } from './rail-figures.ts'

export function railScreens(screens: Screens): void {
  screens.show('installation', '/rails', show)
  const send = (name: 'pause' | 'resume', body: (visit: Visit) => object) => {
    const sending = { to: `/v3/operator/rail/:name/${name}`, body, next: '/rails?done=saved' }
    screens.send('installation', `/rails/:name/${name}`, sending, show)
  }
  send('pause', reasonOf)
  send('resume', () => ({}))
}

async function show(visit: Visit): Promise<Screen> {
  const [rails, routes, figures] = await Promise.all([
    visit.api.list<DeskRail>('/v3/operator/rail'),
    visit.api.list<RouteRow>('/v3/operator/route'),
    readFigures(visit),
  ])
  const railTable: Table<DeskRail> = {
    caption: 'Rails',
    empty: 'No rails.',
    columns: [
      { name: 'Rail', show: ({ name }) => html`<strong>${name}</strong>` },
      { name: 'Kind', show: ({ kind }) => kind },
      {
        name: 'State',
        show: ({ paused, paused_reason }) =>
          html`${state(paused ? 'paused' : 'active')} ${paused_reason}`,
      },
      {
        name: 'Payouts',
        show: ({ name }) => html`<a href="${visit.root}/payouts?rail=${name}">its payouts</a>`,
      },
      {
        name: '',
        show: ({ name, paused }) =>
          html`<details><summary>${paused ? 'Resume' : 'Pause'}</summary>${deed(visit, {
            action: `${visit.root}/rails/${name}/${paused ? 'resume' : 'pause'}`,
            button: paused ? 'Resume it' : 'Pause it',
            asksPassword: paused,
            body: !paused && reasonField(visit),
          })}</details>`,
      },
    ],
  }
  const lately: Column<RouteRow> = {
    name: 'Paid, 7 days',
    number: true,
    show: ({ rail }) => rateOf(figures.results.find(one => one.rail === rail && one.days === '7')),
  }
  const routeTable = { ...ROUTES, columns: [...ROUTES.columns, lately] }
  const body = html`${rows(railTable, rails.results)}
${figureTables(figures)}
<h2>Routes</h2><p>The first that fits, by priority. Others follow when a rail gives a payout up.</p>
${rows(routeTable, routes.results)}`
  return { title: 'Rails and routes', body }
}

const any = (text: string | null) => text ?? 'any'

const ROUTES: Table<RouteRow> = {
  caption: 'Routes',
  empty: 'No routes: people pay what is live.',
  columns: [
    { name: 'Priority', number: true, show: ({ priority }) => priority },
    { name: 'Rail', show: ({ rail }) => rail },
    { name: 'Type', show: ({ payout_type }) => any(payout_type) },
    { name: 'Network', show: ({ network }) => any(network) },
    { name: 'Currency', show: ({ currency }) => any(currency) },
    { name: 'Country', show: ({ country }) => any(country) },
    { name: 'Account', show: ({ account_id }) => any(account_id) },
    { name: 'Now', show: ({ in_force }) => (in_force ? 'in force' : 'not now') },
  ],
}
