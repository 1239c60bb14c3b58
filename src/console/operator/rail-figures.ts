// How the rails have done in the last day, week and month: how much was paid, and how long it took.
import { type Html, html } from '../../html.ts'
import { barChart } from '../charts.ts'
import { rows } from '../list.ts'
import { time } from '../show.ts'
import type { Visit } from '../visit.ts'
import type { RailFigure, RailFigures } from './objects.ts'

const WINDOWS = [
  ['1', '24 hours'],
  ['7', '7 days'],
  ['30', '30 days'],
] as const

type Window = (typeof WINDOWS)[number]
type OfRail = readonly [string, readonly RailFigure[]]

export function readFigures({ api }: Visit): Promise<RailFigures> {
  return api.get<RailFigures>('/v3/operator/rail_figures')
}

export function figureTables({ counted_at, results }: RailFigures): Html {
  const rails = [...Map.groupBy(results, ({ rail }) => rail)]
  const byWindow = (what: string, show: (figure: RailFigure | undefined) => Html) =>
    WINDOWS.map(([days, name]) => ({
      name: `${what}, ${name}`,
      number: true,
      show: ([, all]: OfRail) => show(all.find(figure => figure.days === days)),
    }))
  const columns = [
    { name: 'Rail', show: ([rail]: OfRail) => html`<strong>${rail}</strong>` },
    ...byWindow('Paid', rateOf),
    ...byWindow('Took', tookOf),
  ]
  const empty =
    counted_at === null
      ? 'This process has not counted yet; one that settles payouts counts every hour.'
      : 'No payout of a live account has ended in 30 days.'
  return html`<h2>How they did</h2>
${rows({ caption: 'How the rails did', empty, columns }, rails)}
<p class="faint">Payouts of live accounts that a rail had and that ended; half of those paid took
no longer than the first time, 95 of 100 no longer than the second.
${counted_at && html`Counted ${time(counted_at)}, every hour anew.`}</p>
<div class="charts">${results.length > 0 && WINDOWS.map(window => chartOf(results, window))}</div>`
}

function chartOf(results: readonly RailFigure[], [wanted, name]: Window): Html {
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
export function rateOf(figure: RailFigure | undefined): Html {
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

/** `7 s`, `12 min`, `3 h`, `2 d`: of the largest unit of which there are two. */
function duration(text: string): string {
  const seconds = Number(text)
  const [size, name] = UNITS.find(([size]) => seconds >= 2 * size) ?? [1, 's']
  return `${Math.trunc(seconds / size)} ${name}`
}
