// The schema of an answer with requirements.
import { Type } from '../http/type.ts'
import { PayoutType } from '../quote/request.ts'

const FIELD = {
  path: Type.String({
    description: 'Of the member, in `beneficiary_details` or the body of POST /v3/beneficiary.',
  }),
  pattern: Type.String({
    description: 'ECMA-262; of codes and account numbers without spaces and dashes.',
  }),
  description: Type.String(),
  example: Type.String(),
}

const Field = Type.Object(
  {
    ...FIELD,
    required: Type.Boolean(),
    or: Type.Array(Type.Object(FIELD, { title: 'RequirementInstead' }), {
      description: 'Members any one of which serves instead.',
    }),
  },
  { title: 'RequirementField' },
)

const Alternative = Type.Object(
  {
    name: Type.String({ description: 'By what the destination is named.' }),
    countries: Type.Array(Type.String(), { description: 'Of accounts; empty is any.' }),
    networks: Type.Array(Type.String(), { description: 'That take it; empty is any or none.' }),
    fields: Type.Array(Field),
    example: Type.Unknown({ description: 'All that is required, as `beneficiary_details`.' }),
  },
  { title: 'RequirementAlternative', description: 'Enough by itself.' },
)

const bound = (which: string) =>
  Type.Union([Type.Integer(), Type.Null()], {
    description: `The ${which} of one payment in minor units, as its operator has published.`,
  })

const NetworkShown = Type.Object(
  {
    name: Type.String(),
    title: Type.String(),
    currencies: Type.Array(Type.String()),
    countries: Type.Array(Type.String()),
    minimum_amount: bound('least'),
    maximum_amount: bound('most'),
  },
  { title: 'RequirementNetwork' },
)

export const RequirementsResponse = Type.Object(
  {
    object: Type.Literal('payout_requirements'),
    type: PayoutType,
    currency: Type.String(),
    country: Type.String({
      description:
        'The country that the accounts count to: of territories that whose IBANs or routing ' +
        'numbers they have.',
    }),
    network: Type.String(),
    alternatives: Type.Array(Alternative, { description: 'A destination takes one of them.' }),
    networks: Type.Array(NetworkShown),
    purpose: Type.Object(
      {
        codes: Type.Array(Type.String(), { description: 'Empty: any text is taken.' }),
        pattern: Type.String(),
        max_length: Type.Integer(),
      },
      { title: 'RequirementPurpose', description: 'Of `purpose` in POST /v3/payout.' },
    ),
  },
  {
    title: 'PayoutRequirements',
    description: 'What a destination must have to be paid.',
  },
)
