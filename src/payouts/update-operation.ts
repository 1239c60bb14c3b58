// The operation that changes the metadata of a payout.
import type { Maker } from '../accounts/maker.ts'
import type { Operation } from '../engine/operation.ts'
import type { Claiming } from '../http/idempotency/kept-reply.ts'
import { type LockedBooks, lockBooks } from '../ledger/store.ts'
import { accountsOf } from '../sql/shard.ts'
import { storeBooks } from '../statements/balance-transaction/operations.ts'
import type { Event } from '../statements/event/event.ts'
import { found } from '../values/errors.ts'
import { byName, nameOf, payoutKey, uniqueKeys } from '../values/id.ts'
import { decideUpdate } from './metadata.ts'
import { replaceMetadata } from './metadata-store.ts'
import type { ReadPayout } from './payout.ts'
import type { PayoutUpdate } from './request.ts'
import { findOpenPayouts, updateMetadata } from './state-store.ts'

export interface UpdatePayout extends Claiming {
  readonly payout_id: string
  readonly update: PayoutUpdate
  readonly maker: Maker
}

interface UpdateState extends LockedBooks {
  readonly payouts: Map<string, ReadPayout>
}

export interface UpdatedPayout {
  readonly before: ReadPayout
  readonly payout: ReadPayout
  /** Null when nothing has changed. */
  readonly event: Event | null
}

/** PUT /v3/payout/{id}. */
export const updatePayout: Operation<UpdatePayout, UpdateState, UpdatedPayout> = {
  name: 'update_payout',

  async load(tx, commands) {
    const keys = uniqueKeys(commands.map(payoutKey))
    const [locked, payouts] = await Promise.all([
      lockBooks(tx, accountsOf(keys)),
      findOpenPayouts(tx, keys),
    ])
    return { ...locked, payouts: byName(payouts) }
  },

  decide(state, command) {
    const before = found(state.payouts.get(nameOf(payoutKey(command))))
    const { payout, event } = decideUpdate(state, before, command.update, command.maker)
    state.payouts.set(nameOf(payout), payout)
    return { before, payout, event }
  },

  store(tx, outcomes, { books, payouts }) {
    const writes = outcomes.map(({ event }) => ({ events: event ? [event] : [] }))
    const changed = outcomes.filter(({ event }) => event !== null)
    // The state of each payout before its first change, and after its last.
    const byPayout = Map.groupBy(changed, ({ before }) => nameOf(before))
    const first = [...byPayout.values()].flatMap(([one]) => one?.before ?? [])
    const last = first.map(before => payouts.get(nameOf(before)) ?? before)
    return Promise.all([
      ...storeBooks(tx, books, writes),
      ...updateMetadata(tx, last),
      ...replaceMetadata(tx, first, last),
    ])
  },
}
