// The shapes of beneficiaries on the wire. The stored details are the request's, completed with ''
// and {} for what is not set, so that what is stored is what is shown.
import Type, { type Static } from 'typebox'
import { Closed, CountryCode, CurrencyCode, Literals, Text } from '../http/schema.ts'
import { Address, Document, Phone } from '../party/wire.ts'

const Bank = Closed(
  {
    account_number: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    iban: Type.Optional(
      Type.String({
        minLength: 5,
        maxLength: 42,
        description:
          'Of a country of the SWIFT IBAN registry, and of `country` if that is sent. Spaces and ' +
          'small letters are accepted; kept in electronic form.',
        examples: ['DE89370400440532013000'],
      }),
    ),
    bank_name: Type.Optional(Text(255)),
    country: Type.Optional(CountryCode),
    currency: Type.Optional(CurrencyCode),
    bank_codes: Type.Optional(
      Type.Unsafe<Record<string, string>>({
        type: 'object',
        maxProperties: 10,
        propertyNames: { type: 'string', pattern: '^[a-z][a-z0-9_]{0,39}$' },
        additionalProperties: { type: 'string', minLength: 1, maxLength: 64 },
        description:
          'Codes by name. Checked, and kept without spaces and dashes: `swift_code`, `bic`, ' +
          '`aba`, `sort_code`, `bsb`, `ifsc`, `cnaps`, `clabe`, `ispb`, `transit_number`, ' +
          '`institution_number`; by `country`: `routing_number` (US and none, CA), `bank_code` ' +
          '(BR, HK, JP, KR, LK, SG, TH, TW), `branch_code` (HK, JP, LK, SG, TW, ZA). Other names ' +
          'are free text.',
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
        'On the main network of the chain that `type` names, or of any known chain when it names ' +
        'none. The checksum is verified where the chain has one.',
    }),
    type: Type.Optional(
      Text(64, { description: 'Wallet or blockchain type.', examples: ['ethereum'] }),
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

export const DestinationDetails = Closed(
  {
    type: Literals(DESTINATION_TYPES),
    bank: Type.Optional(Bank),
    wallet: Type.Optional(Wallet),
    local_payment_network: Type.Optional(LocalPaymentNetwork),
    service_account: Type.Optional(ServiceAccount),
  },
  { title: 'DestinationDetails' },
)
export type DestinationDetails = Static<typeof DestinationDetails>

export const BeneficiaryRequest = Closed(
  {
    name: Type.String({ pattern: '\\S', maxLength: 255 }),
    type: Literals(['individual', 'business'] as const),
    destination_details: DestinationDetails,
    name_local: Type.Optional(Text(255)),
    email: Type.Optional(Text(320)),
    phone: Type.Optional(Phone),
    address: Type.Optional(Address),
    date_of_birth: Type.Optional(Text(10)),
    national_identification_number: Type.Optional(Text(64)),
    party_classification: Type.Optional(Text(64)),
    registration_number: Type.Optional(Text(64)),
    tax_id: Type.Optional(Text(64)),
    documents: Type.Optional(Type.Array(Document, { maxItems: 20 })),
  },
  { title: 'BeneficiaryDetails' },
)
export type BeneficiaryRequest = Static<typeof BeneficiaryRequest>

export const BeneficiaryDetailsResponse = Type.Object(
  {
    address: Address,
    date_of_birth: Type.String(),
    destination: Type.String({ description: 'Id of the destination, `dst_…`.' }),
    destination_details: DestinationDetails,
    documents: Type.Array(Document),
    email: Type.String(),
    name: Type.String(),
    name_local: Type.String(),
    national_identification_number: Type.String(),
    party_classification: Type.String(),
    phone: Phone,
    registration_number: Type.String(),
    status: Literals(['active'] as const),
    tax_id: Type.String(),
    type: Literals(['individual', 'business'] as const),
  },
  { title: 'BeneficiaryDetailsShown' },
)
