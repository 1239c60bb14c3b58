// What the service is held against: pgbench writing the rows of one payout in one transaction for each
// request, on one hot account. The rows are copied from a payout that the service really wrote, so
// their widths are its own.
import { execFile } from 'node:child_process'
import { access, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { connect, type Sql } from '../src/db/connect.ts'
import { newId } from '../src/id.ts'

const run = promisify(execFile)

/** Where Debian and its like put it; the first that is there is taken. */
const PLACES = [
  ...[18, 17, 16, 15].map(version => `/usr/lib/postgresql/${version}/bin/pgbench`),
  '/usr/bin/pgbench',
  '/usr/local/bin/pgbench',
  '/opt/homebrew/bin/pgbench',
]

export const HOW_TO_GET_PGBENCH =
  'pgbench was not found. It comes with PostgreSQL: on Debian and Ubuntu `apt-get install postgresql` ' +
  '(no server needs to run), with Homebrew `brew install postgresql`. PGBENCH names any other place.'

export async function findPgbench(): Promise<string | undefined> {
  const { PGBENCH } = process.env
  for (const place of PGBENCH === undefined ? PLACES : [PGBENCH]) {
    const found = await access(place).then(
      () => true,
      () => false,
    )
    if (found) return place
  }
  return undefined
}

/** A copy of these columns is made with these SQL expressions; all others keep what the payout had. */
const COPIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  quotes: { id: id('poq') },
  payouts: { id: id('pot'), quote_id: id('poq'), balance_transaction_id: id('btr') },
  journals: { number: ':number', source: id('pot') },
  balance_transactions: {
    id: id('btr'),
    journal_number: ':number',
    balance_after: ':available',
    description: id('pot'),
    source: id('pot'),
  },
  idempotency_keys: { key: 'gen_random_uuid()::text' },
}

/** Ids that ascend, as the service's do, and are as wide. */
function id(prefix: string): string {
  return `'${prefix}_' || lpad(:number::text, 20, '0')`
}

/** How the statements of a transaction follow each other. */
export type Style = 'plain' | 'pipelined'

export interface Baseline {
  /** The best of these client counts. */
  run(clients: readonly number[], seconds: number, style: Style): Promise<BaselineResult>
}

export interface BaselineResult {
  readonly per_second: number
  readonly clients: number
  readonly latency_ms: number
}

/** Makes an account of its own for pgbench, so that the service's books stay true. */
export async function prepareBaseline(
  pgbench: string,
  database_url: string,
  payout_id: string,
): Promise<Baseline> {
  const sql = connect(database_url, { max: 1, as: 'owner' })
  try {
    const account_id = newId('acc')
    await sql`insert into books (account_id, head_hash)
      values (${account_id}, decode(repeat('00', 32), 'hex'))`
    await sql`insert into balances (account_id, currency, available)
      values (${account_id}, 'USD', 1000000000000000)`
    const statements = await copyStatements(sql, account_id, payout_id)
    return {
      async run(clients, seconds, style) {
        const text = script(statements, style)
        let best: BaselineResult | undefined
        for (const count of clients) {
          const next = await runPgbench(pgbench, database_url, text, count, seconds)
          if (best === undefined || next.per_second > best.per_second) best = next
        }
        if (best === undefined) throw new Error('no client counts to run pgbench with')
        return best
      },
    }
  } finally {
    await sql.end({ timeout: 5 })
  }
}

interface Statements {
  /** The lock, and what the rest depends on. */
  readonly reads: readonly string[]
  readonly writes: readonly string[]
}

/** The statements of one payout: what service and schema write, found by the payout's id. */
async function copyStatements(
  sql: Sql,
  account_id: string,
  payout_id: string,
): Promise<Statements> {
  const [ids] = await sql<{ quote_id: string; line_id: string }[]>`
    select quote_id, balance_transaction_id as line_id from payouts where id = ${payout_id}`
  if (ids === undefined) throw new Error(`no payout ${payout_id}`)
  const { quote_id, line_id } = ids
  const rows: [table: string, condition: string, copy?: Readonly<Record<string, string>>][] = [
    ['quotes', `id = '${quote_id}'`],
    ['payouts', `id = '${payout_id}'`],
    ['journals', `source = '${payout_id}'`],
    ['balance_transactions', `id = '${line_id}'`],
    ['events', `object_id = '${quote_id}'`, event('poq', 1)],
    ['events', `object_id = '${payout_id}'`, event('pot', 2)],
    ['events', `object_id = '${line_id}'`, event('btr', 3)],
    ['idempotency_keys', `body like '%${payout_id}%'`],
  ]
  const inserts: string[] = []
  for (const [table, condition, copy] of rows) {
    const changed = { ...(copy ?? COPIES[table]), account_id: `'${account_id}'` }
    inserts.push(await copyStatement(sql, table, condition, changed))
  }
  const mine = `account_id = '${account_id}'`
  return {
    reads: [
      `select journal_count + 1 as number, event_count as events from books where ${mine} for update`,
      `select available - 10000 as available from balances where ${mine} and currency = 'USD'`,
    ],
    writes: [
      ...inserts,
      `update balances set available = :available, updated_at = now() where ${mine} and currency = 'USD'`,
      `update books set journal_count = :number, event_count = :events + 3, last_written_at = now(),
        head_hash = sha256('any 32 bytes will do here') where ${mine}`,
    ],
  }
}

function event(prefix: string, nth: number): Readonly<Record<string, string>> {
  return { id: id(`e${nth}t`), object_id: id(prefix), sequence: `:events + ${nth}` }
}

/** An insert of one row as it is stored, but for what `changed` says and for the time. */
async function copyStatement(
  sql: Sql,
  table: string,
  condition: string,
  changed: Readonly<Record<string, string>>,
): Promise<string> {
  const columns = await sql<{ name: string }[]>`
    select attname as name from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped order by attnum`
  const names = columns.map(({ name }) => name)
  const texts = names.map(name => `${name}::text as ${name}`).join(', ')
  const [row] = await sql.unsafe<Record<string, string | null>[]>(
    `select ${texts} from ${table} where ${condition}`,
  )
  if (row === undefined) throw new Error(`the payout left no row in ${table}`)
  const values = names.map(name => {
    const value = row[name] ?? null
    return changed[name] ?? (name.endsWith('_at') && value !== null ? 'now()' : literal(value))
  })
  return `insert into ${table} (${names.join(', ')}) values (${values.join(', ')})`
}

/** Colons are escaped, as pgbench would take what follows one for a variable. */
function literal(value: string | null): string {
  if (value === null) return 'null'
  const escaped = value.replaceAll('\\', '\\\\').replaceAll("'", "''").replaceAll(':', '\\x3a')
  return `E'${escaped}'`
}

function script({ reads, writes }: Statements, style: Style): string {
  const lines = [
    'begin;',
    ...reads.map(statement => `${statement} \\gset`),
    ...(style === 'pipelined' ? ['\\startpipeline'] : []),
    ...[...writes, 'commit'].map(statement => `${statement};`),
    ...(style === 'pipelined' ? ['\\endpipeline'] : []),
  ]
  return `${lines.join('\n')}\n`
}

async function runPgbench(
  pgbench: string,
  database_url: string,
  text: string,
  clients: number,
  seconds: number,
): Promise<BaselineResult> {
  const { hostname, port, username, password, pathname } = new URL(database_url)
  const file = join(tmpdir(), `corridor-bench-${process.pid}.sql`)
  await writeFile(file, text)
  try {
    const where = ['-h', hostname, '-p', port, '-U', username]
    const how = ['-n', '-M', 'prepared', '-c', String(clients), '-j', clients > 1 ? '2' : '1']
    const args = [...where, ...how, '-T', String(seconds), '-f', file, pathname.slice(1)]
    const env = { ...process.env, PGPASSWORD: decodeURIComponent(password) }
    const { stdout, stderr } = await run(pgbench, args, { env })
    const per_second = Number(/tps = ([0-9.]+)/.exec(stdout)?.[1])
    const latency_ms = Number(/latency average = ([0-9.]+) ms/.exec(stdout)?.[1])
    if (!(per_second > 0)) throw new Error(`pgbench measured nothing:\n${stdout}\n${stderr}`)
    return { per_second, clients, latency_ms }
  } finally {
    await rm(file, { force: true })
  }
}
