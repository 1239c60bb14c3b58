-- additive: the former version knows none of these tables, and runs on.
-- The books of the house: its accounts at banks, the items that its books expect there, and what no
-- account's journal has: bank fees, transfers, deals. Everything about accounts is derived from
-- their journals, which have numbers without gaps (docs/decisions/treasury.md).

create function are_distinct(list text[]) returns boolean language sql immutable as $$
  select count(distinct one) = count(*) from unnest(list) as u (one)
$$;

-- An account of ours at a bank, a provider or a chain, in one currency.
create table nostros (
  name text collate "C" primary key check (name ~ '^[a-z][a-z0-9_]{1,39}$'),
  kind text not null check (kind in ('bank', 'provider', 'chain', 'cash')),
  currency text not null,
  institution text not null default '' check (length(institution) <= 200),
  -- How statements name it: its IBAN or its number, and the bank's BIC; '' for not set.
  account text collate "C" not null default '' check (length(account) <= 64),
  bic text collate "C" not null default '' check (length(bic) <= 11),
  -- Whose money it holds.
  purpose text not null check (purpose in ('client', 'own')),
  -- The pool of safeguarded money that it belongs to.
  pool text not null default 'none' check (pool in ('payments', 'emoney', 'none')),
  -- The rails whose payouts leave from it.
  rails text[] collate "C" not null default '{}' check (cardinality(rails) <= 50)
    constraint rails_named_once check (are_distinct(rails)),
  -- The balance in minor units, at the bank and in the books, at the start of this day of UTC.
  opening_balance bigint not null,
  opening_on date not null,
  closed_at timestamptz,
  settings jsonb not null default '{}' check (jsonb_typeof(settings) = 'object'
    and octet_length(settings::text) <= 16384),
  constraint own_money_is_in_no_pool check (purpose = 'client' or pool = 'none')
);
create unique index nostros_by_account on nostros (account, currency)
  where account <> '' and closed_at is null;
create function refuse_nostro_change() returns trigger language plpgsql as $$
begin
  raise exception 'nostro % keeps its currency, its purpose and its opening', old.name
    using errcode = 'check_violation', constraint = 'nostro_keeps';
end $$;
create trigger nostro_keeps before update on nostros for each row
  when ((old.name, old.kind, old.currency, old.purpose, old.opening_balance, old.opening_on)
    is distinct from (new.name, new.kind, new.currency, new.purpose, new.opening_balance,
      new.opening_on) or old.closed_at is not null)
  execute function refuse_nostro_change();
create trigger kept before delete or truncate on nostros
  for each statement execute function refuse_change();
create trigger history after insert or update on nostros
  for each row execute function keep_history();

-- How far the journals of an account are derived: up to and with this number.
create table account_cursors (
  account_id text collate "C" primary key,
  number not_negative not null
);
create function refuse_cursor_back() returns trigger language plpgsql as $$
begin
  raise exception 'the cursor of account % cannot go back', old.account_id
    using errcode = 'check_violation', constraint = 'cursor_rises';
end $$;
create trigger cursor_rises before update on account_cursors
  for each row when (new.number < old.number or new.account_id <> old.account_id)
  execute function refuse_cursor_back();
create trigger kept before delete or truncate on account_cursors
  for each statement execute function refuse_change();

-- The sums of an account's postings by day of UTC, which the transaction that moves the cursor adds
-- to.
create table account_days (
  day date not null,
  account_id text collate "C" not null,
  currency text not null,
  code text not null,
  amount numeric not null,
  postings bigint not null check (postings > 0),
  -- The newest journal in the sum.
  number bigint not null,
  primary key (account_id, day, currency, code)
);
create index account_days_by_day on account_days (day, currency, code) include (amount);
create trigger kept before delete or truncate on account_days
  for each statement execute function refuse_change();

-- A journal of the house, which no account's book has: one row, as in `journals`, and one chain over
-- all. A posting on `bank` belongs to the nostro at its place in `nostros`; other postings have '-'
-- there. Signs are those of `journals`: money that comes in is negative on `bank`.
create table house_journals (
  number bigint primary key check (number > 0),
  created_at timestamptz not null default clock_timestamp(),
  value_on date not null,
  kind text not null check (kind in ('cost', 'interest', 'transfer', 'deal', 'own_funds', 'topup',
    'write_off', 'correction')),
  codes text not null constraint known_codes check (string_to_array(codes, ' ')
    <@ array['bank', 'costs', 'interest', 'own_funds', 'fx', 'write_offs']),
  currencies text not null,
  nostros text collate "C" not null,
  amounts bigint[] not null,
  -- The journal that this one reverses.
  undoes bigint unique references house_journals,
  reference text not null default '' check (length(reference) <= 200),
  note text not null default '' check (length(note) <= 500),
  -- The person; or the rule of a match that made it.
  by text not null check (by <> ''),
  -- SHA-256 over the previous row's hash and this row's content.
  hash digest not null
);
create function house_journal_is_sound(codes text, currencies text, nostros text, amounts bigint[])
returns boolean language sql immutable parallel safe as $$
  select count(*) between 2 and 20
    and bool_and(code is not null and currency is not null and nostro is not null
      and amount is not null and amount <> 0 and (code = 'bank') = (nostro <> '-'))
    and not exists (select from unnest(string_to_array(currencies, ' '), amounts) as s (c, a)
      group by c having sum(a) <> 0)
  from unnest(string_to_array(codes, ' '), string_to_array(currencies, ' '),
    string_to_array(nostros, ' '), amounts) as p (code, currency, nostro, amount)
$$;
alter table house_journals add constraint house_sums_to_zero
  check (house_journal_is_sound(codes, currencies, nostros, amounts));

-- The content that a hash is made of; `corridor verify` makes it again.
create function house_content(j house_journals) returns bytea language sql stable
set timezone to 'UTC' set datestyle to 'ISO' as $$
  select convert_to(concat_ws(E'\n', j.number, j.created_at, j.value_on, j.kind, j.codes,
    j.currencies, j.nostros, array_to_string(j.amounts, ' '), coalesce(j.undoes, 0),
    to_json(j.reference), to_json(j.note), to_json(j.by)), 'UTF8')
$$;
create function chain_house_journal() returns trigger language plpgsql as $$
declare
  head house_journals;
begin
  -- One writer at a time: the next one sees this one's row.
  perform pg_advisory_xact_lock(hashtextextended('corridor house_journals', 0));
  select * into head from house_journals order by number desc limit 1;
  new.number := coalesce(head.number, 0) + 1;
  new.hash := sha256(coalesce(head.hash, decode(repeat('00', 32), 'hex')) || house_content(new));
  return new;
end $$;
create trigger chained before insert on house_journals
  for each row execute function chain_house_journal();
create trigger append_only before update or delete or truncate on house_journals
  for each statement execute function refuse_change();
create trigger history after insert on house_journals
  for each row execute function keep_history();

-- What our books expect on a nostro: one item for each journal of an account that touches `settled`
-- or `funding`, and one for each nostro of a journal of the house. The amount is money in (+) or
-- out (-). The content never changes.
create table nostro_items (
  id bigint generated always as identity primary key,
  amount bigint not null check (amount <> 0),
  booked_at timestamptz not null,
  number bigint,
  house_number bigint references house_journals,
  -- The live match that it is a member of.
  match bigint,
  value_on date not null,
  attempt integer,
  -- '' until a nostro is known: it is set once.
  nostro text collate "C" not null default '',
  currency text not null,
  kind text not null check (kind in ('payout', 'payout_return', 'funding', 'withdrawal',
    'funding_reversal', 'withdrawal_reversal', 'house')),
  account_id text collate "C" not null default '',
  payout_id text collate "C" not null default '',
  rail text collate "C" not null default '',
  -- What the bank returns: the EndToEndId, the provider's reference or the hash of a transaction, or
  -- a folded reference; the UETR; the instruction, or of a booking made of a bank's line that line,
  -- as line_42; the block of payments; the file. '' for none.
  key text collate "C" not null default '',
  uetr text collate "C" not null default '',
  instruction text collate "C" not null default '',
  block text collate "C" not null default '',
  file text collate "C" not null default '',
  constraint item_of_a_journal check ((number is null) <> (house_number is null)
    and (account_id <> '') = (number is not null) and (kind = 'house') = (house_number is not null))
);
create unique index one_item_a_journal on nostro_items (account_id, number)
  where number is not null;
create unique index one_item_a_nostro on nostro_items (house_number, nostro)
  where house_number is not null;
create index nostro_items_by_time on nostro_items (nostro, booked_at);
create index nostro_items_by_match on nostro_items (match) where match is not null;
create index open_items_by_key on nostro_items (key, nostro) where match is null and key <> '';
create index open_items_by_uetr on nostro_items (uetr, nostro) where match is null and uetr <> '';
create index open_items_by_block on nostro_items (block, nostro) where match is null and block <> '';
create index open_items_by_amount on nostro_items (nostro, amount, value_on) where match is null;
create trigger kept before delete or truncate on nostro_items
  for each statement execute function refuse_change();
create function refuse_item_change() returns trigger language plpgsql as $$
begin
  raise exception 'item % stays as it is', old.id
    using errcode = 'check_violation', constraint = 'item_stays';
end $$;
create trigger item_stays before update on nostro_items for each row
  when ((old.amount, old.booked_at, old.number, old.house_number, old.value_on, old.attempt,
      old.currency, old.kind, old.account_id, old.payout_id, old.rail, old.key, old.uetr,
      old.instruction, old.block, old.file)
    is distinct from (new.amount, new.booked_at, new.number, new.house_number, new.value_on,
      new.attempt, new.currency, new.kind, new.account_id, new.payout_id, new.rail, new.key,
      new.uetr, new.instruction, new.block, new.file)
    or new.nostro <> old.nostro and (old.nostro <> '' or old.match is not null))
  execute function refuse_item_change();

-- The sums of a nostro at both sides, so that no page adds millions of rows. Triggers alone write
-- them.
create table nostro_totals (
  nostro text collate "C" not null,
  side text not null check (side in ('bank', 'book')),
  currency text not null,
  count bigint not null,
  amount numeric not null,
  primary key (nostro, side, currency)
);
create trigger kept before delete or truncate on nostro_totals
  for each statement execute function refuse_change();
-- Adds new rows to the total of the side that the trigger names.
create function add_to_total() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  insert into nostro_totals as t (nostro, side, currency, count, amount)
  select nostro, tg_argv[0], currency, count(*), sum(amount) from added group by nostro, currency
  order by nostro, currency
  on conflict (nostro, side, currency)
    do update set count = t.count + excluded.count, amount = t.amount + excluded.amount;
  return null;
end $$;
create trigger counted after insert on nostro_items referencing new table as added
  for each statement execute function add_to_total('book');
-- The totals follow an item that gets its nostro. It joins nothing: a plan that was made for one row
-- would compare each of many rows with each other one.
create function move_item_totals() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  insert into nostro_totals as t (nostro, side, currency, count, amount)
  select nostro, 'book', currency, sum(count), sum(amount) from (
    select nostro, currency, 1 as count, amount from after
    union all
    select nostro, currency, -1, -amount from before) moved
  group by nostro, currency having sum(count) <> 0 or sum(amount) <> 0
  order by nostro, currency
  on conflict (nostro, side, currency)
    do update set count = t.count + excluded.count, amount = t.amount + excluded.amount;
  return null;
end $$;
create trigger moved after update on nostro_items
  referencing old table as before new table as after
  for each statement execute function move_item_totals();

-- A journal of the house makes its items.
create function make_house_items() returns trigger language plpgsql as $$
begin
  insert into nostro_items (amount, booked_at, house_number, value_on, nostro, currency, kind, key)
  select -sum(amount), new.created_at, new.number, new.value_on, nostro, currency, 'house',
    fold_reference(new.reference)
  from unnest(string_to_array(new.codes, ' '), string_to_array(new.currencies, ' '),
    string_to_array(new.nostros, ' '), new.amounts) as p (code, currency, nostro, amount)
  where code = 'bank' group by nostro, currency having sum(amount) <> 0;
  return null;
end $$;
create trigger items after insert on house_journals
  for each row execute function make_house_items();

select confine_to_accounts('account_cursors');
select confine_to_accounts('account_days');
select confine_to_accounts('nostro_items');
-- The house sees the items of all accounts, and nothing else of them, in a transaction that says so.
create policy of_the_house on nostro_items to corridor_service
  using ((select current_setting('corridor.house', true)) = 'on');
create policy find on account_cursors for select to corridor_finder using (true);
grant select on account_cursors to corridor_finder;
grant select, insert, update (institution, account, bic, pool, rails, closed_at, settings)
  on nostros to corridor_service;
grant select, insert, update (number) on account_cursors to corridor_service;
grant select, insert, update (amount, postings, number) on account_days to corridor_service;
grant select, insert on house_journals to corridor_service;
grant select, insert, update (nostro, match) on nostro_items to corridor_service;
grant select on nostro_totals to corridor_service;
grant select on nostros, account_cursors, account_days, house_journals, nostro_items, nostro_totals
  to corridor_auditor;
