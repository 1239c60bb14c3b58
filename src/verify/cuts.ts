// Holds what stays of archived events against the audit log: each cut is an act of somebody, and
// the digests that it has put away are those of then.
import { ofAccount, type Rule } from './rows.ts'

/** As event/cut.ts makes it. */
const SEALS = `encode(sha256(convert_to(coalesce((
    select string_agg(s.object_id || ' ' || s.number || ' ' || encode(s.content, 'hex'), E'\n'
      order by s.object_id)
    from archived_seals s where s.account_id = c.account_id and s.cut = c.sequence
  ), ''), 'UTF8')), 'hex')`

const CUTS: Rule = {
  table: 'event_cuts',
  select: account_id => `
    select coalesce(c.account_id, a.account_id) as account_id,
      'sequence ' || coalesce(c.sequence::text, a.removed_to) as key,
      coalesce('as the audit log has it: ' || a.rows || ' rows until ' || a.until || ', hash '
        || a.hash || ', seals ' || a.seals || ', file ' || a.file || ', by ' || a.changed_by,
        'an act of the audit log') as expected,
      coalesce(c.removed || ' rows until ' || c.created_at || ', hash ' || c.hash || ', seals '
        || c.now || ', file ' || c.file || ', by ' || c.removed_by, 'none') as found
    from (
      select account_id, sequence, created_at, removed, encode(hash, 'hex') as hash,
        encode(file, 'hex') as file, encode(seals, 'hex') as seals, removed_by, ${SEALS} as now
      from event_cuts c where ${ofAccount('account_id', account_id)}
    ) c
    full join (
      select changed_by, after ->> 'rows' as rows, after ->> 'removed_until' as until,
        after ->> 'account_id' as account_id, after ->> 'removed_to' as removed_to,
        after ->> 'hash' as hash, after ->> 'seals' as seals, after ->> 'file' as file
      from audit_log where table_name = 'events' and after ->> 'removed_to' is not null
        and ${ofAccount("after ->> 'account_id'", account_id)}
    ) a on a.account_id = c.account_id and a.removed_to = c.sequence::text
    where (c.hash, c.seals, c.now, c.file, c.removed_by, c.created_at, c.removed::text)
      is distinct from (a.hash, a.seals, a.seals, a.file, a.changed_by, a.until::timestamptz,
        a.rows)`,
}

/** Digests that no cut has put away vouch for nothing. */
const STRAYS: Rule = {
  table: 'archived_seals',
  select: account_id => `
    select s.account_id, s.object_id as key, 'a cut at event ' || s.cut as expected,
      'none' as found
    from archived_seals s
    where ${ofAccount('s.account_id', account_id)} and not exists (
      select from event_cuts c where c.account_id = s.account_id and c.sequence = s.cut)`,
}

export const CUT_RECORDS = [CUTS, STRAYS]
