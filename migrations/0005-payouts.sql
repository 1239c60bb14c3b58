-- Quotes and payouts, and what keeps a payment from being made twice. What has a fixed width stands
-- before what has not: rows are packed without gaps.

create table quotes (
  account_id text collate "C" not null,
  id text collate "C" not null,
  holding_amount bigint not null check (holding_amount > 0),
  payout_amount bigint not null check (payout_amount > 0),
  destination_amount bigint not null check (destination_amount > 0),
  fixed_fee_holding bigint not null check (fixed_fee_holding >= 0),
  fixed_fee_payout bigint not null check (fixed_fee_payout >= 0),
  variable_fee_holding bigint not null check (variable_fee_holding >= 0),
  variable_fee_payout bigint not null check (variable_fee_payout >= 0),
  -- The margin of each exchange. The payout's journal books it, and gives it back with the payout.
  fx_income_holding bigint not null check (fx_income_holding >= 0),
  fx_income_destination bigint not null check (fx_income_destination >= 0),
  valid_until timestamptz not null,
  -- As the routes were when it was made.
  expected_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- 'expired' is never stored: it is computed from valid_until when the quote is read.
  status text not null check (status in ('active', 'used')),
  payout_type text not null,
  holding_currency text not null,
  payout_currency text not null,
  destination_currency text not null,
  destination_country text not null,
  holding_to_payout numeric not null check (holding_to_payout > 0),
  payout_to_destination numeric not null check (payout_to_destination > 0),
  fund_transfer_network text not null,
  payment_network text not null,
  wallet_type text not null,
  wallet_network text not null,
  charge_type text not null,
  entity_id text not null,
  -- What the price was made from: the rows of the rate book and of the fee schedule that were used,
  -- as they were then (quote/basis.ts).
  basis json not null,
  -- An expired quote that a payout has renewed names the one that took its place; it is used, too, or
  -- the same request could renew it again.
  renewed_as text collate "C" not null default '',
  constraint renewed_once check (renewed_as = '' or status = 'used')
  -- A quote that is used leaves a dead entry in the indexes of active ones, which `?status=active`
  -- passes over until a vacuum. At the usual fifth of the table 200,000 of them took 0.3 s once.
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05);
-- Kinds, as of beneficiaries. Whether an unused quote has expired is told by valid_until.
create index quotes_by_kind on quotes (account_id, status, payout_type, id, valid_until);
create index quotes_by_entity on quotes (account_id, entity_id, id) where entity_id <> '';
-- The list, too. Last, as of beneficiaries.
alter table quotes add primary key (account_id, id);

-- What a payout was made with. Written once and never again: how it stands is told by a narrow row of
-- its own, in open_payouts until it is over and in payout_outcomes then.
create table payouts (
  amount bigint not null check (amount > 0),
  holding_amount bigint not null check (holding_amount > 0),
  fixed_fee bigint not null check (fixed_fee >= 0),
  variable_fee bigint not null check (variable_fee >= 0),
  destination_amount bigint not null check (destination_amount > 0),
  created_at timestamptz not null,
  -- With its terms: from when it was made to its quote's `valid_until`.
  quote_validity_s integer check (quote_validity_s > 0),
  account_id text collate "C" not null,
  id text collate "C" not null,
  -- The quote that it was made with; '' of a payout that carries its terms itself.
  quote_id text collate "C" not null,
  type text not null,
  currency text not null,
  holding_currency text not null,
  destination_currency text not null,
  holding_to_payout numeric not null check (holding_to_payout > 0),
  payout_to_destination numeric not null check (payout_to_destination > 0),
  holding_fx_id text not null,
  payout_fx_id text not null,
  balance_transaction_id text collate "C" not null,
  beneficiary_id text collate "C" not null,
  -- The details as they were when the payout was made, as beneficiaries have them; later changes of
  -- the beneficiary do not reach it.
  beneficiary_details json not null,
  -- What the caller sent and nobody computes with, as far as it is set: purpose, descriptors,
  -- documents, metadata.
  particulars json not null,
  -- What the caller sent and lists filter by.
  reference_id text collate "C" not null,
  on_behalf_of text collate "C" not null,
  fund_transfer_network text not null,
  charge_type text not null,
  -- The terms of a payout made without a quote, as far as nothing else in the row says them: the
  -- country that it was priced for, and what the price was made from, as of quotes. The rest of what
  -- its quote says is computed (quote/carried.ts).
  destination_country text not null default '',
  basis json,
  -- Both are fixed when the payout is made: the rail is '' of transfers inside the installation, `route`
  -- the one that led to the rail, null of sandbox accounts. Which rail has it now is in its state.
  first_rail text not null default '',
  route json,
  -- The message as it was when the payout was made; '' of payouts that are not by SWIFT.
  mt103 text not null default '',
  -- The keys under which a row of a file was paid, parted by a blank; '' of payouts that came
  -- otherwise. With them the digest of a payout vouches for the rows of payout_imports.
  import_keys text not null default '',
  -- When it is executed; null: at once.
  execute_at timestamptz check (execute_at > created_at),
  constraint quote_or_terms check (
    (quote_id = '') = (basis is not null) and (quote_id = '') = (quote_validity_s is not null)
    and (quote_id = '' or destination_country = ''))
);

-- A quote funds one payout. Payouts that name none have no entry.
create unique index quote_used_once on payouts (account_id, quote_id) where quote_id <> '';
create index payouts_by_reference_id on payouts (account_id, reference_id, id)
  where reference_id <> '';
create index payouts_by_on_behalf_of on payouts (account_id, on_behalf_of, id)
  where on_behalf_of <> '';
-- Kinds, as of beneficiaries.
create index payouts_by_kind on payouts (account_id, currency, holding_currency, type, id);
-- Most beneficiaries are paid once, by the payout that brings them and has their time.
create index payouts_by_beneficiary on payouts (account_id, beneficiary_id, id)
  where substr(beneficiary_id, 5, 11) <> substr(id, 5, 11);
-- The list, too. After those above, as of beneficiaries.
alter table payouts add primary key (account_id, id);
create trigger append_only before update or delete or truncate on payouts
  for each statement execute function refuse_change();

-- How an open payout stands, and what is still to be done about it: a row while it waits for its rail
-- or for people. It is claimed and moved in place of the payout's, and goes when the payout is over. Of
-- one that has succeeded and whose rail may say more it stays, as its row of payout_outcomes is.
create table open_payouts (
  updated_at timestamptz not null,
  -- When the rail is to be asked (again), by the database's clock. Null: it is not asked.
  ask_rail_at timestamptz,
  -- Until when a worker asks it, who alone does so. In no index: a claim writes none.
  claimed_until timestamptz,
  -- When somebody took it to pay it by hand.
  taken_at timestamptz,
  -- When it arrives, as planned or as its rail has said since. Null: not known, or it follows from the
  -- payout, as of sandboxes and transfers.
  expected_at timestamptz,
  -- When a person moved it by hand that a rail had: the rail is asked no more. Null: the rail has it.
  taken_over_at timestamptz,
  -- The rail: how many of its steps are applied, and how often it was asked.
  rail_steps integer not null default 0 check (rail_steps >= 0),
  rail_attempts integer not null default 0 check (rail_attempts >= 0),
  account_id text collate "C" not null,
  id text collate "C" not null,
  status text not null
    check (status in
      ('pending_approval', 'processing', 'requires_action', 'compliance_hold', 'succeeded')),
  -- Where it went first, until another rail got it (payout_attempts).
  rail text not null,
  status_description text not null default '',
  -- The entity whose review the payout waits for, '' when it waits for none.
  held_for text collate "C" not null default '',
  -- The bank's reference of the payment, '' until somebody says it.
  rail_reference text not null default '',
  -- Who pays it by hand; '' while nobody does.
  taken_by text not null default '',
  -- What the account has answered while the payout required action, oldest first.
  answers json not null default '[]',
  failure json,
  -- As of the payout. It stays.
  execute_at timestamptz,
  -- As its account has set it since; null: as it was made.
  metadata json,
  primary key (account_id, id),
  constraint people_are_not_asked check (rail <> 'manual' or ask_rail_at is null),
  constraint claimed_to_ask check (
    claimed_until is null or (ask_rail_at is not null and rail_attempts > 0)),
  constraint open_or_asked check (status <> 'succeeded' or ask_rail_at is not null),
  constraint held_while_in_compliance_hold check (held_for = '' or status = 'compliance_hold'),
  constraint taken_by_hand check (
    (taken_by = '' or rail = 'manual') and (taken_by = '') = (taken_at is null)),
  -- Before it is approved neither a rail nor a person has it.
  constraint approved_before_it_is_sent check (status <> 'pending_approval'
    or ask_rail_at is null and rail_attempts = 0 and taken_by = '')
  -- Rows come and go: what is dead is taken out while it is little. Each is claimed once as a rule, many
  -- at a time: half of a page is room for that, so that the new version stays in it.
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
-- The settling worker's list of what is due, and nothing else.
create index open_payouts_due on open_payouts (ask_rail_at) where ask_rail_at is not null;
-- An ordinary payout never enters.
create index open_payouts_waiting on open_payouts (account_id, status, id)
  where status <> 'processing';

-- Those that wait for their time, and those whose time has come.
create index open_payouts_scheduled on open_payouts (account_id, id) where execute_at is not null;

-- What has become of a payout: a row when it is over, which only a reversal, or what its rail says
-- after that, writes anew.
create table payout_outcomes (
  -- As of open_payouts.
  updated_at timestamptz not null,
  taken_at timestamptz,
  expected_at timestamptz,
  taken_over_at timestamptz,
  -- When it succeeded, of what is reversed since. Its event is found by that time.
  succeeded_at timestamptz,
  rail_steps integer not null check (rail_steps >= 0),
  rail_attempts integer not null check (rail_attempts >= 0),
  account_id text collate "C" not null,
  id text collate "C" not null,
  status text not null check (status in ('succeeded', 'failed', 'reversed')),
  rail text not null,
  status_description text not null,
  rail_reference text not null,
  taken_by text not null,
  answers json not null,
  failure json,
  -- As of open_payouts.
  metadata json,
  constraint paid_by_hand_with_reference check (
    rail <> 'manual' or status not in ('succeeded', 'reversed')
    or (rail_reference <> '' and taken_by <> '')),
  constraint taken_by_hand check (
    (taken_by = '' or rail = 'manual') and (taken_by = '') = (taken_at is null)),
  constraint reversed_after_it_succeeded check (
    (status = 'reversed') = (succeeded_at is not null) and succeeded_at <= updated_at)
);
-- Those whose money is back.
create index payout_outcomes_given_back on payout_outcomes (account_id, status, id)
  where status <> 'succeeded';
-- Which payouts a bank's reference has paid, in all accounts.
create index payout_outcomes_by_bank_reference
  on payout_outcomes (fold_reference(rail_reference)) where rail_reference <> '';
alter table payout_outcomes add primary key (account_id, id);
create trigger kept before delete or truncate on payout_outcomes
  for each statement execute function refuse_change();

-- How each payout stands: the one row that it has of it, in whichever table.
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

-- Payouts that wait for their time.
create view scheduled_payouts with (security_invoker = true) as
  select p.* from open_payouts o join payouts p on p.account_id = o.account_id and p.id = o.id
  where o.execute_at is not null and o.rail_attempts = 0 and o.taken_by = '' and o.status <> 'succeeded';

-- §state.table: the same steps as PAYOUT_TRANSITIONS in payout/states.ts: a test compares the two. The
-- steps stand in the conditions, so that what judges a row reads no table.
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
-- Another rail gets a payout of a live account, from one that workers ask.
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

-- A payout that is over was open before, from where it can succeed and fail; it is reversed after it
-- has succeeded. A payout has one outcome, so that none that has failed succeeds.
create function refuse_first_reversal() returns trigger language plpgsql as $$
begin
  raise exception 'payout % cannot be reversed: it has not succeeded', new.id
    using errcode = 'check_violation';
end $$;
create trigger reversed_after_success before insert on payout_outcomes
  for each row when (new.status = 'reversed') execute function refuse_first_reversal();

-- A scheduled payout goes nowhere before its time, by the clock of its account, nor begins to while the
-- account is frozen. What has no time of its own is never looked at.
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
-- Nor does a scheduled payout go out while its entity is not approved: no rail gets it that has not had it,
-- and nobody takes it.
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

-- For each asked payout another one that its bank reference has paid, in whatever account: a payment
-- of the bank pays one. As in funded_elsewhere, whoever else asks about a reference waits until the
-- transaction ends, and the service's role sees what it has asked for and nothing else.
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

-- One row for each payout that waits for an entity's review. A table and not an index: payouts that
-- wait are few, and each index costs every payout.
create table holds (
  account_id text collate "C" not null,
  entity_id text collate "C" not null,
  payout_id text collate "C" not null,
  primary key (account_id, entity_id, payout_id)
);

-- Against paying twice: what recent payouts were like. One row a payout, but none for the first payout
-- of a reference, which its own row tells (docs/decisions/0067). Forgotten when no account's
-- duplicate_window_s reaches back to it. A table and not a column of payouts, whose index would grow for
-- ever and be written all over.
create table payout_likenesses (
  created_at timestamptz not null,
  account_id text collate "C" not null,
  -- The first half of the SHA-256 of beneficiary, amount, currency and reference; payout/duplicate.ts
  -- has the recipe.
  likeness bytea not null check (octet_length(likeness) = 16),
  -- In the order of the book, so that the last is the newest.
  payout_id text collate "C" not null,
  primary key (account_id, likeness, payout_id)
);
create index payout_likenesses_age on payout_likenesses (created_at);

-- By what metadata payouts are found: a row of the payouts whose debits stand together in the book, with a
-- hash of each pair of each, so that a search reads the payouts of few rows and judges their own metadata.
-- A row for each pair would cost a payout two index entries or three (docs/decisions/0165).
create table payout_metadata (
  -- The number of the journal by 64.
  part bigint not null,
  account_id text collate "C" not null,
  first_id text collate "C" not null,
  last_id text collate "C" not null check (first_id <= last_id),
  hashes integer[] not null,
  primary key (account_id, part)
  -- A row grows by each payout of its part; its page has room for that.
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

-- What was paid from files, kept for ever: idempotency keys are forgotten after a day, and a file may
-- be run again after a year. Two rows a payout, written in its transaction: the row of the file it was
-- made from, and the payment that the row asked for.
create table payout_imports (
  account_id text collate "C" not null,
  -- Hashes; bulk/keys.ts has the recipe.
  import_key bytea not null check (octet_length(import_key) = 32),
  payout_id text collate "C" not null,
  primary key (account_id, import_key)
);
-- All keys of one import begin alike: its payouts, in the order in which they were made.
create index payouts_of_imports on payout_imports (account_id, substring(import_key for 8), payout_id);

-- Batches of payouts, and what became of each payout asked for. Both are written once, in the
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
  -- What was taken of each balance, and what that left, as of the batch.
  totals json not null,
  constraint nothing_refused_of_all check (mode = 'best_effort' or refused = 0)
);
create index payout_batches_by_reference on payout_batches (account_id, reference_id, id)
  where reference_id <> '';
create index payout_batches_by_mode on payout_batches (account_id, mode, id);
-- The list, too. Last, as of beneficiaries.
alter table payout_batches add primary key (account_id, id);
create trigger append_only before update or delete or truncate on payout_batches
  for each statement execute function refuse_change();

-- One payout asked for, by its place in the request, from 0.
create table payout_batch_items (
  account_id text collate "C" not null,
  batch_id text collate "C" not null,
  position integer not null check (position >= 0),
  -- What became of it then; the payout says what has become of it since.
  status text not null check (status in ('created', 'held', 'refused')),
  -- '' of what was refused.
  payout_id text collate "C" not null,
  reference_id text not null,
  -- Why it was refused, as POST /v3/payout says it.
  problems json not null,
  constraint paid_unless_refused check ((status = 'refused') = (payout_id = ''))
);
create index payout_batch_items_refused on payout_batch_items (account_id, batch_id, position)
  where status = 'refused';
alter table payout_batch_items add primary key (account_id, batch_id, position);
create trigger append_only before update or delete or truncate on payout_batch_items
  for each statement execute function refuse_change();

-- What became of each payout of a batch is vouched for with the batch: the change of it in the history
-- carries the digest of its items, in their order. Whoever reads which of them were refused sends those
-- again, so that an exchange of two would pay one twice.
create function keep_batch() returns trigger language plpgsql
security definer set timezone to 'UTC' set search_path to public, pg_temp as $$
begin
  insert into audit_log (table_name, changed_at, changed_by, before, after)
  values (tg_table_name, clock_timestamp(),
    coalesce(nullif(current_setting('corridor.operator', true), ''), session_user), null,
    digest_row(to_jsonb(new), '{}') || jsonb_build_object('items', (
      select encode(sha256(convert_to(coalesce(string_agg(json_build_array(position, status,
        payout_id, reference_id, problems)::text, E'\n' order by position), ''), 'UTF8')), 'hex')
      from payout_batch_items
      where account_id = new.account_id and batch_id = new.id)));
  return null;
end $$;
-- At the end of the transaction, when all items are written.
create constraint trigger history after insert on payout_batches deferrable initially deferred
  for each row execute function keep_batch();
