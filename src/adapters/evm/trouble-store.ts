// The SQL statements of evm_troubles, and the list of what a person must look at. Troubles follow
// from what is judged again and again, so that one ends with its cause.
import { rowsAsJson, type Sql } from '../../sql/connect.ts'
import { sql, type Tag } from '../../sql/sql.ts'
import { transactHouse } from './slot-store.ts'
import type { FoundTrouble, NewTrouble, TroubleKind } from './trouble.ts'

/** A trouble that was not seen for this long is over. It is judged about once a minute. */
const FRESH = '180 seconds'
/** The longest message, in characters. */
const MOST_WORDS = 500

/**
 * Notes the troubles of a rail that were found now. Those of the judged kinds that were not found
 * are over.
 */
export async function noteTroubles(
  sql: Sql,
  rail: string,
  judged: readonly TroubleKind[],
  found: readonly NewTrouble[],
): Promise<void> {
  const rows = withOneMessage(found)
  await sql`
    delete from evm_troubles t
    where t.rail = ${rail} and (t.seen_at < clock_timestamp() - ${FRESH}::interval
      or t.kind = any (${[...judged]}::text[]) and not exists (
        select from json_to_recordset(${rowsAsJson(rows)}::text::json) as r(wallet text, kind text)
        where r.wallet = t.wallet and r.kind = t.kind))`
  if (rows.length === 0) return
  await sql`
    insert into evm_troubles as t (rail, wallet, kind, message)
    select ${rail}, wallet, kind, message
    from json_to_recordset(${rowsAsJson(rows)}::text::json)
      as r(wallet text, kind text, message text)
    on conflict (rail, wallet, kind)
      do update set message = excluded.message, seen_at = clock_timestamp()`
}

/** A rail and a wallet have one trouble of a kind, which tells all that was found. */
function withOneMessage(found: readonly NewTrouble[]): readonly NewTrouble[] {
  const groups = Map.groupBy(found, ({ wallet, kind }) => `${wallet} ${kind}`)
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return []
    const messages = new Set([first, ...others].map(({ message }) => message))
    return { ...first, message: [...messages].join('; ').slice(0, MOST_WORDS) }
  })
}

/** Whether a rail has a trouble of these kinds now. */
export async function hasTrouble(sql: Sql, rail: string, kinds: readonly TroubleKind[]) {
  const [row] = await sql<{ found: boolean }[]>`
    select exists (
      select from evm_troubles t where t.rail = ${rail} and t.kind = any (${[...kinds]}::text[])
        and t.seen_at > clock_timestamp() - ${FRESH}::interval
    ) as found`
  return row?.found === true
}

/** A wallet that no rail has any more keeps nothing waiting. */
const IN_SETTINGS = sql`exists (
  select from rails r cross join jsonb_array_elements(r.config -> 'wallets') as each (one)
  where r.kind = 'evm' and lower(one ->> 'address') = w.address)`

/** All troubles of rails that pay on chains, the oldest first. */
export async function findTroubles(sql: Tag): Promise<FoundTrouble[]> {
  return sql<FoundTrouble[]>`
    select * from (
      select t.rail, t.wallet, t.kind, t.message, t.since from evm_troubles t
      where t.seen_at > clock_timestamp() - ${FRESH}::interval
      union all
      select w.rail, w.address, w.stopped_as, w.problem, w.stopped_at from evm_wallets w
      where w.state = 'stopped' and ${IN_SETTINGS}
    ) found
    order by since, rail, wallet, kind`
}

/** Counts the troubles by rail and kind. */
export async function countTroubles(sql: Sql) {
  const found = await findTroubles(sql)
  const groups = Map.groupBy(found, ({ rail, kind }) => `${rail} ${kind}`)
  return [...groups.values()].flatMap(all => {
    const [first] = all
    return first === undefined ? [] : [{ rail: first.rail, kind: first.kind, alerts: all.length }]
  })
}

/** By wallet: the payments that its gas pays for, its open ones, and the age of the oldest. */
export function countWallets(sql: Sql) {
  return transactHouse(
    sql,
    [],
    tx => tx<
      {
        readonly rail: string
        readonly wallet: string
        readonly gas_left: bigint | null
        readonly open: number
        readonly oldest_s: number
      }[]
    >`
      select w.rail, w.address as wallet, w.gas_left, s.open, s.oldest_s from evm_wallets w
      cross join lateral (
        select count(*)::integer as open,
          coalesce(extract(epoch from clock_timestamp() - min(s.made_at) filter (
            where s.state in ('signed', 'sent')))::integer, 0) as oldest_s
        from evm_slots s
        where s.chain_id = w.chain_id and s.wallet = w.address
          and s.state in ('signed', 'sent', 'mined', 'stopped')
      ) s where ${IN_SETTINGS}`,
  )
}
