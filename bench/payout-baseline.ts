// The baseline of payouts: pgbench writes the rows of one payout a transaction, on one hot account
// or on many. Its rows are copies of what the service wrote for one payout, so they are as wide.

import type { Sql } from '../src/db/connect.ts'
import { endOf } from '../src/event/row.ts'
import { asOwner } from './database.ts'
import { type Baseline, baselineOf, idFromNumber, type Statements } from './pgbench.ts'
import { copyStatement } from './row-copy.ts'

/** SQL expressions of the columns in which a copy differs from the payout. */
export const COPIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  payouts: {
    id: idFromNumber('pot'),
    balance_transaction_id: idFromNumber('btr'),
  },
  journals: { number: ':number', source: idFromNumber('pot'), balance_after: ':available' },
  idempotency_keys: { key: 'gen_random_uuid()::text', object_id: idFromNumber('pot') },
}

/** `hot` writes to one account, `spread` to one of `accounts` drawn for each payout. */
export interface PayoutBaselines {
  readonly hot: Baseline
  readonly spread: Baseline
}

/** Creates accounts for pgbench alone, so that the service's books stay valid. */
export async function preparePayoutBaselines(
  pgbench: string,
  database_url: string,
  payout_id: string,
  accounts: number,
): Promise<PayoutBaselines> {
  return asOwner(database_url, async sql => {
    await sql.unsafe(
      `insert into books (account_id, head_hash)
        select ${accountOf('n')}, decode(repeat('00', 32), 'hex')
        from generate_series(0, ${accounts}) n`,
    )
    await sql.unsafe(
      `insert into balances (account_id, currency, available)
        select ${accountOf('n')}, 'USD', 1000000000000000 from generate_series(0, ${accounts}) n`,
    )
    const hot = await copyStatements(sql, accountOf('0'), payout_id)
    const spread = await copyStatements(sql, accountOf(':account'), payout_id)
    return {
      hot: baselineOf(pgbench, database_url, hot),
      spread: baselineOf(pgbench, database_url, { drawn: { account: accounts }, ...spread }),
    }
  })
}

/** An expression for the account of this number, as wide as the service's ids. */
function accountOf(number: string): string {
  return `'acc_' || lpad(${number}::text, 20, '0')`
}

/** The statements that write one payout, made from the rows of a payout by its id. */
async function copyStatements(sql: Sql, account: string, payout_id: string): Promise<Statements> {
  const rows: [table: string, condition: string, copy?: Readonly<Record<string, string>>][] = [
    ['payouts', `id = '${payout_id}'`],
    ['journals', `source = '${payout_id}' and kind = 'payout'`],
    ['events', telling('P', payout_id), { told: TOLD, sequence: ':events + 3' }],
    ['idempotency_keys', `object_id = '${payout_id}'`],
  ]
  const inserts: string[] = []
  for (const [table, condition, copy] of rows) {
    const changed = { ...(copy ?? COPIES[table]), account_id: account }
    inserts.push(await copyStatement(sql, table, condition, changed))
  }
  const mine = `account_id = ${account}`
  return {
    reads: [
      `select journal_count + 1 as number, event_count as events
        from books where ${mine} for update`,
      `select available - 10000 as available from balances where ${mine} and currency = 'USD'`,
    ],
    rest: [
      ...inserts,
      `update balances set available = :available, updated_at = now()
        where ${mine} and currency = 'USD'`,
      `update books set journal_count = :number, event_count = :events + 3, last_written_at = now(),
        head_hash = sha256('any 32 bytes will do here') where ${mine}`,
    ],
  }
}

/** The condition on the row of events of an object's creation. */
export function telling(letter: string, id: string): string {
  return `strpos(told, '${letter}${endOf(id)}') > 0`
}

/** The end of the id of the object with this number, as the row of events has it. */
export const ENDING = `lpad(:number::text, 9, '0')`
const TOLD = `'Q P' || ${ENDING} || ' L' || :number`
