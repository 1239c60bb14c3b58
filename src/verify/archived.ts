// Compares which beneficiaries are archived with the events that told of it and with the payouts to
// them. Each rule is one select.
import { ofAccount, type Rule } from './rows.ts'

const TIME = `'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'`

/** A beneficiary is archived since when its newest event of that says. */
const TOLD: Rule = {
  table: 'beneficiaries',
  select: account_id => `
    select coalesce(b.account_id, e.account_id) as account_id, coalesce(b.id, e.id) as key,
      'archived ' || coalesce('since ' || e.at, 'no more') as expected,
      'archived ' || coalesce('since ' || b.at, 'never') as found
    from (
      select account_id, id, to_char(archived_at at time zone 'UTC', ${TIME}) as at
      from beneficiaries where archived_at is not null and ${ofAccount('account_id', account_id)}
    ) b
    full join (
      select distinct on (account_id, object_id) account_id, object_id as id,
        data -> 0 ->> 'archived_at' as at
      from events
      where type in ('beneficiary.archived', 'beneficiary.unarchived')
        and ${ofAccount('account_id', account_id)}
      order by account_id, object_id, sequence desc
    ) e on e.account_id = b.account_id and e.id = b.id
    where b.at is distinct from e.at`,
}

/** Nobody has paid a beneficiary since it was archived. */
const PAID: Rule = {
  table: 'payouts',
  select: account_id => `
    select p.account_id, p.id as key, 'none to a beneficiary that is archived' as expected,
      'made after ' || to_char(b.archived_at at time zone 'UTC', ${TIME}) || ', to ' || b.id
        as found
    from beneficiaries b
    join payouts p on p.account_id = b.account_id and p.beneficiary_id = b.id
      and substr(p.beneficiary_id, 5, 11) <> substr(p.id, 5, 11)
      and p.created_at >= b.archived_at
    where b.archived_at is not null and ${ofAccount('b.account_id', account_id)}`,
}

export const ARCHIVED = [TOLD, PAID]
