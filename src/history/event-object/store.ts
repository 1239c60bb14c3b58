// The SQL statements that find further events about the objects of events.
import { eachShard, within } from '../../sql/shard.ts'
import type { Tag } from '../../sql/sql.ts'
import type { NamedEvent } from '../../statements/event/event.ts'
import { type ReadRow, unfold } from '../../statements/event/row.ts'
import { READ_COLUMNS } from '../../statements/event/store.ts'
import { type Key, nameOf } from '../../values/id.ts'

/** The events of an object, in order, by `account_id/id`. */
export type EventsByObject = ReadonlyMap<string, readonly NamedEvent[]>

// The bounds of object_id and the order fit one index alone, so that a plan made while the table
// was empty cannot use another.

/**
 * For each of these events: the first later update of its object, and the next event about the
 * object. A row's number is that of its last event, so the statement may find the event's own row:
 * hence two rows each.
 */
export async function findLaterEvents(
  sql: Tag,
  events: readonly NamedEvent[],
): Promise<EventsByObject> {
  const rows = await eachShard(
    events,
    events => sql<ReadRow[]>`
      select r.* from ${placesOf(sql, events)}
      cross join lateral (
        (select ${sql(READ_COLUMNS)} from events e
          where e.account_id = k.account_id ${within('e', events)} and e.object_id <> ''
            and (e.object_id, e.sequence) >= (k.id, k.sequence) and e.object_id <= k.id
          order by e.object_id, e.sequence limit 2)
        union all
        (select ${sql(READ_COLUMNS)} from events u
          where u.account_id = k.account_id ${within('u', events)} and u.object_id <> ''
            and (u.object_id, u.sequence) >= (k.id, k.sequence) and u.object_id <= k.id
            and u.type in ('beneficiary.updated', 'entity.updated', 'payout.updated')
          order by u.object_id, u.sequence limit 2)
      ) r`,
  )
  return byObject(
    rows,
    events.map(({ account_id, object_id: id }) => ({ account_id, id })),
  )
}

/** `k(account_id, id, sequence)`. */
function placesOf(sql: Tag, events: readonly NamedEvent[]) {
  const account_ids = events.map(event => event.account_id)
  const ids = events.map(event => event.object_id)
  const numbers = events.map(event => String(event.sequence))
  return sql`unnest(${account_ids}::text[], ${ids}::text[], ${numbers}::text[]::bigint[])
    as k(account_id, id, sequence)`
}

function byObject(rows: readonly ReadRow[], keys: readonly Key[]): EventsByObject {
  const names = new Set(keys.map(nameOf))
  // One row can be found several times.
  const events = new Map(unfold(rows).map(event => [event.id, event]))
  const nameIn = ({ account_id, object_id: id }: NamedEvent) => nameOf({ account_id, id })
  const about = [...events.values()].filter(event => names.has(nameIn(event)))
  return Map.groupBy(
    about.toSorted((a, b) => (a.sequence < b.sequence ? -1 : 1)),
    nameIn,
  )
}
