-- Sanctions lists as they were published: each imported file, and each version of each entry. They
-- belong to no account.

create table screening_imports (
  list text collate "C" not null check (list in ('ofac', 'ofac-cons', 'un', 'eu', 'uk')),
  -- Numbered from 1 without gaps.
  version integer not null check (version > 0),
  -- Of the bytes of the file.
  sha256 bytea not null check (octet_length(sha256) = 32),
  file_name text not null,
  format text not null,
  -- The date of publication, from the file.
  published_on date not null,
  -- Shipped with the product, to try it out. A sample does not show who is listed.
  is_sample boolean not null,
  entry_count integer not null check (entry_count > 0),
  name_count integer not null check (name_count >= entry_count),
  added integer not null check (added >= 0),
  changed integer not null check (changed >= 0),
  removed integer not null check (removed >= 0),
  -- Records of the file that name nobody, and the first of them in words.
  left_out_count integer not null check (left_out_count >= 0),
  left_out text[] not null check (cardinality(left_out) = least(left_out_count, 50)
    and octet_length(array_to_string(left_out, '')) <= 16384),
  -- Why the file was imported although it looked wrong; '' if it did not.
  reason text not null,
  imported_by text not null check (imported_by <> ''),
  imported_at timestamptz not null default clock_timestamp(),
  primary key (list, version)
);

create table screening_entries (
  list text collate "C" not null,
  -- The id of the entry in the list, the same in each version.
  entry_id text collate "C" not null check (entry_id <> ''),
  -- The first version of the list with this content, and the first without it; null while it is
  -- listed.
  since_version integer not null,
  until_version integer,
  digest bytea not null,
  -- Names, births, countries, ids, programmes and remarks.
  content json not null,
  primary key (list, entry_id, since_version),
  foreign key (list, since_version) references screening_imports (list, version),
  constraint digest_of_the_content check (digest = sha256(convert_to(content::text, 'UTF8'))),
  constraint ends_after_it_began check (until_version > since_version)
);
create unique index listed_once on screening_entries (list, entry_id) where until_version is null;

-- Versions are numbered without gaps, and a sample never replaces a published list.
create function check_import() returns trigger language plpgsql as $$
declare
  last screening_imports%rowtype;
begin
  select * into last from screening_imports where list = new.list order by version desc limit 1;
  if new.version <> coalesce(last.version, 0) + 1 then
    raise exception 'version % of list % does not follow %', new.version, new.list,
      coalesce(last.version, 0) using errcode = 'check_violation';
  end if;
  if new.is_sample and not coalesce(last.is_sample, true) then
    raise exception 'a sample does not replace list %', new.list using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger follows before insert on screening_imports
  for each row execute function check_import();
create trigger append_only before update or delete or truncate on screening_imports
  for each statement execute function refuse_change();
-- Raises lists_version. A rail gets a payout only if it was screened at the present version.
create function announce_list_change() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  update reference_version set version = version + 1, lists_version = lists_version + 1;
  notify corridor_reference;
  return null;
end $$;
create trigger announced after insert on screening_imports
  for each statement execute function announce_list_change();

-- The content of an entry never changes. Its end is written once.
create function check_entry_end() returns trigger language plpgsql as $$
begin
  if old.until_version is not null or (new.list, new.entry_id, new.since_version, new.digest)
    is distinct from (old.list, old.entry_id, old.since_version, old.digest)
    or new.content::text <> old.content::text
  then
    raise exception 'entry % of list % stays as it was', old.entry_id, old.list
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger legal_end before update on screening_entries
  for each row execute function check_entry_end();
create trigger kept before delete or truncate on screening_entries
  for each statement execute function refuse_change();

grant select, insert on screening_imports, screening_entries to corridor_service;
grant update (until_version) on screening_entries to corridor_service;
grant select on screening_imports, screening_entries to corridor_auditor;

-- The lists that must be current before a payout of a live account goes out. Empty: this
-- installation does not screen these payouts. All lists are required until a person changes the
-- setting.
create table screening_settings (
  only_row boolean primary key default true check (only_row),
  required text[] not null check (
    required <@ array['ofac', 'ofac-cons', 'un', 'eu', 'uk'] and array_position(required, null) is null),
  -- Who made the setting, and why; '' for the default.
  set_by text not null,
  reason text not null,
  constraint set_by_a_person check (
    (set_by = '') = (reason = '')
    and (set_by <> '' or required @> array['ofac', 'ofac-cons', 'un', 'eu', 'uk']))
);
create trigger announced after update on screening_settings
  for each statement execute function announce_list_change();
create trigger history after insert or update on screening_settings
  for each row execute function keep_history();
insert into screening_settings (required, set_by, reason)
values (array['ofac', 'ofac-cons', 'un', 'eu', 'uk'], '', '');
create trigger kept before delete or truncate on screening_settings
  for each statement execute function refuse_change();
grant select, update (required, set_by, reason) on screening_settings to corridor_service;
grant select on screening_settings to corridor_auditor;

-- `screened` is the version of the lists at which the payout had no open match; null: not screened,
-- or held. `screening` is the hold: `waits` for screening, `open` for a person's decision, or
-- `confirmed`, which blocks the payout.
create domain payout_screening as text check (value in ('', 'waits', 'open', 'confirmed'));
alter table open_payouts
  add column screened bigint,
  add column screening payout_screening not null default '',
  -- The version of the lists that a held payout was last compared with. Matches of later versions
  -- are added.
  add column compared bigint,
  add constraint held_is_not_screened check (screening = '' or screened is null);
-- Ordinary payouts are never in this index.
create index open_payouts_unscreened on open_payouts (account_id, id) where screened is null;
grant update (screened, screening, compared) on open_payouts to corridor_service;
grant select (screened, screening, compared, held_for, rail_attempts) on open_payouts to corridor_finder;
grant select on reference_version to corridor_finder;

-- The screening of a payout covers the details of its entity. When these change, the entity's open
-- payouts are screened again. Both are written under the lock of the account's book.
create function unscreen_payouts() returns trigger language plpgsql as $$
begin
  update open_payouts o set screened = null
  from payouts p
  where p.account_id = new.account_id and p.on_behalf_of = new.id
    and o.account_id = new.account_id and o.id = p.id and o.screened is not null
    and o.status <> 'succeeded';
  return null;
end $$;
create trigger screened_again after update of details on entities
  for each row when (old.details::text <> new.details::text) execute function unscreen_payouts();

-- Matches: listed entries that a party of a payout, or a party by itself, may be. `pieces` has the
-- names, which an erasure can remove.
create table screening_matches (
  score integer not null check (score between 1 and 1000),
  found_at timestamptz not null default statement_timestamp(),
  decided_at timestamptz,
  account_id text collate "C" not null,
  -- The payout, or the party by itself: an entity or a beneficiary.
  object_id text collate "C" not null,
  -- The role of the party, such as `beneficiary`, and the digest of its compared data.
  party text collate "C" not null check (party <> ''),
  party_hash bytea not null check (octet_length(party_hash) = 32),
  list text collate "C" not null,
  entry_id text collate "C" not null,
  -- The digest of the entry as it was.
  entry_digest bytea not null check (octet_length(entry_digest) = 32),
  pieces json not null,
  -- The name of the entry that fitted.
  listed_name text not null,
  state text not null default 'open' check (state in ('open', 'cleared', 'confirmed')),
  decided_by text not null default '',
  reason text not null default '',
  primary key (account_id, object_id, party, list, entry_id),
  constraint decided_by_a_person check ((state = 'open') = (decided_by = '')
    and (state = 'open') = (reason = '') and (state = 'open') = (decided_at is null))
);
create trigger kept before delete or truncate on screening_matches
  for each statement execute function refuse_change();
-- People who decide see the earlier decisions about the same party.
create index screening_matches_party on screening_matches (account_id, party_hash);
grant select, insert, update (score, found_at, decided_at, party_hash, entry_digest, pieces,
  listed_name, state, decided_by, reason) on screening_matches to corridor_service;
grant select on screening_matches to corridor_auditor;
select confine_to_accounts('screening_matches');

-- Whatever the code does, a hold by matches ends only when a person has cleared all of them.
create function check_cleared() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  if exists (select from screening_matches m
    where m.account_id = new.account_id and m.object_id = new.id and m.state <> 'cleared')
  then
    raise exception 'nobody has cleared what was found of payout %', new.id
      using errcode = 'check_violation', constraint = 'cleared_by_a_person';
  end if;
  return new;
end $$;
create trigger cleared_by_a_person before update of screening on open_payouts
  for each row when (old.screening in ('open', 'confirmed') and new.screening in ('', 'waits'))
  execute function check_cleared();

-- Clears: a person has decided that a party of the account is not the listed entry. A clear covers
-- the party's data and the entry by their digests: when either changes, a person decides again.
create table screening_clears (
  cleared_at timestamptz not null default statement_timestamp(),
  account_id text collate "C" not null,
  party_hash bytea not null check (octet_length(party_hash) = 32),
  list text collate "C" not null,
  entry_id text collate "C" not null,
  entry_digest bytea not null check (octet_length(entry_digest) = 32),
  -- The payout or party whose match a person has cleared.
  object_id text collate "C" not null,
  cleared_by text not null check (cleared_by <> ''),
  reason text not null check (reason <> ''),
  primary key (account_id, party_hash, list, entry_id, entry_digest)
);
create trigger kept before truncate on screening_clears
  for each statement execute function refuse_change();
-- A match that a person confirms deletes the clear.
grant select, insert, delete on screening_clears to corridor_service;
grant select on screening_clears to corridor_auditor;
select confine_to_accounts('screening_clears');

-- Whatever the code does, no rail of a live account is asked about a payout for the first time
-- while screening holds the payout, or while it waits for its approval or its time.
create function refuse_held_attempt() returns trigger language plpgsql as $$
declare
  payout open_payouts%rowtype;
begin
  select * into payout from open_payouts o
  where o.account_id = new.account_id and o.id = new.payout_id;
  if payout.screening <> '' then
    raise exception 'payout % is held by screening: no rail gets it', new.payout_id
      using errcode = 'check_violation', constraint = 'held_is_not_handed_over';
  end if;
  if payout.status = 'pending_approval' then
    raise exception 'payout % is not approved: no rail gets it', new.payout_id
      using errcode = 'check_violation', constraint = 'approved_before_it_is_sent';
  end if;
  if is_due(new.account_id, payout.execute_at) is false then
    raise exception 'payout % is executed at %, not before', new.payout_id, payout.execute_at
      using errcode = 'check_violation', constraint = 'not_before_its_time';
  end if;
  return new;
end $$;
create trigger held_is_not_asked before insert on payout_attempts
  for each row when (new.asked_at is not null) execute function refuse_held_attempt();
create trigger held_is_not_asked_later before update of asked_at on payout_attempts
  for each row when (old.asked_at is null and new.asked_at is not null)
  execute function refuse_held_attempt();

-- The screening of a party by itself: `open` until a person decides about its matches, `confirmed`
-- when a person has confirmed one. Written with the matches, under the lock of the account's book.
-- No answer to the account shows it.
alter table entities
  add column screening text not null default '' check (screening in ('', 'open', 'confirmed'));
alter table beneficiaries
  add column screening text not null default '' check (screening in ('', 'open', 'confirmed')),
  -- If a payout created the beneficiary, the version of the lists at which that payout had no
  -- match; else null.
  add column screened bigint;
-- Ordinary entities and beneficiaries are never in these indexes.
create index entities_screening on entities (account_id, id) where screening <> '';
create index beneficiaries_screening on beneficiaries (account_id, id) where screening <> '';
grant update (screening) on entities, beneficiaries to corridor_service;
grant select (account_id, id, screening) on entities, beneficiaries to corridor_finder;
create policy find on entities for select to corridor_finder using (true);
create policy find on beneficiaries for select to corridor_finder using (true);

-- When a person has confirmed a match of a party, the open payouts for or to the party are screened
-- again, and held.
create trigger payouts_screened_again after update of screening on entities
  for each row when (old.screening <> new.screening and new.screening = 'confirmed')
  execute function unscreen_payouts();
create function unscreen_payouts_to() returns trigger language plpgsql as $$
begin
  update open_payouts o set screened = null
  where o.account_id = new.account_id and o.screened is not null and o.status <> 'succeeded'
    and exists (select from payouts p where p.account_id = new.account_id and p.id = o.id
      and p.beneficiary_id = new.id);
  return null;
end $$;
create trigger payouts_screened_again after update of screening on beneficiaries
  for each row when (old.screening <> new.screening and new.screening = 'confirmed')
  execute function unscreen_payouts_to();

-- Whatever the code does, nobody approves an entity before a person has cleared all its matches.
create function refuse_listed_approval() returns trigger language plpgsql as $$
begin
  raise exception 'entity % may be on a sanctions list: it is not approved', new.id
    using errcode = 'check_violation', constraint = 'cleared_before_approved';
end $$;
create trigger cleared_before_approved before update of approval_status on entities
  for each row when (new.approval_status = 'approved' and old.approval_status <> 'approved'
    and new.screening <> '')
  execute function refuse_listed_approval();

-- New and changed parties that are not yet compared with the lists. `due_at` is when a worker
-- compares the party (again), and its value identifies the claim. A change of the party during the
-- comparison sets another value.
create table screening_queue (
  account_id text collate "C" not null,
  party_id text collate "C" not null,
  due_at timestamptz not null,
  primary key (account_id, party_id)
);
create index screening_queue_due on screening_queue (due_at);
grant select, insert, delete, update (due_at) on screening_queue to corridor_service;
grant select on screening_queue to corridor_finder, corridor_auditor;
select confine_to_accounts('screening_queue');
create policy find on screening_queue for select to corridor_finder using (true);

-- Queues the party in the transaction of its change, whatever code makes the change.
create function queue_party() returns trigger language plpgsql as $$
begin
  insert into screening_queue as q (account_id, party_id, due_at)
  values (new.account_id, new.id, statement_timestamp())
  on conflict (account_id, party_id) do update set due_at = excluded.due_at;
  return null;
end $$;
create trigger screened_when_made after insert on entities
  for each row execute function queue_party();
create trigger screened_when_changed after update of details on entities
  for each row when (old.details::text <> new.details::text) execute function queue_party();
create trigger screened_when_made after insert on beneficiaries
  for each row when (new.screened is null) execute function queue_party();
create trigger screened_when_changed after update of details on beneficiaries
  for each row when (old.details::text <> new.details::text) execute function queue_party();

-- How far the comparison of all parties with the newest version of the lists has come: the last
-- compared party.
create table screening_pass (
  only_row boolean primary key default true check (only_row),
  lists_version bigint not null default 0,
  after_account text collate "C" not null default '',
  after_party text collate "C" not null default '',
  is_done boolean not null default false,
  -- When a worker may continue. The value identifies the claim of the worker that does.
  due_at timestamptz not null default statement_timestamp()
);
insert into screening_pass default values;
create trigger kept before delete or truncate on screening_pass
  for each statement execute function refuse_change();
grant select, update (lists_version, after_account, after_party, is_done, due_at)
  on screening_pass to corridor_service;
grant select on screening_pass to corridor_auditor;
