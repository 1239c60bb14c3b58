// Draws the chart of results as SVG: a bar for each goal, as long as the reached share of the goal.
// Pure.
import { escapeXml } from '../src/values/text/xml.ts'
import {
  type Figure,
  fulfilment,
  type Goal,
  judge,
  type Results,
  readable,
  wordTarget,
} from './figure.ts'

const WIDTH = 800
const MARGIN = 24
const HEAD = 118
const ROW = 42
const BAR = 16
/** The x of the beginning and the end of bars, and of the target line. */
const LEFT = 436
const RIGHT = 728
const TARGET = 610
/** The most characters of a label beside the bars. */
const LABEL = 60

const EXPLAINED =
  'A bar that touches the line has reached its target. Of an upper limit, it is limit ÷ measured.'

/** A card with its own colours, legible on any page. */
const STYLE = `
text { font: 12.5px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; fill: #1c2128; }
.title { font-size: 18px; font-weight: 600; }
.quiet { font-size: 11.5px; fill: #59636e; }
.share { font-weight: 600; }
.card { fill: #fff; stroke: #d1d9e0; }
.tear { fill: #fff; }
.track { fill: #eef1f4; }
.reached { fill: #1f8a70; }
.missed { fill: #d9731a; }
.target { stroke: #1c2128; stroke-width: 1.5; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .quiet { fill: #9198a1; }
  .card { fill: #0d1117; stroke: #3d444d; }
  .tear { fill: #0d1117; }
  .track { fill: #1b2129; }
  .reached { fill: #2fa886; }
  .missed { fill: #e8863a; }
  .target { stroke: #e6edf3; }
}`

export function drawChart(all: readonly Results[]): string {
  const goals = all.flatMap(({ figures }) =>
    figures.flatMap(figure => figure.goals.map(goal => ({ figure, goal }))),
  )
  const reached = goals.filter(({ figure, goal }) => judge(figure, goal).reached).length
  const bottom = HEAD + goals.length * ROW
  const height = bottom + MARGIN / 2
  const title = `Targets: ${reached} of ${goals.length} reached`
  const machines = [...new Set(all.map(({ machine }) => machine))].join('; ')
  const quick = all.some(results => results.quick)
    ? '; some of quick runs, which prove nothing'
    : ''
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" \
viewBox="0 0 ${WIDTH} ${height}" role="img">
<title>${escapeXml(title)}</title>
<style>${STYLE}
</style>
<rect class="card" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="10"/>
${text(MARGIN, 36, title, 'title')}
${text(MARGIN, 58, `${machines}${quick}`, 'quiet')}
${text(MARGIN, 76, EXPLAINED, 'quiet')}
${text(TARGET, HEAD - 16, 'target', 'quiet', 'middle')}
${goals.map(({ figure, goal }, i) => drawGoal(figure, goal, HEAD + i * ROW)).join('\n')}
<line class="target" x1="${TARGET}" y1="${HEAD - 10}" x2="${TARGET}" y2="${bottom - 6}"/>
</svg>
`
}

function drawGoal(figure: Figure, goal: Goal, top: number): string {
  const outcome = judge(figure, goal)
  const share = fulfilment(outcome)
  const whole = LEFT + (TARGET - LEFT) * (Number.isFinite(share) ? share : 0)
  const end = Math.min(whole, RIGHT)
  const y = top + (ROW - BAR) / 2 - 3
  const bar = (kind: string, to: number) => {
    const width = (to - LEFT).toFixed(1)
    return `<rect class="${kind}" x="${LEFT}" y="${y}" width="${width}" height="${BAR}" rx="3"/>`
  }
  return [
    text(MARGIN, top + 14, shorten(figure.name)),
    text(MARGIN, top + 30, shorten(wordMeasured(figure, goal, outcome.median)), 'quiet'),
    bar('track', RIGHT),
    bar(outcome.reached ? 'reached' : 'missed', end),
    // A bar longer than the chart is drawn as torn off.
    ...(whole > RIGHT ? [tear(RIGHT - 14, y)] : []),
    text(WIDTH - MARGIN, y + 12.5, `${Math.floor(share * 100)} %`, 'share', 'end'),
  ].join('\n')
}

/** `6.46 × pgbench, best · target ≥ 8`. */
function wordMeasured(figure: Figure, goal: Goal, middle: number): string {
  const measured = goal.what === 'ratio' ? `× ${goal.to}` : goal.what === 'value' ? figure.unit : ''
  return [readable(middle), measured, '· target', wordTarget(figure, goal)]
    .filter(word => word !== '')
    .join(' ')
}

function tear(x: number, y: number): string {
  const slash = (from: number) => `M${from} ${y + BAR + 2}l5 -${BAR + 4}h3l-5 ${BAR + 4}z`
  return `<path class="tear" d="${slash(x)}"/>`
}

function text(x: number, y: number, words: string, kind = '', anchor = 'start'): string {
  const named = kind === '' ? '' : ` class="${kind}"`
  const anchored = anchor === 'start' ? '' : ` text-anchor="${anchor}"`
  return `<text${named}${anchored} x="${x}" y="${y}">${escapeXml(words)}</text>`
}

function shorten(words: string): string {
  return words.length <= LABEL ? words : `${words.slice(0, LABEL - 1).trimEnd()}…`
}
