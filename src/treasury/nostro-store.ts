// The SQL statements of nostros.
import { readManyRows, type TransactionSql } from '../sql/connect.ts'
import type { Tag } from '../sql/sql.ts'
import type { Nostro } from './nostro.ts'

/** By name. */
export async function listNostros(sql: Tag): Promise<Nostro[]> {
  return sql<Nostro[]>`
    select name, kind, currency, institution, account, bic, purpose, pool, rails, opening_balance,
      opening_on::text, closed_at, settings
    from nostros order by name`
}

export async function insertNostro(sql: Tag, nostro: Nostro): Promise<void> {
  const { name, kind, currency, institution, account, bic, purpose, pool } = nostro
  await sql`
    insert into nostros (name, kind, currency, institution, account, bic, purpose, pool, rails,
      opening_balance, opening_on, settings)
    values (${name}, ${kind}, ${currency}, ${institution}, ${account}, ${bic}, ${purpose}, ${pool},
      ${[...nostro.rails]}::text[], ${nostro.opening_balance}::bigint, ${nostro.opening_on}::date,
      ${JSON.stringify(nostro.settings)}::text::jsonb)`
}

/** Keeps others from changing these nostros, and from importing for them, until the end. */
export async function lockNostros(tx: TransactionSql, names: readonly string[]): Promise<void> {
  await tx`select from nostros where name = any (${[...names]}::text[])
    order by name for no key update`
}

/** Stores the members of a nostro that may change. The caller has read them under its lock. */
export async function updateNostro(sql: Tag, nostro: Nostro): Promise<void> {
  const { name, institution, account, bic, pool, rails, settings } = nostro
  await sql`
    update nostros set institution = ${institution}, account = ${account}, bic = ${bic},
      pool = ${pool}, rails = ${[...rails]}::text[],
      settings = ${JSON.stringify(settings)}::text::jsonb
    where name = ${name}`
}

/** Also at the bank nothing may be open: the caller has looked. */
export async function closeNostro(sql: Tag, name: string): Promise<void> {
  await sql`update nostros set closed_at = statement_timestamp() where name = ${name}`
}

/**
 * Lets the transaction see and change the items of all accounts, of which there may be many, and
 * nothing else of them.
 */
export function actForTheHouse(tx: TransactionSql): Promise<unknown> {
  void readManyRows(tx)
  return tx`select set_config('corridor.house', 'on', true)`.execute()
}
