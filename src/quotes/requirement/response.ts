// The schema of an answer with requirements.
import { Type } from '../../http/type.ts'
import { amountToJson } from '../../values/money/json.ts'
import type { Limits } from '../../values/network/local.ts'
import { PayoutType } from '../request.ts'

const FIELD = {
  path: Type.String({
    description:
      'The path of the member in `beneficiary_details` or the body of POST /v3/beneficiary.',
  }),
  pattern: Type.String({
    description:
      'An ECMA-262 pattern. It is for codes and account numbers without spaces and dashes.',
  }),
  description: Type.String(),
  example: Type.String(),
}

const Field = Type.Object(
  {
    ...FIELD,
    required: Type.Boolean(),
    or: Type.Array(Type.Object(FIELD, { title: 'RequirementInstead' }), {
      description: 'Members of which any one can be sent instead.',
    }),
  },
  { title: 'RequirementField' },
)

const Alternative = Type.Object(
  {
    name: Type.String({ description: 'What identifies the destination, such as `iban`.' }),
    countries: Type.Array(Type.String(), {
      description: 'The countries of the accounts; empty is any.',
    }),
    networks: Type.Array(Type.String(), {
      description: 'The networks that accept this alternative; empty is any network, or none.',
    }),
    fields: Type.Array(Field),
    example: Type.Unknown({
      description: 'An example of all that is required, as `beneficiary_details`.',
    }),
  },
  { title: 'RequirementAlternative', description: 'A set of members that is enough by itself.' },
)

const bound = (which: string) =>
  Type.Union([Type.Integer(), Type.Null()], {
    description: `The ${which} payment in minor units, as the network’s operator has published it.`,
  })

/** The members of a network in answers. */
export const NETWORK = {
  name: Type.String(),
  title: Type.String(),
  currencies: Type.Array(Type.String()),
  countries: Type.Array(Type.String()),
  minimum_amount: bound('smallest'),
  maximum_amount: bound('largest'),
}

/** The facts of a network of any payout type. */
interface NetworkFacts {
  readonly name: string
  readonly title: string
  readonly currencies: readonly string[]
  readonly countries: readonly string[]
  readonly limits?: Limits
}

export function presentNetwork({ name, title, currencies, countries, limits }: NetworkFacts) {
  const minor = (amount: bigint | null = null) => (amount === null ? null : amountToJson(amount))
  return {
    ...{ name, title, currencies, countries },
    minimum_amount: minor(limits?.minimum),
    maximum_amount: minor(limits?.maximum),
  }
}

const NetworkShown = Type.Object(NETWORK, { title: 'RequirementNetwork' })

export const RequirementsResponse = Type.Object(
  {
    object: Type.Literal('payout_requirements'),
    type: PayoutType,
    currency: Type.String(),
    country: Type.String({
      description:
        'The country that the accounts belong to. For a territory it is the country whose ' +
        'IBANs or routing numbers the territory has.',
    }),
    network: Type.String(),
    alternatives: Type.Array(Alternative, {
      description: 'The sets of members; a destination needs one of them.',
    }),
    networks: Type.Array(NetworkShown),
    purpose: Type.Object(
      {
        codes: Type.Array(Type.String(), {
          description: 'The codes that are accepted. Empty: any text is accepted.',
        }),
        pattern: Type.String(),
        max_length: Type.Integer(),
      },
      { title: 'RequirementPurpose', description: 'What `purpose` in POST /v3/payout may be.' },
    ),
    creditor_reference: Type.Object(
      {
        pattern: Type.String({
          description:
            'The pattern of a reference without blanks and marks. Empty: such payouts take none.',
        }),
        required_for: Type.String({
          description: 'The pattern of the IBANs that need a QRR of 27 digits; empty for none.',
        }),
      },
      {
        title: 'RequirementReference',
        description: 'What `creditor_reference` in POST /v3/payout may be.',
      },
    ),
  },
  {
    title: 'PayoutRequirements',
    description: 'What a destination must have to be paid.',
  },
)
