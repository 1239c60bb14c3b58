-- How far the service has verified each book, and what it has found.

-- The turn of the processes that verify: one works at a time.
create table verify_turn (
  only_row boolean primary key default true check (only_row),
  -- When a process may continue. The value identifies the claim of the process that does.
  due_at timestamptz not null default statement_timestamp()
);
insert into verify_turn default values;
create trigger kept before delete or truncate on verify_turn
  for each statement execute function refuse_change();
grant select, update (due_at) on verify_turn to corridor_service;
grant select on verify_turn to corridor_auditor;

-- Two walks of each book: `new` follows its newest journals, and `again` walks it from the start
-- once in a while, because somebody may have changed old rows.
create table book_proofs (
  number bigint not null default 0 check (number >= 0),
  -- Of the journal with this number; null before the first.
  journal_at timestamptz,
  began_at timestamptz not null default statement_timestamp(),
  -- When the walk was last at the head of its book; null while it is not yet there.
  ended_at timestamptz,
  account_id text collate "C" not null,
  walk text not null check (walk in ('new', 'again')),
  hash digest not null,
  -- The balance after this journal by currency, as texts; without those that are not known.
  balances jsonb not null default '{}',
  primary key (account_id, walk)
);
grant select, insert, update (number, journal_at, began_at, ended_at, hash, balances) on book_proofs
  to corridor_service;
grant select on book_proofs to corridor_auditor, corridor_finder;
select confine_to_accounts('book_proofs');
create policy find on book_proofs for select to corridor_finder using (true);
grant select (journal_count) on books to corridor_finder;

-- Rows that differ from the book, without their values, which may be personal data. An account is
-- frozen once for each, until the row changes.
create table verify_faults (
  found_at timestamptz not null default clock_timestamp(),
  -- When a walk has last found it so.
  seen_at timestamptz not null default clock_timestamp(),
  account_id text collate "C" not null,
  table_name text collate "C" not null check (length(table_name) <= 100),
  key text collate "C" not null check (length(key) <= 300),
  -- SHA-256 of what stays the same while the row is as it was found.
  mark digest not null,
  primary key (account_id, table_name, key)
);
grant select, insert, delete, update (found_at, seen_at, mark) on verify_faults
  to corridor_service;
grant select on verify_faults to corridor_auditor;
grant select (account_id, found_at) on verify_faults to corridor_finder;
select confine_to_accounts('verify_faults');
create policy find on verify_faults for select to corridor_finder using (true);

alter table notifications drop constraint notifications_kind_check;
alter table notifications add constraint notifications_kind_check check (kind in ('approval', 'hold',
  'failure', 'low_balance', 'endpoint', 'stale_rate', 'fault'));
