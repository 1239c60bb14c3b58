// The baseline of entities: pgbench creates one entity in each transaction, in the same account. A
// transaction locks the book, looks up each key, inserts the row and its event, and updates the
// book. Its rows are copies of what the service wrote for one entity.

import { KEY_COLUMNS } from '../src/parties/entity/store.ts'
import type { Sql } from '../src/sql/connect.ts'
import { asOwner } from './database.ts'
import { personOf, RULES } from './entity-fill.ts'
import { type Baseline, baselineOf, idFromNumber, type Statements } from './pgbench.ts'
import { copyStatement } from './row-copy.ts'
import type { Target } from './target.ts'

/** A number that no other request uses. */
const SAMPLE = 990_000_000_000

/**
 * Prepares the baseline. pgbench increments the book's event count as the service does, so the book
 * stays valid.
 */
export async function prepareEntityBaseline(pgbench: string, target: Target): Promise<Baseline> {
  const { status, text } = await target.post('/v3/entity', personOf(SAMPLE))
  if (status !== 200) throw new Error(`the sample was answered ${status}: ${text}`)
  const { id } = JSON.parse(text).data
  return asOwner(target.database_url, async sql => {
    const statements = await copyStatements(sql, target.account_id, id)
    return baselineOf(pgbench, target.database_url, statements)
  })
}

/** The columns of an entity that the service reads. */
const READ = 'id, type, details, approval_status, approval_history, created_at, updated_at'

async function copyStatements(sql: Sql, account_id: string, id: string): Promise<Statements> {
  const mine = `account_id = '${account_id}'`
  const keys = RULES.map((rule): [column: string, key: string] => [
    KEY_COLUMNS[rule],
    `sha256(convert_to('${rule} ' || :number::text, 'UTF8'))`,
  ])
  const new_id = { id: idFromNumber('ent') }
  const entity = await copyStatement(sql, 'entities', `${mine} and id = '${id}'`, {
    ...new_id,
    ...Object.fromEntries(keys),
  })
  const event = await copyStatement(sql, 'events', `${mine} and object_id = '${id}'`, {
    object_id: new_id.id,
    sequence: ':number',
  })
  return {
    reads: [`select event_count + 1 as number from books where ${mine} for update`],
    rest: [
      ...keys.map(
        ([column, key]) =>
          `select ${READ} from entities
            where ${mine} and ${column} = ${key} and approval_status <> 'rejected' limit 1`,
      ),
      entity,
      event,
      `update books set event_count = :number, last_written_at = now() where ${mine}`,
    ],
  }
}
