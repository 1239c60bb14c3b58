-- Erasure of personal data. An erased row stays, with its ids, times, amounts, country and state.
-- Its events and the table erasures record the erasure. Journals hold no personal data and never
-- change.

-- How many years the data of a party is kept after the last payout to or for it; for live accounts
-- only.
create table privacy_settings (
  only_row boolean primary key default true check (only_row),
  retention_years integer not null check (retention_years between 0 and 30),
  -- How many days events stay in the database. After that they may be removed, once an archive has
  -- them. Null: for ever. The least is 90, because rails may return payouts for some 60 days, and
  -- dead deliveries are kept for 30.
  event_days integer check (event_days between 90 and 36500),
  -- How many days the bytes of banks' files stay; null: for ever. At least as long as payments.
  inbox_days integer check (inbox_days <= 36500),
  constraint inbox_as_long_as_payments check (inbox_days >= retention_years * 366),
  -- Who made the setting, and why; '' for the default.
  set_by text not null,
  reason text not null,
  constraint set_by_a_person check ((set_by = '') = (reason = '')
    and (set_by <> '' or retention_years >= 5 and event_days is null and inbox_days is null))
);
create trigger history after insert or update on privacy_settings
  for each row execute function keep_history();
insert into privacy_settings (retention_years, set_by, reason) values (5, '', '');
create trigger kept before delete or truncate on privacy_settings
  for each statement execute function refuse_change();
grant select, update (retention_years, event_days, inbox_days, set_by, reason) on privacy_settings
  to corridor_service;
grant select on privacy_settings to corridor_auditor;

-- Each row that an erasure has changed. The event of the erasure, `beneficiary.erased` or
-- `entity.erased`, carries the digest of these rows, so that the chain of events proves them.
create table erasures (
  erased_at timestamptz not null,
  account_id text collate "C" not null,
  -- The beneficiary or the entity whose data it was.
  party_id text collate "C" not null check (party_id ~ '^(bnf|ent)_'),
  table_name text collate "C" not null,
  -- The key of the row in its table.
  key text collate "C" not null,
  -- The digests of the row before and after the erasure, for events and kept answers. Null for rows
  -- whose newest event carries their digest.
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

-- The erased forms, as src/privacy/erased.ts makes them. A row without a name is erased, because
-- every request needs a name. Data on which a price depends stay. So does the address of another
-- account of the installation, which is no personal data.
create function erased_beneficiary(details jsonb) returns jsonb
language sql immutable parallel safe as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'address', case when details #> '{address,country}' is not null
      then jsonb_build_object('country', details #> '{address,country}') end,
    'destination', details -> 'destination',
    'destination_details', jsonb_build_object('type', details #> '{destination_details,type}',
      'bank', case when details #>> '{destination_details,type}' = 'bank' then jsonb_build_object(
        'country', details #> '{destination_details,bank,country}',
        'currency', details #> '{destination_details,bank,currency}') end,
      'wallet', case when details #>> '{destination_details,type}' = 'wallet' then
        jsonb_build_object('deposit_address', '',
          'type', details #> '{destination_details,wallet,type}',
          'currency', details #> '{destination_details,wallet,currency}') end,
      'local_payment_network', case
        when details #>> '{destination_details,type}' = 'local_payment_network' then
        jsonb_build_object('type', details #> '{destination_details,local_payment_network,type}') end,
      'service_account', details #> '{destination_details,service_account}'),
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

-- The state of a payout without the texts of its rail, of people and of its account.
create function erased_state(state jsonb) returns jsonb
language sql immutable parallel safe as $$
  select state - 'status_description' || case jsonb_typeof(state -> 'failure')
    when 'object' then jsonb_build_object('failure', state -> 'failure' || '{"message":""}')
    else '{}' end
$$;

-- The data of a payout's event without these texts.
create function erased_step(fact jsonb) returns jsonb
language sql immutable parallel safe as $$
  select erased_state(fact) - 'reason' - 'was_metadata' || '{"erased":true}' || case
    when fact ? 'was' then jsonb_build_object('was', erased_state(fact -> 'was')) else '{}' end
$$;

-- The data of a row of events after an erasure. Only the first event of a row can have personal
-- data: the others have the usual data.
create function erased_event(type text, object_id text, data json) returns json
language sql immutable parallel safe as $$
  select ('[' || string_agg(case when nth > 1 or json_typeof(fact) <> 'object' then fact::text
      when type = 'beneficiary.updated' then format('{"updated_at":%s,"erased":true}',
        fact -> 'updated_at')
      when type = 'entity.updated' then format('{"steps":%s,"erased":true}', fact -> 'steps')
      when type like 'entity.approval%' then format('{"approval_status":%s,"previous_status":%s,'
          '"description":"","was":%s,"steps":%s,"erased":true}',
        fact -> 'approval_status', fact -> 'previous_status', fact -> 'was', fact -> 'steps')
      when object_id like 'pot\_%' and type <> 'payout.erased' then erased_step(fact::jsonb)::text
      else fact::text end, ',' order by nth) || ']')::json
  from json_array_elements(data) with ordinality as d (fact, nth)
$$;

create function is_erasure(owner_id text, changed text, named text) returns boolean
language sql stable as $$
  select exists (
    select from erasures e
    where e.account_id = owner_id and e.table_name = changed and e.key = named)
$$;

-- A row is erased only to its erased form and only if `erasures` names it. An erased row stays
-- erased.
create function guard_beneficiary() returns trigger language plpgsql as $$
begin
  if new.details::jsonb <> erased_beneficiary(old.details::jsonb)
    or not is_erasure(old.account_id, 'beneficiaries', old.id)
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
    or not is_erasure(old.account_id, 'entities', old.id)
  then
    raise exception 'entity % changes only by an erasure', old.id
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger erased_once before update on entities
  for each row when (old.details ->> 'name' = '' or new.details ->> 'name' = '')
  execute function guard_entity();

-- An erasure changes only the data of events. The hash of the row stays.
create function guard_event() returns trigger language plpgsql as $$
begin
  if to_jsonb(new) - 'data' <> to_jsonb(old) - 'data'
    or new.data::text is distinct from erased_event(old.type, old.object_id, old.data)::text
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

-- An erased payout keeps its amounts, times, ids and states, and the reference by which its account
-- knows it.
create function guard_payout() returns trigger language plpgsql as $$
begin
  if to_jsonb(new) - array['beneficiary_details', 'particulars', 'mt103']
      <> to_jsonb(old) - array['beneficiary_details', 'particulars', 'mt103']
    or new.beneficiary_details::jsonb <> erased_beneficiary(old.beneficiary_details::jsonb)
    or new.particulars::text <> '{}' or new.mt103 <> ''
    or not is_erasure(old.account_id, 'payouts', old.id)
  then
    raise exception 'payouts is append-only' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
drop trigger append_only on payouts;
create trigger append_only before delete or truncate on payouts
  for each statement execute function refuse_change();
create trigger erased_only before update on payouts
  for each row execute function guard_payout();
grant update (beneficiary_details, particulars, mt103) on payouts to corridor_service;

create function guard_outcome() returns trigger language plpgsql as $$
begin
  if to_jsonb(new) - array['status_description', 'failure', 'answers', 'metadata']
      <> to_jsonb(old) - array['status_description', 'failure', 'answers', 'metadata']
    or new.metadata is not null or new.status_description <> '' or new.answers::text <> '[]'
    or new.failure::jsonb is distinct from old.failure::jsonb || '{"message":""}'
    or not is_erasure(old.account_id, 'payouts', old.id)
  then
    raise exception 'the answers of payout % are only erased', old.id
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger erased_only before update of answers on payout_outcomes
  for each row when (old.answers::text <> new.answers::text) execute function guard_outcome();
grant update (answers) on payout_outcomes to corridor_service;

-- Rows of a payout from its rail, its approval and its screening, and rows of a party from its
-- screening. An erasure changes only the columns in the argument of the trigger, to the values
-- there, and the message in `not_taken`. The table erasures must name the payout or the party.
create function guard_erased() returns trigger language plpgsql as $$
declare
  form jsonb := to_jsonb(old) || tg_argv[0]::jsonb;
  object text := coalesce(form ->> 'payout_id', form ->> 'object_id');
  erased text := case left(object, 4) when 'ent_' then 'entities' when 'bnf_' then 'beneficiaries'
    else 'payouts' end;
begin
  if jsonb_typeof(form -> 'not_taken') = 'object' then
    form := jsonb_set(form, '{not_taken,message}', '""');
  end if;
  if to_jsonb(new) <> form
    or not is_erasure(old.account_id, erased, object)
  then
    raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

drop trigger append_only on rail_evidence;
create trigger append_only before delete or truncate on rail_evidence
  for each statement execute function refuse_change();
create trigger erased_only before update on rail_evidence
  for each row execute function guard_erased('{"message":"","detail":{}}');
grant update (message, detail) on rail_evidence to corridor_service;

drop trigger append_only on rail_item_evidence;
create trigger append_only before delete or truncate on rail_item_evidence
  for each statement execute function refuse_change();
create trigger erased_only before update on rail_item_evidence
  for each row execute function guard_erased('{"text":""}');
grant update (text) on rail_item_evidence to corridor_service;

drop trigger closed_once on rail_exceptions;
create trigger closed_once before update on rail_exceptions
  for each row when (old.closed_at is not null and new.note <> 'erased')
  execute function refuse_exception_change();
-- What a bank said about a payee never changes.
create trigger said_once before update of notice on rail_exceptions
  for each row when (old.notice::text is distinct from new.notice::text and new.note <> 'erased')
  execute function refuse_change();
create trigger erased_only before update on rail_exceptions
  for each row when (new.note = 'erased' and old.closed_at is not null)
  execute function guard_erased('{"message":"erased","note":"erased","notice":null}');
grant update (message, notice) on rail_exceptions to corridor_service;

create trigger erased_only before update of not_taken on payout_attempts
  for each row when (old.not_taken is not null and old.not_taken::text <> new.not_taken::text)
  execute function guard_erased('{}');

drop trigger legal_change on rail_items;
create trigger legal_change before update on rail_items
  for each row when (new.payment::text <> '{}' or old.payment::text = '{}')
  execute function check_item_change();
create trigger erased_only before update on rail_items
  for each row when (new.payment::text = '{}' and old.payment::text <> '{}')
  execute function guard_erased('{"payment":{}}');
grant update (payment) on rail_items to corridor_service;

create trigger erased_only before update on screening_matches
  for each row when (decode(repeat('00', 32), 'hex') in (new.party_hash, old.party_hash))
  execute function guard_erased('{"pieces":[],"listed_name":"","reason":"erased","party_hash":
    "\\x0000000000000000000000000000000000000000000000000000000000000000"}');

-- A file for a bank has many payees. Its bytes are deleted when the file is older than the
-- retention. Its digest stays.
create function guard_file_bytes() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  if octet_length(new.bytes) > 0 or new.envelope is not null
    or to_jsonb(new) - array['bytes', 'envelope'] <> to_jsonb(old) - array['bytes', 'envelope']
    or old.state not in ('sent', 'acknowledged', 'rejected', 'withdrawn')
    or old.sealed_at > clock_timestamp()
      - make_interval(years => (select retention_years from privacy_settings))
  then
    raise exception 'file % stays as it was sealed, as long as payments are kept', old.msg_id
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
alter table rail_files drop constraint sha256_of_the_bytes,
  add constraint sha256_of_the_bytes check (sha256 = sha256(bytes) or bytes = '');
drop trigger legal_step on rail_files;
create trigger legal_step before update on rail_files
  for each row when (octet_length(old.bytes) = octet_length(new.bytes))
  execute function check_file_step();
create trigger erased_only before update on rail_files
  for each row when (octet_length(old.bytes) <> octet_length(new.bytes))
  execute function guard_file_bytes();
-- The service's role may not change the bytes. It calls this function of the owner.
create function erase_files(msg_ids text[]) returns void
language sql security definer set search_path to public, pg_temp as $$
  update rail_files set bytes = '', envelope = null where msg_id = any (msg_ids)
$$;
revoke execute on function erase_files(text[]) from public;
grant execute on function erase_files(text[]) to corridor_service;

-- The bytes of a bank's file are deleted likewise, once the file is read, or closed by a person,
-- and none of its lines is open: by its age, or with the erasure of a party whose payment it names.
-- Its hash, its name, its size and its evidence about each payment stay.
create function guard_sweep() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  if old.received_at > clock_timestamp()
      - make_interval(years => (select retention_years from privacy_settings))
    or exists (select from rail_inbox_lines l where l.sha256 = old.sha256 and l.closed_by = '')
  then
    raise exception 'file % of a bank stays, as long as payments are kept and lines of it are open',
      old.name using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger swept_when_old before update on rail_inbox
  for each row when (new.swept_at is not null and old.swept_at is null)
  execute function guard_sweep();
create function guard_swept_bytes() returns trigger language plpgsql as $$
begin
  if not exists (select from rail_inbox f where f.sha256 = old.sha256 and f.swept_at is not null) then
    raise exception 'rail_inbox_bytes is append-only' using errcode = 'restrict_violation';
  end if;
  return old;
end $$;
drop trigger append_only on rail_inbox_bytes;
create trigger append_only before update or truncate on rail_inbox_bytes
  for each statement execute function refuse_change();
create trigger swept_first before delete on rail_inbox_bytes
  for each row execute function guard_swept_bytes();
-- Deletes the bytes of these files, or, with null, of all files older than inbox_days, the oldest
-- first, at most `most`. Returns the number of files.
create function sweep_inbox(files text[], most integer) returns integer
language plpgsql security definer set search_path to public, pg_temp as $$
declare
  swept bytea[];
begin
  select array_agg(sha256) into swept from (
    select f.sha256 from rail_inbox f cross join privacy_settings s
    where f.kept and (f.state = 'read' or f.closed_by <> '')
      and case when files is null
        then f.received_at <= clock_timestamp() - make_interval(days => s.inbox_days)
        else encode(f.sha256, 'hex') = any (files) end
      and f.received_at <= clock_timestamp() - make_interval(years => s.retention_years)
      and not exists (
        select from rail_inbox_lines l where l.sha256 = f.sha256 and l.closed_by = '')
    order by f.received_at limit most for update of f skip locked
  ) old;
  update rail_inbox set kept = false, swept_at = clock_timestamp() where sha256 = any (swept);
  delete from rail_inbox_bytes where sha256 = any (swept);
  return coalesce(cardinality(swept), 0);
end $$;
revoke execute on function sweep_inbox(text[], integer) from public;
grant execute on function sweep_inbox(text[], integer) to corridor_service;

-- The answers of webhook receivers, and the lines of banks' files that were not applied, change
-- only to their erased form.
create function guard_words() returns trigger language plpgsql as $$
begin
  raise exception 'words of % are only erased', tg_table_name using errcode = 'restrict_violation';
end $$;
create trigger erased_only before update of answer on webhook_attempts
  for each row when (new.answer <> '') execute function guard_words();
grant update (answer) on webhook_attempts to corridor_service;
create trigger erased_only before update of said, reason on rail_inbox_lines
  for each row when (new.said::text <> '{}' or new.reason <> 'erased') execute function guard_words();
grant update (said, reason) on rail_inbox_lines to corridor_service;
-- An erasure deletes the digests of payees. A payee that is paid again is new to limits and to
-- approval rules.
drop trigger ends_once on payout_approvals;
create trigger ends_once before update on payout_approvals
  for each row when (new.payee <> '' or old.payee = '') execute function check_ends_once();
drop trigger enough_approvers on payout_approvals;
create trigger enough_approvers before update on payout_approvals
  for each row when (new.payee <> '' or old.payee = '') execute function check_approval_end();
create trigger erased_only before update on payout_approvals
  for each row when (new.payee = '' and old.payee <> '') execute function guard_erased('{"payee":""}');
grant update (payee) on payout_approvals to corridor_service;
create function guard_payee() returns trigger language plpgsql as $$
begin
  if not is_erasure(old.account_id, 'payouts', old.payout_id) then
    raise exception 'approved_payees is append-only' using errcode = 'restrict_violation';
  end if;
  return old;
end $$;
drop trigger append_only on approved_payees;
create trigger append_only before update or truncate on approved_payees
  for each statement execute function refuse_change();
create trigger erased_only before delete on approved_payees
  for each row execute function guard_payee();
grant delete on approved_payees to corridor_service;
grant delete on limit_payees to corridor_service;
