-- additive: the former version knows none of these tables, and runs on.
-- The statements of banks, their lines, and the matches of lines with items of the books. Each match
-- has equal sums on both sides. So the balance at the bank less the balance in the books is the sum
-- of the open lines less the sum of the open items, at every instant.

-- The files that statements came in, by the hash of their bytes: the same bytes are read once. A
-- file that is refused, or that is none of ours, may be tried again.
create table statement_files (
  sha256 digest primary key,
  received_at timestamptz not null default clock_timestamp(),
  size bigint not null check (size >= 0),
  name text not null check (length(name) <= 300),
  -- The rail whose inbox had the file; '' for one that a person has given.
  rail text not null default '',
  by text not null default '',
  -- other: a file of an inbox that has no statement of a nostro.
  state text not null check (state in ('read', 'refused', 'other')),
  -- Why nothing of it was taken.
  reason text not null default '' check (length(reason) <= 1000),
  -- The account that no nostro has: once one has it, the file is read.
  account text collate "C" not null default '' check (length(account) <= 64),
  constraint left_with_a_reason check ((state = 'read') = (reason = ''))
);
create index statement_files_of_accounts on statement_files (account)
  where state = 'other' and account <> '';
create function refuse_statement_file_change() returns trigger language plpgsql as $$
begin
  raise exception 'file % of statements stays as it is', old.name
    using errcode = 'check_violation', constraint = 'file_stays';
end $$;
create trigger file_stays before update on statement_files for each row
  when (old.state = 'read' or (old.sha256, old.size) is distinct from (new.sha256, new.size))
  execute function refuse_statement_file_change();
create trigger kept before delete or truncate on statement_files
  for each statement execute function refuse_change();

-- A statement is written behind its lines, when it is known which of them were held already.
create sequence bank_statement_ids;
create table bank_statements (
  id bigint primary key,
  sha256 digest not null references statement_files,
  nostro text collate "C" not null references nostros,
  format text not null check (format in ('camt.053', 'mt940', 'bai2', 'csv', 'chain')),
  statement_id text collate "C" not null check (length(statement_id) <= 100),
  sequence text collate "C" not null default '' check (length(sequence) <= 40),
  opened_on date not null,
  closed_on date not null check (closed_on >= opened_on),
  -- Minor units, as the bank says them, or from the opening of the nostro on; null where the format
  -- has none.
  opening bigint,
  closing bigint,
  lines integer not null check (lines >= 0),
  -- The sum of its lines in the currency of the nostro, those included that another statement had.
  amount bigint not null,
  -- Lines that another statement had.
  held integer not null default 0 check (held between 0 and lines),
  state text not null check (state in ('proved', 'gap', 'overlap', 'sum_differs')),
  constraint statement_once unique (nostro, closed_on, statement_id),
  constraint sums_to_its_closing check (
    state <> 'proved' or coalesce(opening + amount = closing, false))
);
create index bank_statements_by_day on bank_statements (nostro, closed_on, id);

create table bank_lines (
  id bigint generated always as identity primary key,
  -- Minor units; money in (+) or out (-).
  amount bigint not null check (amount <> 0),
  statement bigint not null references bank_statements deferrable initially deferred,
  position integer not null check (position > 0),
  -- The live match that it is a member of.
  match bigint,
  booked_on date not null,
  value_on date not null,
  -- Equal lines of one nostro are counted from 1: two equal payments of a day are genuine.
  occurrence integer not null check (occurrence > 0),
  same digest not null,
  nostro text collate "C" not null references nostros,
  currency text not null,
  -- The bank's own code of the transaction, such as PMNT/ICDT/ESCT, NTRF or 475.
  code text collate "C" not null default '' check (length(code) <= 60),
  end_to_end_id text collate "C" not null default '' check (length(end_to_end_id) <= 100),
  uetr text collate "C" not null default '' check (length(uetr) <= 36),
  instruction text collate "C" not null default '' check (length(instruction) <= 100),
  -- The payments that it sums up: PmtInfId, and the id of the file.
  block text collate "C" not null default '' check (length(block) <= 100),
  file text collate "C" not null default '' check (length(file) <= 100),
  bank_reference text collate "C" not null default '' check (length(bank_reference) <= 100),
  -- The virtual IBAN of ours that was credited.
  own_account text collate "C" not null default '' check (length(own_account) <= 64),
  counterparty text collate "C" not null default '' check (length(counterparty) <= 64),
  counterparty_name text not null default '' check (length(counterparty_name) <= 200),
  text text not null default '' check (length(text) <= 1000),
  -- What the payments of a line for many are, in the order of the file: amount, end_to_end_id, uetr,
  -- instruction. '[]' for none. They sum to the line.
  details jsonb not null default '[]' check (jsonb_typeof(details) = 'array'
    and jsonb_array_length(details) <= 20000),
  constraint line_once unique (nostro, same, occurrence),
  constraint line_of_a_place unique (statement, position)
);
create index bank_lines_by_match on bank_lines (match) where match is not null;
create index open_lines on bank_lines (nostro, id) where match is null;
create index bank_lines_by_day on bank_lines (nostro, booked_on, id);
create index bank_lines_to_erase on bank_lines (booked_on)
  where counterparty || counterparty_name || text <> '';
create index bank_lines_of_payments on bank_lines (end_to_end_id) where end_to_end_id <> '';

-- Lines and items of one sum. Automatic matches have by = ''. `lines` and `items` are its members,
-- also after it is undone; the column `match` of a line or an item names its live match.
create table matches (
  id bigint primary key,
  at timestamptz not null default clock_timestamp(),
  undone_at timestamptz,
  lines_sum bigint not null,
  items_sum bigint not null,
  -- The journal of the house that was written with the match, for what the lines have more or less
  -- than the items. An undo reverses it.
  house_number bigint unique references house_journals,
  nostro text collate "C" not null references nostros,
  rule text not null check (rule ~ '^[a-z][a-z0-9_]{1,39}$'),
  by text not null default '',
  note text not null default '' check (length(note) <= 500),
  undone_by text not null default '',
  undo_note text not null default '' check (length(undo_note) <= 500),
  lines bigint[] not null check (cardinality(lines) <= 100000),
  items bigint[] not null check (cardinality(items) <= 100000),
  constraint sums_are_equal check (lines_sum = items_sum),
  constraint match_has_members check (cardinality(lines) + cardinality(items) > 1),
  constraint undone_by_a_person check ((undone_at is null) = (undone_by = ''))
);
create sequence match_ids;
create index matches_by_nostro on matches (nostro, id);
create index open_items_by_file on nostro_items (file, nostro) where match is null and file <> '';
create index open_items_by_instruction on nostro_items (instruction, nostro)
  where match is null and instruction <> '';
create index undone_matches on matches (nostro, id) where undone_at is not null;
alter table bank_lines add constraint of_a_match foreign key (match) references matches
  deferrable initially deferred;
alter table nostro_items add constraint of_a_match foreign key (match) references matches
  deferrable initially deferred;

-- Lines and items name a match before its row is written, and its row is checked against them. So
-- nothing joins a match later.
create function check_members() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
declare
  wrong record;
begin
  -- Sets, and look-ups by primary key: a statement may change thousands of rows.
  select c.id, c.match into wrong
  from (select id, match from before except select id, match from after) c
  where (select count(*) from matches m where m.id = c.match and m.undone_at is null) > 0 limit 1;
  if found then
    raise exception '% % is in match %, which is not undone', tg_table_name, wrong.id, wrong.match
      using errcode = 'check_violation', constraint = 'member_of_one_match';
  end if;
  select c.id, c.match into wrong
  from (select id, match from after except select id, match from before) c
  where (select count(*) from matches m where m.id = c.match) > 0 limit 1;
  if found then
    raise exception 'match % has its members already', wrong.match
      using errcode = 'check_violation', constraint = 'member_of_one_match';
  end if;
  return null;
end $$;
create trigger member_of_one_match after update on bank_lines
  referencing old table as before new table as after
  for each statement execute function check_members();
create trigger member_of_one_match after update on nostro_items
  referencing old table as before new table as after
  for each statement execute function check_members();

create function check_matches() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
declare
  wrong bigint;
begin
  -- Each look-up of members is by the index of their match.
  select m.id into wrong from added m join nostros s on s.name = m.nostro
  cross join lateral (
    select coalesce(array_agg(l.id order by l.id), '{}') as ids, coalesce(sum(l.amount), 0) as amount,
      coalesce(bool_and(l.nostro = m.nostro and l.currency = s.currency), true) as fits
    from bank_lines l where l.match = m.id) l
  cross join lateral (
    select coalesce(array_agg(i.id order by i.id), '{}') as ids, coalesce(sum(i.amount), 0) as amount,
      coalesce(bool_and(i.nostro = m.nostro and i.currency = s.currency), true) as fits
    from nostro_items i where i.match = m.id) i
  where l.ids <> array(select unnest(m.lines) order by 1) or l.amount <> m.lines_sum or not l.fits
    or i.ids <> array(select unnest(m.items) order by 1) or i.amount <> m.items_sum or not i.fits
  limit 1;
  if wrong is not null then
    raise exception 'match % has other members than it names', wrong
      using errcode = 'check_violation', constraint = 'match_is_its_members';
  end if;
  return null;
end $$;
create trigger match_is_its_members after insert on matches referencing new table as added
  for each statement execute function check_matches();
-- Runs at the end of the transaction: an undone match has given its members back, its journal of the
-- house is reversed, and no account keeps money that came with it.
create function check_given_back() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  if exists (select from bank_lines where match = new.id)
    or exists (select from nostro_items where match = new.id)
  then
    raise exception 'match % is undone and has members', new.id
      using errcode = 'check_violation', constraint = 'undone_gives_back';
  end if;
  if new.house_number is not null
    and not exists (select from house_journals where undoes = new.house_number)
  then
    raise exception 'match % is undone and its journal of the house stands', new.id
      using errcode = 'check_violation', constraint = 'undone_reverses_its_journal';
  end if;
  if cardinality(new.lines) > 0 and exists (
    select from nostro_items i where i.id = any (new.items) and i.kind = 'funding'
      and not exists (select from nostro_items r where r.account_id = i.account_id
        and r.number > i.number and r.kind = 'funding_reversal' and r.key = i.key
          and r.amount = -i.amount))
  then
    raise exception 'match % is undone and its funding stands', new.id
      using errcode = 'check_violation', constraint = 'undone_after_its_funding';
  end if;
  return null;
end $$;
create constraint trigger undone_gives_back after update on matches
  deferrable initially deferred for each row execute function check_given_back();
create function refuse_match_change() returns trigger language plpgsql as $$
begin
  raise exception 'match % stays as it is', old.id
    using errcode = 'check_violation', constraint = 'match_stays';
end $$;
create trigger match_stays before update on matches for each row
  when ((old.id, old.at, old.lines_sum, old.items_sum, old.house_number, old.nostro, old.rule, old.by,
      old.note, old.lines, old.items)
    is distinct from (new.id, new.at, new.lines_sum, new.items_sum, new.house_number, new.nostro,
      new.rule, new.by, new.note, new.lines, new.items) or old.undone_at is not null)
  execute function refuse_match_change();
create trigger kept before delete or truncate on matches
  for each statement execute function refuse_change();
-- The history has what people do. The row itself says what the rules did.
create trigger history after insert or update on matches for each row
  when (new.by <> '' or new.undone_by <> '') execute function keep_history('lines', 'items');

-- The content of a statement and of a line never changes.
create function refuse_bank_change() returns trigger language plpgsql as $$
begin
  raise exception 'row % of % stays as it is', old.id, tg_table_name
    using errcode = 'check_violation', constraint = 'bank_said_so';
end $$;
create trigger bank_said_so before update on bank_lines for each row
  when ((old.id, old.amount, old.statement, old.position, old.booked_on, old.value_on, old.occurrence,
      old.same, old.nostro, old.currency, old.code, old.end_to_end_id, old.uetr, old.instruction,
      old.block, old.file, old.bank_reference, old.own_account)
    is distinct from (new.id, new.amount, new.statement, new.position, new.booked_on, new.value_on,
      new.occurrence, new.same, new.nostro, new.currency, new.code, new.end_to_end_id, new.uetr,
      new.instruction, new.block, new.file, new.bank_reference, new.own_account))
  execute function refuse_bank_change();
-- The other side of a line and its text change only to their erased form.
create trigger erased_only before update of counterparty, counterparty_name, text on bank_lines
  for each row when ((new.counterparty, new.counterparty_name, new.text)
    is distinct from (old.counterparty, old.counterparty_name, old.text)
    and new.counterparty || new.counterparty_name || new.text <> '')
  execute function guard_words();
-- Erases the other side of lines that are older than payments are kept, the oldest first, at most
-- `most`. Returns their number.
create function erase_old_lines(most integer) returns integer
language sql security definer set search_path to public, pg_temp as $$
  with old as (
    select l.id from bank_lines l, privacy_settings s
    where l.counterparty || l.counterparty_name || l.text <> ''
      and l.booked_on < (now() - make_interval(years => s.retention_years))::date
    order by l.booked_on limit most
  ), erased as (
    update bank_lines set counterparty = '', counterparty_name = '', text = ''
    where id in (select id from old) returning 1
  )
  select count(*)::integer from erased
$$;
revoke execute on function erase_old_lines(integer) from public;
create trigger bank_said_so before update on bank_statements for each row
  when ((old.id, old.sha256, old.nostro, old.format, old.statement_id, old.sequence, old.opened_on, old.closed_on,
      old.opening, old.closing, old.lines, old.amount, old.held)
    is distinct from (new.id, new.sha256, new.nostro, new.format, new.statement_id, new.sequence, new.opened_on,
      new.closed_on, new.opening, new.closing, new.lines, new.amount, new.held))
  execute function refuse_bank_change();
create trigger kept before delete or truncate on bank_lines
  for each statement execute function refuse_change();
create trigger kept before delete or truncate on bank_statements
  for each statement execute function refuse_change();
create trigger counted after insert on bank_lines referencing new table as added
  for each statement execute function add_to_total('bank');

-- Notes of people on a line, an item or a statement, and who looks after it.
create table case_notes (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  of text not null check (of in ('line', 'item', 'statement')),
  row_id bigint not null,
  by text not null check (by <> ''),
  owner text not null default '' check (length(owner) <= 200),
  note text not null check (note <> '' and length(note) <= 1000)
);
create index case_notes_by_row on case_notes (of, row_id, id);
create trigger append_only before update or delete or truncate on case_notes
  for each statement execute function refuse_change();

grant usage on sequence match_ids, bank_statement_ids to corridor_service;
grant execute on function erase_old_lines(integer) to corridor_service;
grant update (received_at, name, rail, by, state, reason, account) on statement_files
  to corridor_service;
grant update (counterparty, counterparty_name, text) on bank_lines to corridor_service;
grant select, insert on statement_files, bank_statements, bank_lines, matches, case_notes
  to corridor_service;
grant update (state) on bank_statements to corridor_service;
grant update (match) on bank_lines to corridor_service;
grant update (undone_at, undone_by, undo_note) on matches to corridor_service;
grant select on statement_files, bank_statements, bank_lines, matches, case_notes
  to corridor_auditor;
