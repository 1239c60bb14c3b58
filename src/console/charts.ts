// Draws charts as SVG. Each has a table, for readers who need an exact figure or cannot see the
// picture. Pure.
import { type Content, type Html, html } from '../values/text/html.ts'

export interface Point {
  /** Under the axis and in the table. */
  readonly name: string
  readonly value: bigint
  readonly shown: Content
}

interface Chart {
  readonly title: string
  /** The headings of the names and of the values. */
  readonly columns: readonly [string, string]
  readonly points: readonly Point[]
}

// In units of the viewBox. A chart is about as wide on the page, so its text keeps its size.
const WIDTH = 340
const HEIGHT = 130
const MARGIN = 8
const LABEL_HEIGHT = 20
const MAX_BAR_WIDTH = 48
const MAX_NAMES = 5

/** A single point is a bar, as a line needs two points. */
export function lineChart(chart: Chart): Html {
  const { points } = chart
  if (points.length === 1) return barChart(chart)
  const last = points.length - 1
  const ys = ysOf(points)
  const xOf = (i: number) => MARGIN + Math.trunc((i * (WIDTH - 2 * MARGIN)) / last)
  const path = ys.map((y, i) => `${i === 0 ? 'M' : 'L'}${xOf(i)} ${y}`).join('')
  return figure(
    chart,
    html`<path d="${path}" class="line"/>
${names(points, xOf)}`,
  )
}

export function barChart(chart: Chart): Html {
  const { points } = chart
  const step = Math.trunc((WIDTH - 2 * MARGIN) / points.length)
  const xOf = (i: number) => MARGIN + i * step
  const bars = ysOf(points).map(
    (y, i) =>
      html`<rect x="${xOf(i)}" y="${y}" width="${Math.max(1, Math.min(step - 6, MAX_BAR_WIDTH))}"
height="${HEIGHT - LABEL_HEIGHT - y}" class="bar"/>`,
  )
  return figure(chart, html`${bars}${names(points, xOf)}`)
}

/** The axis for 0, the top margin for the greatest value. */
function ysOf(points: readonly Point[]): number[] {
  const greatest = points.reduce((max, { value }) => (value > max ? value : max), 1n)
  const height = BigInt(HEIGHT - LABEL_HEIGHT - MARGIN)
  return points.map(({ value }) => HEIGHT - LABEL_HEIGHT - Number((value * height) / greatest))
}

/** Each n-th one, so that there are at most MAX_NAMES. */
function names(points: readonly Point[], xOf: (i: number) => number): Html[] {
  const every = Math.ceil(points.length / MAX_NAMES)
  return points.flatMap(({ name }, i) =>
    i % every === 0
      ? [html`<text x="${xOf(i)}" y="${HEIGHT - 4}" font-size="11">${name}</text>`]
      : [],
  )
}

function figure({ title, columns: [first, second], points }: Chart, drawn: Html): Html {
  if (points.length === 0) return html`<h2>${title}</h2><p class="empty">Nothing yet.</p>`
  return html`<figure class="chart"><figcaption>${title}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}; the table has the figures">
<path d="M${MARGIN} ${HEIGHT - LABEL_HEIGHT}H${WIDTH - MARGIN}" class="axis"/>
${drawn}</svg>
<details><summary>Figures</summary><table><caption class="hidden">${title}</caption><thead><tr>
<th scope="col">${first}</th>
<th scope="col" class="number">${second}</th></tr></thead><tbody>${points.map(
    ({ name, shown }) => html`<tr><td>${name}</td><td class="number">${shown}</td></tr>`,
  )}</tbody></table></details></figure>`
}
