-- Whom an account pays, and for whom: beneficiaries, and entities without duplicates.

create table beneficiaries (
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Since when it is archived: in no ordinary list, and paid no more until it is taken back. Beside the
  -- record, as what people say of it.
  archived_at timestamptz,
  account_id text collate "C" not null,
  id text collate "C" not null,
  -- Without what is not set; beneficiary/columns.ts completes it.
  details json not null,
  -- What lists filter by, out of `details`. As columns: under row-level security an index of an
  -- expression on JSON is not used, as the functions on JSON are not known to keep to themselves what
  -- they are asked.
  type text collate "C" not null generated always as (details ->> 'type') stored,
  destination_type text collate "C" not null
    generated always as (details #>> '{destination_details,type}') stored,
  -- Words and values by which it is found; found-by.ts has the recipe.
  found_by text collate "C" not null default '',
  constraint archived_after_it_was_made check (archived_at > created_at),
  constraint erased_is_not_found check (found_by = '' or details ->> 'name' <> '')
);
-- An account has few of these kinds: what filters by some of the columns looks into each that fits. It is the
-- list of those that are not archived, too: of all kinds, merged.
create index beneficiaries_by_type on beneficiaries (account_id, type, destination_type, id)
  where archived_at is null;
-- The same of those that are. Ordinary ones never enter.
create index beneficiaries_archived on beneficiaries (account_id, type, destination_type, id)
  where archived_at is not null;
-- Who is looked for is looked for in it, without a look at the rows that do not fit.
create index beneficiaries_found on beneficiaries (account_id, id) include (found_by);
-- For look-ups by id: ids follow the book (docs/decisions/0050). After the indexes above: of indexes that
-- cost the same on an empty table the planner takes the newest, and keeps the plan. A look-up by id
-- must not walk the whole account by another one.
alter table beneficiaries add primary key (account_id, id);

-- The people and businesses an account pays for.
create table entities (
  account_id text collate "C" not null,
  id text collate "C" not null,
  type text not null check (type in ('individual', 'business')),
  on_behalf_of text collate "C" not null,
  reference_id text not null,
  -- What the caller sent, without what is not set; entity/wire.ts completes it.
  details json not null,
  approval_status text not null check (
    approval_status in
      ('pending', 'submitted', 'approved', 'rejected', 'requires_action', 'resubmitted')
  ),
  approval_status_description text not null default '',
  -- [{status, description, at}], oldest first.
  approval_history json not null,
  -- SHA-256 of the normalised identity of each rule, null where the rule takes no part;
  -- entity/duplicates.ts writes the recipe. Individuals have the first three, businesses the last.
  email_key bytea,
  national_identification_key bytea,
  name_address_key bytea,
  registration_key bytea,
  -- SHA-256 of the row of a file this entity was imported from, so that no row is imported twice.
  import_key bytea,
  -- As of beneficiaries.
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
  -- A business that waits for the operator's review says which one it is: its identity is the key of
  -- registration number and country.
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

-- The rejected ones that an identity passes over, for those who ask why.
create index entities_rejected_email on entities (account_id, email_key)
  where approval_status = 'rejected' and email_key is not null;
create index entities_rejected_national_identification
  on entities (account_id, national_identification_key)
  where approval_status = 'rejected' and national_identification_key is not null;
create index entities_rejected_name_address on entities (account_id, name_address_key)
  where approval_status = 'rejected' and name_address_key is not null;
create index entities_rejected_registration on entities (account_id, registration_key)
  where approval_status = 'rejected' and registration_key is not null;

-- Lists by each filter, newest last; the primary key is the list of all.
create index entities_by_status on entities (account_id, approval_status, id);
create index entities_by_type on entities (account_id, type, id);
create index entities_by_reference on entities (account_id, reference_id, id)
  where reference_id <> '';
create index entities_by_principal on entities (account_id, on_behalf_of, id)
  where on_behalf_of <> '';
create index entities_found on entities (account_id, id) include (found_by);
-- What waits for the operator, over all accounts, longest first.
create index entities_in_review on entities (updated_at)
  where approval_status in ('submitted', 'resubmitted');

-- Last, for look-ups by id, as of beneficiaries.
alter table entities add primary key (account_id, id);

-- §entity.approval: the same steps as APPROVAL_TRANSITIONS in entity/states.ts: a test tries them all. They
-- stand in the condition, as a trigger of a row that belongs to an account reads no other table
-- (docs/decisions/0055).
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

-- Entities that were approved or rejected and whose holds the worker has still to end: one row,
-- however many payouts wait. `due_at` is when it is to be looked at (again), and names the claim.
create table ended_reviews (
  account_id text collate "C" not null,
  entity_id text collate "C" not null,
  due_at timestamptz not null,
  primary key (account_id, entity_id)
);
create index ended_reviews_due on ended_reviews (due_at);
