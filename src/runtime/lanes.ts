// Every write of the service, and its lanes. The pool of connections grows by their needs.
import type { Config } from '../config/config.ts'
import {
  type CreatedConversionQuote,
  createConversion,
  createConversionQuote,
} from '../conversions/operations.ts'
import { presentConversion, presentNewConversionQuote } from '../conversions/response.ts'
import type { Converted } from '../conversions/rules.ts'
import { type LanesOptions, LongCommands, type OpenedLanes, planLanes } from '../engine/lanes.ts'
import { loadOnly } from '../engine/load-only.ts'
import { success } from '../http/answer.ts'
import { idempotent, idempotentLong, type Metering } from '../http/idempotency/operations.ts'
import type { FullAt } from '../ledger/quota.ts'
import { answerBeneficiary, writeBeneficiary } from '../parties/beneficiary/operations.ts'
import { answerEntity, type WriteEntity, writeEntity } from '../parties/entity/operations.ts'
import { advancePayout, answerPayout, cancelPayout } from '../payouts/advance/advance-operation.ts'
import { upsertEndedReviews } from '../payouts/advance/hold-store.ts'
import { answerBatch, createBatch, type MadeBatch } from '../payouts/batch/operations.ts'
import { createPayout, type PayoutReference } from '../payouts/create/create-operation.ts'
import type { Payout } from '../payouts/payout.ts'
import { presentPayout } from '../payouts/response.ts'
import { updatePayout } from '../payouts/update-operation.ts'
import { answerQuote, createQuote } from '../quotes/operations.ts'
import {
  advanceClock,
  answerClock,
  answerFunding,
  fundSandbox,
  transitionPayout,
} from '../sandbox/operations.ts'
import type { Lists } from '../screening/lists-in-memory.ts'
import { keepFound } from '../screening/operations.ts'
import { found } from '../values/errors.ts'
import { bookId } from '../values/id.ts'
import type { WebhookOutcome } from '../webhooks/decide.ts'
import { answerWebhook, writeWebhook } from '../webhooks/operations.ts'
import { batchMetrics, type Metrics } from './metrics.ts'
import { payoutReference, type Reference } from './reference.ts'

/** A payout batch of ten thousand payouts takes seconds, and may wait for other batches. */
const BATCH_WAIT_MS = 30_000

export type Lanes = OpenedLanes<ReturnType<typeof planAllLanes>>

/** The lanes of each operation, by the name that routes and workers use. */
export function planAllLanes(config: Config, metrics: Metrics, reference: Reference, lists: Lists) {
  const onBatch = batchMetrics(metrics)
  const often = { lanes: config.lanes, max_batch: config.max_batch, onBatch }
  const seldom = { ...often, lanes: 1 }
  // One command a transaction, for long commands and for commands with long answers.
  const singly = { ...seldom, max_batch: 1 }
  const long_commands = new LongCommands()
  const beside_long = { ...often, long_commands }
  const batches = { ...seldom, long_commands, max_wait_ms: BATCH_WAIT_MS }
  const shared = payoutReference(reference, lists, config.bic)
  const quotaOf = (account_id: string) => found(reference.current().accounts.get(account_id))
  const until = (full_at: FullAt) => ({ quotaOf, fullAt: () => full_at })
  const free = until('quota')
  // What makes a payout, or moves one that exists. A cancellation brings money back.
  const paying = until('twice')
  const freeing = until('never')
  const entities = {
    quotaOf,
    // A submission moves the payouts that wait for the entity's approval.
    fullAt: ({ change }: WriteEntity) => (change.kind === 'submit' ? 'twice' : 'quota') as FullAt,
  }
  const answer = ({ payout }: { readonly payout: Payout }) => success(presentPayout(payout))
  const quotes = { answer: answerQuote, metering: free }
  const made = { answer, metering: paying }
  const batch = { ...paying, writesOf: ({ writes }: MadeBatch) => writes }
  const written = { answer: answerEntity, metering: entities }
  const payees = { answer: answerBeneficiary, metering: free }
  const replayed = ({ deliveries }: WebhookOutcome) => ({ rows: deliveries.length, bytes: 0 })
  const webhooks = { answer: answerWebhook, metering: { ...free, writesOf: replayed } }
  return {
    createQuote: planLanes(idempotent(createQuote(shared), quotes), beside_long),
    createPayout: planLanes(idempotent(createPayout(shared), made), beside_long),
    createBatch: planLanes(
      idempotentLong(createBatch(shared), { answer: answerBatch, metering: batch }),
      batches,
    ),
    tryPayouts: planLanes(loadOnly(createPayout(shared)), batches),
    cancelPayout: planLanes(idempotent(cancelPayout, { answer, metering: freeing }), often),
    updatePayout: planLanes(idempotent(updatePayout, { answer, metering: free }), often),
    answerPayout: planLanes(idempotent(answerPayout, { answer, metering: paying }), seldom),
    advancePayout: planLanes(advancePayout, often),
    writeEntity: planLanes(idempotent(writeEntity(bookId, upsertEndedReviews), written), often),
    writeBeneficiary: planLanes(idempotent(writeBeneficiary(shared), payees), often),
    ...planConversions(shared, free, seldom),
    // A replay of thousands of events must not keep the book of another account locked.
    writeWebhook: planLanes(idempotent(writeWebhook(bookId), webhooks), singly),
    keepFound: planLanes(keepFound, singly),
    advanceClock: planLanes(
      idempotent(advanceClock, { answer: answerClock, metering: free }),
      singly,
    ),
    fundSandbox: planLanes(
      idempotent(fundSandbox, { answer: answerFunding, metering: free }),
      seldom,
    ),
    transitionPayout: planLanes(idempotent(transitionPayout, { answer, metering: free }), seldom),
  }
}

function planConversions(
  shared: PayoutReference,
  metering: Metering<unknown, unknown>,
  options: LanesOptions,
) {
  const quoted = ({ quote }: CreatedConversionQuote) => success(presentNewConversionQuote(quote))
  const made = ({ conversion }: Converted) => success(presentConversion(conversion))
  return {
    createConversionQuote: planLanes(
      idempotent(createConversionQuote(shared), { answer: quoted, metering }),
      options,
    ),
    createConversion: planLanes(
      idempotent(createConversion(shared), { answer: made, metering }),
      options,
    ),
  }
}
