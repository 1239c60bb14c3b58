// Matches some payouts of one account, found by their keys: those that a step's journals name.
import {
  JOURNAL_COLUMNS,
  matchRows,
  type PayoutJournal,
  type PayoutRow,
  payoutsOf,
} from './payouts.ts'
import { statedPayouts, type Verification } from './rows.ts'
import { streamOf } from './stream.ts'

/** $2 has their ids. */
const NAMED_PAYOUTS = payoutsOf(statedPayouts('account_id = $1 and id = any ($2::text[])'))

/**
 * The journals of some payouts by the indexes of journals, none of which has settlements. $2 has
 * the payouts, $3 their debits, $4 the numbers of journals that are judged in any case.
 */
const JOURNALS_OF = `
  select ${JOURNAL_COLUMNS} from journals j
  where j.account_id = $1 and j.number = any (array(
    select number from journals
    where account_id = $1 and undoes is null and kind <> 'settlement' and source = any ($2::text[])
    union all
    select number from journals
    where account_id = $1 and undoes is not null and undoes = any ($3::text[])
    union all
    select unnest($4::text[])::bigint
  )) order by j.source collate "C", j.number`

/**
 * Matches the payouts that these journals of one account name. Only the journals that have the
 * settlement of a payout prove that it has one. The others prove all else.
 */
export async function matchNamed(
  { tx, account_id, findings }: Verification & { readonly account_id: string },
  named: readonly Pick<PayoutJournal, 'source' | 'number' | 'kind'>[],
): Promise<void> {
  const sources = [...new Set(named.map(({ source }) => source))]
  const payouts = await tx.unsafe<PayoutRow[]>(
    `select * from (${NAMED_PAYOUTS(account_id)}) p where p.id = any ($2::text[])`,
    [account_id, sources],
  )
  const journals = await tx.unsafe<PayoutJournal[]>(JOURNALS_OF, [
    ...[account_id, sources],
    payouts.map(payout => payout.balance_transaction_id),
    named.map(({ number }) => String(number)),
  ])
  const settled = new Set(named.flatMap(row => (row.kind === 'settlement' ? row.source : [])))
  const in_transit = new Set(
    journals.flatMap(({ source, kind, codes }) =>
      kind === 'payout' && codes.includes('in_transit') ? source : [],
    ),
  )
  const isSettledElsewhere = ({ id, status }: PayoutRow) =>
    (status === 'succeeded' || status === 'reversed') && in_transit.has(id) && !settled.has(id)
  const settledElsewhere = new Set(payouts.filter(isSettledElsewhere).map(({ id }) => id))
  const matching = { findings, tick: () => {}, settledElsewhere }
  await matchRows(streamOf(payouts), streamOf(journals), matching)
}
