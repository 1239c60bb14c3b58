// Formats the report of a mutant run: one line for each file, and each survivor with its line and
// its change.
import type { Mutant } from './mutate.ts'
import type { Outcome } from './trial.ts'

export interface FileResult {
  readonly file: string
  /** The percentage of the non-equivalent mutants that must be caught. */
  readonly wanted: number
  readonly tried: readonly {
    readonly mutant: Mutant
    readonly outcome: Outcome
    readonly equivalent: boolean
  }[]
}

/** The percentage of the non-equivalent mutants that were caught. A time-out counts as caught. */
export function shareCaught({ tried }: Pick<FileResult, 'tried'>): number {
  const real = tried.filter(({ equivalent }) => !equivalent)
  const caught = real.filter(({ outcome }) => outcome !== 'survived')
  return real.length === 0 ? 100 : (100 * caught.length) / real.length
}

export const isEnough = (result: FileResult) => shareCaught(result) >= result.wanted

export function lineOf(result: FileResult): string {
  const { file, wanted, tried } = result
  const equivalent = tried.filter(one => one.equivalent).length
  const share = `${shareCaught(result).toFixed(1)} % are caught of ${wanted} %`
  return `${file}: ${tried.length} mutants, ${equivalent} equivalent; ${share}`
}

export function survivorText({ file, line, where, before, after }: Mutant): string {
  const place = `${file}:${line}${where === '' ? '' : ` in ${where}`}`
  return `${place}\n  - ${before}\n  + ${after}`
}
