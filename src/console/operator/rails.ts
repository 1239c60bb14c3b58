// Rails and routes: where payouts go, whether they may go there now, and how that went lately.
import { html } from '../../html.ts'
import { deed, post, reasonField, said } from '../form.ts'
import { rows } from '../list.ts'
import type { Screens } from '../screens.ts'
import { state } from '../show.ts'
import { rootOf, type Screen, type Visit } from '../visit.ts'
import type { DeskRail, RouteRow } from './objects.ts'
import { figureTables, rateOf, readFigures } from './rail-figures.ts'

export function railScreens(screens: Screens): void {
  screens.show('installation', '/rails', show)
  const act = (name: 'pause' | 'resume', body: (visit: Visit) => object) =>
    screens.act(
      'installation',
      `/rails/:name/${name}`,
      async visit => {
        const path = `/v3/operator/rail/${encodeURIComponent(visit.params.name ?? '')}/${name}`
        await post(visit, path, body(visit))
        return `${rootOf(visit)}/rails?done=saved`
      },
      show,
    )
  act('pause', visit => ({ reason: said(visit, 'reason') }))
  act('resume', () => ({}))
}

async function show(visit: Visit): Promise<Screen> {
  const [rails, routes, figures] = await Promise.all([
    visit.api.list<DeskRail>('/v3/operator/rail'),
    visit.api.list<RouteRow>('/v3/operator/route'),
    readFigures(visit),
  ])
  const root = rootOf(visit)
  const railTable = {
    caption: 'Rails',
    empty: 'No rails.',
    columns: [
      { name: 'Rail', show: ({ name }: DeskRail) => html`<strong>${name}</strong>` },
      { name: 'Kind', show: ({ kind }: DeskRail) => kind },
      {
        name: 'State',
        show: ({ paused, paused_reason }: DeskRail) =>
          html`${state(paused ? 'paused' : 'active')} ${paused_reason}`,
      },
      {
        name: 'Payouts',
        show: ({ name }: DeskRail) => html`<a href="${root}/payouts?rail=${name}">its payouts</a>`,
      },
      {
        name: '',
        show: ({ name, paused }: DeskRail) =>
          html`<details><summary>${paused ? 'Resume' : 'Pause'}</summary>${deed(visit, {
            action: `${root}/rails/${name}/${paused ? 'resume' : 'pause'}`,
            button: paused ? 'Resume it' : 'Pause it',
            asksPassword: paused,
            body: !paused && reasonField(visit),
          })}</details>`,
      },
    ],
  }
  const lately = {
    name: 'Paid, 7 days',
    number: true,
    show: ({ rail }: RouteRow) =>
      rateOf(figures.results.find(one => one.rail === rail && one.days === '7')),
  }
  const routeTable = { ...ROUTES, columns: [...ROUTES.columns, lately] }
  const body = html`${rows(visit, railTable, rails)}
${figureTables(visit, figures)}
<h2>Routes</h2><p>The first that fits, by priority. Others follow when a rail gives a payout up.</p>
${rows(visit, routeTable, routes)}`
  return { title: 'Rails and routes', body }
}

const any = (text: string | null) => text ?? 'any'

const ROUTES = {
  caption: 'Routes',
  empty: 'No routes: people pay what is live.',
  columns: [
    { name: 'Priority', number: true, show: ({ priority }: RouteRow) => priority },
    { name: 'Rail', show: ({ rail }: RouteRow) => rail },
    { name: 'Type', show: ({ payout_type }: RouteRow) => any(payout_type) },
    { name: 'Network', show: ({ network }: RouteRow) => any(network) },
    { name: 'Currency', show: ({ currency }: RouteRow) => any(currency) },
    { name: 'Country', show: ({ country }: RouteRow) => any(country) },
    { name: 'Account', show: ({ account_id }: RouteRow) => any(account_id) },
    { name: 'Now', show: ({ in_force }: RouteRow) => (in_force ? 'in force' : 'not now') },
  ],
}
