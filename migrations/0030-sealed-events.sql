-- Events of an account are chained like its journals: each carries the hash of its content and of
-- the chained event before it, and the book holds the last hash and how many there are. `content`
-- is the digest of the stored row that the event tells of, as the event left it; `kept`, that of
-- the answer kept for the Idempotency-Key of the request that caused it. Older events have none of
-- the three: the chain begins with the first event that this version writes.
alter table events add column content bytea, add column kept bytea, add column hash bytea;
alter table events add constraint digests_of_events check (
  octet_length(hash) = 32 and coalesce(octet_length(content), 32) = 32
    and coalesce(octet_length(kept), 32) = 32
) not valid;

alter table books
  add column event_head bytea not null default decode(repeat('00', 32), 'hex')
    check (octet_length(event_head) = 32),
  add column sealed_events bigint not null default 0 check (sealed_events >= 0);
grant update (event_head, sealed_events) on books to corridor_service;

-- The keys under which a row of a file was paid, parted by a blank; '' for payouts that came
-- otherwise. With them the digest of a payout vouches for the rows of payout_imports.
alter table payouts add column import_keys text not null default '';

-- The history of reference rows is chained too: reference_version holds the head. Whoever writes
-- takes that row first, so that the numbers follow the chain.
alter table reference_changes add column hash bytea, alter column change_id drop identity;
alter table reference_version
  add column change_count bigint not null default 0,
  add column change_head bytea not null default decode(repeat('00', 32), 'hex');
grant update (change_count, change_head) on reference_version to corridor_service;

create function chain_change() returns trigger language plpgsql
set timezone to 'UTC' set datestyle to 'ISO' as $$
declare
  head bytea;
begin
  select change_head, change_count + 1 into head, new.change_id from reference_version for update;
  new.hash := sha256(head || convert_to(concat_ws(E'\n', new.change_id, to_json(new.table_name),
    to_json(new.changed_by), new.changed_at, coalesce(new.before::text, 'null'),
    coalesce(new.after::text, 'null')), 'UTF8'));
  update reference_version set change_head = new.hash, change_count = new.change_id;
  return new;
end $$;
create trigger chained before insert on reference_changes
  for each row execute function chain_change();

-- What is there already is numbered without gaps, and chained.
alter table reference_changes disable trigger append_only;
do $$
declare
  c reference_changes;
  head bytea := decode(repeat('00', 32), 'hex');
  n bigint := 0;
begin
  perform set_config('timezone', 'UTC', true), set_config('datestyle', 'ISO', true);
  for c in select * from reference_changes order by change_id loop
    n := n + 1;
    head := sha256(head || convert_to(concat_ws(E'\n', n, to_json(c.table_name),
      to_json(c.changed_by), c.changed_at, coalesce(c.before::text, 'null'),
      coalesce(c.after::text, 'null')), 'UTF8'));
    update reference_changes set change_id = n, hash = head where change_id = c.change_id;
  end loop;
  update reference_version set change_count = n, change_head = head;
end $$;
alter table reference_changes enable trigger append_only;

-- Of a secret the history has the hash of its hash: enough to vouch for it, and nothing to use.
create or replace function keep_history() returns trigger language plpgsql
set timezone to 'UTC' as $$
declare
  skipped text[] := array['secret_hash'] || coalesce(tg_argv, '{}');
  old_row jsonb := case when tg_op <> 'INSERT' then history_row(to_jsonb(old), skipped) end;
  new_row jsonb := case when tg_op <> 'DELETE' then history_row(to_jsonb(new), skipped) end;
begin
  if old_row is distinct from new_row then
    insert into reference_changes (table_name, changed_at, changed_by, before, after)
    values (tg_table_name, clock_timestamp(),
      coalesce(nullif(current_setting('corridor.operator', true), ''), session_user),
      old_row, new_row);
  end if;
  return null;
end $$;

create function history_row(stored jsonb, skipped text[]) returns jsonb
language sql immutable strict as $$
  select (stored - skipped) || case when stored ? 'secret_hash' then jsonb_build_object(
    'secret_digest', encode(sha256(convert_to(stored ->> 'secret_hash', 'UTF8')), 'hex'))
    else '{}' end
$$;

-- Of rows that belong to an account the same history has their digests alone: where webhooks go,
-- and what signs them, is for nobody else to read. The arguments name columns that do not count.
create function keep_digest() returns trigger language plpgsql set timezone to 'UTC' as $$
declare
  skipped text[] := coalesce(tg_argv, '{}');
  old_row jsonb := case when tg_op <> 'INSERT' then digest_row(to_jsonb(old), skipped) end;
  new_row jsonb := case when tg_op <> 'DELETE' then digest_row(to_jsonb(new), skipped) end;
begin
  if old_row is distinct from new_row then
    insert into reference_changes (table_name, changed_at, changed_by, before, after)
    values (tg_table_name, clock_timestamp(),
      coalesce(nullif(current_setting('corridor.operator', true), ''), session_user),
      old_row, new_row);
  end if;
  return null;
end $$;

create function digest_row(stored jsonb, skipped text[]) returns jsonb
language sql immutable strict as $$
  select jsonb_build_object('account_id', stored -> 'account_id', 'id', stored -> 'id',
    'digest', encode(sha256(convert_to((stored - skipped)::text, 'UTF8')), 'hex'))
$$;

create trigger history_of_inserts after insert or delete on webhook_endpoints
  for each row execute function keep_digest('fanned_out', 'delivery_count');
create trigger history after update of url, description, event_types, status, disabled_reason,
  secret, previous_secret, previous_secret_until, created_at, updated_at on webhook_endpoints
  for each row execute function keep_digest('fanned_out', 'delivery_count');
create trigger history after insert on payout_batches
  for each row execute function keep_digest();

-- What is there begins its history now.
do $$
declare
  name text;
  skipped text[];
begin
  perform set_config('timezone', 'UTC', true);
  for name, skipped in values ('rates', array['loaded_at']), ('fees', array['fee_id']),
    ('accounts', array[]::text[]), ('api_keys', array[]::text[]) loop
    execute format($rows$
      insert into reference_changes (table_name, changed_at, changed_by, before, after)
      select %1$L, clock_timestamp(), session_user, null,
        history_row(to_jsonb(t), array['secret_hash'] || %2$L::text[]) from %1$I t
    $rows$, name, skipped);
  end loop;
  for name, skipped in values ('webhook_endpoints', array['fanned_out', 'delivery_count']),
    ('payout_batches', array[]::text[]) loop
    execute format($rows$
      insert into reference_changes (table_name, changed_at, changed_by, before, after)
      select %1$L, clock_timestamp(), session_user, null, digest_row(to_jsonb(t), %2$L::text[])
      from %1$I t
    $rows$, name, skipped);
  end loop;
end $$;
