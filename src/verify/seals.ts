// Holds stored rows against the digests that events carry: of every object the newest
// event has the digest of its row, and every kept answer stands in the last event of its request.
import { BENEFICIARY_SEAL } from '../beneficiary/columns.ts'
import type { TransactionSql } from '../db/connect.ts'
import { accountMarkSql, millisSql, numberedIdOfSql } from '../db/id-sql.ts'
import { ENTITY_SEAL } from '../entity/columns.ts'
import { idPattern, numberIn } from '../id.ts'
import { PAYOUT_SEAL } from '../payout/columns.ts'
import { QUOTE_SEAL } from '../quote/columns.ts'
import { type Findings, MAX_NAMED } from './problem.ts'
import { ofAccount, STATED_PAYOUTS } from './rows.ts'

/**
 * Tables whose rows events carry digests of, by what their ids begin with; of a payout with how it
 * stands.
 */
const SEALED = {
  pot: { table: 'payouts', seal: PAYOUT_SEAL, rows: STATED_PAYOUTS },
  poq: { table: 'quotes', seal: QUOTE_SEAL },
  bnf: { table: 'beneficiaries', seal: BENEFICIARY_SEAL },
  ent: { table: 'entities', seal: ENTITY_SEAL },
} as const

/** The same of all that events tell of: the hash of its journal vouches for a line. */
const TOLD = { ...SEALED, btr: { table: 'journals' } } as const

/** Lines have no digest; what is held against events is that both are there. */
const linesOf = (account_id: string | null) => `
      select 'journals', account_id, ${numberedIdOfSql('btr', {
        millis: 'millis',
        number: 'number',
        account_mark: 'account_mark',
      })}, null::bytea
      from (
        select account_id, number, ${millisSql('created_at')} as millis, account_mark
        from journals left join (
          select account_id, ${accountMarkSql('account_id')} as account_mark from books offset 0
        ) b using (account_id)
        where currency is not null and ${ofAccount('account_id', account_id)} offset 0
      ) l`

/** Every row is as its newest event left it, and of every row some event tells. */
export async function checkSeals(
  tx: TransactionSql,
  account_id: string | null,
  findings: Findings,
): Promise<void> {
  const rows = Object.values(SEALED).map(
    ({ table, seal, ...read }) => `
      select '${table}' as table_name, account_id, id, ${seal.sql('t')} as content
      from ${'rows' in read ? read.rows : table} t where ${ofAccount('account_id', account_id)}`,
  )
  // Of a quote that a payout carries there is no digest but the payout's.
  rows.push(`
      select 'quotes', account_id, 'poq_' || substr(id, 5), null::bytea
      from payouts where quote_id = '' and ${ofAccount('account_id', account_id)}`)
  rows.push(linesOf(account_id))
  const names = Object.entries(TOLD).map(
    ([prefix, { table }]) => `when '${prefix}' then '${table}'`,
  )
  const wrong = await tx.unsafe<Named[]>(
    `with newest as (
        select distinct on (account_id, object_id) account_id, object_id as id, content,
          case split_part(object_id, '_', 1) ${names.join(' ')} end as table_name
        from events where ${ofAccount('account_id', account_id)}
          and split_part(object_id, '_', 1) = any (array['${Object.keys(TOLD).join("','")}'])
        order by account_id, object_id, sequence desc
      ), stored as (${rows.join(' union all ')})
      select coalesce(s.account_id, n.account_id) as account_id, coalesce(s.id, n.id) as id,
        coalesce(s.table_name, n.table_name) as table_name, s.id is null as no_row,
        encode(s.content, 'hex') as row, encode(n.content, 'hex') as event
      from stored s full join newest n on n.account_id = s.account_id and n.id = s.id
      where s.id is null or n.id is null or s.content is distinct from n.content
      order by 1, 2 limit ${MAX_NAMED}`,
    [account_id],
  )
  for (const { table_name: table, account_id, id, row, event, no_row } of wrong) {
    // Journals are named by their numbers, by whatever check.
    const key = table === 'journals' && ID.test(id) ? `number ${numberIn(id)}` : id
    const expected = no_row ? missing(id, event) : said(event)
    findings.add({ table, account_id, key, expected, found: row === null ? 'none' : row })
  }
}

interface Named {
  table_name: string
  account_id: string
  id: string
  row: string | null
  event: string | null
  no_row: boolean
}

const ID = new RegExp(idPattern('btr'))

function missing(id: string, event: string | null): string {
  return event === null ? `${id}, of which an event tells` : `a row of digest ${event}`
}

function said(event: string | null): string {
  return event === null
    ? 'an event that tells of it'
    : `digest ${event}, as its newest event has it`
}
