-- additive: the former version knows no lines of banks, and runs on.
-- Whose the money of a bank's line is: it funds an account only while it is open, and a large one
-- only as another person has proposed.

-- A person's name as it is compared. Where no users exist, people write their names themselves.
create function fold_person(name text) returns text language sql immutable strict as $$
  select lower(fold_reference(name))
$$;

-- Whether the newest proposal for the money of the line is this, and of another person. One that an
-- undone match has used does not count.
create function is_proposed(of_line bigint, wanted text, person text) returns boolean
language sql stable as $$
  select coalesce((
    select c.proposes = wanted and fold_person(c.by) <> fold_person(person) from case_notes c
    where c.of = 'line' and c.row_id = of_line and c.proposes <> '' and c.at > coalesce((
      select max(m.at) from bank_lines l join matches m on m.nostro = l.nostro
      where l.id = of_line and m.undone_at is not null and l.id = any (m.lines)), '-infinity')
    order by c.id desc limit 1), false)
$$;

-- Whether a journal that is not derived yet makes an item with an id of the line: a funding, or a
-- payout that came back.
create function has_item_to_come(of_line bigint) returns boolean
language sql stable security definer set search_path to public, pg_temp as $$
  select exists (
    select from bank_lines l
    cross join lateral (
      select array_remove(array[l.end_to_end_id, l.bank_reference, l.instruction], '') as raw) k
    join books b on not b.sandbox
    left join account_cursors c on c.account_id = b.account_id
    join journals j on j.account_id = b.account_id and j.number > coalesce(c.number, 0)
      and j.kind in ('funding', 'reversal')
    left join payout_outcomes o on j.kind = 'reversal' and o.account_id = j.account_id
      and o.id = j.source
    left join payout_attempts a on a.account_id = o.account_id and a.payout_id = o.id
      and a.ended_as = 'returned'
    left join rail_items i on i.account_id = a.account_id and i.payout_id = a.payout_id
      and i.attempt = a.number
    where l.id = of_line and b.journal_count > coalesce(c.number, 0)
      and (fold_reference(case j.kind when 'funding' then j.metadata ->> 'reference'
            else coalesce(i.end_to_end_id, o.rail_reference) end)
          = any (select fold_reference(key) from unnest(k.raw) key)
        or i.instruction_id = any (k.raw) or a.uetr = l.uetr))
$$;

-- What accounts have of the line, in minor units: its fundings less those that were reversed,
-- derived or not. A reversal has the source of its funding.
create function credited_of_line(of_line bigint) returns bigint
language sql stable security definer set search_path to public, pg_temp as $$
  select coalesce(sum(j.amount), 0)::bigint
  from journals j join books b on b.account_id = j.account_id and not b.sandbox
  where j.kind in ('funding', 'funding_reversal') and j.source like 'esc\_line%'
    and j.source = 'esc_line' || of_line
$$;

-- The first credit with the reference that is matched without an item of an account: it went back
-- to its payer, or it is the house's. Null for none.
create index matched_credits_by_key on bank_lines using gin ((array_remove(array[
    fold_reference(end_to_end_id), fold_reference(bank_reference), fold_reference(instruction)], '')))
  where match is not null and amount > 0;
create function spent_line(reference text, of_currency text) returns bigint
language sql stable security definer set search_path to public, pg_temp as $$
  select min(l.id) from bank_lines l
  where l.match is not null and l.amount > 0 and l.currency = of_currency
    and array_remove(array[fold_reference(l.end_to_end_id), fold_reference(l.bank_reference),
      fold_reference(l.instruction)], '') @> array[fold_reference(reference)]
    and not exists (select from nostro_items i where i.match = l.match and i.kind <> 'house')
$$;

-- Who funds an account by a reference, and who sends back or books a line with it, wait for each
-- other until the end of the transaction.
create function take_turn_of_reference(reference text) returns void language sql volatile as $$
  select pg_advisory_xact_lock(
    hashtextextended('corridor reference ' || fold_reference(reference), 0))
$$;

-- A funding of a line is of an open credit on an account for clients, and all of its fundings are no
-- more than it. From the limit of its nostro on, another person has proposed it, or a funding key
-- from before the line credits it. Without a line nobody books so much where two people decide, as it
-- would then match the line by itself; and nobody books what has the reference of spent money.
create function check_funding(j journals) returns void language plpgsql
security definer set search_path to public, pg_temp as $$
declare
  of_line bigint := substring(j.source from '^esc_line([1-9][0-9]{0,17})$')::bigint;
  line bank_lines;
  nostro nostros;
begin
  if (select sandbox from accounts where account_id = j.account_id) then
    return;
  end if;
  if j.source !~ '^esc_line[0-9]+$' then
    if exists (
      select from nostros n where n.closed_at is null and n.currency = j.currency
        and j.amount >= (n.settings ->> 'two_people_from')::bigint
        and n.name = coalesce(j.metadata ->> 'nostro', n.name)
        and (n.purpose = 'client' or j.metadata ->> 'nostro' is not null))
    then
      raise exception 'a funding of % % without a line needs two people', j.currency, j.amount
        using errcode = 'check_violation', constraint = 'large_funding_has_a_line';
    end if;
    perform take_turn_of_reference(j.metadata ->> 'reference');
    of_line := spent_line(j.metadata ->> 'reference', j.currency);
    if of_line is not null then
      raise exception 'the money of line % is no account''s', of_line
        using errcode = 'check_violation', constraint = 'funded_by_unspent_money';
    end if;
    return;
  end if;
  -- Whoever matches the line meanwhile, or credits another part of it, waits, or this does.
  select * into line from bank_lines where id = of_line for no key update;
  select * into nostro from nostros where name = line.nostro;
  if line.id is null or line.match is not null or line.currency <> j.currency
    or line.amount < credited_of_line(of_line)
    or nostro.purpose <> 'client' or nostro.closed_at is not null
    or nostro.name <> coalesce(j.metadata ->> 'nostro', nostro.name)
  then
    raise exception '% is no open credit of % %', j.source, j.currency, j.amount
      using errcode = 'check_violation', constraint = 'funded_by_an_open_line';
  end if;
  if line.amount >= (nostro.settings ->> 'two_people_from')::bigint
    and not is_proposed(of_line, j.account_id, coalesce(j.metadata ->> 'by', ''))
    and not exists (
      select from funding_keys k join bank_statements s on s.id = line.statement
      join statement_files f using (sha256)
      where k.account_id = j.account_id and k.nostro = line.nostro and k.made_at < f.received_at
        and j.metadata ->> 'by' = 'corridor')
  then
    raise exception 'line % is credited to % by one person', of_line, j.account_id
      using errcode = 'check_violation', constraint = 'large_credit_by_two';
  end if;
end $$;
create or replace function keep_funding_reference() returns trigger language plpgsql
security definer set search_path = public, pg_temp as $$
begin
  if new.kind = 'funding_reversal' then
    perform release_reference(new.account_id, new.undoes);
    return null;
  end if;
  perform check_funding(new);
  if new.metadata ->> 'reference' is not null then
    perform keep_reference(new.account_id,
      numbered_id('btr', new.account_id, new.created_at, new.number),
      new.metadata ->> 'reference', coalesce(new.metadata ->> 'split', '') = 'true');
  end if;
  return null;
end $$;
drop trigger funds_one_account on journals;
create trigger funds_one_account after insert on journals for each row
  when (new.kind = 'funding') execute function keep_funding_reference();

revoke execute on function
  has_item_to_come(bigint), credited_of_line(bigint), spent_line(text, text),
  check_funding(journals) from public;
grant execute on function
  has_item_to_come(bigint), credited_of_line(bigint), spent_line(text, text)
  to corridor_service, corridor_auditor;
