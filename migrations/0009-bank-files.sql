-- Files for banks: the payments that wait for a file, the files, and the files that banks have
-- sent. `rail` has the name of a row of rails, and stays if that row is deleted.

-- The payment of one attempt, from when its rail took the attempt. Banks return the ids of a
-- payment, so no other payment of the installation ever has them.
create table rail_items (
  amount bigint not null check (amount > 0),
  created_at timestamptz not null default clock_timestamp(),
  -- The slot of the item: when its file is sealed, by when the bank must have the file, and the day
  -- of the debit. An item that misses its slot goes into the next one.
  seal_at timestamptz not null,
  closes_at timestamptz not null check (closes_at > seal_at),
  execution_date date not null,
  attempt integer not null check (attempt > 0),
  account_id text collate "C" not null,
  payout_id text collate "C" not null,
  end_to_end_id text collate "C" not null
    check (end_to_end_id ~ '^[0-9A-Z]{15}$'),
  uetr text collate "C" not null,
  rail text not null check (rail <> ''),
  currency text not null,
  -- The payee and the purpose, as the file has them.
  payment json not null,
  -- The file, and the item's place in it; '' while the item waits for a file.
  msg_id text collate "C" not null default '',
  payment_information_id text collate "C" not null default '',
  instruction_id text collate "C" not null default '',
  -- The payout was over before the item was in a file. The item goes into no file.
  withdrawn boolean not null default false,
  -- Earlier files of the item, each refused as a whole or never sent.
  earlier_files text[] collate "C" not null default '{}',
  primary key (account_id, payout_id, attempt),
  constraint end_to_end_id_once unique (end_to_end_id),
  constraint stands_in_a_file check (
    (msg_id = '') = (payment_information_id = '') and (msg_id = '') = (instruction_id = '')),
  constraint withdrawn_before_a_file check (not withdrawn or msg_id = '')
);
create index rail_items_waiting on rail_items (rail, seal_at, end_to_end_id)
  where msg_id = '' and not withdrawn;
create index rail_items_by_file on rail_items (msg_id, end_to_end_id) where msg_id <> '';
-- Banks return the ids that they have kept: the EndToEndId, or one of these.
create index rail_items_by_uetr on rail_items (uetr);
create index rail_items_by_instruction on rail_items (instruction_id) where instruction_id <> '';
create index rail_items_by_block on rail_items (payment_information_id)
  where payment_information_id <> '';

-- The files for banks: written once, and sent, even again, as they are.
create table rail_files (
  -- 16 characters, unique for ever. The name of the file is this id with the extension of its
  -- format.
  msg_id text collate "C" primary key check (msg_id ~ '^[0-9A-Z]{16}$'),
  name text collate "C" not null,
  rail text not null check (rail <> ''),
  format text not null,
  settlement_account text not null,
  currency text not null,
  execution_date date not null,
  item_count integer not null check (item_count > 0),
  control_sum numeric not null check (control_sum > 0),
  sha256 bytea not null,
  bytes bytea not null,
  -- The encrypted bytes, which are sent in place of the bytes; null if the file is not encrypted.
  envelope bytea,
  sealed_at timestamptz not null default clock_timestamp(),
  -- Whether a person must release the file. approved_by and approved_at have who did, and when.
  needs_release boolean not null,
  -- Whether the file may be sent again: its bank refuses a message id that it already has.
  resend_is_safe boolean not null,
  approved_by text not null default '',
  approved_at timestamptz,
  state text not null default 'sealed' check (state in ('sealed', 'approved', 'uploading', 'sent',
    'acknowledged', 'rejected', 'unknown', 'withdrawn')),
  -- The last report of the bank or the transport about the file; '' for none.
  reason text not null default '',
  -- When this sending offered the file: it was about to give the upload its name at the bank, which
  -- may have the file since. `offers` counts the offers of all sendings.
  offered_at timestamptz,
  offers integer not null default 0,
  -- A person sends the file although payouts in it are over or have another attempt.
  forced boolean not null default false,
  sent_at timestamptz,
  uploads integer not null default 0,
  updated_at timestamptz not null default clock_timestamp(),
  constraint sha256_of_the_bytes check (sha256 = sha256(bytes)),
  constraint released_by_a_person check (
    not needs_release or state in ('sealed', 'withdrawn') or approved_by <> ''),
  constraint released_at check ((approved_by = '') = (approved_at is null)),
  constraint offered_before_it_is_sent check (
    offered_at is not null or state in ('sealed', 'approved', 'uploading', 'withdrawn')),
  constraint withdrawn_before_it_is_offered check (state <> 'withdrawn' or offers = 0),
  constraint offers_are_counted check (offered_at is null or offers > 0),
  constraint sent_once_said check (state not in ('sent') or sent_at is not null)
);
create index rail_files_open on rail_files (rail, sealed_at)
  where state not in ('acknowledged', 'rejected', 'withdrawn');

-- The bytes of a file and their description never change. The state changes by the steps below.
create function check_file_step() returns trigger language plpgsql as $$
begin
  if (new.msg_id, new.name, new.rail, new.format, new.settlement_account, new.currency,
      new.execution_date, new.item_count, new.control_sum, new.sha256, new.sealed_at,
      new.needs_release, new.resend_is_safe)
    is distinct from (old.msg_id, old.name, old.rail, old.format, old.settlement_account,
      old.currency, old.execution_date, old.item_count, old.control_sum, old.sha256, old.sealed_at,
      old.needs_release, old.resend_is_safe)
    or new.envelope is distinct from old.envelope
    or old.offered_at is not null and new.offered_at is distinct from old.offered_at
      and (new.state <> 'uploading' or old.state not in ('unknown', 'sent'))
    or old.approved_by <> '' and new.approved_by <> old.approved_by
    or new.offers < old.offers
  then
    raise exception 'file % stays as it was sealed', old.msg_id using errcode = 'restrict_violation';
  end if;
  if old.state <> new.state and (old.state, new.state) not in (
    ('sealed', 'approved'), ('approved', 'uploading'),
    -- A person withdraws a file before the bank could see it.
    ('sealed', 'withdrawn'), ('approved', 'withdrawn'), ('uploading', 'withdrawn'),
    ('uploading', 'sent'), ('uploading', 'unknown'),
    -- A bank that answers about a file has it.
    ('uploading', 'acknowledged'), ('uploading', 'rejected'),
    ('sent', 'acknowledged'), ('sent', 'rejected'), ('sent', 'uploading'),
    ('unknown', 'acknowledged'), ('unknown', 'rejected'), ('unknown', 'sent'),
    ('unknown', 'uploading'), ('acknowledged', 'rejected'))
  then
    raise exception 'file % cannot go from % to %', old.msg_id, old.state, new.state
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger legal_step before update on rail_files
  for each row execute function check_file_step();
create trigger kept before delete or truncate on rail_files
  for each statement execute function refuse_change();
create trigger sealed_first before insert on rail_files
  for each row when (new.state <> 'sealed' or new.approved_by <> '' or new.offered_at is not null)
  execute function refuse_change();

-- An item is in one file. It may go into another only if the bank refused the first as a whole, or
-- the first was withdrawn. Its payment, its EndToEndId and its UETR never change.
create function check_item_change() returns trigger language plpgsql as $$
begin
  if (new.account_id, new.payout_id, new.attempt, new.end_to_end_id, new.uetr, new.rail, new.amount,
      new.currency, new.created_at)
    is distinct from (old.account_id, old.payout_id, old.attempt, old.end_to_end_id, old.uetr,
      old.rail, old.amount, old.currency, old.created_at)
    or new.payment::text <> old.payment::text or old.withdrawn
    or old.msg_id <> '' and new.msg_id not in (old.msg_id, '')
    or not new.earlier_files @> old.earlier_files
  then
    raise exception 'item % stays as it is', old.end_to_end_id using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger legal_change before update on rail_items
  for each row execute function check_item_change();
-- Apart from the rule above, as it reads rail_files: a spread database, where payments and files are on
-- different machines, drops it.
create function check_item_leaves() returns trigger language plpgsql as $$
begin
  if not exists (
    select from rail_files where msg_id = old.msg_id and state in ('rejected', 'withdrawn'))
  then
    raise exception 'item % stays as it is', old.end_to_end_id using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger leaves_a_dead_file before update on rail_items
  for each row when (old.msg_id <> '' and new.msg_id = '') execute function check_item_leaves();
create trigger kept before delete or truncate on rail_items
  for each statement execute function refuse_change();

-- The evidence of banks about items, in the order of receipt. The steps of a payout are derived
-- from all of it, every time.
create table rail_item_evidence (
  amount bigint,
  number bigint generated always as identity,
  received_at timestamptz not null default clock_timestamp(),
  attempt integer not null,
  is_credit boolean,
  account_id text collate "C" not null,
  payout_id text collate "C" not null,
  level text not null,
  code text not null,
  reasons json not null,
  text text not null,
  currency text not null,
  reference text not null,
  said_at text not null,
  -- The hash of the bank's file, and the place in it.
  sha256 bytea not null,
  position text not null,
  -- The digest by which a repeat of the evidence is found.
  same bytea not null check (octet_length(same) = 32),
  primary key (account_id, payout_id, attempt, number),
  constraint said_once unique (account_id, payout_id, attempt, same)
);
create trigger append_only before update or delete or truncate on rail_item_evidence
  for each statement execute function refuse_change();

-- The lease on the files of a rail: one process at a time works on them, until its lease ends.
create table rail_exchanges (
  rail text primary key check (rail <> ''),
  held_by text not null default '',
  held_until timestamptz not null default '-infinity',
  -- When the inbox was last read, and why reading or sending has failed since; '' if neither has.
  fetched_at timestamptz,
  problem text not null default '',
  problem_since timestamptz,
  -- The offers of files to the bank that the database has lost, because it was restored; and whether
  -- it was restored since the rail was last compared with the mark at the bank.
  offers_lost integer not null default 0 check (offers_lost >= 0),
  restored boolean not null default false,
  check ((problem = '') = (problem_since is null))
);

-- The files that banks have sent, by the hash of their bytes: the same bytes are taken once, under
-- whatever name.
create table rail_inbox (
  sha256 bytea primary key check (octet_length(sha256) = 32),
  rail text not null,
  name text not null,
  size bigint not null check (size >= 0),
  received_at timestamptz not null default clock_timestamp(),
  -- stored: rail_inbox_bytes has the bytes, and the file is not yet read.
  state text not null check (state in ('stored', 'read', 'quarantined')),
  -- Why the file is quarantined, so that nothing of it is applied.
  reason text not null default '',
  -- Whether rail_inbox_bytes has the bytes. The bytes of a file that is too large are only in the
  -- archive. The bytes of a file that is older than the installation keeps are swept.
  kept boolean not null,
  swept_at timestamptz,
  lines integer not null default 0,
  lines_quarantined integer not null default 0,
  ended_at timestamptz,
  -- Who closed the quarantined file, when, and what they found.
  closed_by text not null default '',
  closed_at timestamptz,
  note text not null default '',
  constraint quarantined_with_a_reason check ((state = 'quarantined') = (reason <> '')),
  constraint closed_when_quarantined check (
    (closed_by = '') = (closed_at is null) and (closed_by = '' or state = 'quarantined')),
  constraint swept_when_over check (
    swept_at is null or not kept and (state = 'read' or closed_by <> ''))
);
create index rail_inbox_kept on rail_inbox (received_at) where kept;
create index rail_inbox_open on rail_inbox (received_at) where state = 'stored';
create index rail_inbox_quarantined on rail_inbox (received_at)
  where state = 'quarantined' and closed_by = '';

create table rail_inbox_bytes (
  sha256 bytea not null,
  number integer not null,
  bytes bytea not null check (octet_length(bytes) between 1 and 1048576),
  primary key (sha256, number)
);
create trigger append_only before update or delete or truncate on rail_inbox_bytes
  for each statement execute function refuse_change();

-- Lines of a bank's file that are set aside: not applied, while the rest of the file is.
create table rail_inbox_lines (
  sha256 bytea not null,
  position text not null,
  reason text not null check (reason <> ''),
  -- The line as it was read (src/values/bank-format).
  said json not null,
  -- The payment (by its UETR when the line has no other id) and the file that the line names; '' for
  -- none. Until a person closes the line, the payment goes into no file, and the file is not sent.
  end_to_end_id text collate "C" not null default '',
  msg_id text collate "C" not null default '',
  -- The payment that the line is about, whether it stops the payment or not; '' when none is known.
  payment text collate "C" not null default '',
  created_at timestamptz not null default clock_timestamp(),
  -- Who closed the line, when, and what they found.
  closed_by text not null default '',
  closed_at timestamptz,
  note text not null default '',
  primary key (sha256, position),
  check ((closed_by = '') = (closed_at is null))
);
create index rail_inbox_lines_open on rail_inbox_lines (sha256) where closed_by = '';
create index rail_inbox_lines_about on rail_inbox_lines (payment) where payment <> '';
create index rail_inbox_lines_of_payments on rail_inbox_lines (end_to_end_id)
  where closed_by = '' and end_to_end_id <> '';
create index rail_inbox_lines_of_files on rail_inbox_lines (msg_id)
  where closed_by = '' and msg_id <> '';

create function check_inbox_step() returns trigger language plpgsql as $$
begin
  if (new.sha256, new.rail, new.name, new.size, new.received_at)
    is distinct from (old.sha256, old.rail, old.name, old.size, old.received_at)
    or new.kept <> old.kept and (new.kept or new.swept_at is null)
    or new.swept_at is distinct from old.swept_at and (old.swept_at is not null or not old.kept)
    or old.state = 'read' and new.state <> 'read'
    or old.state = 'quarantined' and new.state = 'stored' and not old.kept
  then
    raise exception 'file % of a bank stays as it came', old.name using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger legal_step before update on rail_inbox
  for each row execute function check_inbox_step();
create trigger kept before delete or truncate on rail_inbox
  for each statement execute function refuse_change();

-- Records in the audit log each change of a file by a command or by hand. The service's own changes
-- are not recorded: the rows show them. The arguments of the trigger select what the log has of the
-- row, $1.
create function keep_file_act() returns trigger language plpgsql
security definer set timezone to 'UTC' set search_path to public, pg_temp as $$
declare
  logged text := format('select to_jsonb(r) from (select %s) r', array_to_string(tg_argv, ', '));
  was jsonb;
  is_now jsonb;
begin
  execute logged into was using old;
  execute logged into is_now using new;
  insert into audit_log (table_name, changed_at, changed_by, before, after)
  values (tg_table_name, clock_timestamp(),
    coalesce(nullif(current_setting('corridor.operator', true), ''), session_user), was, is_now);
  return null;
end $$;
create trigger audited after update on rail_files for each row
  when (current_setting('corridor.act', true) <> '' or current_user <> 'corridor_service')
  execute function keep_file_act('($1).msg_id as id', '($1).rail', '($1).state', '($1).reason',
    '($1).approved_by', '($1).forced');
create trigger audited after update on rail_inbox for each row
  when (current_setting('corridor.act', true) <> '' or current_user <> 'corridor_service')
  execute function keep_file_act('encode(($1).sha256, ''hex'') as id', '($1).rail', '($1).name',
    '($1).state', '($1).reason', '($1).closed_by', '($1).note');
create trigger audited after update on rail_inbox_lines for each row
  when (current_setting('corridor.act', true) <> '' or current_user <> 'corridor_service')
  execute function keep_file_act('encode(($1).sha256, ''hex'') as id', '($1).position',
    '($1).reason', '($1).closed_by', '($1).note');

grant select, insert, update on rail_exchanges to corridor_service;
grant select, insert on rail_items, rail_files, rail_inbox, rail_inbox_bytes, rail_inbox_lines
  to corridor_service;
grant update (msg_id, payment_information_id, instruction_id, earlier_files, withdrawn, seal_at,
  closes_at, execution_date)
  on rail_items to corridor_service;
grant update (approved_by, approved_at, state, reason, offered_at, offers, forced, sent_at, uploads,
  updated_at)
  on rail_files to corridor_service;
grant update (state, reason, lines, lines_quarantined, ended_at, closed_by, closed_at, note)
  on rail_inbox to corridor_service;
grant update (closed_by, closed_at, note) on rail_inbox_lines to corridor_service;
-- The finder finds items that are due, and items that a bank reports on. It reads ids and amounts,
-- and nothing about the payee.
grant select (account_id, payout_id, attempt, end_to_end_id, uetr, rail, amount, currency, seal_at,
  closes_at, execution_date, withdrawn, msg_id, payment_information_id, instruction_id, earlier_files,
  created_at)
  on rail_items to corridor_finder;
grant select, insert on rail_item_evidence to corridor_service;
grant select on rail_items, rail_item_evidence, rail_files, rail_exchanges, rail_inbox,
  rail_inbox_bytes, rail_inbox_lines to corridor_auditor;

select confine_to_accounts('rail_items');
select confine_to_accounts('rail_item_evidence');
create policy find on rail_items for select to corridor_finder using (true);
