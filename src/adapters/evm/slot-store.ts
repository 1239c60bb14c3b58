// The SQL statements of evm_slots: the payments that have a nonce of a wallet, and those that were
// refused before they had one.
import { confineTo } from '../../sql/confine.ts'
import { rowsAsJson, type Sql, type TransactionSql } from '../../sql/connect.ts'
import { sql, type Tag } from '../../sql/sql.ts'
import type { Instant } from '../../values/instant.ts'
import type { Hex } from './chain.ts'
import {
  type Place,
  type Slot,
  type SlotKey,
  type SlotState,
  slotName,
  type VoidAs,
} from './slot.ts'

/** A slot, or the row by which an attempt was refused. */
export type FoundSlot = Omit<Slot, 'nonce' | 'wallet' | 'token' | 'payee' | 'calldata'> & {
  readonly nonce: bigint | null
} & { readonly [K in 'wallet' | 'token' | 'payee' | 'calldata']: Hex | '' }

export type NewSlot = Omit<
  FoundSlot,
  | 'id'
  | 'sweep'
  | 'made_at'
  | 'ended_at'
  | 'suspect_at'
  | 'adopted_by'
  | 'void_as'
  | 'void_by'
  | 'void_reason'
> & {
  readonly state: 'signed' | 'refused'
  readonly sweep?: bigint
  readonly adopted_by?: string
}

type Row = Omit<FoundSlot, 'units'> & { readonly units: string }

const COLUMNS = sql`
  s.id, s.chain_id, s.wallet, s.nonce, s.rail, s.uetr, s.purpose, s.sweep, s.account_id,
  s.payout_id, coalesce(s.attempt, 0) as attempt, s.currency, s.amount, s.units, s.token, s.payee,
  s.calldata, s.to_contract, s.state, s.made_at, s.ended_at, s.suspect_at, s.adopted_by, s.void_as,
  s.void_by, s.void_reason`

/** The states of slots whose end is not final yet. */
const OPEN = sql`s.state in ('signed', 'sent', 'mined', 'stopped')`

/**
 * Runs a transaction on slots of all accounts. It may write other rows of the accounts that it
 * names.
 */
export function transactHouse<T>(
  sql: Sql,
  account_ids: readonly string[],
  work: (tx: TransactionSql) => Promise<T>,
): Promise<T> {
  return sql.begin(tx => {
    void confineTo(tx, account_ids)
    void tx`select set_config('corridor.house', 'on', true)`.execute()
    return work(tx)
  })
}

const slotOf = ({ units, ...row }: Row): FoundSlot => ({ ...row, units: BigInt(units) })

/** `k(account_id, payout_id, attempt)`, each key once. */
export function attemptsOf(keys: readonly SlotKey[]) {
  const unique = [...new Map(keys.map(key => [slotName(key), key])).values()]
  return sql`
    unnest(${unique.map(key => key.account_id)}::text[],
      ${unique.map(key => key.payout_id)}::text[],
      ${unique.map(key => String(key.attempt))}::integer[]) as k (account_id, payout_id, attempt)`
}

/** The names of attempts that have a slot. The transaction must name the accounts. */
export async function listTaken(tx: Tag, keys: readonly SlotKey[]): Promise<ReadonlySet<string>> {
  if (keys.length === 0) return new Set()
  const rows = await tx<SlotKey[]>`
    select k.* from ${attemptsOf(keys)}
    cross join lateral (
      select from evm_slots t where t.account_id = k.account_id and t.payout_id = k.payout_id
        and t.attempt = k.attempt and t.purpose = 'pay' limit 1
    ) s`
  return new Set(rows.map(slotName))
}

/** How often the payouts of these keys have reverted on the chain, by payout id. */
export async function countReverted(tx: Tag, chain_id: bigint, payout_ids: readonly string[]) {
  const rows = await tx<{ payout_id: string; count: number }[]>`
    select s.payout_id, count(*)::integer as count from evm_slots s
    where s.payout_id = any (${[...payout_ids]}::text[]) and s.chain_id = ${chain_id}
      and s.state = 'reverted' group by s.payout_id`
  return new Map(rows.map(({ payout_id, count }) => [payout_id, count]))
}

/** The most slots in blocks that a round looks at. Later ones come once earlier ones have ended. */
const MOST_OPEN = 8_000

/**
 * The slots of a rail's wallets whose end is not final: those that no block has, which are few, and
 * of the others the oldest. So none that must be sent is left out.
 */
export async function listOpen(
  tx: TransactionSql,
  chain_id: bigint,
  wallets: readonly Hex[],
  most = MOST_OPEN,
): Promise<Slot[]> {
  const rows = await tx<Row[]>`
    select ${COLUMNS} from evm_slots s
    where ${OPEN} and s.chain_id = ${chain_id} and s.wallet = any (${[...wallets]}::text[])
    order by s.state not in ('signed', 'sent'), s.made_at, s.id limit ${most}`
  return rows.map(row => slotOf(row) as Slot)
}

/** Slots that were called paid since then: they are looked at until the chain is final itself. */
export async function listPaidSince(
  tx: TransactionSql,
  chain_id: bigint,
  wallets: readonly Hex[],
  since: Instant,
): Promise<Slot[]> {
  const rows = await tx<Row[]>`
    select ${COLUMNS} from evm_slots s
    where s.chain_id = ${chain_id} and s.wallet = any (${[...wallets]}::text[])
      and s.ended_at > ${since}::timestamptz and s.state = 'paid'
    order by s.ended_at desc limit ${MOST_OPEN}`
  return rows.map(row => slotOf(row) as Slot)
}

/** Inserts slots; fails by `one_slot_an_attempt` when an attempt has one already. */
export async function insertSlots(tx: TransactionSql, slots: readonly NewSlot[]): Promise<void> {
  if (slots.length === 0) return
  await tx`
    insert into evm_slots (chain_id, wallet, nonce, rail, uetr, purpose, sweep, account_id,
      payout_id, attempt, currency, amount, units, token, payee, calldata, to_contract, state,
      adopted_by,
      ended_at)
    select chain_id, wallet, nonce, rail, uetr, purpose, sweep, account_id, payout_id,
      nullif(attempt, 0), currency, amount, units, token, payee, calldata, to_contract, state,
      coalesce(adopted_by, ''), case when state = 'refused' then clock_timestamp() end
    from json_to_recordset(${rowsAsJson(slots)}::text::json) as r(chain_id bigint, wallet text,
      nonce bigint, rail text, uetr text, purpose text, sweep bigint, account_id text,
      payout_id text, attempt integer, currency text, amount bigint, units numeric, token text,
      payee text,
      calldata text, to_contract boolean, state text, adopted_by text)`
}

/** A step of a slot, from the state in which it was read. */
export interface SlotChange extends Place {
  readonly from: SlotState
  readonly to: SlotState
}

const ENDED: readonly SlotState[] = ['paid', 'reverted', 'voided', 'differs']

/**
 * Writes steps of slots. Fails as contention when another process has moved one since it was read,
 * so that no process steps from what is no longer so.
 */
export async function stepSlots(tx: TransactionSql, changes: readonly SlotChange[]): Promise<void> {
  if (changes.length === 0) return
  const rows = changes.map(({ chain_id, wallet, nonce, from, to }) => {
    return { chain_id, wallet, nonce, before: from, after: to, ends: ENDED.includes(to) }
  })
  await tx`
    with written as (
      update evm_slots s set state = r.after,
        ended_at = case when r.ends then clock_timestamp() end,
        suspect_at = case when r.after = 'stopped' then s.suspect_at end
      from json_to_recordset(${rowsAsJson(rows)}::text::json) as r(chain_id bigint, wallet text,
        nonce bigint, before text, after text, ends boolean)
      where s.chain_id = r.chain_id and s.wallet = r.wallet and s.nonce = r.nonce
        and s.state = r.before returning true
    )
    select require_all_written(count(*), ${rows.length}::bigint) from written`
}

/** Notes since when another transaction seems to have the nonces; null takes the doubt back. */
export async function noteSuspects(
  tx: TransactionSql,
  places: readonly Place[],
  suspect_at: Instant | null,
): Promise<void> {
  if (places.length === 0) return
  const rows = places.map(({ chain_id, wallet, nonce }) => ({ chain_id, wallet, nonce }))
  await tx`
    update evm_slots s set suspect_at = ${suspect_at}::timestamptz
    from json_to_recordset(${rowsAsJson(rows)}::text::json)
      as r(chain_id bigint, wallet text, nonce bigint)
    where s.chain_id = r.chain_id and s.wallet = r.wallet and s.nonce = r.nonce and ${OPEN}`
}

/** A wallet, and how many transactions of it the blocks have up to the one that counts. */
export interface Counted {
  readonly address: Hex
  readonly mined: bigint
}

/** What is on its way from a wallet, by token. */
export interface Load {
  readonly wallet: Hex
  readonly token: Hex
  /** Units that the balance at the block still has. */
  readonly units: bigint
  /** The most wei that gas of them may still cost. */
  readonly gas_wei: bigint
}

/** The payments of wallets that are in no block up to the one by which they are counted. */
export async function listLoads(
  tx: Tag,
  chain_id: bigint,
  wallets: readonly Counted[],
): Promise<Load[]> {
  const rows = await tx<(Pick<Load, 'wallet' | 'token'> & Record<'units' | 'gas_wei', string>)[]>`
    select s.wallet, s.token, sum(s.units)::text as units,
      sum(coalesce(t.gas_wei, 0))::text as gas_wei
    from unnest(${wallets.map(({ address }) => address)}::text[],
      ${wallets.map(({ mined }) => String(mined))}::bigint[]) as w (wallet, mined)
    join evm_slots s on s.chain_id = ${chain_id} and s.wallet = w.wallet and s.nonce >= w.mined
    cross join lateral (
      select max(t.gas * t.max_fee) as gas_wei from evm_transactions t
      where t.chain_id = s.chain_id and t.wallet = s.wallet and t.nonce = s.nonce
    ) t
    group by s.wallet, s.token`
  return rows.map(({ units, gas_wei, ...row }) => {
    return { ...row, units: BigInt(units), gas_wei: BigInt(gas_wei) }
  })
}

/** Minor units that wallets have paid since the day of UTC began, by token. */
export async function listPaidToday(tx: Tag, chain_id: bigint, wallets: readonly Hex[]) {
  const rows = await tx<{ wallet: Hex; token: Hex; amount: string }[]>`
    select s.wallet, s.token, sum(s.amount)::text as amount from evm_slots s
    where s.chain_id = ${chain_id} and s.wallet = any (${[...wallets]}::text[])
      and s.made_at >= date_trunc('day', statement_timestamp(), 'UTC')
      and s.nonce is not null and s.purpose = 'pay' and s.state not in ('reverted', 'voided')
    group by s.wallet, s.token`
  return rows.map(({ amount, ...row }) => ({ ...row, amount: BigInt(amount) }))
}

/**
 * A person gives a payment up. False when it is over or in a block, or was given up before. The
 * transaction must name the account.
 */
export async function giveUp(
  tx: Tag,
  { account_id, payout_id, attempt }: SlotKey,
  given: { readonly as: VoidAs; readonly by: string; readonly reason: string },
): Promise<boolean> {
  const { count } = await tx`
    update evm_slots s set void_as = ${given.as}, void_by = ${given.by},
      void_reason = ${given.reason}, void_at = clock_timestamp()
    where s.account_id = ${account_id} and s.payout_id = ${payout_id} and s.attempt = ${attempt}
      and s.purpose = 'pay' and s.state in ('signed', 'sent') and s.void_as = ''`
  return count === 1
}

/** The slots of a payout, the newest first. The transaction must name the account. */
export async function listSlotsOf(tx: Tag, account_id: string, payout_id: string) {
  const rows = await tx<Row[]>`
    select ${COLUMNS} from evm_slots s
    where s.account_id = ${account_id} and s.payout_id = ${payout_id} and s.purpose = 'pay'
    order by s.attempt desc`
  return rows.map(slotOf)
}

/** Inserts the nonces of a wallet that transactions of somebody else have. */
export async function insertForeign(
  tx: TransactionSql,
  rail: string,
  places: readonly Place[],
  adopted_by: string,
): Promise<void> {
  if (places.length === 0) return
  const rows = places.map(({ chain_id, wallet, nonce }) => ({ chain_id, wallet, nonce }))
  await tx`
    insert into evm_slots (chain_id, wallet, nonce, rail, purpose, currency, token, payee, calldata,
      state, adopted_by, ended_at)
    select chain_id, wallet, nonce, ${rail}, 'foreign', '', '', '', '', 'foreign', ${adopted_by},
      clock_timestamp()
    from json_to_recordset(${rowsAsJson(rows)}::text::json)
      as r(chain_id bigint, wallet text, nonce bigint)`
}
