-- Approvals: payouts and beneficiaries that people other than their makers must approve. Most
-- functions here run as the owner of the tables, because they read several. `corridor distribute`
-- drops the triggers of functions that read several tables: a distributed database has only
-- sandboxes.

-- Which payouts need an approval, and which beneficiaries need one before they can be paid. A rule
-- fits if all its conditions hold; null is any. What fits one rule needs an approval.
create table approval_rules (
  rule_id text collate "C" primary key check (rule_id ~ '^apr_[0-9a-z]{20}$'),
  subject text not null default 'payout' check (subject in ('payout', 'beneficiary')),
  account_id text collate "C" references accounts,
  key_id text collate "C" references api_keys,
  payout_type text check (payout_type <> ''),
  network text check (network <> ''),
  country text check (country ~ '^[A-Z]{2}$'),
  -- The payout currency.
  currency text check (currency <> ''),
  -- Only payees without an approved payout to their present details.
  new_payee boolean not null,
  -- The smallest payout amount, in minor units of at_least_currency.
  at_least bigint check (at_least between 1 and 9007199254740991),
  at_least_currency text,
  -- How many people must approve, and how many days they have to decide.
  approvers integer not null check (approvers between 1 and 9),
  expires_after_days integer not null check (expires_after_days between 1 and 365),
  constraint beneficiaries_by_what_they_have check (subject = 'payout'
    or num_nonnulls(payout_type, network, currency, at_least) = 0 and not new_payee),
  constraint amount_in_a_currency check ((at_least is null) = (at_least_currency is null)),
  constraint key_with_its_account check (key_id is null or account_id is not null)
);

create function check_approval_rule() returns trigger language plpgsql as $$
begin
  if new.key_id is not null and not exists (
    select from api_keys where key_id = new.key_id and account_id = new.account_id
  ) then
    raise exception 'key % is not of account %', new.key_id, new.account_id
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger asks_for_something before insert on approval_rules
  for each row execute function check_approval_rule();
-- A rule never changes. An operator removes it and adds another.
create trigger stays before update or truncate on approval_rules
  for each statement execute function refuse_change();
-- Raises price_version: a payout that locks its book is judged by all rules that were set before.
create trigger announce after insert or delete on approval_rules
  for each statement execute function announce_price_change();
create trigger history after insert or delete on approval_rules
  for each row execute function keep_history();

-- The approval that a payout needs, by the rules at its creation.
create table payout_approvals (
  approvers integer not null check (approvers between 1 and 9),
  requested_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  account_id text collate "C" not null,
  payout_id text collate "C" not null,
  -- The digest of the payout as approvers see it: of its whole row.
  digest bytea not null check (octet_length(digest) = 32),
  -- The payee, for rules on new payees.
  payee text not null,
  -- The person who made the payout; '' if a key without an owner did.
  made_by text collate "C" not null,
  -- The key that was used, '' for none, and the rules that fitted.
  key_id text not null,
  rules text[] not null,
  outcome text not null default ''
    check (outcome in ('', 'approved', 'rejected', 'expired', 'cancelled', 'failed')),
  primary key (account_id, payout_id),
  constraint ended_with_an_outcome check ((outcome = '') = (ended_at is null)),
  constraint expires_later check (expires_at > requested_at)
);
create index payout_approvals_expiring on payout_approvals (expires_at) where outcome = '';
create trigger kept before delete or truncate on payout_approvals
  for each statement execute function refuse_change();

-- The decision of each person. A person decides once.
create table approval_decisions (
  decided_at timestamptz not null,
  account_id text collate "C" not null,
  payout_id text collate "C" not null,
  user_name text collate "C" not null check (user_name <> ''),
  decision text not null check (decision in ('approve', 'reject')),
  -- The digest of the payout that the person saw.
  digest bytea not null check (octet_length(digest) = 32),
  reason text not null,
  constraint decided_once primary key (account_id, payout_id, user_name)
);
create trigger append_only before update or delete or truncate on approval_decisions
  for each statement execute function refuse_change();

-- The payees of an account's approved payouts, by name and destination as they were.
create table approved_payees (
  approved_at timestamptz not null,
  account_id text collate "C" not null,
  payee text collate "C" not null,
  -- The payout that was approved.
  payout_id text collate "C" not null,
  primary key (account_id, payee)
);
create trigger append_only before update or delete or truncate on approved_payees
  for each statement execute function refuse_change();

-- SHA-256 of the row of a payout, as APPROVAL_SEAL of payouts/columns.ts has it.
create function approval_digest(p payouts) returns bytea language sql stable as $$
  select sha256(convert_to(concat_ws(E'\n', coalesce(to_json(p.account_id)::text, 'null'),
    coalesce(to_json(p.id)::text, 'null'), coalesce(to_json(p.quote_id)::text, 'null'),
    coalesce(to_json(p.type)::text, 'null'), coalesce(p.amount::text, 'null'),
    coalesce(to_json(p.currency)::text, 'null'), coalesce(to_json(p.holding_currency)::text, 'null'),
    coalesce(p.holding_amount::text, 'null'), coalesce(p.fixed_fee::text, 'null'),
    coalesce(p.variable_fee::text, 'null'), coalesce(to_json(p.destination_currency)::text, 'null'),
    coalesce(p.destination_amount::text, 'null'), coalesce(p.holding_to_payout::text, 'null'),
    coalesce(p.payout_to_destination::text, 'null'), coalesce(to_json(p.holding_fx_id)::text, 'null'),
    coalesce(to_json(p.payout_fx_id)::text, 'null'),
    coalesce(to_json(p.balance_transaction_id)::text, 'null'),
    coalesce(to_json(p.beneficiary_id)::text, 'null'), coalesce(p.beneficiary_details::text, 'null'),
    coalesce(p.particulars::text, 'null'), coalesce(to_json(p.reference_id)::text, 'null'),
    coalesce(to_json(p.on_behalf_of)::text, 'null'),
    coalesce(to_json(p.fund_transfer_network)::text, 'null'),
    coalesce(to_json(p.charge_type)::text, 'null'),
    coalesce(to_json(p.destination_country)::text, 'null'), coalesce(p.basis::text, 'null'),
    coalesce(p.quote_validity_s::text, 'null'), coalesce(to_json(p.first_rail)::text, 'null'),
    coalesce(p.route::text, 'null'), coalesce(to_json(p.mt103)::text, 'null'),
    coalesce(to_json(p.import_keys)::text, 'null'), coalesce(to_json(p.made_by)::text, 'null'),
    coalesce(to_char(p.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'null'),
    coalesce(to_char(p.execute_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'null')), 'UTF8'))
$$;

-- Whether the user may approve payouts of the account at this moment.
create function may_approve(name text, of_account text) returns boolean
language sql stable security definer set search_path to public, pg_temp as $$
  select exists (
    select from users u join account_roles r on r.user_name = u.name
    where u.name = may_approve.name and u.disabled_at is null
      and r.account_id = may_approve.of_account and r.role = 'approver')
$$;

-- All who could have made an object: its makers, the owner of the key, and who made the key.
create function makers_of(made_by text[], of_key text) returns text[]
language sql stable security definer set search_path to public, pg_temp as $$
  select array(
    select maker from (
      select unnest(makers_of.made_by) union
      select unnest(array[owner, k.made_by]) from api_keys k where key_id = makers_of.of_key union
      select unnest(array[user_name, k.made_by]) from user_keys k where key_id = makers_of.of_key
    ) m(maker) where maker <> '')
$$;

-- Whether the person could have made the object, or got the means to approve from such a person.
create function is_of_makers(name text, makers text[], decided_at timestamptz) returns boolean
language sql stable as $$
  select name = any (makers) or givers_of(name, decided_at) && makers
$$;

-- Refuses a maker, and a person who is no approver.
create function check_decider(name text, of_account text, makers text[], what text) returns void
language plpgsql security definer set search_path to public, pg_temp as $$
begin
  if is_of_makers(name, makers, clock_timestamp()) then
    raise exception '% has made %', name, what
      using errcode = 'check_violation', constraint = 'never_the_maker';
  end if;
  -- The service has read the role before. It was removed since, and the service reads it again.
  if not may_approve(name, of_account) then
    raise exception '% is no approver of account %', name, of_account
      using errcode = 'serialization_failure';
  end if;
end $$;

-- An approval ends once, and nothing else of its row changes.
create function check_ends_once() returns trigger language plpgsql as $$
begin
  if old.outcome <> '' or to_jsonb(new) - array['outcome', 'ended_at']
    is distinct from to_jsonb(old) - array['outcome', 'ended_at']
  then
    raise exception 'an approval stays as it is' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger ends_once before update on payout_approvals
  for each row execute function check_ends_once();

create function check_new_approval() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  if new.outcome <> '' or not exists (
    select from payouts p join open_payouts o on o.account_id = p.account_id and o.id = p.id
    where p.account_id = new.account_id and p.id = new.payout_id and o.status = 'pending_approval'
      and approval_digest(p) = new.digest)
  then
    raise exception 'an approval is of a payout that waits for it, as it is'
      using errcode = 'check_violation', constraint = 'as_it_was_shown';
  end if;
  return new;
end $$;
create trigger of_a_waiting_payout before insert on payout_approvals
  for each row execute function check_new_approval();

create function check_decision() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
declare
  approval payout_approvals%rowtype;
begin
  select * into approval from payout_approvals a
  where a.account_id = new.account_id and a.payout_id = new.payout_id;
  if approval.outcome is distinct from '' or new.decided_at >= approval.expires_at then
    raise exception 'payout % waits for nobody''s approval', new.payout_id
      using errcode = 'check_violation', constraint = 'waits_for_an_approval';
  end if;
  if new.digest <> approval.digest then
    raise exception 'payout % is not as it was shown', new.payout_id
      using errcode = 'check_violation', constraint = 'as_it_was_shown';
  end if;
  perform check_decider(new.user_name, new.account_id,
    makers_of(array[approval.made_by], approval.key_id),
    'payout ' || new.payout_id);
  return new;
end $$;
create trigger by_an_approver before insert on approval_decisions
  for each row execute function check_decision();

-- An approval needs enough decisions, by people who are still approvers and saw the present
-- content.
create function check_approval_end() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
declare
  given bigint;
  refused bigint;
begin
  select count(*) filter (where decision = 'approve' and d.digest = new.digest
      and not is_of_makers(d.user_name, makers_of(array[new.made_by], new.key_id), clock_timestamp())
      and may_approve(d.user_name, d.account_id)),
    count(*) filter (where decision = 'reject') into given, refused
  from approval_decisions d
  where d.account_id = new.account_id and d.payout_id = new.payout_id;
  if new.outcome = 'rejected' and refused = 0
    or new.outcome = 'expired' and new.ended_at < new.expires_at
  then
    raise exception 'payout % is not %', new.payout_id, new.outcome using errcode = 'check_violation';
  end if;
  if new.outcome <> 'approved' then return new; end if;
  if refused > 0 or new.ended_at >= new.expires_at or not exists (
    select from payouts p where p.account_id = new.account_id and p.id = new.payout_id
      and approval_digest(p) = new.digest)
  then
    raise exception 'payout % cannot be approved', new.payout_id
      using errcode = 'check_violation', constraint = 'as_it_was_shown';
  end if;
  -- A person who was an approver when the service read the decision may not be one any more.
  if given < new.approvers then
    raise exception 'payout % has % of % approvals', new.payout_id, given, new.approvers
      using errcode = 'serialization_failure';
  end if;
  return new;
end $$;
create trigger enough_approvers before update on payout_approvals
  for each row execute function check_approval_end();

-- A payout leaves pending_approval by an approval, or fails.
create function check_approved() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  if not exists (select from payout_approvals a
    where a.account_id = old.account_id and a.payout_id = old.id and a.outcome = 'approved')
  then
    raise exception 'payout % is not approved', old.id
      using errcode = 'check_violation', constraint = 'approved_before_it_is_sent';
  end if;
  return new;
end $$;
create trigger approved_first before update of status on open_payouts
  for each row when (old.status = 'pending_approval' and new.status <> 'pending_approval')
  execute function check_approved();

create function check_not_approved() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  if not exists (select from payout_outcomes s
    where s.account_id = old.account_id and s.id = old.id and s.status = 'failed')
  then
    raise exception 'payout % is not approved', old.id
      using errcode = 'check_violation', constraint = 'approved_before_it_is_sent';
  end if;
  return old;
end $$;
create trigger failed_unless_approved before delete on open_payouts
  for each row when (old.status = 'pending_approval') execute function check_not_approved();

grant select, insert, delete on approval_rules to corridor_service;
grant select, insert, update (outcome, ended_at) on payout_approvals to corridor_service;
grant select, insert on approval_decisions, approved_payees to corridor_service;
-- The finder finds approvals that have expired by the account's clock.
grant select (account_id, payout_id, expires_at, outcome) on payout_approvals to corridor_finder;
grant select on approval_rules, payout_approvals, approval_decisions, approved_payees
  to corridor_auditor;

select confine_to_accounts('payout_approvals');
select confine_to_accounts('approval_decisions');
select confine_to_accounts('approved_payees');
create policy find on payout_approvals for select to corridor_finder using (true);

-- Approvals of beneficiaries, which must precede a payout to them. They follow the same rules as
-- approvals of payouts, but a beneficiary can change. So an approval covers the beneficiary with
-- one digest, and a change needs another approval. The column is not part of the record, so no
-- digest covers it; '' if no rule required an approval.
alter table beneficiaries
  add column approval text not null default ''
    check (approval in ('', 'pending_approval', 'approved', 'rejected'));
-- Ordinary beneficiaries are never in this index.
create index beneficiaries_by_approval on beneficiaries (account_id, approval, id)
  where approval <> '';

create table beneficiary_approvals (
  approvers integer not null check (approvers between 1 and 9),
  requested_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  account_id text collate "C" not null,
  beneficiary_id text collate "C" not null,
  -- The digest of the beneficiary as approvers see it: of its whole record.
  digest bytea not null check (octet_length(digest) = 32),
  -- All people who have made or changed the beneficiary since its last approval. A key without an
  -- owner adds nobody.
  made_by text[] not null,
  -- The key that was used, '' for none, and the rules that fitted.
  key_id text not null,
  rules text[] not null,
  outcome text not null default '' check (outcome in ('', 'approved', 'rejected')),
  primary key (account_id, beneficiary_id, digest),
  constraint ended_with_an_outcome check ((outcome = '') = (ended_at is null)),
  constraint expires_later check (expires_at > requested_at)
);
create trigger kept before delete or truncate on beneficiary_approvals
  for each statement execute function refuse_change();
create trigger ends_once before update on beneficiary_approvals
  for each row execute function check_ends_once();

create table beneficiary_decisions (
  decided_at timestamptz not null,
  account_id text collate "C" not null,
  beneficiary_id text collate "C" not null,
  user_name text collate "C" not null check (user_name <> ''),
  decision text not null check (decision in ('approve', 'reject')),
  -- The digest of the beneficiary that the person saw.
  digest bytea not null check (octet_length(digest) = 32),
  reason text not null,
  constraint decided_once_as_it_is primary key (account_id, beneficiary_id, digest, user_name)
);
create trigger append_only before update or delete or truncate on beneficiary_decisions
  for each statement execute function refuse_change();

-- SHA-256 of the record of a beneficiary, as BENEFICIARY_SEAL of parties/beneficiary/columns.ts has it.
create function beneficiary_digest(b beneficiaries) returns bytea language sql stable as $$
  select sha256(convert_to(concat_ws(E'\n', coalesce(to_json(b.account_id)::text, 'null'),
    coalesce(to_json(b.id)::text, 'null'), coalesce(b.details::text, 'null'),
    coalesce(to_json(b.made_by)::text, 'null'),
    coalesce(to_char(b.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'null'),
    coalesce(to_char(b.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'null')), 'UTF8'))
$$;

create function check_new_beneficiary_approval() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  if new.outcome <> '' or not exists (
    select from beneficiaries b
    where b.account_id = new.account_id and b.id = new.beneficiary_id
      and b.approval = 'pending_approval' and beneficiary_digest(b) = new.digest)
  then
    raise exception 'an approval is of a beneficiary that waits for it, as it is'
      using errcode = 'check_violation', constraint = 'as_it_was_shown';
  end if;
  return new;
end $$;
create trigger of_a_waiting_beneficiary before insert on beneficiary_approvals
  for each row execute function check_new_beneficiary_approval();

create function check_beneficiary_decision() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
declare
  approval beneficiary_approvals%rowtype;
begin
  select * into approval from beneficiary_approvals a
  where a.account_id = new.account_id and a.beneficiary_id = new.beneficiary_id
    and a.digest = new.digest;
  if approval.outcome is distinct from '' or new.decided_at >= approval.expires_at or not exists (
    select from beneficiaries b where b.account_id = new.account_id and b.id = new.beneficiary_id
      and beneficiary_digest(b) = new.digest)
  then
    raise exception 'beneficiary % waits for nobody''s approval as it was shown', new.beneficiary_id
      using errcode = 'check_violation', constraint = 'as_it_was_shown';
  end if;
  perform check_decider(new.user_name, new.account_id, makers_of(approval.made_by, approval.key_id),
    'beneficiary ' || new.beneficiary_id);
  return new;
end $$;
create trigger by_an_approver before insert on beneficiary_decisions
  for each row execute function check_beneficiary_decision();

create function check_beneficiary_approval_end() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
declare
  given bigint;
  refused bigint;
begin
  select count(*) filter (where decision = 'approve'
      and not is_of_makers(d.user_name, makers_of(new.made_by, new.key_id), clock_timestamp())
      and may_approve(d.user_name, d.account_id)),
    count(*) filter (where decision = 'reject') into given, refused
  from beneficiary_decisions d
  where d.account_id = new.account_id and d.beneficiary_id = new.beneficiary_id
    and d.digest = new.digest;
  if (new.outcome = 'rejected') <> (refused > 0) or new.ended_at >= new.expires_at then
    raise exception 'beneficiary % is not %', new.beneficiary_id, new.outcome
      using errcode = 'check_violation';
  end if;
  -- A person who was an approver when the service read the decision may not be one any more.
  if new.outcome = 'approved' and given < new.approvers then
    raise exception 'beneficiary % has % of % approvals', new.beneficiary_id, given, new.approvers
      using errcode = 'serialization_failure';
  end if;
  return new;
end $$;
create trigger enough_approvers before update on beneficiary_approvals
  for each row execute function check_beneficiary_approval_end();

-- An approval covers the present content of a beneficiary. Only an approval frees a beneficiary
-- that waits or was rejected. An erasure changes the record and keeps `approval`.
create function check_beneficiary_approved() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  if new.approval = 'pending_approval'
    or new.approval = '' and (tg_op = 'INSERT' or old.approval in ('', 'approved'))
    or tg_op = 'UPDATE' and new.approval = old.approval and new.details ->> 'status' = 'erased'
    or new.approval <> '' and exists (select from beneficiary_approvals a
      where a.account_id = new.account_id and a.beneficiary_id = new.id
        and a.digest = beneficiary_digest(new) and a.outcome = new.approval)
  then
    return new;
  end if;
  raise exception 'nobody has said that beneficiary % is %', new.id, new.approval
    using errcode = 'check_violation', constraint = 'approved_by_people';
end $$;
create trigger approved_by_people before insert on beneficiaries
  for each row when (new.approval in ('approved', 'rejected'))
  execute function check_beneficiary_approved();
create trigger approved_as_it_is before update of details, approval, updated_at on beneficiaries
  for each row when (old.approval <> '' and (old.details::text, old.approval, old.updated_at)
    is distinct from (new.details::text, new.approval, new.updated_at)
    or old.approval <> new.approval)
  execute function check_beneficiary_approved();

-- If a rule covers all beneficiaries of an account, none is made or changed without an approval.
-- The rule may be newer than the rules that the process has in memory: the transaction fails as
-- contention, and the process reads the rules again.
create function check_asked() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  if exists (
    select from approval_rules r join made m on r.account_id is null or r.account_id = m.account_id
    where r.subject = 'beneficiary' and r.key_id is null and r.country is null and m.approval = '')
  then
    raise exception 'a rule asks for the approval of the beneficiary'
      using errcode = 'serialization_failure';
  end if;
  return null;
end $$;
create trigger asked_first after insert on beneficiaries referencing new table as made
  for each statement execute function check_asked();
create function check_change_asked() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  if exists (select from approval_rules r
    where r.subject = 'beneficiary' and r.key_id is null and r.country is null
      and (r.account_id is null or r.account_id = new.account_id))
  then
    raise exception 'a rule asks for the approval of beneficiary %', new.id
      using errcode = 'serialization_failure';
  end if;
  return null;
end $$;
create trigger asked_when_changed after update of details on beneficiaries
  for each row when (new.approval = '' and old.details::text <> new.details::text
    and new.details ->> 'status' is distinct from 'erased')
  execute function check_change_asked();

-- Whether nothing names the country of the destination: a bank account without IBAN, BIC and
-- country, or a wallet.
create function names_no_country(details json) returns boolean language sql immutable as $$
  select case details #>> '{destination_details,type}'
    when 'wallet' then true
    when 'bank' then coalesce(details #>> '{destination_details,bank,iban}',
      details #>> '{destination_details,bank,country}',
      details #>> '{destination_details,bank,bank_codes,swift_code}',
      details #>> '{destination_details,bank,bank_codes,bic}') is null
    else false end
$$;

-- The local networks that reach a country, '' for any, in this currency. A test compares them with
-- values/network/local.ts.
create function local_networks_to(currency text, country text) returns text[]
language sql immutable as $$
  select coalesce(array_agg(words[2] order by words[2]), '{}')
  from (select string_to_array(line, ' ') as words from unnest(array[
      'AED aani AE', 'AED uaefts AE', 'ARS coelsa AR', 'AUD becs AU', 'AUD npp AU',
      'BDT beftn BD', 'BDT npsb BD', 'BHD fawri BH', 'BHD fawri_plus BH', 'BRL pix BR',
      'BRL ted BR', 'CAD eft CA', 'CAD interac_etransfer CA', 'CAD lynx CA', 'CHF sic CH LI',
      'CNY beps CN', 'CNY cips CN', 'CNY cnaps CN', 'CNY hvps CN', 'CNY ibps CN',
      'CNY rmb_chats HK', 'COP ach CO', 'COP cenit CO', 'CRC sinpe CR', 'CZK certis CZ',
      'DKK intradagclearing DK FO GL', 'DKK straksclearing DK FO GL', 'DKK sumclearing DK FO GL',
      'EGP instapay EG', 'EUR eur_chats HK',
      'EUR sepa AT BE BG CY DE EE ES FI FR GR HR IE IT LT LU LV MT NL PT SI SK CZ DK HU PL RO '
        || 'SE IS LI NO CH GB AD MC SM VA AL MD ME MK RS GI',
      'EUR sepa_instant AT BE BG CY DE EE ES FI FR GR HR IE IT LT LU LV MT NL PT SI SK CZ DK HU '
        || 'PL RO SE IS LI NO CH GB AD MC SM VA AL MD ME MK RS GI',
      'EUR target2 AT BE BG CY DE EE ES FI FR GR HR IE IT LT LU LV MT NL PT SI SK DK PL RO',
      'GBP bacs GB', 'GBP chaps GB', 'GBP faster_payments GB', 'GHS gip GH', 'HKD chats HK',
      'HKD fps HK', 'HUF giro HU', 'HUF viber HU', 'IDR bi_fast ID', 'IDR bi_rtgs ID',
      'IDR skn ID', 'ILS masav IL', 'ILS zahav IL', 'INR imps IN', 'INR neft IN', 'INR rtgs IN',
      'INR upi IN', 'JOD cliq JO', 'JPY zengin JP', 'KES kepss KE', 'KES pesalink KE',
      'KRW bok_wire KR', 'LKR cefts LK', 'LKR slips LK', 'MXN spei MX', 'MYR duitnow MY',
      'MYR ibg MY', 'MYR rentas MY', 'NGN neft NG', 'NGN nip NG', 'NOK nics NO', 'NZD becs NZ',
      'PEN cce PE', 'PHP instapay PH', 'PHP pesonet PH', 'PKR raast PK', 'PLN elixir PL',
      'PLN express_elixir PL', 'RON regis RO', 'RON transfond RO', 'RSD ips RS', 'SAR sarie SA',
      'SEK bankgirot SE', 'SEK rix_inst SE', 'SGD fast SG', 'SGD giro SG', 'SGD meps SG',
      'THB bahtnet TH', 'THB promptpay TH', 'TRY eft TR', 'TRY fast TR', 'TWD fisc TW',
      'UAH sep UA', 'USD ach US', 'USD fednow US', 'USD fedwire US', 'USD rtp US',
      'USD usd_chats HK', 'VND napas VN', 'XAF sygma CF CG CM GA GQ TD',
      'XOF star_uemoa BF BJ CI GW ML NE SN TG', 'ZAR eft ZA', 'ZAR payshap ZA', 'ZAR rtc ZA',
      'ZAR samos ZA'
    ]) line) n
  where words[1] = $1 and ($2 = '' or $2 = any (words[3:]))
$$;

-- The country for which a payout is priced; '' if nobody knows it. Null if the quote leaves it open
-- and the destination names it: only the service reads IBANs and BICs.
create function priced_country(p payouts) returns text language sql stable as $$
  select case when named <> '' or p.quote_id = '' or names_no_country(p.beneficiary_details)
    then named end
  from (select coalesce(nullif(p.destination_country, ''), (
    select q.destination_country from quotes q
    where q.account_id = p.account_id and q.id = p.quote_id), '') as named) c
$$;

-- The networks over which a payout may go, as far as its row tells: the one that it names, or every
-- local network of its currency and country. Only the service knows other names of chains and of
-- local payment networks.
create function networks_of(p payouts) returns text[] language sql stable as $$
  select case
    when p.fund_transfer_network <> '' then array[lower(p.fund_transfer_network)]
    when p.type = 'local' then local_networks_to(p.destination_currency, priced_country(p))
    else array[lower(coalesce(p.beneficiary_details #>> '{destination_details,wallet,type}',
      p.beneficiary_details #>> '{destination_details,local_payment_network,type}'))]
  end
$$;

-- Whether a rule that fits by the payout's row alone requires an approval: by type, by network, by
-- currency, or by country. The service judges the other conditions. The row has no key. An amount
-- needs the rates of its moment, and whether a payee is new needs the form in which the service
-- compares payees. A constraint that is stricter than the service would refuse a payout for ever.
create function asked_by_a_rule(p payouts) returns boolean language sql stable as $$
  select exists (
    select from approval_rules r
    where r.subject = 'payout' and (r.account_id is null or r.account_id = p.account_id)
      and r.key_id is null and r.at_least is null and not r.new_payee
      and (r.payout_type is null or r.payout_type = p.type)
      and (r.currency is null or r.currency in (p.currency, p.destination_currency))
      and (r.network is null or r.network = any (networks_of(p)))
      and (r.country is null or r.country = priced_country(p)
        or priced_country(p) = '' and names_no_country(p.beneficiary_details)))
$$;

-- The simulator takes payouts of sandboxes and no others. No payout goes to a beneficiary that
-- waits for its approval, was rejected or is archived. No payout that fits a rule goes on without
-- an approval. The trigger reads all rows of a statement at once, because a trigger for each row
-- costs several times as much. The rows of open_payouts are already there.
create function check_new_payouts() returns trigger language plpgsql as $$
declare
  wrong record;
begin
  select m.id, m.type, m.first_rail, m.beneficiary_id, a.sandbox, b.approval, b.archived_at into wrong
  from made m
  cross join lateral (select sandbox from accounts a where a.account_id = m.account_id limit 1) a
  left join lateral (
    select b.approval, b.archived_at from beneficiaries b
    where b.account_id = m.account_id and b.id = m.beneficiary_id
      and (b.approval in ('pending_approval', 'rejected') or b.archived_at is not null)
    limit 1) b on true
  where b.approval is not null or (m.type = 'service_account') <> (m.first_rail = '')
    or m.first_rail <> '' and (m.first_rail = 'simulator') <> a.sandbox
  limit 1;
  if not found then
    -- The rule may be newer than the rules that the process has in memory. The process reads them
    -- again.
    if exists (select from approval_rules where subject = 'payout') and exists (
      -- Finds the state by the id. A condition on the status would, for each row, walk an index of
      -- payouts that wait.
      select from made m where asked_by_a_rule(m::payouts) and 'pending_approval' is distinct from (
        select o.status from open_payouts o where o.account_id = m.account_id and o.id = m.id))
    then
      raise exception 'a rule asks for the approval of the payout'
        using errcode = 'serialization_failure';
    end if;
    return null;
  end if;
  if wrong.archived_at is not null then
    raise exception 'beneficiary % is archived', wrong.beneficiary_id
      using errcode = 'check_violation', constraint = 'beneficiary_not_archived';
  end if;
  if wrong.approval is not null then
    raise exception 'beneficiary % is not approved', wrong.beneficiary_id
      using errcode = 'check_violation', constraint = 'beneficiary_approved_first';
  end if;
  raise exception 'payout % of type % cannot go to rail "%": its account is % sandbox',
    wrong.id, wrong.type, wrong.first_rail, case when wrong.sandbox then 'a' else 'no' end
    using errcode = 'check_violation', constraint = 'simulator_for_sandboxes';
end $$;
create trigger may_be_made after insert on payouts referencing new table as made
  for each statement execute function check_new_payouts();

-- When its transaction ends, a beneficiary in pending_approval has an open approval of its present
-- content, and a payout made in pending_approval has an approval.
create function check_asked_of_people() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  if exists (
    select from beneficiaries b
    where b.account_id = new.account_id and b.id = new.id and b.approval = 'pending_approval'
      and b.details ->> 'status' is distinct from 'erased' and not exists (
        select from beneficiary_approvals a
        where a.account_id = b.account_id and a.beneficiary_id = b.id and a.outcome = ''
          and a.digest = beneficiary_digest(b)))
  then
    raise exception 'nobody was asked to approve beneficiary %', new.id
      using errcode = 'check_violation', constraint = 'asked_of_people';
  end if;
  return null;
end $$;
create constraint trigger asked_of_people after insert on beneficiaries
  deferrable initially deferred for each row when (new.approval = 'pending_approval')
  execute function check_asked_of_people();
create constraint trigger asked_of_people_again after update of details, approval, updated_at
  on beneficiaries deferrable initially deferred for each row
  when (new.approval = 'pending_approval') execute function check_asked_of_people();
create function check_payout_asked() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  if not exists (select from payout_approvals a
    where a.account_id = new.account_id and a.payout_id = new.id)
  then
    raise exception 'nobody was asked to approve payout %', new.id
      using errcode = 'check_violation', constraint = 'asked_of_people';
  end if;
  return null;
end $$;
create constraint trigger asked_of_people after insert on open_payouts
  deferrable initially deferred for each row when (new.status = 'pending_approval')
  execute function check_payout_asked();

grant update (approval) on beneficiaries to corridor_service;
grant select, insert, update (outcome, ended_at) on beneficiary_approvals to corridor_service;
grant select, insert on beneficiary_decisions to corridor_service;
grant select on beneficiary_approvals, beneficiary_decisions to corridor_auditor;
select confine_to_accounts('beneficiary_approvals');
select confine_to_accounts('beneficiary_decisions');
