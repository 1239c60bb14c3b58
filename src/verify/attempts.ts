// Compares payouts' attempts with the payouts and their events. Each rule is one select.
import { FREE_KINDS } from '../rails/attempt.ts'
import { MANUAL } from '../rails/rail.ts'
import { EACH_EVENT } from '../statements/event/row-sql.ts'
import { isArchived, ofAccount, type Rule, rule, STATED_PAYOUTS } from './rows.ts'

/** The first rail is neither the simulator nor people. */
const EXTERNAL_RAIL = `p.first_rail not in ('', 'simulator', '${MANUAL}')`

/**
 * Attempts have no gaps. The first has the payout's first rail and route. Each later one follows
 * one that was not taken, and an event has its rail. The last has ended as the payout has.
 */
const ATTEMPTS_IN_ORDER = rule('payout_attempts')`
  select account_id, payout_id || '-' || number as key, expected, found from (
    select a.account_id, a.payout_id, a.number,
      'attempt ' || place || ' of ' || attempts || ', rail ' || coalesce(case
        when place = 1 then p.first_rail else e.rail end, 'named by an event') || ', '
        || case when place < attempts then 'not_taken' else ends end as expected,
      'attempt ' || number || ', rail ' || a.rail || ', '
        || coalesce(nullif(ended_as, ''), 'open') as found,
      p.id is null or number <> place
        or (a.rail is distinct from case when place = 1 then p.first_rail else e.rail end
          and not (e.rail is null and ${isArchived('a.opened_at', 'a.account_id')}))
        or (place = 1 and a.route::text is distinct from p.route::text)
        or a.asked_at < a.opened_at or a.ended_at < a.opened_at
        or (place < attempts and ended_as <> 'not_taken')
        or (place = attempts and strpos(ends, coalesce(nullif(ended_as, ''), 'open')) = 0)
        as wrong
    from (
      select a.*, row_number() over w as place,
        count(*) over (partition by account_id, payout_id) as attempts
      from payout_attempts a where ${ofAccount('a.account_id')}
      window w as (partition by account_id, payout_id order by number)
    ) a
    left join (
      select p.*, case status
        when 'succeeded' then 'paid' when 'reversed' then 'returned' when 'failed' then 'failed'
        else 'open' end
        -- What a person decides after a rail has not taken it, or people pay, leaves that end.
        || case when taken_over_at is not null or rail = '${MANUAL}' or status = 'processing'
          then ' or not_taken' else '' end as ends
      from ${STATED_PAYOUTS} p where ${EXTERNAL_RAIL}
    ) p on p.account_id = a.account_id and p.id = a.payout_id
    left join (
      select account_id, object_id, (data ->> 'attempt')::integer as attempt,
        data ->> 'rail' as rail
      from ${EACH_EVENT} e
      where about <> '' and type = 'payout.rerouted' and ${ofAccount('account_id')}
    ) e on e.account_id = a.account_id and e.object_id = a.payout_id and e.attempt = a.number
  ) judged where wrong`

/** A payout that a rail was asked about has an attempt, and so has each event of a reroute. */
const ATTEMPT_EXISTS = rule('payouts')`
  select p.account_id, p.id as key, 'an attempt on rail ' || p.first_rail as expected,
    'none' as found
  from ${STATED_PAYOUTS} p
  left join open_payouts o on o.account_id = p.account_id and o.id = p.id
  where ${EXTERNAL_RAIL} and ${ofAccount('p.account_id')}
    and coalesce(o.rail_attempts, p.rail_attempts) > 0 and not exists (
      select from payout_attempts a where a.account_id = p.account_id and a.payout_id = p.id
    )
  union all
  select e.account_id, e.object_id, 'attempt ' || (e.data ->> 'attempt'), 'none'
  from ${EACH_EVENT} e
  where e.about <> '' and e.type = 'payout.rerouted' and ${ofAccount('e.account_id')}
    and not exists (
      select from payout_attempts a
      where a.account_id = e.account_id and a.payout_id = e.object_id
        and a.number = (e.data ->> 'attempt')::integer
    )`

/** Money in transit has a next question, an open exception, or a match in the state of its hold. */
const MONEY_IS_WATCHED = rule('payouts')`
  select p.account_id, p.id as key, p.status || ', with none of these' as found,
    'a next question to rail ' || p.rail || ', an open exception or a match' as expected
  from ${STATED_PAYOUTS} p
  join open_payouts o on o.account_id = p.account_id and o.id = p.id
  where ${EXTERNAL_RAIL} and p.rail not in ('', '${MANUAL}')
    and p.status in ('processing', 'compliance_hold') and p.held_for = ''
    and p.taken_over_at is null and o.ask_rail_at is null and o.screening <> 'waits'
    and ${ofAccount('p.account_id')} and not exists (
      select from screening_matches m
      where m.account_id = p.account_id and m.object_id = p.id and m.state = o.screening
    ) and not exists (
      select from rail_exceptions e
      where e.account_id = p.account_id and e.payout_id = p.id and e.closed_at is null
        and e.kind not in ('${FREE_KINDS.join("', '")}')
    )`

/** Evidence and exceptions belong to existing attempts, and have numbers without gaps. */
const NUMBERED_RECORDS: readonly Rule[] = [
  ['rail_evidence', 'attempt'] as const,
  ['rail_exceptions', 'payout_id'] as const,
].map(
  ([table, counted]) => rule(table)`
    select e.account_id, e.payout_id || '-' || e.attempt || ' ' || e.number as key,
      'number ' || place || ' of ' || coalesce('an attempt on rail ' || a.rail, 'an attempt')
        as expected,
      'number ' || e.number || ', rail ' || e.rail as found
    from (
      select *, row_number() over (
        partition by account_id, payout_id, ${counted} order by number) as place
      from ${table} where ${ofAccount('account_id')}
    ) e
    left join payout_attempts a
      on a.account_id = e.account_id and a.payout_id = e.payout_id and a.number = e.attempt
    where e.number <> place or a.rail is distinct from e.rail`,
)

export const ATTEMPTS = [ATTEMPTS_IN_ORDER, ATTEMPT_EXISTS, MONEY_IS_WATCHED, ...NUMBERED_RECORDS]
