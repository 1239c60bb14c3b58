-- The book of an account: double entry, one row a journal, append-only. account_id leads every key,
-- so that the tables distribute by it and no row is shared between accounts.

-- One row an account: the lock that every write of the account takes first, the heads of its chains,
-- and what writes and their triggers need to know of the account itself: a trigger reads no table but
-- the one whose row it judges, so that it can run where the row is (docs/decisions/0055).
create table books (
  account_id text collate "C" primary key,
  journal_count bigint not null default 0 check (journal_count >= 0),
  event_count bigint not null default 0 check (event_count >= 0),
  last_written_at timestamptz not null default clock_timestamp(),
  -- By how much the account's clock is ahead of the database's: a sandbox's may be. In exact time,
  -- never in days or months, which depend on the time zone.
  clock_ahead interval not null default '0'
    check (clock_ahead >= '0' and extract(day from clock_ahead) = 0
      and extract(month from clock_ahead) = 0 and extract(year from clock_ahead) = 0),
  head_hash bytea not null check (octet_length(head_hash) = 32),
  event_head bytea not null default decode(repeat('00', 32), 'hex')
    check (octet_length(event_head) = 32),
  -- As of the account, which keeps it for ever.
  sandbox boolean not null default false,
  -- As of the account, whose change brings it here.
  state text not null default 'active'
    constraint known_state check (state in ('active', 'frozen', 'closed')),
  constraint clock_of_a_sandbox check (sandbox or clock_ahead = '0')
) with (fillfactor = 50);

create function refuse_clock_back() returns trigger language plpgsql as $$
begin
  raise exception 'the clock of account % cannot go back', new.account_id
    using errcode = 'check_violation';
end $$;
create trigger clock_goes_forward before update of clock_ahead on books
  for each row when (new.clock_ahead < old.clock_ahead) execute function refuse_clock_back();

create table balances (
  account_id text collate "C" not null,
  currency text not null,
  available bigint not null default 0,
  updated_at timestamptz not null default statement_timestamp(),
  -- As of the book.
  account_state text not null default 'active'
    constraint known_state check (account_state in ('active', 'frozen', 'closed')),
  primary key (account_id, currency),
  constraint balance_not_negative check (available >= 0)
) with (fillfactor = 50);

-- No balance of a frozen account falls; none of a closed one moves.
create function refuse_move() returns trigger language plpgsql as $$
begin
  raise exception 'account % is %', new.account_id, new.account_state
    using errcode = 'check_violation';
end $$;
create trigger account_may_move before update of available on balances
  for each row when (new.available <> old.available and new.account_state <> 'active'
    and (new.account_state = 'closed' or new.available < old.available))
  execute function refuse_move();

-- Does each currency of these postings sum to zero? Amounts are added as numeric, so no sum
-- overflows.
create function journal_balances(currencies text[], amounts bigint[]) returns boolean
language plpgsql immutable strict parallel safe as $$
declare
  total numeric;
  n integer := cardinality(currencies);
begin
  if n < 2 or n <> cardinality(amounts) then return false; end if;
  for i in 1 .. n loop
    if amounts[i] = 0 or amounts[i] is null or currencies[i] is null then return false; end if;
    total := 0;
    for j in 1 .. n loop
      if currencies[j] = currencies[i] then total := total + amounts[j]; end if;
    end loop;
    if total <> 0 then return false; end if;
  end loop;
  return true;
end $$;

-- Posting i is (codes[i], currencies[i], amounts[i]); codes are explained in docs/glossary.md.
create table journals (
  account_id text collate "C" not null,
  number bigint not null check (number > 0),
  kind text not null constraint known_kind check (
    kind in ('funding', 'payout', 'receipt', 'settlement', 'failure', 'reversal', 'withdrawal',
      'adjustment', 'funding_reversal', 'withdrawal_reversal', 'adjustment_reversal')
  ),
  source text not null,
  codes text[] not null constraint known_codes check (
    array_position(codes, null) is null
    and codes <@ array['adjustments', 'available', 'fees', 'funding', 'fx', 'fx_income', 'in_transit',
      'inter_account', 'settled']
  ),
  currencies text[] not null,
  amounts bigint[] not null,
  created_at timestamptz not null,
  -- SHA-256 over the predecessor's hash and this row's content; ledger/rules.ts writes the recipe.
  hash bytea not null check (octet_length(hash) = 32),
  primary key (account_id, number),
  constraint journal_sums_to_zero check (
    cardinality(codes) = cardinality(currencies) and journal_balances(currencies, amounts)
  )
);
create trigger append_only before update or delete or truncate on journals
  for each statement execute function refuse_change();

-- One line of the customer's statement. `net_amount` is what moved the balance, `balance_after`
-- what it left.
create table balance_transactions (
  account_id text collate "C" not null,
  id text collate "C" not null,
  journal_number bigint not null,
  type text not null constraint known_type check (
    type in ('escrow', 'payout', 'payout_failure', 'payout_reversal', 'withdrawal', 'adjustment',
      'escrow_reversal', 'withdrawal_reversal', 'adjustment_reversal')
  ),
  operation_type text not null check (operation_type in ('credit', 'debit')),
  currency text not null,
  amount bigint not null,
  fixed_fee bigint not null,
  variable_fee bigint not null,
  net_amount bigint not null,
  balance_after bigint not null check (balance_after >= 0),
  fx_conversions json not null,
  description text not null,
  source text collate "C" not null,
  metadata json not null,
  created_at timestamptz not null,
  -- A payout debits once and is given back once; an escrow funds once.
  constraint balance_transaction_once unique (account_id, source, type),
  constraint net_adds_up check (net_amount = amount + fixed_fee + variable_fee),
  constraint sign_matches check ((operation_type = 'credit') = (net_amount > 0)),
  -- What only an operator books has its direction, and says who booked it and why.
  constraint direction_matches_type check (
    case type
      when 'escrow' then net_amount > 0
      when 'escrow_reversal' then net_amount < 0
      when 'withdrawal' then net_amount < 0
      when 'withdrawal_reversal' then net_amount > 0
      else true
    end
  ),
  constraint booked_with_reason check (
    type not in ('withdrawal', 'adjustment', 'escrow_reversal', 'withdrawal_reversal',
      'adjustment_reversal')
    or (coalesce(metadata ->> 'by', '') <> '' and coalesce(metadata ->> 'reason', '') <> ''
      and (type not in ('withdrawal', 'adjustment') or coalesce(metadata ->> 'reference', '') <> ''))
  )
);
-- The balance as of an instant is the first row of this index at or before it.
create unique index balance_transactions_history
  on balance_transactions (account_id, currency, created_at, journal_number);
-- After the indexes above: of indexes that cost the same on an empty table the planner takes the
-- newest, and keeps the plan. A look-up by id must not walk the whole account by another one.
alter table balance_transactions add primary key (account_id, id);
-- Only lists use an index that is partial by a condition that no look-up by key states: a look-up
-- planned while the table was small would take one for its own. What stands behind the order are the
-- columns that further filters judge within the index (docs/decisions/0022). This one is in the order
-- of the book.
create index balance_transactions_newest on balance_transactions
  (account_id, created_at, journal_number, currency, type, operation_type)
  where created_at > '-infinity';
-- A bank's reference funds, withdraws from or adjusts an account once.
create unique index balance_transactions_by_reference
  on balance_transactions (account_id, type, (metadata ->> 'reference'))
  where type in ('escrow', 'withdrawal', 'adjustment') and metadata ->> 'reference' is not null;
-- For a filter whose value few rows have: the index of the whole list would be walked to its end. The
-- line of an ordinary payout stays out.
create index balance_transactions_by_type on balance_transactions
  (account_id, type, created_at, journal_number) where type <> 'payout';
create trigger append_only before update or delete or truncate on balance_transactions
  for each statement execute function refuse_change();

-- One reference of a bank funds one live account: a payment that is booked for the wrong account and
-- then for the right one would give its money out twice. That is asked across accounts, so it stands in
-- a table of no account's own, small and without row-level security, which the service's role neither
-- reads nor writes: triggers keep it.
create table funding_references (
  account_id text collate "C" not null references accounts,
  -- The balance transaction.
  id text collate "C" not null,
  -- Folded.
  reference text collate "C" not null,
  -- The operator has said that one payment is split over accounts.
  split boolean not null,
  reversed boolean not null default false,
  primary key (account_id, id)
);
create index funding_references_by_reference on funding_references (reference);
-- Two that are booked at the same moment wait for each other here.
create unique index one_live_account_a_reference on funding_references (reference)
  where not split and not reversed;

-- Copies of a reference differ in case and white space. The letters are those of ASCII and the spaces
-- are listed, so that every server folds alike; `foldedReference` in src/funding/rules.ts is the same.
create function fold_reference(reference text) returns text
language sql immutable strict parallel safe as $$
  select upper(regexp_replace(reference collate "C",
    '[\u0009-\u000d\u0020\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]', '', 'g'))
$$;

create function keep_funding_reference() returns trigger language plpgsql
security definer set search_path = public, pg_temp as $$
declare
  folded text := fold_reference(new.metadata ->> 'reference');
  is_split boolean := coalesce(new.metadata ->> 'split', '') = 'true';
begin
  if new.type = 'escrow_reversal' then
    update funding_references set reversed = true
    where account_id = new.account_id and id = new.source;
    return null;
  end if;
  if (select sandbox from accounts where account_id = new.account_id) then return null; end if;
  if not is_split and exists (select from funding_references
    where reference = folded and account_id <> new.account_id and not reversed)
  then
    raise exception 'reference % has funded another account', folded
      using errcode = 'unique_violation', constraint = 'one_live_account_a_reference';
  end if;
  -- The same account once, however the reference is written, and whether or not it was reversed.
  if exists (select from funding_references
    where reference = folded and account_id = new.account_id)
  then
    raise exception 'reference % has funded account % before', folded, new.account_id
      using errcode = 'unique_violation', constraint = 'one_live_account_a_reference';
  end if;
  insert into funding_references (account_id, id, reference, split)
  values (new.account_id, new.id, folded, is_split);
  return null;
end $$;
create trigger funds_one_account after insert on balance_transactions for each row
  when (new.type = 'escrow' and new.metadata ->> 'reference' is not null)
  execute function keep_funding_reference();
create trigger funds_no_more after insert on balance_transactions for each row
  when (new.type = 'escrow_reversal') execute function keep_funding_reference();

-- The other accounts that the asked references fund, one each, for the answer that names it. Until the
-- transaction ends, whoever else asks about one of them waits: no two decide at the same moment.
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

-- What happened, in the order it happened, numbered without gaps per account and chained like journals
-- (docs/decisions/0043). `data` holds the facts that can change later; the rest of the object is joined
-- when the event is read.
create table events (
  account_id text collate "C" not null,
  sequence bigint not null check (sequence > 0),
  id text collate "C" not null,
  type text not null,
  object_id text collate "C" not null,
  data json not null,
  created_at timestamptz not null,
  -- The digest of the stored row that the event tells of, as the event left it; null of what has no
  -- row of its own.
  content bytea,
  -- The digest of the answer kept for the Idempotency-Key of the request that ends with this event;
  -- null for none.
  kept bytea,
  -- SHA-256 over the predecessor's hash and this row's content; event/rules.ts writes the recipe.
  hash bytea not null,
  primary key (account_id, sequence),
  constraint digests_of_events check (
    octet_length(hash) = 32 and coalesce(octet_length(content), 32) = 32
      and coalesce(octet_length(kept), 32) = 32
  )
);
create index events_by_object on events (account_id, object_id, sequence) where object_id <> '';
-- Without the four types that an ordinary payout writes.
create index events_by_type on events
  (account_id, type, sequence) where type not in
    ('balance_transaction.created', 'payout.created', 'payout.succeeded', 'payout_quote.created');
create trigger append_only before update or delete or truncate on events
  for each statement execute function refuse_change();

-- Answers kept for 24 hours (contract 26), written in the transaction of their effect: as their text, or
-- as the object that they show and that object's state when the answer was made.
create table idempotency_keys (
  account_id text collate "C" not null,
  -- Method and path, such as 'POST /v3/payout'.
  operation text not null,
  key text not null,
  -- SHA-256 of the body with keys sorted: white space and key order are not another body.
  request_hash bytea not null check (octet_length(request_hash) = 32),
  status integer not null check (status between 200 and 299),
  -- Null of what is kept as an object.
  body text,
  -- '' of what is kept as text.
  object_id text collate "C" not null default '',
  state json,
  created_at timestamptz not null,
  primary key (account_id, operation, key),
  constraint text_or_object check (
    (body is null) = (object_id <> '') and (object_id <> '') = (state is not null))
);
create index idempotency_keys_age on idempotency_keys (created_at);
