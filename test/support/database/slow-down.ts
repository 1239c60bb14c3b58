// Slows the inserts into one table down, so that a test can act in the middle of them.
import type { TestContext } from 'node:test'
import type { Sql } from '../../../src/db/connect.ts'

/** Each insert statement takes `seconds` longer until the test has ended. */
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
