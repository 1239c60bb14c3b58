-- Erasure of personal data. A row that is erased stays, with its ids, times, amounts, country and state, and
-- says in its events and here that it was erased. Journals hold nobody's data, and nothing of them changes.

-- How long what was paid is kept, in years from the last payout; live accounts alone.
create table privacy_settings (
  only_row boolean primary key default true check (only_row),
  retention_years integer not null check (retention_years between 0 and 30),
  -- Who has set it, and why; '' of the default.
  set_by text not null,
  reason text not null,
  constraint set_by_a_person check (
    (set_by = '') = (reason = '') and (set_by <> '' or retention_years >= 5))
);
create trigger history after insert or update on privacy_settings
  for each row execute function keep_history();
insert into privacy_settings (retention_years, set_by, reason) values (5, '', '');
create trigger kept before delete or truncate on privacy_settings
  for each statement execute function refuse_change();
grant select, update (retention_years, set_by, reason) on privacy_settings to corridor_service;
grant select on privacy_settings to corridor_auditor;

-- Each row that an erasure has changed. The event of the erasure, `beneficiary.erased` or `entity.erased`,
-- carries the digest of its rows here, so that the chain of events vouches for them.
create table erasures (
  erased_at timestamptz not null,
  account_id text collate "C" not null,
  -- The beneficiary or the entity whose data it was.
  party_id text collate "C" not null check (party_id ~ '^(bnf|ent)_'),
  table_name text collate "C" not null,
  -- What names the row in its table.
  key text collate "C" not null,
  -- What vouched for the row before, and what vouches for it as it is now: of events and kept answers; null
  -- of rows whose newest event has their digest.
  was bytea,
  becomes bytea,
  erased_by text not null check (erased_by <> ''),
  reason text not null check (reason <> ''),
  primary key (account_id, table_name, key, party_id),
  constraint digests_of_erasures check (
    (was is null) = (becomes is null) and coalesce(octet_length(was), 32) = 32
      and coalesce(octet_length(becomes), 32) = 32)
);
create index erasures_by_party on erasures (account_id, party_id);
create trigger append_only before update or delete or truncate on erasures
  for each statement execute function refuse_change();
grant select, insert on erasures to corridor_service;
grant select on erasures to corridor_auditor;
select confine_to_accounts('erasures');

-- The erased forms, as src/privacy/erased.ts makes them. What has no name is erased: nobody can send one
-- without.
create function erased_beneficiary(details jsonb) returns jsonb
language sql immutable parallel safe as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'address', case when details #> '{address,country}' is not null
      then jsonb_build_object('country', details #> '{address,country}') end,
    'destination', details -> 'destination',
    'destination_details', jsonb_build_object('type', details #> '{destination_details,type}')
      || case details #>> '{destination_details,type}' when 'bank' then jsonb_build_object('bank',
        jsonb_strip_nulls(jsonb_build_object(
          'country', details #> '{destination_details,bank,country}',
          'currency', details #> '{destination_details,bank,currency}'))) else '{}' end,
    'name', '', 'status', 'erased', 'type', details -> 'type'))
$$;

create function erased_entity(details jsonb) returns jsonb
language sql immutable parallel safe as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'name', '', 'on_behalf_of', details -> 'on_behalf_of',
    'registration_address', case when details #> '{registration_address,country}' is not null
      then jsonb_build_object('country', details #> '{registration_address,country}') end))
$$;

create function erased_history(steps jsonb) returns jsonb
language sql immutable parallel safe as $$
  select jsonb_agg(step || '{"description":""}' order by nth)
  from jsonb_array_elements(steps) with ordinality as s (step, nth)
$$;

-- What an event says of its object: the first of its row, as all others tell what is always said.
create function erased_event(type text, data json) returns json
language sql immutable parallel safe as $$
  select ('[' || string_agg(case when nth > 1 or json_typeof(fact) <> 'object' then fact::text
      when type in ('beneficiary.updated', 'entity.updated') then '{"previous":{},"erased":true}'
      when type like 'entity.approval%' then format(
        '{"approval_status":%s,"previous_status":%s,"description":"","erased":true}',
        fact -> 'approval_status', fact -> 'previous_status')
      else fact::text end, ',' order by nth) || ']')::json
  from json_array_elements(data) with ordinality as d (fact, nth)
$$;

-- Personal data goes only to its erased form, of a row that erasures name, and does not come back.
create function is_erasure(changed text, old_row jsonb, new_row jsonb) returns boolean
language plpgsql as $$
begin
  return exists (
    select from erasures e where e.account_id = new_row ->> 'account_id' and e.table_name = changed
      and e.key = new_row ->> 'id');
end $$;

create function guard_beneficiary() returns trigger language plpgsql as $$
begin
  if new.details::jsonb <> erased_beneficiary(old.details::jsonb)
    or not is_erasure('beneficiaries', to_jsonb(old), to_jsonb(new))
  then
    raise exception 'beneficiary % changes only by an erasure', old.id
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger erased_once before update on beneficiaries
  for each row when ((old.details ->> 'name' = '' or new.details ->> 'name' = '')
    and old.details::text <> new.details::text)
  execute function guard_beneficiary();

create function guard_entity() returns trigger language plpgsql as $$
begin
  if new.details::jsonb <> erased_entity(old.details::jsonb)
    or new.approval_history::jsonb <> erased_history(old.approval_history::jsonb)
    or (new.approval_status, new.approval_status_description, new.on_behalf_of, new.reference_id)
      is distinct from (old.approval_status, '', old.on_behalf_of, '')
    or num_nonnulls(new.email_key, new.national_identification_key, new.name_address_key,
      new.registration_key) > 0
    or not is_erasure('entities', to_jsonb(old), to_jsonb(new))
  then
    raise exception 'entity % changes only by an erasure', old.id
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger erased_once before update on entities
  for each row when (old.details ->> 'name' = '' or new.details ->> 'name' = '')
  execute function guard_entity();

-- Of an event only what it says of somebody, and its hash stays.
create function guard_event() returns trigger language plpgsql as $$
begin
  if to_jsonb(new) - 'data' <> to_jsonb(old) - 'data'
    or new.data::text is distinct from erased_event(old.type, old.data)::text
    or not exists (
      select from erasures e where e.account_id = old.account_id and e.table_name = 'events'
        and e.key = old.sequence::text and e.was = old.hash)
  then
    raise exception 'events is append-only' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
drop trigger append_only on events;
create trigger append_only before delete or truncate on events
  for each statement execute function refuse_change();
create trigger erased_only before update on events
  for each row execute function guard_event();
grant update (data) on events to corridor_service;
