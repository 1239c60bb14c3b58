// Compares the bytes that banks have sent with the digest that identifies each file. Swept bytes
// are gone; their digest, size and lines stay.
import type { Rule } from './rows.ts'

/** Of a larger file only the size is compared: PostgreSQL hashes in memory. */
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

/** These rows belong to no account. A verification of one account skips them. */
export const INBOX: readonly Rule[] = [{ table: 'rail_inbox_bytes', select: () => BYTES }]
