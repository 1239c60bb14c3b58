-- additive: the former version reads neither the sums of what is matched nor the indexes by day.
-- What is open on a nostro is its total less what is matched, and the oldest open row comes first in
-- an index: the table of nostros reads no open row, however many there are.

alter table nostro_totals drop constraint nostro_totals_side_check;
alter table nostro_totals add constraint nostro_totals_side_check
  check (side in ('bank', 'book', 'matched_lines', 'matched_items'));

-- Adds what got a match to the side that the trigger names, and subtracts what lost one. The
-- derivation never waits for it: it writes other rows of the totals.
create function move_matched_totals() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  insert into nostro_totals as t (nostro, side, currency, count, amount)
  select nostro, tg_argv[0], currency, sum(count), sum(amount) from (
    select nostro, currency, 1 as count, amount from after where match is not null
    union all
    select nostro, currency, -1, -amount from before where match is not null) moved
  group by nostro, currency having sum(count) <> 0 or sum(amount) <> 0
  order by nostro, currency
  on conflict (nostro, side, currency)
    do update set count = t.count + excluded.count, amount = t.amount + excluded.amount;
  return null;
end $$;
create trigger matched after update on bank_lines
  referencing old table as before new table as after
  for each statement execute function move_matched_totals('matched_lines');
create trigger matched after update on nostro_items
  referencing old table as before new table as after
  for each statement execute function move_matched_totals('matched_items');
insert into nostro_totals (nostro, side, currency, count, amount)
select nostro, 'matched_lines', currency, count(*), sum(amount) from bank_lines
where match is not null group by nostro, currency
union all
select nostro, 'matched_items', currency, count(*), sum(amount) from nostro_items
where match is not null group by nostro, currency;

create index open_lines_by_day on bank_lines (nostro, booked_on, id) where match is null;
create index open_items_by_day on nostro_items (nostro, value_on, id) include (amount)
  where match is null;
