// Requests about beneficiaries: the schemas of bodies and queries.
import type { Static } from 'typebox'
import { DOCUMENTED } from '../../http/docs.ts'
import { ListQueryOf, MetadataFilter, NameFilter, TextFilter } from '../../http/list.ts'
import { Several } from '../../http/query.ts'
import {
  Closed,
  CountryCode,
  CurrencyCode,
  clearable,
  Id,
  Literals,
  Metadata,
  optional,
  Text,
} from '../../http/schema.ts'
import { Type } from '../../http/type.ts'
import { CHAINS } from '../../values/network/chain.ts'
import { Address, Document, Name, Phone } from './contact.ts'

const Bank = Closed(
  {
    account_number: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    iban: Type.Optional(
      Type.String({
        minLength: 5,
        maxLength: 42,
        description:
          'An IBAN of a country in the SWIFT IBAN registry. It must agree with `country` ' +
          'and the BIC if they are sent. Spaces and small letters are accepted; the IBAN is ' +
          'stored in electronic form.',
        examples: ['DE89370400440532013000'],
      }),
    ),
    bank_name: Type.Optional(Text(255)),
    branch_name: Type.Optional(Text(255)),
    account_type: Type.Optional(
      Text(64, { description: 'Such as `checking` or `savings`, which ACH files carry.' }),
    ),
    purpose_code: Type.Optional(
      Text(64, { description: 'The purpose that the central bank of the country asks for.' }),
    ),
    firc_required: Type.Optional(
      Type.Boolean({ description: 'Whether the payee in India needs a remittance certificate.' }),
    ),
    transfer_type: Type.Optional(Text(64)),
    country: Type.Optional(CountryCode),
    currency: Type.Optional(CurrencyCode),
    bank_codes: Type.Optional(
      Type.Unsafe<Record<string, string>>({
        type: 'object',
        maxProperties: 10,
        propertyNames: { type: 'string', pattern: '^[a-z][a-z0-9_]{0,39}$' },
        additionalProperties: { type: 'string', minLength: 1, maxLength: 64 },
        description:
          'Bank codes by name: `swift_code`, `aba`, `sort_code`, `bsb`, `ifsc`, `cnaps`, ' +
          '`clabe`, `ispb`, `transit_number`, `institution_number`, `routing_number`, ' +
          '`bank_code`, `branch_code`. Also taken, and answered as sent: `bic` and `bic_code` ' +
          'for `swift_code`; `aba_code`, `ach_code` and `fedwire_code` for `aba`; `ifsc_code` ' +
          'for `ifsc`; `bsb_code` for `bsb`. A code is checked where its issuer has published ' +
          'a form, which for `routing_number`, `bank_code` and `branch_code` depends on ' +
          '`country`. It is stored without spaces and dashes.',
        examples: [{ swift_code: 'HSBCHKHH', bank_code: '004' }],
      }),
    ),
  },
  { title: 'BankDestination' },
)

const Wallet = Closed(
  {
    deposit_address: Type.String({
      minLength: 1,
      maxLength: 128,
      description:
        'On the main network of the chain that `type` names. The checksum is verified where the ' +
        'chain has one.',
    }),
    type: Type.Optional(
      Text(64, {
        description: `The chain, required: ${CHAINS.map(chain => chain.type).join(', ')}.`,
        examples: ['ethereum'],
      }),
    ),
    currency: Type.Optional(CurrencyCode),
  },
  { title: 'WalletDestination' },
)

const LocalPaymentNetwork = Closed(
  {
    type: Type.String({ minLength: 1, maxLength: 64 }),
    deposit_key_type: Type.Optional(Text(64)),
    deposit_key: Type.Optional(Text(255)),
  },
  { title: 'LocalPaymentNetworkDestination' },
)

const ServiceAccount = Closed(
  { deposit_address: Type.String({ minLength: 1, maxLength: 64 }) },
  { title: 'ServiceAccountDestination' },
)

export const DESTINATION_TYPES = [
  'bank',
  'wallet',
  'local_payment_network',
  'service_account',
] as const
export type DestinationType = (typeof DESTINATION_TYPES)[number]

const DESTINATIONS = {
  bank: Bank,
  wallet: Wallet,
  local_payment_network: LocalPaymentNetwork,
  service_account: ServiceAccount,
} as const satisfies Record<DestinationType, object>

/** The documented destinations, one for each type. The rules report members of other types. */
const kinds = DESTINATION_TYPES.map(type => {
  const { [type]: details } = DESTINATIONS
  const { title } = details as { title?: string }
  return Closed({ type: Type.Literal(type), [type]: details }, { title: `${title}Details` })
})

export const DestinationDetails = Closed(
  { type: Literals(DESTINATION_TYPES), ...optional(DESTINATIONS) },
  { title: 'DestinationDetails', [DOCUMENTED]: Type.Union(kinds) },
)
export type DestinationDetails = Static<typeof DestinationDetails>

export const BENEFICIARY_TYPES = ['individual', 'business'] as const

/** The optional members by their schemas. */
const OPTIONAL = {
  name_local: Text(255),
  email: Text(320),
  phone: Phone,
  address: Address,
  date_of_birth: Text(10),
  national_identification_number: Text(64),
  party_classification: Text(64),
  registration_number: Text(64),
  tax_id: Text(64),
  documents: Type.Array(Document, { maxItems: 20 }),
  reference_id: Text(128, { description: 'Your own reference of the beneficiary.' }),
  metadata: Metadata,
} as const

export const BeneficiaryRequest = Closed(
  {
    name: Name,
    type: Literals(BENEFICIARY_TYPES),
    destination_details: DestinationDetails,
    ...optional(OPTIONAL),
  },
  { title: 'BeneficiaryDetails' },
)
export type BeneficiaryRequest = Static<typeof BeneficiaryRequest>

export const BeneficiaryUpdate = Closed(
  {
    name: Type.Optional(Name),
    type: Type.Optional(
      Literals(BENEFICIARY_TYPES, {
        description: 'The type cannot change: leave it out, or send the present one.',
      }),
    ),
    destination_details: Type.Optional(DestinationDetails),
    ...clearable(OPTIONAL),
  },
  {
    title: 'BeneficiaryUpdate',
    description: 'A member that is sent replaces the earlier value as a whole; null removes it.',
  },
)
export type BeneficiaryUpdate = Static<typeof BeneficiaryUpdate>

const NoticeOf = {
  payout: Id('pot', 'The payout that the bank notified of.'),
  number: Type.Integer({
    minimum: 1,
    maximum: 999_999_999,
    description: 'The `number` of the notice.',
  }),
}

export const AcceptNoticeRequest = Closed(NoticeOf, { title: 'AcceptNotice' })
export type NoticeKey = Static<typeof AcceptNoticeRequest>

export const ArchiveRequest = Closed({}, { title: 'ArchiveRequest', type: ['object', 'null'] })

export const BeneficiaryQuery = ListQueryOf('bnf', {
  name: NameFilter,
  email: TextFilter(320, 'The exact address, without regard to case.'),
  account_number: TextFilter(
    64,
    'The account number, IBAN, wallet address or key that the beneficiary is paid to, ' +
      'without regard to spaces, dashes and case.',
  ),
  metadata: MetadataFilter,
  reference_id: TextFilter(128, 'The reference, exactly as it was sent.'),
  archived: Literals(['true', 'false'] as const, {
    description: 'Only archived beneficiaries, instead of those that are not archived.',
    [DOCUMENTED]: { type: 'boolean', default: false },
  }),
  type: Several(Literals(BENEFICIARY_TYPES)),
  destination_type: Several(
    Literals(DESTINATION_TYPES, {
      description: 'The type of the destination that the beneficiary has now.',
    }),
  ),
  status: Several(
    Literals(['active', 'pending_approval', 'rejected'] as const, {
      description: '`active` can be paid. People have not approved the others.',
    }),
  ),
})
