// Compares uses of limits with the payouts and with the sums. Leaves out rows that are almost old
// enough for deletion. Each rule is one select.
import { ofAccount, rule, STATED_PAYOUTS } from './rows.ts'

/** A day less than the service keeps rows, so that a deletion is never a problem. */
const KEPT_SINCE = `now() - interval '32 days'`

const SUM_OF_USES = rule('limit_sums')`
  select coalesce(u.account_id, s.account_id) as account_id,
    concat_ws(' ', coalesce(u.limit_id, s.limit_id), coalesce(u.subject, s.subject),
      coalesce(u.starts_at, s.starts_at), u.payouts) as key,
    coalesce(u.amount, 0)::text as expected, coalesce(s.used::text, 'none') as found
  from (
    select account_id, limit_id, subject, starts_at, sum(amount) as amount,
      string_agg(payout_id, ' ') as payouts
    from limit_uses where starts_at > ${KEPT_SINCE} and ${ofAccount('account_id')}
    group by 1, 2, 3, 4
  ) u
  full join (
    select * from limit_sums where starts_at > ${KEPT_SINCE} and ${ofAccount('account_id')}
  ) s on s.account_id = u.account_id and s.limit_id = u.limit_id and s.subject = u.subject
    and s.starts_at = u.starts_at
  where coalesce(u.amount, 0) is distinct from coalesce(s.used, 0)`

const USE_HAS_SUM = rule('limit_uses')`
  select u.account_id, concat_ws(' ', u.payout_id, u.limit_id, u.subject) as key,
    concat('a sum of ', u.starts_at) as expected, 'none' as found
  from limit_uses u
  where (u.starts_at > ${KEPT_SINCE}) is not false and ${ofAccount('u.account_id')}
    and not exists (
      select from limit_sums s where s.account_id = u.account_id and s.limit_id = u.limit_id
        and s.subject = u.subject and s.starts_at = u.starts_at)`

/**
 * Its payout has not failed or been reversed. Its amount is the payout's in the limit's currency,
 * and 1 if the limit counts payouts.
 */
const USE_FITS_PAYOUT = rule('limit_uses')`
  select u.account_id, u.payout_id || ' ' || u.limit_id as key,
    coalesce('a payout that is not failed or reversed: ' || p.amount || ' ' || p.currency
      || ', made ' || p.created_at, 'no use, as there is no such payout') as expected,
    concat(coalesce(p.status, 'none'), ', counted ', u.amount, ' of ', u.starts_at) as found
  from limit_uses u
  left join ${STATED_PAYOUTS} p on p.account_id = u.account_id and p.id = u.payout_id
  left join limits l on l.limit_id = u.limit_id
  where ${ofAccount('u.account_id')} and u.starts_at > ${KEPT_SINCE} and (
    p.id is null or p.status in ('failed', 'reversed') or u.starts_at > p.created_at
    or p.created_at >= u.starts_at + case l.per when 'hours' then interval '1 hour'
      else interval '26 hours' end
    or u.amount is distinct from case when l.currency = p.currency then p.amount
      when l.limit_id is not null and l.currency is null then 1 else coalesce(u.amount, 0) end)`

/** Leaves out limits of keys, new payees and networks, of which a payout's row says too little. */
const PAYOUT_HAS_USE = rule('limit_uses')`
  select p.account_id, p.id || ' ' || l.limit_id as key, 'counted' as expected,
    'not counted' as found
  from limits l
  join books b on coalesce(l.account_id, b.account_id) = b.account_id
  join ${STATED_PAYOUTS} p on p.account_id = b.account_id
    and p.created_at >= case l.per
      when 'hours' then now() + b.clock_ahead - make_interval(hours => l.hours)
      else date_trunc('day', now() + b.clock_ahead, l.zone) end
  where l.per <> 'payout' and l.key_id is null and l.each <> 'key' and l.network is null
    and l.new_for_hours is null
    and coalesce(l.rail, p.first_rail) = p.first_rail and p.status not in ('failed', 'reversed')
    and ${ofAccount('p.account_id')}
    and not exists (
      select from limit_uses u where u.account_id = p.account_id and u.payout_id = p.id
        and u.limit_id = l.limit_id)`

/**
 * `reached` was the sum after an allowed payout. Uses are only deleted, so the sum never exceeds
 * it.
 */
const WINDOW_WITHIN_CAP = rule('limit_sums')`
  select account_id, concat_ws(' ', limit_id, subject, starts_at) as key,
    'at most ' || reached || ' of ' || cap as expected, in_window::text as found
  from (
    select s.*, (
      select sum(w.used) from limit_sums w
      where w.account_id = s.account_id and w.limit_id = s.limit_id and w.subject = s.subject
        and w.starts_at <= s.starts_at
        and w.starts_at >= s.starts_at - make_interval(hours => coalesce(l.hours, 0))
    ) as in_window
    from limit_sums s join limits l on l.limit_id = s.limit_id
    where s.reached is not null and s.starts_at > ${KEPT_SINCE}
      and ${ofAccount('s.account_id')}
  ) s
  where in_window > reached or reached > cap`

/** A book with uses has the mark has_limit_uses, without which no payout gives its uses back. */
const BOOK_IS_MARKED = rule('books')`
  select b.account_id, '' as key, 'has_limit_uses true, as the account has uses' as expected,
    'false' as found
  from books b where not b.has_limit_uses and ${ofAccount('b.account_id')}
    and exists (select from limit_uses u where u.account_id = b.account_id)`

export const LIMITS = [
  SUM_OF_USES,
  USE_HAS_SUM,
  USE_FITS_PAYOUT,
  PAYOUT_HAS_USE,
  WINDOW_WITHIN_CAP,
  BOOK_IS_MARKED,
]
