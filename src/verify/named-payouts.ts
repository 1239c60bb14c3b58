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
 * the payouts, $3 their debits, $4 the numbers of known settlements.
 */
const JOURNALS_OF = `
  select * from (
    select ${JOURNAL_COLUMNS} from journals j
    where j.account_id = $1 and j.undoes is null and j.kind <> 'settlement'
      and j.source = any ($2::text[])
    union all
    select ${JOURNAL_COLUMNS} from journals j
    where j.account_id = $1 and j.undoes is not null and j.undoes = any ($3::text[])
    union all
    select ${JOURNAL_COLUMNS} from journals j
    where j.account_id = $1 and j.number = any ($4::text[]::bigint[])
  ) j order by j.source collate "C", j.number`

/**
 * Matches the payouts that these journals of one account name. A settled payout is matched by the
 * journals that have its settlement.
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
  const settlements = named.filter(({ kind }) => kind === 'settlement')
  const journals = await tx.unsafe<PayoutJournal[]>(JOURNALS_OF, [
    ...[account_id, sources],
    payouts.map(payout => payout.balance_transaction_id),
    settlements.map(({ number }) => String(number)),
  ])
  const settled = new Set(settlements.map(({ source }) => source))
  const in_transit = new Set(
    journals.flatMap(({ source, kind, codes }) =>
      kind === 'payout' && codes.includes('in_transit') ? source : [],
    ),
  )
  const isSettledElsewhere = ({ id, status }: PayoutRow) =>
    (status === 'succeeded' || status === 'reversed') && in_transit.has(id) && !settled.has(id)
  const later = new Set(payouts.filter(isSettledElsewhere).map(({ id }) => id))
  await matchRows(
    streamOf(payouts.filter(({ id }) => !later.has(id))),
    streamOf(journals.filter(({ source }) => !later.has(source))),
    { findings, tick: () => {} },
  )
}
