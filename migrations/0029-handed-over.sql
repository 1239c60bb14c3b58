-- additive: the former version reads none of this, and triggers keep it true.
-- What left each nostro with a gate and is not in its books yet, kept as a sum: a claim at the gate
-- reads a few rows, however many payouts are on their way (docs/decisions/treasury.md).

-- The sum of a nostro is that of its rows. A statement adds one row, so no two transactions wait for
-- each other; the next one that has the turn of the gate folds them into one.
create table handed_over (
  id bigint generated always as identity primary key,
  nostro text collate "C" not null references nostros,
  amount bigint not null check (amount <> 0)
);
create index handed_over_by_nostro on handed_over (nostro) include (amount);
create trigger kept before update or truncate on handed_over
  for each statement execute function refuse_change();

-- The rails behind gates. A rail of a currency is behind one gate at most (gate_of_one_nostro), and
-- once (rails_named_once).
create view gated_rails as
select name as nostro, currency, unnest(rails) as rail from nostros
where closed_at is null and settings @> '{"gate":true}';

-- A payout that counts at its gate from now on (1), or does not any more (-1).
create type counted_payout as (account_id text, id text, rail text, sign integer);
create function count_handed_over(counted counted_payout[]) returns void language sql as $$
  insert into handed_over (nostro, amount)
  select g.nostro, sum(c.sign * p.destination_amount)
  from unnest(counted) c
  join books b on b.account_id = c.account_id and not b.sandbox
  join payouts p on p.account_id = c.account_id and p.id = c.id
  join gated_rails g on g.rail = c.rail and g.currency = p.destination_currency
  group by g.nostro having sum(c.sign * p.destination_amount) <> 0
$$;

-- Whether the rail has the attempt, or had it when it paid.
create function is_with_rail(asked_at timestamptz, ended_as text) returns boolean
language sql immutable as $$
  select asked_at is not null and ended_as in ('', 'paid')
$$;
-- Whether the rail of an open payout, or a person, has it, as in `house_payouts`. One that has
-- succeeded is over, although its rail may still report.
create function is_handed_over(of text, payout text, by_rail text, taken_by text)
returns boolean language sql stable as $$
  select case when by_rail = 'manual' then taken_by <> ''
    else exists (select from payout_attempts a where a.account_id = of and a.payout_id = payout
      and a.rail = by_rail and is_with_rail(a.asked_at, a.ended_as)) end
$$;

-- A payout counts from when it is handed over, or settles without that, until its item is derived:
-- its books then have it. Each trigger compares what its statement has changed with what is there.
create function count_attempts() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
declare
  counted counted_payout[];
begin
  if not exists (select from gated_rails) then
    return null;
  end if;
  if tg_op = 'INSERT' then
    counted := array(select (a.account_id, a.payout_id, a.rail, 1)::counted_payout from after a
      join open_payouts o on o.account_id = a.account_id and o.id = a.payout_id and o.rail = a.rail
      where is_with_rail(a.asked_at, a.ended_as) and o.status <> 'succeeded');
  else
    counted := array(select (a.account_id, a.payout_id, a.rail,
        case when is_with_rail(a.asked_at, a.ended_as) then 1 else -1 end)::counted_payout
      from after a
      join before b on b.account_id = a.account_id and b.payout_id = a.payout_id
        and b.number = a.number
        and is_with_rail(b.asked_at, b.ended_as) <> is_with_rail(a.asked_at, a.ended_as)
      join open_payouts o on o.account_id = a.account_id and o.id = a.payout_id and o.rail = a.rail
      where o.status <> 'succeeded');
  end if;
  perform count_handed_over(counted);
  return null;
end $$;
create trigger counted_when_asked after insert on payout_attempts
  referencing new table as after for each statement execute function count_attempts();
create trigger counted_when_it_ends after update on payout_attempts
  referencing old table as before new table as after
  for each statement execute function count_attempts();

create function count_open_payouts() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
declare
  counted counted_payout[];
begin
  if not exists (select from gated_rails) then
    return null;
  end if;
  if tg_op = 'DELETE' then
    counted := array(select (b.account_id, b.id, b.rail, -1)::counted_payout from before b
        where b.status <> 'succeeded'
          and is_handed_over(b.account_id, b.id, b.rail, b.taken_by)
      union all
      select (o.account_id, o.id, o.rail, 1)::counted_payout from before b
        join payout_outcomes o on o.account_id = b.account_id and o.id = b.id
        where b.status <> 'succeeded' and o.status <> 'failed');
  else
    counted := array(select (m.account_id, m.id, m.rail, m.sign)::counted_payout
      from before b
      join after a on a.account_id = b.account_id and a.id = b.id
        and (a.rail, a.taken_by, a.status) is distinct from (b.rail, b.taken_by, b.status)
      cross join lateral (
        select b.account_id, b.id, b.rail, -1 as sign
        where is_handed_over(b.account_id, b.id, b.rail, b.taken_by)
        union all
        select a.account_id, a.id, a.rail, 1
        where a.status = 'succeeded'
          or is_handed_over(a.account_id, a.id, a.rail, a.taken_by)) m
      where b.status <> 'succeeded');
  end if;
  perform count_handed_over(counted);
  return null;
end $$;
create trigger counted_as_it_changes after update on open_payouts
  referencing old table as before new table as after
  for each statement execute function count_open_payouts();
create trigger counted_as_it_ends after delete on open_payouts
  referencing old table as before for each statement execute function count_open_payouts();

create function count_derived() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  if exists (select from gated_rails) then
    perform count_handed_over(array(
      select (account_id, payout_id, rail, -1)::counted_payout from added where kind = 'payout'));
  end if;
  return null;
end $$;
create trigger counted_until_derived after insert on nostro_items referencing new table as added
  for each statement execute function count_derived();

-- The same sum, added up: what is handed over and what has settled and is not derived.
create function add_up_handed_over(of text) returns numeric
language sql stable security definer set search_path to public, pg_temp as $$
  select coalesce((select sum(h.amount) from house_payouts h
      where h.rail = any (n.rails) and h.currency = n.currency and h.is_handed_over), 0)
    + coalesce((select sum(p.destination_amount)
      from books b left join account_cursors c on c.account_id = b.account_id
      join journals j on j.account_id = b.account_id and j.number > coalesce(c.number, 0)
        and j.kind = 'settlement'
      join payout_outcomes o on o.account_id = j.account_id and o.id = j.source
        and o.rail = any (n.rails)
      join payouts p on p.account_id = j.account_id and p.id = j.source
        and p.destination_currency = n.currency
      where not b.sandbox and b.journal_count > coalesce(c.number, 0)), 0)
  from nostros n where n.name = of
$$;

-- Waits for a turn longer than a request of a payer would.
create function wait_for_turn(of text) returns void
language sql set lock_timeout to '30s' as $$
  select pg_advisory_xact_lock(hashtextextended(of, 0))
$$;

-- A gate begins with the sum of that moment. Nothing that changes it runs meanwhile: claims at the
-- gate, the derivation, new payouts and changes of payouts wait, for as long as it takes to add up.
-- The derivation may take long, and so its turn comes first, while nobody waits for this.
create function begin_gate() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  perform wait_for_turn('corridor treasury');
  perform wait_for_turn('corridor cover ' || new.name);
  lock table open_payouts, payout_attempts in share mode;
  delete from handed_over where nostro = new.name;
  insert into handed_over (nostro, amount)
  select new.name, s.amount from add_up_handed_over(new.name) as s (amount)
  where s.amount <> 0 and exists (select from gated_rails where nostro = new.name);
  return null;
end $$;
create trigger gate_is_added after insert on nostros for each row
  when (new.settings @> '{"gate":true}') execute function begin_gate();
create trigger gate_is_changed after update on nostros for each row
  when ((old.settings @> '{"gate":true}' or new.settings @> '{"gate":true}')
    and (old.settings @> '{"gate":true}', old.rails, old.closed_at)
      is distinct from (new.settings @> '{"gate":true}', new.rails, new.closed_at))
  execute function begin_gate();

-- Makes one row of those of a nostro. Its caller has the turn of the gate.
create function fold_handed_over(of text) returns void
language sql security definer set search_path to public, pg_temp as $$
  with folded as (
    delete from handed_over where nostro = of
      and exists (select from handed_over h where h.nostro = of offset 1)
    returning amount)
  insert into handed_over (nostro, amount) select of, sum(amount) from folded
  having sum(amount) <> 0
$$;

-- What the nostro covers, in minor units: its books, without money whose value date is to come, less
-- what was handed over, and less bookings that have left accounts; both until they are derived.
-- Items, cursors and sums are read at one instant, so nothing counts twice and nothing is missed.
create or replace function nostro_cover(of text) returns bigint
language sql stable security definer set search_path to public, pg_temp as $$
  select (n.opening_balance
    + coalesce((select t.amount from nostro_totals t
        where t.nostro = n.name and t.side = 'book' and t.currency = n.currency), 0)
    - coalesce((select sum(i.amount) from nostro_items i
        where i.nostro = n.name and i.match is null and i.amount > 0
          and i.value_on > (statement_timestamp() at time zone 'UTC')::date), 0)
    - coalesce((select sum(h.amount) from handed_over h where h.nostro = n.name), 0)
    - coalesce((select sum(p.amount) from books b
        left join account_cursors c on c.account_id = b.account_id
        cross join lateral (
          select j.codes, j.currencies, j.amounts from journals j
          where j.account_id = b.account_id and j.number > coalesce(c.number, 0)
            and j.kind in ('withdrawal', 'funding_reversal')
            and coalesce(j.metadata ->> 'nostro', n.name) = n.name) j
        cross join lateral unnest(string_to_array(j.codes, ' '), string_to_array(j.currencies, ' '),
          j.amounts) as p (code, currency, amount)
        where not b.sandbox and b.journal_count > coalesce(c.number, 0)
          and p.currency = n.currency and p.amount > 0 and p.code = 'funding'), 0)
    )::bigint
  from nostros n where n.name = of
$$;

insert into handed_over (nostro, amount)
select s.* from (
  select n.name, add_up_handed_over(n.name) as amount from nostros n
  where n.closed_at is null and n.settings @> '{"gate":true}') s
where s.amount <> 0;

revoke execute on function count_handed_over(counted_payout[]), add_up_handed_over(text),
  fold_handed_over(text) from public;
grant execute on function fold_handed_over(text) to corridor_service;
grant execute on function add_up_handed_over(text) to corridor_auditor;
grant select on handed_over, gated_rails to corridor_auditor;
