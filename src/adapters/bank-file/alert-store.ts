// The SQL statements that find and count alerts about files and rails, which no payout shows and
// only a person can end. They derive alerts from the files, so that an alert ends with its cause.
import type { Sql } from '../../sql/connect.ts'
import { selectByKeys } from '../../sql/keys.ts'
import { type Key, nameOf } from '../../values/id.ts'
import type { FileAlert, FoundAlert } from './alert.ts'

/** All alerts, the oldest first. `finder` sees whether payouts wait in a refused file. */
export async function findAlerts(sql: Sql, finder: Sql): Promise<FoundAlert[]> {
  const found = await Promise.all([
    findFileAlerts(sql, finder),
    findRailProblems(sql),
    findQuarantined(sql),
    findSetAside(sql),
  ])
  return found.flat().sort((a, b) => (a.since < b.since ? -1 : 1))
}

async function findFileAlerts(sql: Sql, finder: Sql): Promise<FoundAlert[]> {
  const files = await sql<(FoundAlert & { offers: number })[]>`
    select rail, case state when 'unknown' then 'file_unknown' when 'rejected' then 'file_rejected'
        when 'sealed' then case when needs_release and reason = '' then 'file_to_release'
          else 'file_not_sent' end
        else 'file_not_sent' end as kind,
      msg_id as about, reason as message,
      case state when 'sealed' then sealed_at else updated_at end as since,
      encode(sha256, 'hex') as sha256, offers
    from rail_files
    where state in ('unknown', 'rejected') or (state = 'sealed' and needs_release)
      -- Of one that is to go again, the reason is the person's for a moment.
      or (state in ('sealed', 'approved', 'uploading') and reason <> '' and offered_at is null
        and (offers = 0 or updated_at < clock_timestamp() - interval '1 minute'))`
  const named = (kind: FileAlert) =>
    files.filter(file => file.kind === kind).map(({ about }) => about)
  const [waiting, late] = await Promise.all([
    listWithWaiting(finder, named('file_rejected')),
    listPastCutOff(finder, named('file_to_release')),
  ])
  return files.flatMap(({ offers: _, ...file }): FoundAlert[] => {
    if (file.kind === 'file_rejected' && !waiting.has(file.about)) return []
    const is_late = file.kind === 'file_to_release' && late.has(file.about)
    return [is_late ? { ...file, kind: 'file_release_late' } : file]
  })
}

/** The message ids of the refused files in which payouts wait. */
async function listWithWaiting(finder: Sql, msg_ids: readonly string[]) {
  if (msg_ids.length === 0) return new Set<string>()
  const items = await finder<(Key & { msg_id: string; rail: string })[]>`
    select account_id, payout_id as id, msg_id, rail from rail_items
    where msg_id = any (${msg_ids}::text[]) and msg_id <> ''`
  const open = await selectByKeys<Key & { rail: string }>(
    finder,
    'id',
    items,
    ofKey => finder`
      select account_id, id, rail from open_payouts t
      where ${ofKey} and status <> 'succeeded' limit 1`,
  )
  const rails = new Map(open.map(payout => [nameOf(payout), payout.rail]))
  const waiting = items.filter(item => rails.get(nameOf(item)) === item.rail)
  return new Set(waiting.map(({ msg_id }) => msg_id))
}

/** The message ids of the files whose cut-off has passed. */
async function listPastCutOff(finder: Sql, msg_ids: readonly string[]) {
  // One statement each: Citus asks several shards no `exists` for each of several files.
  const rows = msg_ids.map(
    msg_id => finder<{ msg_id: string }[]>`
      select msg_id from rail_items
      where msg_id = ${msg_id} and msg_id <> '' and closes_at < clock_timestamp() limit 1`,
  )
  return new Set((await Promise.all(rows)).flat().map(({ msg_id }) => msg_id))
}

function findRailProblems(sql: Sql): Promise<FoundAlert[]> {
  return sql<FoundAlert[]>`
    select rail, 'rail_problem' as kind, rail as about, problem as message, problem_since as since,
      '' as sha256
    from rail_exchanges where problem <> ''`
}

function findQuarantined(sql: Sql): Promise<FoundAlert[]> {
  return sql<FoundAlert[]>`
    select rail, 'report_quarantined' as kind, encode(sha256, 'hex') as about,
      name || ': ' || reason as message, received_at as since, '' as sha256
    from rail_inbox where state = 'quarantined' and closed_by = ''`
}

function findSetAside(sql: Sql): Promise<FoundAlert[]> {
  return sql<FoundAlert[]>`
    select f.rail, 'lines_set_aside' as kind, encode(l.sha256, 'hex') as about,
      f.name || ': ' || count(*) || case when count(*) = 1 then ' line, ' else ' lines, ' end
        || min(l.reason) as message,
      min(l.created_at) as since, '' as sha256
    from rail_inbox_lines l join rail_inbox f on f.sha256 = l.sha256
    where l.closed_by = '' group by l.sha256, f.rail, f.name`
}

export async function countAlerts(sql: Sql, finder: Sql) {
  const found = await findAlerts(sql, finder)
  const groups = Map.groupBy(found, ({ rail, kind }) => `${rail} ${kind}`)
  return [...groups.values()].flatMap(all => {
    const [first] = all
    return first === undefined ? [] : [{ rail: first.rail, kind: first.kind, alerts: all.length }]
  })
}

/** Counts files without an answer, by rail and state. `unsent_s`: the age of the oldest unsent. */
export function countFiles(sql: Sql) {
  return sql<{ rail: string; state: string; count: number; unsent_s: number | null }[]>`
    select rail, state, count(*)::integer as count,
      max(extract(epoch from clock_timestamp() - sealed_at))
        filter (where sent_at is null)::integer as unsent_s
    from rail_files where state not in ('acknowledged', 'rejected', 'withdrawn')
    group by rail, state`
}

/** How long each rail's exchange of files has had its problem. */
export function listProblems(sql: Sql) {
  return sql<{ rail: string; since_s: number }[]>`
    select rail, extract(epoch from clock_timestamp() - problem_since)::integer as since_s
    from rail_exchanges where problem <> ''`
}

/** Counts the open quarantined files and the open lines, by rail. */
export function countQuarantined(sql: Sql) {
  return sql<{ rail: string; files: number; lines: number }[]>`
    select f.rail,
      count(distinct f.sha256)
        filter (where f.state = 'quarantined' and f.closed_by = '')::integer as files,
      count(l.position)::integer as lines
    from rail_inbox f
    left join rail_inbox_lines l on l.sha256 = f.sha256 and l.closed_by = ''
    where f.state = 'quarantined' or f.lines_quarantined > 0
    group by f.rail`
}
