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

-- Whether an account has the money of the line, and no reversal has given it back.
create function line_is_credited(line bigint) returns boolean
language sql stable security definer set search_path to public, pg_temp as $$
  select exists (
    select from nostro_items i
    where i.instruction = 'line_' || line and i.match is null and i.kind = 'funding'
      and not exists (select from nostro_items r where r.account_id = i.account_id
        and r.number > i.number and r.kind = 'funding_reversal' and r.key = i.key
        and r.amount = -i.amount))
    -- A funding whose item is not derived yet.
    or exists (
    select from books b left join account_cursors c on c.account_id = b.account_id
    join journals j on j.account_id = b.account_id and j.number > coalesce(c.number, 0)
    where not b.sandbox and b.journal_count > coalesce(c.number, 0)
      and j.kind = 'funding' and j.source = 'esc_line' || line)
$$;
revoke execute on function line_is_credited(bigint) from public;
grant execute on function line_is_credited(bigint) to corridor_service, corridor_auditor;

create function check_return() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  if not exists (select from house_journals where number = new.house_number and kind = 'return')
  then
    return null;
  end if;
  if new.undone_at is null and exists (
    select from unnest(new.lines) as l (id) where line_is_credited(l.id))
  then
    raise exception 'match % returns money that an account has', new.id
      using errcode = 'check_violation', constraint = 'returned_or_credited';
  end if;
  if new.undone_at is not null and exists (
    select from house_journals h where h.kind = 'return' and h.undoes is null
      and h.reference = 'RTN' || lpad(new.id::text, 9, '0')
      and not exists (select from house_journals u where u.undoes = h.number))
  then
    raise exception 'match % is undone and its payment back stands', new.id
      using errcode = 'check_violation', constraint = 'undone_takes_back_its_return';
  end if;
  return null;
end $$;
create constraint trigger returned_or_credited after insert or update on matches
  deferrable initially deferred for each row when (new.house_number is not null)
  execute function check_return();
