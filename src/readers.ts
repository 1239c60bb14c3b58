// Every read by id of the service: what one turn of the event loop asks for is one statement.
import { findBalanceTransactions } from './balance-transaction/store.ts'
import { findBeneficiaries } from './beneficiary/store.ts'
import { readConfined } from './db/confine.ts'
import type { TransactionSql } from './db/connect.ts'
import { unlessLate } from './engine/late.ts'
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
  const read = <Row extends Key>(find: Find<Row>) =>
    reader<Row>(keys => {
      const account_ids = [...new Set(keys.map(key => key.account_id))]
      // What several accounts read at once is of nobody alone, and has a turn of its own.
      const owner = account_ids.length === 1 ? (account_ids[0] ?? '') : ''
      return inTurn(
        owner,
        unlessLate(() => readConfined(reads, account_ids, tx => find(tx, keys))),
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
