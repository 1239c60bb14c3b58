// What a run of mutants says: a table of files, and each survivor with its line and its change.
import type { Mutant } from './mutate.ts'
import type { Outcome } from './trial.ts'

export interface Tried {
  readonly mutant: Mutant
  readonly outcome: Outcome
  readonly equivalent: boolean
}

export interface FileResult {
  readonly file: string
  readonly wanted: number
  readonly tried: readonly Tried[]
}

interface Counts {
  readonly mutants: number
  readonly killed: number
  readonly timeout: number
  readonly survived: number
  readonly equivalent: number
}

export function countsOf(tried: readonly Tried[]): Counts {
  const real = tried.filter(({ equivalent }) => !equivalent)
  const of = (outcome: Outcome) => real.filter(t => t.outcome === outcome).length
  return {
    mutants: tried.length,
    killed: of('killed'),
    timeout: of('timeout'),
    survived: of('survived'),
    equivalent: tried.length - real.length,
  }
}

/** Per cent of the mutants that are not equivalent. */
export function shareCaught({ killed, timeout, survived }: Counts): number {
  const all = killed + timeout + survived
  return all === 0 ? 100 : (100 * (killed + timeout)) / all
}

export function isEnough({ tried, wanted }: FileResult): boolean {
  return shareCaught(countsOf(tried)) >= wanted
}

const COLUMNS = ['mutants', 'killed', 'timeout', 'survived', 'equivalent', 'caught', 'wanted']

export function tableOf(results: readonly FileResult[]): string {
  const all = { file: 'all', wanted: 90, tried: results.flatMap(({ tried }) => tried) }
  const rows = [...results, all].map(({ file, tried, wanted }) => {
    const counts = countsOf(tried)
    const { mutants, killed, timeout, survived, equivalent } = counts
    const figures = [mutants, killed, timeout, survived, equivalent].map(String)
    return [file, ...figures, `${shareCaught(counts).toFixed(1)} %`, `${wanted} %`]
  })
  const lines = [['file', ...COLUMNS], ...rows]
  const widths = lines[0]?.map((_, i) => Math.max(...lines.map(line => line[i]?.length ?? 0))) ?? []
  return lines
    .map(line =>
      line.map((cell, i) => (i === 0 ? cell.padEnd : cell.padStart).call(cell, widths[i] ?? 0)),
    )
    .map(cells => cells.join('  '))
    .join('\n')
}

const MAX_WIDTH = 160

export function survivorText({ file, line, where, before, after }: Mutant): string {
  const place = `${file}:${line}${where === '' ? '' : ` in ${where}`}`
  return [place, `  - ${cut(before)}`, `  + ${cut(after)}`].join('\n')
}

function cut(text: string): string {
  return text.length > MAX_WIDTH ? `${text.slice(0, MAX_WIDTH)} …` : text
}
