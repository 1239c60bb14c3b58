-- The book of an account: double entry, one row a journal, append-only. account_id leads every key,
-- so that the tables distribute by it and no row is shared between accounts.

-- One row an account: the lock that every write of the account takes first, and the heads of its
-- chains.
create table books (
  account_id text collate "C" primary key,
  journal_count bigint not null default 0 check (journal_count >= 0),
  head_hash bytea not null check (octet_length(head_hash) = 32),
  event_count bigint not null default 0 check (event_count >= 0),
  last_written_at timestamptz not null default clock_timestamp()
) with (fillfactor = 50);

create table balances (
  account_id text collate "C" not null,
  currency text not null,
  available bigint not null default 0,
  updated_at timestamptz not null default clock_timestamp(),
  primary key (account_id, currency),
  constraint balance_not_negative check (available >= 0)
) with (fillfactor = 50);

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
    kind in ('funding', 'payout', 'receipt', 'settlement', 'failure', 'reversal')
  ),
  source text not null,
  codes text[] not null constraint known_codes check (
    array_position(codes, null) is null
    and codes <@ array['available', 'fees', 'funding', 'fx', 'in_transit', 'inter_account', 'settled']
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

-- One line of the customer's statement. `net_amount` is what moved the balance, `balance_after`
-- what it left.
create table balance_transactions (
  account_id text collate "C" not null,
  id text collate "C" not null,
  journal_number bigint not null,
  type text not null,
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
  primary key (account_id, id),
  -- A payout debits once and is given back once; an escrow funds once.
  constraint balance_transaction_once unique (account_id, source, type),
  constraint net_adds_up check (net_amount = amount + fixed_fee + variable_fee),
  constraint sign_matches check ((operation_type = 'credit') = (net_amount > 0))
);
-- The balance as of an instant is the first row of this index at or before it.
create unique index balance_transactions_history
  on balance_transactions (account_id, currency, created_at, journal_number);

-- What happened, in the order it happened, numbered without gaps per account. `data` holds the
-- facts that can change later; the rest of the object is joined when the event is read.
create table events (
  account_id text collate "C" not null,
  sequence bigint not null check (sequence > 0),
  id text collate "C" not null,
  type text not null,
  object_id text collate "C" not null,
  data json not null,
  created_at timestamptz not null,
  primary key (account_id, sequence)
);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $$;

create trigger append_only before update or delete or truncate on journals
  for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on balance_transactions
  for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on events
  for each statement execute function refuse_change();
