// Assertions that many tests share: a refusal in the error envelope, an object with exactly the
// fields of the specification's tables, and a database in which no row has changed.
import assert from 'node:assert/strict'
import type { Sql } from '../../../src/sql/connect.ts'
import type { Answer, Client } from '../service/service.ts'

/** Code and status of each reason, copied from the specification and not from the product. */
export const SPECIFIED_CODES: Readonly<Record<string, readonly [code: number, status: number]>> = {
  invalid_json: [100, 400],
  internal: [101, 500],
  invalid_path_parameter: [103, 400],
  invalid_query_parameter: [104, 400],
  not_found: [105, 404],
  invalid_credentials: [108, 401],
  missing_credentials: [109, 401],
  unsupported_media_type: [113, 415],
  payload_too_large: [114, 413],
  method_not_allowed: [115, 405],
  invalid_field: [120, 400],
  idempotency_key_reused: [130, 422],
  invalid_idempotency_key: [132, 400],
  currency: [20061, 400],
  holding_currency_not_found: [20067, 400],
  beneficiary_missing: [20165, 400],
  type_mismatch: [20172, 400],
  beneficiary_not_found: [20173, 404],
  insufficient_balance: [20201, 422],
  amount_out_of_range: [20298, 400],
  quote_expired: [20299, 422],
  quote_used: [20299, 422],
  quote_mismatch: [20299, 422],
}

/** Checks the status, the envelope and the first error's reason; also its `remarks`, when given. */
export function assertRefused(
  answer: Answer,
  status: number,
  reason: string,
  remarks?: string,
): void {
  assert.equal(answer.status, status, answer.text)
  assertErrorEnvelope(answer)
  const [first] = answer.json.errors
  assert.equal(first.reason, reason, answer.text)
  if (remarks !== undefined) assert.equal(first.remarks, remarks, answer.text)
}

/** Several refusals of one answer as `[reason, remarks]`, in any order. */
export function assertProblems(
  answer: Answer,
  status: number,
  problems: readonly (readonly [reason: string, remarks: string])[],
): void {
  assert.equal(answer.status, status, answer.text)
  assertErrorEnvelope(answer)
  const found: string[] = answer.json.errors.map(
    (e: { reason: string; remarks: string }) => `${e.reason} ${e.remarks}`,
  )
  assert.deepEqual(found.sort(), problems.map(p => p.join(' ')).sort(), answer.text)
}

/**
 * Checks that the answer has exactly the members of §error.body and the codes of the specification,
 * and shows no internals.
 */
export function assertErrorEnvelope(answer: Answer): void {
  assert.match(String(answer.headers['content-type']), /^application\/json/)
  assert.deepEqual(Object.keys(answer.json), ['status', 'message', 'errors', 'data'])
  assert.equal(answer.json.status, 'error')
  assert.equal(typeof answer.json.message, 'string')
  assert.equal(answer.json.data, null)
  assert.ok(answer.json.errors.length > 0)
  for (const error of answer.json.errors) {
    assert.deepEqual(Object.keys(error).sort(), ['code', 'message', 'reason', 'remarks'])
    assert.match(error.reason, /^[a-z]+(_[a-z0-9]+)*$/)
    assert.ok(Number.isInteger(error.code))
    assert.notEqual(error.message, '')
    const known = SPECIFIED_CODES[error.reason]
    if (known !== undefined) assert.equal(error.code, known[0], error.reason)
  }
  assertNoInsides(answer.text)
}

/** The secrets of keys, sessions, links and webhooks, and the hashes of passwords. */
const SECRETS =
  /corridor_(live|test|user|session|device|login)_[\w-]{40}|whsec_[\w+/]{30}|\$argon2id?\$/

/** Checks that the text holds no stack trace, source path, SQL or secret (§error.silence). */
export function assertNoInsides(text: string): void {
  assert.doesNotMatch(text, SECRETS)
  assert.doesNotMatch(
    text,
    /\.ts\b|node_modules|\n\s+at |select .* from|insert into|PostgresError/i,
  )
}

type Kind =
  | 'string'
  | 'string or null'
  | 'integer'
  | 'number'
  | 'array'
  | 'object'
  | 'object or null'
/** The type of each field, by name; a nested shape lists all members of a nested object. */
export interface Shape {
  readonly [field: string]: Kind | Shape
}

/** Checks that the object has exactly these fields, each of its type. */
export function assertShape(value: unknown, shape: Shape, path = ''): void {
  assert.ok(typeof value === 'object' && value !== null, `${path} is an object`)
  assert.deepEqual(Object.keys(value).sort(), Object.keys(shape).sort(), `fields of ${path}`)
  for (const [field, kind] of Object.entries(shape)) {
    const member: unknown = (value as Record<string, unknown>)[field]
    const name = `${path}.${field}`
    if (typeof kind === 'object') assertShape(member, kind, name)
    else assert.ok(isKind(member, kind), `${name} is ${kind}: ${JSON.stringify(member)}`)
  }
}

function isKind(value: unknown, kind: Kind): boolean {
  if (kind === 'integer') return Number.isSafeInteger(value)
  if (kind === 'array') return Array.isArray(value)
  if (kind === 'string or null') return value === null || typeof value === 'string'
  if (kind === 'object or null') return value === null || isKind(value, 'object')
  if (kind !== 'object') return typeof value === kind
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * The service writes the last use of each API key, the time of the clock, and how far it has
 * verified, once in a while, so a refused request can change them.
 */
export const BY_THE_MINUTE = ['api_key_uses', 'database_clock', 'verify_turn', 'book_proofs']

/** The rows of one account as text, by table; the rows of all accounts without `account_id`. */
export async function rowsOf(owner: Sql, account_id?: string): Promise<Record<string, string>> {
  const tables = await owner<{ name: string; own: boolean }[]>`
    select table_name::text as name, bool_or(column_name = 'account_id') as own
    from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_type = 'BASE TABLE' and table_schema = 'public' and table_name <> all (${BY_THE_MINUTE}::text[])
    group by 1 order by 1`
  const found: Record<string, string> = {}
  for (const { name, own } of tables) {
    if (account_id !== undefined && !own) continue
    const where = account_id === undefined ? '' : `where account_id = '${account_id}'`
    const rows = await owner.unsafe<{ row: string }[]>(
      `select t::text as row from "${name}" t ${where} order by 1`,
    )
    found[name] = rows.map(({ row }) => row).join('\n')
  }
  return found
}

/**
 * The row count and the newest `xmin` of each table. If both stay the same, no statement has
 * written a row, not even with the same values.
 */
export async function rowVersions(owner: Sql): Promise<Record<string, string>> {
  const rows = await owner.unsafe<{ name: string; rows: string }[]>(
    await versionsQuery(owner),
    [],
    {
      prepare: true,
    },
  )
  return Object.fromEntries(rows.map(row => [row.name, row.rows]))
}

const queries = new WeakMap<Sql, string>()

async function versionsQuery(owner: Sql): Promise<string> {
  const known = queries.get(owner)
  if (known !== undefined) return known
  const tables = await owner<{ name: string }[]>`
    select tablename::text as name from pg_tables
    where schemaname = 'public' and tablename <> all (${BY_THE_MINUTE}::text[]) order by 1`
  const parts = tables.map(
    ({ name }) =>
      `select '${name}' as name, count(*) || ' ' || coalesce(max(xmin::text::bigint), 0) as rows
       from "${name}"`,
  )
  const query = parts.join(' union all ')
  queries.set(owner, query)
  return query
}

/** Reads GET /v3/balance as `{ USD: '10000', EUR: '0' }`, in minor units. */
export async function balancesOf(client: Client): Promise<Record<string, string>> {
  const answer = await client.get('/v3/balance')
  assert.equal(answer.status, 200, answer.text)
  const available: { currency: string; amount: string }[] = answer.json.data.available
  return Object.fromEntries(available.map(({ currency, amount }) => [currency, amount]))
}

/** An answer without its date and request id, which differ in every answer. */
export function withoutStamps({ status, headers, text }: Answer) {
  const { date: _, 'x-request-id': _id, ...rest } = headers
  return { status, headers: rest, text }
}
