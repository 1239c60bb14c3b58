// corridor verify against a superuser: whatever column of whatever table is changed, emptied or
// exchanged between rows, whatever row is deleted or forged, it names the row. The columns come from
// the database itself, so that a new one must be covered or excepted with a reason.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { connect, type Sql, type TransactionSql } from '../../src/sql/connect.ts'
import type { Problem } from '../../src/verify/problem.ts'
import { undone, verdictIn } from '../support/database/undone.ts'
import { pickSeed, seeded } from '../support/service/process.ts'
import { LONG, share } from '../support/share.ts'
import { makeEverything } from './everything.ts'
import { EXCEPTIONS } from './exceptions.ts'
import { dropDomainRules } from './forgery.ts'
import type { History } from './history.ts'

interface Column {
  readonly table: string
  readonly column: string
  readonly type: string
  readonly generated: boolean
  readonly identity: boolean
}

let history: History
let owner: Sql
let columns: Column[]
/** Columns of the primary key, by table. */
let keys: ReadonlyMap<string, readonly string[]>

const seed = pickSeed()
const random = seeded(seed)
const shuffled = <T>(items: readonly T[]): T[] =>
  items
    .map(item => [random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item)
const oneOf = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T

before(async () => {
  history = await makeEverything()
  owner = connect(history.service.database.url, { max: 1, as: 'owner' })
  columns = await owner<Column[]>`
    select table_name::text as table, column_name::text as column, data_type::text as type,
      is_generated = 'ALWAYS' as generated, is_identity = 'YES' as identity
    from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' order by 1, ordinal_position`
  const primary = await owner<{ table: string; names: string[] }[]>`
    select indrelid::regclass::text as table, array_agg(attname::text) as names
    from pg_index join pg_attribute on attrelid = indrelid and attnum = any (indkey)
    where indisprimary and indrelid::regclass::text = any (${[...tablesOf(columns)]}::text[])
    group by 1`
  keys = new Map(primary.map(({ table, names }) => [table, names]))
  await dropGuards(owner)
})
after(async () => {
  await owner?.end({ timeout: 1 })
  await history?.service.close()
})

const tablesOf = (all: readonly Column[]) => new Set(all.map(({ table }) => table))

/** What a superuser would do first: no rule of the database stands in the way. */
async function dropGuards(sql: Sql): Promise<void> {
  for (const table of tablesOf(columns)) {
    await sql.unsafe(`alter table ${table} disable trigger user`)
    await sql.unsafe(`alter table ${table} disable row level security`)
  }
  for (const { table, column, identity } of columns) {
    if (identity) await sql.unsafe(`alter table ${table} alter column ${column} drop identity`)
  }
  const constraints = await sql<{ table: string; name: string }[]>`
    select conrelid::regclass::text as table, conname::text as name from pg_constraint
    where contype in ('c', 'f', 'u', 'p') and connamespace = 'public'::regnamespace
      and conrelid <> 0
    order by array_position(array['f', 'c', 'u', 'p'], contype::text)`
  for (const { table, name } of constraints) {
    await sql.unsafe(`alter table ${table} drop constraint ${name}`)
  }
  // Before PostgreSQL 18, what is not null is no constraint.
  for (const { table, column } of columns) {
    await sql.unsafe(`alter table ${table} alter column ${column} drop not null`)
  }
  await dropDomainRules(sql)
  const indexes = await sql<{ name: string }[]>`
    select indexrelid::regclass::text as name from pg_index
    where indisunique and indrelid::regclass::text = any (${[...tablesOf(columns)]}::text[])`
  for (const { name } of indexes) await sql.unsafe(`drop index ${name}`)
}

/** A row as it can be found again, and what names it. */
interface Picked {
  readonly table: string
  readonly ctid: string
  readonly account_id: string
  /** Texts of which a problem says at least one, when it is about this row. */
  readonly names: readonly string[]
}

async function pickRows(tx: TransactionSql, table: string, wanted = 'true'): Promise<Picked[]> {
  const own = columns.filter(one => one.table === table).map(({ column }) => column)
  const account = own.includes('account_id') ? 'account_id' : `''`
  const shared = own.includes('id') ? [] : ['payout_type']
  const besides = ['object_id', 'source', 'quote_id', 'user_name', ...shared]
  const naming = [...(keys.get(table) ?? []), ...besides]
    .filter(column => own.includes(column) && column !== 'account_id')
    .map(column => `ltrim(${column}::text, '\\x')`)
  const rows = await tx.unsafe<Omit<Picked, 'table'>[]>(
    `select ctid::text, ${account} as account_id,
        array_remove(array[${naming.join(', ')}]::text[], null) as names
      from ${table} t where ${wanted} order by t::text`,
  )
  return rows.map(row => ({ table, ...row }))
}

type Kind = 'changed' | 'emptied' | 'swapped'
const KINDS: readonly Kind[] = ['changed', 'emptied', 'swapped']

/** Another value of the type, near the one there is. */
function another({ column, type }: Column): string {
  switch (type) {
    case 'bigint':
    case 'integer':
    case 'numeric':
      return `coalesce(${column}, 0) + 1`
    case 'boolean':
      return `not ${column}`
    case 'timestamp with time zone':
      return `coalesce(${column}, now()) + interval '3 days'`
    case 'interval':
      return `${column} + interval '1 hour'`
    case 'bytea':
      return `sha256(coalesce(${column}, ''))`
    case 'json':
      return `'{"changed": true}'`
    case 'jsonb':
      return `coalesce(${column}, '{}') || '{"changed": true}'`
    case 'ARRAY':
      return `${column}[2:] || ${column}[1] || ${column}[1]`
    default:
      return `coalesce(${column}, '') || 'x'`
  }
}

function empty({ type }: Column): string {
  return { text: `''`, json: `'[]'`, ARRAY: `'{}'` }[type] ?? 'null'
}

/** All rows, in no order. */
async function textOf(tx: TransactionSql, table: string): Promise<string> {
  const rows = await tx.unsafe<{ row: string }[]>(
    `select t::text as row from ${table} t order by 1`,
  )
  return rows.map(({ row }) => row).join('\n')
}

/** Does it to one row; null when it changes nothing. */
async function edit(tx: TransactionSql, column: Column, kind: Kind): Promise<Picked | null> {
  const { table, column: name } = column
  const untouched = 'xmin <> pg_current_xact_id()::xid'
  const wanted = kind === 'changed' ? untouched : `${untouched} and ${name} is not null`
  const rows = await pickRows(tx, table, wanted)
  const row = rows.length === 0 ? undefined : oneOf(rows)
  if (row === undefined) return null
  const value = kind === 'changed' ? another(column) : empty(column)
  if (kind === 'swapped') {
    const [other] = await tx.unsafe<{ value: string; ctid: string }[]>(
      `select o.${name}::text as value, o.ctid::text from ${table} o, ${table} t
        where t.ctid = '${row.ctid}' and o.${name}::text <> t.${name}::text and o.${untouched}
        order by o::text offset ${Math.floor(random() * 3)} limit 1`,
    )
    if (other === undefined) return null
    const before = await textOf(tx, table)
    const changed = await tx.unsafe(
      `with pair as (
          select a.ctid as here, b.${name} as value from ${table} a, ${table} b
          where (a.ctid, b.ctid) in (('${row.ctid}', '${other.ctid}'), ('${other.ctid}', '${row.ctid}'))
        ) update ${table} t set ${name} = pair.value from pair where t.ctid = pair.here`,
    )
    // Of two rows that differ in nothing else, each is now the other.
    return changed.count === 2 && (await textOf(tx, table)) !== before ? row : null
  }
  const changed = await tx.unsafe(
    `update ${table} set ${name} = ${value}
      where ctid = '${row.ctid}' and (${name}::text is distinct from (${value})::text)`,
  )
  return changed.count === 1 ? row : null
}

/** Is this the row, or what lacks it? Chains name the row by its number, others by its id. */
function isAbout({ table, account_id, key, expected, found }: Problem, row: Picked): boolean {
  const near: Readonly<Record<string, readonly string[]>> = {
    journals: ['payouts', 'books', 'conversions'],
    events: [
      ...['books', 'entities', 'quotes', 'payouts', 'journals', 'beneficiaries'],
      'conversions',
    ],
    quotes: ['payouts', 'journals'],
    conversions: ['journals', 'quotes'],
    accounts: ['books', 'balances'],
    books: ['events', 'journals'],
    balances: ['journals', 'books'],
    payout_batch_items: ['payout_batches'],
    holds: ['payouts'],
    open_payouts: ['payouts'],
    payout_outcomes: ['payouts'],
    reference_version: ['audit_log'],
    audit_log: [
      'reference_version',
      'users',
      'account_roles',
      'user_keys',
      'means_given',
      'user_passwords',
      'second_factors',
      'recovery_codes',
      'second_factor_rules',
      'user_identities',
      'invitations',
      'login_links',
      'sessions',
      'accounts',
      'api_keys',
      'rates',
      'fees',
      'webhook_endpoints',
    ],
  }
  if (table !== row.table && !near[row.table]?.includes(table)) return false
  const said = `${key} ${expected} ${found}`
  // A link of a chain that is gone is named by the one after it.
  if (table === 'audit_log' && row.table === table) return true
  // By its name; or it is named by its account, as a book is, or what vouches for it is.
  if (row.names.some(name => name !== '' && said.includes(name))) return true
  return (
    account_id.startsWith(row.account_id) && (row.names.length === 0 || /^(sequence|$)/.test(key))
  )
}

const excepted = (...names: readonly string[]) =>
  names.some(name => Object.hasOwn(EXCEPTIONS, name))

test('columns that corridor verify does not prove: each is an existing column of an existing table', () => {
  const known = new Set([...tablesOf(columns), ...columns.map(c => `${c.table}.${c.column}`)])
  const gone = Object.keys(EXCEPTIONS).filter(name => !known.has(name.split(' ')[0] ?? ''))
  assert.deepEqual(gone, [])
})

test('every table: has rows to edit; corridor verify clean before an edit', async () => {
  const bare: string[] = []
  for (const table of tablesOf(columns)) {
    const rows = await undone(owner, tx => pickRows(tx, table))
    if (rows.length === 0 && !excepted(table)) bare.push(table)
  }
  assert.deepEqual(bare, [])
  const verdict = await undone(owner, tx => verdictIn(tx, true))
  assert.deepEqual(verdict.ok ? [] : verdict.problems, [])
})

/** A column, and the ways to edit it, of which the first that changes anything is taken. */
interface Edit {
  readonly column: Column
  readonly kinds: readonly Kind[]
}

/** One edit of each of these columns at once, and those among them that no problem is about. */
async function editAll(edits: readonly Edit[]): Promise<Unseen[]> {
  return undone(owner, async tx => {
    const rows: { column: Column; row: Picked | null }[] = []
    for (const { column, kinds } of edits) {
      let row: Picked | null = null
      for (const kind of kinds) row ??= await edit(tx, column, kind)
      rows.push({ column, row })
    }
    if (rows.every(({ row }) => row === null)) return rows.map(one => ({ ...one, problems: null }))
    const verdict = await verdictIn(tx, true)
    const problems = verdict.ok ? [] : verdict.problems
    return rows
      .filter(({ row }) => row === null || !problems.some(problem => isAbout(problem, row)))
      .map(one => ({ ...one, problems: one.row === null ? null : problems }))
  })
}

interface Unseen {
  readonly column: Column
  /** What was named instead; null when there was nothing to edit. */
  readonly problems: readonly Problem[] | null
}

const nameOf = ({ table, column }: Column) => `${table}.${column}`

/**
 * In a round, a column of each table; of a table that has more columns than there are rounds, some
 * together, each in a row of its own.
 */
const ROUNDS = share(16, Infinity)

/** Every kind of edit in the long run, one kind of each column in the usual one. */
const CHOSEN: readonly (readonly Kind[])[] = LONG ? KINDS.map(kind => [kind]) : [KINDS]

test('corridor verify --all, each column of each table edited: every edited row named', async t => {
  // What PostgreSQL computes of a row nobody edits.
  const covered = columns.filter(
    column => !column.generated && !excepted(column.table, nameOf(column)),
  )
  const byTable = [...Map.groupBy(covered, ({ table }) => table).values()]
  const unseen: string[] = []
  let edits = 0
  for (const kinds of CHOSEN) {
    // Edits of one row hide none of another.
    for (let round = 0; round < ROUNDS && byTable.some(own => round < own.length); round++) {
      const chosen = byTable
        .flatMap(own => own.filter((_, i) => i % ROUNDS === round))
        .flatMap(column => {
          const allowed = kinds.filter(kind => !excepted(`${nameOf(column)} ${kind}`))
          return allowed.length === 0 ? [] : [{ column, kinds: shuffled(allowed) }]
        })
      edits += chosen.length
      for (const { column } of await editAll(chosen))
        unseen.push(...(await editAlone(column, kinds)))
    }
  }
  t.diagnostic(`SEED=${seed} ${edits} edits of ${columns.length} columns`)
  assert.deepEqual(unseen, [], `SEED=${seed}`)
})

/** By itself, in each of these ways until one is named. */
async function editAlone(column: Column, kinds: readonly Kind[]): Promise<string[]> {
  const said: string[] = []
  for (const kind of kinds) {
    const [missed] = await editAll([{ column, kinds: [kind] }])
    if (missed === undefined) return []
    if (missed.problems !== null) said.push(`${kind}, named ${JSON.stringify(missed.problems)}`)
  }
  return LONG && said.length === 0 ? [] : [`${nameOf(column)} ${said.join('; ') || 'never edited'}`]
}

type Harm = 'deleted' | 'forged'

/** A row of a table deleted, or one like another added under another key. */
async function harm(tx: TransactionSql, table: string, how: Harm): Promise<Picked> {
  const picked = oneOf(await pickRows(tx, table))
  if (how === 'deleted') {
    await tx.unsafe(`delete from ${table} where ctid = '${picked.ctid}'`)
    return picked
  }
  const own = columns.filter(one => one.table === table && !one.generated)
  const name = (keys.get(table) ?? []).filter(column => column !== 'account_id').at(-1)
  const values = own.map(one =>
    one.column === name || (name === undefined && one.column === 'account_id')
      ? another(one)
      : one.column,
  )
  const [made] = await tx.unsafe<{ ctid: string }[]>(
    `insert into ${table} as t (${own.map(({ column }) => column).join(', ')})
      select ${values.join(', ')} from ${table} where ctid = '${picked.ctid}'
      returning t.ctid::text`,
  )
  const [forged] = await pickRows(tx, table, `t.ctid = '${made?.ctid}'`)
  return forged ?? picked
}

/** All of these at once, and those among them that no problem is about. */
async function harmAll(harms: readonly { table: string; how: Harm }[]) {
  return undone(owner, async tx => {
    const rows: { table: string; how: Harm; row: Picked }[] = []
    for (const { table, how } of harms) {
      rows.push({ table, how, row: await harm(tx, table, how) })
    }
    const verdict = await verdictIn(tx, true)
    const problems = verdict.ok ? [] : verdict.problems
    return rows
      .filter(({ row }) => !problems.some(problem => isAbout(problem, row)))
      .map(one => ({ ...one, problems }))
  })
}

/** Tables of which a row is harmed at once, drawn by the seed; each by itself in the long run. */
const TOGETHER = share(8, 1)

test('corridor verify, a row deleted or forged in each table: named', async t => {
  const all = [...tablesOf(columns)]
    .filter(table => !excepted(table))
    .flatMap(table => (['deleted', 'forged'] as const).map(how => ({ table, how })))
    .filter(({ table, how }) => !excepted(`${table} ${how}`))
  const harms = shuffled(all)
  // Not both at once of a table: of one row, nothing would be left to forge.
  const apart = [...Map.groupBy(harms, ({ how }) => how).values()]
  const unseen: string[] = []
  const batches = apart.flatMap(same =>
    same.flatMap((_, i) => (i % TOGETHER === 0 ? [same.slice(i, i + TOGETHER)] : [])),
  )
  for (const batch of batches) {
    for (const { table, how } of await harmAll(batch)) {
      // Another's harm may have hidden it.
      const [missed] = await harmAll([{ table, how }])
      if (missed === undefined) continue
      const { row, problems } = missed
      unseen.push(`${table} ${how} ${JSON.stringify(row.names)}: ${JSON.stringify(problems)}`)
    }
  }
  t.diagnostic(`SEED=${seed} ${harms.length} rows`)
  assert.deepEqual(unseen, [], `SEED=${seed}`)
})
