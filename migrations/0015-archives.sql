-- Events that were removed from the database after an archive had them
-- (docs/decisions/storage-of-events.md). The chain continues from the last cut. archived_seals has
-- the newest removed digest of each object.

-- One step of a removal: the rows of events up to this number are in an archive.
create table event_cuts (
  account_id text collate "C" not null,
  -- The number of the last removed event, the hash of its row, and its time.
  sequence bigint not null check (sequence > 0),
  hash bytea not null check (octet_length(hash) = 32),
  created_at timestamptz not null,
  -- How many rows the step removed.
  removed integer not null check (removed > 0),
  -- The digest of the step's rows of archived_seals, and the digest of the archive.
  seals bytea not null check (octet_length(seals) = 32),
  file bytea not null check (octet_length(file) = 32),
  removed_at timestamptz not null default clock_timestamp(),
  removed_by text not null check (removed_by <> ''),
  primary key (account_id, sequence)
);
create trigger append_only before update or delete or truncate on event_cuts
  for each statement execute function refuse_change();

-- For each object of the removed events, the digest of its row after the newest of these events.
create table archived_seals (
  account_id text collate "C" not null,
  -- The number of that newest event, and the number of the cut.
  number bigint not null,
  cut bigint not null check (cut >= number),
  object_id text collate "C" not null,
  content bytea not null check (octet_length(content) = 32),
  primary key (account_id, cut, object_id)
);
create trigger append_only before update or delete or truncate on archived_seals
  for each statement execute function refuse_change();

-- Removed events are older than event_days. Each endpoint has its deliveries of them, and none of
-- these is pending or dead. The newest row stays as the end of the chain.
create function check_cut() returns trigger language plpgsql as $$
begin
  if new.created_at > clock_timestamp() - (
    select make_interval(days => coalesce(event_days, 1000000)) from privacy_settings)
  then
    raise exception 'events are kept for longer than since %', new.created_at
      using errcode = 'restrict_violation', constraint = 'kept_as_long_as_set';
  end if;
  if not exists (
    select from events e where e.account_id = new.account_id and e.sequence = new.sequence
      and e.hash = new.hash and e.created_at = new.created_at
  ) or not exists (
    select from events e where e.account_id = new.account_id and e.sequence > new.sequence
  ) then
    raise exception 'no row of events that others follow ends with % so', new.sequence
      using errcode = 'restrict_violation', constraint = 'cut_at_a_row';
  end if;
  if exists (
    select from webhook_endpoints w where w.account_id = new.account_id
      and (w.fanned_out < new.sequence or exists (
        select from webhook_deliveries d where d.account_id = w.account_id
          and d.endpoint_id = w.id and d.status = 'pending' and d.event_sequence <= new.sequence
      ) or exists (
        select from webhook_deliveries d where d.account_id = w.account_id
          and d.endpoint_id = w.id and d.status = 'dead' and d.event_sequence <= new.sequence
      ))
  ) then
    raise exception 'events up to % are still to be delivered', new.sequence
      using errcode = 'restrict_violation', constraint = 'delivered_first';
  end if;
  return new;
end $$;
create trigger cut_after_all before insert on event_cuts
  for each row execute function check_cut();

-- A row of events is deleted only up to a cut, and only by a statement with corridor.archived = on.
create function guard_removal() returns trigger language plpgsql as $$
begin
  if coalesce(current_setting('corridor.archived', true), '') <> 'on' then
    raise exception 'events is append-only' using errcode = 'restrict_violation';
  end if;
  return null;
end $$;
create function guard_removed_row() returns trigger language plpgsql as $$
begin
  if not exists (
    select from event_cuts c where c.account_id = old.account_id and c.sequence >= old.sequence
  ) then
    raise exception 'event % is in no archive', old.sequence using errcode = 'restrict_violation';
  end if;
  return old;
end $$;
drop trigger append_only on events;
create trigger append_only before truncate on events
  for each statement execute function refuse_change();
create trigger removed_by_archives before delete on events
  for each statement execute function guard_removal();
create trigger removed_after_archive before delete on events
  for each row execute function guard_removed_row();

-- The service's role may not delete events. It calls this function of the owner, which deletes the
-- rows up to the last cut and returns their number.
create function remove_archived(owner_id text) returns integer
language plpgsql security definer set search_path to public, pg_temp as $$
declare
  removed integer;
  was text := coalesce(current_setting('corridor.maintenance', true), '');
begin
  perform set_config('corridor.archived', 'on', true), set_config('corridor.maintenance', 'on', true);
  delete from events e where e.account_id = owner_id and e.sequence <= (
    select max(c.sequence) from event_cuts c where c.account_id = owner_id);
  get diagnostics removed = row_count;
  perform set_config('corridor.archived', '', true), set_config('corridor.maintenance', was, true);
  return removed;
end $$;
revoke execute on function remove_archived(text) from public;
grant execute on function remove_archived(text) to corridor_service;

grant select, insert on event_cuts, archived_seals to corridor_service;
grant select on event_cuts, archived_seals to corridor_auditor;
select confine_to_accounts('event_cuts');
select confine_to_accounts('archived_seals');
