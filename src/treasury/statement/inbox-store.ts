// The SQL statement that finds files of inboxes which may be statements.
import type { Tag } from '../../sql/sql.ts'

export interface InboxStatement {
  /** Hex digits. */
  readonly sha256: string
  readonly rail: string
  readonly name: string
  readonly size: bigint
}

/**
 * Files that their rail has read, or cannot read, and that were not looked at here; and, once after
 * each change of nostros, those of an account that has become one. The oldest first, none while
 * there is no nostro.
 */
export function listNewInbox(sql: Tag, most: number) {
  return sql<InboxStatement[]>`
    select encode(i.sha256, 'hex') as sha256, i.rail, i.name, i.size
    from rail_inbox i left join statement_files f on f.sha256 = i.sha256
    where i.kept and i.state in ('read', 'quarantined')
      and exists (select from nostros where closed_at is null)
      and (f.sha256 is null or f.state = 'other' and f.received_at < (
        select changed_at from audit_log where table_name = 'nostros'
        order by change_id desc limit 1) and exists (
        select from nostros n
        where n.closed_at is null and n.account <> '' and n.account = f.account))
    order by i.received_at, i.sha256 limit ${most}`
}
