-- The roles under which Corridor works, and what other migrations build on: functions of triggers,
-- the version of the reference data, and the audit log.

-- The roles have no log-in: a session takes one on when it connects
-- (docs/decisions/row-level-security-and-seals.md). Roles belong to the whole server,
-- so the migrations of another database may have created them.
do $$
declare
  name text;
begin
  foreach name in array array[
    -- The service runs as this role. It adds to the books and cannot rewrite them.
    'corridor_service',
    -- Finds due work of all accounts. It reads columns such as ids, times and states, and changes
    -- nothing.
    'corridor_finder',
    -- Reads every table, without the hashes of passwords, and changes nothing: for the operator's
    -- lists and `corridor verify`.
    'corridor_auditor'
  ] loop
    begin
      execute format('create role %I nologin', name);
    exception when duplicate_object or unique_violation then null;
    end;
    begin
      execute format('grant %I to %I', name, current_user);
    exception when others then null; -- a superuser needs no grant, and a second migrator may race
    end;
  end loop;
end $$;

-- Rules of one column that tables share, or whose table gets rows with each payout. PostgreSQL reads
-- the rule of a domain once in a session, and each CHECK of a table anew at each statement that writes to
-- the table (docs/decisions/constraints.md).
create domain positive as bigint check (value > 0);
create domain not_negative as bigint check (value >= 0);
create domain count_of as integer check (value >= 0);
create domain positive_rate as numeric check (value > 0);
-- Who made a row: key_…, an account's key; user:ada, a person of the account; operator:ada, a person
-- who runs the installation.
create domain maker as text collate "C"
  constraint made_by_somebody check (value ~ '^(key_|user:|operator:).');
create domain digest as bytea check (octet_length(value) = 32);
create domain account_state as text
  constraint known_state check (value in ('active', 'frozen', 'closed'));

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $$;

-- Fails as contention when a statement wrote fewer rows than it should: another transaction has
-- locked a row, or has changed it since this transaction read it. The service then runs the
-- transaction again, with its reads.
create function require_all_written(written bigint, wanted bigint) returns void
language plpgsql as $$
begin
  if written <> wanted then
    raise exception '% of % rows were written', written, wanted using errcode = 'serialization_failure';
  end if;
end $$;

-- Reference tables are small, and each process holds them in memory. NOTIFY reports a change. A
-- process also polls `version` twice a second, so that a lost notification delays the revocation of
-- a key by half a second at most.
-- `price_version` counts the changes of rates, fees, pricing policies, limits and approval rules. A
-- transaction that prices reads it under the locks of the books, and uses rows of that version or a
-- newer one. So all processes price alike from the commit of a change.
create table reference_version (
  only_row boolean primary key default true check (only_row),
  version bigint not null default 0,
  price_version bigint not null default 0,
  -- Counts imports of sanctions lists, and changes of which lists must be current.
  lists_version bigint not null default 0,
  -- The head of audit_log: the number of its last row, and the hash of that row.
  change_count bigint not null default 0,
  change_head bytea not null default decode(repeat('00', 32), 'hex')
);
insert into reference_version default values;

-- A process that has read a higher number would keep its old prices and never read them again.
create function refuse_falling_version() returns trigger language plpgsql as $$
begin
  if (new.version, new.price_version, new.lists_version, new.change_count)
    is distinct from (greatest(new.version, old.version),
      greatest(new.price_version, old.price_version),
      greatest(new.lists_version, old.lists_version), greatest(new.change_count, old.change_count))
  then
    raise exception 'versions of reference tables only rise' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger only_rises before update on reference_version
  for each row execute function refuse_falling_version();

-- Triggers that write reference_version and audit_log run as the owner of the tables. The service's
-- role can write neither table itself.
create function announce_reference_change() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  update reference_version set version = version + 1;
  notify corridor_reference;
  return null;
end $$;

create function announce_price_change() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  update reference_version set version = version + 1, price_version = price_version + 1;
  notify corridor_reference;
  return null;
end $$;

-- The history: each change with its author, the row before and the row after. Triggers write it for
-- reference data and for files of banks, and, as digests, for webhook endpoints.
-- So no command and no statement by hand bypasses it. record_act writes it for an operator's acts
-- on rows of accounts, in the transaction of the act.
create table audit_log (
  -- Numbered without gaps.
  change_id bigint primary key,
  table_name text not null,
  changed_at timestamptz not null,
  -- The operator whom the command names, else the database user.
  changed_by text not null,
  -- The command, such as `payout transition`, and where it ran; '' for a statement by hand.
  act text not null,
  via text not null,
  -- What the author did not choose: of a command the user, host and terminal of the operating
  -- system, of a request the key; '{}' for neither. Every value is text.
  origin jsonb not null default '{}'
    constraint origin_is_bounded check (jsonb_typeof(origin) = 'object'
      and octet_length(origin::text) <= 4096),
  -- The reason, in the author's words; '' for none, or if the changed row has it.
  reason text not null default '',
  -- Null: there was no row.
  before jsonb,
  -- Null: there is no row any more.
  after jsonb,
  -- SHA-256 over the hash of the previous change and this row's content.
  hash bytea not null,
  check (before is not null or after is not null)
);
create index audit_log_by_table on audit_log (table_name, change_id);
create trigger append_only before update or delete or truncate on audit_log
  for each statement execute function refuse_change();

-- Locks the row of reference_version first, so that changes are numbered in the order of the chain.
create function chain_change() returns trigger language plpgsql
set timezone to 'UTC' set datestyle to 'ISO' as $$
declare
  head bytea;
begin
  new.act := coalesce(current_setting('corridor.act', true), '');
  new.via := coalesce(current_setting('corridor.via', true), '');
  new.origin := coalesce(nullif(current_setting('corridor.origin', true), ''), '{}')::jsonb;
  select change_head, change_count + 1 into head, new.change_id from reference_version for update;
  new.hash := sha256(head || convert_to(concat_ws(E'\n', new.change_id, to_json(new.table_name),
    to_json(new.changed_by), to_json(new.act), to_json(new.via), new.origin, to_json(new.reason),
    new.changed_at, coalesce(new.before::text, 'null'), coalesce(new.after::text, 'null')), 'UTF8'));
  update reference_version set change_head = new.hash, change_count = new.change_id;
  return new;
end $$;
create trigger chained before insert on audit_log
  for each row execute function chain_change();

-- Replaces a secret, or its stored hash, by a SHA-256 digest. The digest proves the secret, and
-- nobody can use it as the secret.
create function history_row(stored jsonb, skipped text[]) returns jsonb
language sql immutable strict as $$
  select (stored - skipped) || case when stored ?| array['secret_hash', 'secret'] then
    jsonb_build_object('secret_digest', encode(sha256(convert_to(
      coalesce(stored ->> 'secret_hash', stored ->> 'secret'), 'UTF8')), 'hex'))
    else '{}' end
$$;

-- The arguments of the trigger name columns whose changes are not recorded, such as the time at
-- which a rate was loaded again.
create function keep_history() returns trigger language plpgsql
security definer set timezone to 'UTC' set search_path to public, pg_temp as $$
declare
  skipped text[] := array['secret_hash', 'secret'] || coalesce(tg_argv, '{}');
  old_row jsonb := case when tg_op <> 'INSERT' then history_row(to_jsonb(old), skipped) end;
  new_row jsonb := case when tg_op <> 'DELETE' then history_row(to_jsonb(new), skipped) end;
begin
  if old_row is distinct from new_row then
    insert into audit_log (table_name, changed_at, changed_by, before, after)
    values (tg_table_name, clock_timestamp(),
      coalesce(nullif(current_setting('corridor.operator', true), ''), session_user),
      old_row, new_row);
  end if;
  return null;
end $$;

-- For a row of an account the history has only a digest: nobody but the account may read where its
-- webhooks go and which secret signs them.
create function digest_row(stored jsonb, skipped text[]) returns jsonb
language sql immutable strict as $$
  select jsonb_build_object('account_id', stored -> 'account_id', 'id', stored -> 'id',
    'digest', encode(sha256(convert_to((stored - skipped)::text, 'UTF8')), 'hex'))
$$;

-- The arguments of the trigger name columns that the digest leaves out.
create function keep_digest() returns trigger language plpgsql
security definer set timezone to 'UTC' set search_path to public, pg_temp as $$
declare
  skipped text[] := coalesce(tg_argv, '{}');
  old_row jsonb := case when tg_op <> 'INSERT' then digest_row(to_jsonb(old), skipped) end;
  new_row jsonb := case when tg_op <> 'DELETE' then digest_row(to_jsonb(new), skipped) end;
begin
  if old_row is distinct from new_row then
    insert into audit_log (table_name, changed_at, changed_by, before, after)
    values (tg_table_name, clock_timestamp(),
      coalesce(nullif(current_setting('corridor.operator', true), ''), session_user),
      old_row, new_row);
  end if;
  return null;
end $$;

-- Records an operator's act on a row of an account. It refuses all other tables, so that it cannot
-- forge the history of reference data, which triggers write.
create function record_act(changed text, why text, was jsonb, is_now jsonb) returns void
language plpgsql security definer set search_path to public, pg_temp as $$
begin
  if changed <> all (array['payouts', 'balance_transactions', 'beneficiaries', 'entities', 'events',
    'rail_exceptions', 'screening_matches', 'payout_approvals',
    'beneficiary_approvals'])
  then
    raise exception 'the history of % is written by its triggers alone', changed
      using errcode = 'insufficient_privilege';
  end if;
  insert into audit_log (table_name, changed_at, changed_by, reason, before, after)
  values (changed, clock_timestamp(),
    coalesce(nullif(current_setting('corridor.operator', true), ''), session_user), why, was, is_now);
end $$;
revoke execute on function record_act(text, text, jsonb, jsonb) from public;
