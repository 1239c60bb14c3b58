-- The last requests of sandbox accounts and how each ended, for developers who integrate the API.
-- Rows are written apart from all other rows, and old rows are deleted. They hold no personal data.

create table request_log (
  account_id text collate "C" not null,
  -- The id holds the time at which the request ended.
  id text collate "C" not null,
  request_id text not null check (length(request_id) between 1 and 128),
  key_id text not null,
  method text not null,
  -- With its query. Values that a caller chose are masked.
  path text not null check (length(path) <= 500),
  outcome text not null check (outcome in ('succeeded', 'refused', 'failed', 'abandoned')),
  status integer check (status between 100 and 599),
  duration_us integer not null check (duration_us >= 0),
  -- The reason of the first error, with the path of its field; '' for none.
  reason text not null,
  remarks text not null check (length(remarks) <= 200),
  constraint status_unless_abandoned check ((status is null) = (outcome = 'abandoned')),
  primary key (account_id, id)
);

-- Whatever the code does, only requests of sandboxes are logged.
create function refuse_live_log() returns trigger
language plpgsql security definer set search_path to public, pg_temp as $$
begin
  if (select sandbox from accounts where account_id = new.account_id) then return new; end if;
  raise exception 'requests of % are not logged: it is no sandbox', new.account_id
    using errcode = 'check_violation';
end $$;
create trigger sandboxes_alone before insert on request_log
  for each row execute function refuse_live_log();

grant select, insert, delete on request_log to corridor_service;
grant select on request_log to corridor_auditor;
select confine_to_accounts('request_log');
