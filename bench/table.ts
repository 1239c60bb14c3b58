// Writes the table of results in Markdown: a row for each figure, and one for each further
// comparison. Pure.
import {
  type Comparison,
  compare,
  type Figure,
  type FigureRound,
  median,
  type Results,
  readable,
} from './figure.ts'

const HEADINGS = [
  '',
  'measured',
  'p50 / p99 ms',
  'CPU s per 1,000, service + database',
  'memory MiB',
  'held against',
  'ratio',
  'target',
  '',
]
const ALIGNMENTS = ['---', '---:', '---:', '---:', '---:', '---', '---:', '---:', '---']

export function writeTable(all: readonly Results[]): string {
  const figures = all.flatMap(results => results.figures)
  const notes = [...new Set(figures.flatMap(({ note }) => note ?? []))]
  const rows = figures.flatMap(figure => rowsOf(figure, notes))
  const table = [HEADINGS, ALIGNMENTS, ...rows].map(cells => `| ${cells.join(' | ')} |`)
  const parts = [
    table,
    notes.map((note, i) => `${i + 1}. ${note}`),
    all.map(results => `- ${wordOrigin(results)}`),
  ]
  return parts
    .filter(lines => lines.length > 0)
    .map(lines => `${lines.join('\n')}\n`)
    .join('\n')
}

function rowsOf(figure: Figure, notes: readonly string[]): string[][] {
  const { name, unit, rounds, note } = figure
  const mark = note === undefined ? '' : ` <sup>${notes.indexOf(note) + 1}</sup>`
  const value = readable(median(rounds.map(round => round.value)))
  const [first, ...more] = compare(figure)
  return [
    [
      `${name}${mark}`,
      `${value} ${unit}`,
      joined(' / ', [middle(rounds, 'p50_ms'), wordP99(rounds)]),
      joined(' + ', [middle(rounds, 'service_cpu_s'), middle(rounds, 'database_cpu_s')]),
      middle(rounds, 'rss_mib'),
      ...cellsOf(first),
    ],
    ...more.map(comparison => ['', '', '', '', '', ...cellsOf(comparison)]),
  ]
}

function cellsOf(comparison: Comparison | undefined): string[] {
  const { against = '', ratio = '', target = '', outcome = '' } = comparison ?? {}
  return [
    against,
    ratio,
    target,
    outcome === '' || outcome === 'reached' ? outcome : `**${outcome}**`,
  ]
}

/** The p99, with the maximum where it was measured. */
function wordP99(rounds: readonly FigureRound[]): string {
  const max = middle(rounds, 'max_ms')
  return `${middle(rounds, 'p99_ms')}${max === '' ? '' : ` (max ${max})`}`
}

/** The median of the rounds; '' when none measured this member. */
function middle(
  rounds: readonly FigureRound[],
  member: 'p50_ms' | 'p99_ms' | 'max_ms' | 'service_cpu_s' | 'database_cpu_s' | 'rss_mib',
): string {
  const values = rounds.flatMap(round => round[member] ?? [])
  return values.length === 0 ? '' : readable(median(values))
}

function joined(between: string, parts: readonly string[]): string {
  return parts.filter(part => part !== '').join(between)
}

function wordOrigin(results: Results): string {
  const { scenario, at, commit, quick, machine, node, postgresql, postgres, generator } = results
  const rounds = Math.max(...results.figures.map(figure => figure.rounds.length))
  const parts = [
    `**${scenario}**: ${at.replace('T', ' ').replace('Z', ' UTC')}`,
    `commit ${commit}`,
    `${rounds} ${rounds === 1 ? 'round' : 'rounds'}`,
    ...(quick ? ['**a quick run, which proves nothing**'] : []),
    machine,
    `Node ${node}`,
    `PostgreSQL ${postgresql}${postgres === '' ? '' : ` with ${postgres}`}`,
    `load by ${generator}`,
  ]
  return `${parts.join(', ')}.`
}
