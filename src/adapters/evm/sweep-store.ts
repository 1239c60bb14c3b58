// The SQL statements of evm_sweeps: what a person asks to move from a wallet to the house's own
// address, and who has agreed.
import type { Sql } from '../../sql/connect.ts'
import { sql, type Tag } from '../../sql/sql.ts'
import type { Instant } from '../../values/instant.ts'
import type { Hex } from './chain.ts'
import type { SlotState } from './slot.ts'

export interface NewSweep {
  readonly chain_id: bigint
  readonly rail: string
  readonly wallet: Hex
  /** The house's own address. */
  readonly payee: Hex
  readonly currency: string
  /** Minor units. */
  readonly amount: bigint
  readonly asked_by: string
  readonly reason: string
}

export interface Sweep extends NewSweep {
  readonly id: bigint
  readonly asked_at: Instant
  /** '' until another person agrees. */
  readonly agreed_by: string
  readonly agreed_at: Instant | null
  /** The state of its payment; null before it has one. */
  readonly state: SlotState | null
  /** The transaction that a block has, or the last one; '' for none. */
  readonly transaction: Hex | ''
}

/** An agreement that no payment has followed is over after this time: balances change. */
const GOOD_FOR = sql`interval '1 day'`

const COLUMNS = sql`
  w.id, w.chain_id, w.rail, w.wallet, w.payee, w.currency, w.amount, w.asked_by, w.asked_at,
  w.reason, w.agreed_by, w.agreed_at, s.state, coalesce(t.hash, '') as transaction`

const WITH_PAYMENT = sql`
  evm_sweeps w left join evm_slots s on s.sweep = w.id
  left join lateral (
    select hash from evm_transactions t where t.chain_id = s.chain_id and t.wallet = s.wallet
      and t.nonce = s.nonce order by t.block nulls last, t.number desc limit 1) t on true`

export async function insertSweep(sql: Tag, sweep: NewSweep): Promise<bigint> {
  const { chain_id, rail, wallet, payee, currency, amount, asked_by, reason } = sweep
  const [row] = await sql<{ id: bigint }[]>`
    insert into evm_sweeps (chain_id, rail, wallet, payee, currency, amount, asked_by, reason)
    values (${chain_id}, ${rail}, ${wallet}, ${payee}, ${currency}, ${amount}, ${asked_by},
      ${reason})
    returning id`
  if (row === undefined) throw new Error('no id for a sweep')
  return row.id
}

/** False when somebody has agreed before. Fails by `sweep_by_two` for the person who asked. */
export async function agreeToSweep(sql: Tag, id: bigint, person: string): Promise<boolean> {
  const { count } = await sql`
    update evm_sweeps set agreed_by = ${person}, agreed_at = clock_timestamp()
    where id = ${id}::bigint and agreed_by = ''`
  return count === 1
}

/** Undefined for an unknown one. The reader sees every slot. */
export async function findSweep(sql: Tag, id: bigint): Promise<Sweep | undefined> {
  const [row] = await sql<Sweep[]>`
    select ${COLUMNS} from ${WITH_PAYMENT} where w.id = ${id}::bigint`
  return row
}

/** The newest first. The reader sees every slot. */
export function listSweeps(sql: Tag, rail: string, limit: number): Promise<Sweep[]> {
  return sql<Sweep[]>`
    select ${COLUMNS} from ${WITH_PAYMENT} where w.rail = ${rail} order by w.id desc limit ${limit}`
}

/** Those that two people want and that no payment has followed. */
export type AgreedSweep = Pick<NewSweep, 'wallet' | 'payee' | 'currency' | 'amount'> & {
  readonly id: bigint
}

/**
 * The oldest first. After a restore an unknown transaction of the wallet may have been the sweep,
 * so people ask for it again.
 */
export async function listAgreed(sql: Sql, rail: string): Promise<AgreedSweep[]> {
  return sql.begin(async tx => {
    void tx`select set_config('corridor.house', 'on', true)`.execute()
    return tx<AgreedSweep[]>`
      select w.id, w.wallet, w.payee, w.currency, w.amount from evm_sweeps w
      where w.rail = ${rail} and w.agreed_at > clock_timestamp() - ${GOOD_FOR}
        and not exists (select from evm_slots s where s.sweep = w.id)
        and not exists (
          select from evm_slots s where s.chain_id = w.chain_id and s.wallet = w.wallet
            and s.token = '' and s.purpose = 'foreign' and s.made_at > w.agreed_at)
      order by w.id limit 10`
  })
}
