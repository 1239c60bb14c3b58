// The objects that a payout expands to, and the payout that a line of the statement expands to.
import type { OpenApproval } from '../../controls/approval/approval.ts'
import type { Decidable } from '../../controls/approval/operations.ts'
import { presentApproval } from '../../controls/approval/response.ts'
import type { Finds } from '../../engine/reads.ts'
import type { Expansions } from '../../http/expand.ts'
import type { Beneficiary } from '../../parties/beneficiary/beneficiary.ts'
import { presentBeneficiary } from '../../parties/beneficiary/response.ts'
import type { Entity } from '../../parties/entity/entity.ts'
import { presentEntity } from '../../parties/entity/response.ts'
import { quoteIdOf } from '../../quotes/carried.ts'
import type { Quote } from '../../quotes/quote.ts'
import { presentQuote } from '../../quotes/response.ts'
import type { BalanceTransaction } from '../../statements/balance-transaction/balance-transaction.ts'
import { presentBalanceTransaction } from '../../statements/balance-transaction/response.ts'
import type { Key } from '../../values/id.ts'
import { importOf } from '../group/group.ts'
import type { Payout } from '../payout.ts'
import { presentPayout } from '../response.ts'

/** Reads by id. Each reader gathers the ids of a page. */
export interface ExpandingReaders {
  readonly payout: Finds<Payout>
  readonly beneficiary: Finds<Beneficiary>
  readonly quote: Finds<Quote>
  readonly entity: Finds<Entity>
  readonly balanceTransaction: Finds<BalanceTransaction>
  readonly approval: Finds<Decidable<OpenApproval>>
}

export function payoutExpansions(readers: ExpandingReaders): Expansions<Payout> {
  const expandBy =
    <Row>(idOf: (payout: Payout) => string, find: Finds<Row>, present: (row: Row) => object) =>
    async (payout: Payout) => {
      const id = idOf(payout)
      const row = id === '' ? undefined : await find({ account_id: payout.account_id, id })
      return row && present(row)
    }
  // A used quote stays used, so any time gives the same status.
  const presentUsed = (quote: Quote) => presentQuote(quote, quote.updated_at)
  return {
    beneficiary: expandBy(p => p.beneficiary_id, readers.beneficiary, presentBeneficiary),
    quote: expandBy(quoteIdOf, readers.quote, presentUsed),
    on_behalf_of: expandBy(p => p.particulars.on_behalf_of, readers.entity, presentEntity),
    balance_transaction: expandBy(
      p => p.balance_transaction_id,
      readers.balanceTransaction,
      presentBalanceTransaction,
    ),
    approval: async payout => {
      const found = await readers.approval(payout)
      return found && presentApproval({ ...found, payout_import: importOf(payout) })
    },
  }
}

/** The payout with this id, as its GET shows it. */
export async function findShown(readers: ExpandingReaders, key: Key): Promise<object | undefined> {
  const payout = await readers.payout(key)
  return payout && presentPayout(payout)
}
