-- Payouts on rails of live accounts: their attempts, the evidence of their rails, and the
-- exceptions that a person must look at. The simulator has no rows here: its one attempt is derived
-- from the payout.

-- An attempt: one payout handed to one rail, once. Its id is `<payout id>-<number>`, by which the
-- rail knows it. The row is written and committed before the rail is asked.
create table payout_attempts (
  number integer not null check (number > 0),
  opened_at timestamptz not null,
  -- When the rail was first asked about the attempt, and may have it since. The lifetime of the
  -- rail's keys counts from here.
  asked_at timestamptz,
  ended_at timestamptz,
  -- When the rail sends the payment on, and when it should arrive, as the rail reports.
  released_at timestamptz,
  expected_at timestamptz,
  -- When the rail is asked again about an attempt that is over, because rails may change their
  -- reports. Null: it is not asked.
  ask_again_at timestamptz,
  account_id text collate "C" not null,
  payout_id text collate "C" not null,
  rail text collate "C" not null check (rail not in ('', 'simulator')),
  uetr text not null check (uetr ~ '^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'),
  -- How the attempt ended; '' while it is open.
  ended_as text not null default ''
    check (ended_as in ('', 'paid', 'failed', 'not_taken', 'returned')),
  -- Why the rail has not taken the attempt, as code and message.
  not_taken json,
  -- The route that led to the rail; null when a person named it.
  route json,
  -- The rail's references of the attempt: file, message id, the bank's reference.
  rail_references json not null default '{}',
  primary key (account_id, payout_id, number),
  constraint ended_when_it_is_over check ((ended_as = '') = (ended_at is null)),
  constraint not_taken_for_a_reason check ((ended_as = 'not_taken') = (not_taken is not null)),
  constraint asked_again_once_over check (ask_again_at is null
    or asked_at is not null and ended_as in ('failed', 'not_taken', 'returned'))
);
create index payout_attempts_asked_again on payout_attempts (ask_again_at)
  where ask_again_at is not null;
-- Two open attempts of a payout could both be paid.
create unique index one_open_attempt on payout_attempts (account_id, payout_id)
  where ended_as in ('', 'paid');
create unique index payout_attempts_by_uetr on payout_attempts (account_id, uetr);

-- The content of an attempt never changes, and an attempt ends once. Only a paid attempt may still
-- be returned.
create function refuse_attempt_change() returns trigger language plpgsql as $$
begin
  raise exception 'attempt %-% cannot be changed so', old.payout_id, old.number
    using errcode = 'check_violation';
end $$;
create trigger legal_end before update on payout_attempts
  for each row when (
    (old.number, old.opened_at, old.account_id, old.payout_id, old.rail, old.uetr)
      is distinct from
    (new.number, new.opened_at, new.account_id, new.payout_id, new.rail, new.uetr)
    or old.asked_at is not null and old.asked_at is distinct from new.asked_at
    or old.ended_as <> new.ended_as and old.ended_as <> ''
      and (old.ended_as, new.ended_as) <> ('paid', 'returned'))
  execute function refuse_attempt_change();
create trigger kept before delete or truncate on payout_attempts
  for each statement execute function refuse_change();

-- Refuses a new url for a connector while its rail is asked about attempts: another provider would
-- not know the earlier attempts and could pay again. The rail must be paused, because no process
-- asks a paused rail. The lock of payout_attempts makes transactions that claim payouts wait. The
-- function runs as the owner of the tables, who sees the attempts of all accounts.
create function check_rail_identity() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  lock table payout_attempts in share mode;
  if old.paused_reason = '' or exists (
    select from payout_attempts a
    left join open_payouts p on p.account_id = a.account_id and p.id = a.payout_id
    where a.rail = old.name and a.asked_at is not null and (a.ask_again_at is not null
      or a.ended_as in ('', 'paid') and p.id is not null))
  then
    raise exception 'rail % is asked about payouts: it keeps its url', old.name
      using errcode = 'check_violation', constraint = 'keeps_its_identity';
  end if;
  return new;
end $$;
create trigger keeps_its_identity before update on rails
  for each row when (old.kind = 'connector' and old.config -> 'url' is distinct from new.config -> 'url')
  execute function check_rail_identity();

-- A rail's evidence about an attempt, in the order of receipt, committed before it is interpreted.
-- The steps of a payout are derived from all of it, every time.
create table rail_evidence (
  attempt integer not null,
  -- From 1 in the attempt, without gaps.
  number integer not null check (number > 0),
  received_at timestamptz not null default statement_timestamp(),
  amount bigint,
  account_id text collate "C" not null,
  payout_id text collate "C" not null,
  rail text collate "C" not null,
  -- The source, which is a file, by its digest, or an answer, and the place in it.
  source text not null,
  position text not null,
  -- What the evidence is about and what it reports, in the sender's own codes.
  level text not null,
  code text not null,
  reasons json not null,
  message text not null,
  currency text not null,
  -- The sender's own reference.
  reference text not null,
  -- The time that the sender gives, as the sender wrote it. Nothing is ordered by it.
  said_at text not null,
  -- The other members, for the adapter.
  detail json not null,
  -- The SHA-256 by which a repeat of the evidence is found (rails/evidence.ts).
  same bytea not null check (octet_length(same) = 32),
  primary key (account_id, payout_id, attempt, number),
  constraint evidence_said_once unique (account_id, payout_id, attempt, same),
  constraint of_an_attempt foreign key (account_id, payout_id, attempt)
    references payout_attempts (account_id, payout_id, number)
);
create trigger append_only before update or delete or truncate on rail_evidence
  for each statement execute function refuse_change();

-- A rail exception: a payout that a person must look at. Until the exception is closed, the rail is
-- not asked and the payout takes no step.
create table rail_exceptions (
  -- From 1 in the payout.
  number integer not null check (number > 0),
  attempt integer not null,
  opened_at timestamptz not null,
  closed_at timestamptz,
  account_id text collate "C" not null,
  payout_id text collate "C" not null,
  rail text collate "C" not null,
  kind text not null check (kind ~ '^[a-z][a-z0-9_]{1,39}$'),
  message text not null check (message <> ''),
  -- What a bank asks to change at the payee: the payee, the values before and the corrected ones.
  notice json check (notice is null or kind = 'change_notified' and notice ->> 'code' is not null
    and notice ->> 'beneficiary' is not null and octet_length(notice::text) <= 4096),
  -- Who closed it and what they found.
  closed_by text not null default '',
  note text not null default '',
  primary key (account_id, payout_id, number),
  constraint closed_by_a_person check (
    (closed_at is null) = (closed_by = '') and (closed_at is null) = (note = '')),
  constraint exception_of_an_attempt foreign key (account_id, payout_id, attempt)
    references payout_attempts (account_id, payout_id, number)
);
create index rail_exceptions_open on rail_exceptions (opened_at) where closed_at is null;
create index rail_exceptions_by_payee on rail_exceptions
  (account_id, (notice ->> 'beneficiary'), payout_id, number) where notice is not null;
create function refuse_exception_change() returns trigger language plpgsql as $$
begin
  raise exception 'exception % of payout % is closed, and stays so', old.number, old.payout_id
    using errcode = 'check_violation';
end $$;
create trigger closed_once before update on rail_exceptions
  for each row when (old.closed_at is not null) execute function refuse_exception_change();
create trigger kept before delete or truncate on rail_exceptions
  for each statement execute function refuse_change();

grant select, insert, update (asked_at, ended_at, released_at, expected_at, ask_again_at, ended_as,
  not_taken, rail_references) on payout_attempts to corridor_service;
-- The finder finds attempts that are over and whose rail is to be asked again.
grant select (account_id, payout_id, number, rail, ask_again_at) on payout_attempts
  to corridor_finder;
grant select, insert on rail_evidence to corridor_service;
grant select, insert, update (closed_at, closed_by, note) on rail_exceptions to corridor_service;
-- The finder counts the exceptions that wait for people, and for how long, and finds those that the
-- service closes itself.
grant select (account_id, payout_id, attempt, number, rail, kind, opened_at, closed_at)
  on rail_exceptions to corridor_finder;
grant select on payout_attempts, rail_evidence, rail_exceptions to corridor_auditor;

-- Confines a table of accounts as 0007 does: only a transaction that names an account sees its
-- rows.
create function confine_to_accounts(name text) returns void language plpgsql as $$
begin
  execute format('alter table %I enable row level security, force row level security', name);
  execute format($policy$
    create policy accounts_named on %I to corridor_service using (array_position(
      (select string_to_array(current_setting('corridor.accounts', true), ',')),
      account_id) is not null)
  $policy$, name);
  execute format('create policy audit on %I for select to corridor_auditor using (true)', name);
  execute format($policy$
    create policy maintenance on %I to %I
    using ((select current_setting('corridor.maintenance', true)) = 'on')
  $policy$, name, current_user);
end $$;

select confine_to_accounts('payout_attempts');
select confine_to_accounts('rail_evidence');
select confine_to_accounts('rail_exceptions');
create policy find on payout_attempts for select to corridor_finder using (true);
create policy find on rail_exceptions for select to corridor_finder using (true);

-- The database that this is. A copy of it, made by whatever means, has the same row and is another
-- database: its rails are paused, because they may have been given more than the copy knows.
create table database_mark (
  only_row boolean primary key default true check (only_row),
  -- Of this database and all its copies.
  lineage text not null default replace(gen_random_uuid()::text, '-', ''),
  -- What database_identity() said when the service last looked.
  system text not null,
  database text not null,
  timeline text not null,
  -- The first file of an embedded cluster: its number and the time of its making.
  files text not null,
  noted_at timestamptz not null default clock_timestamp()
);

-- The cluster, the database in it, and its timeline, which a recovery to a point in time and a
-- promotion raise. A server that does not tell one of them leaves it ''.
create function database_identity(out system text, out database text, out timeline text)
language plpgsql security definer set search_path to pg_catalog, pg_temp as $$
begin
  begin
    select system_identifier::text into system from pg_control_system();
  exception when others then system := '';
  end;
  select oid::text into database from pg_database where datname = current_database();
  begin
    timeline := left(pg_walfile_name(pg_current_wal_lsn()), 8);
  exception when others then timeline := '';
  end;
end $$;

grant select, insert, update on database_mark to corridor_service;
grant select on database_mark to corridor_auditor;
