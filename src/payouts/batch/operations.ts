// The operation that makes a batch of payouts. It loads them like single payouts, decides one after
// the other on one state, and stores them in portions. Also the dry run of a batch.
import { checkActive } from '../../accounts/states.ts'
import { type LongOperation, loadingAll } from '../../engine/operation.ts'
import { success } from '../../http/answer.ts'
import type { Reply, Written } from '../../http/idempotency/kept-reply.ts'
import { bookOf } from '../../ledger/rules.ts'
import { updateBooks } from '../../ledger/store.ts'
import { forEachInTurns, nextTurn } from '../../values/event-loop.ts'
import {
  type Beneficiaries,
  createPayout,
  type PayoutReference,
} from '../create/create-operation.ts'
import type { CreatePayout, PayoutState } from '../payout.ts'
import { presentPayout } from '../response.ts'
import type { BatchItem, Decided, PayoutBatch } from './batch.ts'
import { type BatchRequest, modeOf } from './request.ts'
import { presentBatch, presentDryRun } from './response.ts'
import {
  addToTally,
  decideItem,
  isRefused,
  itemOf,
  makeBatch,
  makesPayouts,
  newTally,
  refusalOf,
  type Tally,
} from './rules.ts'
import { insertBatches, insertItems } from './store.ts'

export type BatchCommand = Omit<CreatePayout, 'request'> & { readonly request: BatchRequest }

export interface MadeBatch {
  readonly batch: PayoutBatch
  /** The refused payouts that the answer lists. */
  readonly refused: readonly BatchItem[]
  readonly writes: Written
}

/**
 * How many payouts are stored together. Measured: ten thousand payouts in portions of 64 take
 * PostgreSQL half as long again.
 */
const PORTION = 128

/** The most portions that are sent and unanswered. More portions would only wait in memory. */
const MAX_ON_THEIR_WAY = 4

/** POST /v3/payout_batch: all payouts, the batch and its items in one transaction. */
export function createBatch(
  reference: PayoutReference,
): LongOperation<BatchCommand, PayoutState, MadeBatch, Beneficiaries> {
  const payouts = createPayout(reference)
  return {
    ...loadingAll(payouts, payoutsOf),
    name: 'create_payout_batch',

    async settle(tx, state, command, answered) {
      const { account_id, request, maker: made_by } = command
      const mode = modeOf(request)
      const tally = newTally()
      const stores: Promise<unknown>[] = []
      const book = bookOf(state.books, account_id)
      const id = state.bookId(book, 'pob')
      const store = (decided: readonly Decided[]) => {
        const outcomes = decided.flatMap(({ outcome }) => outcome ?? [])
        const items = decided.map(one => itemOf(account_id, id, one))
        const stored = Promise.all([
          outcomes.length > 0 && payouts.store(tx, outcomes, state),
          insertItems(tx, items),
        ])
        // The promise is awaited below. A rejection must be handled before.
        stored.catch(() => {})
        stores.push(stored)
      }
      // The last portion with payouts. It is stored after the answer is made, because its events
      // carry the answer's digest.
      let last: readonly Decided[] = []
      // Refused payouts before the first payout that is made.
      const refused_first: Decided[] = []
      for (let i = 0; i < request.payouts.length; i += PORTION) {
        const decided: Decided[] = []
        await forEachInTurns(request.payouts.slice(i, i + PORTION), (payout, k) => {
          const one = decideItem(state, payout, i + k)
          addToWritten(tally, one)
          decided.push(one)
        })
        // Making the rows takes as long as one turn of decisions.
        await nextTurn()
        // Once the whole batch is refused, later payouts are decided only to report their problems.
        if (!makesPayouts(tally)) refused_first.push(...decided)
        else if (!isRefused(mode, tally)) {
          if (refused_first.length > 0) store(refused_first.splice(0))
          const pays = decided.some(({ outcome }) => outcome !== null)
          store(pays ? last : decided)
          if (pays) last = decided
        }
        await nextTurn()
        await stores.at(-MAX_ON_THEIR_WAY)
      }
      const outcome = madeBatch({ account_id, id, made_by, created_at: book.now }, request, tally)
      answered(outcome)
      store(last)
      // The answer has changed the book's counts.
      await Promise.all([...stores, updateBooks(tx, [book]), insertBatches(tx, [outcome.batch])])
      return outcome
    },
  }
}

/** The batch. Refuses a batch by its mode, and one that makes no payout. */
function madeBatch(
  identity: Pick<PayoutBatch, 'account_id' | 'id' | 'made_by' | 'created_at'>,
  request: BatchRequest,
  tally: Tally,
): MadeBatch {
  if (isRefused(modeOf(request), tally) || !makesPayouts(tally)) throw refusalOf(tally)
  const batch = makeBatch(identity, request, tally)
  const refused = tally.refused.map(one => itemOf(identity.account_id, identity.id, one))
  // Each payout has a row and an item, a refused one its item alone.
  const { created, held } = tally.counts
  const rows = request.payouts.length + created + held
  return {
    batch,
    refused,
    writes: { rows, bytes: tally.text_bytes, has_refused: refused.length > 0 },
  }
}

export function answerBatch({ batch, refused }: MadeBatch): Reply {
  return success(presentBatch(batch, refused))
}

/** As `addToTally`, with the bytes of the payout, or of its problems. */
function addToWritten(tally: Tally, decided: Decided): void {
  const { outcome, problems } = decided
  addToTally(tally, decided)
  const text = JSON.stringify(outcome === null ? problems : presentPayout(outcome.payout))
  tally.text_bytes += Buffer.byteLength(text)
}

/** The dry run of a batch: runs its decisions, and stores nothing. */
export async function tryBatch(state: PayoutState, command: BatchCommand) {
  const { account_id, request, maker: made_by } = command
  const tally = newTally()
  const all: Decided[] = []
  const book = bookOf(state.books, account_id)
  checkActive(book)
  await forEachInTurns(request.payouts, (payout, position) => {
    const decided = decideItem(state, payout, position)
    addToTally(tally, decided)
    all.push(decided)
  })
  const batch = makeBatch({ account_id, id: '', made_by, created_at: book.now }, request, tally)
  return success(presentDryRun(batch, all))
}

/** The commands of a batch's payouts, as if each payout was requested alone. */
export function payoutsOf({ request, ...command }: BatchCommand): CreatePayout[] {
  return request.payouts.map(payout => ({ ...command, request: payout, claim: null }))
}
