-- How accounts are priced besides rates and fees: one row is one value, for the installation, an
-- account, a pair of currencies, or a pair for an account, from an instant on. Rows are added and
-- never changed, so that the prices of any time past can be told; one that waits can be taken back.

create table pricing_policies (
  policy_id integer generated always as identity primary key,
  account_id text collate "C" references accounts,
  from_currency text,
  to_currency text,
  name text not null check (name in ('spread_bps', 'quote_validity_s', 'max_age_s', 'pivot')),
  -- Null: from then on the row says nothing, and the next scope decides.
  value text,
  effective_from timestamptz not null,
  created_at timestamptz not null,
  check ((from_currency is null) = (to_currency is null)),
  check (from_currency <> to_currency),
  constraint not_in_the_past check (effective_from >= created_at),
  constraint pivot_of_the_installation
    check (name <> 'pivot' or num_nonnulls(account_id, from_currency) = 0),
  constraint value_in_range check (value is null or case
    when name = 'pivot' then value ~ '^[A-Z]{3,4}$'
    when name = 'max_age_s' and value = 'calendar' then true
    when value !~ '^(0|[1-9][0-9]{0,7})$' then false
    when name = 'spread_bps' then value::integer <= 9999
    else value::integer between 1 and 31536000
  end)
);
create index pricing_policies_by_scope
  on pricing_policies (name, account_id, from_currency, to_currency, effective_from);

create function refuse_policy_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and old.effective_from > clock_timestamp() then
    return old;
  end if;
  raise exception 'a pricing policy in force is followed by another, and never changed'
    using errcode = 'restrict_violation';
end $$;
create trigger append_only before update or delete on pricing_policies
  for each row execute function refuse_policy_change();
create trigger not_truncated before truncate on pricing_policies
  for each statement execute function refuse_change();

-- Before is the row of the same scope that this one follows.
create function keep_policy_history() returns trigger language plpgsql as $$
declare
  followed jsonb;
begin
  select to_jsonb(p) into followed from pricing_policies p
  where p.name = new.name
    and p.account_id is not distinct from new.account_id
    and p.from_currency is not distinct from new.from_currency
    and p.to_currency is not distinct from new.to_currency
    and (p.effective_from, p.policy_id) < (new.effective_from, new.policy_id)
  order by p.effective_from desc, p.policy_id desc limit 1;
  insert into reference_changes (table_name, changed_at, changed_by, before, after)
  values (tg_table_name, clock_timestamp(),
    coalesce(nullif(current_setting('corridor.operator', true), ''), session_user),
    followed, to_jsonb(new));
  return null;
end $$;
create trigger history after insert on pricing_policies
  for each row execute function keep_policy_history();
create trigger taken_back after delete on pricing_policies
  for each row execute function keep_history();

-- What prices are made from has a number of its own. Whoever prices reads it under the locks of the
-- books, and prices by rows that are as new: all processes alike from the moment of the commit.
alter table reference_version add column price_version bigint not null default 0;

create function announce_price_change() returns trigger language plpgsql as $$
begin
  update reference_version set version = version + 1, price_version = price_version + 1;
  notify corridor_reference;
  return null;
end $$;

drop trigger announce on rates;
drop trigger announce on fees;
create trigger announce after insert or update or delete on rates
  for each statement execute function announce_price_change();
create trigger announce after insert or update or delete on fees
  for each statement execute function announce_price_change();
create trigger announce after insert or delete on pricing_policies
  for each statement execute function announce_price_change();

grant select, insert, delete on pricing_policies to corridor_service;
grant update (price_version) on reference_version to corridor_service;
grant select on pricing_policies to corridor_auditor;
