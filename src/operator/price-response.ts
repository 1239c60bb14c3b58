// Rates, fees and pricing policies as operators see them.
import { integerOrNull, Literals, Minor, Timestamp, textOrNull } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { POLICY_NAMES } from '../price/policy/rules.ts'

const Text = Type.String()

const RATE = {
  base: Text,
  quote: Text,
  mid: Type.String({ description: 'An exact decimal, as text.' }),
  source: Text,
  as_of: Timestamp,
  pegged: Type.Boolean(),
  sample: Type.Boolean({ description: 'Came with the product, for sandboxes alone.' }),
}

export const RateRow = Type.Object(RATE, { title: 'RateRow' })

export const DatedRate = Type.Object(
  {
    ...RATE,
    age_s: Type.Integer({ description: 'Seconds since `as_of`.' }),
    good_until: textOrNull({ description: 'For live accounts; null for ever.' }),
  },
  { title: 'DatedRate' },
)

const rowOrNull = (row: typeof RateRow) => Type.Union([row, Type.Null()])

export const ChangedRate = Type.Object(
  { ...RATE, previous: rowOrNull(RateRow), replaced_inverse: rowOrNull(RateRow) },
  { title: 'ChangedRate', description: 'The rate, and what it has replaced.' },
)

export const FeeRow = Type.Object(
  {
    payout_type: Text,
    payout_currency: textOrNull(),
    destination_country: textOrNull(),
    network: textOrNull(),
    charge_type: textOrNull(),
    fixed_amount: Minor,
    fee_currency: Text,
    variable_bps: Type.Integer(),
    minimum_amount: integerOrNull(),
    maximum_amount: integerOrNull(),
    sample: Type.Boolean({ description: 'Came with the product, for sandboxes alone.' }),
  },
  { title: 'FeeRow', description: 'A row of the fee schedule; null is any or none.' },
)

export const ChangedFee = Type.Object(
  { fee: FeeRow, previous: Type.Union([FeeRow, Type.Null()]) },
  { title: 'ChangedFee', description: 'The row, and the one that it has replaced.' },
)

const POLICY = {
  policy_id: Type.Integer(),
  name: Literals(POLICY_NAMES),
  account_id: textOrNull(),
  from_currency: textOrNull(),
  to_currency: textOrNull(),
  value: textOrNull({ description: 'Null: from then on there is none of its own.' }),
  effective_from: Timestamp,
}

const PolicyRow = Type.Object(POLICY, { title: 'PricingPolicy' })

export const PricingList = Type.Object(
  {
    defaults: Type.Array(
      Type.Object({ name: Literals(POLICY_NAMES), value: Text, sandbox_value: Text }),
      {
        description:
          'What holds where nobody has set anything for everybody, for live accounts and for ' +
          'sandboxes.',
      },
    ),
    rows: Type.Array(Type.Object({ ...POLICY, state: Literals(['waits', 'in force'] as const) })),
  },
  { title: 'Pricing', description: 'What is in force, and what waits.' },
)

export const SetPolicies = Type.Object(
  { rows: Type.Array(PolicyRow) },
  { title: 'SetPolicies', description: 'What was made.' },
)

export const RemovedPolicy = Type.Object(
  {
    removed: PolicyRow,
    taken_back: Type.Boolean({ description: 'Whether it had not begun; else it has an end.' }),
  },
  { title: 'RemovedPolicy' },
)
