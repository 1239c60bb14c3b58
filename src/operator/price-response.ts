// Rates and pricing policies as operators see them.
import { Literals, Timestamp, textOrNull } from '../http/schema.ts'
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
  sample: Type.Boolean({
    description: 'Whether the rate is a sample that came with Corridor, for sandboxes only.',
  }),
}

const GAP =
  'How the row differs from the ratio of the values of its currencies, when it differs by more ' +
  'than the spread; null otherwise. Accounts get the worse of both.'

export const RateRow = Type.Object(RATE, { title: 'RateRow' })

export const DatedRate = Type.Object(
  {
    ...RATE,
    age_s: Type.Integer({ description: 'Seconds since `as_of`.' }),
    good_until: textOrNull({
      description: 'Until when live accounts can use the rate; null for ever.',
    }),
    gap: textOrNull({ description: GAP }),
  },
  { title: 'DatedRate' },
)

const rowOrNull = (row: typeof RateRow) => Type.Union([row, Type.Null()])

export const ChangedRate = Type.Object(
  {
    ...RATE,
    previous: rowOrNull(RateRow),
    replaced_inverse: rowOrNull(RateRow),
    gaps: Type.Array(Type.String(), { description: 'The gaps that the rate makes, in words.' }),
  },
  { title: 'ChangedRate', description: 'The rate, and the rate that it has replaced.' },
)

const POLICY = {
  policy_id: Type.Integer(),
  name: Literals(POLICY_NAMES),
  account_id: textOrNull(),
  from_currency: textOrNull(),
  to_currency: textOrNull(),
  value: textOrNull({ description: 'Null: from then on the row has no value of its own.' }),
  effective_from: Timestamp,
}

const PolicyRow = Type.Object(POLICY, { title: 'PricingPolicy' })

export const PricingList = Type.Object(
  {
    defaults: Type.Array(
      Type.Object({ name: Literals(POLICY_NAMES), value: Text, sandbox_value: Text }),
      {
        description:
          'What applies where nothing is set for the whole installation, for live accounts ' +
          'and for sandboxes.',
      },
    ),
    rows: Type.Array(Type.Object({ ...POLICY, state: Literals(['waits', 'in force'] as const) })),
  },
  {
    title: 'Pricing',
    description: 'The pricing that is in force, and the pricing that begins later.',
  },
)

export const SetPolicies = Type.Object(
  { rows: Type.Array(PolicyRow) },
  { title: 'SetPolicies', description: 'The rows that were set.' },
)

export const RemovedPolicy = Type.Object(
  {
    removed: PolicyRow,
    taken_back: Type.Boolean({
      description: 'True if the row had not begun and is removed; false if it now has an end.',
    }),
  },
  { title: 'RemovedPolicy' },
)
