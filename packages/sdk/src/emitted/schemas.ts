// Written by `npm run openapi` from openapi.json; changes here are overwritten.

/** The version of the API that this client is written for. */
export const VERSION = '2026-11-25'

/** What an amount is. */
export type Minor = number | bigint

/** The members that are money, in whatever object: bigint when the client asks for it. */
export const MONEY: ReadonlySet<string> = new Set([
  'amount',
  'in_holding_currency',
  'in_payout_currency',
  'max_amount',
  'max_total_debit',
  'maximum_amount',
  'min_amount',
  'minimum_amount',
])

/** Every reason that the service refuses with, as of this version. */
export type ApiReason =
  | 'invalid_json'
  | 'internal'
  | 'service_unavailable'
  | 'invalid_path_parameter'
  | 'invalid_query_parameter'
  | 'not_found'
  | 'insufficient_scope'
  | 'sandbox_only'
  | 'invalid_credentials'
  | 'missing_credentials'
  | 'rate_limited'
  | 'invalid_request'
  | 'request_timeout'
  | 'unsupported_media_type'
  | 'payload_too_large'
  | 'headers_too_large'
  | 'uri_too_long'
  | 'misdirected_request'
  | 'unknown_version'
  | 'method_not_allowed'
  | 'account_frozen'
  | 'account_closed'
  | 'invalid_field'
  | 'cross_site_request'
  | 'insecure_connection'
  | 'password_needed'
  | 'invalid_login'
  | 'session_over'
  | 'idempotency_key_reused'
  | 'invalid_idempotency_key'
  | 'currency'
  | 'holding_currency_not_found'
  | 'beneficiary_missing'
  | 'type_mismatch'
  | 'beneficiary_not_found'
  | 'entity_not_found'
  | 'insufficient_balance'
  | 'amount_mismatch'
  | 'amount_out_of_range'
  | 'quote_expired'
  | 'quote_used'
  | 'quote_mismatch'
  | 'rate_stale'
  | 'fee_unavailable'
  | 'rate_unavailable'
  | 'deposit_address_not_found'
  | 'deposit_currency_not_accepted'
  | 'invalid_transition'
  | 'entity_duplicate'
  | 'entity_changed'
  | 'approval_not_allowed'
  | 'already_decided'
  | 'approval_outdated'
  | 'payout_not_cancellable'
  | 'possible_duplicate_payout'
  | 'max_total_debit_exceeded'
  | 'balance_limit_exceeded'
  | 'route_unavailable'
  | 'calendar_ended'
  | 'limit_exceeded'
  | 'beneficiary_not_approved'
  | 'beneficiary_archived'
  | 'party_erased'
  | 'erasure_refused'
  | 'webhook_endpoint_limit'
  | 'webhook_endpoint_disabled'
  | 'source_already_used'
  | 'reference_already_used'
  | 'already_reversed'
  | 'not_reversible'
  | 'route_conflict'
  | 'likely_slip'
  | 'event_archived'

/** The account that asks. */
export interface Account {
  id: string
  object: 'account'
  /** Empty when it has none. */
  name: string
  /** Whether it is for tests; a live account is not. */
  sandbox: boolean
  /** A `frozen` account is read and receives; a `closed` one is only read. */
  state: 'active' | 'frozen' | 'closed'
  /** Those that it holds balances in. */
  currencies: string[]
  /** Funds a payout that names no holding currency, in a currency not held. */
  primary_currency: string
  /** Where other accounts of the installation send `service_account` payouts. */
  deposit_address: string
  /** How long a payout like an earlier one is refused, in seconds; 0 for never. */
  duplicate_window_s: number
  /** Every limit that counts payouts of this account, with what is used of it. */
  limits: AccountLimit[]
  created_at: Timestamp
}

/**
 * One change of state, written in the transaction of the change. More types may come: pass over
 * those that you do not know.
 */
export type AccountEvent<M extends Minor = number> = PayoutQuoteEvent<M> | PayoutEvent<M> | EntityEvent | BeneficiaryEvent | BalanceTransactionEvent<M> | WebhookEndpointEvent

/** A limit of payouts. See also `limit_exceeded`. */
export interface AccountLimit {
  id: string
  /** What it counts in; null: it counts payouts. */
  currency: string | null
  /** The most: minor units of the currency, or payouts, as text. */
  cap: string
  /**
   * What its window has counted so far, as text: of the account, or with `each` `key` of the
   * caller’s key. Null with `each` `payee`, as each payee is counted by itself.
   */
  used: string | null
  /** What is left of `cap`, never below 0; null where `used` is. */
  headroom: string | null
  /** Counted together: one payout, a day, the last hours. */
  per: 'payout' | 'day' | 'hours'
  /** The time zone of a day. */
  zone: string | null
  /** How many hours, with `per` `hours`. */
  hours: number | null
  /** What is counted by itself. */
  each: 'account' | 'key' | 'payee'
  /** Only payouts that this key makes; null: any. */
  key_id: string | null
  /** Only payouts that go to this rail first; null: any. */
  rail: string | null
  /** Only payouts over this network; null: any. */
  network: string | null
  /** Only payouts to payees that the account has known for less than so many hours; null: any. */
  new_for_hours: number | null
}

/** What was asked for; at least one member. */
export interface ActionRequest {
  documents?: AttachedDocument[]
  beneficiary_details?: AnsweredBeneficiaryDetails
  /** Purpose code. */
  purpose?: string
  transaction_description?: string
  /** For people; handed over. */
  note?: string
}

export interface Address {
  line1?: string
  line2?: string
  city?: string
  state?: string
  country?: CountryCode
  postal_code?: string
}

/** Integer in minor units of the currency (ISO 4217 exponent). */
export type Amount = number

/**
 * Documents are added, other members take the place of those before. The beneficiary itself stays
 * as it is.
 */
export interface AnsweredBeneficiaryDetails {
  address?: Address
  date_of_birth?: string
  documents?: AttachedDocument[]
  email?: string
  name_local?: string
  national_identification_number?: string
  phone?: Phone
  registration_number?: string
  tax_id?: string
}

export interface ApprovalDecision {
  /** The name of the person. */
  user: string
  decision: 'approve' | 'reject'
  /** Why, if it was said. */
  reason: string
  decided_at: Timestamp
}

export type ApprovalStatus = 'pending' | 'submitted' | 'approved' | 'rejected' | 'requires_action' | 'resubmitted'

export interface ApprovalStep {
  status: ApprovalStatus
  description: string
  at: Timestamp
}

export interface ApprovalTold {
  /** SHA-256 of what was to be approved, in hex digits. */
  digest: string
  /** How many have approved. */
  given?: number
  /** How many must. */
  needed: number
  expires_at?: Timestamp
}

export interface ApproveRequest {
  /** Of what you were shown: `digest` of the approval. */
  digest: string
  /** Why; in the timeline. */
  reason?: string
}

export type ArchiveRequest = {} | null

export interface AttachedDocument {
  type?: string
  file_name?: string
  url?: string
}

/** Every balance currency of the account, zeros included. */
export interface Balance {
  object: 'balance'
  available: {
    currency: string
    /** Minor units, as text. */
    amount: string
  }[]
  updated_at: Timestamp
}

/** One movement on a balance, with its payout where that is asked for. */
export interface BalanceTransaction<M extends Minor = number> {
  /** Balance transaction id. */
  id: string
  object: 'balance_transaction'
  /** Signed minor units, without fees. */
  amount: M
  currency: string
  created_at: Timestamp
  description: string
  fee_details: ({
    /** Negative for a deduction. */
    amount: M
    currency: string
    type: 'fixed_fee' | 'variable_fee'
  })[]
  fx_conversions: {
    /** Up to 12 significant digits. */
    exchange_rate: number
    initial: Money<M>
    final: Money<M>
  }[]
  net: Money<M>
  /**
   * Of money that the operator has booked: `reference`, the bank’s, and `reason`, where there are
   * any. Empty otherwise.
   */
  metadata: Record<string, string>
  operation_type: 'credit' | 'debit'
  source: string
  type: 'escrow' | 'payout' | 'payout_failure' | 'payout_reversal' | 'withdrawal' | 'adjustment' | 'escrow_reversal' | 'withdrawal_reversal' | 'adjustment_reversal'
  /** With `expand`: the objects that it names. Null: there is none. */
  expanded?: {
    payout?: Payout<M> | null
  }
}

/** One movement on a balance. */
export interface BalanceTransactionAlone<M extends Minor = number> {
  /** Balance transaction id. */
  id: string
  object: 'balance_transaction'
  /** Signed minor units, without fees. */
  amount: M
  currency: string
  created_at: Timestamp
  description: string
  fee_details: ({
    /** Negative for a deduction. */
    amount: M
    currency: string
    type: 'fixed_fee' | 'variable_fee'
  })[]
  fx_conversions: {
    /** Up to 12 significant digits. */
    exchange_rate: number
    initial: Money<M>
    final: Money<M>
  }[]
  net: Money<M>
  /**
   * Of money that the operator has booked: `reference`, the bank’s, and `reason`, where there are
   * any. Empty otherwise.
   */
  metadata: Record<string, string>
  operation_type: 'credit' | 'debit'
  source: string
  type: 'escrow' | 'payout' | 'payout_failure' | 'payout_reversal' | 'withdrawal' | 'adjustment' | 'escrow_reversal' | 'withdrawal_reversal' | 'adjustment_reversal'
}

export interface BalanceTransactionEvent<M extends Minor = number> {
  /** Event id. */
  id: string
  object: 'event'
  /** What happened: the kind of object, and what became of it. */
  type: 'balance_transaction.created'
  created_at: Timestamp
  /** The number of the event in its account: from 1, without gaps, in order. */
  sequence: number
  /** The account that it happened in. */
  account: string
  /** Id of the object it happened to. */
  object_id: string
  data: BalanceTransactionAlone<M>
  /**
   * The members of `data` that this change altered, with their values before it. Empty of what was
   * created, and of what is erased.
   */
  previous_attributes: {}
  /** How it came about, as far as that is not a member of the object. */
  change: {}
  /** Whether personal data of the object was erased; `data` then shows the object without it. */
  erased: boolean
}

export interface BankDestination {
  account_number?: string
  /**
   * Of a country of the SWIFT IBAN registry, and of `country` and the BIC if these are sent. Spaces
   * and small letters are accepted; kept in electronic form.
   */
  iban?: string
  bank_name?: string
  country?: CountryCode
  currency?: CurrencyCode
  /**
   * Codes by name. Checked, and kept without spaces and dashes: `swift_code`, `bic`, `aba`,
   * `sort_code`, `bsb`, `ifsc`, `cnaps`, `clabe`, `ispb`, `transit_number`, `institution_number`;
   * by `country`: `routing_number` (US and none, CA), `bank_code` (BR, HK, JP, KR, LK, SG, TH, TW),
   * `branch_code` (HK, JP, LK, SG, TW, ZA). Other names are free text.
   */
  bank_codes?: Record<string, string>
}

export interface BankDestinationDetails {
  type: 'bank'
  bank: BankDestination
}

/** Who receives payouts, and where. */
export interface Beneficiary {
  /** Beneficiary id. */
  id: string
  object: 'beneficiary'
  address: Address
  date_of_birth: string
  /** Id of the destination, `dst_…`. */
  destination: string
  destination_details: DestinationDetails
  documents: AttachedDocument[]
  email: string
  name: string
  name_local: string
  national_identification_number: string
  party_classification: string
  phone: Phone
  registration_number: string
  /**
   * `pending_approval` and `rejected`: no payout may go to it until people have approved it.
   * `erased`: its personal data is gone, and it is paid no more.
   */
  status: 'active' | 'pending_approval' | 'rejected' | 'erased'
  tax_id: string
  type: 'individual' | 'business'
  /** Since when it is archived, and paid no more. Null: it is not. */
  archived_at: string | null
  created_at: Timestamp
  updated_at: Timestamp
}

/** What a beneficiary needs before a payout may go to it. */
export interface BeneficiaryApproval {
  object: 'beneficiary_approval'
  /** The beneficiary. */
  beneficiary: string
  /** Whether it waits still, or how it has ended. */
  status: 'pending' | 'approved' | 'rejected'
  /** How many people must approve. */
  needed: number
  /** How many have, of those who may approve at this moment. */
  given: number
  /** SHA-256 of all of the beneficiary as it was asked for. Whoever approves sends it. */
  digest: string
  /** Who has made it or changed it since it was approved last, and cannot approve it. */
  made_by: string[]
  requested_at: Timestamp
  expires_at: Timestamp
  ended_at: string | null
  /** The oldest first. */
  decisions: ApprovalDecision[]
}

export interface BeneficiaryDetails {
  name: string
  type: 'individual' | 'business'
  destination_details: DestinationDetails
  name_local?: string
  email?: string
  phone?: Phone
  address?: Address
  date_of_birth?: string
  national_identification_number?: string
  party_classification?: string
  registration_number?: string
  tax_id?: string
  documents?: AttachedDocument[]
}

export interface BeneficiaryDetailsShown {
  address: Address
  date_of_birth: string
  /** Id of the destination, `dst_…`. */
  destination: string
  destination_details: DestinationDetails
  documents: AttachedDocument[]
  email: string
  name: string
  name_local: string
  national_identification_number: string
  party_classification: string
  phone: Phone
  registration_number: string
  /** `erased`: its personal data is gone, and it is paid no more. */
  status: 'active' | 'erased'
  tax_id: string
  type: 'individual' | 'business'
}

export interface BeneficiaryEvent {
  /** Event id. */
  id: string
  object: 'event'
  /** What happened: the kind of object, and what became of it. */
  type: 'beneficiary.created' | 'beneficiary.updated' | 'beneficiary.pending_approval' | 'beneficiary.approved' | 'beneficiary.rejected' | 'beneficiary.archived' | 'beneficiary.unarchived' | 'beneficiary.erased'
  created_at: Timestamp
  /** The number of the event in its account: from 1, without gaps, in order. */
  sequence: number
  /** The account that it happened in. */
  account: string
  /** Id of the object it happened to. */
  object_id: string
  data: Beneficiary
  previous_attributes: BeneficiaryEventBefore
  change: BeneficiaryEventChange
  /** Whether personal data of the object was erased; `data` then shows the object without it. */
  erased: boolean
}

/**
 * The members of `data` that this change altered, with their values before it. Empty of what was
 * created, and of what is erased.
 */
export type BeneficiaryEventBefore = Partial<Beneficiary>

/** How it came about, as far as that is not a member of the object. */
export interface BeneficiaryEventChange {
  /** The name of the person who did it by hand. */
  operator?: string
  approval?: ApprovalTold
  /** How many rows an erasure has changed. */
  erased_rows?: number
  /** SHA-256 of these rows, in hex digits. */
  digest?: string
}

/** A member replaces the whole of what was there; null takes it away. */
export interface BeneficiaryUpdate {
  name?: string
  /** Fixed: only as it is. */
  type?: 'individual' | 'business'
  destination_details?: DestinationDetails
  name_local?: string | null
  email?: string | null
  phone?: {
    code?: string
    number?: string
  } | null
  address?: {
    line1?: string
    line2?: string
    city?: string
    state?: string
    country?: CountryCode
    postal_code?: string
  } | null
  date_of_birth?: string | null
  national_identification_number?: string | null
  party_classification?: string | null
  registration_number?: string | null
  tax_id?: string | null
  documents?: AttachedDocument[] | null
}

/** Who did it by hand, and what they said of it. */
export interface ByHand {
  /** The name of the person. */
  operator: string
  /** The bank’s reference of the payment, if it was said. */
  reference: string
  /** Why, if it was said. */
  reason: string
}

export type CancelRequest = {} | null

export interface ClockRequest {
  /** By how much the clock goes forward. It never goes back. */
  seconds: number
}

/** ISO 3166-1 alpha-2 country code. */
export type CountryCode = string

/** The events of this time. */
export interface CreatedRange {
  /** Events after this time (ISO 8601 with an offset). */
  gt?: string
  /** Events at this time or after it. */
  gte?: string
  /** Events before this time. */
  lt?: string
  /** Events at this time or before it. */
  lte?: string
}

/** ISO 4217 code, USDC or USDT. */
export type CurrencyCode = string

export interface DecidedPayouts {
  status: 'pending_approval' | 'processing' | 'requires_action' | 'compliance_hold' | 'succeeded' | 'failed' | 'reversed'
  payouts: number
}

/** A decimal number as text, exact. */
export type DecimalText = string

export type DestinationDetails = BankDestinationDetails | WalletDestinationDetails | LocalPaymentNetworkDestinationDetails | ServiceAccountDestinationDetails

/** What the payout would cost; null when it has no price. */
export interface DryRunPrice<M extends Minor = number> {
  holding_info: Money<M>
  payout_info: Money<M>
  destination_info: Money<M>
  fee_info: Fees<M>
  exchange_rates: ExchangeRates
  total_debit: Money<M>
  /** The balance that it would be taken from, as it is now. */
  available: {
    currency: string
    /** Minor units as text. */
    amount: string
  }
}

export interface DuplicateRule {
  rule: string
  /** 1 is looked at first. */
  priority: number
  /** Whether every field that the rule needs is set. */
  takes_part: boolean
  /** Needed fields that are absent or blank. */
  missing: string[]
  /**
   * What is compared, by JSON path: composed (Unicode NFC), without invisible characters, trimmed
   * and case-folded.
   */
  compared: Record<string, string>
  /** The entity that is the same by this rule, or empty. */
  entity: string
  /** Passed over because they are rejected; the 20 oldest, oldest first. */
  rejected: string[]
}

export interface EndedApprovals {
  status: 'approved' | 'rejected' | 'expired' | 'cancelled' | 'failed'
  payouts: number
}

/** A person or a business in whose name the account pays. */
export interface Entity {
  /** Entity id. */
  id: string
  object: 'entity'
  type: 'individual' | 'business'
  name: string
  email: string
  phone: Phone
  description: string
  vertical: string
  on_behalf_of: string
  national_identification_number: NationalIdentification
  registration_number: string
  registration_date: string
  registration_address: EntityAddress
  operating_address: EntityAddress
  tax_id: string
  purpose_of_use: string
  relationship: string
  representatives: Representative[]
  documents: AttachedDocument[]
  reference_id: string
  metadata: Metadata | null
  approval_status: ApprovalStatus
  /** The reason given at the last step. */
  approval_status_description: string
  /** Every step, oldest first. */
  approval_history: ApprovalStep[]
  created_at: Timestamp
  updated_at: Timestamp
}

export interface EntityAddress {
  line1?: string
  line2?: string
  city?: string
  state?: string
  country?: EntityCountry
  postal_code?: string
}

/** ISO 3166-1 alpha-2 country code, in any case; stored in upper case. */
export type EntityCountry = string

/** What the duplicate rules say of a record, at this moment. */
export interface EntityDuplicateCheck {
  object: 'entity_duplicate_check'
  /** Whether a creation would create nothing. */
  duplicate: boolean
  /** The entity that would be the answer, or empty. */
  entity: string
  /** The rule that decides, or empty. More rules may come. */
  rule: string
  /** Every rule for the type, by priority, those after the deciding one too. */
  rules: DuplicateRule[]
}

export interface EntityEvent {
  /** Event id. */
  id: string
  object: 'event'
  /** What happened: the kind of object, and what became of it. */
  type: 'entity.created' | 'entity.updated' | 'entity.approval_pending' | 'entity.approval_submitted' | 'entity.approval_approved' | 'entity.approval_rejected' | 'entity.approval_requires_action' | 'entity.approval_resubmitted' | 'entity.erased'
  created_at: Timestamp
  /** The number of the event in its account: from 1, without gaps, in order. */
  sequence: number
  /** The account that it happened in. */
  account: string
  /** Id of the object it happened to. */
  object_id: string
  data: Entity
  previous_attributes: EntityEventBefore
  change: EntityEventChange
  /** Whether personal data of the object was erased; `data` then shows the object without it. */
  erased: boolean
}

/**
 * The members of `data` that this change altered, with their values before it. Empty of what was
 * created, and of what is erased.
 */
export type EntityEventBefore = Partial<Entity>

/** How it came about, as far as that is not a member of the object. */
export interface EntityEventChange {
  /** How many rows an erasure has changed. */
  erased_rows?: number
  /** SHA-256 of these rows, in hex digits. */
  digest?: string
}

export interface EntityRequest {
  name: string
  type: 'individual' | 'business'
  email?: string
  phone?: Phone
  description?: string
  /** The line of business, a scope of the name rule. */
  vertical?: string
  /** The entity this one belongs to, a scope of the name rule. */
  on_behalf_of?: string
  national_identification_number?: NationalIdentification
  registration_number?: string
  /** YYYY-MM-DD. */
  registration_date?: string
  registration_address?: EntityAddress
  operating_address?: EntityAddress
  tax_id?: string
  purpose_of_use?: string
  /** What the entity is to the account. */
  relationship?: string
  representatives?: Representative[]
  documents?: AttachedDocument[]
  reference_id?: string
  metadata?: Metadata
}

/** The members of an update, or nothing. */
export type EntitySubmission = EntityUpdate | null

/** A member replaces the whole of what was there; null takes it away. */
export interface EntityUpdate {
  name?: string
  /** Fixed: only as it is. */
  type?: 'individual' | 'business'
  email?: string | null
  phone?: {
    code?: string
    number?: string
  } | null
  description?: string | null
  /** The line of business, a scope of the name rule. */
  vertical?: string | null
  /** The entity this one belongs to, a scope of the name rule. */
  on_behalf_of?: string | null
  national_identification_number?: {
    type?: string
    number?: string
  } | null
  registration_number?: string | null
  /** YYYY-MM-DD. */
  registration_date?: string | null
  registration_address?: {
    line1?: string
    line2?: string
    city?: string
    state?: string
    country?: EntityCountry
    postal_code?: string
  } | null
  operating_address?: {
    line1?: string
    line2?: string
    city?: string
    state?: string
    country?: EntityCountry
    postal_code?: string
  } | null
  tax_id?: string | null
  purpose_of_use?: string | null
  /** What the entity is to the account. */
  relationship?: string | null
  representatives?: Representative[] | null
  documents?: AttachedDocument[] | null
  reference_id?: string | null
  /** Up to 50 pairs of a name (1 to 40 characters) and a text (up to 500). */
  metadata?: Record<string, string> | null
}

export interface ErrorDetail {
  /** The number of the error in the catalogue. */
  code: number
  /** Its name: decide by this one. New reasons may be added. */
  reason: 'invalid_json' | 'internal' | 'service_unavailable' | 'invalid_path_parameter' | 'invalid_query_parameter' | 'not_found' | 'insufficient_scope' | 'sandbox_only' | 'invalid_credentials' | 'missing_credentials' | 'rate_limited' | 'invalid_request' | 'request_timeout' | 'unsupported_media_type' | 'payload_too_large' | 'headers_too_large' | 'uri_too_long' | 'misdirected_request' | 'unknown_version' | 'method_not_allowed' | 'account_frozen' | 'account_closed' | 'invalid_field' | 'cross_site_request' | 'insecure_connection' | 'password_needed' | 'invalid_login' | 'session_over' | 'idempotency_key_reused' | 'invalid_idempotency_key' | 'currency' | 'holding_currency_not_found' | 'beneficiary_missing' | 'type_mismatch' | 'beneficiary_not_found' | 'entity_not_found' | 'insufficient_balance' | 'amount_mismatch' | 'amount_out_of_range' | 'quote_expired' | 'quote_used' | 'quote_mismatch' | 'rate_stale' | 'fee_unavailable' | 'rate_unavailable' | 'deposit_address_not_found' | 'deposit_currency_not_accepted' | 'invalid_transition' | 'entity_duplicate' | 'entity_changed' | 'approval_not_allowed' | 'already_decided' | 'approval_outdated' | 'payout_not_cancellable' | 'possible_duplicate_payout' | 'max_total_debit_exceeded' | 'balance_limit_exceeded' | 'route_unavailable' | 'calendar_ended' | 'limit_exceeded' | 'beneficiary_not_approved' | 'beneficiary_archived' | 'party_erased' | 'erasure_refused' | 'webhook_endpoint_limit' | 'webhook_endpoint_disabled' | 'source_already_used' | 'reference_already_used' | 'already_reversed' | 'not_reversible' | 'route_conflict' | 'likely_slip' | 'event_archived' | (string & {})
  /** For people; the wording may change. */
  message: string
  /** JSON path of the field; empty for the whole request. */
  remarks: string
}

export interface ExchangeRates {
  /** Up to 12 significant digits. */
  holding_to_payout: number
  /** Up to 12 significant digits. */
  payout_to_destination: number
}

/** Into the holding currency at mid; null when no fee had to be converted. */
export interface ExplainedConversion {
  /** Currency code. */
  from: string
  /** Currency code; the rate is units of it for one unit of from. */
  to: string
  /** How the rate book joins the two. */
  method: 'same_currency' | 'direct' | 'inverted' | 'crossed'
  /** Rows of the rate book as they were, in the order in which they are used. */
  rows: RateBookRow[]
  mid: ExplainedMid
}

/** The row of the fee schedule; amounts in minor units. */
export interface ExplainedFee {
  payout_type: PayoutType
  payout_currency: string | null
  destination_country: string | null
  network: string | null
  charge_type: string | null
  fixed_amount: DecimalText
  /** Of the fixed, minimum and maximum amount. */
  fee_currency: string
  /** Basis points of holding_info.amount. */
  variable_bps: number
  minimum_amount: DecimalText | null
  maximum_amount: DecimalText | null
}

export interface ExplainedFigure {
  /** The member of the quote, or a step on the way to it. */
  figure: string
  currency: string
  /** Names are members of the quote or of this explanation. */
  formula: string
  /** The same in numbers; * and / from left to right, amounts in minor units. */
  calculation: string
  unrounded: DecimalText
  /** The exact result never ends; these are its first 20 digits, not rounded. */
  truncated: boolean
  /** Minor units of currency. */
  rounded: string
  rounding: 'up' | 'down' | 'none'
}

/** Before the spread. */
export interface ExplainedMid {
  /** Names are members of the quote or of this explanation. */
  formula: string
  /** The same in numbers; * and / from left to right, amounts in minor units. */
  calculation: string
  unrounded: DecimalText
  /** The exact result never ends; these are its first 20 digits, not rounded. */
  truncated: boolean
}

export interface ExplainedRate {
  /** The member of the quote. */
  figure: string
  /** Currency code. */
  from: string
  /** Currency code; the rate is units of it for one unit of from. */
  to: string
  /** How the rate book joins the two. */
  method: 'same_currency' | 'direct' | 'inverted' | 'crossed'
  /** Rows of the rate book as they were, in the order in which they are used. */
  rows: RateBookRow[]
  mid: ExplainedMid
  /** Taken off the mid, in hundredths of a percent. */
  spread_bps: number
  /** Names are members of the quote or of this explanation. */
  formula: string
  /** The same in numbers; * and / from left to right, amounts in minor units. */
  calculation: string
  unrounded: DecimalText
  /** The exact result never ends; these are its first 20 digits, not rounded. */
  truncated: boolean
  rounded: DecimalText
  rounding: 'down_12_digits' | 'none'
}

/** One fee in both currencies; the holding currency is charged. */
export interface Fee<M extends Minor = number> {
  /** Minor units. */
  in_holding_currency: M
  /** Minor units. */
  in_payout_currency: M
}

export interface Fees<M extends Minor = number> {
  fixed: Fee<M>
  variable: Fee<M>
}

export interface ForeseenPayout {
  /** The index of the payout in the request. */
  position: number
  outcome: 'would_create' | 'would_hold' | 'would_refuse' | 'would_await_approval'
  reference_id: string
  /** Empty when it would be refused. */
  holding_currency: string
  /** Amount and fees; empty when it would be refused. */
  total_debit: string
  /** How many people would have to approve it before it goes out. */
  approvals_needed: number
  /** As POST /v3/payout refuses it; `remarks` begins at the payout. */
  errors: ErrorDetail[]
}

export interface Funding<M extends Minor = number> {
  amount: M
  currency: CurrencyCode
}

/** Empty when nothing was converted on this side. */
export interface FxTransaction<M extends Minor = number> {
  /** Foreign-exchange transaction id, 23 characters. */
  id?: string
  object?: 'fx_transaction'
  /** Up to 12 significant digits. */
  exchange_rate?: number
  initial?: Money<M>
  final?: Money<M>
}

/** A rate of this moment, which binds nobody. */
export interface IndicativeRate {
  object: 'rate'
  /** Currency code. */
  from: string
  /** Currency code; the rate is units of it for one unit of from. */
  to: string
  /** How the rate book joins the two. */
  method: 'same_currency' | 'direct' | 'inverted' | 'crossed'
  /** Rows of the rate book as they were, in the order in which they are used. */
  rows: RateBookRow[]
  /** Up to 12 significant digits. */
  rate: number
  mid: DecimalText
  /** Taken off the mid, in hundredths of a percent. */
  spread_bps: number
  /**
   * Until when the rows may be quoted, unless newer ones come; null where they do not age, as in
   * sandboxes.
   */
  good_until: Timestamp | null
}

export interface LocalPaymentNetworkDestination {
  type: string
  deposit_key_type?: string
  deposit_key?: string
}

export interface LocalPaymentNetworkDestinationDetails {
  type: 'local_payment_network'
  local_payment_network: LocalPaymentNetworkDestination
}

/** A request of a sandbox account, and how it ended. */
export interface LoggedRequest {
  /** Id of the row of the log. */
  id: string
  object: 'logged_request'
  created_at: Timestamp
  /** As the answer has it in `X-Request-Id`. */
  request_id: string
  /** The key that it was sent with. */
  key_id: string
  method: string
  /** With its query. What a caller has made up is `…`. */
  path: string
  /** `succeeded`, `refused` (4xx), `failed` (5xx), or `abandoned`: the caller left before. */
  outcome: 'succeeded' | 'refused' | 'failed' | 'abandoned'
  /** Null of `abandoned`. */
  status: number | null
  /** Until the answer was written, to the microsecond. */
  duration_ms: number
  /** Of the first error; empty when there is none. */
  reason: 'invalid_json' | 'internal' | 'service_unavailable' | 'invalid_path_parameter' | 'invalid_query_parameter' | 'not_found' | 'insufficient_scope' | 'sandbox_only' | 'invalid_credentials' | 'missing_credentials' | 'rate_limited' | 'invalid_request' | 'request_timeout' | 'unsupported_media_type' | 'payload_too_large' | 'headers_too_large' | 'uri_too_long' | 'misdirected_request' | 'unknown_version' | 'method_not_allowed' | 'account_frozen' | 'account_closed' | 'invalid_field' | 'cross_site_request' | 'insecure_connection' | 'password_needed' | 'invalid_login' | 'session_over' | 'idempotency_key_reused' | 'invalid_idempotency_key' | 'currency' | 'holding_currency_not_found' | 'beneficiary_missing' | 'type_mismatch' | 'beneficiary_not_found' | 'entity_not_found' | 'insufficient_balance' | 'amount_mismatch' | 'amount_out_of_range' | 'quote_expired' | 'quote_used' | 'quote_mismatch' | 'rate_stale' | 'fee_unavailable' | 'rate_unavailable' | 'deposit_address_not_found' | 'deposit_currency_not_accepted' | 'invalid_transition' | 'entity_duplicate' | 'entity_changed' | 'approval_not_allowed' | 'already_decided' | 'approval_outdated' | 'payout_not_cancellable' | 'possible_duplicate_payout' | 'max_total_debit_exceeded' | 'balance_limit_exceeded' | 'route_unavailable' | 'calendar_ended' | 'limit_exceeded' | 'beneficiary_not_approved' | 'beneficiary_archived' | 'party_erased' | 'erasure_refused' | 'webhook_endpoint_limit' | 'webhook_endpoint_disabled' | 'source_already_used' | 'reference_already_used' | 'already_reversed' | 'not_reversible' | 'route_conflict' | 'likely_slip' | 'event_archived' | (string & {})
  /** The path of the field that the error is about. */
  remarks: string
  /**
   * What was sent, as JSON, with `…` for all but codes, amounts and ids. Empty unless the service
   * logs bodies.
   */
  body: string
}

export interface LogisticsTracking {
  tracking_number?: string
  tracking_type?: string
  logistics_provider_code?: string
  logistics_provider_name?: string
}

/** Up to 50 pairs of a name (1 to 40 characters) and a text (up to 500). */
export type Metadata = Record<string, string>

/**
 * A name that is sent gets the text, or is taken away with null or an empty text; others stay. Null
 * takes all away. There are 50 names at most.
 */
export type MetadataChanges = Record<string, string | null> | null

export interface Money<M extends Minor = number> {
  /** Minor units. */
  amount: M
  currency: string
}

export interface NationalIdentification {
  type?: string
  number?: string
}

export interface OptionPrice<M extends Minor = number> {
  holding_info: Money<M>
  payout_info: Money<M>
  destination_info: Money<M>
  fee_info: Fees<M>
  exchange_rates: ExchangeRates
  total_debit: Money<M>
}

export interface OptionsRequest<M extends Minor = number> {
  /** What is paid out; the amount that all others follow from. */
  payout_info: {
    currency: CurrencyCode
    amount: M
  }
  /** The balance that pays. */
  holding_info?: {
    currency: CurrencyCode
  }
  /** What arrives. */
  destination_info?: {
    currency: CurrencyCode
    country: CountryCode
  }
  /** Whom the payout is made for. */
  entity_id?: string
}

/** One payout as it is now. */
export interface Payout<M extends Minor = number> {
  /** Payout id. */
  id: string
  object: 'payout'
  /** Minor units. */
  amount: M
  currency: string
  holding_currency: string
  fee_info: Fees<M>
  total_debit: TotalDebit<M>
  /** The debit of this payout. */
  balance_transaction: string
  /** Beneficiary id. */
  beneficiary: string
  beneficiary_details: BeneficiaryDetailsShown
  charge_type: string
  /** Of a payout by SWIFT its MT103, of type `mt103`; a `data:` URL holds it. */
  confirmation_documents: AttachedDocument[]
  documents: AttachedDocument[]
  created_at: Timestamp
  /**
   * When the payout last changed: its state, its answers, its rail, or who pays it. It is
   * `created_at` until then. A forecast that the rail changes leaves it as it is, and so does a
   * change of the metadata.
   */
  updated_at: string
  /**
   * When it is executed: until then it is `processing`, nothing goes out and it can be cancelled.
   * Null of one that is executed at once.
   */
  execute_at: Timestamp | null
  /**
   * When the beneficiary has the money at the latest, by the release of the payout, the business
   * days of its currency and the rules of its network, or as the rail says. Null where that is not
   * known, while the payout is held, and when it has failed.
   */
  expected_at: Timestamp | null
  /** The quote that fixed the holding rate; empty when nothing was converted. */
  holding_fx_quote: string
  holding_fx_transaction: FxTransaction<M>
  payout_fx_transaction: FxTransaction<M>
  local: {
    fund_transfer_network: string
  }
  logistics_tracking_details: LogisticsTracking[]
  metadata: Metadata | null
  /** The message of a payout by SWIFT, as it was when the payout was made. */
  mt103: string
  on_behalf_of: string
  purpose: string
  /** The quote used; one is recorded even when none was sent. */
  quote: string
  /**
   * The rail that has it now, or had it last: `simulator` of sandboxes, `manual` where people pay,
   * the name of another one; empty for a transfer to another account. GET /v3/payout/{id}/timeline
   * shows each attempt.
   */
  rail: string
  reference_id: string
  statement_descriptor: string
  status: PayoutStatus
  /** In `requires_action` what is asked for, in `compliance_hold` why. */
  status_description: string
  failure: PayoutFailure | null
  tracking_details: {
    tracking_number: string
    /**
     * `uetr` for payouts by SWIFT: the number is the end-to-end reference. `bank_reference` for
     * others, once the bank that paid has given one.
     */
    tracking_type: string
  }
  transaction_description: string
  type: PayoutType
  /** With `expand`: the objects that it names. Null: there is none. */
  expanded?: {
    beneficiary?: Beneficiary | null
    quote?: PayoutQuote<M> | null
    on_behalf_of?: Entity | null
    balance_transaction?: BalanceTransactionAlone<M> | null
  }
}

/** What a payout needs before it goes out. */
export interface PayoutApproval {
  object: 'payout_approval'
  /** The payout. */
  payout: string
  /**
   * The import that has made the payout, `pim_…`, which can be decided as one; empty of payouts
   * that no file has made.
   */
  payout_import: string
  /** Whether it waits still, or how it has ended. */
  status: 'pending' | 'approved' | 'rejected' | 'expired' | 'cancelled' | 'failed'
  /** How many people must approve. */
  needed: number
  /** How many have, of those who may approve at this moment. */
  given: number
  /** SHA-256 of all that the payout was made with. Whoever approves sends it. */
  digest: string
  /** The person who made the payout; empty when a key did that is nobody’s. */
  made_by: string
  requested_at: Timestamp
  expires_at: Timestamp
  ended_at: string | null
  /** The oldest first. */
  decisions: ApprovalDecision[]
}

/** Many payouts asked for at once, as they were when they were made. */
export interface PayoutBatch {
  /** The id of the batch, `pob_…`; empty of a dry run. */
  id: string
  object: 'payout_batch'
  mode: 'all_or_nothing' | 'best_effort'
  dry_run: boolean
  /** Of a dry run, what a batch would have come to. */
  status: 'completed' | 'would_complete' | 'would_be_refused'
  counts: PayoutBatchCounts
  /** One for each balance that paid. */
  totals: PayoutBatchTotal[]
  /** The first 100 that were refused. */
  refused: PayoutBatchItem[]
  /** Of a dry run: each payout, in order. */
  payouts?: ForeseenPayout[]
  reference_id: string
  metadata: Metadata | null
  created_at: Timestamp
}

/** What of a batch waits for people. */
export interface PayoutBatchApproval {
  object: 'payout_batch_approval'
  /** The batch. */
  payout_batch: string
  /** How many payouts of the batch wait for an approval. */
  waiting: number
  /** Of those that wait. */
  totals: WaitingTotal[]
  /** Who made those that wait, and so cannot approve them. */
  made_by: string[]
  /** Who has approved all of them, where others must, too. */
  approved_by: string[]
  /** How many people must approve, of the payout that needs the most. */
  needed: number
  /** When the first of them fails unless it is approved; null when none waits. */
  expires_at: string | null
  /**
   * SHA-256 over the digests of all that wait, in the order of the batch. Whoever approves sends
   * it.
   */
  digest: string
  /** How the approvals of the others have ended. */
  ended: EndedApprovals[]
}

export interface PayoutBatchCounts {
  payouts: number
  /** Made, and not held. */
  created: number
  /** Made, and held until an entity is reviewed. */
  held: number
  refused: number
}

export interface PayoutBatchDecision {
  object: 'payout_batch_decision'
  /** The batch. */
  payout_batch: string
  decision: 'approve' | 'reject'
  /** What has become of those that it was about; `pending_approval` where others must approve, too. */
  payouts: DecidedPayouts[]
}

export interface PayoutBatchItem {
  object: 'payout_batch_item'
  /** The index of the payout in the request. */
  position: number
  /** What became of it then; the payout says what has become of it since. */
  status: 'created' | 'held' | 'refused'
  /** The id of the payout; empty when it was refused. */
  payout: string
  /** Of the payout, as it was sent. */
  reference_id: string
  /** As POST /v3/payout refuses it; `remarks` begins at the payout. */
  errors: ErrorDetail[]
}

export interface PayoutBatchRequest<M extends Minor = number> {
  /**
   * `all_or_nothing`: all payouts are made, or none. `best_effort`: those that can be made are, in
   * their order.
   */
  mode?: 'all_or_nothing' | 'best_effort'
  /** Say what would happen; make nothing. */
  dry_run?: boolean
  reference_id?: string
  metadata?: Metadata
  /** Each as POST /v3/payout takes it. */
  payouts: PayoutRequest<M>[]
}

export interface PayoutBatchTotal {
  /** The currency of the balance. */
  currency: string
  /** How many payouts were made from it. */
  payouts: number
  /** What was taken without fees, in minor units as text. */
  amount: string
  /** Fixed fees, in minor units as text. */
  fixed_fee: string
  /** Variable fees, in minor units as text. */
  variable_fee: string
  /** Amount and fees, in minor units as text. */
  total_debit: string
  /** What was left of the balance then, in minor units as text. */
  available_after: string
}

/** What the payout would come to at this moment. */
export interface PayoutDryRun<M extends Minor = number> {
  object: 'payout_dry_run'
  outcome: 'would_create' | 'would_await_approval' | 'would_hold' | 'would_refuse'
  /** Everything it would be refused for; the first is the answer of a creation. */
  errors: ErrorDetail[]
  /** False when a refusal keeps later checks from being made: mend it, ask again. */
  complete: boolean
  price: DryRunPrice<M> | null
  /** The rail that would take it; empty when none would. */
  rail: string
  /** The entity whose review it would wait for, or empty. */
  held_for: string
  /** When it would be executed; null when at once. */
  execute_at: Timestamp | null
  /** How many people would have to approve it before it goes out. */
  approvals_needed: number
}

export interface PayoutEvent<M extends Minor = number> {
  /** Event id. */
  id: string
  object: 'event'
  /** What happened: the kind of object, and what became of it. */
  type: 'payout.created' | 'payout.pending_approval' | 'payout.approved' | 'payout.rejected' | 'payout.processing' | 'payout.requires_action' | 'payout.compliance_hold' | 'payout.succeeded' | 'payout.failed' | 'payout.reversed' | 'payout.sent' | 'payout.rerouted' | 'payout.taken' | 'payout.released' | 'payout.updated' | 'payout.erased'
  created_at: Timestamp
  /** The number of the event in its account: from 1, without gaps, in order. */
  sequence: number
  /** The account that it happened in. */
  account: string
  /** Id of the object it happened to. */
  object_id: string
  data: Payout<M>
  previous_attributes: PayoutEventBefore<M>
  change: PayoutEventChange
  /** Whether personal data of the object was erased; `data` then shows the object without it. */
  erased: boolean
}

/**
 * The members of `data` that this change altered, with their values before it. Empty of what was
 * created, and of what is erased.
 */
export type PayoutEventBefore<M extends Minor = number> = Partial<Payout<M>>

/** How it came about, as far as that is not a member of the object. */
export interface PayoutEventChange {
  /**
   * Who caused it: the account, the rail, the operator, the review of its entity, or those who
   * approve it.
   */
  by?: 'account' | 'rail' | 'operator' | 'review' | 'approval'
  /** The name of the person who did it by hand. */
  operator?: string
  /** Why, as the person said. */
  reason?: string
  /** The bank’s reference, as the person said. */
  reference?: string
  /**
   * Numbers of the journals that it wrote in the book of the account, which GET
   * /v3/payout/{id}/timeline shows.
   */
  journals?: number[]
  /** Which answer of the account led to it. */
  answer?: number
  /** Of payout.rerouted: the rail that gets it. */
  rail?: string
  /** Of payout.rerouted: the rail that had it. */
  previous_rail?: string
  /** Of payout.rerouted: the new attempt. */
  attempt?: number
  rail_attempt?: RailAttemptTold
  approval?: ApprovalTold
}

/**
 * Codes: PF000100, cancelled by the account; PF000300, the entity the payout was made for is
 * rejected; PF000310, the receiving account’s balance is full; PF000320, it is closed; PF000330,
 * the entity was approved after the rate of the payout was no longer kept; OP000100, set by the
 * operator; PF000900 and PR000900, simulated. By a bank, PF before and PR after success: 000500, no
 * reason; 000510, no such account; 000511, closed; 000512, blocked; 000513, wrong bank; 000520,
 * name; 000521, address; 000530, refused by the beneficiary; 000540, amount; 000550, not executed;
 * 000560, regulatory; 000570, technical; 000580, date; 000590, repetition; 000595, cancelled.
 * Others are the rail’s.
 */
export interface PayoutFailure {
  code: string
  category: string
  message: string
}

/** A batch or an import of which payouts wait. */
export interface PayoutGroup {
  object: 'payout_group'
  /** The batch or the import. */
  id: string
  /** Of those that wait. */
  totals: WaitingTotal[]
  /** Who made those that wait. */
  made_by: string[]
  since: Timestamp
}

/** What waits for people and can be approved as one. */
export interface PayoutGroups {
  object: 'payout_groups'
  /** Newest first. */
  groups: PayoutGroup[]
}

/** What of an import waits for people. */
export interface PayoutImportApproval {
  object: 'payout_import_approval'
  /** The import. */
  payout_import: string
  /** How many payouts of the import wait and are decided together. */
  waiting: number
  /** How many wait besides. They are shown and decided once these are. */
  further: number
  /** Of those that wait. */
  totals: WaitingTotal[]
  /** Who made those that wait, and so cannot approve them. */
  made_by: string[]
  /** Who has approved all of them, where others must, too. */
  approved_by: string[]
  /** How many people must approve, of the payout that needs the most. */
  needed: number
  /** When the first of them fails unless it is approved; null when none waits. */
  expires_at: string | null
  /**
   * SHA-256 over the digests of all that wait, in the order of the payouts’ ids. Whoever approves
   * sends it.
   */
  digest: string
  /** How the approvals of the others have ended. */
  ended: EndedApprovals[]
}

export interface PayoutImportDecision {
  object: 'payout_import_decision'
  /** The import. */
  payout_import: string
  decision: 'approve' | 'reject'
  /** What has become of those that it was about; `pending_approval` where others must approve, too. */
  payouts: DecidedPayouts[]
}

/** `quote_request` is the body of POST /v3/payout/quote for this way. */
export interface PayoutOption<M extends Minor = number> {
  object: 'payout_option'
  possible: boolean
  /** What it is refused for; else empty. */
  errors: ErrorDetail[]
  /** Null when it is not possible. */
  price: OptionPrice<M> | null
  /** When a payout that is made now arrives at the latest; null: not known. */
  expected_at: Timestamp | null
  /** The rail that would take it; empty when none would. */
  rail: string
  /** The rails that would follow, each if the one before has proved not to pay. */
  failover: string[]
  /** How the rail has done in this installation; null: no payout of it has ended. */
  rail_figures: RailFigures | null
  quote_request: QuoteRequest<M>
}

/** The ways a payout could go at this moment. */
export interface PayoutOptions<M extends Minor = number> {
  object: 'payout_options'
  /** Possible ones first, by total debit, then by arrival. */
  options: PayoutOption<M>[]
}

/** The fees and rates of one payout, until `valid_until` and for one use. */
export interface PayoutQuote<M extends Minor = number> {
  /** Quote id. */
  id: string
  object: 'payout_quote'
  payout_type: PayoutType
  local: {
    fund_transfer_network: string
  }
  local_payment_network: {
    payment_network: string
  }
  wallet: {
    type?: string
    network?: string
  }
  holding_info: Money<M>
  payout_info: Money<M>
  destination_info: Money<M>
  fee_info: Fees<M>
  exchange_rates: ExchangeRates
  total_debit: Money<M>
  /** From this instant on: 422. */
  valid_until: string
  /**
   * When a payout that is made as soon as the quote arrives at the latest, as known when it was
   * made; null where that is not known, and once the quote cannot be used any more.
   */
  expected_at: string | null
  status: 'active' | 'used' | 'expired'
  created_at: string
  updated_at: string
  explanation?: QuoteExplanation
}

export interface PayoutQuoteEvent<M extends Minor = number> {
  /** Event id. */
  id: string
  object: 'event'
  /** What happened: the kind of object, and what became of it. */
  type: 'payout_quote.created'
  created_at: Timestamp
  /** The number of the event in its account: from 1, without gaps, in order. */
  sequence: number
  /** The account that it happened in. */
  account: string
  /** Id of the object it happened to. */
  object_id: string
  data: PayoutQuote<M>
  /**
   * The members of `data` that this change altered, with their values before it. Empty of what was
   * created, and of what is erased.
   */
  previous_attributes: {}
  /** How it came about, as far as that is not a member of the object. */
  change: {}
  /** Whether personal data of the object was erased; `data` then shows the object without it. */
  erased: boolean
}

export interface PayoutRequest<M extends Minor = number> {
  amount: M
  currency: CurrencyCode
  type?: 'swift' | 'local' | 'local_payment_network' | 'wallet' | 'service_account'
  /** Purpose code. */
  purpose: string
  transaction_description: string
  /** An existing beneficiary. */
  beneficiary?: string
  beneficiary_details?: BeneficiaryDetails
  /** The quote whose rates and fees apply. */
  quote?: string
  holding_currency?: CurrencyCode
  charge_type?: 'shared' | 'ours'
  local?: {
    fund_transfer_network?: string
  }
  reference_id?: string
  statement_descriptor?: string
  documents?: AttachedDocument[]
  logistics_tracking_details?: LogisticsTracking[]
  metadata?: Metadata
  /** The entity the payout is made for. */
  on_behalf_of?: string
  /**
   * When it is executed (RFC 3339 with an offset), at most 365 days ahead; by default at once. The
   * money is taken now and the price is that of now; nothing goes out before, and until then it can
   * be cancelled. One that converts can be scheduled as far ahead as the operator lets its rate be
   * fixed.
   */
  execute_at?: string
  /**
   * The most that amount and fees may come to, in minor units of the holding currency. With it, an
   * expired quote is priced anew and the payout made if it costs no more.
   */
  max_total_debit?: M
  /**
   * This is another payment than one just made with the same beneficiary, amount, currency and
   * reference_id, and is to be made all the same.
   */
  allow_duplicate?: boolean
}

/** What a destination must have to be paid. */
export interface PayoutRequirements<M extends Minor = number> {
  object: 'payout_requirements'
  type: PayoutType
  currency: string
  /**
   * The country that the accounts count to: of territories that whose IBANs or routing numbers they
   * have.
   */
  country: string
  network: string
  /** A destination takes one of them. */
  alternatives: RequirementAlternative[]
  networks: RequirementNetwork<M>[]
  purpose: RequirementPurpose
}

export type PayoutStatus = 'pending_approval' | 'processing' | 'requires_action' | 'compliance_hold' | 'succeeded' | 'failed' | 'reversed'

/** What became of a payout, and why. */
export interface PayoutTimeline<M extends Minor = number> {
  object: 'payout_timeline'
  /** Payout id. */
  payout: string
  /** As the payout is now. */
  status: 'pending_approval' | 'processing' | 'requires_action' | 'compliance_hold' | 'succeeded' | 'failed' | 'reversed'
  /**
   * Whether older states or webhook attempts were left out: the newest 1000 states and 1000 webhook
   * attempts are kept.
   */
  truncated: boolean
  /**
   * Events up to this time are in an archive of the operator, and what they told of is missing
   * here. Null: all of the payout’s are here.
   */
  archived_to: string | null
  /** Whether the operator looks at what the rail has said: until that is over nothing moves. */
  under_review: boolean
  /**
   * Oldest first; of one time each state, the route, the attempt, its journals, its webhook
   * attempts.
   */
  items: TimelineItem<M>[]
}

export type PayoutType = 'swift' | 'local' | 'local_payment_network' | 'wallet' | 'service_account'

export interface PayoutUpdate {
  metadata: MetadataChanges
}

export interface Phone {
  code?: string
  number?: string
}

export interface Posting<M extends Minor = number> {
  /** The position of the book, such as `available`. */
  code: string
  currency: string
  /** Signed minor units. */
  amount: M
}

/**
 * How every figure of the quote came about, from the rates and fees of that moment. Numbers are
 * text and exact.
 */
export interface QuoteExplanation {
  object: 'quote_explanation'
  /** How many digits the minor unit of each has. */
  currencies: {
    currency: string
    exponent: number
  }[]
  rates: ExplainedRate[]
  fee_row: ExplainedFee | null
  fee_conversion: ExplainedConversion | null
  /** In the order in which they follow. */
  amounts: ExplainedFigure[]
  total_debit: ExplainedFigure
}

export interface QuoteRequest<M extends Minor = number> {
  payout_type?: 'swift' | 'local' | 'local_payment_network' | 'wallet' | 'service_account'
  /**
   * What is paid out; the amount that all others follow from. It is required unless `total_debit`
   * or `destination_info.amount` is sent in its place.
   */
  payout_info: {
    currency: CurrencyCode
    amount?: M
  }
  /**
   * In place of `payout_info.amount`: what may leave the balance at most, fees included, in the
   * holding currency. The quote is of the largest payout that costs no more.
   */
  total_debit?: number
  /** The balance that pays; an amount is an expectation that must be met. */
  holding_info?: {
    currency: CurrencyCode
    amount?: M
  }
  /**
   * What arrives. Beside `payout_info.amount` an amount is an expectation that must be met; in its
   * place, the quote is of the smallest payout of which so much arrives.
   */
  destination_info?: {
    currency: CurrencyCode
    country: CountryCode
    amount?: M
  }
  local?: {
    fund_transfer_network?: string
  }
  local_payment_network?: {
    type?: string
  }
  wallet?: {
    type?: string
  }
  swift?: {
    charge_type?: 'shared' | 'ours'
  }
  /** Whom the payout is made for. */
  entity_id?: string
}

/** The attempt, as far as its rail had said. */
export interface RailAttemptTold {
  number: number
  rail: string
  uetr: string
  references: Record<string, string>
  released_at: Timestamp | null
  expected_at: Timestamp | null
}

export interface RailFigures {
  /** How many days were counted, up to the last hour. */
  days: number
  /** Payouts of this rail that came to an end. */
  payouts: number
  /** Of these, how many arrived and did not come back. */
  succeeded: number
  /** The same in basis points, rounded down. */
  success_rate_bps: number
  /** From creation; half of those that arrived took no longer. Null: none did. */
  median_seconds: number | null
}

export interface RateBookRow {
  base: string
  quote: string
  mid: DecimalText
  source: string
  as_of: string
  /** Gone from quote to base, dividing by mid. */
  inverted: boolean
}

export interface RejectRequest {
  /** Why; in the timeline. */
  reason: string
  /** Of what you were shown: `digest` of the approval. */
  digest?: string
}

export interface Representative {
  first_name?: string
  middle_name?: string
  last_name?: string
  date_of_birth?: string
  nationality?: EntityCountry
  /** From 0 to 100: an integer, or text with up to four fractional digits. */
  ownership_percentage?: number | string
  roles?: string[]
  address?: EntityAddress
  email?: string
  phone?: Phone
  national_identification_number?: NationalIdentification
}

/** Enough by itself. */
export interface RequirementAlternative {
  /** By what the destination is named. */
  name: string
  /** Of accounts; empty is any. */
  countries: string[]
  /** That take it; empty is any or none. */
  networks: string[]
  fields: RequirementField[]
  /** All that is required, as `beneficiary_details`. */
  example: unknown
}

export interface RequirementField {
  /** Of the member, in `beneficiary_details` or the body of POST /v3/beneficiary. */
  path: string
  /** ECMA-262; of codes and account numbers without spaces and dashes. */
  pattern: string
  description: string
  example: string
  required: boolean
  /** Members any one of which serves instead. */
  or: RequirementInstead[]
}

export interface RequirementInstead {
  /** Of the member, in `beneficiary_details` or the body of POST /v3/beneficiary. */
  path: string
  /** ECMA-262; of codes and account numbers without spaces and dashes. */
  pattern: string
  description: string
  example: string
}

export interface RequirementNetwork<M extends Minor = number> {
  name: string
  title: string
  currencies: string[]
  countries: string[]
  /** The least of one payment in minor units, as its operator has published. */
  minimum_amount: M | null
  /** The most of one payment in minor units, as its operator has published. */
  maximum_amount: M | null
}

/** Of `purpose` in POST /v3/payout. */
export interface RequirementPurpose {
  /** Empty: any text is taken. */
  codes: string[]
  pattern: string
  max_length: number
}

export interface RouteTaken<M extends Minor = number> {
  /** Only payouts of this account; null: any. */
  account: string | null
  /** Only payouts of this type; null: any. */
  type: string | null
  /** Only over this network or chain; null: any. */
  network: string | null
  /** Only what arrives in this currency; null: any. */
  currency: string | null
  /** Only to this country; null: any. */
  country: string | null
  /** Only from this amount on, in minor units of what arrives; null: any. */
  min_amount: M | null
  /** Only up to this amount, in minor units of what arrives; null: any. */
  max_amount: M | null
  /** Decides between routes that name as many conditions. */
  priority: number
}

export interface SandboxClock {
  object: 'sandbox_clock'
  now: Timestamp
  /** Seconds by which the account’s clock is ahead of real time. */
  ahead_s: number
}

export interface SandboxReview {
  /** What the review comes to. */
  status: 'approved' | 'rejected' | 'requires_action'
  /** What the account is told. */
  description?: string
}

export type SecretRotationRequest = {
  /** How long the former secret signs as well: up to 7 days, 0 for not at all. */
  overlap_seconds?: number
} | null

/** The events of these numbers. */
export interface SequenceRange {
  /** The first number; by default 1. */
  from?: number
  /** The last number; by default the newest. */
  to?: number
}

export interface ServiceAccountDestination {
  deposit_address: string
}

export interface ServiceAccountDestinationDetails {
  type: 'service_account'
  service_account: ServiceAccountDestination
}

/** A person has approved or rejected the payout. */
export interface TimelineApproval {
  at: Timestamp
  kind: 'approval'
  decision: 'approve' | 'reject'
  by_hand: ByHand
  /** How many approvals counted then. */
  given: number
  /** How many it needs. */
  needed: number
  /** The event that tells of it. */
  event: string
  /** The number of that event. */
  sequence: number
}

/** The payout handed to one rail, once. */
export interface TimelineAttempt<M extends Minor = number> {
  at: Timestamp
  kind: 'attempt'
  /** From 1 in the payout. */
  number: number
  /** The rail that has it, or had it. */
  rail: string
  /** The route that led there, as it was then; null when none was needed. */
  route: RouteTaken<M> | null
  /** Why it went there, in words. */
  reason: string
  /**
   * `waiting`: its rail does not have it yet. `handed_over`: its rail may have it. Then `paid`,
   * `failed`, `returned` (paid, and the money came back), or `not_taken`: the rail has proved that
   * it did not take it.
   */
  state: 'waiting' | 'handed_over' | 'paid' | 'failed' | 'not_taken' | 'returned'
  /**
   * The unique end-to-end transaction reference of this attempt. Empty when its payment carries
   * none.
   */
  uetr: string
  /**
   * What the rail calls it, as far as it has said: `end_to_end_id`, `file`, `message_id` and
   * `instruction_id` of bank files, `provider` of a provider, `bank_reference` of the bank that has
   * paid. More members may come.
   */
  references: Record<string, string>
  /**
   * While it waits for its `execute_at` or a cut-off: when its rail gets it. Until then it can be
   * cancelled.
   */
  release_at: string | null
  /** When its rail was first asked to pay it, or a person took it. */
  handed_over_at: string | null
  /** When its rail sent it on, such as by sealing its file. */
  released_at: string | null
  /** When the beneficiary has the money at the latest, as far as it is known. */
  expected_at: string | null
  /** When it was over. What was paid may come back after that. */
  ended_at: string | null
  /** Of an attempt that has failed or was returned. */
  failure: PayoutFailure | null
}

/** A payout that people pay passed from hand to hand. */
export interface TimelineHandling {
  at: Timestamp
  kind: 'handling'
  /**
   * A person has taken the payout to pay it, after which it cannot be cancelled, or has given it
   * back without paying it.
   */
  action: 'taken' | 'released'
  by_hand: ByHand
  /** The event that tells of it. */
  event: string
  /** The number of that event. */
  sequence: number
}

export type TimelineItem<M extends Minor = number> = TimelineState | TimelineRoute<M> | TimelineAttempt<M> | TimelineReview | TimelineReroute | TimelineHandling | TimelineApproval | TimelineJournal<M> | TimelineWebhookAttempt

/** What a state moved in the book of the account. */
export interface TimelineJournal<M extends Minor = number> {
  at: Timestamp
  kind: 'journal'
  /** The event of the state that wrote it. */
  event: string
  /** From 1 in the book, without gaps. */
  journal_number: number
  journal_kind: 'payout' | 'settlement' | 'failure' | 'reversal'
  /** In the chain of the book. */
  hash: string
  /** Zero in sum, in each currency. */
  postings: Posting<M>[]
  /** Its line of the statement; null when it moves no balance. */
  balance_transaction: string | null
  /** The balance it left, in minor units, as text. */
  balance_after: string | null
}

/** Another rail gets the payout. */
export interface TimelineReroute {
  at: Timestamp
  kind: 'reroute'
  /** The rail that gets it now. */
  rail: string
  /** The rail that has not taken it. */
  previous_rail: string
  /** The number of the attempt that begins. */
  attempt: number
  by: 'account' | 'rail' | 'operator' | 'review' | 'approval'
  /** The event that tells of it. */
  event: string
  /** The number of that event. */
  sequence: number
}

/**
 * The operator looks at what the rail has said. Until that is over nothing moves, and the account
 * has nothing to do.
 */
export interface TimelineReview {
  at: Timestamp
  kind: 'review'
  /** The number of the attempt. */
  attempt: number
  /** When the operator was done; null while the payout is under review. */
  ended_at: string | null
  /** What goes on, in words. */
  reason: string
}

/** Which rail the payout was given to, and why. */
export interface TimelineRoute<M extends Minor = number> {
  at: Timestamp
  kind: 'route'
  /**
   * Where the payout was routed: `simulator` for sandbox accounts, `manual` for one that people pay
   * by hand, or the name of another rail. It never changes.
   */
  rail: string
  /** The route that led there, as it was then; null when none was needed. */
  route: RouteTaken<M> | null
  /** Why it went there, in words. */
  reason: string
  /** The event of its making. */
  event: string
  /** The number of that event. */
  sequence: number
}

/** The payout came to be in this status. */
export interface TimelineState {
  at: Timestamp
  kind: 'state'
  status: PayoutStatus
  /** Null at creation. */
  previous_status: 'pending_approval' | 'processing' | 'requires_action' | 'compliance_hold' | 'succeeded' | 'failed' | 'reversed' | null
  /**
   * Who caused it: the account, the rail, the operator, the review of the entity the payout was
   * made for, or its approval. Null for steps of versions that did not write it down.
   */
  by: 'account' | 'rail' | 'operator' | 'review' | 'approval' | null
  /** As the payout had it then. */
  status_description: string
  failure: PayoutFailure | null
  /**
   * Which answer of the account led to it, from 1: see POST /v3/payout/{id}/action. Null when none
   * did.
   */
  answer: number | null
  /** Of steps that an operator took by name; else null. */
  by_hand: ByHand | null
  /** The event that tells of it. */
  event: string
  /** The number of that event. */
  sequence: number
}

/** An attempt to tell an endpoint, as it ended. */
export interface TimelineWebhookAttempt {
  at: Timestamp
  kind: 'webhook_attempt'
  /** Where it was sent. */
  endpoint: string
  /** Of which delivery. */
  delivery: string
  /** What it told of. */
  event: string
  event_type: string
  /** Its number in the delivery. */
  attempt: number
  /** The HTTP status of the answer; null when there was none. */
  status_code: number | null
  /** Why there was no answer; empty when there was one. */
  error: string
  /** A failed attempt that was repeated since is `failed`. */
  outcome: 'delivered' | 'will_retry' | 'failed'
  /** With `will_retry`: when, if the endpoint is enabled then. */
  retry_at: string | null
  duration_ms: number
}

/** UTC, six fractional digits. */
export type Timestamp = string

/** What has left the balance: the amount in the holding currency and both fees. */
export interface TotalDebit<M extends Minor = number> {
  /** Minor units. */
  amount: M
  currency: string
}

export interface TransitionRequest {
  /** What the payout becomes. */
  status: 'processing' | 'requires_action' | 'compliance_hold' | 'succeeded' | 'failed' | 'reversed'
  /** For requires_action: what the account is asked for. */
  description?: string
  /** For failed and reversed. What is left out is OP000100, operator, “Set by the operator.” */
  failure?: {
    code?: string
    category?: string
    message?: string
  }
}

export interface WaitingTotal {
  /** What is paid in. */
  currency: string
  payouts: number
  /** Without fees, in minor units as text. */
  amount: string
}

export interface WalletDestination {
  /**
   * On the main network of the chain that `type` names. The checksum is verified where the chain
   * has one.
   */
  deposit_address: string
  /**
   * The chain, required: arbitrum, avalanche, base, bsc, ethereum, optimism, polygon, solana,
   * stellar, tron.
   */
  type?: string
  currency?: CurrencyCode
}

export interface WalletDestinationDetails {
  type: 'wallet'
  wallet: WalletDestination
}

export interface WebhookAttempt {
  number: number
  created_at: Timestamp
  duration_ms: number
  /** The HTTP status of the answer; null when there was none. */
  status_code: number | null
  /** Why there was no answer; empty when there was one. */
  error: string
  /** The beginning of the answer. */
  answer: string
}

/** One event on its way to one endpoint. */
export interface WebhookDelivery {
  /** Webhook delivery id. */
  id: string
  object: 'webhook_delivery'
  endpoint: WebhookEndpointId
  /** The event, which is `webhook-id` in every attempt. */
  event: string
  event_type: string
  /** The object that the event is about. */
  object_id: string
  /**
   * `pending` while it is to be sent, `succeeded` with an answer of 2xx, `dead` after the last
   * attempt, `cancelled` with its endpoint.
   */
  status: 'pending' | 'succeeded' | 'dead' | 'cancelled'
  /** How often it was sent. */
  attempt_count: number
  /**
   * When it is sent (again); null when it is over, or waits for an earlier delivery about the same
   * object.
   */
  next_attempt_at: string | null
  created_at: Timestamp
  updated_at: Timestamp
}

/** One event on its way to one endpoint, with every attempt. */
export interface WebhookDeliveryDetails {
  /** Webhook delivery id. */
  id: string
  object: 'webhook_delivery'
  endpoint: WebhookEndpointId
  /** The event, which is `webhook-id` in every attempt. */
  event: string
  event_type: string
  /** The object that the event is about. */
  object_id: string
  /**
   * `pending` while it is to be sent, `succeeded` with an answer of 2xx, `dead` after the last
   * attempt, `cancelled` with its endpoint.
   */
  status: 'pending' | 'succeeded' | 'dead' | 'cancelled'
  /** How often it was sent. */
  attempt_count: number
  /**
   * When it is sent (again); null when it is over, or waits for an earlier delivery about the same
   * object.
   */
  next_attempt_at: string | null
  created_at: Timestamp
  updated_at: Timestamp
  /** Those that have ended, in order. */
  attempts: WebhookAttempt[]
}

/** Where events are sent. */
export interface WebhookEndpoint {
  id: WebhookEndpointId
  object: 'webhook_endpoint'
  /** As the URL standard writes it. */
  url: string
  description: string
  /** Empty for everything. */
  event_types: string[]
  status: 'enabled' | 'disabled'
  /**
   * Why nothing is sent: `account`, which has disabled it, or `gone`, as it has answered 410; empty
   * when enabled.
   */
  disabled_reason: '' | 'account' | 'gone'
  /** Until when the former secret signs as well; null when there is none. */
  previous_secret_until: string | null
  created_at: Timestamp
  updated_at: Timestamp
}

export interface WebhookEndpointDeleted {
  id: WebhookEndpointId
  object: 'webhook_endpoint'
  deleted: true
}

export interface WebhookEndpointEvent {
  /** Event id. */
  id: string
  object: 'event'
  /** What happened: the kind of object, and what became of it. */
  type: 'webhook_endpoint.test'
  created_at: Timestamp
  /** The number of the event in its account: from 1, without gaps, in order. */
  sequence: number
  /** The account that it happened in. */
  account: string
  /** Id of the object it happened to. */
  object_id: string
  data: WebhookEndpoint
  /**
   * The members of `data` that this change altered, with their values before it. Empty of what was
   * created, and of what is erased.
   */
  previous_attributes: {}
  /** How it came about, as far as that is not a member of the object. */
  change: {}
  /** Whether personal data of the object was erased; `data` then shows the object without it. */
  erased: boolean
}

/** Webhook endpoint id. */
export type WebhookEndpointId = string

export interface WebhookEndpointRequest {
  /**
   * Where events are sent: https, no user name, no fragment, and a name that resolves to public
   * addresses alone. Checked again whenever something is sent; redirects are not followed.
   */
  url: string
  /** For people. */
  description?: string
  /**
   * What is wanted: types of events, and `payout.*` for all that happens to payouts. None, the
   * default, is everything, also types that are still to come.
   */
  event_types?: WebhookEventType[]
}

/** A member replaces what was there; null takes it away. */
export interface WebhookEndpointUpdate {
  /**
   * Where events are sent: https, no user name, no fragment, and a name that resolves to public
   * addresses alone. Checked again whenever something is sent; redirects are not followed.
   */
  url?: string
  /** For people. */
  description?: string | null
  /**
   * What is wanted: types of events, and `payout.*` for all that happens to payouts. None, the
   * default, is everything, also types that are still to come.
   */
  event_types?: WebhookEventType[] | null
  /**
   * While it is disabled nothing is sent. Enabled again, it goes on where it stopped: nothing is
   * missed.
   */
  status?: 'enabled' | 'disabled'
}

/** The endpoint, and the secret that is shown once. */
export interface WebhookEndpointWithSecret {
  id: WebhookEndpointId
  object: 'webhook_endpoint'
  /** As the URL standard writes it. */
  url: string
  description: string
  /** Empty for everything. */
  event_types: string[]
  status: 'enabled' | 'disabled'
  /**
   * Why nothing is sent: `account`, which has disabled it, or `gone`, as it has answered 410; empty
   * when enabled.
   */
  disabled_reason: '' | 'account' | 'gone'
  /** Until when the former secret signs as well; null when there is none. */
  previous_secret_until: string | null
  created_at: Timestamp
  updated_at: Timestamp
  /**
   * What deliveries are signed with (Standard Webhooks, HMAC-SHA256); shown this once. The key is
   * what stands after `whsec_`, read as base64.
   */
  secret: string
}

export type WebhookEventType = 'payout_quote.*' | 'payout_quote.created' | 'payout.*' | 'payout.created' | 'payout.pending_approval' | 'payout.approved' | 'payout.rejected' | 'payout.processing' | 'payout.requires_action' | 'payout.compliance_hold' | 'payout.succeeded' | 'payout.failed' | 'payout.reversed' | 'payout.sent' | 'payout.rerouted' | 'payout.taken' | 'payout.released' | 'payout.updated' | 'payout.erased' | 'entity.*' | 'entity.created' | 'entity.updated' | 'entity.approval_pending' | 'entity.approval_submitted' | 'entity.approval_approved' | 'entity.approval_rejected' | 'entity.approval_requires_action' | 'entity.approval_resubmitted' | 'entity.erased' | 'beneficiary.*' | 'beneficiary.created' | 'beneficiary.updated' | 'beneficiary.pending_approval' | 'beneficiary.approved' | 'beneficiary.rejected' | 'beneficiary.archived' | 'beneficiary.unarchived' | 'beneficiary.erased' | 'balance_transaction.*' | 'balance_transaction.created'

export interface WebhookReplay {
  object: 'webhook_replay'
  endpoint: WebhookEndpointId
  /** How many were made. */
  deliveries: number
  /** More is left: one call looks at 10000 events at most. */
  has_more: boolean
  /** Of a range with more: the number to go on from, `sequence: {from: next, to: last}`. */
  next: number | null
  /** Of a range with more: its last number. */
  last: number | null
}

/** Exactly one of `event`, `events`, `created`, `sequence` and `status`. */
export interface WebhookReplayRequest {
  /** This event. */
  event?: string
  /** These events. */
  events?: string[]
  created?: CreatedRange
  sequence?: SequenceRange
  /** Every event whose last delivery to this endpoint is dead. */
  status?: 'dead'
  /** Of a range, only these types and kinds, as an endpoint names them. */
  event_types?: WebhookEventType[]
}

export type WebhookTestRequest = {} | null

/** What a webhook brings. */
export type EventOf<M extends Minor> = AccountEvent<M>
