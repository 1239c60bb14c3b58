// What payouts are held against: pgbench writing the rows of one payout in one transaction for each
// request, on one hot account. The rows are copied from a payout that the service really wrote, so
// their widths are its own.
import { connect, type Sql } from '../src/db/connect.ts'
import { newId } from '../src/id.ts'
import {
  type Baseline,
  baselineOf,
  copyStatement,
  idFromNumber,
  type Statements,
} from './pgbench.ts'

/**
 * A copy of these columns is made with these SQL expressions; all others keep what the payout had.
 */
const COPIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  quotes: { id: idFromNumber('poq') },
  payouts: {
    id: idFromNumber('pot'),
    quote_id: idFromNumber('poq'),
    balance_transaction_id: idFromNumber('btr'),
  },
  journals: { number: ':number', source: idFromNumber('pot') },
  balance_transactions: {
    id: idFromNumber('btr'),
    journal_number: ':number',
    balance_after: ':available',
    description: idFromNumber('pot'),
    source: idFromNumber('pot'),
  },
  idempotency_keys: { key: 'gen_random_uuid()::text' },
}

/** Makes an account of its own for pgbench, so that the service's books stay true. */
export async function preparePayoutBaseline(
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
    return baselineOf(pgbench, database_url, await copyStatements(sql, account_id, payout_id))
  } finally {
    await sql.end({ timeout: 5 })
  }
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
    rest: [
      ...inserts,
      `update balances set available = :available, updated_at = now() where ${mine} and currency = 'USD'`,
      `update books set journal_count = :number, event_count = :events + 3, last_written_at = now(),
        head_hash = sha256('any 32 bytes will do here') where ${mine}`,
    ],
  }
}

function event(prefix: string, nth: number): Readonly<Record<string, string>> {
  return {
    id: idFromNumber(`e${nth}t`),
    object_id: idFromNumber(prefix),
    sequence: `:events + ${nth}`,
  }
}
