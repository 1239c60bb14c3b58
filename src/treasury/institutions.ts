// What each institution holds of the money of clients, and which share that is. Pure.
import type { External } from './safeguarding.ts'

/** Minor units of one currency. '' names no institution: these accounts count as one. */
export interface Holding {
  readonly institution: string
  readonly bank: bigint
  readonly book: bigint
}

/** Small letters and one space between words: two spellings are one institution. */
const folded = (name: string) => name.normalize('NFKC').trim().replaceAll(/\s+/g, ' ').toLowerCase()

/** Sums accounts at banks by institution, the largest first. */
export function byInstitution(accounts: readonly External[]): Holding[] {
  const groups = Map.groupBy(accounts, ({ institution }) => folded(institution))
  const sum = (of: readonly string[]) => of.reduce((total, amount) => total + BigInt(amount), 0n)
  return [...groups.values()]
    .map(group => ({
      institution: group[0]?.institution ?? '',
      bank: sum(group.map(({ bank }) => bank)),
      book: sum(group.map(({ book }) => book)),
    }))
    .sort((a, b) =>
      a.book === b.book ? (a.institution < b.institution ? -1 : 1) : a.book > b.book ? -1 : 1,
    )
}
