// Which payouts money from a wallet may give back: those that have paid the wallet. Who sends money
// on a chain is an address and no name, so what it was paid before is all that tells whose it is.
import type { Tag } from '../../sql/sql.ts'
import type { Instant } from '../../values/instant.ts'

/** A payout that has paid the payer of a line, and was not reversed. */
export interface PaidBefore {
  readonly account_id: string
  readonly payout_id: string
  /** Minor units of the currency. */
  readonly amount: bigint
  readonly currency: string
  readonly paid_at: Instant
}

const MOST = 5
/** A payee may have been paid often: only the newest payments are compared with the line. */
const MOST_COMPARED = 200

/**
 * The payouts by the rails of a chain's nostro to the wallet that has sent the open line. One of
 * the line's amount comes first, then the newest. Reads as the auditor.
 */
export async function listPaidBefore(audit: Tag, line: bigint): Promise<readonly PaidBefore[]> {
  return audit<PaidBefore[]>`
    select p.account_id, p.payout_id, p.amount, p.currency, p.ended_at as paid_at
    from bank_lines l
    join nostros n on n.name = l.nostro and n.kind = 'chain'
    cross join lateral (
      select * from evm_slots s
      where s.payee = l.counterparty and s.state = 'paid' and s.purpose = 'pay'
        and s.rail = any (n.rails) and s.currency = l.currency
      order by s.ended_at desc limit ${MOST_COMPARED}::integer) p
    join payout_outcomes o on o.account_id = p.account_id and o.id = p.payout_id
      and o.status = 'succeeded'
    where l.id = ${String(line)}::text::bigint and l.match is null and l.amount > 0
      and l.counterparty <> ''
    order by p.amount <> l.amount, p.ended_at desc limit ${MOST}::integer`
}
