-- One reference of a bank funds one live account: a payment that is booked for the wrong account and
-- then for the right one would give its money out twice. That is asked across accounts, so it stands in
-- a table of no account's own, small and without row-level security, which the service's role neither
-- reads nor writes: triggers keep it.

-- Copies of a reference differ in case and white space. The letters are those of ASCII and the spaces
-- are listed, so that every server folds alike; `foldedReference` in src/funding/rules.ts is the same.
create function fold_reference(reference text) returns text
language sql immutable strict parallel safe as $$
  select upper(regexp_replace(reference collate "C",
    '[\u0009-\u000d\u0020\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]', '', 'g'))
$$;

create table funding_references (
  account_id text collate "C" not null references accounts,
  -- The balance transaction.
  id text collate "C" not null,
  -- Folded.
  reference text collate "C" not null,
  -- The operator has said that one payment is split over accounts.
  split boolean not null,
  reversed boolean not null default false,
  primary key (account_id, id)
);
create index funding_references_by_reference on funding_references (reference);
-- Two that are booked at the same moment wait for each other here.
create unique index one_live_account_a_reference on funding_references (reference)
  where not split and not reversed;
grant select on funding_references to corridor_auditor;

create function keep_funding_reference() returns trigger language plpgsql
security definer set search_path = public, pg_temp as $$
declare
  folded text := fold_reference(new.metadata ->> 'reference');
  is_split boolean := coalesce(new.metadata ->> 'split', '') = 'true';
begin
  if new.type = 'escrow_reversal' then
    update funding_references set reversed = true
    where account_id = new.account_id and id = new.source;
    return null;
  end if;
  if (select sandbox from accounts where account_id = new.account_id) then return null; end if;
  if not is_split and exists (select from funding_references
    where reference = folded and account_id <> new.account_id and not reversed)
  then
    raise exception 'reference % has funded another account', folded
      using errcode = 'unique_violation', constraint = 'one_live_account_a_reference';
  end if;
  -- The same account once, whether or not it was reversed. What was booked before this was kept may
  -- differ in case and spaces alone, which no index of it could take.
  if exists (select from funding_references
    where reference = folded and account_id = new.account_id)
  then
    raise exception 'reference % has funded account % before', folded, new.account_id
      using errcode = 'unique_violation', constraint = 'one_live_account_a_reference';
  end if;
  insert into funding_references (account_id, id, reference, split)
  values (new.account_id, new.id, folded, is_split);
  return null;
end $$;
-- Creating them keeps writers away until the rows of before are taken in.
create trigger funds_one_account after insert on balance_transactions for each row
  when (new.type = 'escrow' and new.metadata ->> 'reference' is not null)
  execute function keep_funding_reference();
create trigger funds_no_more after insert on balance_transactions for each row
  when (new.type = 'escrow_reversal') execute function keep_funding_reference();

-- Of what was booked twice before, the first counts as whole, so that nothing of it is refused.
insert into funding_references (account_id, id, reference, split, reversed)
select account_id, id, folded,
  row_number() over (partition by folded, reversed order by created_at, id) > 1, reversed
from (
  select t.account_id, t.id, t.created_at, fold_reference(t.metadata ->> 'reference') as folded,
    exists (select from balance_transactions r where r.account_id = t.account_id
      and r.source = t.id and r.type = 'escrow_reversal') as reversed
  from balance_transactions t join accounts a on a.account_id = t.account_id
  where t.type = 'escrow' and t.metadata ->> 'reference' is not null and not a.sandbox
) booked;

-- The other accounts that the asked references fund, one each, for the answer that names it. Until the
-- transaction ends, whoever else asks about one of them waits: no two decide at the same moment.
create function funded_elsewhere(account_ids text[], bank_references text[])
returns table (asked_id text, asked_reference text, account_id text, id text)
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(folded, 0)) from (
    select distinct fold_reference(asked) collate "C" as folded
    from unnest(bank_references) as r (asked) where asked <> '' order by 1) ordered;
  return query
    select distinct on (a.asked_id, a.asked_reference) a.asked_id, a.asked_reference,
      f.account_id, f.id
    from unnest(account_ids, bank_references) as a (asked_id, asked_reference)
    join accounts c on c.account_id = a.asked_id and not c.sandbox
    join funding_references f on f.reference = fold_reference(a.asked_reference)
      and f.account_id <> a.asked_id and not f.reversed
    order by a.asked_id, a.asked_reference, f.id;
end $$;
revoke execute on function funded_elsewhere(text[], text[]) from public;
grant execute on function funded_elsewhere(text[], text[]) to corridor_service;
