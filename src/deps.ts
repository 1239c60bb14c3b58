// Everything impure that the service is made of, in one type: connections, reference data, lanes,
// readers, log. Tests build the same from a database of their own.
import type { FastifyBaseLogger } from 'fastify'
import { type KeyUses, openKeyUses } from './account/key-uses.ts'
import type { BalanceTransaction } from './balance-transaction/rules.ts'
import { findBalanceTransactions } from './balance-transaction/store.ts'
import {
  type WriteBeneficiary,
  type WrittenBeneficiary,
  writeBeneficiary,
} from './beneficiary/operations.ts'
import type { Beneficiary } from './beneficiary/rules.ts'
import { findBeneficiaries } from './beneficiary/store.ts'
import type { Config } from './config.ts'
import { readConfined } from './db/confine.ts'
import { connect, type Sql, type TransactionSql } from './db/connect.ts'
import { learnShards } from './db/shard.ts'
import { Aside } from './engine/aside.ts'
import { FairTurns } from './engine/fair.ts'
import { Lanes } from './engine/lane.ts'
import { unlessLate } from './engine/late.ts'
import { reader } from './engine/reader.ts'
import { type WriteEntity, type WrittenEntity, writeEntity } from './entity/operations.ts'
import type { Entity } from './entity/record.ts'
import { findEntities } from './entity/store.ts'
import type { NamedEvent } from './event/rules.ts'
import { findEvents } from './event/store.ts'
import type { Correction } from './funding/rules.ts'
import { bookId, type Key } from './id.ts'
import { type Answered, idempotent, idempotentLong } from './idempotency/operations.ts'
import { batchMetrics, type Metrics } from './metrics.ts'
import { keptPayout } from './payout/kept.ts'
import {
  type AnswerPayout,
  advancePayout,
  answerPayout,
  type CancelledPayout,
  type CancelPayout,
  type CreatedPayout,
  type CreatePayout,
  cancelPayout,
  createPayout,
} from './payout/operations.ts'
import type { Payout, PayoutState } from './payout/rules.ts'
import { findPayouts, upsertEndedReviews } from './payout/store.ts'
import type { Advance, AdvanceOutcome } from './payout/transition.ts'
import {
  type BatchCommand,
  createBatch,
  loadBatch,
  type MadeBatch,
} from './payout-batch/operations.ts'
import type { PayoutBatch } from './payout-batch/rules.ts'
import { findBatches } from './payout-batch/store.ts'
import { type CreatedQuote, type CreateQuote, createQuote } from './quote/operations.ts'
import type { Quote } from './quote/rules.ts'
import { findQuotes } from './quote/store.ts'
import { type Rails, SIMULATOR } from './rail/rail.ts'
import { simulator } from './rail/simulator.ts'
import { openReference, type Reference } from './reference.ts'
import {
  type AdvanceClock,
  type AdvancedClock,
  advanceClock,
  type FundSandbox,
  fundSandbox,
  type TransitionPayout,
  transitionPayout,
} from './sandbox/operations.ts'
import { type WriteWebhook, type WrittenWebhook, writeWebhook } from './webhook/operations.ts'
import type { WebhookEndpoint } from './webhook/rules.ts'
import { findEndpoints } from './webhook/store.ts'

/** For the rounds of the settling worker, and what is forgotten. */
const WORK_CONNECTIONS = 3

/** Ten thousand payouts take seconds, and a batch may wait for others before it. */
const BATCH_WAIT_MS = 30_000

interface Runs<Command, Outcome> {
  run(command: Command): Promise<Outcome>
}

export interface Deps {
  readonly config: Config
  readonly log: FastifyBaseLogger
  /**
   * For the service's own work: what belongs to no account, and transactions that name theirs. No
   * request waits for it, nor it for one.
   */
  readonly sql: Sql
  /**
   * For what requests read, in turn. Writes go through the lanes, which have connections of their
   * own.
   */
  readonly reads: Sql
  /** Reads of one account on `reads`, when it is that account's turn. */
  inTurn<T>(account_id: string, work: () => Promise<T>): Promise<T>
  /** Finds what is due in any account. */
  readonly finder: Sql
  /** Reads of one account; the transaction shows no other's rows. */
  read<T>(
    account_id: string,
    work: (tx: TransactionSql, account_id: string) => Promise<T>,
  ): Promise<T>
  readonly reference: Reference
  readonly keyUses: KeyUses
  readonly metrics: Metrics
  /** The rails that this process asks. */
  readonly rails: Rails
  readonly lanes: {
    readonly createQuote: Runs<CreateQuote, Answered<CreatedQuote>>
    readonly createPayout: Runs<CreatePayout, Answered<CreatedPayout>>
    readonly createBatch: Runs<BatchCommand, Answered<MadeBatch>>
    readonly loadBatch: Runs<BatchCommand, PayoutState>
    readonly cancelPayout: Runs<CancelPayout, Answered<CancelledPayout>>
    readonly answerPayout: Runs<AnswerPayout, Answered<CancelledPayout>>
    readonly advancePayout: Runs<Advance, AdvanceOutcome>
    readonly writeEntity: Runs<WriteEntity, Answered<WrittenEntity>>
    readonly writeBeneficiary: Runs<WriteBeneficiary, Answered<WrittenBeneficiary>>
    readonly writeWebhook: Runs<WriteWebhook, Answered<WrittenWebhook>>
    readonly advanceClock: Runs<AdvanceClock, Answered<AdvancedClock>>
    readonly fundSandbox: Runs<FundSandbox, Answered<Correction>>
    readonly transitionPayout: Runs<TransitionPayout, Answered<AdvanceOutcome>>
  }
  /** Reads by id, gathered: all requests of one tick are one statement. */
  readonly readers: {
    quote(key: Key): Promise<Quote | undefined>
    payout(key: Key): Promise<Payout | undefined>
    payoutBatch(key: Key): Promise<PayoutBatch | undefined>
    balanceTransaction(key: Key): Promise<BalanceTransaction | undefined>
    entity(key: Key): Promise<Entity | undefined>
    event(key: Key): Promise<NamedEvent | undefined>
    beneficiary(key: Key): Promise<Beneficiary | undefined>
    webhookEndpoint(key: Key): Promise<WebhookEndpoint | undefined>
  }
  close(): Promise<void>
}

/** Opens everything on a migrated database. */
export async function openDeps(
  url: string,
  config: Config,
  log: FastifyBaseLogger,
  metrics: Metrics,
): Promise<Deps> {
  const open = (max: number, as: 'service' | 'finder' = 'service') =>
    connect(url, { max, as, look_ups: true })
  // What every request stands on must not wait behind the reads of one account.
  const watch = open(1)
  const sql = open(WORK_CONNECTIONS)
  const reads = open(config.read_connections)
  const turns = new FairTurns(config.read_connections)
  const inTurn: Deps['inTurn'] = (account_id, work) => turns.run(account_id, work)
  // Two for each lane, so that no batch waits for a connection: of the six operations that payouts
  // are made with, of the seven that are asked for seldom, which have one lane each, and of the
  // sidings of two.
  const writes = open(12 * config.lanes + 18)
  const finder = open(2, 'finder')
  const pools = [watch, sql, reads, writes, finder]
  const disconnect = () => Promise.all(pools.map(pool => pool.end({ timeout: 5 })))
  const learn = async () => {
    await learnShards(watch)
    return openReference(watch, error => {
      log.warn({ err: error }, 'reference data could not be looked at')
    })
  }
  const reference = await learn().catch(async error => {
    // Open connections would keep the process.
    await disconnect()
    throw error
  })
  const keyUses = openKeyUses(sql, error => {
    log.warn({ err: error }, 'uses of keys could not be written')
  })
  return {
    config,
    log,
    sql,
    reads,
    finder,
    inTurn,
    read: (account_id, work) =>
      inTurn(
        account_id,
        unlessLate(() => readConfined(reads, [account_id], tx => work(tx, account_id))),
      ),
    reference,
    keyUses,
    metrics,
    rails: new Map([[SIMULATOR, simulator({ delay_ms: config.simulator_delay_ms })]]),
    lanes: openLanes(writes, config, metrics, reference),
    readers: openReaders(reads, inTurn),
    async close() {
      await Promise.all([reference.close(), keyUses.close()])
      await disconnect()
    },
  }
}

function openLanes(
  writes: Sql,
  config: Config,
  metrics: Metrics,
  reference: Reference,
): Deps['lanes'] {
  const options = {
    lanes: config.lanes,
    max_batch: config.max_batch,
    onBatch: batchMetrics(metrics),
  }
  const seldom = { ...options, lanes: 1 }
  const aside = new Aside()
  const batches = { ...seldom, aside, max_wait_ms: BATCH_WAIT_MS }
  const shared = {
    bookId,
    sender_bic: config.bic,
    pricing: reference.pricing,
    routes: () => reference.current().routes,
    accountsByDepositAddress: () => reference.current().accountsByDepositAddress,
  }
  return {
    createQuote: new Lanes(writes, idempotent(createQuote(shared)), { ...options, aside }),
    createPayout: new Lanes(writes, idempotent(createPayout(shared), keptPayout), {
      ...options,
      aside,
    }),
    createBatch: new Lanes(writes, idempotentLong(createBatch(shared)), batches),
    loadBatch: new Lanes(writes, loadBatch(shared), batches),
    cancelPayout: new Lanes(writes, idempotent(cancelPayout), options),
    answerPayout: new Lanes(writes, idempotent(answerPayout), seldom),
    advancePayout: new Lanes(writes, advancePayout, options),
    writeEntity: new Lanes(writes, idempotent(writeEntity(bookId, upsertEndedReviews)), options),
    writeBeneficiary: new Lanes(writes, idempotent(writeBeneficiary(bookId)), options),
    // Singly: a replay of thousands of events must hold no other account's book.
    writeWebhook: new Lanes(writes, idempotent(writeWebhook(bookId)), { ...seldom, max_batch: 1 }),
    advanceClock: new Lanes(writes, idempotent(advanceClock), { ...seldom, max_batch: 1 }),
    fundSandbox: new Lanes(writes, idempotent(fundSandbox), seldom),
    transitionPayout: new Lanes(writes, idempotent(transitionPayout), seldom),
  }
}

type Find<Row> = (tx: TransactionSql, keys: readonly Key[]) => Promise<readonly Row[]>

function openReaders(sql: Sql, inTurn: Deps['inTurn']): Deps['readers'] {
  const read = <Row extends Key>(find: Find<Row>) =>
    reader<Row>(keys => {
      const account_ids = [...new Set(keys.map(key => key.account_id))]
      // What several accounts read at once is of nobody alone, and has a turn of its own.
      const owner = account_ids.length === 1 ? (account_ids[0] ?? '') : ''
      return inTurn(
        owner,
        unlessLate(() => readConfined(sql, account_ids, tx => find(tx, keys))),
      )
    })
  return {
    quote: read(findQuotes),
    payout: read(findPayouts),
    payoutBatch: read(findBatches),
    balanceTransaction: read(findBalanceTransactions),
    entity: read(findEntities),
    event: read(findEvents),
    beneficiary: read(findBeneficiaries),
    webhookEndpoint: read(findEndpoints),
  }
}
