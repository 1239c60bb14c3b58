// Checks operators' bookings. Each reversal takes back one whole line, once.
import type { JournalKind, Posting } from '../ledger/rules.ts'
import { numberedIdSql } from '../sql/id-sql.ts'
import { BOOKINGS, bookingPostings, REVERSAL_KINDS } from '../statements/funding/rules.ts'
import { CONVERSION_KINDS } from './conversions.ts'
import { MAX_NAMED } from './problem.ts'
import { journalProblem, nameRows, ofAccount, rowsOf, rule, type Verification } from './rows.ts'

const BOOKING_KINDS = Object.entries(BOOKINGS).map(([kind, booked]) => ({ kind, ...booked }))

const BOOKED = BOOKING_KINDS.flatMap(({ kind, reversal_kind }) => [kind, reversal_kind])
const BOOKED_KINDS = `{${BOOKED.join(',')}}`

/** The kinds of journals that belong to no payout. */
export const OF_NO_PAYOUT: ReadonlySet<string> = new Set([...BOOKED, ...CONVERSION_KINDS])

/** The booking's postings, and whether it undoes another; undefined for a payout's journal. */
export function bookedBy(
  { kind }: { readonly kind: JournalKind },
  { currency, amount }: Posting,
): { readonly postings: readonly Posting[]; readonly undoes: boolean } | undefined {
  const booked = BOOKING_KINDS.find(one => one.kind === kind || one.reversal_kind === kind)
  if (booked === undefined) return undefined
  const postings = bookingPostings(booked.code, currency, amount)
  return { postings, undoes: booked.kind !== kind }
}

interface WrongJournal {
  account_id: string
  number: bigint
  wrong: readonly [expected: string, found: string]
}

/** The kinds of reversals, as a PostgreSQL array. */
const REVERSED = `{${REVERSAL_KINDS.join(',')}}`

export const LINE_ID = numberedIdSql('btr', {
  account_id: 'j.account_id',
  created_at: 'j.created_at',
  number: 'j.number',
})

/** Each with its line's id and net amount. */
const BOOKED_JOURNALS = `
  (select j.*, amount + fixed_fee + variable_fee as net, ${LINE_ID} as id from journals j
    where kind = any ('${BOOKED_KINDS}'))`

/** Each has a reason and an author. Each reversal undoes one earlier line, whole and once. */
export async function checkBookings(run: Verification): Promise<void> {
  const bad = await rowsOf<WrongJournal>(run)`select account_id, number, wrong from (
      select t.account_id, t.number, case
        when coalesce(t.metadata ->> 'reason', '') = '' or coalesce(t.metadata ->> 'by', '') = ''
          then array['a reason, and who gave it', t.metadata::text]
        when t.kind = any ('${REVERSED}') and (o.kind || '_reversal' is distinct from t.kind
          or o.currency <> t.currency or o.net <> -t.net
          or o.source <> t.source or o.number >= t.number)
          then array['an earlier line that it undoes as a whole', t.undoes]
        when t.kind = any ('${REVERSED}') and exists (
          select from journals r where r.account_id = t.account_id and r.undoes is not null
            and r.undoes = t.undoes and r.number < t.number)
          then array['one reversal of ' || t.undoes, 'another before it']
      end as wrong
      from ${BOOKED_JOURNALS} t
      left join ${BOOKED_JOURNALS} o on o.account_id = t.account_id and o.id = t.undoes
      where t.kind = any ('${REVERSED}'::text[] || '{withdrawal,adjustment}')
        and ${ofAccount('t.account_id')}
    ) checked
    where wrong is not null order by 1, 2 limit ${MAX_NAMED}`
  const twice = await rowsOf<WrongJournal>(run)`select account_id, max(number) as number,
      array['reference "' || (metadata ->> 'reference') || '" once', count(*)::text] as wrong
    from journals
    where kind in ('funding', 'withdrawal', 'adjustment') and metadata ->> 'reference' is not null
      and ${ofAccount('account_id')}
    group by account_id, kind, metadata ->> 'reference' having count(*) > 1
    order by 1, 2 limit ${MAX_NAMED}`
  for (const { wrong, ...line } of [...bad, ...twice]) {
    run.findings.add(journalProblem(line, ...wrong).problem)
  }
  await nameRows(run, FUNDING_REFERENCES)
}

/** By it, the same payment funds no other account. */
const FUNDING_REFERENCES = rule('funding_references')`
  select coalesce(t.account_id, f.account_id) as account_id, coalesce(t.id, f.id) as key,
    coalesce('reference ' || t.folded || case when t.reversed then ', reversed' else '' end,
      'none, as no live account was funded') as expected,
    coalesce(f.reference || case when f.reversed then ', reversed' else '' end, 'none') as found
  from (
    select t.account_id, t.id, fold_reference(t.metadata ->> 'reference') as folded,
      exists (select from journals r where r.account_id = t.account_id
        and r.undoes = t.id and r.undoes is not null and r.kind = 'funding_reversal') as reversed
    from ${BOOKED_JOURNALS} t join accounts a using (account_id)
    where t.kind = 'funding' and t.metadata ->> 'reference' is not null and not a.sandbox
      and ${ofAccount('t.account_id')}
  ) t
  full join (
    select * from funding_references where ${ofAccount('account_id')}
  ) f on f.account_id = t.account_id and f.id = t.id
  where t.folded is distinct from f.reference or t.reversed is distinct from f.reversed`
