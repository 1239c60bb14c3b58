// Requests about balances and balance transactions: the schemas of queries.
import { ExpandOf, ExpandQueryOf } from '../../http/expand.ts'
import { CurrencyFilter, IdFilter, ListQueryOf } from '../../http/list.ts'
import { Several } from '../../http/query.ts'
import { Literals } from '../../http/schema.ts'
import { Type } from '../../http/type.ts'
import { idPattern } from '../../values/id.ts'
import { BALANCE_TRANSACTION_TYPES } from './balance-transaction.ts'

/** The id prefixes of a line's possible sources. */
const SOURCES = ['pot', 'btr', 'esc', 'wdr', 'adj', 'cnv'] as const
export const OPERATION_TYPES = ['credit', 'debit'] as const

/** The objects that an answer can show with a line. */
const EXPANDED = ['payout'] as const

export const LineExpandQuery = ExpandQueryOf(EXPANDED)

export const BalanceTransactionQuery = ListQueryOf('btr', {
  expand: ExpandOf(EXPANDED),
  currency: CurrencyFilter('The balance that was moved.'),
  type: Several(Literals(BALANCE_TRANSACTION_TYPES)),
  operation_type: Several(Literals(OPERATION_TYPES)),
  source: Several(
    Type.String({
      pattern: SOURCES.map(idPattern).join('|'),
      description:
        'The source of the line: the payout, the balance transaction that was given back or ' +
        'reversed, the escrow, the withdrawal, the adjustment or the conversion.',
    }),
  ),
  payout: IdFilter(
    'pot',
    'Every line of this payout: its debit, and the line that gave the money back.',
  ),
})

export const BalanceQuery = Type.Object(
  {
    as_of: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'The balances as this instant left them (ISO 8601), instead of the present ones.',
      }),
    ),
  },
  { additionalProperties: false },
)
