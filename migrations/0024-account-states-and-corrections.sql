-- Accounts that are frozen or closed, money that leaves other than by a payout, corrections, and
-- when keys were last used.

alter table accounts
  add column state text not null default 'active'
    constraint known_state check (state in ('active', 'frozen', 'closed')),
  -- Why it is in this state, in the operator's words; '' of accounts that were never changed.
  add column state_reason text not null default '',
  add constraint state_has_a_reason check (state = 'active' or state_reason <> '');
grant update (name, currencies, primary_currency, state, state_reason) on accounts
  to corridor_service;

-- A change of state waits for the book's lock, so that what comes after it obeys it; whoever names
-- no account sees no book, and changes nothing. A closed account owes nothing and expects nothing.
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
    or exists (
      select from payouts where account_id = new.account_id and (ask_rail_at is not null
        or status in ('processing', 'requires_action', 'compliance_hold')))
  ) then
    raise exception 'account % holds money or has open payouts', new.account_id
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger legal_change before update of state, currencies on accounts
  for each row execute function check_account_change();

-- No balance of a frozen account falls; none of a closed one moves.
create function check_account_may_move() returns trigger language plpgsql as $$
declare
  present text := (select state from accounts where account_id = new.account_id);
begin
  if present = 'closed' or (present = 'frozen' and new.available < old.available) then
    raise exception 'account % is %', new.account_id, present using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger account_may_move before update of available on balances
  for each row when (new.available <> old.available) execute function check_account_may_move();

-- Widened, so what is stored fits already.
alter table journals drop constraint known_kind, add constraint known_kind check (
  kind in ('funding', 'payout', 'receipt', 'settlement', 'failure', 'reversal', 'withdrawal',
    'adjustment', 'funding_reversal', 'withdrawal_reversal', 'adjustment_reversal')
) not valid;
alter table journals drop constraint known_codes, add constraint known_codes check (
  array_position(codes, null) is null
  and codes <@ array['adjustments', 'available', 'fees', 'funding', 'fx', 'fx_income', 'in_transit',
    'inter_account', 'settled']
) not valid;

-- What only an operator books has its direction, and says who booked it and why.
alter table balance_transactions add constraint known_type check (
  type in ('escrow', 'payout', 'payout_failure', 'payout_reversal', 'withdrawal', 'adjustment',
    'escrow_reversal', 'withdrawal_reversal', 'adjustment_reversal')
) not valid;
alter table balance_transactions add constraint direction_matches_type check (
  case type
    when 'escrow' then net_amount > 0
    when 'escrow_reversal' then net_amount < 0
    when 'withdrawal' then net_amount < 0
    when 'withdrawal_reversal' then net_amount > 0
    else true
  end
) not valid;
alter table balance_transactions add constraint booked_with_reason check (
  type not in ('withdrawal', 'adjustment', 'escrow_reversal', 'withdrawal_reversal',
    'adjustment_reversal')
  or (coalesce(metadata ->> 'by', '') <> '' and coalesce(metadata ->> 'reason', '') <> ''
    and (type not in ('withdrawal', 'adjustment') or coalesce(metadata ->> 'reference', '') <> ''))
) not valid;

-- When each key was used last, to the minute. Apart from api_keys: it is no change of a key, which
-- every process would read anew.
create table api_key_uses (
  key_id text collate "C" primary key references api_keys,
  last_used_at timestamptz not null
);
grant select, insert, update on api_key_uses to corridor_service;
grant select on api_key_uses to corridor_auditor;
