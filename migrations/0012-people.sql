-- What people may do besides running commands: their roles on accounts, and the keys, passwords and
-- sessions by which they call the API. Also the runs of `corridor verify` and `corridor backup`.

-- A viewer reads the account, a maker makes payouts, an approver approves those of others, an owner
-- invites people and makes keys. A person may have several roles on an account.
create table account_roles (
  user_name text collate "C" not null references users,
  account_id text collate "C" not null references accounts,
  role text not null check (role in ('viewer', 'maker', 'approver', 'owner')),
  primary key (user_name, account_id, role)
);
create trigger announce after insert or update or delete on account_roles
  for each statement execute function announce_reference_change();
create trigger history after insert or update or delete on account_roles
  for each row execute function keep_history();
create trigger announce after insert or update on users
  for each statement execute function announce_reference_change();

-- A person's key, for programs that act in the person's name and with the person's rights.
create table user_keys (
  key_id text collate "C" primary key check (key_id ~ '^usk_[0-9a-z]{20}$'),
  user_name text collate "C" not null references users,
  -- SHA-256 of the secret, which has 256 random bits.
  secret_hash bytea not null check (octet_length(secret_hash) = 32),
  name text not null default '',
  made_by text collate "C" not null default '',
  created_at timestamptz not null default clock_timestamp(),
  revoked_at timestamptz
);
create trigger made_by before insert on user_keys for each row execute function name_maker();
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

-- Hashes of passwords: argon2id in the PHC form. The history has a digest of each.
create table user_passwords (
  user_name text collate "C" primary key references users,
  secret_hash text not null check (secret_hash like '$argon2id$%'),
  set_at timestamptz not null default clock_timestamp()
);
create trigger history after insert or update or delete on user_passwords
  for each row execute function keep_history();

-- The digests of passwords, as the history has them: `corridor verify` compares both, and nobody
-- can guess a password from a digest.
create view password_digests as
  select user_name, set_at,
    encode(sha256(convert_to(secret_hash, 'UTF8')), 'hex') as secret_digest
  from user_passwords;
grant select on password_digests to corridor_auditor;

-- The second factor of a person: a secret from which the person's device computes codes of six
-- digits (RFC 6238). It counts from the first code on. The service computes the codes too, so the
-- secret is stored in plain text, as other secrets are. The history has a digest.
create table second_factors (
  user_name text collate "C" primary key references users,
  -- 160 random bits, in base 32.
  secret text not null check (secret ~ '^[A-Z2-7]{32}$'),
  made_at timestamptz not null default clock_timestamp(),
  -- Null until the first code.
  enrolled_at timestamptz,
  -- The step of 30 seconds of the last code that was taken: a code is taken once.
  last_step bigint not null default 0 check (last_step >= 0)
);
create trigger history after insert or update or delete on second_factors
  for each row execute function keep_history('last_step');

-- A factor that counts keeps its secret, and takes no older code, until it is removed.
create function check_factor() returns trigger language plpgsql as $$
begin
  if new.user_name <> old.user_name or old.enrolled_at is not null and (
    new.secret <> old.secret or new.made_at <> old.made_at
    or new.enrolled_at is distinct from old.enrolled_at or new.last_step < old.last_step)
  then
    raise exception 'a second factor stays as it is until it is removed'
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger stays before update on second_factors
  for each row execute function check_factor();

-- The digests of the secrets, as the history has them.
create view second_factor_digests as
  select user_name, made_at, enrolled_at,
    encode(sha256(convert_to(secret, 'UTF8')), 'hex') as secret_digest
  from second_factors;
grant select on second_factor_digests to corridor_service, corridor_auditor;

-- Codes for a person who has lost the device. Each works once.
create table recovery_codes (
  -- SHA-256 of the code, which has 80 random bits.
  secret_hash bytea primary key check (octet_length(secret_hash) = 32),
  user_name text collate "C" not null references users,
  used_at timestamptz
);
create index recovery_codes_of_user on recovery_codes (user_name);
create trigger history after insert or update or delete on recovery_codes
  for each row execute function keep_history();
create trigger used_once before update on recovery_codes
  for each row when (old.used_at is not null or to_jsonb(old) - 'used_at' <> to_jsonb(new) - 'used_at')
  execute function refuse_change();

-- Who must have a second factor: every user of the installation, or those with a role on an account.
create table second_factor_rules (
  -- `installation`, or the id of an account.
  scope text collate "C" primary key,
  required_at timestamptz not null default clock_timestamp()
);
create function check_factor_rule() returns trigger language plpgsql as $$
begin
  if new.scope <> 'installation'
    and not exists (select from accounts where account_id = new.scope)
  then
    raise exception 'there is no account %', new.scope using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger of_somebody before insert on second_factor_rules
  for each row execute function check_factor_rule();
create trigger stays before update or truncate on second_factor_rules
  for each statement execute function refuse_change();
create trigger history after insert or delete on second_factor_rules
  for each row execute function keep_history();

-- What a session lacks before it may do anything else: the `code` of its user's second factor, or
-- the `enrolment` of one; null for nothing.
create function session_lacks(of_user text, factor_at timestamptz) returns text
language sql stable as $$
  select case
    when factor_at is not null then null
    when exists (
      select from second_factors where user_name = of_user and enrolled_at is not null
    ) then 'code'
    when exists (
      select from second_factor_rules where scope = 'installation' or scope in (
        select account_id from account_roles where user_name = of_user)
    ) then 'enrolment'
  end
$$;

-- Login links, for a person's first log-in or after a lost password. Each works once.
create table login_links (
  -- SHA-256 of the token, which has 256 random bits.
  secret_hash bytea primary key check (octet_length(secret_hash) = 32),
  user_name text collate "C" not null references users,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null check (expires_at > created_at),
  ended_at timestamptz
);
create index login_links_open on login_links (user_name) where ended_at is null;
create trigger history after insert or update on login_links
  for each row execute function keep_history();

-- Who a user is at a provider of log-ins (OpenID Connect). An identity stays with its user.
create table user_identities (
  issuer text collate "C" not null check (length(issuer) between 1 and 1000),
  subject text collate "C" not null check (length(subject) between 1 and 255),
  user_name text collate "C" not null unique references users,
  made_at timestamptz not null default clock_timestamp(),
  primary key (issuer, subject)
);
create trigger history after insert or update or delete on user_identities
  for each row execute function keep_history();
create trigger kept before update or delete or truncate on user_identities
  for each statement execute function refuse_change();

-- Whether a user may give roles on an account: an owner gives those that they have, and viewer.
create function may_give(giver text, of_account text, given text[]) returns boolean
language sql stable as $$
  select exists (
    select from account_roles r join users u on u.name = r.user_name
    where r.user_name = giver and r.account_id = of_account and r.role = 'owner'
      and u.disabled_at is null
  ) and given <@ (
    select array_agg(role) || 'viewer'::text from account_roles
    where user_name = giver and account_id = of_account
  ) and (given <@ array['viewer'] or not exists (
    -- Who may pay and approve could otherwise make the second person of an approval.
    select from account_roles m join account_roles a using (user_name, account_id)
    where user_name = giver and account_id = of_account
      and m.role = 'maker' and a.role = 'approver'
  ))
$$;

-- Invitations of an account's owner. Each works once, while its owner may still give the roles.
create table invitations (
  invitation_id text collate "C" primary key check (invitation_id ~ '^inv_[0-9a-z]{20}$'),
  -- SHA-256 of the token, which has 256 random bits.
  secret_hash bytea not null unique check (octet_length(secret_hash) = 32),
  account_id text collate "C" not null references accounts,
  -- Whom it is for, in the owner's words; '' for none.
  email text not null default '' check (email = ''
    or length(email) <= 320 and email ~ '^[^@[:space:]]{1,64}@[^@[:space:]]+$'),
  roles text[] not null check (cardinality(roles) between 1 and 4),
  invited_by text collate "C" not null references users,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null check (expires_at > created_at),
  -- When it was accepted or revoked.
  ended_at timestamptz,
  accepted_by text collate "C" references users,
  constraint accepted_is_ended check (accepted_by is null or ended_at is not null)
);
create index invitations_of_account on invitations (account_id, invitation_id);
create trigger history after insert or update or delete on invitations
  for each row execute function keep_history();
create trigger kept before delete or truncate on invitations
  for each statement execute function refuse_change();

create function check_invitation() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and (old.ended_at is not null or to_jsonb(new) - 'ended_at' - 'accepted_by'
    <> to_jsonb(old) - 'ended_at' - 'accepted_by')
  then
    raise exception 'what is over stays so, and belongs to whom it was made for'
      using errcode = 'restrict_violation';
  end if;
  if (tg_op = 'INSERT' or new.accepted_by is not null)
    and may_give(new.invited_by, new.account_id, new.roles) is not true
  then
    raise exception 'an owner of the account gives roles of their own'
      using errcode = 'restrict_violation', constraint = 'owner_gives';
  end if;
  return new;
end $$;
create trigger by_owner before insert or update on invitations
  for each row execute function check_invitation();

-- The sessions of people. A session is over when it was ended, was idle too long, or is too old. It
-- never comes back.
create table sessions (
  -- SHA-256 of the token in the cookie, which has 256 random bits.
  secret_hash bytea primary key check (octet_length(secret_hash) = 32),
  user_name text collate "C" not null references users,
  created_at timestamptz not null default clock_timestamp(),
  last_seen_at timestamptz not null default clock_timestamp(),
  -- When the person last entered the password.
  confirmed_at timestamptz not null default clock_timestamp(),
  -- When the person proved the second factor; null for a session without one.
  factor_at timestamptz,
  -- Whether the person logged in at the provider.
  by_provider boolean not null default false,
  ended_at timestamptz
);
create index sessions_open on sessions (user_name) where ended_at is null;
create trigger history after insert or update on sessions
  for each row execute function keep_history('last_seen_at');

create function check_over() returns trigger language plpgsql as $$
begin
  if old.ended_at is not null or new.user_name <> old.user_name
    or new.secret_hash <> old.secret_hash or new.created_at <> old.created_at
    or to_jsonb(new) -> 'factor_at' is distinct from to_jsonb(old) -> 'factor_at'
    or to_jsonb(new) -> 'by_provider' is distinct from to_jsonb(old) -> 'by_provider'
  then
    raise exception 'what is over stays so, and belongs to whom it was made for'
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger over_for_good before update on sessions for each row execute function check_over();
create trigger over_for_good before update on login_links for each row execute function check_over();

-- The devices on which people have logged in, by a random token in a cookie. Such a device has an own
-- count of wrong passwords, and an own place before the hash: it opens nothing. A person has at most
-- 10; the one that logged in longest ago is forgotten.
create table known_devices (
  secret_hash bytea primary key check (octet_length(secret_hash) = 32),
  user_name text collate "C" not null references users,
  last_login_at timestamptz not null default clock_timestamp()
);
create index known_devices_of_user on known_devices (user_name, last_login_at);
create function forget_devices() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('known_devices of ' || new.user_name, 0));
  delete from known_devices where secret_hash in (
    select secret_hash from known_devices where user_name = new.user_name
    order by last_login_at desc, secret_hash offset 10);
  return null;
end $$;
create trigger few_devices after insert on known_devices
  for each row execute function forget_devices();

-- Disabling a user ends the user's sessions and login links at once, and forgets the devices.
-- Enabling the user does not bring them back.
create function end_sessions() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  update sessions set ended_at = clock_timestamp()
  where user_name = new.name and ended_at is null;
  update login_links set ended_at = clock_timestamp()
  where user_name = new.name and ended_at is null;
  delete from known_devices where user_name = new.name;
  return null;
end $$;
create trigger disabled_is_out after update on users
  for each row when (new.disabled_at is not null and old.disabled_at is null)
  execute function end_sessions();

-- Through the API nobody changes their own rights or makes a login link for themselves, so that a
-- session that was left open gains no rights. Commands are not checked: whoever runs them has the
-- database.
create function refuse_own_rights() returns trigger language plpgsql as $$
declare
  changed jsonb := to_jsonb(case when tg_op = 'DELETE' then old else new end);
begin
  if starts_with(current_setting('corridor.via', true), 'api ')
    and coalesce(changed ->> 'user_name', changed ->> 'name') = current_setting('corridor.operator', true)
  then
    raise exception 'what a person may is changed by another'
      using errcode = 'restrict_violation', constraint = 'rights_by_another';
  end if;
  if tg_op = 'DELETE' then return old; end if;
  return new;
end $$;
create trigger rights_by_another before update on users
  for each row execute function refuse_own_rights();
create trigger rights_by_another before insert or update or delete on account_roles
  for each row execute function refuse_own_rights();
create trigger rights_by_another before insert on login_links
  for each row execute function refuse_own_rights();

-- Who has given a person the means to act: a role, a login link, a password or a key. With them the
-- giver could act as the person, so for some time the person approves no work of the giver.
create table means_given (
  number bigint generated always as identity primary key,
  user_name text collate "C" not null references users,
  means text not null check (means in ('role', 'login_link', 'password', 'key')),
  given_by text collate "C" not null check (given_by <> user_name),
  given_at timestamptz not null default clock_timestamp()
);
create index means_given_to on means_given (user_name, given_at);
create trigger append_only before update or delete or truncate on means_given
  for each statement execute function refuse_change();
create trigger history after insert or update or delete on means_given
  for each row execute function keep_history();
grant select on means_given to corridor_service, corridor_auditor;

create function keep_giver() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  if acting_user() not in ('', new.user_name) then
    insert into means_given (user_name, means, given_by)
    values (new.user_name, tg_argv[0], acting_user());
  end if;
  return null;
end $$;
create trigger keep_giver after insert on account_roles
  for each row execute function keep_giver('role');
create trigger keep_giver after insert on login_links
  for each row execute function keep_giver('login_link');
create trigger keep_giver after insert or update of secret_hash on user_passwords
  for each row execute function keep_giver('password');
create trigger keep_giver after insert on user_keys
  for each row execute function keep_giver('key');

-- The people who have given the person means to act in the 30 days before a moment.
create function givers_of(name text, before_at timestamptz) returns text[]
language sql stable security definer set search_path to public, pg_temp as $$
  select coalesce(array_agg(distinct given_by), '{}') from means_given
  where user_name = givers_of.name
    and given_at > givers_of.before_at - interval '30 days' and given_at <= givers_of.before_at
$$;

-- Attempts to log in, for known and unknown user names, until they are deleted.
create table login_attempts (
  number bigint generated always as identity primary key,
  attempted_at timestamptz not null default clock_timestamp(),
  user_name text collate "C" not null,
  -- The caller's address if it is IPv4; the network of the address if it is IPv6.
  network text collate "C" not null,
  -- The hash of the token of the known device or the session; null of strangers.
  device bytea check (octet_length(device) = 32),
  -- What was tried. Codes have counts of their own.
  means text not null default 'password' check (means in ('password', 'code')),
  refused boolean not null default false
);
create index login_attempts_by_user on login_attempts (user_name, attempted_at);

-- Marks an attempt as refused, and records it in the history if the user exists. Both statements
-- run in either case, so that the duration does not show whether the user exists.
create function keep_refused_login(attempt bigint, why text) returns void language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  update login_attempts set refused = true where number = attempt;
  insert into audit_log (table_name, changed_at, changed_by, before, after)
  select 'login_attempts', clock_timestamp(), session_user, null,
    jsonb_build_object('user_name', u.name, 'network', a.network, 'refused', why)
  from login_attempts a join users u on u.name = a.user_name
  where a.number = attempt;
end $$;
revoke execute on function keep_refused_login(bigint, text) from public;
grant execute on function keep_refused_login(bigint, text) to corridor_service;

grant select, insert, update (secret_hash, set_at) on user_passwords to corridor_service;
grant select, insert, update (secret, made_at, enrolled_at, last_step), delete on second_factors
  to corridor_service;
grant select, insert, update (used_at), delete on recovery_codes to corridor_service;
grant select, insert, delete on second_factor_rules to corridor_service;
grant select, insert, update (ended_at) on login_links to corridor_service;
grant select, insert, update (ended_at, accepted_by) on invitations to corridor_service;
grant select, insert on user_identities to corridor_service;
grant select, insert, update (last_seen_at, confirmed_at, ended_at) on sessions to corridor_service;
grant select, insert, delete on login_attempts to corridor_service;
grant select, insert, update (last_login_at), delete on known_devices to corridor_service;
grant select on sessions, login_links, login_attempts, known_devices, recovery_codes,
  second_factor_rules, invitations, user_identities to corridor_auditor;
grant select (user_name, made_at, enrolled_at, last_step) on second_factors to corridor_auditor;
grant select (user_name, set_at) on user_passwords to corridor_auditor;

-- The runs of `corridor verify` and `corridor backup`: each command writes a row when it is done,
-- and operators see how long ago the last run was.
create table upkeep_runs (
  number bigint generated always as identity primary key,
  kind text not null check (kind in ('verify', 'backup')),
  finished_at timestamptz not null default clock_timestamp(),
  -- Whether the books are in order, or the backup is complete.
  well boolean not null,
  -- What was checked or written, in words.
  told text not null default '' check (length(told) <= 2000)
);
create index upkeep_runs_last on upkeep_runs (kind, number);
create trigger kept before update or delete or truncate on upkeep_runs
  for each statement execute function refuse_change();
grant select, insert on upkeep_runs to corridor_service;
grant select on upkeep_runs to corridor_auditor;

-- How far people were notified of each kind of thing, by each way. Nothing else is kept of a
-- message: one that was not sent is made anew, with what has happened since.
create table notifications (
  kind text not null
    check (kind in ('approval', 'hold', 'failure', 'low_balance', 'endpoint', 'stale_rate')),
  way text not null check (way in ('email', 'webhook')),
  -- Everything up to then was told.
  told_until timestamptz not null default clock_timestamp(),
  -- When a process looks next. The value identifies the claim of the process that does.
  due_at timestamptz not null default clock_timestamp(),
  -- How often in a row a message was not taken, since when, and why, without addresses.
  failures integer not null default 0 check (failures >= 0),
  failing_since timestamptz,
  last_error text not null default '' check (length(last_error) <= 200),
  primary key (kind, way),
  constraint failing_while_not_sent check ((failures > 0) = (failing_since is not null))
);
grant select, insert, update (told_until, due_at, failures, failing_since, last_error)
  on notifications to corridor_service;
grant select on notifications to corridor_auditor;
