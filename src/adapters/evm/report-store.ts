// The SQL statement by which reports are made: the slots of attempts, with their transactions.
import type { Tag } from '../../sql/sql.ts'
import { type SlotKey, type SlotTransaction, slotName } from './slot.ts'
import { attemptsOf, type FoundSlot } from './slot-store.ts'

/** What a report says of a transaction. */
type Reported = Pick<SlotTransaction, 'hash' | 'block' | 'sends' | 'first_sent_at'>

/** What a report says of a slot, or of the row by which the attempt was refused. */
export interface ReportedSlot
  extends SlotKey,
    Pick<FoundSlot, 'nonce' | 'wallet' | 'made_at' | 'to_contract'> {
  /** By number. */
  readonly transactions: readonly Reported[]
}

/** A slot with one of its transactions, or without any. */
type Row = Omit<ReportedSlot, 'transactions'> & (Reported | { readonly hash: null })

/** The slots of attempts, by name. The transaction must name the accounts. */
export async function findReported(
  tx: Tag,
  keys: readonly SlotKey[],
): Promise<ReadonlyMap<string, ReportedSlot>> {
  if (keys.length === 0) return new Map()
  const rows = await tx<Row[]>`
    select k.account_id, k.payout_id, k.attempt, s.nonce, s.wallet, s.made_at, s.to_contract,
      t.hash, t.block, t.sends, t.first_sent_at
    from ${attemptsOf(keys)}
    cross join lateral (
      select * from evm_slots o where o.account_id = k.account_id and o.payout_id = k.payout_id
        and o.attempt = k.attempt and o.purpose = 'pay' limit 1
    ) s
    left join lateral (
      select * from evm_transactions o where o.chain_id = s.chain_id and o.wallet = s.wallet
        and o.nonce = s.nonce order by o.number limit 10
    ) t on true
    order by t.number`
  const by_name = Map.groupBy(rows, slotName)
  return new Map(
    [...by_name].flatMap(([name, found]) => {
      const [slot] = found
      if (slot === undefined) return []
      const transactions = found.flatMap(row => (row.hash === null ? [] : row))
      return [[name, { ...slot, transactions }] as const]
    }),
  )
}
