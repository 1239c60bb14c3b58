// Which lines and items match by the payee's account, where a nostro lets them: only a pair that no
// other line and no other item could be in. Pure.
import type { AccountPair, Pairing } from './rule-store.ts'
import { isClose } from './suggest.ts'

/** A pair that is refused is still a rival of others: whose the line is remains uncertain. */
export function byAccount(pairs: readonly AccountPair[]): Pairing[] {
  const close = pairs.filter(({ line_on, item_on }) =>
    isClose({ value_on: line_on }, { value_on: item_on }),
  )
  const lines = Map.groupBy(close, ({ line }) => line)
  const items = Map.groupBy(close, ({ item }) => item)
  return close.flatMap(({ line, item, amount, is_refused }) => {
    const is_sole = lines.get(line)?.length === 1 && items.get(item)?.length === 1
    return is_sole && !is_refused ? [{ line, amount, items: [item], by_details: false }] : []
  })
}
