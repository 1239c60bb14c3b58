// Charts as SVG from the server, each with its table. The picture is for a quick look; the table is
// for people who need a figure or do not see the picture. Pure.
import { type Content, type Html, html } from '../text/html.ts'

export interface Point {
  /** The name under the axis and in the table. */
  readonly name: string
  /** The value that gives the height. */
  readonly value: bigint
  /** The value as people read it. */
  readonly shown: Content
}

interface Chart {
  readonly title: string
  /** The headings of the names and of the values. */
  readonly columns: readonly [string, string]
  readonly points: readonly Point[]
}

// As wide as a card, so that its text is as large as other text.
const WIDTH = 340
const HEIGHT = 130
const EDGE = 8
const FOOT = 20
const WIDEST_BAR = 48
const MOST_NAMES = 5

/** A line over time. A single point is a bar, as a line needs two points. */
export function lineChart(chart: Chart): Html {
  const { points } = chart
  if (points.length === 1) return barChart(chart)
  const last = points.length - 1
  const heights = heightsOf(points)
  const at = (i: number) => EDGE + Math.trunc((i * (WIDTH - 2 * EDGE)) / last)
  const path = heights.map((y, i) => `${i === 0 ? 'M' : 'L'}${at(i)} ${y}`).join('')
  return framed(
    chart,
    html`<path d="${path}" class="line"/>
${names(points, at)}`,
  )
}

/** Bars side by side. */
export function barChart(chart: Chart): Html {
  const { points } = chart
  const step = Math.trunc((WIDTH - 2 * EDGE) / points.length)
  const at = (i: number) => EDGE + i * step
  const bars = heightsOf(points).map(
    (y, i) =>
      html`<rect x="${at(i)}" y="${y}" width="${Math.max(1, Math.min(step - 6, WIDEST_BAR))}"
height="${HEIGHT - FOOT - y}" class="bar"/>`,
  )
  return framed(chart, html`${bars}${names(points, at)}`)
}

/** Heights from the bottom of the picture, zero, to its top, the greatest value. */
function heightsOf(points: readonly Point[]): number[] {
  const most = points.reduce((max, { value }) => (value > max ? value : max), 1n)
  const room = BigInt(HEIGHT - FOOT - EDGE)
  return points.map(({ value }) => HEIGHT - FOOT - Number((value * room) / most))
}

/** As many names as fit. */
function names(points: readonly Point[], at: (i: number) => number): Html[] {
  const every = Math.ceil(points.length / MOST_NAMES)
  return points.flatMap(({ name }, i) =>
    i % every === 0
      ? [html`<text x="${at(i)}" y="${HEIGHT - 4}" font-size="11">${name}</text>`]
      : [],
  )
}

function framed({ title, columns: [first, second], points }: Chart, drawn: Html): Html {
  if (points.length === 0) return html`<h2>${title}</h2><p class="empty">Nothing yet.</p>`
  return html`<figure class="chart"><figcaption>${title}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}; the table has the figures">
<path d="M${EDGE} ${HEIGHT - FOOT}H${WIDTH - EDGE}" class="axis"/>
${drawn}</svg>
<details><summary>Figures</summary><table><caption class="hidden">${title}</caption><thead><tr>
<th scope="col">${first}</th>
<th scope="col" class="number">${second}</th></tr></thead><tbody>${points.map(
    ({ name, shown }) => html`<tr><td>${name}</td><td class="number">${shown}</td></tr>`,
  )}</tbody></table></details></figure>`
}
