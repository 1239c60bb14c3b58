-- Sanctions lists as they were published: each file that was imported, and each entry in each of its
-- versions. They belong to no account.

create table screening_imports (
  list text collate "C" not null check (list in ('ofac', 'ofac-cons', 'un', 'eu', 'uk')),
  -- Numbered from 1 without gaps.
  version integer not null check (version > 0),
  -- Of the bytes of the file.
  sha256 bytea not null check (octet_length(sha256) = 32),
  file_name text not null,
  format text not null,
  -- The day that the file names.
  published_on date not null,
  -- Shipped with the product, to try it out: it says nothing of who is listed.
  is_sample boolean not null,
  entry_count integer not null check (entry_count > 0),
  name_count integer not null check (name_count >= entry_count),
  added integer not null check (added >= 0),
  changed integer not null check (changed >= 0),
  removed integer not null check (removed >= 0),
  -- Why it was taken although it looked wrong, '' when it did not.
  reason text not null,
  imported_by text not null check (imported_by <> ''),
  imported_at timestamptz not null default clock_timestamp(),
  primary key (list, version)
);

create table screening_entries (
  list text collate "C" not null,
  -- What the list calls it, the same in each version.
  entry_id text collate "C" not null check (entry_id <> ''),
  -- From this version of the list to before that one, null while it is listed.
  since_version integer not null,
  until_version integer,
  digest bytea not null,
  -- Names, births, countries, ids and programmes.
  content json not null,
  primary key (list, entry_id, since_version),
  foreign key (list, since_version) references screening_imports (list, version),
  constraint digest_of_the_content check (digest = sha256(convert_to(content::text, 'UTF8'))),
  constraint ends_after_it_began check (until_version > since_version)
);
create unique index listed_once on screening_entries (list, entry_id) where until_version is null;

-- Versions follow each other, and a sample never takes the place of a list.
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
create trigger announced after insert on screening_imports
  for each statement execute function announce_reference_change();

-- What was listed stays; only its end is written, once.
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
