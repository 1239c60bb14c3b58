// What a caller sends about payouts: the schemas of bodies and queries.
import type { Static } from 'typebox'
import { ALSO, oneOf } from '../http/docs.ts'
import { ExpandOf, ExpandQueryOf } from '../http/expand.ts'
import {
  CurrencyFilter,
  FilterQueryOf,
  IdFilter,
  ListQueryOf,
  MakerFilter,
  MetadataFilter,
  TextFilter,
} from '../http/list.ts'
import { Several } from '../http/query.ts'
import {
  Amount,
  AmountOf,
  Closed,
  CurrencyCode,
  EntityId,
  Id,
  Literals,
  Metadata,
  Text,
} from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { Document } from '../parties/beneficiary/contact.ts'
import { BeneficiaryRequest } from '../parties/beneficiary/request.ts'
import { PAYOUT_TYPES } from '../quotes/quote.ts'
import { CHARGE_TYPES, LocalDetails, PayoutType } from '../quotes/request.ts'
import type { Reason } from '../values/errors.ts'
import { PAYOUT_STATUSES } from './states.ts'

export const LogisticsTracking = Closed(
  {
    tracking_number: Type.Optional(Text(128)),
    tracking_type: Type.Optional(Text(64)),
    logistics_provider_code: Type.Optional(Text(64)),
    logistics_provider_name: Type.Optional(Text(128)),
    logistics_provider: Type.Optional(
      Closed(
        { code: Type.Optional(Text(64)), name: Type.Optional(Text(128)) },
        { title: 'LogisticsProvider' },
      ),
    ),
  },
  { title: 'LogisticsTracking' },
)

/** The refusals of a payout, without the refusals of every request. */
export const PAYOUT_REFUSALS = [
  'currency',
  'holding_currency_not_found',
  'beneficiary_missing',
  'beneficiary_not_found',
  'beneficiary_archived',
  'beneficiary_not_approved',
  'party_erased',
  'entity_not_found',
  'not_found',
  'type_mismatch',
  'quote_used',
  'quote_expired',
  'quote_mismatch',
  'fee_unavailable',
  'route_unavailable',
  'calendar_ended',
  'rate_unavailable',
  'rate_stale',
  'amount_out_of_range',
  'max_total_debit_exceeded',
  'deposit_address_not_found',
  'deposit_currency_not_accepted',
  'balance_limit_exceeded',
  'possible_duplicate_payout',
  'limit_exceeded',
  'insufficient_balance',
] as const satisfies readonly Reason[]

export const PayoutRequest = Closed(
  {
    amount: Amount,
    currency: CurrencyCode,
    type: Type.Optional(Literals(PAYOUT_TYPES, { default: 'local' })),
    purpose: Type.String({ pattern: '\\S', maxLength: 64, description: 'Purpose code.' }),
    transaction_description: Type.Optional(Text(500)),
    beneficiary: Type.Optional(Id('bnf', 'An existing beneficiary.')),
    beneficiary_details: Type.Optional(BeneficiaryRequest),
    quote: Type.Optional(Id('poq', 'The quote whose rates and fees apply.')),
    holding_currency: Type.Optional(CurrencyCode),
    charge_type: Type.Optional(Literals(CHARGE_TYPES)),
    local: LocalDetails,
    reference_id: Type.Optional(Text(128)),
    creditor_reference: Type.Optional(
      Text(64, {
        description:
          'The reference on the invoice, for a payout to a bank account: a QRR of Switzerland ' +
          '(27 digits), an ISO 11649 reference (RF…) or a structured communication of Belgium ' +
          '(12 digits). Blanks and marks are dropped. The bank’s message then carries it in ' +
          'place of `transaction_description`. A QR-IBAN needs a QRR, and no other account ' +
          'takes one.',
        examples: ['RF18539007547034'],
      }),
    ),
    statement_descriptor: Type.Optional(Text(128)),
    documents: Type.Optional(Type.Array(Document, { maxItems: 20 })),
    logistics_tracking_details: Type.Optional(Type.Array(LogisticsTracking, { maxItems: 20 })),
    metadata: Type.Optional(Metadata),
    on_behalf_of: Type.Optional(EntityId('The entity the payout is made for.')),
    execute_at: Type.Optional(
      Type.String({
        format: 'date-time',
        maxLength: 64,
        description:
          'When the payout is executed (RFC 3339 with an offset), at most 365 days ahead; ' +
          'by default at once. The money leaves the balance now, at the present price. ' +
          'Until `execute_at` the payout is not sent and can be cancelled. A payout that ' +
          'converts can be scheduled only as far ahead as the operator lets its rate be ' +
          'fixed.',
        examples: ['2026-12-01T09:00:00Z'],
      }),
    ),
    max_total_debit: Type.Optional(
      AmountOf(
        'The most that amount and fees may come to, in minor units of the holding currency. ' +
          'With it, an expired quote is priced anew, and the payout is made if it costs no ' +
          'more than this.',
      ),
    ),
    allow_duplicate: Type.Optional(
      Type.Boolean({
        description:
          'Confirms that this is a different payment from the one just made with the same ' +
          'beneficiary, amount, currency and reference_id.',
      }),
    ),
  },
  { title: 'PayoutRequest', ...oneOf('beneficiary', 'beneficiary_details') },
)
export type PayoutRequest = Static<typeof PayoutRequest>

/** How many names metadata has at most. */
export const MOST_NAMES = 50

const MetadataChanges = Type.Unsafe<Readonly<Record<string, string | null>> | null>({
  title: 'MetadataChanges',
  type: ['object', 'null'],
  maxProperties: 2 * MOST_NAMES,
  propertyNames: { type: 'string', minLength: 1, maxLength: 40 },
  additionalProperties: { type: ['string', 'null'], maxLength: 500 },
  description:
    'A name that is sent is set to its text, or removed by null or an empty text; other names ' +
    `stay. Null in place of the object removes all names. There are ${MOST_NAMES} names at most.`,
})

export const PayoutUpdate = Closed({ metadata: MetadataChanges }, { title: 'PayoutUpdate' })
export type PayoutUpdate = Static<typeof PayoutUpdate>

export const PayoutStatus = Literals(PAYOUT_STATUSES, { title: 'PayoutStatus' })

/**
 * The additions of an account in requires_action. They change neither the payee nor the
 * destination.
 */
const AnsweredDetails = Closed(
  {
    address: BeneficiaryRequest.properties.address,
    date_of_birth: BeneficiaryRequest.properties.date_of_birth,
    documents: BeneficiaryRequest.properties.documents,
    email: BeneficiaryRequest.properties.email,
    name_local: BeneficiaryRequest.properties.name_local,
    national_identification_number: BeneficiaryRequest.properties.national_identification_number,
    phone: BeneficiaryRequest.properties.phone,
    registration_number: BeneficiaryRequest.properties.registration_number,
    tax_id: BeneficiaryRequest.properties.tax_id,
  },
  {
    title: 'AnsweredBeneficiaryDetails',
    description:
      'Documents are added; other members replace the earlier values. The stored ' +
      'beneficiary does not change.',
  },
)

export const ActionRequest = Closed(
  {
    documents: Type.Optional(Type.Array(Document, { maxItems: 20 })),
    beneficiary_details: Type.Optional(AnsweredDetails),
    purpose: Type.Optional(PayoutRequest.properties.purpose),
    transaction_description: Type.Optional(PayoutRequest.properties.transaction_description),
    note: Type.Optional(
      Type.String({
        pattern: '\\S',
        maxLength: 1000,
        description: 'A note for the people who read the answer. The rail gets it, too.',
      }),
    ),
  },
  {
    title: 'ActionRequest',
    description: 'The answer to what was asked for: at least one member.',
    [ALSO]: { minProperties: 1 },
  },
)
export type ActionRequest = Static<typeof ActionRequest>

/** What a payout expands to: the objects that its members name by their ids, and its approval. */
export const EXPANDED = [
  'beneficiary',
  'quote',
  'on_behalf_of',
  'balance_transaction',
  'approval',
] as const

export const PayoutExpandQuery = ExpandQueryOf(EXPANDED)

/** The orders of a list of payouts, other than newest first. */
export const SORTS = ['amount', '-amount', 'created_at'] as const

const FILTERS = {
  metadata: MetadataFilter,
  status: Several(PayoutStatus),
  currency: CurrencyFilter('The currency paid out.'),
  holding_currency: CurrencyFilter('The currency of the balance that paid.'),
  type: Several(PayoutType),
  reference_id: TextFilter(128, 'The reference, exactly as it was sent.'),
  on_behalf_of: IdFilter('ent', 'The entity that payouts were made for.'),
  quote: IdFilter('poq', 'The quote that was used.'),
  beneficiary: IdFilter('bnf', 'The beneficiary paid.'),
  made_by: MakerFilter,
  beneficiary_name: TextFilter(
    100,
    'Words, each of which begins a word of the name that the beneficiary has now, in any ' +
      'order, without regard to case and accents. Words that fit more than 500 beneficiaries ' +
      'are refused.',
  ),
  scheduled: Literals(['true'], { description: 'Only payouts that wait for their `execute_at`.' }),
}

export const PayoutQuery = ListQueryOf('pot', {
  expand: ExpandOf(EXPANDED),
  sort: Literals(SORTS, {
    description:
      'Smallest (`amount`) or largest (`-amount`) amount first, by currency, or oldest first. ' +
      'Filters must fit 2,000 payouts at most. Newest first without it.',
  }),
  ...FILTERS,
})

export const PayoutTotalsQuery = FilterQueryOf(FILTERS)
