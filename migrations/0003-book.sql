-- The book of an account: double entry, append-only, one row for each journal. account_id comes
-- first in every primary key: no two accounts share a row, and Citus distributes these tables by
-- account_id.

-- An interval without days and months, because their length depends on the time zone.
create domain clock_lead as interval check (value >= '0' and extract(day from value) = 0
  and extract(month from value) = 0 and extract(year from value) = 0);

-- One row for each account. Every write of the account locks it first. The row has the heads of the
-- account's chains, and copies of the account's columns that writes and triggers need. So most
-- triggers of accounts' rows read no table of the coordinator and run where the row is
-- (docs/decisions/citus.md). `corridor distribute` drops the others, such as
-- payouts.may_be_made, which reads accounts and approval_rules.
create table books (
  account_id text collate "C" primary key,
  journal_count not_negative not null default 0,
  event_count not_negative not null default 0,
  last_written_at timestamptz not null default clock_timestamp(),
  -- How far the account's clock is ahead of the database's; only a sandbox's can be.
  clock_ahead clock_lead not null default '0',
  head_hash digest not null,
  event_head digest not null default decode(repeat('00', 32), 'hex'),
  -- How much requests of the account have written on a day of UTC, by its number since 1970.
  written_day integer not null default 0,
  written_rows not_negative not null default 0,
  written_bytes not_negative not null default 0,
  -- The `sandbox` of the account, which never changes.
  sandbox boolean not null default false,
  -- The `state` of the account. The trigger legal_change of accounts copies each change.
  state account_state not null default 'active',
  constraint clock_of_a_sandbox check (sandbox or clock_ahead = '0')
) with (fillfactor = 50);

create function refuse_clock_back() returns trigger language plpgsql as $$
begin
  raise exception 'the clock of account % cannot go back', new.account_id
    using errcode = 'check_violation';
end $$;
create trigger clock_goes_forward before update of clock_ahead on books
  for each row when (new.clock_ahead < old.clock_ahead) execute function refuse_clock_back();

-- The time of a book is at most ten minutes ahead of the clock. MAX_JUMP_MS in src/ledger/clock.ts is
-- the same.
create function refuse_time_ahead() returns trigger language plpgsql as $$
begin
  raise exception 'the time of account % is too far ahead of the clock', new.account_id
    using errcode = 'check_violation', constraint = 'time_near_clock';
end $$;
create trigger time_near_clock before insert or update of last_written_at on books
  for each row
  when (new.last_written_at > clock_timestamp() + new.clock_ahead + interval '10 minutes')
  execute function refuse_time_ahead();

-- What the service last saw of the database's clock, at most once a minute, and whether that clock
-- has jumped since: then nothing writes to a book (docs/decisions/ids-and-clocks.md).
create table database_clock (
  only_row boolean primary key default true check (only_row),
  seen_at timestamptz not null,
  -- The clock of the machine of the process that looked, at the same moment.
  seen_by_host timestamptz not null,
  -- The time that was expected, and the time that was found; null while the clock is right.
  stopped_from timestamptz,
  stopped_at timestamptz,
  check ((stopped_from is null) = (stopped_at is null))
);

-- Each time an operator has confirmed the clock after a jump. Between the two times, the times of a
-- book may go back once.
create table clock_corrections (
  number bigint generated always as identity primary key,
  -- The later of the expected time and the newest time of any book.
  set_from timestamptz not null,
  -- The confirmed time.
  set_to timestamptz not null
);
create trigger append_only before update or delete or truncate on clock_corrections
  for each statement execute function refuse_change();
create trigger history after insert on clock_corrections
  for each row execute function keep_history();

-- Confirms the present time of the clock: `host` is the clock of the caller's machine. Books, kept
-- answers and payees that are ahead get the confirmed time. What is due later than the service
-- itself would set it is due now.
create function confirm_clock(host timestamptz) returns clock_corrections language plpgsql
security definer set search_path to public, pg_temp as $$
declare
  correction clock_corrections;
  present timestamptz;
  before text := coalesce(current_setting('corridor.maintenance', true), '');
begin
  perform set_config('corridor.maintenance', 'on', true);
  lock table books in share row exclusive mode;
  present := clock_timestamp();
  insert into clock_corrections (set_from, set_to)
  values (greatest(present, (select stopped_from from database_clock),
    (select max(last_written_at - clock_ahead) from books)), present)
  returning * into correction;
  update open_payouts o set ask_rail_at = present, claimed_until = null from books b
  where b.account_id = o.account_id and ask_rail_at > present + interval '1 day 10 minutes'
    and (updated_at > present + b.clock_ahead + interval '10 minutes'
      or rail_attempts > 0 and not exists (
        select from payout_attempts a where a.account_id = o.account_id and a.payout_id = o.id
          and a.ended_at is null and a.asked_at is null));
  update open_payouts set claimed_until = null where claimed_until > present + interval '10 minutes';
  update ended_reviews set due_at = present where due_at > present + interval '10 minutes';
  update screening_queue set due_at = present where due_at > present + interval '10 minutes';
  update screening_pass set due_at = present where due_at > present + interval '10 minutes';
  update webhook_deliveries set due_at = present where due_at > present + interval '1 day';
  update limit_payees p set known_since = present + b.clock_ahead from books b
  where b.account_id = p.account_id and known_since > present + b.clock_ahead;
  update idempotency_keys k set created_at = present from books b
  where b.account_id = k.account_id and not b.sandbox and k.created_at > present;
  update books set last_written_at = present + clock_ahead
  where last_written_at > present + clock_ahead;
  insert into database_clock (seen_at, seen_by_host) values (present, host)
  on conflict (only_row) do update set seen_at = excluded.seen_at,
    seen_by_host = excluded.seen_by_host, stopped_from = null, stopped_at = null;
  perform set_config('corridor.maintenance', before, true);
  return correction;
end $$;
revoke execute on function confirm_clock(timestamptz) from public;

create table balances (
  account_id text collate "C" not null,
  currency text not null,
  available bigint not null default 0,
  updated_at timestamptz not null default statement_timestamp(),
  -- The `state` of the account, which the same trigger copies.
  account_state account_state not null default 'active',
  primary key (account_id, currency),
  constraint balance_not_negative check (available >= 0)
) with (fillfactor = 50);

-- No balance of a frozen account decreases. No balance of a closed account changes.
create function refuse_move() returns trigger language plpgsql as $$
begin
  raise exception 'account % is %', new.account_id, new.account_state
    using errcode = 'check_violation';
end $$;
-- Only the trigger of accounts changes the state in books and balances. A statement that changes it
-- directly is refused.
create function refuse_state() returns trigger language plpgsql as $$
begin
  raise exception 'the state of account % is changed in accounts', new.account_id
    using errcode = 'check_violation';
end $$;
create trigger state_of_account before update of state on books
  for each row when (new.state <> old.state and pg_trigger_depth() = 0)
  execute function refuse_state();
create trigger state_of_account before update of account_state on balances
  for each row when (new.account_state <> old.account_state and pg_trigger_depth() = 0)
  execute function refuse_state();
create trigger account_may_move before update of available on balances
  for each row when (new.available <> old.available and new.account_state <> 'active'
    and (new.account_state = 'closed' or new.available < old.available))
  execute function refuse_move();

create domain journal_kind as text constraint known_kind check (
  value in ('funding', 'payout', 'receipt', 'settlement', 'failure', 'reversal', 'withdrawal',
    'adjustment', 'funding_reversal', 'withdrawal_reversal', 'adjustment_reversal'));
create domain posting_codes as text constraint known_codes check (
  string_to_array(value, ' ') <@ array['adjustments', 'available', 'fees', 'funding', 'fx',
    'fx_income', 'in_transit', 'inter_account', 'settled']);

-- Does a journal keep the rules of its table? Raises check_violation with the first rule that it
-- breaks as its constraint. A function, because these rules would be four fifths of all that
-- PostgreSQL reads of CHECKs for a payout. As with a CHECK, a rule that is null holds. The function
-- calls none of ours: a restore has an empty search_path, and Citus copies only what a CHECK names.
create function journal_is_sound(kind text, codes text, currencies text, amounts bigint[],
  currency text, amount bigint, fixed_fee bigint, variable_fee bigint, balance_after bigint,
  undoes text, fx_conversions json, metadata json) returns boolean
language plpgsql immutable parallel safe as $$
declare
  moved bigint := amount + fixed_fee + variable_fee;
  code_of text[] := string_to_array(codes, ' ');
  currency_of text[] := string_to_array(currencies, ' ');
  available integer := array_position(code_of, 'available');
  balances boolean;
  broken text;
begin
  if cardinality(amounts) in (2, 3) and 0 <> all (amounts) and currency_of[1] = all (currency_of)
  then
    -- Most journals have two or three postings in one currency. These are added without a query.
    balances := (amounts[1]::numeric + amounts[2]
      + case cardinality(amounts) when 2 then 0 else amounts[3] end = 0) is true;
  else
    -- Sums are numeric, so none overflows.
    balances := cardinality(amounts) > 1 and array_ndims(amounts) = 1
      and array_lower(amounts, 1) = 1 and not exists (
      select from unnest(currency_of, amounts) as posting (c, a) group by c
      having sum(a) <> 0 or bool_or(c is null or a is null or a = 0));
  end if;
  broken := case
    when not (balances and cardinality(code_of) = cardinality(amounts)
      and cardinality(currency_of) = cardinality(amounts)) then 'journal_sums_to_zero'
    when not case kind
      when 'settlement' then num_nonnulls(currency, amount, fixed_fee, variable_fee, balance_after,
        undoes, fx_conversions, metadata) = 0
      else num_nulls(currency, amount, fixed_fee, variable_fee, balance_after) = 0
    end then 'line_unless_settlement'
    -- The line's amount and fees sum to the journal's one posting on `available`, in the same
    -- currency.
    when not case
      when currency is null then available is null
      else (array_position(code_of, 'available', coalesce(available, 0) + 1) is null
        and amounts[available] = moved
        and currency_of[available] = currency) is true
    end then 'line_is_what_moved'
    when not case
      when kind in ('payout', 'withdrawal', 'funding_reversal') then moved < 0
      when kind in ('funding', 'receipt', 'failure', 'reversal', 'withdrawal_reversal') then moved > 0
      else true
    end then 'direction_matches_kind'
    when (undoes is not null) <> (kind in ('failure', 'reversal', 'funding_reversal',
      'withdrawal_reversal', 'adjustment_reversal')) then 'undoes_if_it_gives_back'
    -- A line that only an operator books names its author and its reason.
    when kind in ('withdrawal', 'adjustment', 'funding_reversal', 'withdrawal_reversal',
        'adjustment_reversal')
      and not (coalesce(metadata ->> 'by', '') <> '' and coalesce(metadata ->> 'reason', '') <> ''
        and (kind not in ('withdrawal', 'adjustment')
          or coalesce(metadata ->> 'reference', '') <> '')) then 'booked_with_reason'
  end;
  if broken is null then return true; end if;
  raise exception 'new row for relation "journals" violates check constraint "%"', broken
    using errcode = 'check_violation', table = 'journals', constraint = broken;
end $$;

-- One row for each journal, with the line of the customer's statement that the journal makes. A
-- settlement moves no balance and makes no line. Posting i is word i of `codes`, word i of
-- `currencies` and amounts[i]. docs/glossary.md explains the codes, and the view postings shows
-- each posting. Words separated by spaces take a third of the space of an array. Columns of fixed
-- width come first, because PostgreSQL reads them fastest.
create table journals (
  number positive not null,
  created_at timestamptz not null,
  -- The line's amount, signed and without fees, its fees, and the balance after it. Null without a
  -- line.
  amount bigint,
  fixed_fee bigint,
  variable_fee bigint,
  balance_after not_negative,
  account_id text collate "C" not null,
  kind journal_kind not null,
  -- The payout or the booking that caused it.
  source text collate "C" not null,
  -- The currency of the line; null without a line.
  currency text,
  codes posting_codes not null,
  currencies text not null,
  amounts bigint[] not null,
  -- SHA-256 over the previous row's hash and this row's content; ledger/rules.ts has the recipe.
  hash digest not null,
  -- The balance transaction whose movement the line reverses; null for none, as are the next two
  -- columns.
  undoes text collate "C",
  fx_conversions json,
  metadata json,
  primary key (account_id, number),
  constraint sound_journal check (journal_is_sound(kind, codes, currencies, amounts, currency, amount,
    fixed_fee, variable_fee, balance_after, undoes, fx_conversions, metadata))
);
-- The primary key is the order of the chain, and finds a line by the number in its id. The indexes
-- below have lines only. They are partial, on conditions that no look-up by number states:
-- otherwise a look-up that is planned while the table is empty would use one of them.
-- A payout debits its account once and credits its receiver once. Each booking is made once.
create unique index booked_once on journals (account_id, source)
  where undoes is null and kind <> 'settlement';
-- A line's movement is reversed once.
create unique index undone_once on journals (account_id, undoes) where undoes is not null;
-- The lines of a currency in order: for the list, and for the balance at an instant, which the last
-- line at or before that instant has.
create index journals_by_currency on journals (account_id, currency, number)
  where currency is not null;
-- A bank's reference funds, withdraws from or adjusts an account once.
create unique index journals_by_reference on journals (account_id, kind, (metadata ->> 'reference'))
  where kind in ('funding', 'withdrawal', 'adjustment') and metadata ->> 'reference' is not null;
-- For filters that few lines match: without these indexes a search would walk the index of the
-- currency to its end. The line of an ordinary payout is in neither index.
create index journals_by_kind on journals (account_id, kind, number)
  where kind not in ('payout', 'settlement');
create index journals_of_credits on journals (account_id, number)
  where amount + fixed_fee + variable_fee > 0;
create trigger append_only before update or delete or truncate on journals
  for each statement execute function refuse_change();

-- A payout gives back what it took, whole. Only where it converted may the house keep a part of the
-- principal, which the line names as rate_difference: the rate has moved since its price ended.
create function gives_back_what_was_taken() returns trigger language plpgsql as $$
declare
  debit journals;
  difference bigint := coalesce((new.metadata ->> 'rate_difference')::bigint, 0);
begin
  select * into debit from journals d
  where d.account_id = new.account_id and d.source = new.source and d.kind = 'payout'
    and d.undoes is null and d.kind <> 'settlement';
  if debit.number is null or debit.currency <> new.currency
      or new.fixed_fee <> -debit.fixed_fee or new.variable_fee <> -debit.variable_fee
      or new.amount <> -debit.amount - difference or difference < 0
      or (difference > 0 and debit.fx_conversions is null)
      or (new.metadata ->> 'rate_difference' is not null and difference = 0) then
    raise exception 'journal % of % gives back other than was taken', new.number, new.account_id
      using errcode = 'check_violation', constraint = 'gives_back_what_was_taken';
  end if;
  return null;
end $$;
create trigger gives_back_what_was_taken after insert on journals for each row
  when (new.kind in ('failure', 'reversal')) execute function gives_back_what_was_taken();

-- One row for each posting, for people who read the database. The service and `corridor verify`
-- read journals.
create view postings with (security_invoker = true) as
select account_id, number, code, p.currency, p.amount from journals j,
  unnest(string_to_array(codes, ' '), string_to_array(currencies, ' '), amounts)
    as p (code, currency, amount);

-- numbered_id makes the id of an object that has a number in its book, as numberedId in src/values/id.ts
-- does.
create function base32(value bigint, length integer) returns text
language sql immutable strict parallel safe as $$
  select string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz',
    ((value >> (5 * i)) & 31)::integer + 1, 1), '' order by i desc)
  from generate_series(0, length - 1) i
$$;
create function numbered_id(prefix text, account_id text, created_at timestamptz, number bigint)
returns text language sql immutable strict parallel safe as $$
  select prefix || '_' || base32((extract(epoch from created_at) * 1000000)::bigint / 1000, 9)
    || base32(number, 7) || base32(('x' || left(encode(sha256(convert_to(account_id, 'UTF8')), 'hex'), 5)
      )::bit(20)::bigint, 4)
$$;

-- The lines as the API shows them, for people who read the database. `corridor verify` and the
-- service read journals.
create view balance_transactions with (security_invoker = true) as
select account_id, numbered_id('btr', account_id, created_at, number) as id,
  number as journal_number,
  case kind
    when 'funding' then 'escrow'
    when 'receipt' then 'payout'
    when 'failure' then 'payout_failure'
    when 'reversal' then 'payout_reversal'
    when 'funding_reversal' then 'escrow_reversal'
    else kind
  end as type,
  case when amount + fixed_fee + variable_fee > 0 then 'credit' else 'debit' end as operation_type,
  currency, amount, fixed_fee, variable_fee, amount + fixed_fee + variable_fee as net_amount,
  balance_after, coalesce(fx_conversions, '[]') as fx_conversions, source as description,
  coalesce(undoes, source) as source, coalesce(metadata, '{}') as metadata, created_at
from journals where currency is not null;

-- One reference of a bank funds one live account: a payment that is booked for the wrong account,
-- and then for the right one, would give out its money twice. The check spans accounts, so the
-- table is small and has no row-level security. The service's role neither reads nor writes the
-- table: functions that run as its owner do.
create table funding_references (
  account_id text collate "C" not null references accounts,
  -- The id of the balance transaction that books it.
  id text collate "C" not null,
  -- As fold_reference returns it.
  reference text collate "C" not null,
  -- The operator has said that one payment is split over accounts.
  split boolean not null,
  reversed boolean not null default false,
  primary key (account_id, id)
);
create index funding_references_by_reference on funding_references (reference);
-- Two bookings of one reference at the same moment wait for each other here.
create unique index one_live_account_a_reference on funding_references (reference)
  where not split and not reversed;

-- Removes white space and converts to capital letters, because copies of a reference differ in
-- these. Collation "C" converts only ASCII letters, and the white space is listed, so that every
-- server folds alike. `foldedReference` in src/statements/funding/rules.ts does the same.
create function fold_reference(reference text) returns text
language sql immutable strict parallel safe as $$
  select upper(regexp_replace(reference collate "C",
    '[\u0009-\u000d\u0020\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]', '', 'g'))
$$;

create function keep_reference(funded text, line text, bank_reference text, is_split boolean)
returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  folded text := fold_reference(bank_reference);
begin
  if (select sandbox from accounts where account_id = funded) then return; end if;
  if not is_split and exists (select from funding_references
    where reference = folded and account_id <> funded and not reversed)
  then
    raise exception 'reference % has funded another account', folded
      using errcode = 'unique_violation', constraint = 'one_live_account_a_reference';
  end if;
  -- A reference funds an account once, however it is written, even if that funding was reversed.
  if exists (select from funding_references where reference = folded and account_id = funded) then
    raise exception 'reference % has funded account % before', folded, funded
      using errcode = 'unique_violation', constraint = 'one_live_account_a_reference';
  end if;
  insert into funding_references (account_id, id, reference, split)
  values (funded, line, folded, is_split);
end $$;

create function release_reference(funded text, line text)
returns void language sql security definer set search_path = public, pg_temp as $$
  update funding_references set reversed = true where account_id = funded and id = line
$$;

-- On a distributed database journals are on other machines than funding_references, and the service
-- calls keep_reference and release_reference itself.
create function keep_funding_reference() returns trigger language plpgsql
security definer set search_path = public, pg_temp as $$
begin
  if new.kind = 'funding_reversal' then
    perform release_reference(new.account_id, new.undoes);
  else
    perform keep_reference(new.account_id,
      numbered_id('btr', new.account_id, new.created_at, new.number),
      new.metadata ->> 'reference', coalesce(new.metadata ->> 'split', '') = 'true');
  end if;
  return null;
end $$;
create trigger funds_one_account after insert on journals for each row
  when (new.kind = 'funding' and new.metadata ->> 'reference' is not null)
  execute function keep_funding_reference();
create trigger funds_no_more after insert on journals for each row
  when (new.kind = 'funding_reversal') execute function keep_funding_reference();

-- For each asked reference that funds another account, that account and its balance transaction,
-- which the answer names. Another transaction that asks about one of the references waits until
-- this one ends, so that no two decide at the same moment.
create function funded_elsewhere(account_ids text[], bank_references text[])
returns table (asked_id text, asked_reference text, account_id text, id text)
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(folded, 0)) from (
    select distinct fold_reference(asked) collate "C" as folded
    from unnest(bank_references) as r (asked) where asked <> '' order by 1) ordered;
  return query
    select distinct on (a.asked_id, a.asked_reference) a.asked_id, a.asked_reference,
      f.account_id, f.id
    from unnest(account_ids, bank_references) as a (asked_id, asked_reference)
    join accounts c on c.account_id = a.asked_id and not c.sandbox
    join funding_references f on f.reference = fold_reference(a.asked_reference)
      and f.account_id <> a.asked_id and not f.reversed
    order by a.asked_id, a.asked_reference, f.id;
end $$;

-- Events: what happened to an account, in order, numbered without gaps. The rows are chained like
-- journals (docs/decisions/row-level-security-and-seals.md). A row has up to eight events, of one
-- command or of several commands of a batch; `sequence` is the number of its last event
-- (docs/decisions/storage-of-events.md, src/statements/event/row.ts). The view each_event has one row for each
-- event.
create domain event_words as text collate "C" constraint words_of_events check (
  -- A Q alone precedes the word of its payout. A number has as many digits as fit into an id.
  value ~ ('^(-|S|Q P[0-9a-z]{9}|[QPB][0-9a-z]{9}|L[1-9][0-9]{0,10}|D[1-9][0-9]{0,10}[.][0-9a-z]{20})'
    '( (Q P[0-9a-z]{9}|[QPB][0-9a-z]{9}|L[1-9][0-9]{0,10}|D[1-9][0-9]{0,10}[.][0-9a-z]{20}))*$')
  and cardinality(string_to_array(value, ' ')) <= 8);
create domain digests as bytea check (octet_length(value) % 32 = 0);
create table events (
  sequence bigint not null,
  created_at timestamptz not null,
  account_id text collate "C" not null,
  -- One word for each event, in order; its letter says what happened. B, Q, P: a beneficiary, quote
  -- or payout was created at the time of the row; the end of its id follows. Q alone: the quote
  -- that the payout of the next word carries. L: a balance transaction was created; the number of
  -- its journal follows. D: the rail reported that a payout succeeded; the number of the journal
  -- and the end of the payout's id follow. S: payout `object_id` succeeded in another way. -: an
  -- event of type `type` about `object_id`.
  told event_words not null,
  -- The type of a -, else beneficiary.created if the row has a B, else ''. The index below has only
  -- these rare types.
  type text collate "C" not null,
  -- The object of a - or S, else ''. The event of a creation is found by the time in the object's
  -- id, and the event of a D by the time of the payout's outcome.
  object_id text collate "C" not null,
  -- The data of each event, null for an event with the usual data. When an event is read, the
  -- service makes its object, as it was then, of these data and of values that never change
  -- (docs/decisions/events-and-webhooks.md).
  data json,
  -- The digests of the rows that the events are about, as the events left them, of 32 bytes each.
  -- The events of lines and of carried quotes have none.
  content digests,
  -- The digest of the answer kept for the Idempotency-Key of the request that ends with this row;
  -- null for none.
  kept digest,
  -- SHA-256 over the previous row's hash and this row's content; statements/event/rules.ts has the recipe.
  hash digest not null,
  primary key (account_id, sequence),
  constraint numbered_from_one check (cardinality(string_to_array(told, ' ')) <= sequence),
  constraint named_as_told check (
    (type <> '') = (left(told, 1) = '-' or strpos(told, 'B') > 0)
      and (object_id <> '') = (strpos('-S', left(told, 1)) > 0)
  )
);
create index events_by_object on events (account_id, object_id, sequence) where object_id <> '';
create index events_by_type on events (account_id, type, sequence) where type <> '';
create trigger append_only before update or delete or truncate on events
  for each statement execute function refuse_change();

-- The part of an id that holds the time, for an id that a book gives at this time.
create function id_time(at timestamptz) returns text
language sql stable parallel safe as $$
  select base32((extract(epoch from at) * 1000000)::bigint, 11)
$$;

-- One row for each event, for people: EACH_EVENT of src/statements/event/row-sql.ts, which says
-- what the columns are. A test compares the two.
create view each_event with (security_invoker = true) as
select account_id, number as sequence, sequence as row_sequence,
  numbered_id('evt', account_id, created_at, number) as id,
  case mark when 'B' then 'beneficiary.created' when 'Q' then 'payout_quote.created'
    when 'P' then 'payout.created' when 'L' then 'balance_transaction.created'
    when 'D' then 'payout.succeeded' when 'S' then 'payout.succeeded' else type end collate "C"
    as type,
  case mark when 'B' then 'bnf_' || id_time(created_at) || ending
    when 'Q' then 'poq_' || id_time(created_at) || ending
    when 'P' then 'pot_' || id_time(created_at) || ending
    when 'L' then numbered_id('btr', account_id, created_at, ending::bigint)
    when 'D' then 'pot_' || split_part(ending, '.', 2)
    else object_id end collate "C" as object_id,
  case
    when json_typeof(data -> (nth - 1)) = 'object' then data -> (nth - 1)
    when mark = 'P' then format('{"status":"processing","by":"account","journals":[%s]}',
      case when words[nth + 1] like 'L%' then substr(words[nth + 1], 2) end)::json
    when mark = 'D' then format('{"status":"succeeded","previous_status":"processing",'
      '"failure":null,"by":"rail","journals":[%s]}', split_part(ending, '.', 1))::json
    else '{}' end as data,
  created_at, mark, ending, object_id as about, word = 'Q'
    or coalesce(words[nth - 1] = 'Q', false) as carried,
  -- Counts from the end, 32 bytes for each later word with a digest. Lines and carried quotes have
  -- none. The first word may lack one: the length of content shows it.
  case when mark <> 'L' and word <> 'Q' then nullif(substr(content, octet_length(content) - 31
    - 32 * (length(replace(rest, 'Q ', ' ')) - length(translate(rest, 'BQPD', ''))), 32), '') end
    as content,
  case when nth = cardinality(words) then kept end as kept
from (
  select e.*, word, nth::integer as nth, sequence - cardinality(words) + nth as number,
    left(word, 1) as mark,
    case word when 'Q' then substr(words[nth + 1], 2) else substr(word, 2) end as ending,
    array_to_string(words[nth + 1:], ' ') as rest
  from (select *, string_to_array(told, ' ') as words from events) e
  cross join lateral unnest(words) with ordinality as w (word, nth)
) w;

-- Answers kept for 24 hours (§idempotency.key). Each is written in the transaction of its effect.
create table idempotency_keys (
  created_at timestamptz not null,
  status integer not null check (status between 200 and 299),
  account_id text collate "C" not null,
  -- Method and path, such as 'POST /v3/payout'.
  operation text not null,
  key text not null,
  -- SHA-256 of the body with its keys sorted, so that white space and the order of keys do not
  -- change it.
  request_hash digest not null,
  body text not null,
  -- The answer's own headers; null for none.
  headers json,
  primary key (account_id, operation, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);
