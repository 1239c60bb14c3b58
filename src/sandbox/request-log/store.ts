// The SQL statements of the log of requests.
import type { Sql, TransactionSql } from '../../sql/connect.ts'
import { byId } from '../../sql/order.ts'
import { findPage, type Listed, type Page, type Wanted } from '../../sql/page.ts'
import { inserter } from '../../sql/rows.ts'
import type { Tag } from '../../sql/sql.ts'
import { type LoggedRequest, MAX_ROWS } from './request-log.ts'

const KINDS = {
  account_id: 'text',
  id: 'text',
  request_id: 'text',
  key_id: 'text',
  method: 'text',
  path: 'text',
  outcome: 'text',
  status: 'integer',
  duration_us: 'integer',
  reason: 'text',
  remarks: 'text',
} as const

const COLUMNS = Object.keys(KINDS) as readonly (keyof typeof KINDS)[]

export const insertLogged = inserter<LoggedRequest>('request_log', KINDS)

export function dropOld(tx: TransactionSql, account_id: string) {
  return tx`
    delete from request_log where account_id = ${account_id} and id < (
      select min(newest.id) from (
        select id from request_log where account_id = ${account_id}
        order by id desc limit ${MAX_ROWS}
      ) newest)`
}

const LISTED: Listed = {
  table: 'request_log',
  columns: COLUMNS,
  order: byId('rql'),
  filters: ['request_id', 'outcome', 'method', 'reason'].map(name => {
    return { name, by: name, leads: 'never' }
  }),
}

/** Undefined when the cursor names no request of the account. */
export function listLogged(
  sql: Tag,
  account_id: string,
  wanted: Wanted,
): Promise<Page<LoggedRequest> | undefined> {
  return findPage<LoggedRequest>(sql, LISTED, account_id, wanted)
}

export interface RecentFilter {
  readonly account_id: string | null
  readonly outcomes: readonly string[]
  /** Only rows whose id is above this. */
  readonly after: string
  readonly limit: number
}

export function listRecent(
  sql: Sql,
  { account_id, outcomes, after, limit }: RecentFilter,
): Promise<LoggedRequest[]> {
  return sql<LoggedRequest[]>`
    select ${sql(COLUMNS)} from request_log
    where (${account_id}::text is null or account_id = ${account_id}) and id > ${after}
      and outcome = any (${[...outcomes]}::text[])
    order by id desc limit ${limit}`
}
