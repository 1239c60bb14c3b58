// Compares the chains with heads kept outside the database. Only these reveal that somebody has
// rewritten a whole chain.
import { EMPTY_HASH } from '../ledger/rules.ts'
import type { Head } from '../ledger/store.ts'
import { lastCut, type Verification } from './rows.ts'

/** Null for a missing row. */
interface Link {
  account_id: string
  head_hash: string | null
  event_head: string | null
  is_archived: boolean | null
}

/** Each kept head must still be a link of its chain, at the same number. */
export async function checkKeptHeads(
  { tx, account_id, findings }: Verification,
  kept: readonly Head[],
): Promise<void> {
  const heads = kept.filter(head => account_id === null || head.account_id === account_id)
  if (heads.length === 0) return
  const links = await tx.unsafe<Link[]>(
    `select k.account_id,
        case when k.journals = 0 then '${EMPTY_HASH}' else (
          select encode(hash, 'hex') from journals j
          where j.account_id = k.account_id and j.number = k.journals) end as head_hash,
        case when k.events = 0 then '${EMPTY_HASH}' else coalesce((
          select encode(hash, 'hex') from events e
          where e.account_id = k.account_id and e.sequence = k.events), (
          select encode(hash, 'hex') from event_cuts c
          where c.account_id = k.account_id and c.sequence = k.events)) end as event_head,
        k.events < ${lastCut('sequence', 'k.account_id')} as is_archived
      from unnest($1::text[], $2::text[]::bigint[], $3::text[]::bigint[])
        as k (account_id, journals, events)`,
    [
      heads.map(head => head.account_id),
      heads.map(head => head.journals),
      heads.map(head => head.events),
    ],
  )
  const found = new Map(links.map(link => [link.account_id, link]))
  for (const head of heads) {
    const link = found.get(head.account_id)
    const place = { table: 'books', account_id: head.account_id }
    if (link?.head_hash !== head.head_hash) {
      const expected = `journal ${head.journals} with hash ${head.head_hash}, as in the kept head`
      findings.add({ ...place, key: 'kept head', expected, found: link?.head_hash ?? 'none' })
    } else if (link.event_head !== head.event_head) {
      // `corridor events check` compares a head before the last cut with the archive.
      if (link.event_head === null && link.is_archived === true) continue
      const expected = `event ${head.events} with hash ${head.event_head}, as in the kept head`
      findings.add({ ...place, key: 'kept head', expected, found: link.event_head ?? 'none' })
    }
  }
}
