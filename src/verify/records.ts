// Checks many kinds of rows by rules of one select each.
import { KEPT_SEAL } from '../http/idempotency/kept-reply.ts'
import { KEPT_HOURS } from '../http/idempotency/rules.ts'
import { idTimeSql, microsSql } from '../sql/id-sql.ts'
import { TIME_END } from '../statements/event/row.ts'
import { eventsOf } from '../statements/event/row-sql.ts'
import { RAIL } from './payout-states.ts'
import { isArchived, lastCut, ofAccount, rule } from './rows.ts'

/** As of payouts (payouts.ts). */
const HAVE_TIMES = [
  ...['quotes', 'beneficiaries', 'entities', 'payout_batches', 'webhook_endpoints'],
  'conversions',
]
const ID_TIMES = HAVE_TIMES.map(
  table => rule(table)`
    select account_id, id as key, 'an id of the time ' || made as expected,
      coalesce(substr(id, 5, 11), 'none') as found
    from (
      select account_id, id, ${idTimeSql('micros')} as made from (
        select account_id, id, ${microsSql('created_at')} as micros
        from ${table} where ${ofAccount('account_id')} offset 0
      ) m offset 0
    ) t where substr(id, 5, 11) is distinct from made`,
)

/** Each import key of payouts has a row with its newest payout. */
const IMPORTS = rule('payout_imports')`
  with named as (
    select account_id, id, created_at, unnest(string_to_array(import_keys, ' ')) as import_key
    from payouts where import_keys <> '' and ${ofAccount('account_id')}
  ), newest as (
    select distinct on (account_id, import_key) account_id, import_key, id
    from named order by account_id, import_key, created_at desc, id desc
  )
  select coalesce(n.account_id, i.account_id) as account_id,
    coalesce(n.import_key, encode(i.import_key, 'hex')) as key,
    coalesce(n.id, 'no row, as no payout has this key') as expected,
    coalesce(i.payout_id, 'none') as found
  from newest n
  full join (
    select * from payout_imports where ${ofAccount('account_id')}
  ) i on i.account_id = n.account_id and encode(i.import_key, 'hex') = n.import_key
  where n.id is distinct from i.payout_id and not exists (
    select from payouts a join payouts b on b.account_id = a.account_id
      and b.created_at = a.created_at and strpos(b.import_keys, n.import_key) > 0
    where a.account_id = n.account_id and a.id = n.id and b.id = i.payout_id
  )`

/** A kept answer is the one whose digest an event has. */
const KEPT_AS_ANSWERED = rule('idempotency_keys')`
  select account_id, key, 'an answer whose digest an event has' as expected,
    'digest ' || coalesce(encode(kept, 'hex'), 'none') as found
  from (
    select i.account_id, operation || ' ' || key as key, operation, created_at,
      ${KEPT_SEAL.sql('i')} as kept
    from idempotency_keys i where ${ofAccount('i.account_id')}
      and (operation like 'POST /v3/payout%' or operation like 'POST /v3/conversion%'
        or operation like 'POST /v3/sandbox/fund%')
  ) i
  where not exists (
    select from events e where e.account_id = i.account_id and e.kept = i.kept
  ) and not exists (
    select from payout_batches b where b.account_id = i.account_id
      and b.created_at = i.created_at and b.created + b.held = 0
  )`

const ANSWERED_AS_KEPT = rule('idempotency_keys')`
  select e.account_id, 'sequence ' || e.sequence as key,
    'the answer whose digest this event has' as expected, 'none' as found
  from events e join books b on b.account_id = e.account_id
  where e.kept is not null and ${ofAccount('e.account_id')}
    and e.created_at >
      now() + b.clock_ahead - interval '${KEPT_HOURS} hours' + interval '1 minute'
    and not exists (
      select from idempotency_keys i
      where i.account_id = e.account_id and ${KEPT_SEAL.sql('i')} = e.kept
    ) and not exists (
      select from erasures r join idempotency_keys i on i.account_id = r.account_id
        and r.key = i.operation || ' ' || i.key and r.becomes = ${KEPT_SEAL.sql('i')}
      where r.account_id = e.account_id and r.table_name = 'idempotency_keys' and r.was = e.kept
    )`

/** A batch has the hash of its content, and counts, totals and payouts of its items. */
const BATCHES = [
  rule('payout_batches')`
    select b.account_id, b.id as key, 'the hash of its content, its items and the batch before it'
      as expected, coalesce(encode(b.hash, 'hex'), 'none') as found
    from (
      select b.*, max(id collate "C") filter (where created + held > 0) over (
        partition by account_id order by id collate "C"
        rows between unbounded preceding and 1 preceding) as before_it
      from payout_batches b where ${ofAccount('account_id')}
    ) b
    left join payout_batches p on p.account_id = b.account_id and p.id = b.before_it
    left join lateral (
      select string_agg(json_build_array(position, status, payout_id, reference_id, problems)::text,
        E'\\n' order by position) as items
      from payout_batch_items i where i.account_id = b.account_id and i.batch_id = b.id
    ) i on true
    where b.hash is distinct from sha256(coalesce(p.hash, '') || convert_to(concat_ws(E'\\n',
      (to_jsonb(b) - array['hash', 'before_it'])::text, i.items), 'UTF8'))`,
  rule('payout_batches')`
    select coalesce(b.account_id, i.account_id) as account_id, coalesce(b.id, i.batch_id) as key,
      coalesce(i.created || ' created, ' || i.held || ' held, ' || i.refused || ' refused, '
        || i.made_at, 'no items') as expected,
      coalesce(b.created || ', ' || b.held || ', ' || b.refused || ', ' || b.created_at, 'none')
        as found
    from (select * from payout_batches where ${ofAccount('account_id')}) b
    full join (
      select i.account_id, i.batch_id, count(*) filter (where i.status = 'created') as created,
        count(*) filter (where i.status = 'held') as held,
        count(*) filter (where i.status = 'refused') as refused, max(p.created_at) as made_at,
        min(position) as first, max(position) as last, count(distinct position) as items
      from payout_batch_items i
      left join payouts p on p.account_id = i.account_id and p.id = i.payout_id
      where ${ofAccount('i.account_id')} group by 1, 2
    ) i on i.account_id = b.account_id and i.batch_id = b.id
    where b.created is distinct from i.created or b.held is distinct from i.held
      or b.refused is distinct from i.refused or i.first <> 0 or i.last <> i.items - 1
      or (i.made_at is not null and b.created_at is distinct from i.made_at)`,
  rule('payout_batches')`
    select b.account_id, b.id as key, coalesce(t.totals::text, 'no payouts') as expected,
      coalesce(b.totals::text, 'none') as found
    from payout_batches b
    left join (
      select account_id, batch_id, jsonb_agg(jsonb_build_object('currency', currency,
          'payouts', payouts::text, 'amount', amount::text, 'fixed_fee', fixed_fee::text,
          'variable_fee', variable_fee::text) order by currency) as totals
      from (
        select i.account_id, i.batch_id, p.holding_currency as currency, count(*) as payouts,
          sum(p.holding_amount) as amount, sum(p.fixed_fee) as fixed_fee,
          sum(p.variable_fee) as variable_fee
        from payout_batch_items i
        join payouts p on p.account_id = i.account_id and p.id = i.payout_id
        where ${ofAccount('i.account_id')} group by 1, 2, 3
      ) p
      group by 1, 2
    ) t on t.account_id = b.account_id and t.batch_id = b.id
    left join lateral (
      select jsonb_agg(jsonb_build_object('currency', x ->> 'currency', 'payouts',
          x ->> 'payouts', 'amount', x ->> 'amount', 'fixed_fee', x ->> 'fixed_fee',
          'variable_fee', x ->> 'variable_fee') order by x ->> 'currency') as totals
      from json_array_elements(
        case json_typeof(b.totals) when 'array' then b.totals else '[]' end) x
    ) s on true
    where ${ofAccount('b.account_id')} and t.totals is distinct from s.totals`,
  rule('payout_batch_items')`
    select i.account_id, i.batch_id || ' ' || i.position as key,
      coalesce('payout ' || p.id || ' of reference "' || p.reference_id || '", ' ||
        case when p.was = 'compliance_hold' then 'held' else 'created' end, 'a payout')
        as expected,
      i.payout_id || ' "' || i.reference_id || '" ' || i.status as found
    from payout_batch_items i
    left join (
      select p.account_id, p.id, p.reference_id, p.created_at, e.status as was
      from payouts p left join (
        select account_id, created_at, ending, own ->> 'status' as status
        from ${eventsOf('P', 'data is not null')} e
        where mark = 'P' and own is not null and ${ofAccount('account_id')}
      ) e on e.account_id = p.account_id and e.created_at = p.created_at
        and e.ending = substr(p.id, ${TIME_END + 1})
      where ${ofAccount('p.account_id')}
    ) p on p.account_id = i.account_id and p.id = i.payout_id
    where i.status <> 'refused' and ${ofAccount('i.account_id')}
      and (p.id is null or p.reference_id is distinct from i.reference_id
        or ((p.was is not distinct from 'compliance_hold') <> (i.status = 'held')
          and not (p.was is null and ${isArchived('p.created_at', 'p.account_id')}
            and (p.created_at < ${lastCut('created_at', 'p.account_id')} or not exists (
              select from events e
              where e.account_id = p.account_id and e.created_at = p.created_at
                and strpos(e.told, 'P' || substr(p.id, ${TIME_END + 1})) > 0)))))`,
]

/**
 * A live account's clock is the database's, and last_written_at is the time of the book's newest
 * event, journal or batch, or of the account's creation. After a correction of the clock it is the
 * corrected time, or that of what was written since.
 */
const BOOKS = rule('books')`
  select b.account_id, '' as key,
    'clock_ahead 0 unless of a sandbox, last_written_at '
      || coalesce(w.written_at::text, 'when its account was created') || ', sandbox ' || a.sandbox
      || ', state ' || a.state as expected,
    coalesce(b.clock_ahead::text, 'none') || ', ' || coalesce(b.last_written_at::text, 'none')
      || ', ' || coalesce(b.sandbox::text, 'none') || ', ' || coalesce(b.state, 'none')
      as found
  from books b left join accounts a on a.account_id = b.account_id
  cross join lateral (
    select (select max(time) from unnest(times) time) as written_at, times
    from (select array[(
        select created_at from events e where e.account_id = b.account_id
        order by sequence desc limit 1
      ), (
        select created_at from journals j where j.account_id = b.account_id
        order by number desc limit 1
      ), (
        select created_at from payout_batches p where p.account_id = b.account_id
        order by id desc limit 1
      )] as times) t
  ) w
  where ${ofAccount('b.account_id')} and (
    b.clock_ahead is null or b.clock_ahead < '0' or (b.clock_ahead > '0' and not a.sandbox)
    or b.last_written_at is null
    or (b.sandbox, b.state) is distinct from (a.sandbox, a.state)
    or (b.last_written_at <> w.written_at and not exists (
      select from clock_corrections c
      where b.last_written_at >= c.set_to and w.written_at <= c.set_from + b.clock_ahead
        and (b.last_written_at <= c.set_to + b.clock_ahead or b.last_written_at = any (w.times))))
    or (w.written_at is null
      and abs(extract(epoch from b.last_written_at - a.created_at)) > 60))`

/** The time of its newest line; without a line, that of the account or of its added currency. */
const BALANCES = rule('balances')`
  select b.account_id, b.currency as key,
    'updated_at ' || coalesce(l.created_at::text, 'when its account was created or changed')
      || ', account_state '
      || a.state as expected,
    coalesce(b.updated_at::text, 'none') || ', ' || coalesce(b.account_state, 'none') as found
  from balances b
  left join accounts a on a.account_id = b.account_id
  left join lateral (
    select created_at from journals l
    where l.account_id = b.account_id and l.currency = b.currency and l.currency is not null
    order by number desc limit 1
  ) l on true
  where ${ofAccount('b.account_id')} and (b.updated_at is null
    or b.account_state is distinct from a.state
    or b.updated_at <> l.created_at
    or (l.created_at is null and abs(extract(epoch from b.updated_at - a.created_at)) > 60
      and not exists (
        select from audit_log c
        where c.table_name = 'accounts' and c.after ->> 'account_id' = b.account_id
          and abs(extract(epoch from b.updated_at - c.changed_at)) <= 60
      )))`

/** The rule compares only the size of a larger file, because PostgreSQL hashes in memory. */
const MOST_HASHED = 64 * 1024 * 1024

/**
 * The bytes have the digest that identifies the file. A sweep deletes the bytes alone. Files belong
 * to no account, so a verification of one account skips this rule.
 */
const INBOX = rule('rail_inbox_bytes')`
  select '' as account_id, encode(coalesce(f.sha256, p.sha256), 'hex') as key,
    case when f.sha256 is null then 'a file that a bank has sent'
      when not f.kept then 'no bytes' else f.size || ' bytes of this digest' end as expected,
    coalesce(p.size || ' bytes' || coalesce(' of digest ' || encode(p.digest, 'hex'), ''), 'none')
      as found
  from rail_inbox f
  full join (
    select sha256, sum(octet_length(bytes)) as size,
      case when sum(octet_length(bytes)) <= ${MOST_HASHED}
        then sha256(string_agg(bytes, '' order by number)) end as digest
    from rail_inbox_bytes group by sha256
  ) p on p.sha256 = f.sha256
  where $1::text is null and (f.sha256 is null
    or (f.kept and (coalesce(p.size, 0) <> f.size or p.digest <> f.sha256))
    or (not f.kept and p.sha256 is not null))`

export const RECORDS = [
  BOOKS,
  BALANCES,
  ...ID_TIMES,
  RAIL,
  IMPORTS,
  KEPT_AS_ANSWERED,
  ANSWERED_AS_KEPT,
  ...BATCHES,
  INBOX,
]
