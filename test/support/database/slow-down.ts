// A database that is slow at one thing, so that a test comes in the middle of it.
import type { TestContext } from 'node:test'
import type { Sql } from '../../../src/db/connect.ts'

/** Each statement that inserts into the table takes so long, until the test has ended. */
export async function slowDown(
  t: TestContext,
  owner: Sql,
  table: 'payouts' | 'entities',
  seconds: number,
): Promise<void> {
  await owner.unsafe(`
    create function slow_down() returns trigger language plpgsql as $$
    begin perform pg_sleep(${seconds}); return null; end $$;
    create trigger slow_down after insert on ${table}
    for each statement execute function slow_down()`)
  t.after(() => owner`drop function slow_down cascade`)
}
