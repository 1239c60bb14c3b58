-- What the service's role could say of itself, and now triggers alone do: when a price was set, what
-- changed in reference tables, and how new prices are. They run as the owner of the tables.

-- When a row was made is told by the clock of the database, as the beginning of the transaction: a
-- price that begins "now" is of that transaction, and none can be set for any time before it.
create function stamp_policy() returns trigger language plpgsql as $$
begin
  new.created_at := now();
  return new;
end $$;
create trigger stamped before insert on pricing_policies
  for each row execute function stamp_policy();
revoke insert on pricing_policies from corridor_service;
grant insert (account_id, from_currency, to_currency, name, value, effective_from)
  on pricing_policies to corridor_service;

alter function keep_history() security definer set search_path to public, pg_temp;
alter function keep_digest() security definer set search_path to public, pg_temp;
alter function keep_batch() security definer set search_path to public, pg_temp;
alter function keep_policy_history() security definer set search_path to public, pg_temp;
alter function announce_reference_change() security definer set search_path to public, pg_temp;
alter function announce_price_change() security definer set search_path to public, pg_temp;
revoke insert on reference_changes from corridor_service;
revoke update (version, price_version, change_count, change_head) on reference_version
  from corridor_service;

-- A process that has seen a higher number would price by what it knows, and never read anew.
create function refuse_falling_version() returns trigger language plpgsql as $$
begin
  if (new.version, new.price_version, new.change_count)
    is distinct from (greatest(new.version, old.version),
      greatest(new.price_version, old.price_version), greatest(new.change_count, old.change_count))
  then
    raise exception 'versions of reference tables only rise' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger only_rises before update on reference_version
  for each row execute function refuse_falling_version();
