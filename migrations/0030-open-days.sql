-- additive: the former version reads none of this, and triggers keep it true.
-- What is open on each nostro, summed by day: to count what is late reads no open item, however many
-- there are.

-- The open items of a nostro, '' for none, and of a value date are the sum of its rows. A statement
-- adds rows, so none waits for another; the matcher folds them into one a day.
create table open_days (
  id bigint generated always as identity primary key,
  nostro text collate "C" not null,
  currency text not null,
  day date not null,
  -- Whether the money leaves.
  is_out boolean not null,
  count bigint not null,
  amount numeric not null
);
create index open_days_by_nostro on open_days (nostro);
create trigger kept before update or truncate on open_days
  for each statement execute function refuse_change();

create function add_open_days() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  insert into open_days (nostro, currency, day, is_out, count, amount)
  select nostro, currency, value_on, amount < 0, count(*), sum(amount)
  from added where match is null group by nostro, currency, value_on, amount < 0;
  return null;
end $$;
create trigger counted_by_day after insert on nostro_items referencing new table as added
  for each statement execute function add_open_days();

create function move_open_days() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  insert into open_days (nostro, currency, day, is_out, count, amount)
  select nostro, currency, value_on, is_out, sum(count), sum(amount) from (
    select nostro, currency, value_on, amount < 0 as is_out, 1 as count, amount
    from after where match is null
    union all
    select nostro, currency, value_on, amount < 0, -1, -amount
    from before where match is null) moved
  group by nostro, currency, value_on, is_out having sum(count) <> 0 or sum(amount) <> 0;
  return null;
end $$;
create trigger moved_by_day after update on nostro_items
  referencing old table as before new table as after
  for each statement execute function move_open_days();

-- Makes one row of those of a nostro and day. One process folds at a time, and the others go on.
create function fold_open_days() returns void language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  if not pg_try_advisory_xact_lock(hashtextextended('corridor open_days', 0)) then
    return;
  end if;
  with folded as (
    delete from open_days where (nostro, currency, day, is_out) in (
      select nostro, currency, day, is_out from open_days group by 1, 2, 3, 4 having count(*) > 1)
    returning nostro, currency, day, is_out, count, amount)
  insert into open_days (nostro, currency, day, is_out, count, amount)
  select nostro, currency, day, is_out, sum(count), sum(amount) from folded group by 1, 2, 3, 4
  having sum(count) <> 0 or sum(amount) <> 0;
end $$;

insert into open_days (nostro, currency, day, is_out, count, amount)
select nostro, currency, value_on, amount < 0, count(*), sum(amount) from nostro_items
where match is null group by 1, 2, 3, 4;

revoke execute on function fold_open_days() from public;
grant execute on function fold_open_days() to corridor_service;
grant select on open_days to corridor_service, corridor_auditor;
