// What a caller sends about batches of payouts: the schemas of bodies and queries.
import type { Static } from 'typebox'
import { DOCUMENTED } from '../../http/docs.ts'
import { CREATED_BOUNDS, ListQueryOf, TextFilter } from '../../http/list.ts'
import { Several } from '../../http/query.ts'
import { Closed, Literals, Metadata, Text } from '../../http/schema.ts'
import { Type } from '../../http/type.ts'
import { idPattern } from '../../values/id.ts'
import { PayoutRequest } from '../request.ts'
import { BATCH_MODES, type BatchMode, ITEM_STATUSES } from './batch.ts'

export const MAX_PAYOUTS = 10_000

const Payouts = {
  minItems: 1,
  maxItems: MAX_PAYOUTS,
  description: 'The payouts, each as POST /v3/payout takes it.',
}

export const BatchRequest = Closed(
  {
    mode: Type.Optional(
      Literals(BATCH_MODES, {
        default: 'all_or_nothing',
        description:
          '`all_or_nothing`: all payouts are made, or none. `best_effort`: every payout ' +
          'that can be made is made, in the order of the request.',
      }),
    ),
    dry_run: Type.Optional(
      Type.Boolean({ default: false, description: 'Say what would happen, and make no payout.' }),
    ),
    reference_id: Type.Optional(Text(128)),
    metadata: Type.Optional(Metadata),
    // `judgePayouts` checks the payouts one by one, because a batch has many.
    payouts: Type.Unsafe<PayoutRequest[]>({
      type: 'array',
      ...Payouts,
      [DOCUMENTED]: Type.Array(PayoutRequest, Payouts),
    }),
  },
  { title: 'PayoutBatchRequest' },
)
export type BatchRequest = Static<typeof BatchRequest>

export function modeOf({ mode = 'all_or_nothing' }: BatchRequest): BatchMode {
  return mode
}

export const BatchQuery = ListQueryOf('pob', {
  reference_id: TextFilter(128, 'The `reference_id` of the batch, exactly as it was sent.'),
  mode: Several(Literals(BATCH_MODES)),
})

const LimitText = Type.String({
  description: 'The most items on a page.',
  [DOCUMENTED]: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
})

const ItemCursor = (description: string) =>
  Type.Optional(Type.String({ pattern: `^(0|[1-9][0-9]{0,3})$|${idPattern('pot')}`, description }))

export const ItemQuery = Closed({
  limit: Type.Optional(LimitText),
  starting_after: ItemCursor('A position or a payout id: the page starts with the next item.'),
  ending_before: ItemCursor('A position or a payout id: the page ends with the last item before.'),
  ...CREATED_BOUNDS,
  status: Type.Optional(Several(Literals(ITEM_STATUSES))),
})
export type ItemQuery = Static<typeof ItemQuery>
