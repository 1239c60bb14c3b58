// Slows the inserts into one table down, so that a test can act in the middle of them.
import type { TestContext } from 'node:test'
import type { Sql } from '../../../src/sql/connect.ts'

/**
 * Each insert statement takes `seconds` longer. Returns the function that ends it; the test's end
 * ends it as well.
 */
export async function slowDown(
  t: TestContext,
  owner: Sql,
  table: 'payouts' | 'entities',
  seconds: number,
): Promise<() => Promise<void>> {
  await owner.unsafe(`
    create function slow_down() returns trigger language plpgsql as $$
    begin perform pg_sleep(${seconds}); return null; end $$;
    create trigger slow_down after insert on ${table}
    for each statement execute function slow_down()`)
  const speedUp = async () => {
    await owner`drop function if exists slow_down cascade`
  }
  t.after(speedUp)
  return speedUp
}
