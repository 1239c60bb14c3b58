// Every read by id of the service. Reads that wait for the same turn share a statement.
import { findBalanceTransactions } from './balance-transaction/store.ts'
import { findBeneficiaries } from './beneficiary/store.ts'
import { readAtOnce, readConfined } from './db/confine.ts'
import type { TransactionSql } from './db/connect.ts'
import { type Reads, reader } from './engine/reads.ts'
import { findEntities } from './entity/store.ts'
import { findEventsWithObjects } from './event-object/operations.ts'
import type { Key } from './id.ts'
import { findPayouts } from './payout/store.ts'
import { findBatches } from './payout-batch/store.ts'
import { findQuotes } from './quote/store.ts'
import { findEndpoints } from './webhook/store.ts'

export type Readers = ReturnType<typeof openReaders>

type Find<Row> = (tx: TransactionSql, keys: readonly Key[]) => Promise<readonly Row[]>

/** A reader for each noun. It returns undefined for an unknown id and for another account's id. */
export function openReaders({ reads, inTurn }: Reads) {
  const read = <Row extends Key>(find: Find<Row>, transact = readAtOnce) =>
    reader<Row>(inTurn, keys =>
      transact(reads, [...new Set(keys.map(key => key.account_id))], tx => find(tx, keys)),
    )
  return {
    // Two round trips: a quote without a row may be part of a payout.
    quote: read(findQuotes, readConfined),
    payout: read(findPayouts),
    payoutBatch: read(findBatches),
    balanceTransaction: read(findBalanceTransactions),
    entity: read(findEntities),
    // Two round trips: the event first, then its object.
    event: read(findEventsWithObjects, readConfined),
    beneficiary: read(findBeneficiaries),
    webhookEndpoint: read(findEndpoints),
  }
}
