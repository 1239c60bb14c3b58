// Writes many rows by one statement, with one array parameter for each column. This costs
// PostgreSQL a quarter less than rows as one JSON document, in which it searches for the name of
// each field.
import { type Key, nameOf } from '../values/id.ts'
import { type Decimal, formatDecimal } from '../values/money/decimal.ts'
import { exactJson } from '../values/money/json.ts'
import type { TransactionSql } from './connect.ts'
import { accountsOf, byShard, isAtShard, isSpread, nameAt, type OfAccount } from './shard.ts'
import { quoteElement } from './values.ts'

/** The kinds of columns: the type of a value in TypeScript, by what it becomes in PostgreSQL. */
interface Kinds {
  text: string | null
  bigint: bigint | null
  integer: number | null
  timestamptz: string | null
  /** YYYY-MM-DD */
  date: string
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
  /** Stored as text[]. */
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

/** How a column of many rows becomes one parameter. */
interface Writing<Value> {
  /** The array's type, of which `write` makes an element; or documents between separators. */
  readonly as: `${string}[]` | 'documents'
  write(value: Value): string
  /** Turns the SQL of an element into the SQL of the column's value; by default the same. */
  cast?(element: string): string
}

const asJson = (element: string) => `${element}::json`

const KINDS: { readonly [K in Kind]: Writing<Kinds[K]> } = {
  text: { as: 'text[]', write: value => (value === null ? 'NULL' : quoteElement(value)) },
  bigint: { as: 'bigint[]', write: value => String(value ?? 'NULL') },
  integer: { as: 'integer[]', write: value => String(value ?? 'NULL') },
  timestamptz: { as: 'timestamptz[]', write: value => (value === null ? 'NULL' : `"${value}"`) },
  date: { as: 'date[]', write: value => value },
  decimal: { as: 'numeric[]', write: formatDecimal },
  json: { as: 'documents', write: value => String(JSON.stringify(value)), cast: asJson },
  exact_json: { as: 'documents', write: exactJson, cast: asJson },
  document: { as: 'documents', write: value => value ?? 'null' },
  json_text: { as: 'documents', write: value => value ?? 'null', cast: asJson },
  hex: { as: 'text[]', write: value => value ?? 'NULL', cast: text => `decode(${text}, 'hex')` },
  words: {
    as: 'text[]',
    // In quotes, as a word may be `null`.
    write: value => quoteElement(`{${value.map(quoteElement).join(',')}}`),
    cast: text => `${text}::text[]`,
  },
  bigints: { as: 'text[]', write: writeNumbers, cast: text => `${text}::bigint[]` },
  integers: { as: 'text[]', write: writeNumbers, cast: text => `${text}::integer[]` },
}

function writeNumbers(numbers: readonly (bigint | number)[]): string {
  return `"{${numbers.join(',')}}"`
}

/** Separates JSON documents without quoting: JSON text has no raw control characters. */
const SEPARATOR = '\u0001'

/** Makes a function that writes a column of many rows as one parameter. */
function columnWriter<Row extends object>(name: keyof Row, kind: Kind) {
  const { as, write } = KINDS[kind] as Writing<unknown>
  const [open, between, close] = as === 'documents' ? ['', SEPARATOR, ''] : ['{', ',', '}']
  return (rows: readonly Row[]): string =>
    open + rows.map(row => write(row[name])).join(between) + close
}

/** The parameter as an array. */
function arrayOf(parameter: string, kind: Kind): string {
  const { as } = KINDS[kind]
  return as === 'documents'
    ? `string_to_array(${parameter}::text, E'\\x01', 'null')`
    : `${parameter}::${as}`
}

function cast(element: string, kind: Kind): string {
  return KINDS[kind].cast?.(element) ?? element
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
  const { entries, names, arrays, parametersOf } = columnsOf<Row>(columns)
  const values = entries.map(([name, kind]) => cast(`r.${name}`, kind))
  const statement = cacheTexts(
    name => `insert into ${name} as t (${names})
    select ${values.join(', ')} from unnest(${arrays}) as r(${names}) ${suffix}`,
  )
  // Citus would collect the rows of a bare unnest on the coordinator and copy them to their shards,
  // which row-level security forbids. Joined to the co-located books, the statement runs on the
  // shard.
  const own = values.map(column => (column === 'r.account_id' ? 'b.account_id' : column))
  const anchored = `insert into ${table} as t (${names})
    select ${own.join(', ')} from books b
    join unnest(${arrays}) as r(${names}) on r.account_id = b.account_id where true`
  // Fewer rows than sent are written when an account has no book, or a conflicting row is skipped.
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
 * Makes a function that updates many rows of a table. It finds each row by its `key` columns and
 * writes the other columns. The statement fails as contention when a row is missing, does not meet
 * `condition` or is changed concurrently.
 */
export function updater<Row extends OfAccount>(
  table: string,
  key: readonly (keyof Row & string)[],
  columns: Columns<Row>,
  condition = 'true',
): (tx: TransactionSql, rows: readonly Row[]) => Promise<unknown> {
  const { entries, names, arrays, parametersOf } = columnsOf<Row>(columns)
  const sets = entries
    .filter(([name]) => !key.includes(name))
    .map(([name, kind]) => `${name} = ${cast(`k.${name}`, kind)}`)
  const found = entries
    .filter(([name]) => key.includes(name))
    .map(([name, kind]) => `t.${name} = ${cast(`k.${name}`, kind)}`)
  // The limit makes each row's look-up of its ctid use the index; see keysOf. A join by the key,
  // planned while the table is small, might scan all of it.
  return eachWritten(
    table,
    entries.length,
    parametersOf,
    (name, named, wanted) =>
      `with written as (
      update ${name} t set ${sets.join(', ')}
      from (
        select k.*, place from unnest(${arrays}) as k(${names})
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
  const { entries, names, arrays, parametersOf } = columnsOf<Row>(columns)
  const found = entries.map(([name]) => `t.${name} = k.${name}`)
  return eachWritten(
    table,
    entries.length,
    parametersOf,
    (name, named, wanted) =>
      `with removed as (
      delete from ${name} t where ctid = any (array(
        select place from unnest(${arrays}) as k(${names})
        cross join lateral (
          select ctid as place from ${name} t where ${found.join(' and ')} ${named} limit 1
        ) t
      )) ${named} returning true
    )
    select require_all_written(count(*), ${wanted}::bigint) from removed`,
  )
}

/**
 * Sends one statement for each shard. Its last parameters are the number of rows to find, and the
 * rows' accounts where the statement names them.
 */
function eachWritten<Row extends OfAccount>(
  table: string,
  columns: number,
  parametersOf: (rows: readonly Row[]) => string[],
  textOf: (name: string, named: string, wanted: string) => string,
) {
  const wanted = `$${columns + 1}`
  const statement = cacheTexts((name, named) => textOf(name, named, wanted))
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
 * Caches each text: otherwise every batch would join a long text, and hash it to find its name.
 * There are few texts: one for each table, or for each shard of it on the machines of a spread
 * database.
 */
function cacheTexts(make: (name: string, named: string) => string) {
  const texts = new Map<string, string>()
  return (name: string, named = ''): string => {
    const key = `${name} ${named}`
    const text = texts.get(key) ?? make(name, named)
    texts.set(key, text)
    return text
  }
}

/** The condition of `within` for the text of a statement, and its parameter. */
function accountsIn(alias: string, n: number, rows: readonly OfAccount[]): [string, string] {
  const ids = accountsOf(rows)
  const [only = ''] = ids
  if (ids.length === 1) return [`and ${alias}.account_id = $${n}::text`, only]
  return isSpread()
    ? [`and ${alias}.account_id = any ($${n}::text[])`, `{${ids.map(quoteElement).join(',')}}`]
    : ['', '']
}

function columnsOf<Row extends object>(columns: Columns<Row>) {
  const entries = Object.entries(columns) as [keyof Row & string, Kind][]
  const writers = entries.map(([name, kind]) => columnWriter<Row>(name, kind))
  return {
    entries,
    names: entries.map(([name]) => name).join(', '),
    /** The arguments of unnest: one array for each column. */
    arrays: entries.map(([, kind], i) => arrayOf(`$${i + 1}`, kind)).join(', '),
    parametersOf: (rows: readonly Row[]) => writers.map(write => write(rows)),
  }
}

/**
 * Splits successive versions of rows into rounds. A round has one version of a row, because one
 * update writes a row once, and triggers must see each version.
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
