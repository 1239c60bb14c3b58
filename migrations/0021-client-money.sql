-- additive: the former version knows none of these tables, and runs on.
-- The money of clients: the keys by which incoming money finds its account, the snapshots of what is
-- owed to clients and what is held for them, and the months that are closed.

-- What an account tells its payers, so that a payment names it: a virtual IBAN, a reference, the
-- payer's own account, or an address. One live key leads to one account.
create table funding_keys (
  id bigint generated always as identity primary key,
  account_id text collate "C" not null references accounts,
  kind text not null check (kind in ('virtual_iban', 'reference', 'payer_account', 'address')),
  -- Folded: capital letters, without white space.
  value text collate "C" not null check (value = fold_reference(value)
    and length(value) between 4 and 64),
  nostro text collate "C" not null references nostros,
  currency text not null,
  made_at timestamptz not null default clock_timestamp(),
  made_by text not null,
  ended_at timestamptz
);
create unique index one_account_a_key on funding_keys (kind, value, currency)
  where ended_at is null;
create index funding_keys_by_account on funding_keys (account_id, id);
create function refuse_key_change() returns trigger language plpgsql as $$
begin
  raise exception 'funding key % stays as it is', old.id
    using errcode = 'check_violation', constraint = 'funding_key_stays';
end $$;
create trigger funding_key_stays before update on funding_keys for each row
  when ((old.id, old.account_id, old.kind, old.value, old.nostro, old.currency, old.made_at, old.made_by)
    is distinct from (new.id, new.account_id, new.kind, new.value, new.nostro, new.currency,
      new.made_at, new.made_by) or old.ended_at is not null)
  execute function refuse_key_change();
create trigger kept before delete or truncate on funding_keys
  for each statement execute function refuse_change();
create trigger history after insert or update on funding_keys
  for each row execute function keep_history();
select confine_to_accounts('funding_keys');
-- The house reads all keys to find the account of a payment, in a transaction that says so.
create policy of_the_house on funding_keys to corridor_service
  using ((select current_setting('corridor.house', true)) = 'on');

-- A month of the books that is closed: its trial balance, and a digest of how far each account was
-- derived. Months close in order, and none opens again.
create table closes (
  month text primary key check (month ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'),
  at timestamptz not null default clock_timestamp(),
  by text not null check (by <> ''),
  -- SHA-256 over the cursors of all accounts, by account id.
  cuts digest not null,
  trial_balance jsonb not null,
  positions jsonb not null,
  -- SHA-256 of the month, the cuts, the trial balance and the positions.
  sha256 digest not null
);
create function close_digest(month text, cuts bytea, trial_balance jsonb, positions jsonb)
returns bytea language sql immutable parallel safe as $$
  select sha256(convert_to(concat_ws(E'\n', month, encode(cuts, 'hex'), trial_balance, positions),
    'UTF8'))
$$;
alter table closes add constraint digest_of_its_content
  check (sha256 = close_digest(month, cuts, trial_balance, positions));
create function refuse_month_before() returns trigger language plpgsql as $$
begin
  -- The turn of journals of the house: each is in its month before that closes.
  perform pg_advisory_xact_lock(hashtextextended('corridor house_journals', 0));
  if new.month <= (select max(month) from closes) then
    raise exception 'months close in order' using errcode = 'check_violation',
      constraint = 'months_in_order';
  end if;
  return new;
end $$;
create trigger months_in_order before insert on closes
  for each row execute function refuse_month_before();
create trigger append_only before update or delete or truncate on closes
  for each statement execute function refuse_change();
create trigger history after insert on closes
  for each row execute function keep_history('trial_balance', 'positions');
create function refuse_closed_month() returns trigger language plpgsql as $$
begin
  -- A month that is closing has closed when the turn comes.
  perform pg_advisory_xact_lock(hashtextextended('corridor house_journals', 0));
  if to_char(new.value_on, 'YYYY-MM') <= (select max(month) from closes) then
    raise exception 'the month of % is closed', new.value_on
      using errcode = 'check_violation', constraint = 'month_is_open';
  end if;
  return new;
end $$;
create trigger month_is_open before insert on house_journals
  for each row execute function refuse_closed_month();

-- The pool of an account whose money is not in the pool `payments`; `none` for money that nobody
-- safeguards, such as that of the house's own account.
create table account_pools (
  account_id text collate "C" primary key references accounts,
  pool text not null check (pool in ('payments', 'emoney', 'none'))
);
create trigger kept before delete or truncate on account_pools
  for each statement execute function refuse_change();
create trigger history after insert or update on account_pools
  for each row execute function keep_history();

-- A signed snapshot of a day of reconciliation, by pool and currency, in minor units. A correction
-- is another number of the same day.
create table safeguarding_days (
  day date not null,
  pool text not null check (pool in ('payments', 'emoney')),
  currency text not null,
  number integer not null check (number > 0),
  at timestamptz not null default clock_timestamp(),
  -- The instant that the figures are of.
  as_of timestamptz not null,
  -- What is owed to clients: no client's negative balance offsets another's.
  requirement numeric not null check (requirement >= 0),
  -- What the books hold for them, and what people have entered besides: insurance, liquid assets.
  resource numeric not null,
  entered numeric not null default 0 check (entered >= 0),
  -- The same at the end of the day before, against what the banks say.
  d1_requirement numeric not null,
  d1_resource numeric not null,
  -- Fees and income of conversions that nobody has moved to an account of the house's own.
  earned numeric not null,
  -- By nostro: bank, book, open lines and open items.
  external jsonb not null,
  state text not null check (state in ('met', 'shortfall', 'excess')),
  -- What was done about it, in the words of the person who signs.
  action text not null default '' check (length(action) <= 1000),
  by text not null check (by <> ''),
  primary key (day, pool, currency, number),
  constraint state_is_the_sum check (state = case
    when requirement > resource + entered or d1_requirement > d1_resource + entered
      then 'shortfall'
    when requirement < resource + entered then 'excess' else 'met' end),
  constraint shortfall_with_an_action check (state <> 'shortfall' or action <> '')
);
create trigger append_only before update or delete or truncate on safeguarding_days
  for each statement execute function refuse_change();
create trigger history after insert on safeguarding_days
  for each row execute function keep_history('external');

grant select, insert, update (ended_at) on funding_keys to corridor_service;
grant select, insert on closes, safeguarding_days to corridor_service;
grant select, insert, update (pool) on account_pools to corridor_service;
grant select on funding_keys, closes, account_pools, safeguarding_days to corridor_auditor;
