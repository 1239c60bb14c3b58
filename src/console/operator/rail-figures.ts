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
const NAMED = { caption: 'How the rails did' }

export function readFigures({ api }: Visit): Promise<RailFigures> {
  return api.get<RailFigures>('/v3/operator/rail_figures')
}

export function figureTables(visit: Visit, { counted_at, results }: RailFigures): Html {
  const rails = [...Map.groupBy(results, ({ rail }) => rail)]
  const within = (all: readonly RailFigure[], of: string) => all.find(({ days }) => days === of)
  const columns = [
    { name: 'Rail', show: ([rail]: (typeof rails)[number]) => html`<strong>${rail}</strong>` },
    ...WINDOWS.map(([days, name]) => ({
      name: `Paid, ${name}`,
      number: true,
      show: ([, all]: (typeof rails)[number]) => rateOf(within(all, days)),
    })),
    ...WINDOWS.map(([days, name]) => ({
      name: `Took, ${name}`,
      number: true,
      show: ([, all]: (typeof rails)[number]) => tookOf(within(all, days)),
    })),
  ]
  const of = { results: rails }
  const empty =
    counted_at === null
      ? 'This process has not counted yet; one that settles payouts counts every hour.'
      : 'No payout of a live account has ended in 30 days.'
  return html`<h2>How they did</h2>
${rows({ ...visit, query: {} }, { ...NAMED, empty, columns }, of)}
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
