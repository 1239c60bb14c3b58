// `npm run schema` writes docs/schema.sql: the schema after all migrations, read from the catalog
// of a new server. A test compares the file with the migrations.
import { writeFile } from 'node:fs/promises'
import { connect, type Sql } from '../src/sql/connect.ts'
import { makeTemplate, openServer } from '../test/support/database/server.ts'

const HEAD = `-- The schema as all migrations leave it, in the words of PostgreSQL; why it is so stands in
-- the migrations. \`npm run schema\` writes this file. \`owner\` is who owns the tables.
`

/** The column `text` of the query's rows, in order. */
async function texts(sql: Sql, query: string): Promise<string[]> {
  const rows = await sql.unsafe<{ text: string }[]>(query)
  return rows.map(({ text }) => text)
}

/** The tables, in the order in which the migrations make them. */
const TABLES = `
  select relname as text from pg_class
  where relnamespace = 'public'::regnamespace and relkind = 'r' order by oid`

const DOMAINS = `
  select 'CREATE DOMAIN ' || oid::regtype || ' AS ' || format_type(typbasetype, typtypmod)
    || coalesce((select ' COLLATE "' || collname || '"' from pg_collation
      where oid = typcollation and collname <> 'default'), '')
    || coalesce((select string_agg(E'\\n  CONSTRAINT ' || conname || ' ' || pg_get_constraintdef(oid), ''
      order by conname) from pg_constraint where contypid = pg_type.oid), '') || ';' as text
  from pg_type where typnamespace = 'public'::regnamespace and typtype = 'd' order by oid`

/** The functions, with the roles that may execute a restricted one. */
const FUNCTIONS = `
  select rtrim(pg_get_functiondef(oid), E'\\n') || ';' || coalesce((
      select E'\\nREVOKE EXECUTE ON FUNCTION ' || p.oid::regprocedure || ' FROM public;'
        || string_agg(E'\\nGRANT EXECUTE ON FUNCTION ' || p.oid::regprocedure || ' TO '
          || grantee::regrole || ';', '' order by grantee::regrole::text)
      from aclexplode(proacl) where grantee <> proowner), '') as text from pg_proc p
  where pronamespace = 'public'::regnamespace order by oid`

/** A table's columns, then its constraints by kind and name. */
const linesOf = (table: string) => `
  select text from (
    select 1 as part, attnum as place, '  ' || attname || ' ' || format_type(atttypid, atttypmod)
      || coalesce((select ' COLLATE "' || collname || '"' from pg_collation
        where oid = attcollation and collname <> 'default'), '')
      || case when attidentity <> '' then ' GENERATED ALWAYS AS IDENTITY' else '' end
      || coalesce(case attgenerated when 's' then ' GENERATED ALWAYS AS ('
          || pg_get_expr(adbin, adrelid) || ') STORED'
        else ' DEFAULT ' || pg_get_expr(adbin, adrelid) end, '')
      || case when attnotnull then ' NOT NULL' else '' end as text
    from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped
    union all
    select 2, row_number() over (order by position(contype::text in 'pufc'), conname),
      '  CONSTRAINT ' || conname || ' ' || pg_get_constraintdef(oid)
    from pg_constraint where conrelid = '${table}'::regclass and contype <> 'n'
  ) lines order by part, place`

const optionsOf = (table: string) => `
  select coalesce(' WITH (' || array_to_string(reloptions, ', ') || ')', '') as text from pg_class
  where oid = '${table}'::regclass`

/** A table's indexes (without those of constraints), triggers, policies and grants. */
const attachmentsOf = (table: string) => `
  select text from (
    select 1 as part, relname::text as place, pg_get_indexdef(indexrelid) as text
    from pg_index join pg_class on pg_class.oid = indexrelid
    where indrelid = '${table}'::regclass
      and not exists (
        select from pg_constraint where conindid = indexrelid and contype in ('p', 'u'))
    union all
    select 2, tgname, pg_get_triggerdef(oid) from pg_trigger
    where tgrelid = '${table}'::regclass and not tgisinternal
    union all
    select 3, '', 'ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY'
    from pg_class where oid = '${table}'::regclass and relrowsecurity and relforcerowsecurity
    union all
    select 4, polname, 'CREATE POLICY ' || polname || ' ON ${table} FOR '
      || case polcmd when 'r' then 'SELECT' else 'ALL' end || ' TO ' || (
        select string_agg(case oid when current_user::regrole then 'owner' else rolname end, ', ')
        from pg_roles where oid = any (polroles))
      || ' USING (' || pg_get_expr(polqual, polrelid) || ')'
    from pg_policy where polrelid = '${table}'::regclass
    union all
    select 5, rolname,
      'GRANT ' || string_agg(what, ', ' order by what) || ' ON ${table} TO ' || rolname
    from (
      select grantee, privilege_type as what from pg_class, aclexplode(relacl)
      where oid = '${table}'::regclass and grantee <> relowner
      union all
      select grantee, privilege_type || ' (' || string_agg(attname, ', ' order by attname) || ')'
      from pg_attribute, aclexplode(attacl)
      where attrelid = '${table}'::regclass and attnum > 0 group by grantee, privilege_type
    ) granted join pg_roles on pg_roles.oid = grantee group by rolname
  ) besides order by part, place`

async function describeTable(sql: Sql, table: string): Promise<string> {
  const [lines, attachments, [options]] = await Promise.all([
    texts(sql, linesOf(table)),
    texts(sql, attachmentsOf(table)),
    texts(sql, optionsOf(table)),
  ])
  return [
    `CREATE TABLE ${table} (\n${lines.join(',\n')}\n)${options};`,
    ...attachments.map(text => `${text};`),
  ].join('\n')
}

const VIEWS = `
  select 'CREATE VIEW ' || oid::regclass || coalesce(' WITH (' || array_to_string(reloptions, ', ')
    || ')', '') || E' AS\\n' || pg_get_viewdef(oid) || coalesce((
      select string_agg(E'\\nGRANT ' || privilege_type || ' ON ' || pg_class.oid::regclass || ' TO '
        || grantee::regrole || ';', '' order by grantee::regrole::text, privilege_type)
      from aclexplode(relacl) where grantee <> relowner), '') as text
  from pg_class where relnamespace = 'public'::regnamespace and relkind = 'v' order by oid`

/** All domains, tables, views and functions as SQL, the text of docs/schema.sql. */
export async function describeSchema(sql: Sql): Promise<string> {
  const tables: string[] = []
  for (const table of await texts(sql, TABLES)) tables.push(await describeTable(sql, table))
  const [domains, views, functions] = [
    await texts(sql, DOMAINS),
    await texts(sql, VIEWS),
    await texts(sql, FUNCTIONS),
  ]
  return `${HEAD}\n${[domains.join('\n'), ...tables, ...views, ...functions].join('\n\n').replaceAll('public.', '')}\n`
}

if (import.meta.main) {
  const server = await openServer()
  try {
    const sql = connect(await makeTemplate(server.url), { max: 1, as: 'owner' })
    await writeFile('docs/schema.sql', await describeSchema(sql))
    await sql.end()
  } finally {
    await server.close()
  }
}
