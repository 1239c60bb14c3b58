// Holds stored rows against the digests that events carry: of every object the newest
// event has the digest of its row, and every kept answer stands in the last event of its request.
import { LINE_SEAL } from '../balance-transaction/columns.ts'
import { BENEFICIARY_SEAL } from '../beneficiary/columns.ts'
import type { TransactionSql } from '../db/connect.ts'
import { ENTITY_SEAL } from '../entity/columns.ts'
import { PAYOUT_SEAL } from '../payout/columns.ts'
import { QUOTE_SEAL } from '../quote/columns.ts'
import { type Findings, MAX_NAMED } from './problem.ts'
import { ofAccount } from './rows.ts'

/** Tables whose rows events carry digests of, by what their ids begin with. */
const SEALED = {
  pot: { table: 'payouts', seal: PAYOUT_SEAL },
  poq: { table: 'quotes', seal: QUOTE_SEAL },
  bnf: { table: 'beneficiaries', seal: BENEFICIARY_SEAL },
  ent: { table: 'entities', seal: ENTITY_SEAL },
  btr: { table: 'balance_transactions', seal: LINE_SEAL },
} as const

/** Every row is as its newest event left it, and of every row some event tells. */
export async function checkSeals(
  tx: TransactionSql,
  account_id: string | null,
  findings: Findings,
): Promise<void> {
  const rows = Object.values(SEALED).map(
    ({ table, seal }) => `
      select '${table}' as table_name, account_id, id, ${seal.sql('t')} as content
      from ${table} t where ${ofAccount('account_id', account_id)}`,
  )
  // Of a quote that a payout carries there is no digest but the payout's.
  rows.push(`
      select 'quotes', account_id, 'poq_' || substr(id, 5), null::bytea
      from payouts where quote_id = '' and ${ofAccount('account_id', account_id)}`)
  const names = Object.entries(SEALED).map(
    ([prefix, { table }]) => `when '${prefix}' then '${table}'`,
  )
  const wrong = await tx.unsafe<(Named & { row: string | null; event: string | null })[]>(
    `with newest as (
        select distinct on (account_id, object_id) account_id, object_id as id, content,
          case split_part(object_id, '_', 1) ${names.join(' ')} end as table_name
        from events where ${ofAccount('account_id', account_id)}
          and split_part(object_id, '_', 1) = any (array['${Object.keys(SEALED).join("','")}'])
        order by account_id, object_id, sequence desc
      ), stored as (${rows.join(' union all ')})
      select coalesce(s.account_id, n.account_id) as account_id, coalesce(s.id, n.id) as id,
        coalesce(s.table_name, n.table_name) as table_name,
        encode(s.content, 'hex') as row, encode(n.content, 'hex') as event
      from stored s full join newest n on n.account_id = s.account_id and n.id = s.id
      where s.id is null or n.id is null or s.content is distinct from n.content
      order by 1, 2 limit ${MAX_NAMED}`,
    [account_id],
  )
  for (const { table_name: table, account_id, id: key, row, event } of wrong) {
    const expected = row === null && event !== null ? `a row of digest ${event}` : said(event)
    findings.add({ table, account_id, key, expected, found: row === null ? 'none' : row })
  }
}

interface Named {
  table_name: string
  account_id: string
  id: string
}

function said(event: string | null): string {
  return event === null
    ? 'an event that tells of it'
    : `digest ${event}, as its newest event has it`
}
