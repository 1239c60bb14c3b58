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
-- The service moves balances and never a state: only the trigger of accounts does.
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

-- One row a fact: a journal, and the line of the customer's statement that it makes. A settlement moves
-- no balance and makes none. Posting i is word i of codes, word i of currencies and amounts[i]; codes are
-- explained in docs/glossary.md, the view postings shows them one by one. Words parted by blanks take a
-- third of what an array of them does. What is of fixed width stands first, which PostgreSQL reads fastest.
create table journals (
  number bigint not null check (number > 0),
  created_at timestamptz not null,
  -- Of the line, null where there is none: signed, without fees; fees; and what the balance was then.
  amount bigint,
  fixed_fee bigint,
  variable_fee bigint,
  balance_after bigint check (balance_after >= 0),
  account_id text collate "C" not null,
  kind text not null constraint known_kind check (
    kind in ('funding', 'payout', 'receipt', 'settlement', 'failure', 'reversal', 'withdrawal',
      'adjustment', 'funding_reversal', 'withdrawal_reversal', 'adjustment_reversal')
  ),
  -- The payout or the booking that caused it.
  source text collate "C" not null,
  -- Of the line.
  currency text,
  codes text not null constraint known_codes check (
    string_to_array(codes, ' ') <@ array['adjustments', 'available', 'fees', 'funding', 'fx',
      'fx_income', 'in_transit', 'inter_account', 'settled']
  ),
  currencies text not null,
  amounts bigint[] not null,
  -- SHA-256 over the predecessor's hash and this row's content; ledger/rules.ts writes the recipe.
  hash bytea not null check (octet_length(hash) = 32),
  -- Of the line: the balance transaction that it gives or takes back. Null for none, as what follows.
  undoes text collate "C",
  fx_conversions json,
  metadata json,
  primary key (account_id, number),
  -- Most journals have two or three postings in one currency, which are added without a function.
  constraint journal_sums_to_zero check (
    cardinality(string_to_array(codes, ' ')) = cardinality(amounts)
    and cardinality(string_to_array(currencies, ' ')) = cardinality(amounts)
    and case
      when cardinality(amounts) in (2, 3) and 0 <> all (amounts)
          and split_part(currencies, ' ', 1) = all (string_to_array(currencies, ' '))
        then (amounts[1]::numeric + amounts[2]
          + case cardinality(amounts) when 2 then 0 else amounts[3] end = 0) is true
      else journal_balances(string_to_array(currencies, ' '), amounts)
    end
  ),
  constraint line_unless_settlement check (
    case kind
      when 'settlement' then num_nonnulls(currency, amount, fixed_fee, variable_fee, balance_after,
        undoes, fx_conversions, metadata) = 0
      else num_nulls(currency, amount, fixed_fee, variable_fee, balance_after) = 0
    end
  ),
  -- What the line says has moved the balance is what the journal's one posting there has moved.
  constraint line_is_what_moved check (
    case
      when currency is null then strpos(codes, 'available') = 0
      else (cardinality(array_positions(string_to_array(codes, ' '), 'available')) = 1
        and amounts[array_position(string_to_array(codes, ' '), 'available')]
          = amount + fixed_fee + variable_fee
        and split_part(currencies, ' ', array_position(string_to_array(codes, ' '), 'available'))
          = currency) is true
    end
  ),
  constraint direction_matches_kind check (
    case
      when kind in ('payout', 'withdrawal', 'funding_reversal')
        then amount + fixed_fee + variable_fee < 0
      when kind in ('funding', 'receipt', 'failure', 'reversal', 'withdrawal_reversal')
        then amount + fixed_fee + variable_fee > 0
      else true
    end
  ),
  constraint undoes_if_it_gives_back check (
    (undoes is not null) = (kind in ('failure', 'reversal', 'funding_reversal', 'withdrawal_reversal',
      'adjustment_reversal'))
  ),
  -- What only an operator books says who booked it and why.
  constraint booked_with_reason check (
    kind not in ('withdrawal', 'adjustment', 'funding_reversal', 'withdrawal_reversal',
      'adjustment_reversal')
    or (coalesce(metadata ->> 'by', '') <> '' and coalesce(metadata ->> 'reason', '') <> ''
      and (kind not in ('withdrawal', 'adjustment') or coalesce(metadata ->> 'reference', '') <> ''))
  )
);
-- The primary key is the chain and finds a line by the number in its id. The indexes below are of
-- lines, and partial by what no look-up by number states: a look-up that is planned while the table is
-- empty would take one for its own.
-- A payout debits once and credits its receiver once; what an operator books is booked once.
create unique index booked_once on journals (account_id, source)
  where undoes is null and kind <> 'settlement';
-- What has moved the balance is given back, or taken back, once.
create unique index undone_once on journals (account_id, undoes) where undoes is not null;
-- The lines of a currency in order: the list, and the balance as of an instant, which is the first row
-- at or before it.
create index journals_by_currency on journals (account_id, currency, number)
  where currency is not null;
-- A bank's reference funds, withdraws from or adjusts an account once.
create unique index journals_by_reference on journals (account_id, kind, (metadata ->> 'reference'))
  where kind in ('funding', 'withdrawal', 'adjustment') and metadata ->> 'reference' is not null;
-- For filters whose value few lines have: the index of the currency would be walked to its end. The
-- line of an ordinary payout stays out of both.
create index journals_by_kind on journals (account_id, kind, number)
  where kind not in ('payout', 'settlement');
create index journals_of_credits on journals (account_id, number)
  where amount + fixed_fee + variable_fee > 0;
create trigger append_only before update or delete or truncate on journals
  for each statement execute function refuse_change();

-- Postings one by one, for people who read the database. The service and verify read journals.
create view postings with (security_invoker = true) as
select account_id, number, code, p.currency, p.amount from journals j,
  unnest(string_to_array(codes, ' '), string_to_array(currencies, ' '), amounts)
    as p (code, currency, amount);

-- The id of what has a number in its book, as numberedId in src/id.ts makes it.
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

-- The lines as the API shows them, for people who read the database. The service and verify read
-- journals.
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
  -- The same account once, however the reference is written, and whether or not it was reversed.
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

-- Where rows of accounts are on other machines than this table, the service calls the two itself.
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
-- (docs/decisions/0043). A row is what one command told, or several of a batch: up to eight events, the
-- last of which has the number `sequence` (docs/decisions/0056, 0068, src/event/row.ts). Who reads by
-- SQL asks the view each_event.
create table events (
  sequence bigint not null,
  created_at timestamptz not null,
  account_id text collate "C" not null,
  -- A word an event: B, Q, P or L and what the id of a beneficiary, quote, payout or balance
  -- transaction made at that time ends in; D, a journal's number and what the id of a payout that has
  -- succeeded by its rail ends in; S for a payout that has succeeded otherwise, - for what `type` says.
  told text collate "C" not null,
  -- What is too rare to be found on the way; '' of a row without.
  type text collate "C" not null,
  -- Of - and S. What was made is found by the time in its id, a payout of D by that of its outcome.
  object_id text collate "C" not null,
  -- The facts of each event, null of what is usual: with what never changes, the object is made of them
  -- as it was then, when the event is read (docs/decisions/0122).
  data json,
  -- The digests of the stored rows that the events tell of, as they left them: 32 bytes each, none of
  -- what has no row of its own.
  content bytea,
  -- The digest of the answer kept for the Idempotency-Key of the request that ends with this row;
  -- null for none.
  kept bytea,
  -- SHA-256 over the predecessor's hash and this row's content; event/rules.ts writes the recipe.
  hash bytea not null,
  primary key (account_id, sequence),
  constraint words_of_events check (
    -- A bare Q is of the payout in the next word. A number is one that an id has room for.
    told ~ ('^(-|S|Q P[0-9a-z]{9}|[QPB][0-9a-z]{9}|L[1-9][0-9]{0,10}|D[1-9][0-9]{0,10}[.][0-9a-z]{20})'
        '( (Q P[0-9a-z]{9}|[QPB][0-9a-z]{9}|L[1-9][0-9]{0,10}|D[1-9][0-9]{0,10}[.][0-9a-z]{20}))*$')
      and length(told) - length(replace(told, ' ', '')) < least(sequence, 8)
  ),
  constraint named_as_told check (
    (type <> '') = (left(told, 1) = '-' or strpos(told, 'B') > 0)
      and (object_id <> '') = (left(told, 1) in ('-', 'S'))
  ),
  constraint digests_of_events check (
    octet_length(hash) = 32 and coalesce(octet_length(kept), 32) = 32
      and coalesce(octet_length(content), 0) % 32 = 0
  )
);
create index events_by_object on events (account_id, object_id, sequence) where object_id <> '';
create index events_by_type on events (account_id, type, sequence) where type <> '';
create trigger append_only before update or delete or truncate on events
  for each statement execute function refuse_change();

-- How ids begin that a book gives at this time.
create function id_time(at timestamptz) returns text
language sql stable parallel safe as $$
  select base32((extract(epoch from at) * 1000000)::bigint, 11)
$$;

-- Events one by one, as the API tells them: what src/event/row.ts makes of a row. `mark` and `ending`
-- are the letter of its word and what the id of its object ends in; its row ends with `row_sequence`.
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
  created_at, mark, ending,
  case when mark <> 'L' and word <> 'Q' and octet_length(content) >= 32 * (digests_after + 1)
    then substr(content, octet_length(content) - 32 * digests_after - 31, 32) end as content,
  case when nth = cardinality(words) then kept end as kept
from (
  select *, sequence - cardinality(words) + nth as number,
    left(word, 1) as mark,
    coalesce(nullif(substr(word, 2), ''), case word when 'Q' then substr(words[nth + 1], 2) end, '')
      as ending,
    -- All have one, but for lines and the quote that a payout carries; the first may.
    length(replace(rest, 'Q ', ' ')) - length(translate(rest, 'BQPD', '')) as digests_after
  from (
    select e.*, word, nth::integer as nth, array_to_string(words[nth + 1:], ' ') as rest
    from (select *, string_to_array(told, ' ') as words from events) e
    cross join lateral unnest(words) with ordinality as w (word, nth)
  ) r
) w;

-- Answers kept for 24 hours (§idempotency.key), written in the transaction of their effect: as their text, or
-- as the object that they show and that object's state when the answer was made.
create table idempotency_keys (
  created_at timestamptz not null,
  status integer not null check (status between 200 and 299),
  account_id text collate "C" not null,
  -- Method and path, such as 'POST /v3/payout'.
  operation text not null,
  key text not null,
  -- SHA-256 of the body with keys sorted: white space and key order are not another body.
  request_hash bytea not null check (octet_length(request_hash) = 32),
  -- Null of what is kept as an object.
  body text,
  -- '' of what is kept as text.
  object_id text collate "C" not null default '',
  state json,
  primary key (account_id, operation, key),
  constraint text_or_object check (
    (body is null) = (object_id <> '') and (object_id <> '') = (state is not null))
);
create index idempotency_keys_age on idempotency_keys (created_at);
