// Proves of scheduled payouts that nothing of them went out before their time.
import { ofAccount, type Rule } from './rows.ts'

/** What must not be before the time of a payout: what it was, and when. */
const HAPPENED = `
    select s.account_id, s.id, s.status as what, coalesce(s.succeeded_at, s.updated_at) as at
    from payout_outcomes s where s.status in ('succeeded', 'reversed')
    union all
    select account_id, id, 'taken by a person', taken_at from payout_outcomes
    union all
    select account_id, id, 'taken by a person', taken_at from open_payouts
    union all
    select account_id, payout_id, 'attempt ' || number || ' asked about', asked_at
    from payout_attempts
    union all
    select o.account_id, o.id, 'asked ' || o.rail_attempts || ' times',
      clock_timestamp() + b.clock_ahead
    from open_payouts o join books b on b.account_id = o.account_id where o.rail_attempts > 0`

const NOT_BEFORE: Rule = {
  table: 'payouts',
  select: account_id => `
    select p.account_id, p.id as key, 'nothing before ' || p.execute_at as expected,
      h.what || ' at ' || h.at as found
    from payouts p join (${HAPPENED}) h on h.account_id = p.account_id and h.id = p.id
    where p.execute_at is not null and h.at < p.execute_at
      and ${ofAccount('p.account_id', account_id)}`,
}

/** An open payout waits for the time that the payout says, and no other has one. */
const ITS_TIME: Rule = {
  table: 'open_payouts',
  select: account_id => `
    select p.account_id, p.id as key, 'executed at ' || coalesce(p.execute_at::text, 'once')
      as expected, coalesce(o.execute_at::text, 'at once') as found
    from payouts p join open_payouts o on o.account_id = p.account_id and o.id = p.id
    where o.execute_at is distinct from p.execute_at and ${ofAccount('p.account_id', account_id)}`,
}

export const SCHEDULED = [ITS_TIME, NOT_BEFORE]
