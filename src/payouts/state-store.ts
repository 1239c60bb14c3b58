// The SQL statements of payout states. A payout has a narrow row in `open_payouts` while work
// remains, and a row in `payout_outcomes` when it is over. Steps write these rows under the lock of
// the payout's book. Workers claim open payouts without that lock (claim-store.ts).
import type { TransactionSql } from '../sql/connect.ts'
import { keysOf, selectByKeys } from '../sql/keys.ts'
import { deleter, inRounds, inserter, updater } from '../sql/rows.ts'
import { eachShard, within } from '../sql/shard.ts'
import { inLockOrder, type Key, nameOf } from '../values/id.ts'
import type { Advance } from './advance/advance.ts'
import { STATE_KINDS } from './columns.ts'
import type { OpenPayout, Payout, ReadPayout } from './payout.ts'
import { isOpen, OPEN_STATUSES } from './states.ts'
import { joinState, PAYOUT_COLUMNS, type PayoutRow, payoutOf, STATE_COLUMNS } from './store.ts'

const KEY = ['account_id', 'id'] as const
const KEY_KINDS = { account_id: 'text', id: 'text' } as const

type State = Pick<Payout, keyof typeof STATE_KINDS>
type Waiting = 'ask_rail_at' | 'claimed_until' | 'screened' | 'screening'
type OpenRow = Key & Omit<State, 'succeeded_at'> & Pick<OpenPayout, Waiting>
type NewRow = OpenRow & Pick<OpenPayout, 'execute_at'>
type OutcomeRow = Key & Omit<State, 'held_for'> & Pick<OpenPayout, 'rail_attempts'>

const { succeeded_at: _never, ...OPEN_STATE } = STATE_KINDS
const OPEN_KINDS = {
  ...KEY_KINDS,
  ...OPEN_STATE,
  ask_rail_at: 'timestamptz',
  claimed_until: 'timestamptz',
  screened: 'bigint',
  screening: 'text',
} as const

const { held_for: _ended, ...OUTCOME_STATE } = STATE_KINDS
const OUTCOME_KINDS = { ...KEY_KINDS, ...OUTCOME_STATE, rail_attempts: 'integer' } as const

/** The columns of a new row, with `execute_at`, which no step changes. */
const NEW_KINDS = { ...OPEN_KINDS, execute_at: 'timestamptz' } as const

const insertOpen = inserter<NewRow>('open_payouts', NEW_KINDS)

/** Inserts rows of payouts that have succeeded already, with how often their rails were asked. */
export const insertOpenPayouts = inserter<NewRow & Pick<OpenPayout, 'rail_attempts'>>(
  'open_payouts',
  { ...NEW_KINDS, rail_attempts: 'integer' },
)

const updateOpen = updater<OpenRow>('open_payouts', KEY, OPEN_KINDS)

const deleteOpen = deleter<Key>('open_payouts', KEY_KINDS)

/** Writes which person has taken the payout. */
export const updateTaken = updater<Key & Pick<State, 'taken_by' | 'taken_at' | 'updated_at'>>(
  'open_payouts',
  KEY,
  { ...KEY_KINDS, taken_by: 'text', taken_at: 'timestamptz', updated_at: 'timestamptz' },
)

const metadataIn = (table: string) =>
  updater<Key & Pick<State, 'metadata'>>(table, KEY, { ...KEY_KINDS, metadata: 'json' })
const updateOpenMetadata = metadataIn('open_payouts')
const updateOutcomeMetadata = metadataIn('payout_outcomes')

/** Writes the metadata of payouts to every state row that they have. */
export function updateMetadata(tx: TransactionSql, payouts: readonly ReadPayout[]) {
  const open = payouts.filter(({ is_open }) => is_open)
  return [updateOpenMetadata(tx, open), updateOutcomeMetadata(tx, payouts.filter(isOver))]
}

const insertOutcomes = inserter<OutcomeRow>('payout_outcomes', OUTCOME_KINDS)

/** The columns that a reversal changes. */
const updateOutcomes = updater<
  Omit<OutcomeRow, 'answers' | 'metadata' | 'rail' | 'taken_by' | 'taken_at' | 'expected_at'>
>('payout_outcomes', KEY, {
  ...KEY_KINDS,
  status: 'text',
  status_description: 'text',
  failure: 'json',
  rail_steps: 'integer',
  rail_attempts: 'integer',
  rail_reference: 'text',
  taken_over_at: 'timestamptz',
  succeeded_at: 'timestamptz',
  updated_at: 'timestamptz',
})

export function insertStates(tx: TransactionSql, payouts: readonly OpenPayout[]) {
  return Promise.all([
    insertOpen(tx, payouts.filter(isOpen)),
    insertOutcomes(tx, payouts.filter(isOver)),
  ])
}

/**
 * Writes the changes of payouts since they were read. `read` and `last` have each payout before its
 * first and after its last step. A trigger checks each status against the previous one, so a payout
 * is written once for each step in `versions`.
 */
export function writeStates(
  tx: TransactionSql,
  read: ReadonlyMap<string, ReadPayout>,
  versions: readonly OpenPayout[],
  last: readonly OpenPayout[],
) {
  const versionsOf = Map.groupBy(versions, nameOf)
  const writes = last.flatMap(payout => {
    const name = nameOf(payout)
    const before = read.get(name)
    return before === undefined ? [] : writesOf(before, versionsOf.get(name) ?? [], payout)
  })
  return Promise.all(
    inRounds(writes).flatMap(round =>
      WRITES.flatMap(([kind, write]) => {
        const rows = round.filter(one => one.kind === kind).map(({ payout }) => payout)
        return rows.length === 0 ? [] : [write(tx, rows)]
      }),
    ),
  )
}

/** The kinds of writes. Each runs once a round, for the rows of its kind. */
const WRITES = [
  ['open', updateOpen],
  ['end', insertOutcomes],
  ['change', updateOutcomes],
  ['close', deleteOpen],
] as const

interface StateWrite extends Key {
  readonly kind: (typeof WRITES)[number][0]
  readonly payout: OpenPayout
}

/** The writes that bring one payout from its state as read to its last version, in order. */
function writesOf(read: ReadPayout, versions: readonly OpenPayout[], last: OpenPayout) {
  const writes: StateWrite[] = []
  const add = (kind: StateWrite['kind'], payout: OpenPayout) => {
    writes.push({ account_id: payout.account_id, id: payout.id, kind, payout })
  }
  // Successive versions of one status differ only in when the rail is asked. The last is written.
  const written = versions.filter((payout, i) => payout.status !== versions[i + 1]?.status)
  let before: OpenPayout = read
  for (const [i, payout] of written.entries()) {
    if (isOver(payout)) add(isOver(before) ? 'change' : 'end', payout)
    // The last open version is written below.
    else if (i < written.length - 1) add('open', payout)
    before = payout
  }
  if (isOpen(last)) add('open', last)
  else if (read.is_open) add('close', last)
  return writes
}

function isOver({ status }: { readonly status: Payout['status'] }): boolean {
  return !OPEN_STATUSES.includes(status)
}

/**
 * The other payouts that the bank references of these steps have paid, by payout id. A concurrent
 * call with the same reference waits until this transaction ends.
 */
export async function findPaidElsewhere(
  tx: TransactionSql,
  advances: readonly Advance[],
  payouts: ReadonlyMap<string, Payout>,
): Promise<ReadonlyMap<string, Key>> {
  const references = advances.flatMap(advance => {
    if (advance.by !== 'operator') return []
    const { account_id, payout_id, person, steps } = advance
    if (person === undefined || !steps.some(({ status }) => status === 'succeeded')) return []
    const stored = payouts.get(nameOf({ account_id, id: payout_id }))?.rail_reference ?? ''
    const reference = person.reference ?? stored
    return reference === '' ? [] : [{ payout_id, reference }]
  })
  if (references.length === 0) return new Map()
  const rows = await tx<{ asked_id: string; account_id: string; id: string }[]>`
    select asked_id, account_id, id from paid_elsewhere(
      ${references.map(({ payout_id }) => payout_id)}::text[],
      ${references.map(({ reference }) => reference)}::text[])`
  return new Map(rows.map(({ asked_id, ...other }) => [asked_id, other]))
}

/** Payouts by (account, id), with their row of `open_payouts` if there is one, in no order. */
export async function findOpenPayouts(tx: TransactionSql, keys: readonly Key[]) {
  const columns = [...PAYOUT_COLUMNS, ...STATE_COLUMNS]
  const rows = await eachShard(
    keys,
    keys => tx<(PayoutRow & Omit<ReadPayout, keyof Payout>)[]>`
      select r.* from ${keysOf(keys)}
      cross join lateral (
        select ${tx(columns)}, ask_rail_at, claimed_until, screened,
          coalesce(screening, '') as screening, coalesce(is_open, false) as is_open,
          coalesce(o.rail_attempts, s.rail_attempts) as rail_attempts
        from payouts p ${joinState(tx, keys)}
        left join lateral (
          select true as is_open, ask_rail_at, claimed_until, rail_attempts, screened, screening
          from open_payouts o
          where o.account_id = p.account_id and o.id = p.id ${within('o', keys)} limit 1
        ) o on true
        where p.account_id = k.account_id and p.id = k.id ${within('p', keys)} limit 1
      ) r`,
  )
  return rows.map(row => ({ ...row, ...payoutOf(row) }))
}

/**
 * Keeps workers from claiming these payouts until the transaction ends. Locks their rows in the
 * order of (account, id), under the locks of their books. The lock waits for a claim that is under
 * way, so that later reads see that claim. A later claim sees what this transaction writes.
 */
export async function lockOpenPayouts(tx: TransactionSql, keys: readonly Key[]): Promise<void> {
  await selectByKeys(
    tx,
    'id',
    inLockOrder(keys),
    ofKey => tx`select t.id from open_payouts t where ${ofKey} limit 1 for update`,
  )
}

type LockedPayout = Key & Pick<OpenPayout, 'status' | 'rail' | 'taken_over_at' | 'screened'>

/**
 * Locks the open payouts and returns them. The lock has the order and the end of `lockOpenPayouts`.
 */
export async function lockWaiting(
  tx: TransactionSql,
  keys: readonly Key[],
): Promise<LockedPayout[]> {
  return selectByKeys(
    tx,
    'id',
    inLockOrder(keys),
    ofKey => tx`
      select t.account_id, t.id, t.status, t.rail, t.taken_over_at, t.screened
      from open_payouts t where ${ofKey} and t.status <> 'succeeded' limit 1 for update`,
  )
}
