// Inserts journals with one line each by SQL, as the owner of the tables, for tests of long lists.
import type { Sql } from '../../../src/sql/connect.ts'
import type { Tag } from '../../../src/sql/sql.ts'

/**
 * SQL expressions of one inserted row; a member that is left out has the same value in all rows.
 */
export interface LineRows {
  /** The FROM clause, whose names (such as `i`) the expressions use. */
  readonly from: string
  readonly account_id: string
  readonly number: string
  readonly created_at: string
  readonly source: string
  readonly kind?: string
  readonly currency?: string
  /** The amount that moves the balance; not zero. */
  readonly amount?: string
  readonly undoes?: string
  readonly metadata?: string
}

/** Inserts the rows without hashes, so `corridor verify` finds these books wrong. */
export function insertLines(sql: Pick<Tag, 'unsafe'>, rows: LineRows) {
  const { from, account_id, number, created_at, source, kind = `'payout'` } = rows
  const { currency = `'USD'`, amount = '-1', undoes = 'null', metadata = 'null' } = rows
  return sql.unsafe(
    `insert into journals (account_id, number, kind, source, codes, currencies, amounts, created_at,
        hash, currency, amount, fixed_fee, variable_fee, balance_after, undoes, metadata)
      select account_id, number, kind, source, 'available in_transit',
        concat_ws(' ', currency, currency),
        array[amount, -amount], created_at, sha256(''), currency, amount, 0, 0, 1, undoes,
        metadata::json
      from (
        select ${account_id} as account_id, ${number} as number, ${kind} as kind,
          ${source} as source, ${currency} as currency, ${amount} as amount,
          ${created_at} as created_at, ${undoes}::text as undoes, ${metadata}::text as metadata
        from ${from}
      ) line`,
  )
}

/**
 * Inserts `count` lines for acc_a and as many for acc_b, a second apart. Two of twenty are in EUR,
 * one of them a `failure`.
 */
export function insertManyLines(sql: Pick<Sql, 'unsafe'>, count: number) {
  return insertLines(sql, {
    from: `generate_series(1, ${count}) i, unnest(array['acc_a', 'acc_b']) a`,
    account_id: 'a',
    number: 'i',
    kind: `case when i % 20 = 2 then 'failure' else 'payout' end`,
    currency: `case when i % 20 in (1, 2) then 'EUR' else 'USD' end`,
    amount: 'case when i % 20 = 2 then 1 else -1 end',
    source: `'pot_' || lpad(i::text, 20, '0')`,
    undoes: `case when i % 20 = 2 then 'btr_' || lpad(i::text, 20, '0') end`,
    created_at: `timestamptz '2026-01-01T00:00:00Z' + i * interval '1 second'`,
  })
}
