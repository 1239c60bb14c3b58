// What a run of mutants says: a line a file, and each survivor with its line and its change.
import type { Mutant } from './mutate.ts'
import type { Outcome } from './trial.ts'

export interface FileResult {
  readonly file: string
  /** Per cent of the mutants that are not equivalent. */
  readonly wanted: number
  readonly tried: readonly {
    readonly mutant: Mutant
    readonly outcome: Outcome
    readonly equivalent: boolean
  }[]
}

/** What did not end was noticed too. */
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
