// Copies a spread database into temporary tables of the same names, which PostgreSQL finds first.
// So every later statement runs on one machine. Knows no table.
import { literal, type TransactionSql } from '../sql/connect.ts'

/**
 * One connection reads each machine: its rows are of one moment, those of two machines may not be.
 */
export async function gatherRows(tx: TransactionSql, account_id: string | null): Promise<void> {
  await tx.unsafe(`set local citus.multi_shard_modify_mode = 'sequential'`)
  const tables = await tx.unsafe<{ name: string }[]>(
    `select c.relname as name from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
      where p.partmethod = 'h' order by 1`,
  )
  const views = await tx.unsafe<{ name: string; text: string }[]>(
    `select viewname as name, definition as text from pg_views where schemaname = 'public'
      and viewname !~ '^citus'`,
  )
  const indexes = await tx.unsafe<{ text: string }[]>(
    `select indexdef as text from pg_indexes where schemaname = 'public'
      and tablename = any ($1::text[])`,
    [tables.map(({ name }) => name)],
  )
  const condition = account_id === null ? '' : `where account_id = ${literal(account_id)}`
  for (const { name } of tables) {
    await tx.unsafe(`create temporary table ${name} on commit drop as
      select * from public.${name} ${condition}`)
  }
  for (const { text } of indexes) {
    await tx.unsafe(text.replace(/INDEX \S+ ON public\./, 'INDEX ON pg_temp.'))
  }
  for (const { name } of tables) await tx.unsafe(`analyze pg_temp.${name}`)
  const readsTable = (text: string) =>
    tables.some(({ name }) => new RegExp(`\\b${name}\\b`).test(text))
  for (const { name, text } of views.filter(view => readsTable(view.text))) {
    await tx.unsafe(`create temporary view ${name} as ${text.replace(/\bpublic\./g, '')}`)
  }
}
