// Batches of payouts and their items as callers see them.
import { shownMaker } from '../../accounts/maker.ts'
import { presentProblem } from '../../http/errors.ts'
import { ErrorDetail, Literals, MadeBy, Metadata, Timestamp } from '../../http/schema.ts'
import { Type } from '../../http/type.ts'
import { ApprovalsNeeded } from '../response.ts'
import {
  BATCH_MODES,
  type BatchItem,
  type Decided,
  ITEM_STATUSES,
  type ItemStatus,
  type PayoutBatch,
  type Total,
} from './batch.ts'
import { isRefused, itemOf, MAX_LISTED, makesPayouts, statusOf, totalDebitOf } from './rules.ts'

const Position = Type.Integer({ description: 'The index of the payout in the request.' })
const Problems = Type.Array(ErrorDetail, {
  description:
    'The errors with which POST /v3/payout would refuse the payout. The path in `remarks` ' +
    'begins at the payout.',
})

export const BatchItemResponse = Type.Object(
  {
    object: Type.Literal('payout_batch_item'),
    position: Position,
    status: Literals(ITEM_STATUSES, {
      description: 'The result when the batch was made; the payout has its present status.',
    }),
    payout: Type.String({ description: 'The id of the payout; empty when it was refused.' }),
    reference_id: Type.String({ description: 'The `reference_id` of the payout, as it was sent.' }),
    errors: Problems,
  },
  { title: 'PayoutBatchItem' },
)

const FORESEEN = { created: 'would_create', held: 'would_hold', refused: 'would_refuse' } as const
const AWAITS = 'would_await_approval'

const Foreseen = Type.Object(
  {
    position: Position,
    outcome: Literals([...Object.values(FORESEEN), AWAITS]),
    reference_id: Type.String(),
    holding_currency: Type.String({ description: 'Empty when the payout would be refused.' }),
    total_debit: Type.String({
      description: 'Amount and fees; empty when the payout would be refused.',
    }),
    approvals_needed: ApprovalsNeeded,
    errors: Problems,
  },
  { title: 'ForeseenPayout' },
)

const MinorText = (description: string) =>
  Type.String({ description: `${description}, in minor units as text.` })

const TotalResponse = Type.Object(
  {
    currency: Type.String({ description: 'The currency of the balance.' }),
    payouts: Type.Integer({ description: 'How many payouts were made from the balance.' }),
    amount: MinorText('The amount that was taken, without fees'),
    fixed_fee: MinorText('Fixed fees'),
    variable_fee: MinorText('Variable fees'),
    total_debit: MinorText('Amount and fees'),
    available_after: MinorText('The balance that was left after the batch'),
  },
  { title: 'PayoutBatchTotal' },
)

const STATUSES = ['completed', 'would_complete', 'would_be_refused'] as const

export const BatchResponse = Type.Object(
  {
    id: Type.String({ description: 'The id of the batch, `pob_…`; empty for a dry run.' }),
    object: Type.Literal('payout_batch'),
    mode: Literals(BATCH_MODES),
    dry_run: Type.Boolean(),
    status: Literals(STATUSES, {
      description: 'For a dry run: the status that the batch would have.',
    }),
    counts: Type.Object(
      {
        payouts: Type.Integer(),
        created: Type.Integer({ description: 'Payouts that were made and are not held.' }),
        held: Type.Integer({
          description: 'Payouts that were made and are held until an entity is reviewed.',
        }),
        refused: Type.Integer(),
      },
      { title: 'PayoutBatchCounts' },
    ),
    totals: Type.Array(TotalResponse, { description: 'One total for each balance that paid.' }),
    refused: Type.Array(BatchItemResponse, {
      description: `The first ${MAX_LISTED} payouts that were refused.`,
    }),
    payouts: Type.Optional(
      Type.Array(Foreseen, { description: 'For a dry run: each payout, in order.' }),
    ),
    reference_id: Type.String(),
    metadata: Type.Union([Metadata, Type.Null()]),
    made_by: MadeBy,
    created_at: Timestamp,
  },
  {
    title: 'PayoutBatch',
    description: 'Many payouts that were asked for at once, as they were when they were made.',
  },
)

export const ItemList = Type.Object(
  {
    object: Type.Literal('list'),
    has_more: Type.Boolean({
      description: 'Whether more objects follow in the direction of paging.',
    }),
    results: Type.Array(BatchItemResponse, { description: 'In the order of the request.' }),
  },
  {
    title: 'PayoutBatchItemList',
    description: 'One page, in the order of the request.',
  },
)

export function presentItem(item: BatchItem) {
  return {
    object: 'payout_batch_item',
    position: item.position,
    status: item.status,
    payout: item.payout_id,
    reference_id: item.reference_id,
    errors: item.problems.map(presentProblem),
  }
}

/** The answer of a batch. `refused` has its first refused items, at most MAX_LISTED. */
export function presentBatch(batch: PayoutBatch, refused: readonly BatchItem[]) {
  const { id, mode, created, held, reference_id, metadata, created_at } = batch
  const payouts = created + held + batch.refused
  return {
    id,
    object: 'payout_batch',
    mode,
    dry_run: false,
    status: 'completed',
    counts: { payouts, created, held, refused: batch.refused },
    totals: batch.totals.map(presentTotal),
    refused: refused.map(presentItem),
    reference_id,
    metadata,
    made_by: shownMaker(batch.made_by),
    created_at,
  }
}

/** The answer of a dry run. */
export function presentDryRun(batch: PayoutBatch, all: readonly Decided[]) {
  const refused = all.filter(({ outcome }) => outcome === null).slice(0, MAX_LISTED)
  const items = refused.map(decided => itemOf(batch.account_id, '', decided))
  const counts = { counts: batch }
  const is_refused = isRefused(batch.mode, counts) || !makesPayouts(counts)
  return {
    ...presentBatch(batch, items),
    dry_run: true,
    status: is_refused ? 'would_be_refused' : 'would_complete',
    payouts: all.map(presentForeseen),
  }
}

function presentTotal(total: Total) {
  return {
    currency: total.currency,
    payouts: total.payouts,
    amount: String(total.amount),
    fixed_fee: String(total.fixed_fee),
    variable_fee: String(total.variable_fee),
    total_debit: String(totalDebitOf(total)),
    available_after: String(total.available_after),
  }
}

function presentForeseen(decided: Decided) {
  const { position, request, outcome, problems } = decided
  const status: ItemStatus = statusOf(decided)
  const approvals_needed = outcome?.approval?.approvers ?? 0
  return {
    position,
    outcome: approvals_needed === 0 ? FORESEEN[status] : AWAITS,
    reference_id: request.reference_id ?? '',
    holding_currency: outcome?.payout.holding_currency ?? '',
    total_debit: outcome === null ? '' : String(-(outcome.entries[0]?.line.net_amount ?? 0n)),
    approvals_needed,
    errors: problems.map(presentProblem),
  }
}
