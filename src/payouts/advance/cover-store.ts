// The SQL statements of cover: what accounts at banks with a gate can still pay. Payouts beyond it
// wait, the longest due first. PostgreSQL keeps the sum of what is handed over (migrations/0029).
import type { TransactionSql } from '../../sql/connect.ts'
import { keysOf } from '../../sql/keys.ts'
import { isSpread, within } from '../../sql/shard.ts'
import type { Tag } from '../../sql/sql.ts'
import { byName, type Key, nameOf } from '../../values/id.ts'

/** A nostro that hands over no payout that it does not cover. */
export interface Gate {
  readonly name: string
  readonly currency: string
  /** The rails whose payouts leave from it, and from no other open nostro of its currency. */
  readonly rails: readonly string[]
}

/** By name. A spread database has only sandboxes, and so no money. */
export async function listGates(sql: Tag): Promise<Gate[]> {
  if (isSpread()) return []
  return sql<Gate[]>`
    select name, currency, rails from nostros
    where closed_at is null and settings @> '{"gate":true}' order by name`
}

/** The gate that payouts of this rail and currency pass; undefined without one. */
export function gateOf(
  gates: readonly Gate[],
  { rail, currency }: { readonly rail: string; readonly currency: string },
): Gate | undefined {
  return gates.find(gate => gate.currency === currency && gate.rails.includes(rail))
}

/** The gate with those of its rails alone that are among these. */
export function atRails(gate: Gate, rails: readonly string[]): Gate {
  return { ...gate, rails: gate.rails.filter(rail => rails.includes(rail)) }
}

/**
 * Takes the turn of these nostros until the transaction ends: one transaction at a time hands over
 * what they cover. The next one sees what this one has handed over. Returns the gates as they are
 * then.
 */
export async function takeTurnOf(
  tx: TransactionSql,
  gates: readonly Pick<Gate, 'name'>[],
): Promise<Gate[]> {
  const names = gates.map(({ name }) => name).sort()
  for (const name of names) {
    await tx`select pg_advisory_xact_lock(hashtextextended(${`corridor cover ${name}`}, 0))`
    await tx`select fold_handed_over(${name})`
  }
  return (await listGates(tx)).filter(({ name }) => names.includes(name))
}

/** Which payouts pass a gate, and which ones wait at it. */
export interface Passing {
  readonly gate: Gate
  readonly covered: readonly Key[]
  readonly waiting: readonly Key[]
}

/**
 * Judges payouts under the turn of the gate. `oldest` are those that are longest due, in order, and
 * `found` any that are due. No younger payout passes an older one that waits, and none that is not
 * among the oldest passes: it waits for its turn, or it would fill the list of due payouts. Payouts
 * that do not leave from the nostro, or were handed over before, are in no list.
 */
export async function judgeCover(
  tx: TransactionSql,
  gate: Gate,
  { oldest, found }: Queue,
): Promise<Passing> {
  const keys = [...oldest, ...found]
  if (keys.length === 0) return { gate, covered: [], waiting: [] }
  const [rows, [row]] = await Promise.all([
    tx<Leaving[]>`
      select account_id, id, amount, is_handed_over from payouts_of_nostro(${gate.name},
        ${keys.map(key => key.account_id)}::text[], ${keys.map(key => key.id)}::text[])`,
    tx<{ cover: bigint }[]>`select nostro_cover(${gate.name}) as cover`,
  ])
  return { gate, ...passingOf({ oldest, found }, rows, row?.cover ?? 0n) }
}

interface Queue {
  readonly oldest: readonly Key[]
  readonly found: readonly Key[]
}

interface Leaving extends Key {
  readonly amount: bigint
  readonly is_handed_over: boolean
}

/** The first payouts that the cover has room for, one after the other, and no later one. Pure. */
export function passingOf(
  { oldest, found }: Queue,
  leaving: readonly Leaving[],
  cover: bigint,
): Omit<Passing, 'gate'> {
  const rows = byName(leaving)
  const isNew = (key: Key) => rows.get(nameOf(key))?.is_handed_over === false
  const queue = oldest.filter(isNew)
  let left = cover
  const short = queue.findIndex(key => {
    left -= rows.get(nameOf(key))?.amount ?? 0n
    return left < 0n
  })
  const in_queue = new Set(queue.map(nameOf))
  const younger = found.filter(key => isNew(key) && !in_queue.has(nameOf(key)))
  const passing = short === -1 ? queue.length : short
  return { covered: queue.slice(0, passing), waiting: [...queue.slice(passing), ...younger] }
}

/** Marks payouts that wait. One that another transaction changes meanwhile is left to the next. */
export async function markWaiting(
  tx: TransactionSql,
  { name }: Gate,
  keys: readonly Key[],
): Promise<void> {
  if (keys.length === 0) return
  await tx`
    update open_payouts o set awaits_funds_of = ${name}, awaits_funds_since = statement_timestamp()
    from (
      select r.* from ${keysOf(keys)}
      cross join lateral (
        select ctid as place from open_payouts w
        where w.account_id = k.account_id and w.id = k.id ${within('w', keys)}
          and w.ask_rail_at is not null
          and w.awaits_funds_of is distinct from ${name}
        limit 1 for update skip locked
      ) r
    ) locked
    where o.ctid = locked.place ${within('o', keys)}`
}

/** What a nostro with a gate covers of a payout that a person takes, in minor units. */
export interface CoverByHand {
  readonly nostro: string
  readonly cover: bigint
}

/**
 * The cover of live payouts of the manual rail whose nostro has a gate, by `account_id/id`. Takes
 * the turn of their nostros; the caller has the locks of their books.
 */
export async function coverByHand(
  tx: TransactionSql,
  payouts: readonly (Key & { readonly rail: string; readonly destination_currency: string })[],
): Promise<ReadonlyMap<string, CoverByHand>> {
  const gates = payouts.length === 0 ? [] : await listGates(tx)
  const gated = (of: readonly Gate[]) =>
    payouts.flatMap(payout => {
      const gate = gateOf(of, { rail: payout.rail, currency: payout.destination_currency })
      return gate === undefined ? [] : [{ payout, gate }]
    })
  const named = [...new Set(gated(gates).map(({ gate }) => gate))]
  if (named.length === 0) return new Map()
  const covers = new Map<string, CoverByHand>()
  for (const { payout, gate } of gated(await takeTurnOf(tx, named))) {
    const [row] = await tx<{ cover: bigint }[]>`
      select cover_by_hand(${gate.name}, ${payout.account_id}, ${payout.id}) as cover`
    covers.set(nameOf(payout), { nostro: gate.name, cover: row?.cover ?? 0n })
  }
  return covers
}
