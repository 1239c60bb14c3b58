// What an operator has booked: the two sides of each journal, and that every reversal takes back
// one line, whole and once, with a reason.
import type { TransactionSql } from '../db/connect.ts'
import { BOOKINGS, bookingPostings, REVERSAL_TYPES } from '../funding/rules.ts'
import type { JournalKind, Posting } from '../ledger/rules.ts'
import { type Findings, MAX_NAMED } from './problem.ts'
import { lineProblem, nameRows, ofAccount } from './rows.ts'

const BOOKED = Object.entries(BOOKINGS).map(([kind, booked]) => ({ kind, ...booked }))

/** Kinds of journals that are no payout's, as an array of PostgreSQL. */
export const BOOKED_KINDS = `{${BOOKED.flatMap(b => [b.kind, b.reversal_kind]).join(',')}}`

/**
 * What the journal must be, and which column of its line names the same source; undefined of those
 * of payouts.
 */
export function bookedBy(
  { kind }: { readonly kind: JournalKind },
  { currency, amount }: Posting,
): { readonly postings: readonly Posting[]; readonly names: 'source' | 'description' } | undefined {
  const booked = BOOKED.find(one => one.kind === kind || one.reversal_kind === kind)
  if (booked === undefined) return undefined
  const names = booked.kind === kind ? 'source' : 'description'
  return { postings: bookingPostings(booked.code, currency, amount), names }
}

/** `wrong`: what is expected and what is found. */
interface Wrong {
  account_id: string
  id: string
  wrong: readonly [expected: string, found: string]
}

/** Reads the lines that were booked with a reason, and those they take back. */
export async function checkBookings(
  tx: TransactionSql,
  account_id: string | null,
  findings: Findings,
): Promise<void> {
  const bad = await tx.unsafe<Wrong[]>(
    `select account_id, id, wrong from (
        select t.account_id, t.id, case
          when coalesce(t.metadata ->> 'reason', '') = '' or coalesce(t.metadata ->> 'by', '') = ''
            then array['a reason, and who gave it', t.metadata::text]
          when t.type = any ($2::text[]) and (o.type || '_reversal' is distinct from t.type
            or o.currency <> t.currency or o.net_amount <> -t.net_amount
            or o.source <> t.description or o.journal_number >= t.journal_number)
            then array['a line before it that it takes back, whole', t.source]
          when t.type = any ($2::text[]) and exists (
            select from balance_transactions r where r.account_id = t.account_id
              and r.source = t.source and r.type = t.type and r.journal_number < t.journal_number)
            then array['one reversal of ' || t.source, 'another before it']
        end as wrong
        from balance_transactions t
        left join balance_transactions o on o.account_id = t.account_id and o.id = t.source
        where t.type = any ($2::text[] || '{withdrawal,adjustment}')
          and ${ofAccount('t.account_id', account_id)}
      ) checked
      where wrong is not null order by 1, 2 limit ${MAX_NAMED}`,
    [account_id, `{${REVERSAL_TYPES.join(',')}}`],
  )
  const twice = await tx.unsafe<Wrong[]>(
    `select account_id, max(id) as id,
        array['reference "' || (metadata ->> 'reference') || '" once', count(*)::text] as wrong
      from balance_transactions
      where type in ('escrow', 'withdrawal', 'adjustment') and metadata ->> 'reference' is not null
        and ${ofAccount('account_id', account_id)}
      group by account_id, type, metadata ->> 'reference' having count(*) > 1
      order by 1, 2 limit ${MAX_NAMED}`,
    [account_id],
  )
  for (const { wrong, ...line } of [...bad, ...twice]) {
    findings.add(lineProblem(line, ...wrong).problem)
  }
  await nameRows(tx, account_id, findings, {
    table: 'funding_references',
    select: FUNDING_REFERENCES(account_id),
  })
}

/** What a reference has funded is known by it, or the same payment could fund another account. */
const FUNDING_REFERENCES = (account_id: string | null) => `
  select coalesce(t.account_id, f.account_id) as account_id, coalesce(t.id, f.id) as key,
    coalesce('reference ' || t.folded || case when t.reversed then ', reversed' else '' end,
      'none, as no live account was funded') as expected,
    coalesce(f.reference || case when f.reversed then ', reversed' else '' end, 'none') as found
  from (
    select t.account_id, t.id, fold_reference(t.metadata ->> 'reference') as folded,
      exists (select from balance_transactions r where r.account_id = t.account_id
        and r.source = t.id and r.type = 'escrow_reversal') as reversed
    from balance_transactions t join accounts a using (account_id)
    where t.type = 'escrow' and t.metadata ->> 'reference' is not null and not a.sandbox
      and ${ofAccount('t.account_id', account_id)}
  ) t
  full join (
    select * from funding_references where ${ofAccount('account_id', account_id)}
  ) f on f.account_id = t.account_id and f.id = t.id
  where t.folded is distinct from f.reference or t.reversed is distinct from f.reversed`
