-- additive: the former version makes no journal of the new kind, and reads one as any other.
-- Money in suspense that goes back to its payer. One journal of the house takes the line out of
-- suspense, and another one expects the bank's debit. What is owed meanwhile is on `returns`.

alter table house_journals drop constraint known_codes;
alter table house_journals add constraint known_codes check (string_to_array(codes, ' ')
  <@ array['bank', 'costs', 'interest', 'own_funds', 'fx', 'write_offs', 'returns']);
alter table house_journals drop constraint house_journals_kind_check;
alter table house_journals add constraint house_journals_kind_check
  check (kind in ('cost', 'interest', 'transfer', 'deal', 'own_funds', 'topup', 'write_off',
    'correction', 'return'));
-- The payment back names the match of its line, which has one.
create unique index return_once on house_journals (reference)
  where kind = 'return' and reference <> '' and undoes is null;

-- The fundings of lines that stand, of which no match has the item: an account has the money of such
-- a line, and keeps it. A funding that is not derived yet has no item.
create function credited_lines(lines bigint[]) returns table (line bigint, item bigint)
language sql stable security definer set search_path to public, pg_temp as $$
  with underived as materialized (
    select j.source from books b left join account_cursors c on c.account_id = b.account_id
    join journals j on j.account_id = b.account_id and j.number > coalesce(c.number, 0)
    where not b.sandbox and b.journal_count > coalesce(c.number, 0)
      and j.kind = 'funding' and j.source like 'esc\_line%')
  select l.id, i.id from unnest(lines) as l (id)
  join nostro_items i on i.instruction = 'line_' || l.id and i.match is null and i.kind = 'funding'
    and i.instruction <> ''
  where not exists (select from nostro_items r where r.account_id = i.account_id
    and r.number > i.number and r.kind = 'funding_reversal' and r.key = i.key
    and r.amount = -i.amount)
  union all
  select l.id, null from unnest(lines) as l (id)
  join underived u on u.source = 'esc_line' || l.id
$$;
revoke execute on function credited_lines(bigint[]) from public;
grant execute on function credited_lines(bigint[]) to corridor_service, corridor_auditor;

-- A line whose money an account has matches with its funding, and with nothing else.
create function check_credited() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
declare
  wrong bigint;
begin
  select min(c.line) into wrong from credited_lines(array(
    select unnest(m.lines) from added m where m.undone_at is null)) c;
  if wrong is not null then
    raise exception 'line % is credited to an account, and its match has no item of that', wrong
      using errcode = 'check_violation', constraint = 'matched_or_credited';
  end if;
  return null;
end $$;
create trigger matched_or_credited after insert on matches referencing new table as added
  for each statement execute function check_credited();

create function check_return() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  if exists (
    select from house_journals h where h.kind = 'return' and h.undoes is null
      and h.reference = 'RTN' || lpad(new.id::text, 9, '0')
      and not exists (select from house_journals u where u.undoes = h.number))
  then
    raise exception 'match % is undone and its payment back stands', new.id
      using errcode = 'check_violation', constraint = 'undone_takes_back_its_return';
  end if;
  return null;
end $$;
create constraint trigger undone_takes_back_its_return after update on matches
  deferrable initially deferred for each row
  when (new.house_number is not null and new.undone_at is not null)
  execute function check_return();
