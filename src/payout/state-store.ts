// The writes of how payouts stand: a narrow row each, in `open_payouts` while something is still to
// be done and in `payout_outcomes` when the payout is over. Written in the transactions of the
// payouts' steps, under the locks of their books.
import type { TransactionSql } from '../db/connect.ts'
import { deleter, inRounds, inserter, updater } from '../db/rows.ts'
import { type Key, nameOf } from '../id.ts'
import { STATE_KINDS } from './columns.ts'
import type { OpenPayout, Payout, ReadPayout } from './payout.ts'
import { isOpen, OPEN_STATUSES } from './states.ts'

const KEY = ['account_id', 'id'] as const
const KEY_KINDS = { account_id: 'text', id: 'text' } as const

type State = Pick<Payout, keyof typeof STATE_KINDS>
type OpenRow = Key & State & Pick<OpenPayout, 'ask_rail_at' | 'claimed_until'>
type OutcomeRow = Key & Omit<State, 'held_for'> & Pick<OpenPayout, 'rail_attempts'>

const OPEN_KINDS = {
  ...KEY_KINDS,
  ...STATE_KINDS,
  ask_rail_at: 'timestamptz',
  claimed_until: 'timestamptz',
} as const

const { held_for: _, ...OUTCOME_STATE } = STATE_KINDS
const OUTCOME_KINDS = { ...KEY_KINDS, ...OUTCOME_STATE, rail_attempts: 'integer' } as const

const insertOpen = inserter<OpenRow & Pick<Payout, 'rail'>>('open_payouts', {
  ...OPEN_KINDS,
  rail: 'text',
})

const updateOpen = updater<OpenRow>('open_payouts', KEY, OPEN_KINDS)

const deleteOpen = deleter<Key>('open_payouts', KEY_KINDS)

/** Writes who pays by hand. */
export const updateTaken = updater<Key & Pick<State, 'taken_by' | 'taken_at' | 'updated_at'>>(
  'open_payouts',
  KEY,
  { ...KEY_KINDS, taken_by: 'text', taken_at: 'timestamptz', updated_at: 'timestamptz' },
)

const insertOutcomes = inserter<OutcomeRow & Pick<Payout, 'rail'>>('payout_outcomes', {
  ...OUTCOME_KINDS,
  rail: 'text',
})

/** What a reversal says; who has paid, and what the account has answered, stays. */
const updateOutcomes = updater<Omit<OutcomeRow, 'answers' | 'taken_by' | 'taken_at'>>(
  'payout_outcomes',
  KEY,
  {
    ...KEY_KINDS,
    status: 'text',
    status_description: 'text',
    failure: 'json',
    rail_steps: 'integer',
    rail_attempts: 'integer',
    rail_reference: 'text',
    updated_at: 'timestamptz',
  },
)

/** Of payouts that are being made. */
export function insertStates(tx: TransactionSql, payouts: readonly OpenPayout[]) {
  const open = payouts.filter(isOpen)
  const over = payouts.filter(isOver)
  return Promise.all([
    open.length > 0 && insertOpen(tx, open),
    over.length > 0 && insertOutcomes(tx, over),
  ])
}

/**
 * Follows what payouts have become since they were read, by `account_id/id`: `passed` is what each
 * step left, in order. The database judges each status by the one before it, so that a payout that
 * took several steps is written once for each status it went through.
 */
export function writeStates(
  tx: TransactionSql,
  read: ReadonlyMap<string, ReadPayout>,
  passed: readonly OpenPayout[],
  last: readonly OpenPayout[],
) {
  const steps = Map.groupBy(passed, nameOf)
  const moves = last.flatMap(payout => {
    const name = nameOf(payout)
    const before = read.get(name)
    return before === undefined ? [] : movesOf(before, steps.get(name) ?? [], payout)
  })
  return Promise.all(
    inRounds(moves).flatMap(round =>
      WRITES.flatMap(([kind, write]) => {
        const rows = round.filter(move => move.kind === kind).map(({ payout }) => payout)
        return rows.length === 0 ? [] : [write(tx, rows)]
      }),
    ),
  )
}

/** Of a round that moves rows from one table to the other each kind of write has its own rows. */
const WRITES = [
  ['open', updateOpen],
  ['end', insertOutcomes],
  ['change', updateOutcomes],
  ['close', deleteOpen],
] as const

interface Move extends Key {
  readonly kind: (typeof WRITES)[number][0]
  readonly payout: OpenPayout
}

/** The writes that take one payout from as it was read to as it is now, in order. */
function movesOf(
  read: ReadPayout,
  steps: readonly OpenPayout[],
  last: OpenPayout,
): readonly Move[] {
  const moves: Move[] = []
  const move = (kind: Move['kind'], payout: OpenPayout) => {
    moves.push({ account_id: payout.account_id, id: payout.id, kind, payout })
  }
  // What is not a step changes only when the rail is to be asked.
  const versions = steps.filter((payout, i) => payout.status !== steps[i + 1]?.status)
  let before: OpenPayout = read
  for (const [i, payout] of versions.entries()) {
    if (isOver(payout)) move(isOver(before) ? 'change' : 'end', payout)
    // The last is written below.
    else if (i < versions.length - 1) move('open', payout)
    before = payout
  }
  if (isOpen(last)) move('open', last)
  else if (read.is_open) move('close', last)
  return moves
}

function isOver({ status }: { readonly status: Payout['status'] }): boolean {
  return !OPEN_STATUSES.includes(status)
}
