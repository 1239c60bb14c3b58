-- What people may do besides running commands: their roles on accounts, and the keys and sessions by
-- which they call the API.

-- A viewer reads the account, a maker makes payouts, an approver approves those of others. A person may
-- have several roles on an account.
create table account_roles (
  user_name text collate "C" not null references users,
  account_id text collate "C" not null references accounts,
  role text not null check (role in ('viewer', 'maker', 'approver')),
  primary key (user_name, account_id, role)
);
create trigger announce after insert or update or delete on account_roles
  for each statement execute function announce_reference_change();
create trigger history after insert or update or delete on account_roles
  for each row execute function keep_history();
create trigger announce after insert or update on users
  for each statement execute function announce_reference_change();

-- A key of a person, for programs that act in the person's name: it may what the person may.
create table user_keys (
  key_id text collate "C" primary key check (key_id ~ '^usk_[0-9a-z]{20}$'),
  user_name text collate "C" not null references users,
  -- SHA-256 of the secret, which has 256 random bits.
  secret_hash bytea not null check (octet_length(secret_hash) = 32),
  name text not null default '',
  created_at timestamptz not null default clock_timestamp(),
  revoked_at timestamptz
);
create trigger announce after insert or update on user_keys
  for each statement execute function announce_reference_change();
create trigger history after insert or update or delete on user_keys
  for each row execute function keep_history();
create trigger kept before delete or truncate on user_keys
  for each statement execute function refuse_change();

-- A revoked key stays revoked.
create trigger revoked_once before update on user_keys
  for each row when (old.revoked_at is not null or to_jsonb(old) - 'revoked_at' <> to_jsonb(new) - 'revoked_at')
  execute function refuse_change();

grant select, insert, delete on account_roles to corridor_service;
grant select, insert, update (revoked_at) on user_keys to corridor_service;
grant select on account_roles, user_keys to corridor_auditor;
