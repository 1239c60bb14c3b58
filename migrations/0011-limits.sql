-- Limits: how much, and how many payouts, accounts may make. A limit counts the payouts of each
-- account separately, under the lock of the account's book. A payout that fails or is reversed no
-- longer counts.

create table limits (
  limit_id text collate "C" primary key check (limit_id ~ '^lim_[0-9a-z]{20}$'),
  -- The conditions of the payouts that the limit counts; null is any. A limit without an account
  -- counts the payouts of each account separately.
  account_id text collate "C" references accounts,
  key_id text collate "C" references api_keys,
  rail text,
  network text check (network <> ''),
  -- Only payouts to payees that the account has known for less than so many hours.
  new_for_hours integer check (new_for_hours between 1 and 8760),
  -- Which payouts the limit adds up: all of the account, all of one key, or all to one payee.
  each text not null check (each in ('account', 'key', 'payee')),
  -- The currency in whose minor units the limit counts; null: it counts payouts.
  currency text,
  cap bigint not null check (cap between 0 and 9007199254740991),
  -- A single payout, a day of a time zone, or the last hours.
  per text not null check (per in ('payout', 'day', 'hours')),
  zone text,
  hours integer check (hours between 1 and 744),
  constraint one_limit_of_its_kind unique nulls not distinct
    (account_id, key_id, rail, network, new_for_hours, each, currency, per, zone, hours),
  constraint day_of_a_zone check ((per = 'day') = (zone is not null)),
  constraint hours_of_hours check ((per = 'hours') = (hours is not null)),
  -- A limit on a single payout is an amount: the number of payouts would always be one.
  constraint amount_of_a_payout check (per <> 'payout' or currency is not null),
  constraint key_of_an_account check (key_id is null or account_id is not null and each <> 'key')
);

-- A limit that names an unknown rail, key or time zone would count nothing.
create function check_limit() returns trigger language plpgsql as $$
begin
  if new.rail <> 'simulator' and not exists (select from rails where name = new.rail) then
    raise exception 'there is no rail %', new.rail using errcode = 'check_violation';
  end if;
  if new.key_id is not null and not exists (
    select from api_keys where key_id = new.key_id and account_id = new.account_id
  ) then
    raise exception 'key % is not of account %', new.key_id, new.account_id
      using errcode = 'check_violation';
  end if;
  if new.zone is not null and not exists (
    select from pg_timezone_names where name = new.zone
  ) then
    raise exception 'time zone % is not known', new.zone using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger counts_something before insert on limits
  for each row execute function check_limit();

-- Only the cap of a limit changes. A limit with other conditions is another limit, with sums of its
-- own.
create function refuse_other_limit() returns trigger language plpgsql as $$
begin
  raise exception 'limit % counts what it counts: its cap alone is changed', old.limit_id
    using errcode = 'check_violation';
end $$;
create trigger only_its_cap before update on limits
  for each row when (to_jsonb(old) - 'cap' <> to_jsonb(new) - 'cap')
  execute function refuse_other_limit();
-- Raises price_version: a payout that locks its book is judged by all limits that were set before.
create trigger announce after insert or update or delete on limits
  for each statement execute function announce_price_change();
create trigger history after insert or update or delete on limits
  for each row execute function keep_history();

-- Whether the account has had rows in limit_uses: then a payout that fails or is reversed deletes
-- its own.
alter table books add column has_limit_uses boolean not null default false;

-- The sum of the uses of each limit in each step of time: a day, or the minutes by which a window
-- of hours moves. Sums are stored, because adding up limit_uses for each payout would take too
-- long.
create table limit_sums (
  used bigint not null check (used >= 0),
  -- The sum of the window after the last payout of the step, and the cap at that payout. Null if
  -- the limit has let no payout through in this step, as for payouts made before the limit was set.
  reached bigint,
  cap bigint,
  starts_at timestamptz not null,
  account_id text collate "C" not null,
  limit_id text collate "C" not null,
  -- The key or the payee; '' for a limit that counts all payouts of the account together.
  subject text collate "C" not null,
  primary key (account_id, limit_id, subject, starts_at),
  constraint within_its_cap check (reached <= cap),
  constraint part_of_the_window check (used <= reached),
  constraint reached_under_a_cap check ((reached is null) = (cap is null))
);
create index limit_sums_age on limit_sums (starts_at);

-- How much each payout counts for each limit. The row is deleted when the payout fails or is
-- reversed, and when no window reaches back to it.
create table limit_uses (
  amount bigint not null check (amount > 0),
  starts_at timestamptz not null,
  account_id text collate "C" not null,
  payout_id text collate "C" not null,
  limit_id text collate "C" not null,
  subject text collate "C" not null,
  primary key (account_id, payout_id, limit_id)
);
create index limit_uses_age on limit_uses (starts_at);

-- Since when an account knows a payee, for accounts with a limit on new payees: since it first paid
-- the payee, or, if earlier, since it made or last changed the beneficiary that it named then.
create table limit_payees (
  known_since timestamptz not null,
  account_id text collate "C" not null,
  payee text collate "C" not null,
  primary key (account_id, payee)
);

grant select, insert, delete, update (cap) on limits to corridor_service;
grant update (has_limit_uses) on books to corridor_service;
grant select, insert, delete, update (used, reached, cap) on limit_sums to corridor_service;
grant select, insert, delete on limit_uses to corridor_service;
grant select, insert, update (known_since) on limit_payees to corridor_service;
-- The finder finds rows that are old enough to be deleted.
grant select (account_id, starts_at) on limit_sums, limit_uses to corridor_finder;
grant select on limits, limit_sums, limit_uses, limit_payees to corridor_auditor;

select confine_to_accounts('limit_sums');
select confine_to_accounts('limit_uses');
select confine_to_accounts('limit_payees');
create policy find on limit_sums for select to corridor_finder using (true);
create policy find on limit_uses for select to corridor_finder using (true);
