// The SQL statement of cover: what accounts at banks with a gate can pay, and what waits there.
import type { Tag } from '../sql/sql.ts'
import type { Instant } from '../values/instant.ts'

/** Amounts are minor units. */
export interface Cover {
  readonly nostro: string
  readonly currency: string
  /** The books, less what was handed over and is not settled. */
  readonly cover: bigint
  readonly waiting: bigint
  readonly waiting_count: bigint
  /** When the first of them began to wait; null without one. */
  readonly waiting_since: Instant | null
}

/** Each open nostro with a gate, by name. Reads as the auditor, who sees all accounts. */
export function listCovers(audit: Tag): Promise<Cover[]> {
  return audit<Cover[]>`
    select n.name as nostro, n.currency, nostro_cover(n.name) as cover,
      coalesce(sum(h.amount), 0)::bigint as waiting, count(h.id) as waiting_count,
      min(h.awaits_funds_since) as waiting_since
    from nostros n left join house_payouts h on h.awaits_funds_of = n.name
      and h.rail = any (n.rails) and h.rail <> 'manual' and h.currency = n.currency
      and h.status = 'processing' and not h.is_handed_over
    where n.closed_at is null and n.settings @> '{"gate":true}'
    group by n.name, n.currency order by n.name`
}
