// Compares the states of payouts with the payouts and their events. Each payout has one state, in
// the right table. Nothing happened to a scheduled payout before its time.
import { MAX_JUMP_MS } from '../ledger/clock.ts'
import { MAX_ASK_AGAIN_MS } from '../payouts/advance/progress.ts'
import { MANUAL } from '../rails/rail.ts'
import { eventsOf } from '../statements/event/row-sql.ts'
import { type CutOff, releaseOf } from '../values/calendar/rules.ts'
import type { Key } from '../values/id.ts'
import type { Instant } from '../values/instant.ts'
import { isArchived, ofAccount, rowsOf, rule, STATED_PAYOUTS, type Verification } from './rows.ts'

/**
 * A rail is asked about a payout that it has, within a day, and about a succeeded one, which may
 * come back. Before the first question the payout is due, or waits for its execution or release
 * (`checkReleases`). rail_steps counts the rail's events, and at most one more for each time that a
 * person gave the payout back.
 */
export const RAIL = rule('payouts')`
  select account_id, id as key,
    status || ': ' || case
      when asked_needlessly then 'no next question to the rail'
      when never_asked then 'the rail asked before it answers'
      when too_late then 'the rail asked again within a day'
      when late then 'the rail asked once, or the payout due since its last step'
      when told_elsewhere then 'succeeded at ' || told_at || ', the time of its event'
      else 'rail_steps ' || told || ' to ' || told + given_back end as expected,
    case when told_elsewhere then 'succeeded at ' || coalesce(outcome_at::text, 'no time') || ', '
      else '' end || 'ask_rail_at ' || coalesce(ask_rail_at::text, 'never') || ', rail_steps '
      || coalesce(rail_steps::text, 'none') || ', rail_attempts '
      || coalesce(rail_attempts::text, 'none') as found
  from (
    select p.*, coalesce(e.told, 0) as told, coalesce(e.given_back, 0) as given_back,
      ask_rail_at is not null and (rail in ('', '${MANUAL}') or status in ('failed', 'reversed')
        or (status <> 'processing' and (held_for <> '' or e.last_by_other)))
        as asked_needlessly,
      rail_attempts is null or attempts_told is null or rail_attempts < attempts_told
        or (attempts_told = 0 and coalesce(e.told, 0) > 0) as never_asked,
      rail_attempts = 0 and (claimed_until is not null
        or (ask_rail_at > greatest(updated_at, execute_at) and route -> 'timetable' is null)
        or (ask_rail_at is null and status = 'processing' and rail not in ('', '${MANUAL}')))
        as late,
      rail_attempts > 0 and ask_rail_at > clock_timestamp()
        + interval '${MAX_ASK_AGAIN_MS + MAX_JUMP_MS} milliseconds' and not exists (
          select from payout_attempts a where a.account_id = p.account_id and a.payout_id = p.id
            and a.ended_at is null and a.asked_at is null) as too_late,
      e.told_at is not null and p.outcome_at is distinct from e.told_at as told_elsewhere,
      e.told_at
    from (
      select p.account_id, p.id, p.status, p.rail, p.route, p.rail_steps, p.held_for,
        p.created_at, p.updated_at, p.execute_at,
        coalesce(p.succeeded_at, p.updated_at) as outcome_at,
        o.ask_rail_at, o.claimed_until, p.rail_attempts as attempts_told,
        case when o.id is null then p.rail_attempts else o.rail_attempts end as rail_attempts
      from ${STATED_PAYOUTS} p
      left join open_payouts o on o.account_id = p.account_id and o.id = p.id
      where ${ofAccount('p.account_id')}
    ) p
    left join (
      select account_id, object_id, count(*) filter (where by = 'rail') as told,
        max(number) filter (where by <> 'rail') = max(number) as last_by_other,
        max(told_at) as told_at,
        count(*) filter (where by <> 'rail' and type = 'payout.processing') as given_back
      from (
        select account_id, object_id, type, sequence as number,
          coalesce(own ->> 'by', case mark when 'D' then 'rail' end) as by,
          case mark when 'D' then created_at end as told_at
        from ${eventsOf('-SD')} e
        where mark in ('-', 'S', 'D') and type like 'payout.%'
          and type not in ('payout.created', 'payout.rerouted', 'payout.sent', 'payout.notified',
            'payout.updated', 'payout.erased')
          and ${ofAccount('account_id')}
      ) told
      group by 1, 2
    ) e on e.account_id = p.account_id and e.object_id = p.id
  ) p
  where asked_needlessly or never_asked or late or too_late or told_elsewhere or rail_steps is null
    or rail_steps < told or (rail_steps > told + given_back
      and not ${isArchived('p.created_at', 'p.account_id')})`

/**
 * The release follows from the route's cut-off and the later of the last step and the execution. A
 * new holiday makes it later, so a payout may be due earlier.
 */
export async function checkReleases(run: Verification): Promise<void> {
  const waiting = await rowsOf<Waiting>(run)`
    select o.account_id, o.id, greatest(o.updated_at, p.execute_at) as since, o.ask_rail_at,
      p.route -> 'timetable' as timetable
    from open_payouts o join payouts p on p.account_id = o.account_id and p.id = o.id
    where o.rail_attempts = 0 and o.ask_rail_at > greatest(o.updated_at, p.execute_at)
      and p.route -> 'timetable' is not null
      and ${ofAccount('o.account_id')}
    order by 1, 2`
  for (const { account_id, id: key, since, ask_rail_at, timetable } of waiting) {
    const release_at = releaseOf(timetable, since)?.release_at ?? 'never'
    if (ask_rail_at <= release_at) continue
    const [expected, found] = [`released at ${release_at}`, `ask_rail_at ${ask_rail_at}`]
    run.findings.add({ table: 'open_payouts', account_id, key, expected, found })
  }
}

interface Waiting extends Key {
  readonly since: Instant
  readonly ask_rail_at: Instant
  readonly timetable: CutOff
}

/** Equal in a payout's two rows of states, while it has both. */
const SHARED_COLUMNS = [
  'status',
  'rail',
  'updated_at',
  'taken_at',
  'taken_over_at',
  'rail_steps',
  'status_description',
  'rail_reference',
  'taken_by',
  'answers::text',
  'failure::text',
  'metadata::text',
]

const sharedText = (row: string) => {
  const texts = SHARED_COLUMNS.map(column => `coalesce(${row}.${column}::text, 'none')`)
  return `concat_ws(', ', ${texts.join(', ')})`
}

/**
 * A row in open_payouts, then in payout_outcomes; both, with equal columns, while a succeeded
 * payout is asked about. Runs first: two states would make two rows in each join.
 */
export const STATES = rule('payouts')`
  select account_id, id as key, expected, found from (
    select coalesce(p.account_id, o.account_id, s.account_id) as account_id,
      coalesce(p.id, o.id, s.id) as id,
      case when p.id is null then 'no state, as there is no such payout'
        when o.id is not null and s.id is not null then ${sharedText('s')}
        else 'one state, rail ' || p.rail end as expected,
      case when o.id is null and s.id is null then 'none'
        when o.id is null then 'payout_outcomes: ' || s.status || ', rail ' || s.rail
        when s.id is null then 'open_payouts: ' || o.status || ', rail ' || o.rail
        else ${sharedText('o')} end as found,
      case when o.id is not null and s.id is not null
        then s.status <> 'succeeded' or o.held_for <> '' or ${sharedText('o')} <> ${sharedText('s')}
        else coalesce(o.status = 'succeeded', s.status is null) end as wrong,
      p.id is null or coalesce(o.rail, p.rail) <> p.rail
        or coalesce(s.rail, p.rail) <> p.rail as of_another
    from (
      -- Where it went first, or the rail of its last attempt.
      select p.*, coalesce((
        select rail from payout_attempts a
        where a.account_id = p.account_id and a.payout_id = p.id order by number desc limit 1
      ), first_rail) as rail
      from payouts p where ${ofAccount('p.account_id')}
    ) p
    full join (
      select * from open_payouts where ${ofAccount('account_id')}
    ) o on o.account_id = p.account_id and o.id = p.id
    full join (
      select * from payout_outcomes where ${ofAccount('account_id')}
    ) s on s.account_id = coalesce(p.account_id, o.account_id) and s.id = coalesce(p.id, o.id)
  ) stated
  where wrong is not false or of_another is not false`

/** Each with its time. */
const ACTIONS = `
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

const NOTHING_BEFORE_EXECUTION = rule('payouts')`
  select p.account_id, p.id as key, 'nothing before ' || p.execute_at as expected,
    h.what || ' at ' || h.at as found
  from payouts p join (${ACTIONS}) h on h.account_id = p.account_id and h.id = p.id
  where p.execute_at is not null and h.at < p.execute_at
    and ${ofAccount('p.account_id')}`

/** A payout and its open row have the same execution time, or none. */
const SAME_EXECUTION_TIME = rule('open_payouts')`
  select p.account_id, p.id as key, 'executed at ' || coalesce(p.execute_at::text, 'once')
    as expected, coalesce(o.execute_at::text, 'at once') as found
  from payouts p join open_payouts o on o.account_id = p.account_id and o.id = p.id
  where o.execute_at is distinct from p.execute_at and ${ofAccount('p.account_id')}`

export const SCHEDULED = [SAME_EXECUTION_TIME, NOTHING_BEFORE_EXECUTION]
