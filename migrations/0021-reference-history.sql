-- What changed in the reference tables: who, when, the row before and the row after. A trigger
-- writes it, so that no command and no statement by hand passes it by.

create table reference_changes (
  change_id bigint generated always as identity primary key,
  table_name text not null,
  changed_at timestamptz not null,
  -- The operator whom the command names, else the database user.
  changed_by text not null,
  -- Null: there was no row.
  before jsonb,
  -- Null: there is no row any more.
  after jsonb,
  check (before is not null or after is not null)
);
create index reference_changes_by_table on reference_changes (table_name, change_id);

create trigger append_only before update or delete or truncate on reference_changes
  for each statement execute function refuse_change();

grant select, insert on reference_changes to corridor_service;
grant select on reference_changes to corridor_auditor;

-- Hashes of secrets are left out. The arguments of a trigger name columns that do not count as a
-- change, such as the time at which the same rate was loaded again.
create function keep_history() returns trigger language plpgsql as $$
declare
  skipped text[] := array['secret_hash'] || coalesce(tg_argv, '{}');
  old_row jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) - skipped end;
  new_row jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) - skipped end;
begin
  if old_row is distinct from new_row then
    insert into reference_changes (table_name, changed_at, changed_by, before, after)
    values (tg_table_name, clock_timestamp(),
      coalesce(nullif(current_setting('corridor.operator', true), ''), session_user),
      old_row, new_row);
  end if;
  return null;
end $$;

create trigger history after insert or update or delete on rates
  for each row execute function keep_history('loaded_at');
create trigger history after insert or update or delete on fees
  for each row execute function keep_history('fee_id');
create trigger history after insert or update or delete on accounts
  for each row execute function keep_history();
create trigger history after insert or update or delete on api_keys
  for each row execute function keep_history();
