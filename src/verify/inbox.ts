// Holds the bytes of what banks have sent against the digest by which each file is known. The bytes
// that were swept are gone, and their digest, size and lines stay.
import type { Rule } from './rows.ts'

/** Larger files are held against their size alone: PostgreSQL hashes in memory. */
const MOST_HASHED = 64 * 1024 * 1024

const BYTES = `
  select '' as account_id, encode(coalesce(f.sha256, p.sha256), 'hex') as key,
    case when f.sha256 is null then 'a file that a bank has sent'
      when not f.kept then 'no bytes' else f.size || ' bytes of this digest' end as expected,
    coalesce(p.size || ' bytes' || coalesce(' of digest ' || encode(p.digest, 'hex'), ''), 'none')
      as found
  from rail_inbox f
  full join (
    select sha256, sum(octet_length(bytes)) as size,
      case when sum(octet_length(bytes)) <= ${MOST_HASHED}
        then sha256(string_agg(bytes, '' order by number)) end as digest
    from rail_inbox_bytes group by sha256
  ) p on p.sha256 = f.sha256
  where $1::text is null and (f.sha256 is null
    or (f.kept and (coalesce(p.size, 0) <> f.size or p.digest <> f.sha256))
    or (not f.kept and p.sha256 is not null))`

/** Of no account: of one alone nothing is looked at. */
export const INBOX: readonly Rule[] = [{ table: 'rail_inbox_bytes', select: () => BYTES }]
