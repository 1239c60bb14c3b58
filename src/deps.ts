// Everything impure that the service is made of, in one type: connections, reference data, lanes,
// readers, log. Tests build the same from a database of their own.
import type { FastifyBaseLogger } from 'fastify'
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
import { connect, type Sql } from './db/connect.ts'
import { Lanes } from './engine/lane.ts'
import { reader } from './engine/reader.ts'
import { type WriteEntity, type WrittenEntity, writeEntity } from './entity/operations.ts'
import type { Entity } from './entity/record.ts'
import { findEntities } from './entity/store.ts'
import type { Event } from './event/rules.ts'
import { findEvents } from './event/store.ts'
import { type Key, newId } from './id.ts'
import { type Answered, idempotent } from './idempotency/operations.ts'
import { batchMetrics, type Metrics } from './metrics.ts'
import {
  advancePayout,
  type CancelledPayout,
  type CancelPayout,
  type CreatedPayout,
  type CreatePayout,
  cancelPayout,
  createPayout,
} from './payout/operations.ts'
import type { Payout } from './payout/rules.ts'
import { findPayouts, upsertEndedReviews } from './payout/store.ts'
import type { Advance, AdvanceOutcome } from './payout/transition.ts'
import { type CreatedQuote, type CreateQuote, createQuote } from './quote/operations.ts'
import type { Quote } from './quote/rules.ts'
import { findQuotes } from './quote/store.ts'
import type { Rail } from './rail/rail.ts'
import { simulator } from './rail/simulator.ts'
import { openReference, type Reference } from './reference.ts'

interface Runs<Command, Outcome> {
  run(command: Command): Promise<Outcome>
}

export interface Deps {
  readonly config: Config
  readonly log: FastifyBaseLogger
  /** For reads. Writes go through the lanes, which have connections of their own. */
  readonly sql: Sql
  readonly reference: Reference
  readonly metrics: Metrics
  readonly rail: Rail
  readonly lanes: {
    readonly createQuote: Runs<CreateQuote, Answered<CreatedQuote>>
    readonly createPayout: Runs<CreatePayout, Answered<CreatedPayout>>
    readonly cancelPayout: Runs<CancelPayout, Answered<CancelledPayout>>
    readonly advancePayout: Runs<Advance, AdvanceOutcome>
    readonly writeEntity: Runs<WriteEntity, Answered<WrittenEntity>>
    readonly writeBeneficiary: Runs<WriteBeneficiary, Answered<WrittenBeneficiary>>
  }
  /** Reads by id, gathered: all requests of one tick are one statement. */
  readonly readers: {
    quote(key: Key): Promise<Quote | undefined>
    payout(key: Key): Promise<Payout | undefined>
    balanceTransaction(key: Key): Promise<BalanceTransaction | undefined>
    entity(key: Key): Promise<Entity | undefined>
    event(key: Key): Promise<Event | undefined>
    beneficiary(key: Key): Promise<Beneficiary | undefined>
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
  const reads = connect(url, {
    max: config.read_connections,
    as: 'service',
    look_ups: true,
  })
  // Two for each lane of the six operations, so that no batch waits for a connection.
  const writes = connect(url, { max: 12 * config.lanes, as: 'service', look_ups: true })
  const disconnect = () => Promise.all([reads.end({ timeout: 5 }), writes.end({ timeout: 5 })])
  const reference = await openReference(reads, config, error => {
    log.warn({ err: error }, 'reference data could not be looked at')
  }).catch(async error => {
    // Open connections would keep the process.
    await disconnect()
    throw error
  })
  const options = {
    lanes: config.lanes,
    max_batch: config.max_batch,
    onBatch: batchMetrics(metrics),
  }
  const shared = {
    newId,
    pricing: () => reference.current().pricing,
    accountsByDepositAddress: () => reference.current().accountsByDepositAddress,
  }
  return {
    config,
    log,
    sql: reads,
    reference,
    metrics,
    rail: simulator({ delay_ms: config.simulator_delay_ms, now_ms: Date.now }),
    lanes: {
      createQuote: new Lanes(writes, idempotent(createQuote(shared)), options),
      createPayout: new Lanes(writes, idempotent(createPayout(shared)), options),
      cancelPayout: new Lanes(writes, idempotent(cancelPayout(newId)), options),
      advancePayout: new Lanes(writes, advancePayout(newId), options),
      writeEntity: new Lanes(writes, idempotent(writeEntity(newId, upsertEndedReviews)), options),
      writeBeneficiary: new Lanes(writes, idempotent(writeBeneficiary(newId)), options),
    },
    readers: {
      quote: reader(keys => findQuotes(reads, keys)),
      payout: reader(keys => findPayouts(reads, keys)),
      balanceTransaction: reader(keys => findBalanceTransactions(reads, keys)),
      entity: reader(keys => findEntities(reads, keys)),
      event: reader(keys => findEvents(reads, keys)),
      beneficiary: reader(keys => findBeneficiaries(reads, keys)),
    },
    async close() {
      await reference.close()
      await disconnect()
    },
  }
}
