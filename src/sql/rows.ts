// Writes rows by one statement: many with one array parameter for each column, one with a parameter
// for each value. Arrays cost PostgreSQL a quarter less than rows as one JSON document, in which it
// searches for the name of each field.
import { type Key, nameOf } from '../values/id.ts'
import { type Decimal, formatDecimal } from '../values/money/decimal.ts'
import { exactJson } from '../values/money/json.ts'
import type { TransactionSql } from './connect.ts'
import { accountsOf, eachShard, isAtShard, isSpread, nameAt, type OfAccount } from './shard.ts'
import { type Parameter, quoteElement } from './values.ts'

/** The kinds of columns: the type of a value in TypeScript, by what it becomes in PostgreSQL. */
interface Kinds {
  text: string | null
  /** Text that is the same in JSON, between quotes: ids, codes and names by a pattern. */
  code: string | null
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

/** How a value becomes a parameter, and an element of a parameter with many. */
interface Writing<Value> {
  /** The type of the parameter. */
  readonly type: 'text' | 'bigint' | 'integer' | 'timestamptz' | 'date' | 'numeric'
  /** How the elements of many rows are joined: into an array, or as documents with a separator. */
  readonly joined: 'quoted' | 'plain' | 'documents'
  /** Null is SQL null. */
  write(value: Value): string | null
  /** Turns the SQL of a parameter into the SQL of the column's value; by default the same. */
  cast?(parameter: string): string
}

const asJson = (text: string) => `${text}::json`

const KINDS: { readonly [K in Kind]: Writing<Kinds[K]> } = {
  text: { type: 'text', joined: 'quoted', write: value => value },
  code: { type: 'text', joined: 'quoted', write: value => value },
  bigint: { type: 'bigint', joined: 'plain', write: textOrNull },
  integer: { type: 'integer', joined: 'plain', write: textOrNull },
  timestamptz: { type: 'timestamptz', joined: 'quoted', write: value => value },
  date: { type: 'date', joined: 'plain', write: value => value },
  decimal: { type: 'numeric', joined: 'plain', write: formatDecimal },
  json: {
    ...{ type: 'text', joined: 'documents', cast: asJson },
    // Undefined is no JSON, so PostgreSQL refuses it.
    write: value => (value === null ? null : String(JSON.stringify(value))),
  },
  exact_json: {
    ...{ type: 'text', joined: 'documents', cast: asJson },
    write: value => (value === null ? null : String(exactJson(value))),
  },
  document: { type: 'text', joined: 'documents', write: value => value },
  json_text: { type: 'text', joined: 'documents', write: value => value, cast: asJson },
  hex: {
    ...{ type: 'text', joined: 'plain', write: value => value },
    cast: text => `decode(${text}, 'hex')`,
  },
  words: {
    ...{ type: 'text', joined: 'quoted', cast: text => `${text}::text[]` },
    // In quotes, as a word may be `null`.
    write: value => `{${value.map(quoteElement).join(',')}}`,
  },
  bigints: {
    ...{ type: 'text', joined: 'quoted', cast: text => `${text}::bigint[]` },
    write: numbers => `{${numbers.join(',')}}`,
  },
  integers: {
    ...{ type: 'text', joined: 'quoted', cast: text => `${text}::integer[]` },
    write: numbers => `{${numbers.join(',')}}`,
  },
}

function textOrNull(value: bigint | number | null): string | null {
  return value === null ? null : String(value)
}

/** Separates JSON documents without quoting: JSON text has no raw control characters. */
const SEPARATOR = '\u0001'

/** Makes a function that writes a column of many rows as one parameter. */
function columnWriter<Row extends object>(name: keyof Row, kind: Kind) {
  const { joined, write } = KINDS[kind] as Writing<unknown>
  if (joined === 'documents') {
    return (rows: readonly Row[]) => rows.map(row => write(row[name]) ?? 'null').join(SEPARATOR)
  }
  const element =
    joined === 'plain'
      ? (text: string | null) => text ?? 'NULL'
      : (text: string | null) => (text === null ? 'NULL' : quoteElement(text))
  return (rows: readonly Row[]) => `{${rows.map(row => element(write(row[name]))).join(',')}}`
}

/** The parameter as an array. */
function arrayOf(parameter: string, kind: Kind): string {
  const { type, joined } = KINDS[kind]
  return joined === 'documents'
    ? `string_to_array(${parameter}::text, E'\\x01', 'null')`
    : `${parameter}::${type}[]`
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
  const { entries, names, isOne, source, parametersOf } = columnsOf<Row>(columns)
  const values = entries.map(([name, kind]) => cast(`r.${name}`, kind))
  const statement = cacheTexts(
    (name, one) => `insert into ${name} as t (${names})
    select ${values.join(', ')} from ${source(one)} as r(${names}) ${suffix}`,
  )
  // Citus would collect the rows of a bare unnest on the coordinator and copy them to their shards,
  // which row-level security forbids. Joined to the co-located books, the statement runs on the
  // shard.
  const own = values.map(column => (column === 'r.account_id' ? 'b.account_id' : column))
  const anchored = `insert into ${table} as t (${names})
    select ${own.join(', ')} from books b
    join ${source(false)} as r(${names}) on r.account_id = b.account_id where true`
  // Fewer rows than sent are written when an account has no book, or a conflicting row is skipped.
  const skips_conflicts = suffix.endsWith('do nothing')
  const insertAnchored = async (tx: TransactionSql, rows: readonly Row[]) => {
    const [named, names] = accountsIn('b', entries.length + 1, rows)
    const text = `${anchored} ${named} ${suffix}`
    // Sent by this call, as every write is: later statements rely on the rows.
    const sent = tx.unsafe(text, [...parametersOf(rows), names], PREPARED).execute()
    const inserted = await sent
    if (!skips_conflicts && inserted.count !== rows.length) {
      throw new Error(`${table}: ${inserted.count} of ${rows.length} are written`)
    }
    return inserted
  }
  return (tx, rows) =>
    eachShard(rows, rows => {
      if (!isAtShard(tx)) return insertAnchored(tx, rows)
      return tx.unsafe(statement(nameAt(tx, table), isOne(rows)), parametersOf(rows), PREPARED)
    })
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
  const written = columnsOf<Row>(columns)
  const { entries, names } = written
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
    written,
    (name, source, named, wanted) =>
      `with written as (
      update ${name} t set ${sets.join(', ')}
      from (
        select k.*, place from ${source} as k(${names})
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
  const removed = columnsOf<Row>(columns)
  const found = removed.entries.map(([name]) => `t.${name} = k.${name}`)
  return eachWritten(
    table,
    removed,
    (name, source, named, wanted) =>
      `with removed as (
      delete from ${name} t where ctid = any (array(
        select place from ${source} as k(${removed.names})
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
  { entries, isOne, source, parametersOf }: ReturnType<typeof columnsOf<Row>>,
  textOf: (name: string, source: string, named: string, wanted: string) => string,
) {
  const wanted = `$${entries.length + 1}`
  const statement = cacheTexts((name, one, named) => textOf(name, source(one), named, wanted))
  return (tx: TransactionSql, rows: readonly Row[]): Promise<unknown> =>
    eachShard(rows, rows => {
      const [named, names] = accountsIn('t', entries.length + 2, rows)
      const parameters: Parameter[] = parametersOf(rows)
      parameters.push(rows.length)
      if (named !== '') parameters.push(names)
      return tx.unsafe(statement(nameAt(tx, table), isOne(rows), named), parameters, PREPARED)
    })
}

const PREPARED = { prepare: true }

/**
 * Caches each text: otherwise every batch would join a long text, and hash it to find its name.
 * There are few texts: two for each table, or one for each shard of it on the machines of a spread
 * database.
 */
function cacheTexts(make: (name: string, one: boolean, named: string) => string) {
  const [ofOne, ofMany] = [new Map<string, string>(), new Map<string, string>()]
  return (name: string, one: boolean, named = ''): string => {
    const texts = one ? ofOne : ofMany
    const key = named === '' ? name : `${name} ${named}`
    const known = texts.get(key)
    if (known !== undefined) return known
    const text = make(name, one, named)
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
  const arrays = entries.map(([, kind], i) => arrayOf(`$${i + 1}`, kind)).join(', ')
  const values = entries.map(([, kind], i) => `$${i + 1}::${KINDS[kind].type}`).join(', ')
  // PostgreSQL keeps the elements of each array in a store of its own, which costs a single row
  // more than all else. Only the statements with arrays are proved on Citus.
  const isOne = (rows: readonly Row[]) => rows.length === 1 && !isSpread()
  return {
    entries,
    names: entries.map(([name]) => name).join(', '),
    isOne,
    /** The SQL that has one row, or many, as parameters. */
    source: (one: boolean) => (one ? `(select ${values})` : `unnest(${arrays})`),
    parametersOf: (rows: readonly Row[]) => {
      const [row] = rows
      return row !== undefined && isOne(rows)
        ? entries.map(([name, kind]) => (KINDS[kind] as Writing<unknown>).write(row[name]))
        : writers.map(write => write(rows))
    },
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
