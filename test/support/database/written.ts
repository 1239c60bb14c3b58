// Which tables of a database have been written to since the last question. Triggers note each row: for
// who asks thousands of times, one look-up is far less than to look at every table.
import type { Sql } from '../../../src/db/connect.ts'
import { BY_THE_MINUTE, rowVersions } from '../assert/check.ts'
import { onCluster } from './citus.ts'

/**
 * The tables of which a row has been written, changed or deleted since the last call, also if it is as
 * it was before.
 */
export type Written = () => Promise<readonly string[]>

export async function watchWritten(owner: Sql): Promise<Written> {
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
        where schemaname = 'public' and tablename not in ('rows_written', '${BY_THE_MINUTE}')
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

async function compareVersions(owner: Sql): Promise<Written> {
  let before = await rowVersions(owner)
  return async () => {
    const after = await rowVersions(owner)
    const changed = Object.keys(after).filter(table => before[table] !== after[table])
    before = after
    return changed
  }
}
