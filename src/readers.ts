// Every read by id of the service: those that wait for the same turn are one statement.
import { findBalanceTransactions } from './balance-transaction/store.ts'
import { findBeneficiaries } from './beneficiary/store.ts'
import { readAtOnce, readConfined } from './db/confine.ts'
import type { TransactionSql } from './db/connect.ts'
import { reader } from './engine/reader.ts'
import type { Reads } from './engine/reads.ts'
import { findEntities } from './entity/store.ts'
import { findEvents } from './event/store.ts'
import type { Key } from './id.ts'
import { findPayouts } from './payout/store.ts'
import { findBatches } from './payout-batch/store.ts'
import { findQuotes } from './quote/store.ts'
import { findEndpoints } from './webhook/store.ts'

export type Readers = ReturnType<typeof openReaders>

type Find<Row> = (tx: TransactionSql, keys: readonly Key[]) => Promise<readonly Row[]>

/** By the noun that they find; undefined for what is not there or another account's. */
export function openReaders({ reads, inTurn }: Reads) {
  const read = <Row extends Key>(find: Find<Row>, flight = readAtOnce) =>
    reader<Row>(inTurn, keys =>
      flight(reads, [...new Set(keys.map(key => key.account_id))], tx => find(tx, keys)),
    )
  return {
    // Of a quote that is not found a payout may know.
    quote: read(findQuotes, readConfined),
    payout: read(findPayouts),
    payoutBatch: read(findBatches),
    balanceTransaction: read(findBalanceTransactions),
    entity: read(findEntities),
    event: read(findEvents),
    beneficiary: read(findBeneficiaries),
    webhookEndpoint: read(findEndpoints),
  }
}
