// Every read by id of the service. Reads that wait for the same turn share a statement.

import { findPayoutApprovals } from '../controls/approval/operations.ts'
import { findConversions } from '../conversions/store.ts'
import { type Reads, reader } from '../engine/reads.ts'
import { findEventsWithObjects } from '../history/event-object/operations.ts'
import { findBeneficiaries } from '../parties/beneficiary/store.ts'
import { findEntities } from '../parties/entity/store.ts'
import { findBatches } from '../payouts/batch/store.ts'
import { findPayouts } from '../payouts/store.ts'
import { findConversionQuotes, findQuotes } from '../quotes/store.ts'
import { readAtOnce, readConfined } from '../sql/confine.ts'
import type { TransactionSql } from '../sql/connect.ts'
import { findBalanceTransactions } from '../statements/balance-transaction/store.ts'
import type { Key } from '../values/id.ts'
import { findEndpoints } from '../webhooks/store.ts'

export type Readers = ReturnType<typeof openReaders>

type Find<Row> = (tx: TransactionSql, keys: readonly Key[]) => Promise<readonly Row[]>

/** Undefined for an unknown id and for another account's id. */
export function openReaders({ reads, inTurn }: Reads) {
  const read = <Row extends Key>(find: Find<Row>, transact = readAtOnce) =>
    reader<Row>(inTurn, keys =>
      transact(reads, [...new Set(keys.map(key => key.account_id))], tx => find(tx, keys)),
    )
  return {
    // Two round trips: a quote without a row may be part of a payout.
    quote: read(findQuotes, readConfined),
    payout: read(findPayouts),
    // Two round trips: a conversion and then its quote.
    conversion: read(findConversions, readConfined),
    conversionQuote: read(findConversionQuotes),
    payoutBatch: read(findBatches),
    balanceTransaction: read(findBalanceTransactions),
    entity: read(findEntities),
    // Two round trips: the event first, then its object.
    event: read(findEventsWithObjects, readConfined),
    beneficiary: read(findBeneficiaries),
    // The approvals, their decisions and the approvers are three statements of one snapshot.
    approval: read(findPayoutApprovals, readConfined),
    webhookEndpoint: read(findEndpoints),
  }
}
