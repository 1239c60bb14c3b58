// Seals the events that a filling has copied: the digest of the row that each tells of, and the chain
// up to the head of the book, by the recipes of the service. Takes its time, as journals do.
import { LINE_SEAL } from '../src/balance-transaction/columns.ts'
import type { Sql } from '../src/db/connect.ts'
import { EVENT_SEAL } from '../src/event/rules.ts'
import { PAYOUT_SEAL } from '../src/payout/columns.ts'
import { QUOTE_SEAL } from '../src/quote/columns.ts'

const SEALED = { payouts: PAYOUT_SEAL, quotes: QUOTE_SEAL, balance_transactions: LINE_SEAL }

/** Events of the account after this number, which nobody writes to meanwhile. */
export async function sealEvents(owner: Sql, account_id: string, after: string): Promise<void> {
  const rows = Object.entries(SEALED).map(
    ([table, seal]) =>
      `select id, ${seal.sql('t')} as content from ${table} t where account_id = '${account_id}'`,
  )
  await owner.unsafe('alter table events disable trigger append_only')
  await owner.unsafe(`
    update events e set content = r.content from (${rows.join(' union all ')}) r
    where e.account_id = '${account_id}' and e.sequence > ${after} and e.object_id = r.id`)
  await owner.unsafe(`
    do $$
    declare
      head bytea := (select event_head from books where account_id = '${account_id}');
      place tid;
      n bigint := 0;
    begin
      for place in select ctid from events
        where account_id = '${account_id}' and sequence > ${after} order by sequence
      loop
        select ${EVENT_SEAL.sql('e')} into head
        from (select events.*, head as previous from events where ctid = place) e;
        update events set hash = head where ctid = place;
        n := n + 1;
      end loop;
      update books set event_head = head, sealed_events = sealed_events + n
      where account_id = '${account_id}';
    end $$`)
  await owner.unsafe('alter table events enable trigger append_only')
}
