// The operation by which a person takes a payout to pay it by hand, or releases it unpaid.
import { checkActive } from '../../accounts/states.ts'
import type { Operation } from '../../engine/operation.ts'
import { bookOf } from '../../ledger/rules.ts'
import { type LockedBooks, lockBooks } from '../../ledger/store.ts'
import type { Approvals } from '../../parties/entity/entity.ts'
import { findApprovals } from '../../parties/entity/store.ts'
import type { RailException } from '../../rails/attempt.ts'
import { accountsOf } from '../../sql/shard.ts'
import { storeBooks } from '../../statements/balance-transaction/operations.ts'
import type { Event } from '../../statements/event/event.ts'
import { recordChange } from '../../statements/event/rules.ts'
import { found } from '../../values/errors.ts'
import { byName, nameOf, payoutKey, uniqueKeys } from '../../values/id.ts'
import { keepsAttempts } from '../advance/attempt.ts'
import { loadAttempts } from '../advance/attempt-store.ts'
import { type CoverByHand, coverByHand } from '../advance/cover-store.ts'
import { eventWithPriorState } from '../advance/event-state.ts'
import { checkScreened, checkStillApproved } from '../advance/release.ts'
import { PAYOUT_SEAL } from '../columns.ts'
import type { OpenPayout, Payout } from '../payout.ts'
import { checkDue } from '../schedule.ts'
import { findOpenPayouts, updateTaken } from '../state-store.ts'
import {
  checkCovered,
  checkNoOpenException,
  decideHandling,
  type Handling,
  personFacts,
} from './by-hand.ts'

interface HandlePayout extends Handling {
  readonly account_id: string
  readonly payout_id: string
}

interface HandlingState extends LockedBooks {
  readonly payouts: Map<string, OpenPayout>
  /** By `account_id/payout id`. */
  readonly exceptions: ReadonlyMap<string, readonly RailException[]>
  /** The approvals of the entities of scheduled payouts. */
  readonly approvals: Approvals
  /** Of payouts that nobody has taken and whose nostro has a gate, by `account_id/payout id`. */
  readonly covers: ReadonlyMap<string, CoverByHand>
}

interface Handled {
  readonly before: Payout
  readonly payout: Payout
  readonly event: Event
}

/** The events from which an account learns whether it can still cancel the payout. */
const HANDLING_EVENTS = { take: 'payout.taken', release: 'payout.released' } as const

export const handlePayout: Operation<HandlePayout, HandlingState, Handled> = {
  name: 'handle_payout',

  async load(tx, commands) {
    const keys = uniqueKeys(commands.map(payoutKey))
    const [locked, payouts] = await Promise.all([
      lockBooks(tx, accountsOf(keys)),
      findOpenPayouts(tx, keys),
    ])
    const taken = new Set(commands.filter(({ act }) => act === 'take').map(one => one.payout_id))
    const untaken = payouts.filter(({ id, taken_by }) => taken.has(id) && taken_by === '')
    const [{ exceptions }, approvals, covers] = await Promise.all([
      loadAttempts(tx, payouts.filter(keepsAttempts)),
      findApprovals(tx, uniqueKeys(payouts.flatMap(scheduledFor))),
      coverByHand(tx, untaken),
    ])
    return { ...locked, payouts: byName(payouts), exceptions, approvals: byName(approvals), covers }
  },

  decide({ books, payouts, exceptions, approvals, covers, lists_version }, command) {
    const { act, person } = command
    const before = found(payouts.get(nameOf(payoutKey(command))))
    const book = bookOf(books, command.account_id)
    if (act === 'take') {
      checkActive(book)
      checkDue(before, book.now)
      checkStillApproved(approvals, before)
      checkNoOpenException(before, exceptions.get(nameOf(before)) ?? [])
    }
    const payout = { ...before, ...decideHandling(before, command, book.now) }
    if (act === 'take') {
      checkScreened(before, lists_version)
      checkCovered(before, covers.get(nameOf(before)))
    }
    payouts.set(nameOf(payout), payout)
    const { status } = payout
    const facts = { status, by: 'operator', journals: [], ...personFacts(person) }
    const content = PAYOUT_SEAL.digest(payout)
    const event = recordChange({ books }, payout, HANDLING_EVENTS[act], facts, content)
    return { before, payout, event: eventWithPriorState(before, payout, event) }
  },

  store(tx, outcomes, { books }) {
    const writes = outcomes.map(({ event }) => ({ events: [event] }))
    const payouts = outcomes.map(outcome => outcome.payout)
    return Promise.all([...storeBooks(tx, books, writes), updateTaken(tx, payouts)])
  },
}

/**
 * The entity of a scheduled payout. Its approval is checked again before a person takes the payout.
 */
function scheduledFor({ account_id, execute_at, particulars: { on_behalf_of: id } }: Payout) {
  return execute_at === null || id === '' ? [] : [{ account_id, id }]
}
