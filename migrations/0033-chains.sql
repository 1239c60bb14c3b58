-- additive: the former version knows none of these tables, and asks no rail of kind evm.
-- Payments of tokens on EVM chains. A wallet of the house signs transactions with nonces, which count
-- from 0 without a gap. A slot is a nonce of a wallet that one attempt of a payout has for ever. Only
-- bytes that are committed here are sent.

alter table rails drop constraint known_kind, add constraint known_kind
  check (kind in ('manual', 'iso20022', 'nacha', 'connector', 'evm'));

create or replace function check_rail_identity() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  lock table payout_attempts in share mode;
  if old.paused_reason = '' or exists (
    select from payout_attempts a
    left join open_payouts p on p.account_id = a.account_id and p.id = a.payout_id
    where a.rail = old.name and a.asked_at is not null and (a.ask_again_at is not null
      or a.ended_as in ('', 'paid') and p.id is not null))
  then
    raise exception 'rail % is asked about payouts: it keeps its far end', old.name
      using errcode = 'check_violation', constraint = 'keeps_its_identity';
  end if;
  return new;
end $$;
-- Another chain or another contract does not know the attempts that were handed over.
create trigger keeps_its_chain before update on rails
  for each row when (old.kind = 'evm'
    and (old.config -> 'chain', old.config -> 'test_chain', old.config -> 'tokens')
    is distinct from (new.config -> 'chain', new.config -> 'test_chain', new.config -> 'tokens'))
  execute function check_rail_identity();

-- A person also gives payments up, and opens stopped wallets.
create or replace function record_act(changed text, why text, was jsonb, is_now jsonb) returns void
language plpgsql security definer set search_path to public, pg_temp as $$
begin
  if changed <> all (array['payouts', 'balance_transactions', 'beneficiaries', 'entities', 'events',
    'rail_exceptions', 'screening_matches', 'payout_approvals', 'beneficiary_approvals', 'evm_slots',
    'evm_wallets'])
  then
    raise exception 'the history of % is written by its triggers alone', changed
      using errcode = 'insufficient_privilege';
  end if;
  insert into audit_log (table_name, changed_at, changed_by, reason, before, after)
  values (changed, clock_timestamp(),
    coalesce(nullif(current_setting('corridor.operator', true), ''), session_user), why, was, is_now);
end $$;

create domain evm_address as text collate "C" check (value ~ '^0x[0-9a-f]{40}$');
create domain evm_hash as text collate "C" check (value ~ '^0x[0-9a-f]{64}$');

-- A hot wallet. Rails with one key share its row, because they share its nonces.
create table evm_wallets (
  chain_id positive not null,
  -- The nonce of the next slot.
  next_nonce not_negative not null,
  -- Transfers are read up to and with this block, which had this hash.
  read_block not_negative not null,
  -- The time of the block at which it began: its transfers are known from then on.
  begun_at timestamptz not null,
  stopped_at timestamptz,
  -- For how many payments its native coin pays, as last seen; null: not yet.
  gas_left bigint check (gas_left >= 0),
  -- The process that signs with it, until then. The lease saves work; `next_nonce` makes it safe.
  held_until timestamptz not null default '-infinity',
  address evm_address not null,
  rail text collate "C" not null check (rail <> ''),
  state text not null default 'active' check (state in ('active', 'stopped')),
  -- Why nothing is signed or sent, and in words.
  stopped_as text not null default ''
    check (stopped_as in ('', 'history_lost', 'foreign_transaction')),
  problem text not null default '' check (length(problem) <= 500),
  held_by text not null default '' check (length(held_by) <= 64),
  read_hash evm_hash not null,
  primary key (chain_id, address),
  constraint stopped_for_a_reason check ((state = 'stopped') = (stopped_as <> '')
    and (state = 'stopped') = (problem <> '') and (state = 'stopped') = (stopped_at is not null))
);
create function refuse_wallet_change() returns trigger language plpgsql as $$
begin
  raise exception 'wallet % keeps its key, and its counts only rise', old.address
    using errcode = 'check_violation', constraint = 'wallet_rises';
end $$;
create trigger wallet_rises before update on evm_wallets
  for each row when ((old.chain_id, old.address, old.rail, old.begun_at)
      is distinct from (new.chain_id, new.address, new.rail, new.begun_at)
    or new.next_nonce < old.next_nonce or new.read_block < old.read_block)
  execute function refuse_wallet_change();
create trigger kept before delete or truncate on evm_wallets
  for each statement execute function refuse_change();
-- The chain may have payments that a copy of the database lacks, and a block may take others later.
create function stop_wallets() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  update evm_wallets set state = 'stopped', stopped_as = 'history_lost',
    stopped_at = clock_timestamp(), problem = 'the database is a copy: the chain may know more'
  where state = 'active';
  return null;
end $$;
create trigger copy_stops_wallets after insert or update of restored on rail_exchanges
  for each row when (new.restored) execute function stop_wallets();

-- Money that leaves a wallet for the house's own address. One person asks for it and another one
-- agrees; then the rail pays it, once.
create table evm_sweeps (
  id bigint generated always as identity primary key,
  chain_id positive not null,
  -- Minor units of the currency.
  amount positive not null,
  asked_at timestamptz not null default clock_timestamp(),
  agreed_at timestamptz,
  rail text collate "C" not null check (rail <> ''),
  wallet evm_address not null,
  -- The treasury_address of the settings when it was asked for.
  payee evm_address not null,
  currency text not null,
  asked_by text not null check (asked_by <> '' and length(asked_by) <= 200),
  reason text not null check (reason <> '' and length(reason) <= 500),
  agreed_by text not null default '' check (length(agreed_by) <= 200),
  constraint sweep_by_two check (agreed_by = '' or fold_person(agreed_by) <> fold_person(asked_by)),
  constraint agreed_by_a_person check ((agreed_at is null) = (agreed_by = ''))
);
create function refuse_sweep_change() returns trigger language plpgsql as $$
begin
  raise exception 'sweep % stays as it was asked for', old.id
    using errcode = 'check_violation', constraint = 'sweep_stays';
end $$;
create trigger sweep_stays before update on evm_sweeps for each row
  when (old.agreed_by <> '' or (old.id, old.chain_id, old.amount, old.asked_at, old.rail, old.wallet,
      old.payee, old.currency, old.asked_by, old.reason)
    is distinct from (new.id, new.chain_id, new.amount, new.asked_at, new.rail, new.wallet,
      new.payee, new.currency, new.asked_by, new.reason))
  execute function refuse_sweep_change();
create function check_sweep_begin() returns trigger language plpgsql as $$
begin
  if new.agreed_by <> '' then
    raise exception 'nobody has asked for this sweep before' using errcode = 'check_violation',
      constraint = 'asked_before_agreed';
  end if;
  return new;
end $$;
create trigger asked_before_agreed before insert on evm_sweeps
  for each row execute function check_sweep_begin();
create trigger kept before delete or truncate on evm_sweeps
  for each statement execute function refuse_change();
create trigger history after insert or update on evm_sweeps
  for each row execute function keep_history();

-- The call transfer(payee, units) of a token; units are below 2^123.
create function transfer_call(payee text, units numeric) returns text
language sql immutable strict parallel safe as $$
  select '0xa9059cbb' || lpad(substr(payee, 3), 64, '0')
    || lpad(to_hex(div(units, 1152921504606846976)::bigint), 49, '0')
    || lpad(to_hex(mod(units, 1152921504606846976)::bigint), 15, '0')
$$;

-- A payment: the nonce of a wallet that an attempt has, or the row by which the rail has refused the
-- attempt. Its content never changes.
create table evm_slots (
  id bigint generated always as identity primary key,
  chain_id positive not null,
  nonce bigint check (nonce >= 0),
  -- Minor units of the currency, which has 6 places, and the same in the token's smallest unit.
  amount positive,
  units numeric(78) constraint whole_factor check (units > 0 and mod(units, amount) = 0
    and div(units, amount)::text ~ '^10*$'),
  made_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz,
  -- When another transaction seemed to have the nonce at the final block for the first time.
  suspect_at timestamptz,
  void_at timestamptz,
  -- Whether the payee has code, such as a Safe.
  to_contract boolean not null default false,
  -- The sweep that a payment for the house makes. Each is paid once, or never.
  sweep bigint unique references evm_sweeps,
  attempt integer check (attempt > 0),
  account_id text collate "C" not null default '',
  payout_id text collate "C" not null default '',
  rail text collate "C" not null check (rail <> ''),
  wallet text collate "C" not null default '',
  -- The end-to-end reference of the attempt: the day of the chain names it, as a bank's line does.
  uetr text collate "C" not null default '' check (length(uetr) <= 36),
  -- pay: an attempt of a payout. house: money that leaves the wallet for the house. foreign: the
  -- chain has a transaction with the nonce, and nobody here knows what for.
  purpose text not null check (purpose in ('pay', 'house', 'foreign')),
  currency text not null,
  token text collate "C" not null check (token ~ '^(0x[0-9a-f]{40})?$'),
  payee text collate "C" not null check (payee ~ '^(0x[0-9a-f]{40})?$'),
  calldata text not null check (calldata ~ '^(0x([0-9a-f]{2})+)?$' and length(calldata) <= 402),
  state text not null check (state in ('refused', 'signed', 'sent', 'mined', 'paid', 'reverted',
    'voided', 'differs', 'stopped', 'foreign')),
  -- Who took it over from the chain, where the database had lost it; '' for the rail's own.
  adopted_by text not null default '' check (length(adopted_by) <= 100),
  -- What follows once a person has given the payment up, who, and why.
  void_as text not null default '' check (void_as in ('', 'fail', 'again')),
  void_by text not null default '' check (length(void_by) <= 100),
  void_reason text not null default '' check (length(void_reason) <= 500),
  constraint slot_of_a_nonce unique (chain_id, wallet, nonce),
  constraint pays_an_attempt check ((purpose = 'pay') = (account_id <> '')
    and (purpose = 'pay') = (payout_id <> '') and (purpose = 'pay') = (attempt is not null)),
  constraint house_by_a_sweep check ((purpose = 'house') = (sweep is not null)),
  constraint nonce_unless_refused check ((nonce is null) = (state = 'refused')),
  constraint wallet_of_a_nonce check (nonce is null or wallet ~ '^0x[0-9a-f]{40}$'),
  constraint whole_unless_refused check (state in ('refused', 'foreign')
    or token <> '' and (payee = '') = (calldata = '')),
  -- The call is of this payee and these units. A tag of 16 bytes may follow.
  constraint calls_as_ordered check (calldata = '' or length(calldata) in (138, 170)
    and starts_with(calldata, transfer_call(payee, units))),
  constraint known_unless_foreign check ((purpose = 'foreign') = (state = 'foreign')
    and (purpose = 'foreign') = (amount is null) and (amount is null) = (units is null)),
  constraint ended_when_it_is_over check (
    (ended_at is null) = (state in ('signed', 'sent', 'mined', 'stopped'))),
  constraint voided_by_a_person check ((void_as = '') = (void_by = '')
    and (void_as = '') = (void_reason = '') and (void_as = '') = (void_at is null)
    and (state <> 'voided' or void_as <> ''))
);
-- An attempt has one slot for ever: another process that signs for it is refused here.
create unique index one_slot_an_attempt on evm_slots (account_id, payout_id, attempt)
  where purpose = 'pay';
create index evm_slots_open on evm_slots (chain_id, wallet, nonce)
  where state in ('signed', 'sent', 'mined', 'stopped');
create index evm_slots_paid on evm_slots (chain_id, wallet, ended_at) where state = 'paid';
-- Who sends money back was paid before.
create index evm_slots_by_payee on evm_slots (payee, ended_at) where state = 'paid';
create index evm_slots_by_day on evm_slots (chain_id, wallet, token, made_at)
  where nonce is not null;

-- A slot begins signed, under the nonce that its wallet has counted, or refused.
create function check_slot_begin() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  if new.state not in ('signed', 'refused', 'foreign') or new.void_as <> ''
    or new.suspect_at is not null or new.state = 'signed' and new.payee = ''
    or new.state = 'foreign' and new.adopted_by = ''
    or new.nonce is not null and not exists (
      select from evm_wallets w where w.chain_id = new.chain_id and w.address = new.wallet
        and w.next_nonce > new.nonce)
  then
    raise exception 'nonce % of wallet % is not reserved', new.nonce, new.wallet
      using errcode = 'check_violation', constraint = 'reserved_first';
  end if;
  return new;
end $$;
-- What the rail signs by itself is as its settings are at the commit: its own wallet and token, at
-- most max_payout, to nobody of ours, and nothing while it is paused.
create function check_slot_settings() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
declare
  settings jsonb;
begin
  select config into settings from rails
  where name = new.rail and kind = 'evm' and paused_reason = '' for share;
  if settings is null
    or not exists (select from jsonb_array_elements(settings -> 'wallets') as each (w)
      where lower(w ->> 'address') = new.wallet)
    or new.token is distinct from lower(coalesce(
      settings #>> array['tokens', new.currency, 'address'],
      settings #>> array['tokens', new.currency]))
    or new.purpose = 'pay' and (new.amount > (settings ->> 'max_payout')::numeric * 1000000
      or exists (select from evm_wallets w
        where w.chain_id = new.chain_id and w.address = new.payee))
  then
    raise exception 'rail % may not pay nonce % of wallet %', new.rail, new.nonce, new.wallet
      using errcode = 'check_violation', constraint = 'as_its_rail_is_set';
  end if;
  -- Another attempt follows only what is dead.
  if new.purpose = 'pay' and exists (
    select from evm_slots s where s.account_id = new.account_id and s.payout_id = new.payout_id
      and s.purpose = 'pay' and s.attempt <> new.attempt
      and s.state in ('signed', 'sent', 'mined', 'paid'))
  then
    raise exception 'payout % has another payment that is not dead', new.payout_id
      using errcode = 'check_violation', constraint = 'one_live_payment';
  end if;
  return new;
end $$;
create trigger as_its_rail_is_set before insert on evm_slots
  for each row when (new.state = 'signed' and new.adopted_by = '')
  execute function check_slot_settings();
-- Two people have agreed to what leaves for the house.
create function check_house_slot() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  if not exists (
    select from evm_sweeps w where w.id = new.sweep and w.agreed_by <> ''
      and (w.chain_id, w.rail, w.wallet, w.payee, w.currency, w.amount)
        = (new.chain_id, new.rail, new.wallet, new.payee, new.currency, new.amount)
      -- After a restore, a number that nobody here knows may have been this sweep.
      and not exists (select from evm_slots s
        where s.chain_id = w.chain_id and s.wallet = w.wallet and s.token = ''
          and s.purpose = 'foreign' and s.made_at > w.agreed_at))
  then
    raise exception 'nobody has agreed to sweep %', new.sweep
      using errcode = 'check_violation', constraint = 'house_by_two_people';
  end if;
  return new;
end $$;
create trigger house_by_two_people before insert on evm_slots
  for each row when (new.purpose = 'house') execute function check_house_slot();
create trigger reserved_first before insert on evm_slots
  for each row execute function check_slot_begin();
create function check_slot_step() returns trigger language plpgsql as $$
begin
  if (new.id, new.chain_id, new.nonce, new.amount, new.units, new.made_at, new.attempt,
      new.account_id, new.payout_id, new.rail, new.wallet, new.uetr, new.purpose, new.currency,
      new.token, new.payee, new.calldata, new.to_contract, new.adopted_by, new.sweep)
    is distinct from (old.id, old.chain_id, old.nonce, old.amount, old.units, old.made_at,
      old.attempt, old.account_id, old.payout_id, old.rail, old.wallet, old.uetr, old.purpose,
      old.currency, old.token, old.payee, old.calldata, old.to_contract, old.adopted_by, old.sweep)
    or old.ended_at is not null and (old.state, new.state) <> ('paid', 'sent')
    or old.void_as <> '' and (new.void_as, new.void_by, new.void_reason, new.void_at)
      is distinct from (old.void_as, old.void_by, old.void_reason, old.void_at)
  then
    raise exception 'slot % of wallet % stays as it is', old.nonce, old.wallet
      using errcode = 'restrict_violation';
  end if;
  if old.state <> new.state and (old.state, new.state) not in (
    ('signed', 'sent'), ('signed', 'mined'), ('sent', 'mined'),
    -- Its block is not on the chain any more. A rail that settles on a number of blocks may have
    -- called it paid.
    ('mined', 'sent'), ('paid', 'sent'),
    ('mined', 'paid'), ('mined', 'reverted'), ('mined', 'voided'), ('mined', 'differs'),
    -- Another transaction has its nonce, as far as the providers know.
    ('signed', 'stopped'), ('sent', 'stopped'), ('stopped', 'mined'))
  then
    raise exception 'slot % of wallet % cannot go from % to %', old.nonce, old.wallet, old.state,
      new.state using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger legal_step before update on evm_slots
  for each row when (new.payee <> '' or old.payee = '') execute function check_slot_step();
-- What its transactions say of it.
create function check_slot_proof() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  -- The service gives up by itself only what has never left it.
  if old.void_as = '' and new.void_by = 'corridor' and exists (
    select from evm_transactions t where t.chain_id = old.chain_id and t.wallet = old.wallet
      and t.nonce = old.nonce and t.sends > 0)
  then
    raise exception 'slot % of wallet % stays as it is', old.nonce, old.wallet
      using errcode = 'restrict_violation';
  end if;
  -- One of its transactions is in a block, and says what the slot says.
  if old.state <> new.state and new.state in ('mined', 'paid', 'reverted', 'voided', 'differs')
    and not exists (
      select from evm_transactions t where t.chain_id = old.chain_id and t.wallet = old.wallet
        and t.nonce = old.nonce and t.block is not null
      having count(*) = 1 and (new.state = 'mined' or bool_and(
        (t.kind = 'void') = (new.state = 'voided')
        and (t.kind = 'void' or t.succeeded = (new.state <> 'reverted')))))
  then
    raise exception 'slot % of wallet % has no transaction that is %', old.nonce, old.wallet,
      new.state using errcode = 'check_violation', constraint = 'proved_by_a_block';
  end if;
  return new;
end $$;
create trigger proved before update on evm_slots
  for each row when (new.payee <> '' or old.payee = '') execute function check_slot_proof();
-- Without its payee a payment could not be sent again, and would stop all that follow it.
create trigger erased_once_over before update on evm_slots
  for each row when (new.payee = '' and old.payee <> '' and old.state in ('signed', 'sent', 'mined'))
  execute function refuse_change();
create trigger erased_only before update on evm_slots
  for each row when (new.payee = '' and old.payee <> '')
  execute function guard_erased('{"payee":"","calldata":""}');
create trigger kept before delete or truncate on evm_slots
  for each statement execute function refuse_change();

-- The nonces of a wallet have no gap: the transaction that counts them makes a slot for each. It
-- holds the wallet's row, so no other one pays at the same time above max_day.
create function check_no_gap() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
declare
  made bigint;
  above text;
begin
  select count(*) into made from evm_slots
  where chain_id = new.chain_id and wallet = new.address
    and nonce >= old.next_nonce and nonce < new.next_nonce;
  if made <> new.next_nonce - old.next_nonce then
    raise exception 'wallet % has % slots from nonce % to %', new.address, made, old.next_nonce,
      new.next_nonce - 1 using errcode = 'check_violation', constraint = 'no_gap';
  end if;
  select m.currency into above from (
    select distinct s.rail, s.token, s.currency from evm_slots s
    where s.chain_id = new.chain_id and s.wallet = new.address and s.nonce >= old.next_nonce
      and s.nonce < new.next_nonce and s.purpose = 'pay' and s.adopted_by = ''
  ) m join rails r on r.name = m.rail and r.config ->> 'max_day' is not null
  where (r.config ->> 'max_day')::numeric * 1000000 < (
    select sum(s.amount) from evm_slots s
    where s.chain_id = new.chain_id and s.wallet = new.address and s.token = m.token
      and s.made_at >= date_trunc('day', clock_timestamp(), 'UTC') and s.nonce is not null
      and s.purpose = 'pay' and s.state not in ('reverted', 'voided'))
  limit 1;
  if above is not null then
    raise exception 'wallet % would pay more % today than max_day', new.address, above
      using errcode = 'check_violation', constraint = 'within_max_day';
  end if;
  return null;
end $$;
create constraint trigger no_gap after update on evm_wallets deferrable initially deferred
  for each row when (new.next_nonce <> old.next_nonce) execute function check_no_gap();

-- A rail keeps a wallet in its settings while a payment of it may be mined. One whose number another
-- transaction has is with a person.
create function check_rail_wallets() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
declare
  gone text;
begin
  select wallet into gone from evm_slots
  where rail = old.name and state in ('signed', 'sent', 'mined')
    and wallet not in (select lower(w ->> 'address')
      from jsonb_array_elements(new.config -> 'wallets') as each (w))
  limit 1;
  if gone is not null then
    raise exception 'rail % has payments of wallet % under way', old.name, gone
      using errcode = 'check_violation', constraint = 'keeps_its_wallets';
  end if;
  return new;
end $$;
create trigger keeps_its_wallets before update on rails
  for each row when (old.kind = 'evm' and old.config -> 'wallets' is distinct from new.config -> 'wallets')
  execute function check_rail_wallets();

-- The signed bytes of a slot: the payment, then the same with higher fees, or nothing to ourselves
-- once a person has given it up. The chain takes one of them.
create table evm_transactions (
  chain_id positive not null,
  nonce not_negative not null,
  number integer not null check (number between 1 and 10),
  gas positive not null,
  -- Wei for a unit of gas.
  max_fee numeric(78) not null check (max_fee > 0),
  tip numeric(78) not null check (tip between 0 and max_fee),
  signed_at timestamptz not null default clock_timestamp(),
  first_sent_at timestamptz,
  sends count_of not null default 0,
  -- The block that it is in, as far as is known, and what it has cost there.
  block not_negative,
  gas_used bigint check (gas_used >= 0),
  cost_wei numeric(78) check (cost_wei >= 0),
  succeeded boolean,
  hash evm_hash primary key,
  wallet text collate "C" not null,
  kind text not null check (kind in ('pay', 'void')),
  raw text not null check (raw ~ '^(0x([0-9a-f]{2})+)?$' and length(raw) <= 2002),
  block_hash text collate "C" not null default '' check (block_hash ~ '^(0x[0-9a-f]{64})?$'),
  -- What the providers said of it last.
  last_answer text not null default '' check (length(last_answer) <= 500),
  constraint one_of_a_number unique (chain_id, wallet, nonce, number),
  constraint of_a_slot foreign key (chain_id, wallet, nonce)
    references evm_slots (chain_id, wallet, nonce),
  constraint sent_once_said check ((first_sent_at is null) = (sends = 0)),
  constraint known_in_its_block check ((block is null) = (block_hash = '')
    and (block is null) = (gas_used is null) and (block is null) = (cost_wei is null)
    and (block is null) = (succeeded is null))
);
-- A payment has the call of its slot, to the token of its slot. The first one is a payment, and
-- only a person's word lets another kind follow. A transaction without bytes is one of the chain that
-- took the nonce, and that has the tag of the slot.
create function check_transaction() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
declare
  slot evm_slots;
  carries boolean;
  pays boolean;
begin
  select * into slot from evm_slots where chain_id = new.chain_id and wallet = new.wallet
    and nonce = new.nonce;
  carries := strpos(new.raw, substr(slot.calldata, 3)) > 0;
  -- In the coding of the chain: to whom, no coin, the data, and nothing behind them.
  pays := strpos(new.raw, case new.kind
    when 'pay' then '94' || substr(slot.token, 3) || '80b8'
      || to_hex(length(slot.calldata) / 2 - 1) || substr(slot.calldata, 3) || 'c0'
    else '94' || substr(new.wallet, 3) || '8080c0' end) > 0;
  if slot.ended_at is not null or slot.payee = '' or new.block is not null
    or new.raw = '' and (new.kind <> 'pay' or slot.adopted_by = '' and slot.suspect_at is null)
    or new.raw <> '' and (not pays or new.kind = 'pay' and slot.void_as <> '')
    or new.kind = 'void' and (carries or slot.void_as = '' or new.number = 1)
    or new.number > 1 and not exists (
      select from evm_transactions t where t.chain_id = new.chain_id and t.wallet = new.wallet
        and t.nonce = new.nonce and t.number = new.number - 1)
  then
    raise exception 'transaction % does not fit nonce % of wallet %', new.hash, new.nonce,
      new.wallet using errcode = 'check_violation', constraint = 'fits_its_slot';
  end if;
  return new;
end $$;
create trigger fits_its_slot before insert on evm_transactions
  for each row execute function check_transaction();
-- The bytes are removed once the slot is erased.
create function check_transaction_change() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  if (new.chain_id, new.nonce, new.number, new.gas, new.max_fee, new.tip, new.signed_at, new.hash,
      new.wallet, new.kind)
    is distinct from (old.chain_id, old.nonce, old.number, old.gas, old.max_fee, old.tip,
      old.signed_at, old.hash, old.wallet, old.kind)
    or old.first_sent_at is not null and new.first_sent_at is distinct from old.first_sent_at
    or new.sends < old.sends
    or new.raw <> old.raw and (new.raw <> '' or not exists (
      select from evm_slots s where s.chain_id = old.chain_id and s.wallet = old.wallet
        and s.nonce = old.nonce and s.payee = ''))
  then
    raise exception 'transaction % stays as it was signed', old.hash
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger legal_change before update on evm_transactions
  for each row execute function check_transaction_change();
create trigger kept before delete or truncate on evm_transactions
  for each statement execute function refuse_change();

-- Transfers of our tokens from and to our wallets, in final blocks.
create table evm_transfers (
  chain_id positive not null,
  block not_negative not null,
  units numeric(78) not null check (units > 0),
  log_index not_negative not null,
  -- The time of its block.
  at timestamptz not null,
  -- A transaction of a slot, or of anybody else.
  tx_hash evm_hash not null,
  block_hash evm_hash not null,
  token evm_address not null,
  sender evm_address not null,
  receiver text collate "C" not null check (receiver ~ '^(0x[0-9a-f]{40})?$'),
  primary key (chain_id, tx_hash, log_index)
);
create index evm_transfers_by_time on evm_transfers (chain_id, token, at);
create function check_transfer_change() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  if to_jsonb(new) <> to_jsonb(old) || '{"receiver":""}' or not exists (
    select from evm_transactions t join evm_slots s
      on s.chain_id = t.chain_id and s.wallet = t.wallet and s.nonce = t.nonce
    where t.hash = old.tx_hash and t.wallet = old.sender and s.payee = '')
  then
    raise exception 'evm_transfers is append-only' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger erased_only before update on evm_transfers
  for each row execute function check_transfer_change();
create trigger append_only before delete or truncate on evm_transfers
  for each statement execute function refuse_change();

-- The balance of a token that each wallet had at the block up to which its transfers are read. With
-- the transfers since then it gives the balance at the end of any day.
create table evm_balances (
  chain_id positive not null,
  block not_negative not null,
  units numeric(78) not null check (units >= 0),
  -- The time of the block.
  at timestamptz not null,
  wallet evm_address not null,
  token evm_address not null,
  primary key (chain_id, wallet, token)
);

-- What keeps payments of a rail waiting, as last judged. A trouble that is not seen again is over.
create table evm_troubles (
  since timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp(),
  rail text collate "C" not null check (rail <> ''),
  -- The wallet; '' for the whole rail.
  wallet text collate "C" not null check (wallet ~ '^(0x[0-9a-f]{40})?$'),
  kind text not null check (kind ~ '^[a-z][a-z_]{1,39}$'),
  message text not null check (message <> '' and length(message) <= 500),
  primary key (rail, wallet, kind)
);

grant select, insert on evm_wallets, evm_slots, evm_transactions, evm_transfers to corridor_service;
grant select, insert, update (agreed_at, agreed_by) on evm_sweeps to corridor_service;
grant update (next_nonce, state, stopped_as, stopped_at, problem, held_by, held_until, read_block,
  read_hash, gas_left) on evm_wallets to corridor_service;
grant update (state, ended_at, suspect_at, void_as, void_by, void_reason, void_at, payee, calldata)
  on evm_slots to corridor_service;
grant update (first_sent_at, sends, last_answer, block, block_hash, succeeded, gas_used, cost_wei, raw)
  on evm_transactions to corridor_service;
grant update (receiver) on evm_transfers to corridor_service;
grant select, insert, update (block, units, at) on evm_balances to corridor_service;
grant select, insert, update, delete on evm_troubles to corridor_service;
grant select on evm_wallets, evm_sweeps, evm_slots, evm_transactions, evm_transfers, evm_balances,
  evm_troubles to corridor_auditor;

select confine_to_accounts('evm_slots');
-- The rail works on the slots of all accounts, in a transaction that says so.
create policy of_the_house on evm_slots to corridor_service
  using ((select current_setting('corridor.house', true)) = 'on');
