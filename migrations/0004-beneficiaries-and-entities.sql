-- Whom an account pays, and for whom: beneficiaries, and entities without duplicates.

create table beneficiaries (
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- When the beneficiary was archived: it is in no ordinary list, and nobody can pay it until it is
  -- unarchived. Not part of the record, so no digest covers it.
  archived_at timestamptz,
  account_id text collate "C" not null,
  id text collate "C" not null,
  -- Only the members that are set; parties/beneficiary/columns.ts adds the others.
  details json not null check (octet_length(details::text) <= 262144),
  -- Events name who changed it.
  made_by maker not null,
  -- The values of `details` that lists filter by. They are columns, because under row-level
  -- security PostgreSQL uses no index of an expression on JSON: functions on JSON are not known to
  -- reveal nothing of hidden rows (`leakproof`).
  type text collate "C" not null generated always as (details ->> 'type') stored,
  destination_type text collate "C" not null
    generated always as (details #>> '{destination_details,type}') stored,
  -- The words and values by which a search finds the row; values/text/found-by.ts has the recipe.
  found_by text collate "C" not null default '',
  constraint archived_after_it_was_made check (archived_at > created_at),
  constraint erased_is_not_found check (found_by = '' or details ->> 'name' <> '')
);
-- An account has few kinds, which are combinations of these types. A list with a filter reads each
-- kind that fits. The list of all beneficiaries that are not archived reads all kinds and merges
-- them.
create index beneficiaries_by_type on beneficiaries (account_id, type, destination_type, id)
  where archived_at is null;
-- The same for archived beneficiaries. The others are not in this index.
create index beneficiaries_archived on beneficiaries (account_id, type, destination_type, id)
  where archived_at is not null;
-- Serves searches without reading rows that do not match.
create index beneficiaries_found on beneficiaries (account_id, id) include (found_by);
-- For look-ups by id. Ids are in the order of the book (docs/decisions/ids-and-clocks.md). The primary key
-- comes after the indexes above: of indexes with equal costs on an empty table the planner takes
-- the newest, and it keeps that plan. With another index a look-up by id would walk the whole
-- account.
alter table beneficiaries add primary key (account_id, id);

-- The people and businesses an account pays for.
create table entities (
  account_id text collate "C" not null,
  id text collate "C" not null,
  type text not null check (type in ('individual', 'business')),
  on_behalf_of text collate "C" not null,
  reference_id text not null,
  -- Only the members that the caller has set; parties/entity/response.ts adds the others.
  details json not null check (octet_length(details::text) <= 262144),
  approval_status text not null check (
    approval_status in
      ('pending', 'submitted', 'approved', 'rejected', 'requires_action', 'resubmitted')
  ),
  approval_status_description text not null default '',
  -- [{status, description, at}], oldest first.
  approval_history json not null check (octet_length(approval_history::text) <= 2097152),
  made_by maker not null,
  -- SHA-256 of the normalised identity for each rule; null if the rule does not apply.
  -- parties/entity/duplicates.ts has the recipe. Individuals have the first three, businesses the last.
  email_key bytea,
  national_identification_key bytea,
  name_address_key bytea,
  registration_key bytea,
  -- SHA-256 of the row of the file that the entity was imported from, so that no row is imported
  -- twice.
  import_key bytea,
  -- As in beneficiaries.
  found_by text collate "C" not null default '',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint erased_is_not_found check (found_by = '' or details ->> 'name' <> ''),
  constraint keys_of_its_type check (
    case type
      when 'individual' then registration_key is null
      else num_nonnulls(email_key, national_identification_key, name_address_key) = 0
    end
  ),
  -- A business that waits for the operator's review has an identity: the key of its registration
  -- number and country.
  constraint business_in_review_is_registered check (
    type <> 'business' or approval_status not in ('submitted', 'resubmitted')
      or registration_key is not null
  )
) with (fillfactor = 90);

-- Two entities that are not rejected never share an identity.
create unique index entity_email_once on entities (account_id, email_key)
  where approval_status <> 'rejected' and email_key is not null;
create unique index entity_national_identification_once
  on entities (account_id, national_identification_key)
  where approval_status <> 'rejected' and national_identification_key is not null;
create unique index entity_name_address_once on entities (account_id, name_address_key)
  where approval_status <> 'rejected' and name_address_key is not null;
create unique index entity_registration_once on entities (account_id, registration_key)
  where approval_status <> 'rejected' and registration_key is not null;
create unique index entity_imported_once on entities (account_id, import_key)
  where import_key is not null;

-- Rejected entities by identity: an explanation of the duplicate rules names them.
create index entities_rejected_email on entities (account_id, email_key)
  where approval_status = 'rejected' and email_key is not null;
create index entities_rejected_national_identification
  on entities (account_id, national_identification_key)
  where approval_status = 'rejected' and national_identification_key is not null;
create index entities_rejected_name_address on entities (account_id, name_address_key)
  where approval_status = 'rejected' and name_address_key is not null;
create index entities_rejected_registration on entities (account_id, registration_key)
  where approval_status = 'rejected' and registration_key is not null;

-- Lists by one filter each, newest last. The primary key is the list of all.
create index entities_by_status on entities (account_id, approval_status, id);
create index entities_by_type on entities (account_id, type, id);
create index entities_by_reference on entities (account_id, reference_id, id)
  where reference_id <> '';
create index entities_by_principal on entities (account_id, on_behalf_of, id)
  where on_behalf_of <> '';
create index entities_found on entities (account_id, id) include (found_by);
-- Entities of all accounts that wait for the operator's review, the longest wait first.
create index entities_in_review on entities (updated_at)
  where approval_status in ('submitted', 'resubmitted');

-- For look-ups by id. It comes last, as in beneficiaries.
alter table entities add primary key (account_id, id);

-- Filters over beneficiaries or entities with successive ids, some 1,000 in a block: bits that the
-- words and values of their `found_by` set. A search reads only the blocks that may have all its
-- words, and all ids that no block has. A worker adds blocks under the lock of the book; a change
-- to words that the bits do not have deletes the block (docs/decisions/lists-and-indexes.md).
create table search_blocks (
  account_id text collate "C" not null,
  listed text collate "C" not null check (listed in ('beneficiaries', 'entities')),
  -- The block has the ids after `after_id`, up to `last_id`.
  after_id text collate "C" not null,
  last_id text collate "C" not null check (after_id < last_id),
  bits bytea not null check (octet_length(bits) = 16384),
  primary key (account_id, listed, last_id)
);
-- Uncompressed outside of the row, a search reads single bytes of it.
alter table search_blocks alter column bits set storage external;

-- §entity.approval: the steps of APPROVAL_TRANSITIONS in parties/entity/states.ts; a test tries them all.
-- The condition of the trigger lists them, so that the trigger reads no other table and runs where
-- the row is (docs/decisions/citus.md).
create function refuse_approval_step() returns trigger language plpgsql as $$
begin
  raise exception 'entity % cannot go from % to %', old.id, old.approval_status,
    new.approval_status using errcode = 'check_violation';
end $$;
create trigger legal_transition before update of approval_status on entities
  for each row when (old.approval_status <> new.approval_status
    and (old.approval_status, new.approval_status) not in (
      ('pending', 'submitted'),
      ('pending', 'approved'), ('pending', 'rejected'), ('pending', 'requires_action'),
      ('submitted', 'approved'), ('submitted', 'rejected'), ('submitted', 'requires_action'),
      ('requires_action', 'resubmitted'),
      ('requires_action', 'approved'), ('requires_action', 'rejected'),
      ('resubmitted', 'approved'), ('resubmitted', 'rejected'), ('resubmitted', 'requires_action'),
      ('approved', 'resubmitted'), ('approved', 'rejected'), ('approved', 'requires_action'),
      ('rejected', 'approved')))
  execute function refuse_approval_step();

-- Entities that were approved or rejected, and whose holds the worker must still end: one row for
-- each entity, however many payouts wait. `due_at` is when the worker reads the row (again). Its
-- value identifies the claim.
create table ended_reviews (
  account_id text collate "C" not null,
  entity_id text collate "C" not null,
  due_at timestamptz not null,
  primary key (account_id, entity_id)
);
create index ended_reviews_due on ended_reviews (due_at);

-- Records that were answered with this entity because they are the same by a rule: by which rule,
-- and which members of the record differed. The same finding is kept once.
create table entity_duplicates (
  found_at timestamptz not null,
  account_id text collate "C" not null,
  entity_id text collate "C" not null,
  rule text collate "C" not null,
  differs text[] not null,
  primary key (account_id, entity_id, rule, differs)
);
create trigger append_only before update or delete or truncate on entity_duplicates
  for each statement execute function refuse_change();

-- A review needs no more, and the table keeps a bound.
create function keep_100_duplicates() returns trigger language plpgsql as $$
begin
  if (select count(*) from entity_duplicates d
    where d.account_id = new.account_id and d.entity_id = new.entity_id) >= 100
  then
    return null;
  end if;
  return new;
end $$;
create trigger at_most_100 before insert on entity_duplicates
  for each row execute function keep_100_duplicates();
