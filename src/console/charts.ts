// Draws charts as SVG, with the figures of the axis. The table beside has each exact figure, also
// for readers who cannot see the picture. Pure.
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
  /** A value as the axis shows it; by default its digits. */
  readonly format?: (value: bigint) => string
  /** The last row of the table. */
  readonly total?: Content
}

// In units of the viewBox. A chart is about as wide on the page, so its text keeps its size.
const WIDTH = 340
const HEIGHT = 130
const MARGIN = 8
/** Left of the axis, for its figures. */
const LEFT = 78
const LABEL_HEIGHT = 20
const MAX_BAR_WIDTH = 48
const MAX_NAMES = 4

/** A single point is a bar, as a line needs two points. */
export function lineChart(chart: Chart): Html {
  const { points } = chart
  if (points.length === 1) return barChart(chart)
  const last = points.length - 1
  const ys = points.map(({ value }) => yOf(chart, value))
  const xOf = (i: number) => LEFT + Math.trunc((i * (WIDTH - LEFT - MARGIN)) / last)
  const path = ys.map((y, i) => `${i === 0 ? 'M' : 'L'}${xOf(i)} ${y}`).join('')
  return figure(
    chart,
    html`<path d="${path}" class="line"/>
${names(points, xOf)}`,
  )
}

export function barChart(chart: Chart): Html {
  const { points } = chart
  const step = Math.trunc((WIDTH - LEFT - MARGIN) / Math.max(1, points.length))
  const xOf = (i: number) => LEFT + 2 + i * step
  const bottom = HEIGHT - LABEL_HEIGHT
  const bars = points.map(({ value }, i) => {
    const y = yOf(chart, value)
    const width = Math.max(1, Math.min(step - 6, MAX_BAR_WIDTH))
    return html`<rect x="${xOf(i)}" y="${y}" width="${width}" height="${bottom - y}" class="bar"/>`
  })
  return figure(chart, html`${bars}${names(points, xOf)}`)
}

function greatestOf(points: readonly Point[]): bigint {
  return points.reduce((max, { value }) => (value > max ? value : max), 1n)
}

/** The axis for 0, the top margin for the greatest value. */
function yOf({ points }: Chart, value: bigint): number {
  const height = BigInt(HEIGHT - LABEL_HEIGHT - MARGIN)
  return HEIGHT - LABEL_HEIGHT - Number((value * height) / greatestOf(points))
}

/** The figures at 0, half way and the top, each with its line. */
function axis(chart: Chart): Html[] {
  const { points, format = String } = chart
  const greatest = greatestOf(points)
  const marks = greatest === 1n ? [0n, 1n] : [0n, greatest / 2n, greatest]
  return marks.map(value => {
    const y = yOf(chart, value)
    return html`<path d="M${LEFT} ${y}H${WIDTH - MARGIN}" class="axis"/>
<text x="${LEFT - 4}" y="${y + 4}" font-size="10" text-anchor="end">${format(value)}</text>`
  })
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

function figure(chart: Chart, drawn: Html): Html {
  const { title, points, total } = chart
  const [first, second] = chart.columns
  if (points.length === 0) return html`<h2>${title}</h2><p class="empty">Nothing yet.</p>`
  return html`<figure class="chart"><figcaption>${title}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}; the table has the figures">
${axis(chart)}${drawn}</svg>
<div class="figures" tabindex="0" role="group" aria-label="Figures of: ${title}">
<table><caption class="hidden">${title}</caption><thead><tr>
<th scope="col">${first}</th>
<th scope="col" class="number">${second}</th></tr></thead><tbody>${points.map(
    ({ name, shown }) => html`<tr><td>${name}</td><td class="number">${shown}</td></tr>`,
  )}</tbody>${
    total !== undefined &&
    html`<tfoot><tr><th scope="row">Total</th><td class="number">${total}</td></tr></tfoot>`
  }</table></div></figure>`
}
