// The screen of rails and routes: where payouts go, which rails are paused, and the rails' figures.
import { type Html, html } from '../../values/text/html.ts'
import { barChart } from '../charts.ts'
import { emptyBody, postForm, REASON, reasonOf } from '../form.ts'
import { type Column, rows, type Table } from '../list.ts'
import type { OperatorRail, RailFigure, RailFigures, RouteRow } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { digits, link, state, time } from '../show.ts'
import type { Screen, Visit } from '../visit.ts'

export function railScreens(screens: Screens): void {
  screens.show('installation', '/rails', show)
  const rail = { to: '/v3/operator/rail/:name', next: '/rails?done=saved', again: show }
  screens.sendEach('installation', '/rails/:name', rail, { pause: reasonOf, resume: emptyBody })
}

async function show(visit: Visit): Promise<Screen> {
  const [rails, routes, figures] = await Promise.all([
    visit.api.list<OperatorRail>('/v3/operator/rail'),
    visit.api.list<RouteRow>('/v3/operator/route'),
    visit.api.get<RailFigures>('/v3/operator/rail_figures'),
  ])
  const railTable: Table<OperatorRail> = {
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
        show: ({ name }) => link(`${visit.root}/payouts?rail=${name}`, 'its payouts'),
      },
      {
        name: '',
        show: ({ name, paused }) =>
          postForm(visit, {
            action: `${visit.root}/rails/${name}/${paused ? 'resume' : 'pause'}`,
            under: paused ? 'Resume' : 'Pause',
            button: paused ? 'Resume the rail' : 'Pause the rail',
            asksPassword: paused,
            fields: [!paused && REASON],
          }),
      },
    ],
  }
  const paidLately: Column<RouteRow> = {
    name: 'Paid, 7 days',
    number: true,
    show: ({ rail }) => rateOf(figures.results.find(one => one.rail === rail && one.days === '7')),
  }
  const routeTable = { ...ROUTES, columns: [...ROUTES.columns, paidLately] }
  const body = html`${rows(railTable, rails.results)}
${figureTables(figures)}
<h2>Routes</h2><p>A payout takes the first route that fits it, by priority. If the rail
gives the payout up, the next route follows.</p>
${rows(routeTable, routes.results)}`
  return { title: 'Rails and routes', body }
}

const any = (text: string | null) => text ?? 'any'

function amountsOf({ min_amount, max_amount, currency }: RouteRow): string {
  const shown = (amount: string | null) => amount && `${digits(amount, currency ?? '')} ${currency}`
  const [least, most] = [shown(min_amount), shown(max_amount)]
  return [least && `from ${least}`, most && `to ${most}`].filter(Boolean).join(' ') || 'any'
}

const ROUTES: Table<RouteRow> = {
  caption: 'Routes',
  empty: 'No routes: payouts of live accounts are refused with route_unavailable.',
  columns: [
    { name: 'Priority', number: true, show: ({ priority }) => priority },
    { name: 'Rail', show: ({ rail }) => rail },
    { name: 'Type', show: ({ payout_type }) => any(payout_type) },
    { name: 'Network', show: ({ network }) => any(network) },
    { name: 'Currency', show: ({ currency }) => any(currency) },
    { name: 'Country', show: ({ country }) => any(country) },
    { name: 'Account', show: ({ account_id }) => any(account_id) },
    { name: 'Amount', show: amountsOf },
    { name: 'Cut-off', show: ({ cut_off }) => cut_off || 'none: at any time' },
  ],
}

const WINDOWS = [
  ['1', '24 hours'],
  ['7', '7 days'],
  ['30', '30 days'],
] as const

type RailRow = readonly [string, readonly RailFigure[]]

function figureTables({ counted_at, results }: RailFigures): Html {
  const rails = [...Map.groupBy(results, ({ rail }) => rail)]
  const byWindow = (what: string, show: (figure: RailFigure | undefined) => Html) =>
    WINDOWS.map(([days, name]) => ({
      name: `${what}, ${name}`,
      number: true,
      show: ([, all]: RailRow) => show(all.find(figure => figure.days === days)),
    }))
  const columns = [
    { name: 'Rail', show: ([rail]: RailRow) => html`<strong>${rail}</strong>` },
    ...byWindow('Paid', rateOf),
    ...byWindow('Took', tookOf),
  ]
  const empty =
    counted_at === null
      ? 'This process has no figures yet. A process that settles payouts counts them every hour.'
      : 'No payout of a live account has ended in 30 days.'
  return html`<h2>Figures of the rails</h2>
${rows({ caption: 'Figures of the rails', empty, columns }, rails)}
<p class="faint">“Paid” is the share of the rail’s ended payouts that were paid and did not
come back. “Took” has two times: half of the paid payouts took no longer than the first, and 95 of
100 no longer than the second. Only live accounts count.
${counted_at && html`Counted ${time(counted_at)}, and again every hour.`}</p>
<div class="charts">${results.length > 0 && WINDOWS.map(window => chartOf(results, window))}</div>`
}

function chartOf(results: readonly RailFigure[], [wanted, name]: (typeof WINDOWS)[number]): Html {
  const points = results
    .filter(({ days }) => days === wanted)
    .map(figure => ({
      name: figure.rail,
      value: BigInt(figure.success_rate_bps),
      shown: rateOf(figure),
    }))
  return barChart({ title: `Paid, in ${name}`, columns: ['Rail', 'Paid'], points })
}

/** `98.70 % of 1,204`. */
function rateOf(figure: RailFigure | undefined): Html {
  if (figure === undefined) return html`<span class="faint">–</span>`
  const bps = figure.success_rate_bps.padStart(3, '0')
  const count = figure.payouts.replace(/\B(?=(\d{3})+$)/g, ',')
  return html`${bps.slice(0, -2)}.${bps.slice(-2)}&nbsp;% of&nbsp;${count}`
}

function tookOf(figure: RailFigure | undefined): Html {
  if (!figure?.median_seconds) return html`<span class="faint">–</span>`
  return html`${duration(figure.median_seconds)}, ${duration(figure.p95_seconds ?? '0')}`
}

const UNITS = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
] as const

/** `7 s`, `12 min`, `3 h`, `2 d`: in the largest unit of which there are at least two. */
function duration(text: string): string {
  const seconds = Number(text)
  const [size, name] = UNITS.find(([size]) => seconds >= 2 * size) ?? [1, 's']
  return `${Math.trunc(seconds / size)} ${name}`
}
