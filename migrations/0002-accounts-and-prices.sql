-- Reference tables, which each process holds in memory: users, accounts, API keys, rates, fees,
-- pricing policies, rails and routes. On a distributed database Citus keeps these tables on the
-- coordinator, with all other tables that have no row-level security, such as sanctions lists,
-- files of banks and funding_references. `corridor distribute` distributes only tables with
-- row-level security, by account_id.

-- The people who work with the installation. A person who leaves is disabled and not deleted,
-- because the audit log names users.
create table users (
  -- The service has closed what 'corridor' has closed.
  name text collate "C" primary key check (name ~ '^[a-z][a-z0-9._-]{1,39}$' and name <> 'corridor'),
  full_name text not null check (full_name <> ''),
  -- For operators and owners, who write to the person; '' for none. It proves nothing: nobody
  -- logs in by it.
  email text not null default '' check (email = ''
    or length(email) <= 320 and email ~ '^[^@[:space:]]{1,64}@[^@[:space:]]+$'),
  -- An operator reads and changes everything. An auditor reads everything. A member has only the
  -- roles that account_roles gives on accounts.
  role text not null check (role in ('operator', 'auditor', 'member')),
  created_at timestamptz not null default clock_timestamp(),
  disabled_at timestamptz,
  disabled_reason text not null default '',
  constraint disabled_for_a_reason check ((disabled_at is null) = (disabled_reason = ''))
);
create unique index users_email_once on users (lower(email)) where email <> '';
create trigger history after insert or update or delete on users
  for each row execute function keep_history();
create trigger kept before delete or truncate on users
  for each statement execute function refuse_change();

-- Without an operator nobody could make one. Transactions that write users wait for each other at
-- the row of reference_version, so that two operators cannot disable each other at the same moment.
create function require_operator() returns trigger language plpgsql as $$
begin
  if not exists (select from users where role = 'operator' and disabled_at is null) then
    raise exception 'an installation with users has an operator who is not disabled'
      using errcode = 'check_violation', constraint = 'one_operator_left';
  end if;
  return null;
end $$;
create trigger one_operator_left after insert or update on users
  for each statement execute function require_operator();

create table accounts (
  account_id text collate "C" primary key,
  name text not null check (name <> ''),
  currencies text[] not null check (cardinality(currencies) > 0),
  primary_currency text not null,
  deposit_address text collate "C" not null unique,
  created_at timestamptz not null default clock_timestamp(),
  -- An account for tests: its clock can be moved, samples price its payouts, and the simulator
  -- takes them.
  sandbox boolean not null default false,
  -- For how many seconds a payout like an earlier one is refused; 0: it is not refused.
  duplicate_window_s integer not null default 600 check (duplicate_window_s between 0 and 604800),
  -- The most rows, and the most megabytes, that requests of the account write in a day of UTC;
  -- src/ledger/quota.ts says which requests count.
  daily_rows integer not null default 5000000 check (daily_rows > 0),
  daily_mb integer not null default 5000 check (daily_mb > 0),
  state account_state not null default 'active',
  -- Why the account is in this state, in the operator's words; '' if its state never changed.
  state_reason text not null default '',
  check (primary_currency = any (currencies)),
  constraint state_has_a_reason check (state = 'active' or state_reason <> '')
);
create trigger announce after insert or update or delete on accounts
  for each statement execute function announce_reference_change();
create trigger history after insert or update or delete on accounts
  for each row execute function keep_history();

-- A change of state locks the book, so that every later write of the account obeys the new state. A
-- transaction that does not name the account cannot see its book, and is refused. A closed account
-- has no balance and no open payout.
create function check_account_change() returns trigger language plpgsql as $$
begin
  if not old.currencies <@ new.currencies then
    raise exception 'account % keeps its currencies', new.account_id
      using errcode = 'check_violation';
  end if;
  if new.state = old.state then return new; end if;
  if old.state = 'closed' and new.state <> 'frozen' then
    raise exception 'account % is closed, and reopened by freezing it', new.account_id
      using errcode = 'check_violation';
  end if;
  perform from books where account_id = new.account_id for update;
  if not found then
    raise exception 'the book of account % is not locked', new.account_id
      using errcode = 'check_violation';
  end if;
  if new.state = 'closed' and (
    exists (select from balances where account_id = new.account_id and available <> 0)
    or exists (select from open_payouts where account_id = new.account_id)
  ) then
    raise exception 'account % holds money or has open payouts', new.account_id
      using errcode = 'check_violation';
  end if;
  -- Triggers of books and balances read the state in their own rows.
  update books set state = new.state where account_id = new.account_id;
  update balances set account_state = new.state where account_id = new.account_id;
  return new;
end $$;
create trigger legal_change before update of state, currencies on accounts
  for each row execute function check_account_change();

create table api_keys (
  key_id text collate "C" primary key,
  account_id text collate "C" not null references accounts,
  -- SHA-256 of the secret. A plain hash suffices: the secret has 256 random bits.
  secret_hash bytea not null check (octet_length(secret_hash) = 32),
  scope text not null check (scope in ('read', 'write', 'operator')),
  name text not null default '',
  -- The person who owns the key and may approve none of its payouts; null: the key has no owner.
  owner text collate "C" references users,
  -- Each payout of the key needs an approval, whatever the rules say.
  makes_only boolean not null default false,
  -- The user who made the key and so has seen its secret; '' before there are users.
  made_by text collate "C" not null default '',
  created_at timestamptz not null default clock_timestamp(),
  revoked_at timestamptz
);
-- The user in whose name a transaction writes; '' for none.
create function acting_user() returns text language sql stable as $$
  select coalesce(current_setting('corridor.operator', true), '')
$$;
create function name_maker() returns trigger language plpgsql as $$
begin
  new.made_by := acting_user();
  return new;
end $$;
create trigger made_by before insert on api_keys for each row execute function name_maker();
create trigger announce after insert or update or delete on api_keys
  for each statement execute function announce_reference_change();
create trigger history after insert or update or delete on api_keys
  for each row execute function keep_history();

-- When each key was last used, to the minute. It is a table of its own, because an update of
-- api_keys would make every process read the reference data again.
create table api_key_uses (
  key_id text collate "C" primary key references api_keys,
  last_used_at timestamptz not null
);

-- Mid rates: `mid` units of quote for one unit of base. A pair of currencies has one row, in one
-- direction: with two contradicting rows a customer would gain by converting there and back. A
-- change replaces the row.
create table rates (
  base text not null,
  quote text not null,
  mid numeric not null check (mid > 0 and mid < 'Infinity'),
  source text not null,
  as_of timestamptz not null,
  loaded_at timestamptz not null default clock_timestamp(),
  -- Shipped with the product. A sample prices sandboxes and never live accounts.
  sample boolean not null default false,
  -- The quote currency is pegged to the base, its anchor, at `mid`. A pair with a pegged currency
  -- is crossed through the anchor, so that no other rate moves it.
  pegged boolean not null default false,
  primary key (base, quote),
  check (base <> quote)
);
-- A currency has one anchor.
create unique index rates_one_anchor on rates (quote) where pegged;
create unique index rates_one_direction on rates (least(base, quote), greatest(base, quote));
create trigger history after insert or update or delete on rates
  for each row execute function keep_history('loaded_at');
create trigger announce after insert or update or delete on rates
  for each statement execute function announce_price_change();

-- Jordan: the middle of 0.708 and 0.710. Oman: one rial is 2.6008 dollars. Hong Kong's dollar moves
-- in a band, 7.75 to 7.85, and is no peg here.
insert into rates (base, quote, mid, source, as_of, pegged)
select base, quote, mid, source, '2026-10-06T14:00:00Z', true
from (values
  ('USD', 'AED', 3.6725, 'Central Bank of the UAE: fixed parity'),
  ('USD', 'SAR', 3.75, 'Saudi Central Bank: fixed parity'),
  ('USD', 'QAR', 3.64, 'Qatar Central Bank: fixed parity'),
  ('USD', 'BHD', 0.376, 'Central Bank of Bahrain: fixed parity'),
  ('USD', 'OMR', 0.384497, 'Central Bank of Oman: fixed parity'),
  ('USD', 'JOD', 0.709, 'Central Bank of Jordan: fixed parity'),
  ('USD', 'USDC', 1, 'Circle: redeemable at par'),
  ('USD', 'USDT', 1, 'Tether: redeemable at par'),
  ('EUR', 'XAF', 655.957, 'Banque de France: fixed parity of the CFA franc'),
  ('EUR', 'XOF', 655.957, 'Banque de France: fixed parity of the CFA franc')
) as peg (base, quote, mid, source);

-- A null in a matching column means "any". Of the rows that match a payout, the operator's rows win
-- over samples, then the row with the most matching columns set wins, then the row that sets the
-- earlier column (§fee.row). The unique constraint refuses a second row with the same matching
-- columns.
create table fees (
  fee_id bigint generated always as identity primary key,
  payout_type text not null,
  payout_currency text,
  destination_country text,
  network text,
  charge_type text,
  fixed_amount bigint not null default 0 check (fixed_amount >= 0),
  fee_currency text not null,
  variable_bps integer not null default 0 check (variable_bps between 0 and 10000),
  minimum_amount bigint check (minimum_amount >= 0),
  maximum_amount bigint check (maximum_amount >= coalesce(minimum_amount, 0)),
  -- As in rates.
  sample boolean not null default false,
  unique nulls not distinct
    (payout_type, payout_currency, destination_country, network, charge_type)
);
create trigger history after insert or update or delete on fees
  for each row execute function keep_history('fee_id');
create trigger announce after insert or update or delete on fees
  for each statement execute function announce_price_change();

-- Pricing other than rates and fees. One row sets one value from an instant on: for the
-- installation, an account, a pair of currencies, or a pair for an account. Rows are added and
-- never changed, so that the prices of any past time are known. A row that is not yet in force can
-- be deleted.
create table pricing_policies (
  policy_id integer generated always as identity primary key,
  account_id text collate "C" references accounts,
  from_currency text,
  to_currency text,
  name text not null
    check (name in ('spread_bps', 'quote_validity_s', 'schedule_s', 'max_age_s', 'pivot')),
  -- Null: from then on this scope sets no value, and the next scope decides.
  value text,
  effective_from timestamptz not null,
  created_at timestamptz not null,
  check ((from_currency is null) = (to_currency is null)),
  check (from_currency <> to_currency),
  constraint not_in_the_past check (effective_from >= created_at),
  constraint pivot_of_the_installation
    check (name <> 'pivot' or num_nonnulls(account_id, from_currency) = 0),
  constraint value_in_range check (value is null or case
    when name = 'pivot' then value ~ '^[A-Z]{3,4}$'
    when name = 'max_age_s' and value = 'calendar' then true
    when value !~ '^(0|[1-9][0-9]{0,7})$' then false
    when name = 'spread_bps' then value::integer <= 9999
    when name = 'schedule_s' then value::integer <= 31536000
    else value::integer between 1 and 31536000
  end)
);
create index pricing_policies_by_scope
  on pricing_policies (name, account_id, from_currency, to_currency, effective_from);

-- Sets created_at to the beginning of the transaction, by the database's clock. A price that begins
-- "now" begins then, and not_in_the_past refuses an earlier beginning.
create function stamp_policy() returns trigger language plpgsql as $$
begin
  new.created_at := now();
  return new;
end $$;
create trigger stamped before insert on pricing_policies
  for each row execute function stamp_policy();

create function refuse_policy_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and old.effective_from > clock_timestamp() then
    return old;
  end if;
  raise exception 'a pricing policy in force is followed by another, and never changed'
    using errcode = 'restrict_violation';
end $$;
create trigger append_only before update or delete on pricing_policies
  for each row execute function refuse_policy_change();
create trigger not_truncated before truncate on pricing_policies
  for each statement execute function refuse_change();

-- `before` in the history is the row of the same scope that the new row follows.
create function keep_policy_history() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
declare
  followed jsonb;
begin
  select to_jsonb(p) into followed from pricing_policies p
  where p.name = new.name
    and p.account_id is not distinct from new.account_id
    and p.from_currency is not distinct from new.from_currency
    and p.to_currency is not distinct from new.to_currency
    and (p.effective_from, p.policy_id) < (new.effective_from, new.policy_id)
  order by p.effective_from desc, p.policy_id desc limit 1;
  insert into audit_log (table_name, changed_at, changed_by, before, after)
  values (tg_table_name, clock_timestamp(),
    coalesce(nullif(current_setting('corridor.operator', true), ''), session_user),
    followed, to_jsonb(new));
  return null;
end $$;
create trigger history after insert on pricing_policies
  for each row execute function keep_policy_history();
create trigger taken_back after delete on pricing_policies
  for each row execute function keep_history();
create trigger announce after insert or delete on pricing_policies
  for each statement execute function announce_price_change();

-- The rails of live accounts: the manual rail, and the rails that the operator adds. `config` has
-- the settings of the rail's kind, which its adapter reads.
create table rails (
  name text collate "C" primary key
    constraint rail_name check (name ~ '^[a-z][a-z0-9_]{1,30}$' and name <> 'simulator'),
  kind text not null
    constraint known_kind check (kind in ('manual', 'iso20022', 'nacha', 'connector')),
  config jsonb not null,
  -- The secret with which the adapter signs or logs in; '' for none. It is stored in plain text,
  -- because the adapter must use it. The history has its digest.
  secret text not null default '',
  -- Why the rail is paused; '' while it is not.
  paused_reason text not null default '',
  constraint one_rail_of_people check ((kind = 'manual') = (name = 'manual')),
  constraint people_are_not_paused check (kind <> 'manual' or paused_reason = '')
);
create trigger announce after insert or update or delete on rails
  for each statement execute function announce_reference_change();
create trigger history after insert or update or delete on rails
  for each row execute function keep_history();

-- Payouts and attempts keep the name of their rail for ever: a rail that has any is not removed,
-- and no rail is renamed. The function runs as the owner of the tables, who sees the payouts of all
-- accounts.
create function check_rail_change() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  if tg_op = 'DELETE' then
    if old.kind = 'manual' or exists (select from open_payouts where rail = old.name)
      or exists (select from payout_outcomes where rail = old.name)
      -- The rail's payouts may have moved to another rail since.
      or exists (select from payout_attempts where rail = old.name)
    then
      raise exception 'rail % has payouts: it is paused, and not removed', old.name
        using errcode = 'check_violation', constraint = 'carried_nothing';
    end if;
    return old;
  end if;
  if (new.name, new.kind) is distinct from (old.name, old.kind) then
    raise exception 'rail % keeps its name and its kind', old.name
      using errcode = 'check_violation', constraint = 'keeps_its_kind';
  end if;
  return new;
end $$;
create trigger legal_change before update or delete on rails
  for each row execute function check_rail_change();
insert into rails (name, kind, config) values ('manual', 'manual', '{}');

-- Which rails take the payouts of live accounts, in which order. A null is "any". Sandbox accounts
-- have no routes: the simulator takes their payouts.
create table routes (
  payout_type text,
  network text,
  currency text,
  country text,
  account_id text collate "C" references accounts,
  -- The bounds, both included, of the amount that the beneficiary receives, in minor units of
  -- `currency`.
  min_amount bigint check (min_amount > 0),
  max_amount bigint check (max_amount > 0),
  -- Orders routes that are equally specific: the highest number comes first. The next route follows
  -- when the rail before it has proved that it has not taken the payout.
  priority integer not null default 0 check (priority between -1000 and 1000),
  -- With an unknown rail the payout would debit the account, and nobody would pay it.
  rail text collate "C" not null constraint taken_by_a_known_rail references rails,
  -- The cut-off for the payouts of a business day: its local time, and how many minutes earlier
  -- payouts are released. Null: the rail's cut-off applies, if it has one.
  calendar text check (calendar in ('t2', 'fed', 'uk', 'ch', 'hk')),
  cut_off text check (cut_off ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  zone text check (zone <> ''),
  lead_minutes integer check (lead_minutes between 1 and 1440),
  -- Business days from the value date to the arrival; null: as the network takes.
  arrival_days integer check (arrival_days between 0 and 30),
  constraint timetable_is_whole check (
    num_nulls(calendar, cut_off, zone, lead_minutes) in (0, 4)
    and (arrival_days is null or calendar is not null)),
  constraint one_route_to_a_rail unique nulls not distinct
    (account_id, payout_type, network, currency, country, min_amount, max_amount, rail),
  -- Of two routes with the same conditions, one comes first.
  constraint one_order_of_routes unique nulls not distinct
    (account_id, payout_type, network, currency, country, min_amount, max_amount, priority),
  constraint amount_of_a_currency check
    (currency is not null or min_amount is null and max_amount is null),
  constraint amounts_in_order check (min_amount <= max_amount),
  constraint network_of_a_type check (network is null or payout_type is not null),
  -- A `service_account` payout is a transfer inside the installation and goes to no rail.
  constraint transfers_have_no_route check (payout_type <> 'service_account'),
  constraint simulator_takes_no_live_payout check (rail <> 'simulator')
);
create function check_route() returns trigger language plpgsql as $$
begin
  if (select sandbox from accounts where account_id = new.account_id) then
    raise exception 'account % is a sandbox, which has no routes', new.account_id
      using errcode = 'check_violation';
  end if;
  if new.zone is not null and not exists (
    select from pg_timezone_names where name = new.zone
  ) then
    raise exception 'time zone % is not known', new.zone using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger live_accounts_only before insert or update on routes
  for each row execute function check_route();
create trigger announce after insert or update or delete on routes
  for each statement execute function announce_reference_change();
create trigger history after insert or update or delete on routes
  for each row execute function keep_history();
