// Checks the events of every account: numbers, hash chain, and cuts of archived events. PostgreSQL
// recomputes the hashes by the service's recipe.
import { EMPTY_HASH } from '../ledger/rules.ts'
import type { TransactionSql } from '../sql/connect.ts'
import { beforeSql } from '../statements/event/row-sql.ts'
import { EVENT_SEAL } from '../statements/event/rules.ts'
import { MAX_NAMED, type Problem } from './problem.ts'
import { countOf, lastCut, nameRows, ofAccount, rowsOf, rule, type Verification } from './rows.ts'

interface EventGap {
  account_id: string
  event_count: bigint | null
  events: bigint
}

/** Returns the number of events. */
export async function checkEvents(run: Verification): Promise<number> {
  await checkNumbers(run)
  return countOf(run, 'coalesce(sum(event_count), 0)', 'books')
}

/** Each row begins after the previous one, from 1 or the last cut on, up to event_count. */
async function checkNumbers(run: Verification): Promise<void> {
  const gaps = await rowsOf<EventGap>(
    run,
  )`select coalesce(b.account_id, e.account_id) as account_id, b.event_count,
      coalesce(e.last, 0) as events
    from (select * from books where ${ofAccount('account_id')}) b
    full join (
      select account_id, max(sequence) as last, bool_or(before <> ended) as apart
      from (
        select account_id, sequence, ${beforeSql('e')} as before, coalesce(
          lag(sequence) over (partition by account_id order by sequence),
          ${lastCut('sequence', 'e.account_id')}, 0) as ended
        from events e where ${ofAccount('account_id')}
      ) numbered group by account_id
    ) e on e.account_id = b.account_id
    where b.event_count is distinct from coalesce(e.last, 0) or e.apart
    order by 1 limit ${MAX_NAMED}`
  for (const gap of gaps) run.findings.add(await gapProblem(run.tx, gap))
}

/** The first missing number, or the first one beyond the book's count. */
async function gapProblem(tx: TransactionSql, gap: EventGap): Promise<Problem> {
  const { account_id } = gap
  const [first] = await tx.unsafe<{ expected: bigint; found: bigint }[]>(
    `select expected, found from (
        select ${beforeSql('e')} + 1 as found, coalesce(lag(sequence) over (order by sequence),
          ${lastCut('sequence', 'e.account_id')}, 0) + 1 as expected
        from events e where account_id = $1
      ) numbered where found <> expected order by expected limit 1`,
    [account_id],
  )
  const missing = first?.expected ?? gap.events + 1n
  const count = gap.event_count ?? 0n
  const [key, expected, found] =
    missing <= count
      ? [missing, `an event, as the book counts ${count}`, `sequence ${first?.found ?? 'ends'}`]
      : [count + 1n, `no more than the ${count} events of the book`, `${gap.events}`]
  return { table: 'events', account_id, key: `sequence ${key}`, expected, found }
}

/**
 * `checkNumbers` reports a missing row. An erased row keeps its old hash, which its erasure has.
 */
export async function checkChain(run: Verification): Promise<void> {
  const { findings } = run
  // Several processes compute hashes of a hash join. A window function would run in only one.
  const wrong = await rowsOf<{ account_id: string; sequence: bigint; hash: string }>(
    run,
  )`select account_id, sequence, coalesce(encode(hash, 'hex'), 'none') as hash from (
      select e.*, coalesce(before.hash, case when ${beforeSql('e')} > 0 then c.hash end,
          decode('${EMPTY_HASH}', 'hex')) as previous,
        ${beforeSql('e')} = 0 or before.sequence is not null or c.hash is not null as follows
      from events e left join (
        select account_id, sequence, hash from events
        where ${ofAccount('account_id')}
      ) before on before.account_id = e.account_id and before.sequence = ${beforeSql('e')}
      left join event_cuts c on c.account_id = e.account_id and c.sequence = ${beforeSql('e')}
      where ${ofAccount('e.account_id')}
    ) e
    where hash is distinct from ${EVENT_SEAL.sql('e')} and follows
      and not exists (
        select from erasures r where r.account_id = e.account_id and r.table_name = 'events'
          and r.key = e.sequence::text and r.was = e.hash and r.becomes = ${EVENT_SEAL.sql('e')})
    order by 1, 2 limit ${MAX_NAMED}`
  for (const { sequence, hash, ...row } of wrong) {
    const expected = 'the hash of its content and of the row before it'
    findings.add({ table: 'events', ...row, key: `sequence ${sequence}`, expected, found: hash })
  }
  await nameRows(run, HEADS)
}

/** Each book's event_head is the hash of its newest row of events. */
const HEADS = rule('books')`
  select account_id, '' as key,
    'event_head ' || h.hash as expected, coalesce(encode(event_head, 'hex'), 'none') as found
  from books b
  cross join lateral (
    select coalesce((
        select encode(hash, 'hex') from events e where e.account_id = b.account_id
        order by sequence desc limit 1
      ), '${EMPTY_HASH}') as hash
  ) h
  where ${ofAccount('account_id')}
    and h.hash is distinct from encode(event_head, 'hex')`

/** As statements/event/cut.ts computes it. */
const SEALS_DIGEST = `encode(sha256(convert_to(coalesce((
    select string_agg(s.object_id || ' ' || s.number || ' ' || encode(s.content, 'hex'), E'\n'
      order by s.object_id)
    from archived_seals s where s.account_id = c.account_id and s.cut = c.sequence
  ), ''), 'UTF8')), 'hex')`

/** Each cut equals its act in the audit log, and its seals still have the act's digest. */
const CUTS = rule('event_cuts')`
  select coalesce(c.account_id, a.account_id) as account_id,
    'sequence ' || coalesce(c.sequence::text, a.removed_to) as key,
    coalesce('as the audit log has it: ' || a.rows || ' rows until ' || a.until || ', hash '
      || a.hash || ', seals ' || a.seals || ', file ' || a.file || ', by ' || a.changed_by,
      'an act of the audit log') as expected,
    coalesce(c.removed || ' rows until ' || c.created_at || ', hash ' || c.hash || ', seals '
      || c.now || ', file ' || c.file || ', by ' || c.removed_by, 'none') as found
  from (
    select account_id, sequence, created_at, removed, encode(hash, 'hex') as hash,
      encode(file, 'hex') as file, encode(seals, 'hex') as seals, removed_by, ${SEALS_DIGEST} as now
    from event_cuts c where ${ofAccount('account_id')}
  ) c
  full join (
    select changed_by, after ->> 'rows' as rows, after ->> 'removed_until' as until,
      after ->> 'account_id' as account_id, after ->> 'removed_to' as removed_to,
      after ->> 'hash' as hash, after ->> 'seals' as seals, after ->> 'file' as file
    from audit_log where table_name = 'events' and after ->> 'removed_to' is not null
      and ${ofAccount("after ->> 'account_id'")}
  ) a on a.account_id = c.account_id and a.removed_to = c.sequence::text
  where (c.hash, c.seals, c.now, c.file, c.removed_by, c.created_at, c.removed::text)
    is distinct from (a.hash, a.seals, a.seals, a.file, a.changed_by, a.until::timestamptz,
      a.rows)`

/** Each seal of archived events belongs to a cut. */
const SEALS_HAVE_CUTS = rule('archived_seals')`
  select s.account_id, s.object_id as key, 'a cut at event ' || s.cut as expected,
    'none' as found
  from archived_seals s
  where ${ofAccount('s.account_id')} and not exists (
    select from event_cuts c where c.account_id = s.account_id and c.sequence = s.cut)`

export const CUT_RECORDS = [CUTS, SEALS_HAVE_CUTS]
