// Lists the tables that were written to since the last call. Triggers note each row: one look-up
// costs a test of thousands of requests far less than a look at every table.
import type { Sql } from '../../../src/sql/connect.ts'
import { BY_THE_MINUTE, rowVersions } from '../assert/check.ts'
import { onCluster } from './citus.ts'

/**
 * Lists the tables in which a statement has written, changed or deleted a row since the last call,
 * even without a change of values.
 */
export type WrittenTables = () => Promise<readonly string[]>

export async function watchWrittenTables(owner: Sql): Promise<WrittenTables> {
  if (onCluster) return compareVersions(owner)
  await owner.unsafe(`
    create table rows_written (
      id bigint generated always as identity primary key,
      name text not null
    );
    create function note_written() returns trigger
    language plpgsql security definer set search_path = public as $$
    begin
      insert into rows_written (name) values (tg_table_name);
      return null;
    end $$;
    do $$ declare watched text; begin
      for watched in select tablename from pg_tables
        where schemaname = 'public' and tablename not in ('rows_written', '${BY_THE_MINUTE.join("', '")}')
      loop
        execute format('create trigger written after insert or update or delete on %I
          for each row execute function note_written()', watched);
      end loop;
    end $$`)
  let last = 0n
  return async () => {
    const rows = await owner<{ name: string; last: bigint }[]>`
      select name, max(id) as last from rows_written where id > ${last} group by 1 order by 1`
    for (const row of rows) if (row.last > last) last = row.last
    return rows.map(({ name }) => name)
  }
}

async function compareVersions(owner: Sql): Promise<WrittenTables> {
  let before = await rowVersions(owner)
  return async () => {
    const after = await rowVersions(owner)
    const changed = Object.keys(after).filter(table => before[table] !== after[table])
    before = after
    return changed
  }
}
