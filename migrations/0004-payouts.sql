-- Beneficiaries, quotes, payouts and idempotency keys.

create table beneficiaries (
  account_id text collate "C" not null,
  id text collate "C" not null,
  details json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, id)
);

create table quotes (
  account_id text collate "C" not null,
  id text collate "C" not null,
  payout_type text not null,
  holding_currency text not null,
  holding_amount bigint not null check (holding_amount > 0),
  payout_currency text not null,
  payout_amount bigint not null check (payout_amount > 0),
  destination_currency text not null,
  destination_country text not null,
  destination_amount bigint not null check (destination_amount > 0),
  holding_to_payout numeric not null check (holding_to_payout > 0),
  payout_to_destination numeric not null check (payout_to_destination > 0),
  fixed_fee_holding bigint not null check (fixed_fee_holding >= 0),
  fixed_fee_payout bigint not null check (fixed_fee_payout >= 0),
  variable_fee_holding bigint not null check (variable_fee_holding >= 0),
  variable_fee_payout bigint not null check (variable_fee_payout >= 0),
  fund_transfer_network text not null,
  payment_network text not null,
  wallet_type text not null,
  wallet_network text not null,
  charge_type text not null,
  entity_id text not null,
  -- 'expired' is never stored: it is computed from valid_until when the quote is read.
  status text not null check (status in ('active', 'used')),
  valid_until timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, id)
) with (fillfactor = 90);

create table payouts (
  account_id text collate "C" not null,
  id text collate "C" not null,
  quote_id text collate "C" not null,
  type text not null,
  amount bigint not null check (amount > 0),
  currency text not null,
  holding_currency text not null,
  holding_amount bigint not null check (holding_amount > 0),
  fixed_fee bigint not null check (fixed_fee >= 0),
  variable_fee bigint not null check (variable_fee >= 0),
  destination_currency text not null,
  destination_amount bigint not null check (destination_amount > 0),
  holding_to_payout numeric not null,
  payout_to_destination numeric not null,
  holding_fx_id text not null,
  payout_fx_id text not null,
  balance_transaction_id text collate "C" not null,
  beneficiary_id text collate "C" not null,
  -- The details as they were when the payout was made; later changes of the beneficiary do not
  -- reach it.
  beneficiary_details json not null,
  -- What the caller sent and nobody computes with: purpose, descriptors, documents, metadata.
  particulars json not null,
  fund_transfer_network text not null,
  charge_type text not null,
  status text not null check (
    status in
      ('processing', 'requires_action', 'compliance_hold', 'succeeded', 'failed', 'reversed')
  ),
  status_description text not null default '',
  failure json,
  -- The rail: how many of its steps are applied, and when it is to be asked (again). Null: never.
  rail_steps integer not null default 0 check (rail_steps >= 0),
  rail_attempts integer not null default 0 check (rail_attempts >= 0),
  ask_rail_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, id),
  constraint quote_used_once unique (account_id, quote_id)
) with (fillfactor = 80);
-- The settling worker's list of what is due, and nothing else.
create index payouts_due on payouts (ask_rail_at) where ask_rail_at is not null;

-- Contract 17, the same table as PAYOUT_TRANSITIONS in payout/states.ts: a test compares the two.
create table payout_transitions (
  from_status text not null,
  to_status text not null,
  primary key (from_status, to_status)
);
insert into payout_transitions (from_status, to_status) values
  ('processing', 'succeeded'), ('processing', 'failed'),
  ('processing', 'requires_action'), ('processing', 'compliance_hold'),
  ('requires_action', 'processing'), ('requires_action', 'succeeded'), ('requires_action', 'failed'),
  ('compliance_hold', 'processing'), ('compliance_hold', 'succeeded'), ('compliance_hold', 'failed'),
  ('succeeded', 'reversed');

create function check_payout_transition() returns trigger language plpgsql as $$
begin
  if not exists (
    select from payout_transitions
    where from_status = old.status and to_status = new.status
  ) then
    raise exception 'payout % cannot go from % to %', old.id, old.status, new.status
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger legal_transition before update of status on payouts
  for each row when (old.status <> new.status) execute function check_payout_transition();

-- Answers kept for 24 hours (contract 26), written in the transaction of their effect.
create table idempotency_keys (
  account_id text collate "C" not null,
  -- Method and path, such as 'POST /v3/payout'.
  operation text not null,
  key text not null,
  -- SHA-256 of the body with keys sorted: white space and key order are not another body.
  request_hash bytea not null check (octet_length(request_hash) = 32),
  status integer not null check (status between 200 and 299),
  body text not null,
  created_at timestamptz not null,
  primary key (account_id, operation, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);
