// Journals with a line each, written by SQL as the owner of the tables: for lists of many.
import type { Sql } from '../../../src/db/connect.ts'
import type { Tag } from '../../../src/db/sql.ts'

/** SQL expressions for a row of `from`; what is left out is the same of all. */
export interface LineRows {
  /** Of whose rows `i` or another name is in the expressions. */
  readonly from: string
  readonly account_id: string
  readonly number: string
  readonly created_at: string
  readonly source: string
  readonly kind?: string
  readonly currency?: string
  /** What moves the balance; not zero. */
  readonly amount?: string
  readonly undoes?: string
  readonly metadata?: string
}

/** Of no chain: `corridor verify` refuses such books. */
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

/** So many for each of acc_a and acc_b, a second apart: every twentieth a failure in euros. */
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
