// The payments of an entry without amounts of their own: each gets its own amount if together they
// come to that of the entry. Pure.
import type { BankLine } from '../../values/bank-format/bank-format.ts'
import type { FoundItem } from './item-store.ts'

type ItemOf = (line: BankLine) => FoundItem | undefined

/** The lines, of which those that share an amount have their own, or a defect. */
export function withShares(lines: readonly BankLine[], itemOf: ItemOf): readonly BankLine[] {
  const sharing = lines.filter(({ shared_amount }) => shared_amount !== null)
  if (sharing.length === 0) return lines
  const entries = Map.groupBy(sharing, entryOf)
  const shares = new Map<BankLine, BankLine>()
  for (const entry of entries.values()) {
    for (const [line, share] of sharesOf(entry, itemOf)) shares.set(line, share)
  }
  return lines.map(line => shares.get(line) ?? line)
}

/** The entry of a payment: its statement and its place there. */
const entryOf = ({ statement, position }: BankLine) => `${statement} ${position.split('/')[0]}`

function sharesOf(entry: readonly BankLine[], itemOf: ItemOf): [BankLine, BankLine][] {
  const items = entry.map(itemOf)
  const sum = items.reduce((total, item) => total + (item?.amount ?? 0n), 0n)
  const total = entry[0]?.shared_amount
  const ids = new Set(items.map(item => item?.end_to_end_id))
  const is_whole = sum === total && ids.size === entry.length && !ids.has(undefined)
  const defect = `its entry of ${entry.length} payments comes to ${total}, and ours to ${sum}`
  return entry.map((line, i) => {
    const { amount = null, currency = '' } = items[i] ?? {}
    return [line, is_whole ? { ...line, amount, currency } : { ...line, defect }]
  })
}
