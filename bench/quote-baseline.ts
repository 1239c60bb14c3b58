// What quotes are held against: pgbench writing the rows of one quote in one transaction for each
// request, or of a quote and of the payout made with it in one transaction each, on one hot account.
// The rows are copied from what the service really wrote, so their widths are its own.
import { connect, type Sql } from '../src/db/connect.ts'
import { newAccountId } from '../src/id.ts'
import { COPIES, ENDING, telling } from './payout-baseline.ts'
import { type Baseline, baselineOf, idFromNumber, type Statements } from './pgbench.ts'
import { copyStatement } from './row-copy.ts'

/** Ids of what is copied. */
export interface QuoteSamples {
  /** A quote that is not used. */
  readonly quote_id: string
  /** A payout made with a quote. */
  readonly payout_id: string
}

export interface QuoteBaselines {
  readonly quotes: Baseline
  readonly pairs: Baseline
}

/** Makes an account of its own for pgbench, so that the service's books stay true. */
export async function prepareQuoteBaselines(
  pgbench: string,
  database_url: string,
  samples: QuoteSamples,
): Promise<QuoteBaselines> {
  const sql = connect(database_url, { max: 1, as: 'owner' })
  try {
    const account_id = newAccountId()
    await sql`insert into books (account_id, head_hash)
      values (${account_id}, decode(repeat('00', 32), 'hex'))`
    await sql`insert into balances (account_id, currency, available)
      values (${account_id}, 'USD', 1000000000000000)`
    const account = `'${account_id}'`
    const quote = await quoteStatements(sql, account, samples)
    const payout = await payoutStatements(sql, account, samples)
    return {
      quotes: baselineOf(pgbench, database_url, quote),
      pairs: baselineOf(pgbench, database_url, quote, payout),
    }
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** The number of a quote's event is that of the quote, and stays known to the payout after it. */
const QUOTE = idFromNumber('poq', 'quoted')

async function quoteStatements(
  sql: Sql,
  account_id: string,
  { quote_id }: QuoteSamples,
): Promise<Statements> {
  const mine = `account_id = ${account_id}`
  const made = { told: `'Q' || lpad(:quoted::text, 9, '0')`, sequence: ':quoted' }
  const kept = { ...COPIES.idempotency_keys, account_id, object_id: "''" }
  const of = `'%${quote_id}%'`
  return {
    reads: [`select event_count + 1 as quoted from books where ${mine} for update`],
    rest: [
      await copyStatement(sql, 'quotes', `id = '${quote_id}'`, { account_id, id: QUOTE }),
      await copyStatement(sql, 'events', telling('Q', quote_id), { account_id, ...made }),
      await copyStatement(sql, 'idempotency_keys', `body like ${of}`, kept),
      `update books set event_count = :quoted, last_written_at = now() where ${mine}`,
    ],
  }
}

async function payoutStatements(
  sql: Sql,
  account_id: string,
  { payout_id }: QuoteSamples,
): Promise<Statements> {
  const mine = `account_id = ${account_id}`
  const rows: [table: string, condition: string, copy?: Readonly<Record<string, string>>][] = [
    ['payouts', `id = '${payout_id}'`, { ...COPIES.payouts, quote_id: QUOTE }],
    ['journals', `source = '${payout_id}' and kind = 'payout'`],
    [
      'events',
      telling('P', payout_id),
      { told: `'P' || ${ENDING} || ' L' || :number`, sequence: ':events + 2' },
    ],
    ['idempotency_keys', `object_id = '${payout_id}'`],
  ]
  const inserts: string[] = []
  for (const [table, condition, copy = COPIES[table]] of rows) {
    inserts.push(await copyStatement(sql, table, condition, { ...copy, account_id }))
  }
  return {
    reads: [
      `select journal_count + 1 as number, event_count as events from books where ${mine} for update`,
      `select available - 10000 as available from balances where ${mine} and currency = 'USD'`,
    ],
    rest: [
      `update quotes set status = 'used', updated_at = now()
        where ${mine} and id = ${QUOTE} and status = 'active'`,
      ...inserts,
      `update balances set available = :available, updated_at = now() where ${mine} and currency = 'USD'`,
      `update books set journal_count = :number, event_count = :events + 2, last_written_at = now(),
        head_hash = sha256('any 32 bytes will do here') where ${mine}`,
    ],
  }
}
