-- Reference tables: accounts and their API keys. Small, read by every process into memory, and
-- announced on change. On Citus they are reference tables; everything else is distributed by
-- account_id.

-- The role the service runs as. It is a group role without a log-in: the service connects as
-- whoever DATABASE_URL names and takes this role, so that append-only holds against the service
-- itself.
do $$
begin
  create role corridor_service nologin;
exception when duplicate_object or unique_violation then null;
end $$;
do $$
begin
  execute format('grant corridor_service to %I', current_user);
exception when others then null; -- a superuser needs no grant, and a second migrator may race
end $$;

create table accounts (
  account_id text collate "C" primary key,
  name text not null check (name <> ''),
  currencies text[] not null check (cardinality(currencies) > 0),
  primary_currency text not null,
  deposit_address text collate "C" not null unique,
  created_at timestamptz not null default clock_timestamp(),
  check (primary_currency = any (currencies))
);

create table api_keys (
  key_id text collate "C" primary key,
  account_id text collate "C" not null references accounts,
  -- SHA-256 of the secret. A plain hash suffices: the secret has 256 random bits.
  secret_hash bytea not null check (octet_length(secret_hash) = 32),
  scope text not null check (scope in ('read', 'write', 'operator')),
  name text not null default '',
  created_at timestamptz not null default clock_timestamp(),
  revoked_at timestamptz
);

-- One number for all reference tables. Processes are told of a change by NOTIFY and also look at
-- the number twice a second, so that a lost notification delays a revocation by half a second at
-- most.
create table reference_version (
  only_row boolean primary key default true check (only_row),
  version bigint not null default 0
);
insert into reference_version default values;

create function announce_reference_change() returns trigger language plpgsql as $$
begin
  update reference_version set version = version + 1;
  notify corridor_reference;
  return null;
end $$;

create trigger announce after insert or update or delete on accounts
  for each statement execute function announce_reference_change();
create trigger announce after insert or update or delete on api_keys
  for each statement execute function announce_reference_change();
