-- Quotes and payouts, and the tables that keep a payment from being made twice. Columns of fixed
-- width come first, so that rows are packed without gaps.

create table quotes (
  account_id text collate "C" not null,
  id text collate "C" not null,
  holding_amount positive not null,
  payout_amount positive not null,
  destination_amount positive not null,
  fixed_fee_holding not_negative not null,
  fixed_fee_payout not_negative not null,
  variable_fee_holding not_negative not null,
  variable_fee_payout not_negative not null,
  -- The margin of each exchange. The journal of the payout books it, and the journal that gives
  -- back the money of the payout reverses it.
  fx_income_holding not_negative not null,
  fx_income_destination not_negative not null,
  valid_until timestamptz not null,
  -- The arrival by the routes of that time; null if it is not known.
  expected_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- 'expired' is never stored: it is computed from valid_until when the quote is read.
  status text not null check (status in ('active', 'used')),
  made_by maker not null,
  payout_type text not null,
  holding_currency text not null,
  payout_currency text not null,
  destination_currency text not null,
  destination_country text not null,
  holding_to_payout positive_rate not null,
  payout_to_destination positive_rate not null,
  fund_transfer_network text not null,
  payment_network text not null,
  wallet_type text not null,
  wallet_network text not null,
  charge_type text not null,
  entity_id text not null,
  -- The basis of the price: the rows of the rate book and of the fee schedule that were used, as
  -- they were then (quotes/basis.ts).
  basis json not null,
  -- The quote that took the place of this expired one, when a payout renewed it; else ''. A renewed
  -- quote is `used` too: otherwise the same request could renew it again.
  renewed_as text collate "C" not null default '',
  constraint renewed_once check (renewed_as = '' or status = 'used')
  -- A used quote leaves a dead entry in the index of active ones, which `?status=active` walks over
  -- until a vacuum. With the default scale factor, a fifth of the table, 200,000 dead entries once
  -- took 0.3 s.
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05);
-- Read by kinds, as in beneficiaries. `valid_until` shows whether an unused quote has expired.
create index quotes_by_kind on quotes (account_id, status, payout_type, id, valid_until);
create index quotes_by_entity on quotes (account_id, entity_id, id) where entity_id <> '';
-- Also the list of all. It comes last, as in beneficiaries.
alter table quotes add primary key (account_id, id);

-- A quote is deleted only when it was never used and has expired 90 days ago.
create function refuse_removal_of_quote() returns trigger language plpgsql as $$
begin
  if old.status = 'active' and old.valid_until <= statement_timestamp() - interval '90 days' then
    return old;
  end if;
  raise exception 'quote % is used, or has not been over for 90 days', old.id
    using errcode = 'restrict_violation', constraint = 'unused_and_expired';
end $$;
create trigger unused_and_expired before delete on quotes
  for each row execute function refuse_removal_of_quote();

create domain bounded_json as json check (octet_length(value::text) <= 262144);
create domain payout_particulars as json check (octet_length(value::text) <= 262144)
  -- A QRR, an ISO 11649 reference or one of Belgium (values/network/creditor-reference.ts).
  constraint creditor_reference_of_a_kind check (
    value ->> 'creditor_reference' ~ '^([0-9]{12}|[0-9]{27}|RF[0-9]{2}[0-9A-Z]{1,21})$');

-- A payout as it was made. Only an erasure changes the row. The state of the payout has a narrow
-- row of its own: in open_payouts while the payout is open, then in payout_outcomes.
create table payouts (
  amount positive not null,
  holding_amount positive not null,
  fixed_fee not_negative not null,
  variable_fee not_negative not null,
  destination_amount positive not null,
  created_at timestamptz not null,
  -- How long the carried quote is valid, from the payout's creation on; null if the payout names a
  -- quote.
  quote_validity_s integer check (quote_validity_s > 0),
  account_id text collate "C" not null,
  id text collate "C" not null,
  -- The quote that the payout uses; '' if the payout carries its terms itself.
  quote_id text collate "C" not null,
  type text not null,
  currency text not null,
  holding_currency text not null,
  destination_currency text not null,
  holding_to_payout positive_rate not null,
  payout_to_destination positive_rate not null,
  holding_fx_id text not null,
  payout_fx_id text not null,
  balance_transaction_id text collate "C" not null,
  beneficiary_id text collate "C" not null,
  -- The `details` of the beneficiary when the payout was made. Later changes of the beneficiary do
  -- not change them.
  beneficiary_details bounded_json not null,
  -- Members of the request that the service stores and never computes with, those that are set:
  -- purpose, descriptors, documents, metadata.
  particulars payout_particulars not null,
  -- Members of the request that lists filter by.
  reference_id text collate "C" not null,
  on_behalf_of text collate "C" not null,
  fund_transfer_network text not null,
  charge_type text not null,
  -- The terms of a payout without a quote, as far as no other column has them: the country that the
  -- price is for, and the basis of the price, as in quotes. The other members of the carried quote
  -- are computed (quotes/carried.ts).
  destination_country text not null default '',
  basis json,
  -- The first rail and the route that led to it; neither changes. The rail is '' for a transfer
  -- inside the installation. The route is null if none was needed, as for a sandbox. The state of
  -- the payout has its present rail.
  first_rail text not null default '',
  route json,
  -- The SWIFT message, written when the payout is made; '' for a payout that does not go by SWIFT.
  mt103 text not null default '',
  -- The two keys of the imported row, separated by a space; '' if no import made the payout. The
  -- digest of the payout covers them, and so proves the rows of payout_imports.
  import_keys text not null default '',
  -- Who made the payout.
  made_by maker not null,
  -- When the payout is executed; null: at once.
  execute_at timestamptz check (execute_at > created_at),
  -- Banks of Switzerland and Liechtenstein refuse the one without the other.
  constraint qr_iban_with_its_reference check (
    (beneficiary_details #>> '{destination_details,bank,iban}' ~ '^(CH|LI)[0-9]{2}3[01]' is true)
    = (particulars ->> 'creditor_reference' ~ '^[0-9]{27}$' is true)),
  constraint quote_or_terms check (case quote_id
    when '' then num_nulls(basis, quote_validity_s) = 0
    else num_nonnulls(basis, quote_validity_s) = 0 and destination_country = ''
  end)
);

-- A quote funds one payout. A payout without a quote has no entry.
create unique index quote_used_once on payouts (account_id, quote_id) where quote_id <> '';
create index payouts_by_reference_id on payouts (account_id, reference_id, id)
  where reference_id <> '';
create index payouts_by_on_behalf_of on payouts (account_id, on_behalf_of, id)
  where on_behalf_of <> '';
-- What people make. Keys make most payouts, which have no entry.
create index payouts_by_person on payouts (account_id, made_by, id)
  where left(made_by, 4) <> 'key_';
-- Read by kinds, as in beneficiaries.
create index payouts_by_kind on payouts (account_id, currency, holding_currency, type, id);
-- Without the payout that created its beneficiary: both ids have the same time. Most beneficiaries
-- are paid by that payout alone.
create index payouts_by_beneficiary on payouts (account_id, beneficiary_id, id)
  where substr(beneficiary_id, 5, 11) <> substr(id, 5, 11);
-- Also the list of all. It comes after the indexes above, as in beneficiaries.
alter table payouts add primary key (account_id, id);
create trigger append_only before update or delete or truncate on payouts
  for each statement execute function refuse_change();

create domain payout_answers as json
  constraint answers_are_bounded check (octet_length(value::text) <= 131072);
create domain open_payout_status as text check (value in
  ('pending_approval', 'processing', 'requires_action', 'compliance_hold', 'succeeded'));

-- The state of an open payout, and its remaining work: a row while the payout waits for its rail or
-- for people. Workers claim and change this row, never the row of payouts. It is deleted when the
-- payout is over. If a succeeded payout's rail may still report, the row stays, with the same state
-- as the row of payout_outcomes.
create table open_payouts (
  updated_at timestamptz not null,
  -- When the rail is asked next, by the database's clock; null: it is not asked.
  ask_rail_at timestamptz,
  -- Until when the claim of a worker holds: no other worker asks the rail. The column is in no
  -- index, so a claim writes no index entry.
  claimed_until timestamptz,
  -- When a person took the payout to pay it by hand.
  taken_at timestamptz,
  -- When the payout arrives, as planned or as its rail has reported since. Null: not known, or
  -- derived from the payout, as for sandboxes and transfers.
  expected_at timestamptz,
  -- When a person moved by hand a payout that a rail had: since then the rail is not asked. Null:
  -- no person has.
  taken_over_at timestamptz,
  -- How many steps of its rail are applied, and how often rails were asked about the payout.
  rail_steps count_of not null default 0,
  rail_attempts count_of not null default 0,
  account_id text collate "C" not null,
  id text collate "C" not null,
  status open_payout_status not null,
  -- The rail that has the payout: its first rail, until another rail gets it (payout_attempts).
  rail text not null,
  status_description text not null default '',
  -- The entity whose review the payout waits for, '' when it waits for none.
  held_for text collate "C" not null default '',
  -- The bank's reference of the payment; '' until an operator enters it.
  rail_reference text not null default '',
  -- The person who pays the payout by hand; '' while nobody has taken it.
  taken_by text not null default '',
  -- What the account has answered while the payout required action, oldest first.
  answers payout_answers not null default '[]',
  failure json,
  -- The `execute_at` of the payout, which never changes.
  execute_at timestamptz,
  -- The metadata as the account has changed it since; null: unchanged, as the payout has it.
  metadata json,
  primary key (account_id, id),
  constraint people_are_not_asked check (rail <> 'manual' or ask_rail_at is null),
  constraint claimed_to_ask check (
    claimed_until is null or (ask_rail_at is not null and rail_attempts > 0)),
  constraint open_or_asked check (status <> 'succeeded' or ask_rail_at is not null),
  constraint held_while_in_compliance_hold check (held_for = '' or status = 'compliance_hold'),
  constraint taken_by_hand check (
    (taken_by = '' or rail = 'manual') and (taken_by = '') = (taken_at is null)),
  -- Before its approval no rail and no person gets the payout.
  constraint approved_before_it_is_sent check (status <> 'pending_approval'
    or ask_rail_at is null and rail_attempts = 0 and taken_by = '')
  -- Rows are short-lived, so autovacuum runs while few of them are dead. As a rule each row is
  -- claimed once, many rows at a time. Half of each page stays free, so that the new version of a
  -- row fits into the same page.
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
-- The payouts whose rail is asked again, for the settling worker.
create index open_payouts_due on open_payouts (ask_rail_at) where ask_rail_at is not null;
-- An ordinary payout is never in this index.
create index open_payouts_waiting on open_payouts (account_id, status, id)
  where status <> 'processing';

-- Scheduled payouts, before and after their time.
create index open_payouts_scheduled on open_payouts (account_id, id) where execute_at is not null;

-- The outcome of a payout, from when the payout is over. Only a reversal, a later report of the
-- rail, a change of metadata or an erasure updates the row.
create table payout_outcomes (
  -- As in open_payouts.
  updated_at timestamptz not null,
  taken_at timestamptz,
  expected_at timestamptz,
  taken_over_at timestamptz,
  -- When a reversed payout succeeded; null for every other. The event of the success is found by
  -- this time.
  succeeded_at timestamptz,
  rail_steps count_of not null,
  rail_attempts count_of not null,
  account_id text collate "C" not null,
  id text collate "C" not null,
  status text not null check (status in ('succeeded', 'failed', 'reversed')),
  rail text not null,
  status_description text not null,
  rail_reference text not null,
  taken_by text not null,
  answers payout_answers not null,
  failure json,
  -- As in open_payouts.
  metadata json,
  constraint paid_by_hand_with_reference check (
    rail <> 'manual' or status not in ('succeeded', 'reversed')
    or (rail_reference <> '' and taken_by <> '')),
  constraint taken_by_hand check (
    (taken_by = '' or rail = 'manual') and (taken_by = '') = (taken_at is null)),
  constraint reversed_after_it_succeeded check (
    (status = 'reversed') = (succeeded_at is not null) and succeeded_at <= updated_at)
);
-- Payouts whose money was given back: failed or reversed.
create index payout_outcomes_given_back on payout_outcomes (account_id, status, id)
  where status <> 'succeeded';
-- The payouts of all accounts that a bank's reference has paid.
create index payout_outcomes_by_bank_reference
  on payout_outcomes (fold_reference(rail_reference)) where rail_reference <> '';
alter table payout_outcomes add primary key (account_id, id);
create trigger kept before delete or truncate on payout_outcomes
  for each statement execute function refuse_change();

-- The state of each payout: its row of payout_outcomes, or of open_payouts while it has none there.
create view payout_states with (security_invoker = true) as
  select account_id, id, status, status_description, failure, rail_steps, rail_attempts,
    '' as held_for, answers, rail, rail_reference, taken_by, taken_at, taken_over_at, expected_at,
    succeeded_at, updated_at, metadata
  from payout_outcomes
  union all
  select account_id, id, status, status_description, failure, rail_steps, rail_attempts, held_for,
    answers, rail, rail_reference, taken_by, taken_at, taken_over_at, expected_at,
    null::timestamptz, updated_at, metadata
  from open_payouts where status <> 'succeeded';

-- Scheduled payouts that no rail was asked about and no person has taken.
create view scheduled_payouts with (security_invoker = true) as
  select p.* from open_payouts o join payouts p on p.account_id = o.account_id and p.id = o.id
  where o.execute_at is not null and o.rail_attempts = 0 and o.taken_by = '' and o.status <> 'succeeded';

-- §state.table: the steps of PAYOUT_TRANSITIONS in payouts/states.ts; a test compares the two. The
-- conditions of the triggers list the steps, so that the triggers read no table.
create function refuse_payout_step() returns trigger language plpgsql as $$
begin
  raise exception 'payout % cannot go from % to %', old.id, old.status, new.status
    using errcode = 'check_violation';
end $$;
create trigger legal_transition before update of status on open_payouts
  for each row when (
    old.status <> new.status and (old.status, new.status) not in (
      ('pending_approval', 'processing'), ('pending_approval', 'compliance_hold'),
      ('processing', 'succeeded'), ('processing', 'requires_action'), ('processing', 'compliance_hold'),
      ('requires_action', 'processing'), ('requires_action', 'succeeded'),
      ('compliance_hold', 'processing'), ('compliance_hold', 'succeeded')))
  execute function refuse_payout_step();
-- Only a payout of a live account gets another rail, and only while a rail has it that workers ask.
create function refuse_other_rail() returns trigger language plpgsql as $$
begin
  raise exception 'payout % cannot go from rail "%" to rail "%"', old.id, old.rail, new.rail
    using errcode = 'check_violation';
end $$;
create trigger legal_failover before update of rail on open_payouts
  for each row when (old.rail <> new.rail
    and (old.rail in ('', 'simulator', 'manual') or new.rail in ('', 'simulator')))
  execute function refuse_other_rail();
create trigger legal_transition before update of status on payout_outcomes
  for each row when (
    old.status <> new.status and (old.status, new.status) <> ('succeeded', 'reversed'))
  execute function refuse_payout_step();

-- A payout that is over was open before, and an open payout can succeed or fail. Only a succeeded
-- payout is reversed. A payout has one outcome, so a failed payout never succeeds.
create function refuse_first_reversal() returns trigger language plpgsql as $$
begin
  raise exception 'payout % cannot be reversed: it has not succeeded', new.id
    using errcode = 'check_violation';
end $$;
create trigger reversed_after_success before insert on payout_outcomes
  for each row when (new.status = 'reversed') execute function refuse_first_reversal();

-- Before its time, by the clock of its account, no rail and no person gets a scheduled payout, and
-- only a failure ends it. While the account is not active, no rail is asked about the payout for
-- the first time. The triggers ignore payouts without `execute_at`.
create function is_due(owner_id text, execute_at timestamptz) returns boolean
language sql stable as $$
  select execute_at <= clock_timestamp() + clock_ahead from books where account_id = owner_id
$$;
create function refuse_early_payout() returns trigger language plpgsql as $$
begin
  if is_due(new.account_id, new.execute_at) is not true
    or old.rail_attempts = 0 and new.rail_attempts > 0
      and not exists (select from books where account_id = new.account_id and state = 'active')
  then
    raise exception 'payout % is executed at %, not before', new.id, new.execute_at
      using errcode = 'check_violation', constraint = 'not_before_its_time';
  end if;
  return new;
end $$;
create trigger not_before_its_time before update of rail_attempts, taken_by, status on open_payouts
  for each row when (new.execute_at is not null
    and (new.rail_attempts > 0 or new.taken_by <> '' or new.status = 'succeeded'))
  execute function refuse_early_payout();
create function refuse_early_end() returns trigger language plpgsql as $$
begin
  if is_due(old.account_id, old.execute_at) is not true and not exists (
    select from payout_outcomes s
    where s.account_id = old.account_id and s.id = old.id and s.status = 'failed')
  then
    raise exception 'payout % is executed at %, not before', old.id, old.execute_at
      using errcode = 'check_violation', constraint = 'not_before_its_time';
  end if;
  return old;
end $$;
create trigger failed_before_its_time before delete on open_payouts
  for each row when (old.execute_at is not null) execute function refuse_early_end();
create trigger keeps_its_time before update of execute_at on open_payouts
  for each row when (old.execute_at is distinct from new.execute_at)
  execute function refuse_change();
-- While the entity of a scheduled payout is not approved, no rail is asked about the payout for the
-- first time, and no person takes it.
create function refuse_unapproved_payout() returns trigger language plpgsql as $$
begin
  if exists (
    select from payouts p
    left join entities e on e.account_id = p.account_id and e.id = p.on_behalf_of
    where p.account_id = new.account_id and p.id = new.id and p.on_behalf_of <> ''
      and e.approval_status is distinct from 'approved')
  then
    raise exception 'the entity of payout % is not approved', new.id
      using errcode = 'check_violation', constraint = 'taken_for_an_approved_entity';
  end if;
  return new;
end $$;
create trigger taken_for_an_approved_entity before update of rail_attempts, taken_by on open_payouts
  for each row when (new.execute_at is not null
    and (old.rail_attempts = 0 and new.rail_attempts > 0
      or new.taken_by <> '' and new.taken_by <> old.taken_by))
  execute function refuse_unapproved_payout();

-- For each asked payout, another payout of any account that the same bank reference has paid: a
-- payment of the bank pays one payout. As in funded_elsewhere, another transaction that asks about
-- one of the references waits until this one ends. The service's role learns only what it asks for.
create function paid_elsewhere(payout_ids text[], bank_references text[])
returns table (asked_id text, account_id text, id text)
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(folded, 1)) from (
    select distinct fold_reference(asked) collate "C" as folded
    from unnest(bank_references) as r (asked) order by 1) ordered;
  return query
    select distinct on (a.asked_id) a.asked_id, p.account_id, p.id
    from unnest(payout_ids, bank_references) as a (asked_id, reference)
    join payout_outcomes p on fold_reference(p.rail_reference) = fold_reference(a.reference)
      and p.rail_reference <> '' and p.status = 'succeeded' and p.id <> a.asked_id
    order by a.asked_id, p.id;
end $$;

-- One row for each payout that waits for an entity's review. It is a table, because few payouts
-- wait, and an index would cost every payout.
create table holds (
  account_id text collate "C" not null,
  entity_id text collate "C" not null,
  payout_id text collate "C" not null,
  primary key (account_id, entity_id, payout_id)
);

-- The fingerprints of recent payouts, which prevent paying twice. One row for each payout of an account
-- with a duplicate window (docs/decisions/creating-payouts.md). A row is deleted when no account's
-- duplicate_window_s reaches back to it. It is a table and not a column of payouts, because the index of a column
-- would grow for ever, and writes would be scattered over it.
create table payout_fingerprints (
  created_at timestamptz not null,
  account_id text collate "C" not null,
  -- The first half of the SHA-256 of beneficiary, amount, currency and reference;
  -- payouts/create/duplicate.ts has the recipe.
  fingerprint bytea not null check (octet_length(fingerprint) = 16),
  -- Ids are in the order of the book, so the last is the newest.
  payout_id text collate "C" not null,
  primary key (account_id, fingerprint, payout_id)
);
create index payout_fingerprints_age on payout_fingerprints (created_at);

-- Finds payouts by their metadata. A row covers the payouts whose debits are among the same 64
-- journal numbers, and has a hash for each of their pairs. A search reads the payouts of few rows
-- and compares their own metadata. A row for each pair would cost a payout two or three index
-- entries (docs/decisions/storage-of-payouts.md).
create table payout_metadata (
  -- The number of the journal, divided by 64.
  part bigint not null,
  account_id text collate "C" not null,
  first_id text collate "C" not null,
  last_id text collate "C" not null check (first_id <= last_id),
  hashes integer[] not null,
  primary key (account_id, part)
  -- A row grows with each payout of its part. Its page has room for that.
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

-- The payouts that imports made, kept for ever: idempotency keys are deleted after a day, and a
-- file may be run again after a year. A payout has two rows, written in its transaction: one for
-- the row of the file, one for the payment that this row asks for.
create table payout_imports (
  account_id text collate "C" not null,
  -- A hash; imports/keys.ts has the recipe.
  import_key bytea not null check (octet_length(import_key) = 32),
  payout_id text collate "C" not null,
  primary key (account_id, import_key)
);
-- The payouts of an import, in the order of their creation: all keys of one import begin alike.
create index payouts_of_imports on payout_imports (account_id, substring(import_key for 8), payout_id);

-- Batches of payouts, and the result of each requested payout. Both are written once, in the
-- transaction that makes the payouts.
create table payout_batches (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created_at timestamptz not null,
  created integer not null check (created >= 0),
  held integer not null check (held >= 0),
  refused integer not null check (refused >= 0),
  mode text not null check (mode in ('all_or_nothing', 'best_effort')),
  reference_id text not null,
  metadata json,
  made_by maker not null,
  -- How much the batch took from each balance, and what it left.
  totals json not null,
  -- Set by a trigger, seal_batch.
  hash bytea not null check (octet_length(hash) = 32),
  constraint nothing_refused_of_all check (mode = 'best_effort' or refused = 0)
);
create index payout_batches_paying on payout_batches (account_id, id) where created + held > 0;
create index payout_batches_by_reference on payout_batches (account_id, reference_id, id)
  where reference_id <> '';
create index payout_batches_by_mode on payout_batches (account_id, mode, id);
-- Also the list of all. It comes last, as in beneficiaries.
alter table payout_batches add primary key (account_id, id);
create trigger append_only before update or delete or truncate on payout_batches
  for each statement execute function refuse_change();

-- One requested payout of a batch. `position` is its place in the request, from 0.
create table payout_batch_items (
  account_id text collate "C" not null,
  batch_id text collate "C" not null,
  position integer not null check (position >= 0),
  -- The result of the request. The payout has its present state.
  status text not null check (status in ('created', 'held', 'refused')),
  -- '' for a refused payout.
  payout_id text collate "C" not null,
  reference_id text not null,
  -- Why the payout was refused, as POST /v3/payout answers.
  problems json not null,
  constraint paid_unless_refused check ((status = 'refused') = (payout_id = ''))
);
create index payout_batch_items_refused on payout_batch_items (account_id, batch_id, position)
  where status = 'refused';
alter table payout_batch_items add primary key (account_id, batch_id, position);
create trigger append_only before update or delete or truncate on payout_batch_items
  for each statement execute function refuse_change();

-- The hash of a batch covers its row, its items in their order, and the hash of the account's last
-- batch before it that has a payout. So it proves which payouts were refused: a caller sends the
-- refused ones again, and if two results were exchanged, a payout would be paid twice. No hash
-- covers a batch without a payout, so such a batch may be forgotten. The items are there already.
create function seal_batch() returns trigger language plpgsql
set timezone to 'UTC' set datestyle to 'ISO' as $$
declare
  previous bytea;
begin
  select hash into previous from payout_batches
  where account_id = new.account_id and id < new.id and created + held > 0
  order by id desc limit 1;
  new.hash := sha256(coalesce(previous, '') || convert_to(concat_ws(E'\n',
    (to_jsonb(new) - 'hash')::text, (
      select string_agg(json_build_array(position, status, payout_id, reference_id, problems)::text,
        E'\n' order by position)
      from payout_batch_items
      where account_id = new.account_id and batch_id = new.id)), 'UTF8'));
  return new;
end $$;
create trigger sealed before insert on payout_batches
  for each row execute function seal_batch();
