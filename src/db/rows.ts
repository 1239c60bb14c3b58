// Writes many rows by one statement, with one array parameter for each column. This costs
// PostgreSQL a quarter less than rows as one JSON document, in which it searches for the name of
// each field.
import { type Key, nameOf } from '../id.ts'
import { type Decimal, formatDecimal } from '../money/decimal.ts'
import type { TransactionSql } from './connect.ts'
import { accountsOf, byShard, isAtShard, isSpread, nameAt } from './shard.ts'

type OfAccount = { readonly account_id: string }

/** The kinds of columns: the type of a value in TypeScript, by what it becomes in PostgreSQL. */
interface Kinds {
  text: string | null
  bigint: bigint | null
  integer: number | null
  timestamptz: string | null
  /** Becomes numeric, exactly. */
  decimal: Decimal
  /** Any value without bigints; null is SQL null. */
  json: unknown
  /** As json, with bigints as exact text; several times slower. */
  exact_json: unknown
  /** JSON text other than `null`, stored as text; null is SQL null. */
  document: string | null
  /** As document, stored as json. */
  json_text: string | null
  /** Hex digits, stored as bytea; null is SQL null. */
  hex: string | null
  /** Words without quotes and backslashes, stored as text[]. */
  words: readonly string[]
  /** Stored as bigint[]. */
  bigints: readonly bigint[]
  /** Stored as integer[]. */
  integers: readonly number[]
}

type Kind = keyof Kinds

/** The kind of each column to write. */
type Columns<Row> = { readonly [K in keyof Row]: KindOf<Row[K]> }
type KindOf<T> = { [K in Kind]: T extends Kinds[K] ? K : never }[Kind]

// Separates JSON documents without quoting: JSON text has no raw control characters.
const SEPARATOR = '\u0001'

const READ: Readonly<Record<Kind, (parameter: string) => string>> = {
  text: p => `${p}::text[]`,
  bigint: p => `${p}::bigint[]`,
  integer: p => `${p}::integer[]`,
  timestamptz: p => `${p}::timestamptz[]`,
  decimal: p => `${p}::numeric[]`,
  json: p => `string_to_array(${p}::text, E'\\x01', 'null')`,
  exact_json: p => `string_to_array(${p}::text, E'\\x01', 'null')`,
  document: p => `string_to_array(${p}::text, E'\\x01', 'null')`,
  json_text: p => `string_to_array(${p}::text, E'\\x01', 'null')`,
  hex: p => `${p}::text[]`,
  words: p => `${p}::text[]`,
  bigints: p => `${p}::text[]`,
  integers: p => `${p}::text[]`,
}

const CAST: Readonly<Record<Kind, (column: string) => string>> = {
  text: c => c,
  bigint: c => c,
  integer: c => c,
  timestamptz: c => c,
  decimal: c => c,
  json: c => `${c}::json`,
  exact_json: c => `${c}::json`,
  document: c => c,
  json_text: c => `${c}::json`,
  hex: c => `decode(${c}, 'hex')`,
  words: c => `${c}::text[]`,
  bigints: c => `${c}::bigint[]`,
  integers: c => `${c}::integer[]`,
}

/** A value as an element of an array literal, or as one of the separated documents. */
const WRITE: { readonly [K in Kind]: (value: Kinds[K]) => string } = {
  text: value => (value === null ? 'NULL' : quoted(value)),
  bigint: value => String(value ?? 'NULL'),
  integer: value => String(value ?? 'NULL'),
  timestamptz: value => (value === null ? 'NULL' : `"${value}"`),
  decimal: formatDecimal,
  json: value => String(JSON.stringify(value)),
  exact_json: stringify,
  document: value => value ?? 'null',
  json_text: value => value ?? 'null',
  hex: value => value ?? 'NULL',
  // In quotes, as a word may be `null`.
  words: value => `"{${value.map(word => `\\"${word}\\"`).join(',')}}"`,
  bigints: value => `"{${value.join(',')}}"`,
  integers: value => `"{${value.join(',')}}"`,
}

/** The kinds whose values are documents, between separators; the others make an array literal. */
const DOCUMENTS: readonly Kind[] = ['json', 'exact_json', 'document', 'json_text']

/** Makes a function that writes a column of many rows as one parameter. */
function columnWriter<Row extends object>(name: keyof Row, kind: Kind) {
  const write = WRITE[kind] as (value: unknown) => string
  const [open, between, close] = DOCUMENTS.includes(kind) ? ['', SEPARATOR, ''] : ['{', ',', '}']
  return (rows: readonly Row[]): string =>
    open + rows.map(row => write(row[name])).join(between) + close
}

/**
 * Makes a function that inserts many rows into a table. `suffix` follows the select, such as an `on
 * conflict` clause, in which the table is `t`. Members that are not columns are ignored. Without
 * rows it sends nothing; `updater` and `deleter` do the same.
 */
export function inserter<Row extends OfAccount>(
  table: string,
  columns: Columns<Row>,
  suffix = '',
): (tx: TransactionSql, rows: readonly Row[]) => Promise<unknown> {
  const { entries, names, read, parametersOf } = columnsOf<Row>(columns)
  const cast = (from: string) => entries.map(([name, kind]) => CAST[kind](`${from}.${name}`))
  const statement = madeOnce(
    name => `insert into ${name} as t (${names})
    select ${cast('r').join(', ')} from unnest(${read}) as r(${names}) ${suffix}`,
  )
  // Citus would collect rows of a bare unnest on the coordinator and copy them to their shards,
  // which row-level security forbids. Joined to the co-located books, the statement runs on the
  // shard.
  const own = cast('r').map(column => (column === 'r.account_id' ? 'b.account_id' : column))
  const anchored = `insert into ${table} as t (${names})
    select ${own.join(', ')} from books b
    join unnest(${read}) as r(${names}) on r.account_id = b.account_id where true`
  // If fewer rows are written than sent, an account has no book, unless conflicting rows are
  // skipped.
  const skips_conflicts = suffix.endsWith('do nothing')
  return async (tx, rows) => {
    if (rows.length === 0) return undefined
    if (isAtShard(tx)) {
      return tx.unsafe(statement(nameAt(tx, table)), parametersOf(rows), { prepare: true })
    }
    const sent = byShard(rows).map(async rows => {
      const [named, names] = accountsIn('b', entries.length + 1, rows)
      const text = `${anchored} ${named} ${suffix}`
      const { count } = await tx.unsafe(text, [...parametersOf(rows), names], { prepare: true })
      if (!skips_conflicts && count !== rows.length) {
        throw new Error(`${table}: ${count} of ${rows.length} are written`)
      }
    })
    return Promise.all(sent)
  }
}

/**
 * Makes a function that updates many rows of a table: finds each by its `key` columns and writes
 * the others. If a row is missing, does not meet `condition` or is changed concurrently, the
 * statement fails as contention.
 */
export function updater<Row extends OfAccount>(
  table: string,
  key: readonly (keyof Row & string)[],
  columns: Columns<Row>,
  condition = 'true',
): (tx: TransactionSql, rows: readonly Row[]) => Promise<unknown> {
  const { entries, names, read, parametersOf } = columnsOf<Row>(columns)
  const sets = entries
    .filter(([name]) => !key.includes(name))
    .map(([name, kind]) => `${name} = ${CAST[kind](`k.${name}`)}`)
  const found = entries
    .filter(([name]) => key.includes(name))
    .map(([name, kind]) => `t.${name} = ${CAST[kind](`k.${name}`)}`)
  // The limit makes the look-up of each row's ctid use the index; see keysOf. A join by the key,
  // planned while the table is small, might scan all of it.
  return eachWritten(
    table,
    entries.length,
    parametersOf,
    (name, named, wanted) =>
      `with written as (
      update ${name} t set ${sets.join(', ')}
      from (
        select k.*, place from unnest(${read}) as k(${names})
        cross join lateral (
          select ctid as place from ${name} t
          where ${found.join(' and ')} ${named} and ${condition} limit 1
        ) t
      ) k
      where t.ctid = k.place ${named} returning true
    )
    select require_all_written(count(*), ${wanted}::bigint) from written`,
  )
}

/** Makes a function that deletes rows, each found by all these columns; fails as `updater` does. */
export function deleter<Row extends OfAccount>(
  table: string,
  columns: Columns<Row>,
): (tx: TransactionSql, rows: readonly Row[]) => Promise<unknown> {
  const { entries, names, read, parametersOf } = columnsOf<Row>(columns)
  const found = entries.map(([name]) => `t.${name} = k.${name}`)
  return eachWritten(
    table,
    entries.length,
    parametersOf,
    (name, named, wanted) =>
      `with removed as (
      delete from ${name} t where ctid = any (array(
        select place from unnest(${read}) as k(${names})
        cross join lateral (
          select ctid as place from ${name} t where ${found.join(' and ')} ${named} limit 1
        ) t
      )) ${named} returning true
    )
    select require_all_written(count(*), ${wanted}::bigint) from removed`,
  )
}

/**
 * Sends one statement for each shard. Its last parameters are the number of rows to find, and their
 * accounts.
 */
function eachWritten<Row extends OfAccount>(
  table: string,
  columns: number,
  parametersOf: (rows: readonly Row[]) => string[],
  textOf: (name: string, named: string, wanted: string) => string,
) {
  const wanted = `$${columns + 1}`
  const statement = madeOnce((name, named) => textOf(name, named, wanted))
  return async (tx: TransactionSql, rows: readonly Row[]) => {
    const sent = byShard(rows).map(rows => {
      const [named, names] = accountsIn('t', columns + 2, rows)
      const parameters = [...parametersOf(rows), rows.length]
      if (named !== '') parameters.push(names)
      return tx.unsafe(statement(nameAt(tx, table), named), parameters, { prepare: true })
    })
    await Promise.all(sent)
  }
}

/**
 * Makes each text once: a long text would be joined, and hashed to find its name, for every batch.
 * There are few texts: one for each table, or for each shard of it on the machines of a spread
 * database.
 */
function madeOnce(make: (name: string, named: string) => string) {
  const made = new Map<string, string>()
  return (name: string, named = ''): string => {
    const key = `${name} ${named}`
    const text = made.get(key) ?? make(name, named)
    made.set(key, text)
    return text
  }
}

/** The condition of `within` for the text of a statement, and its parameter. */
function accountsIn(alias: string, n: number, rows: readonly OfAccount[]): [string, string] {
  const ids = accountsOf(rows)
  const [only = ''] = ids
  if (ids.length === 1) return [`and ${alias}.account_id = $${n}::text`, only]
  return isSpread()
    ? [`and ${alias}.account_id = any ($${n}::text[])`, `{${ids.map(quoted).join(',')}}`]
    : ['', '']
}

function columnsOf<Row extends object>(columns: Columns<Row>) {
  const entries = Object.entries(columns) as [keyof Row & string, Kind][]
  const writers = entries.map(([name, kind]) => columnWriter<Row>(name, kind))
  return {
    entries,
    names: entries.map(([name]) => name).join(', '),
    /** The arguments of unnest: one array for each column. */
    read: entries.map(([, kind], i) => READ[kind](`$${i + 1}`)).join(', '),
    parametersOf: (rows: readonly Row[]) => writers.map(write => write(rows)),
  }
}

/**
 * Splits successive versions of rows into rounds with one version of a row each: one update writes
 * a row once, and triggers must see every step.
 */
export function inRounds<Row extends Key>(versions: readonly Row[]): Row[][] {
  const rounds: Row[][] = []
  for (const successive of Map.groupBy(versions, nameOf).values()) {
    for (const [round, row] of successive.entries()) {
      rounds[round] ??= []
      rounds[round].push(row)
    }
  }
  return rounds
}

/** An element of an array literal. Most values need no escaping, so it tests for that first. */
function quoted(value: string): string {
  const plain = !value.includes('"') && !value.includes('\\')
  return plain ? `"${value}"` : `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}

/** JSON with bigints as exact text. */
function stringify(value: unknown): string {
  return JSON.stringify(value, (_key, v) => (typeof v === 'bigint' ? v.toString() : v))
}
