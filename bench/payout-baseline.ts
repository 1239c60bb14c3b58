// The baseline of payouts: each pgbench transaction writes the rows of one payout, on one hot
// account or on many. The rows are copies of rows that the service wrote for one payout, so they
// are as wide.

import type { Sql } from '../src/sql/connect.ts'
import { endOf } from '../src/statements/event/row.ts'
import { asOwner } from './database.ts'
import { type Baseline, baselineOf, idFromNumber, type Statements } from './pgbench.ts'
import { copyStatement } from './row-copy.ts'

/** SQL expressions of the columns in which a copy of a kept answer differs from the original. */
export const ANSWER = { key: 'gen_random_uuid()::text' }

/** `hot` writes to one account, `spread` to one of `accounts` drawn for each payout. */
export interface PayoutBaselines {
  readonly hot: Baseline
  readonly spread: Baseline
}

export async function preparePayoutBaselines(
  pgbench: string,
  database_url: string,
  payout_id: string,
  accounts: number,
): Promise<PayoutBaselines> {
  return asOwner(database_url, async sql => {
    await openAccounts(sql, accounts)
    const hot = await payoutStatements(sql, accountOf('0'), payout_id)
    const spread = await payoutStatements(sql, accountOf(':account'), payout_id)
    return {
      hot: baselineOf(pgbench, database_url, hot),
      spread: baselineOf(pgbench, database_url, { drawn: { account: accounts }, ...spread }),
    }
  })
}

/** Opens accounts 0 to `last`, which only pgbench uses, so that the service's books stay valid. */
export async function openAccounts(sql: Sql, last: number): Promise<void> {
  await sql.unsafe(
    `insert into books (account_id, head_hash)
      select ${accountOf('n')}, decode(repeat('00', 32), 'hex') from generate_series(0, ${last}) n`,
  )
  await sql.unsafe(
    `insert into balances (account_id, currency, available)
      select ${accountOf('n')}, 'USD', 1000000000000000 from generate_series(0, ${last}) n`,
  )
}

/** An expression for the account of this number, as wide as the service's ids. */
export function accountOf(number: string): string {
  return `'acc_' || lpad(${number}::text, 8, '0')`
}

export function accountNamed(number: number): string {
  return `acc_${String(number).padStart(8, '0')}`
}

/** Where the rows of one payout are: an SQL condition by table. */
export function rowsOfPayout(payout_id: string) {
  return {
    payouts: `id = '${payout_id}'`,
    open_payouts: `id = '${payout_id}'`,
    journals: `source = '${payout_id}' and kind = 'payout'`,
    events: hasCreation('P', payout_id),
    idempotency_keys: `strpos(body, '${payout_id}') > 0`,
  }
}

/**
 * The statements that write one payout, copied from the rows of `payout_id`. Without `quote_id` the
 * payout has a quote of its own, and so one more event.
 */
export async function payoutStatements(
  sql: Sql,
  account_id: string,
  payout_id: string,
  quote_id?: string,
): Promise<Statements> {
  const id = idFromNumber('pot')
  const payout = { id, balance_transaction_id: idFromNumber('btr'), ...(quote_id && { quote_id }) }
  const events = quote_id === undefined ? 3 : 2
  const quote = quote_id === undefined ? 'Q ' : ''
  const told = `'${quote}P' || lpad(:number::text, 9, '0') || ' L' || :number`
  const copies = {
    payouts: payout,
    open_payouts: { id },
    journals: { number: ':number', source: id, balance_after: ':available' },
    events: { told, sequence: `:events + ${events}` },
    idempotency_keys: ANSWER,
  }
  const inserts: string[] = []
  for (const [table, condition] of Object.entries(rowsOfPayout(payout_id))) {
    const copy = { ...copies[table as keyof typeof copies], account_id }
    inserts.push(await copyStatement(sql, table, condition, copy))
  }
  const mine = `account_id = ${account_id}`
  return {
    reads: [
      `select journal_count + 1 as number, event_count as events
        from books where ${mine} for update`,
      `select available - 10000 as available from balances where ${mine} and currency = 'USD'`,
    ],
    rest: [
      ...(quote_id === undefined
        ? []
        : [
            `update quotes set status = 'used', updated_at = now()
              where ${mine} and id = ${quote_id} and status = 'active'`,
          ]),
      ...inserts,
      addHashes(account_id, id),
      `update balances set available = :available, updated_at = now()
        where ${mine} and currency = 'USD'`,
      `update books set journal_count = :number, event_count = :events + ${events},
        last_written_at = now(), head_hash = sha256('any 32 bytes will do here') where ${mine}`,
    ],
  }
}

/** Adds the hashes of two pairs of metadata to the row that several payouts share. */
function addHashes(account_id: string, id: string): string {
  return `insert into payout_metadata as t (account_id, part, first_id, last_id, hashes)
    values (${account_id}, :number::bigint >> 6, ${id}, ${id}, '{1444410546,-1212433141}')
    on conflict (account_id, part) do update set
      first_id = least(t.first_id, excluded.first_id),
      last_id = greatest(t.last_id, excluded.last_id), hashes = t.hashes || excluded.hashes`
}

/**
 * An SQL condition for the row of `events` that holds an object's creation; `letter` is the word's
 * first letter in `told`.
 */
export function hasCreation(letter: string, id: string): string {
  return `strpos(told, '${letter}${endOf(id)}') > 0`
}
