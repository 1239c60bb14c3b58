// Written by `npm run openapi` from openapi.json; changes here are overwritten.

/** The version of the API that this client is written for. */
export const VERSION = '2026-11-25'

/** The type of an amount. */
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
  | 'clock_jumped'
  | 'invalid_path_parameter'
  | 'invalid_query_parameter'
  | 'not_found'
  | 'insufficient_scope'
  | 'sandbox_only'
  | 'invalid_credentials'
  | 'missing_credentials'
  | 'rate_limited'
  | 'quota_exceeded'
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
  | 'code_needed'
  | 'enrolment_needed'
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
  | 'approval_needed'
  | 'already_decided'
  | 'approval_outdated'
  | 'notice_outdated'
  | 'notice_without_value'
  | 'payout_not_cancellable'
  | 'payout_not_paid'
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
  | 'object_full'
  | 'likely_mistake'
  | 'event_archived'

export interface AcceptNotice {
  /** The payout that the bank notified of. */
  payout: string
  /** The `number` of the notice. */
  number: number
}

/** For `beneficiary.updated`: the notice of a bank that the account has accepted. */
export interface AcceptedNotice {
  /** The payout that the bank notified of. */
  payout: string
  /** The number of the notice in the payout. */
  number: number
  /** The code of the bank, such as C01. */
  code: string
}

/** The account of the caller. */
export interface Account {
  id: string
  object: 'account'
  /** Empty when the account has no name. */
  name: string
  /** Whether the account is a sandbox, for tests, and not live. */
  sandbox: boolean
  /** A `frozen` account can be read and can receive; a `closed` account can only be read. */
  state: 'active' | 'frozen' | 'closed'
  /** The currencies in which the account holds balances. */
  currencies: string[]
  /**
   * The balance that funds a payout in a currency that the account does not hold, if the payout
   * names no holding currency.
   */
  primary_currency: string
  /** Where other accounts of the installation send `service_account` payouts. */
  deposit_address: string
  /** For how many seconds a payout like an earlier one is refused; 0 for never. */
  duplicate_window_s: number
  /** How many rows requests of the account may write in a day; the operator sets it. */
  daily_rows: number
  /** How many megabytes they may write in a day. */
  daily_mb: number
  written_today: WrittenToday
  /** Every limit that counts payouts of this account, and how much of the limit is used. */
  limits: AccountLimit[]
  created_at: Timestamp
}

/**
 * One change of state, written in the transaction of the change. More types may be added: ignore
 * types that you do not know.
 */
export type AccountEvent<M extends Minor = number> = PayoutQuoteEvent<M> | PayoutEvent<M> | EntityEvent | BeneficiaryEvent | BalanceTransactionEvent<M> | ConversionQuoteEvent<M> | ConversionEvent<M> | WebhookEndpointEvent

/** A limit of payouts. See also `limit_exceeded`. */
export interface AccountLimit {
  id: string
  /** The currency of the amounts that the limit adds up. Null: the limit counts payouts. */
  currency: string | null
  /** The most that the limit allows: minor units of the currency, or a number of payouts, as text. */
  cap: string
  /**
   * What the window has counted so far, as text: for the account, or with `each` `key` for the key
   * of the caller. Null with `each` `payee`, because each payee is counted separately.
   */
  used: string | null
  /** What is left of `cap`, never below 0; null where `used` is null. */
  headroom: string | null
  /** What is counted together: one payout, the payouts of a day, or those of the last hours. */
  per: 'payout' | 'day' | 'hours'
  /** The time zone of a day. */
  zone: string | null
  /** How many hours, with `per` `hours`. */
  hours: number | null
  /** What is counted separately: the account, each key, or each payee. */
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

/** The answer to what was asked for: at least one member. */
export interface ActionRequest {
  documents?: AttachedDocument[]
  beneficiary_details?: AnsweredBeneficiaryDetails
  /** Purpose code. */
  purpose?: string
  transaction_description?: string
  /** A note for the people who read the answer. The rail gets it, too. */
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
 * Documents are added; other members replace the earlier values. The stored beneficiary does not
 * change.
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
  /** The reason, if the person gave one. */
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
  /** How many people have approved. */
  given?: number
  /** How many people must approve. */
  needed: number
  expires_at?: Timestamp
}

export interface ApproveRequest {
  /** The `digest` of the approval, as it was shown to you. */
  digest: string
  /** The reason; the timeline shows it. */
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

/** One movement on a balance, with its payout if `expand` asks for it. */
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
  /** The balance in this currency after the line. Minor units, as text. */
  balance_after: string
  /**
   * For bookings of the operator: `reference`, the bank’s reference, and `reason`, if they were
   * given. For money back at the wish of the account or the payee: `rate_difference`, what the
   * house kept because the rate has moved since the price of the payout ended, in minor units;
   * `fx_conversions` then has the conversion back. For a conversion: `counterpart`, the line of its
   * other balance. Empty otherwise.
   */
  metadata: Record<string, string>
  operation_type: 'credit' | 'debit'
  source: string
  type: 'escrow' | 'payout' | 'payout_failure' | 'payout_reversal' | 'withdrawal' | 'adjustment' | 'escrow_reversal' | 'withdrawal_reversal' | 'adjustment_reversal' | 'conversion_out' | 'conversion_in'
  /** With `expand`: the objects that were asked for. An object that does not exist is null. */
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
  /** The balance in this currency after the line. Minor units, as text. */
  balance_after: string
  /**
   * For bookings of the operator: `reference`, the bank’s reference, and `reason`, if they were
   * given. For money back at the wish of the account or the payee: `rate_difference`, what the
   * house kept because the rate has moved since the price of the payout ended, in minor units;
   * `fx_conversions` then has the conversion back. For a conversion: `counterpart`, the line of its
   * other balance. Empty otherwise.
   */
  metadata: Record<string, string>
  operation_type: 'credit' | 'debit'
  source: string
  type: 'escrow' | 'payout' | 'payout_failure' | 'payout_reversal' | 'withdrawal' | 'adjustment' | 'escrow_reversal' | 'withdrawal_reversal' | 'adjustment_reversal' | 'conversion_out' | 'conversion_in'
}

export interface BalanceTransactionEvent<M extends Minor = number> {
  /** Event id. */
  id: string
  object: 'event'
  /** What happened: the kind of the object, and the change. */
  type: 'balance_transaction.created'
  created_at: Timestamp
  /** The number of the event in its account: from 1, without gaps, in order. */
  sequence: number
  /** The account in which the change happened. */
  account: string
  /** Id of the object that changed. */
  object_id: string
  data: BalanceTransactionAlone<M>
  previous_attributes: NothingBefore
  change: ChangeByMaker
  /** Whether personal data of the object was erased; `data` then shows the object without it. */
  erased: boolean
}

export interface BankDestination {
  account_number?: string
  /**
   * An IBAN of a country in the SWIFT IBAN registry. It must agree with `country` and the BIC if
   * they are sent. Spaces and small letters are accepted; the IBAN is stored in electronic form.
   */
  iban?: string
  bank_name?: string
  branch_name?: string
  /** Such as `checking` or `savings`, which ACH files carry. */
  account_type?: string
  /** The purpose that the central bank of the country asks for. */
  purpose_code?: string
  /** Whether the payee in India needs a remittance certificate. */
  firc_required?: boolean
  transfer_type?: string
  country?: CountryCode
  currency?: CurrencyCode
  /**
   * Bank codes by name: `swift_code`, `aba`, `sort_code`, `bsb`, `ifsc`, `cnaps`, `clabe`, `ispb`,
   * `transit_number`, `institution_number`, `routing_number`, `bank_code`, `branch_code`. Also
   * taken, and answered as sent: `bic` and `bic_code` for `swift_code`; `aba_code`, `ach_code` and
   * `fedwire_code` for `aba`; `ifsc_code` for `ifsc`; `bsb_code` for `bsb`. A code is checked where
   * its issuer has published a form, which for `routing_number`, `bank_code` and `branch_code`
   * depends on `country`. It is stored without spaces and dashes.
   */
  bank_codes?: Record<string, string>
}

export interface BankDestinationDetails {
  type: 'bank'
  bank: BankDestination
}

/**
 * For `payout.notified`. The timeline of the payout has the words of the bank, such as the right
 * account number.
 */
export interface BankNotice {
  /** The bank asks to correct the payee before the next payout, or answers a return. */
  kind: 'change_notified' | 'return_answered'
  /** The code of the bank, such as C01. */
  code: string
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
  metadata: Metadata
  name: string
  name_local: string
  national_identification_number: string
  party_classification: string
  phone: Phone
  reference_id: string
  registration_number: string
  /**
   * `pending_approval` and `rejected`: no payout may go to the beneficiary until people have
   * approved it. `erased`: its personal data is erased, and it cannot be paid any more.
   */
  status: 'active' | 'pending_approval' | 'rejected' | 'erased'
  tax_id: string
  type: 'individual' | 'business'
  /** Since when the beneficiary is archived and cannot be paid. Null: it is not archived. */
  archived_at: string | null
  made_by: MadeBy
  created_at: Timestamp
  updated_at: Timestamp
}

/** The approvals that a beneficiary needs before a payout may go to it. */
export interface BeneficiaryApproval {
  object: 'beneficiary_approval'
  /** The beneficiary. */
  beneficiary: string
  /** Whether the approval still waits, or how it has ended. */
  status: 'pending' | 'approved' | 'rejected'
  /** How many people must approve. */
  needed: number
  /** How many people have approved, of those who may approve now. */
  given: number
  /**
   * SHA-256 of the whole beneficiary for which the approval was requested. Whoever approves sends
   * this digest.
   */
  digest: string
  /**
   * Who has made the beneficiary or changed it since its last approval. These people cannot approve
   * it.
   */
  made_by: string[]
  requested_at: Timestamp
  expires_at: Timestamp
  ended_at: string | null
  /** The oldest first. */
  decisions: ApprovalDecision[]
}

export interface BeneficiaryDetails {
  /** It has a letter or a digit of some script, and at most 40 words. */
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
  /** Your own reference of the beneficiary. */
  reference_id?: string
  metadata?: Metadata
}

export interface BeneficiaryDetailsShown {
  address: Address
  date_of_birth: string
  /** Id of the destination, `dst_…`. */
  destination: string
  destination_details: DestinationDetails
  documents: AttachedDocument[]
  email: string
  metadata: Metadata
  name: string
  name_local: string
  national_identification_number: string
  party_classification: string
  phone: Phone
  reference_id: string
  registration_number: string
  /** `erased`: its personal data is erased, and it cannot be paid any more. */
  status: 'active' | 'erased'
  tax_id: string
  type: 'individual' | 'business'
}

export interface BeneficiaryEvent {
  /** Event id. */
  id: string
  object: 'event'
  /** What happened: the kind of the object, and the change. */
  type: 'beneficiary.created' | 'beneficiary.updated' | 'beneficiary.pending_approval' | 'beneficiary.approved' | 'beneficiary.rejected' | 'beneficiary.archived' | 'beneficiary.unarchived' | 'beneficiary.erased'
  created_at: Timestamp
  /** The number of the event in its account: from 1, without gaps, in order. */
  sequence: number
  /** The account in which the change happened. */
  account: string
  /** Id of the object that changed. */
  object_id: string
  data: Beneficiary
  previous_attributes: BeneficiaryEventBefore
  change: BeneficiaryEventChange
  /** Whether personal data of the object was erased; `data` then shows the object without it. */
  erased: boolean
}

/**
 * The members of `data` that this change altered, with their earlier values. Empty when the object
 * was created or its data erased.
 */
export type BeneficiaryEventBefore = Partial<Beneficiary>

/** What led to the change, where no member of the object says it. */
export interface BeneficiaryEventChange {
  notice?: AcceptedNotice
  approval?: ApprovalTold
  /** How many rows an erasure has changed. */
  erased_rows?: number
  /** SHA-256 of the rows that the erasure has changed, in hex digits. */
  digest?: string
  made_by?: MadeBy
}

/** A notice of a bank: what it asks to correct at a payee before the next payout. */
export interface BeneficiaryNotice {
  object: 'beneficiary_notice'
  /** Beneficiary id. */
  beneficiary: string
  /** The payout that the bank notified of. */
  payout: string
  /** The number of the notice in the payout. The payout and it name the notice. */
  number: number
  /** The change code of the bank. */
  code: string
  /** What is wrong, in words. */
  meaning: string
  was: ValuesBefore
  corrected: CorrectedValues
  /** The day by which the bank expects the change; null: not known. */
  until: string | null
  /**
   * `accepted`: the account has taken the value over. `closed`: the operator has looked at it; the
   * account can still accept it.
   */
  status: 'open' | 'accepted' | 'closed'
  created_at: Timestamp
  /** Null: it is open. */
  closed_at: string | null
}

/** The newest 100 notices about a beneficiary. */
export interface BeneficiaryNotices {
  object: 'beneficiary_notices'
  /** Beneficiary id. */
  beneficiary: string
  /** Those of the newest payouts first. */
  notices: BeneficiaryNotice[]
  /** Whether there are older notices. */
  truncated: boolean
}

/** A member that is sent replaces the earlier value as a whole; null removes it. */
export interface BeneficiaryUpdate {
  /** It has a letter or a digit of some script, and at most 40 words. */
  name?: string
  /** The type cannot change: leave it out, or send the present one. */
  type?: 'individual' | 'business'
  destination_details?: DestinationDetails
  name_local?: string | null
  email?: string | null
  phone?: {
    code?: string
    /** Another name of `code`. */
    calling_code?: string
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
  /** Your own reference of the beneficiary. */
  reference_id?: string | null
  /** Up to 50 pairs of a name (1 to 40 characters) and a text (up to 500). */
  metadata?: Record<string, string> | null
}

/** The person who acted by hand, and what the person stated. */
export interface ByHand {
  /** The name of a person of the account; `operator` for the people who run the installation. */
  operator: string
  /** The bank’s reference of the payment, if the person gave one. */
  reference: string
  /** The reason, if the person gave one. */
  reason: string
}

export type CancelRequest = {} | null

/** What led to the change, where no member of the object says it. */
export interface ChangeByMaker {
  made_by?: MadeBy
}

export interface ClockRequest {
  /** By how much the clock goes forward. It never goes back. */
  seconds: number
}

/**
 * The way that was compared and did not decide, because it is better for the account: the row of
 * the pair, or the ratio of the values of both currencies. Null when both are the same.
 */
export interface ComparedRows {
  /** How the rate book connects the two currencies. */
  method: 'same_currency' | 'direct' | 'inverted' | 'crossed'
  /** Rows of the rate book as they were, in the order in which they are used. */
  rows: RateBookRow[]
}

/**
 * The way that was compared and did not decide, because it is better for the account: the row of
 * the pair, or the ratio of the values of both currencies. Null when both are the same.
 */
export interface ComparedWay {
  /** How the rate book connects the two currencies. */
  method: 'same_currency' | 'direct' | 'inverted' | 'crossed'
  /** Rows of the rate book as they were, in the order in which they are used. */
  rows: RateBookRow[]
  mid: ExplainedMid
}

/**
 * Money of one balance of the account, changed into another of its currencies. It is final from the
 * start.
 */
export interface Conversion<M extends Minor = number> {
  /** Conversion id. */
  id: string
  object: 'conversion'
  status: 'completed'
  /** The quote that it was made at. */
  quote: string
  holding_info: Money<M>
  destination_info: Money<M>
  fee_info: ConversionFees<M>
  /** Up to 12 significant digits. */
  exchange_rate: number
  total_debit: Money<M>
  balance_transactions: ConversionLines
  made_by: MadeBy
  created_at: Timestamp
}

export interface ConversionEvent<M extends Minor = number> {
  /** Event id. */
  id: string
  object: 'event'
  /** What happened: the kind of the object, and the change. */
  type: 'conversion.completed'
  created_at: Timestamp
  /** The number of the event in its account: from 1, without gaps, in order. */
  sequence: number
  /** The account in which the change happened. */
  account: string
  /** Id of the object that changed. */
  object_id: string
  data: Conversion<M>
  previous_attributes: NothingBefore
  change: ChangeByMaker
  /** Whether personal data of the object was erased; `data` then shows the object without it. */
  erased: boolean
}

export interface ConversionFee<M extends Minor = number> {
  /** Minor units. */
  in_holding_currency: M
}

export interface ConversionFees<M extends Minor = number> {
  fixed: ConversionFee<M>
  variable: ConversionFee<M>
}

export interface ConversionLines {
  /** The line of the holding currency. */
  debit: string
  /** The line of the destination currency. */
  credit: string
}

/**
 * The rate and the fees of one conversion between two balances of the account. `total_debit` leaves
 * the one, `destination_info.amount` arrives in the other. `exchange_rate` is units of the
 * destination currency for one unit of the holding currency.
 */
export interface ConversionQuote<M extends Minor = number> {
  /** Quote id. */
  id: string
  object: 'conversion_quote'
  holding_info: Money<M>
  destination_info: Money<M>
  fee_info: ConversionFees<M>
  /** Up to 12 significant digits. */
  exchange_rate: number
  total_debit: Money<M>
  /** From this instant on, the quote is refused with 422. */
  valid_until: string
  status: 'active' | 'used' | 'expired'
  made_by: MadeBy
  created_at: Timestamp
  updated_at: Timestamp
}

/** An unused quote, deleted 90 days after it expired. */
export interface ConversionQuoteDeleted {
  /** Quote id. */
  id: string
  object: 'conversion_quote'
  deleted: true
}

export interface ConversionQuoteEvent<M extends Minor = number> {
  /** Event id. */
  id: string
  object: 'event'
  /** What happened: the kind of the object, and the change. */
  type: 'conversion_quote.created'
  created_at: Timestamp
  /** The number of the event in its account: from 1, without gaps, in order. */
  sequence: number
  /** The account in which the change happened. */
  account: string
  /** Id of the object that changed. */
  object_id: string
  data: ConversionQuote<M> | ConversionQuoteDeleted
  previous_attributes: NothingBefore
  change: ChangeByMaker
  /** Whether personal data of the object was erased; `data` then shows the object without it. */
  erased: boolean
}

export interface ConversionQuoteRequest<M extends Minor = number> {
  /** The balance to take from. */
  holding_info: {
    currency: CurrencyCode
  }
  /**
   * The balance to add to. An amount asks for exactly that much. It is required unless
   * `total_debit` is sent in its place.
   */
  destination_info: {
    currency: CurrencyCode
    amount?: M
  }
  /**
   * In place of `destination_info.amount`: the most that may leave the balance, fees included, in
   * the holding currency. The quote is for the largest amount that costs no more.
   */
  total_debit?: number
}

export interface ConversionRequest {
  /** The quote whose rate and fees apply. */
  quote: string
}

/** What the bank names in its place. Empty: no value that a payee can take. */
export interface CorrectedValues {
  name?: string
  account_number?: string
  /** The routing number for ACH. */
  routing_number?: string
  account_type?: 'checking' | 'savings'
}

/** ISO 3166-1 alpha-2 country code. */
export type CountryCode = string

/** The events of this period. */
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

/** The currencies that Corridor knows. */
export interface Currencies {
  object: 'currencies'
  /** By code: first those of ISO 4217, then the stablecoins. */
  currencies: Currency[]
}

export interface Currency {
  object: 'currency'
  /** ISO 4217 code, USDC or USDT. */
  code: string
  /**
   * The number of decimals: an amount of this currency is an integer, in units of 10 to the power
   * of minus the exponent. With 2, the amount 100 is 1.00.
   */
  exponent: number
  /** The name in English, as ISO 4217 has it. */
  name: string
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
  /** The balance that would pay the payout, as it is now. */
  available: {
    currency: string
    /** Minor units as text. */
    amount: string
  }
}

/** A record that was answered with an existing entity. The same one is kept once. */
export interface DuplicateFound {
  at: Timestamp
  /** The rule by which it is the same. */
  rule: string
  /** The members that were sent and differ from the entity, such as `name`. */
  differs: string[]
}

export interface DuplicateRule {
  rule: string
  /** Rules are checked in this order, from 1. */
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
  /**
   * Entities that are the same but are ignored because they are rejected; the 20 oldest, oldest
   * first.
   */
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
  made_by: MadeBy
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

/** What the duplicate rules say about a record at this moment. */
export interface EntityDuplicateCheck {
  object: 'entity_duplicate_check'
  /** Whether a creation would return an existing entity and create none. */
  duplicate: boolean
  /** The existing entity that a creation would return, or empty. */
  entity: string
  /** The rule that decides, or empty. More rules may be added. */
  rule: string
  /** Every rule for the type, by priority, including the rules after the one that decides. */
  rules: DuplicateRule[]
}

export interface EntityEvent {
  /** Event id. */
  id: string
  object: 'event'
  /** What happened: the kind of the object, and the change. */
  type: 'entity.created' | 'entity.updated' | 'entity.approval_pending' | 'entity.approval_submitted' | 'entity.approval_approved' | 'entity.approval_rejected' | 'entity.approval_requires_action' | 'entity.approval_resubmitted' | 'entity.erased'
  created_at: Timestamp
  /** The number of the event in its account: from 1, without gaps, in order. */
  sequence: number
  /** The account in which the change happened. */
  account: string
  /** Id of the object that changed. */
  object_id: string
  data: Entity
  previous_attributes: EntityEventBefore
  change: EntityEventChange
  /** Whether personal data of the object was erased; `data` then shows the object without it. */
  erased: boolean
}

/**
 * The members of `data` that this change altered, with their earlier values. Empty when the object
 * was created or its data erased.
 */
export type EntityEventBefore = Partial<Entity>

/** What led to the change, where no member of the object says it. */
export interface EntityEventChange {
  /** How many rows an erasure has changed. */
  erased_rows?: number
  /** SHA-256 of the rows that the erasure has changed, in hex digits. */
  digest?: string
  made_by?: MadeBy
}

export interface EntityRequest {
  /** It has a letter or a digit of some script, and at most 40 words. */
  name: string
  type: 'individual' | 'business'
  email?: string
  phone?: Phone
  description?: string
  /** The line of business. The duplicate rule by name compares only entities with the same one. */
  vertical?: string
  /**
   * The entity that this one belongs to. The duplicate rule by name compares only entities with the
   * same one.
   */
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

/** The members of an update; all may be left out. */
export type EntitySubmission = EntityUpdate | null

/** The reviews of an entity, and its duplicates. */
export interface EntityTimeline {
  object: 'entity_timeline'
  /** The entity. */
  entity: string
  /** Every step, oldest first. */
  approval_history: ApprovalStep[]
  duplicates: DuplicateFound[]
}

/** A member that is sent replaces the earlier value as a whole; null removes it. */
export interface EntityUpdate {
  /** It has a letter or a digit of some script, and at most 40 words. */
  name?: string
  /** The type cannot change: leave it out, or send the present one. */
  type?: 'individual' | 'business'
  email?: string | null
  phone?: {
    code?: string
    /** Another name of `code`. */
    calling_code?: string
    number?: string
  } | null
  description?: string | null
  /** The line of business. The duplicate rule by name compares only entities with the same one. */
  vertical?: string | null
  /**
   * The entity that this one belongs to. The duplicate rule by name compares only entities with the
   * same one.
   */
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
  /** The name of the error: decide by this member. New reasons may be added. */
  reason: 'invalid_json' | 'internal' | 'service_unavailable' | 'clock_jumped' | 'invalid_path_parameter' | 'invalid_query_parameter' | 'not_found' | 'insufficient_scope' | 'sandbox_only' | 'invalid_credentials' | 'missing_credentials' | 'rate_limited' | 'quota_exceeded' | 'invalid_request' | 'request_timeout' | 'unsupported_media_type' | 'payload_too_large' | 'headers_too_large' | 'uri_too_long' | 'misdirected_request' | 'unknown_version' | 'method_not_allowed' | 'account_frozen' | 'account_closed' | 'invalid_field' | 'cross_site_request' | 'insecure_connection' | 'password_needed' | 'invalid_login' | 'session_over' | 'code_needed' | 'enrolment_needed' | 'idempotency_key_reused' | 'invalid_idempotency_key' | 'currency' | 'holding_currency_not_found' | 'beneficiary_missing' | 'type_mismatch' | 'beneficiary_not_found' | 'entity_not_found' | 'insufficient_balance' | 'amount_mismatch' | 'amount_out_of_range' | 'quote_expired' | 'quote_used' | 'quote_mismatch' | 'rate_stale' | 'fee_unavailable' | 'rate_unavailable' | 'deposit_address_not_found' | 'deposit_currency_not_accepted' | 'invalid_transition' | 'entity_duplicate' | 'entity_changed' | 'approval_not_allowed' | 'approval_needed' | 'already_decided' | 'approval_outdated' | 'notice_outdated' | 'notice_without_value' | 'payout_not_cancellable' | 'payout_not_paid' | 'possible_duplicate_payout' | 'max_total_debit_exceeded' | 'balance_limit_exceeded' | 'route_unavailable' | 'calendar_ended' | 'limit_exceeded' | 'beneficiary_not_approved' | 'beneficiary_archived' | 'party_erased' | 'erasure_refused' | 'webhook_endpoint_limit' | 'webhook_endpoint_disabled' | 'source_already_used' | 'reference_already_used' | 'already_reversed' | 'not_reversible' | 'route_conflict' | 'object_full' | 'likely_mistake' | 'event_archived' | (string & {})
  /** A text for people; its wording may change. */
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

/** The conversion of fees into the holding currency at the mid rate; null when no fee was converted. */
export interface ExplainedConversion {
  /** Currency code. */
  from: string
  /** Currency code; the rate is the units of `to` for one unit of `from`. */
  to: string
  /** How the rate book connects the two currencies. */
  method: 'same_currency' | 'direct' | 'inverted' | 'crossed'
  /** Rows of the rate book as they were, in the order in which they are used. */
  rows: RateBookRow[]
  mid: ExplainedMid
  compared_with: ComparedWay | null
}

/** The row of the fee schedule; amounts in minor units. */
export interface ExplainedFee {
  payout_type: PayoutType
  payout_currency: string | null
  destination_country: string | null
  network: string | null
  charge_type: string | null
  fixed_amount: DecimalText
  /** The currency of the fixed, minimum and maximum amounts. */
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
  /** The formula. Its names are members of the quote or of this explanation. */
  formula: string
  /** The formula in numbers: * and / from left to right, amounts in minor units. */
  calculation: string
  unrounded: DecimalText
  /** Whether the exact result never ends: then these are its first 20 digits, not rounded. */
  truncated: boolean
  /** The rounded result, in minor units of `currency`. */
  rounded: string
  rounding: 'up' | 'down' | 'none'
}

/** The mid rate, before the spread. */
export interface ExplainedMid {
  /** The formula. Its names are members of the quote or of this explanation. */
  formula: string
  /** The formula in numbers: * and / from left to right, amounts in minor units. */
  calculation: string
  unrounded: DecimalText
  /** Whether the exact result never ends: then these are its first 20 digits, not rounded. */
  truncated: boolean
}

export interface ExplainedRate {
  /** The member of the quote. */
  figure: string
  /** Currency code. */
  from: string
  /** Currency code; the rate is the units of `to` for one unit of `from`. */
  to: string
  /** How the rate book connects the two currencies. */
  method: 'same_currency' | 'direct' | 'inverted' | 'crossed'
  /** Rows of the rate book as they were, in the order in which they are used. */
  rows: RateBookRow[]
  mid: ExplainedMid
  compared_with: ComparedWay | null
  /** The spread that is taken off the mid rate, in hundredths of a percent. */
  spread_bps: number
  /** The formula. Its names are members of the quote or of this explanation. */
  formula: string
  /** The formula in numbers: * and / from left to right, amounts in minor units. */
  calculation: string
  unrounded: DecimalText
  /** Whether the exact result never ends: then these are its first 20 digits, not rounded. */
  truncated: boolean
  rounded: DecimalText
  rounding: 'down_12_digits' | 'none'
}

/**
 * The page `/docs/failure-codes` of the service has each code with its meaning and what to do. An
 * operator may give another code by hand.
 */
export type FailureCode = 'OP000100' | 'PF000100' | 'PF000300' | 'PF000310' | 'PF000320' | 'PF000330' | 'PF000400' | 'PF000410' | 'PF000500' | 'PF000510' | 'PF000511' | 'PF000512' | 'PF000513' | 'PF000520' | 'PF000521' | 'PF000530' | 'PF000540' | 'PF000550' | 'PF000555' | 'PF000560' | 'PF000570' | 'PF000575' | 'PF000580' | 'PF000590' | 'PF000595' | 'PF000600' | 'PF000610' | 'PF000671' | 'PF000690' | 'PF000900' | 'PR000500' | 'PR000510' | 'PR000511' | 'PR000512' | 'PR000513' | 'PR000520' | 'PR000521' | 'PR000530' | 'PR000540' | 'PR000550' | 'PR000555' | 'PR000560' | 'PR000570' | 'PR000575' | 'PR000580' | 'PR000590' | 'PR000595' | 'PR000600' | 'PR000900' | (string & {})

/** One fee in both currencies; the amount in the holding currency is charged. */
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
  /** Empty when the payout would be refused. */
  holding_currency: string
  /** Amount and fees; empty when the payout would be refused. */
  total_debit: string
  /** How many people would have to approve the payout before it goes out. */
  approvals_needed: number
  /**
   * The errors with which POST /v3/payout would refuse the payout. The path in `remarks` begins at
   * the payout.
   */
  errors: ErrorDetail[]
}

export interface Funding<M extends Minor = number> {
  amount: M
  currency: CurrencyCode
}

export interface FundingInstruction {
  /**
   * How a payment names this account: `virtual_iban` and `address` are paid to, `reference` is
   * quoted, `payer_account` is the account that pays.
   */
  kind: 'virtual_iban' | 'reference' | 'payer_account' | 'address'
  /** The key, without blanks. */
  value: string
  currency: string
  /** The bank; empty where it is not known. */
  institution: string
  /** The IBAN or number to pay to. */
  account: string
  bic: string
}

export interface FundingInstructions {
  /** In the order in which they were made. */
  instructions: FundingInstruction[]
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

/** A rate of this moment, which is not binding. */
export interface IndicativeRate {
  object: 'rate'
  /** Currency code. */
  from: string
  /** Currency code; the rate is the units of `to` for one unit of `from`. */
  to: string
  /** How the rate book connects the two currencies. */
  method: 'same_currency' | 'direct' | 'inverted' | 'crossed'
  /** Rows of the rate book as they were, in the order in which they are used. */
  rows: RateBookRow[]
  compared_with: ComparedRows | null
  /** Up to 12 significant digits. */
  rate: number
  mid: DecimalText
  /** The spread that is taken off the mid rate, in hundredths of a percent. */
  spread_bps: number
  /**
   * Until when quotes may use the rows, unless newer rows replace them; null where rows do not age,
   * as in sandboxes.
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
  /** The id of the request, as in the header `X-Request-Id` of the answer. */
  request_id: string
  /** The key that sent the request. */
  key_id: string
  method: string
  /** The path with its query. Values that a caller has made up are shown as `…`. */
  path: string
  /**
   * `succeeded`, `refused` (4xx), `failed` (5xx), or `abandoned`: the caller closed the connection
   * before the answer.
   */
  outcome: 'succeeded' | 'refused' | 'failed' | 'abandoned'
  /** Null for `abandoned`. */
  status: number | null
  /** Until the answer was written, to the microsecond. */
  duration_ms: number
  /** The reason of the first error; empty when there is no error. */
  reason: 'invalid_json' | 'internal' | 'service_unavailable' | 'clock_jumped' | 'invalid_path_parameter' | 'invalid_query_parameter' | 'not_found' | 'insufficient_scope' | 'sandbox_only' | 'invalid_credentials' | 'missing_credentials' | 'rate_limited' | 'quota_exceeded' | 'invalid_request' | 'request_timeout' | 'unsupported_media_type' | 'payload_too_large' | 'headers_too_large' | 'uri_too_long' | 'misdirected_request' | 'unknown_version' | 'method_not_allowed' | 'account_frozen' | 'account_closed' | 'invalid_field' | 'cross_site_request' | 'insecure_connection' | 'password_needed' | 'invalid_login' | 'session_over' | 'code_needed' | 'enrolment_needed' | 'idempotency_key_reused' | 'invalid_idempotency_key' | 'currency' | 'holding_currency_not_found' | 'beneficiary_missing' | 'type_mismatch' | 'beneficiary_not_found' | 'entity_not_found' | 'insufficient_balance' | 'amount_mismatch' | 'amount_out_of_range' | 'quote_expired' | 'quote_used' | 'quote_mismatch' | 'rate_stale' | 'fee_unavailable' | 'rate_unavailable' | 'deposit_address_not_found' | 'deposit_currency_not_accepted' | 'invalid_transition' | 'entity_duplicate' | 'entity_changed' | 'approval_not_allowed' | 'approval_needed' | 'already_decided' | 'approval_outdated' | 'notice_outdated' | 'notice_without_value' | 'payout_not_cancellable' | 'payout_not_paid' | 'possible_duplicate_payout' | 'max_total_debit_exceeded' | 'balance_limit_exceeded' | 'route_unavailable' | 'calendar_ended' | 'limit_exceeded' | 'beneficiary_not_approved' | 'beneficiary_archived' | 'party_erased' | 'erasure_refused' | 'webhook_endpoint_limit' | 'webhook_endpoint_disabled' | 'source_already_used' | 'reference_already_used' | 'already_reversed' | 'not_reversible' | 'route_conflict' | 'object_full' | 'likely_mistake' | 'event_archived' | (string & {})
  /** The path of the field that the error is about. */
  remarks: string
}

export interface LogisticsProvider {
  code?: string
  name?: string
}

export interface LogisticsTracking {
  tracking_number?: string
  tracking_type?: string
  logistics_provider_code?: string
  logistics_provider_name?: string
  logistics_provider?: LogisticsProvider
}

/**
 * Who made it: the id of an API key, `user:` and the name of a person of the account, or `operator`
 * for the people who run the installation. GET /v3/maker has the names of keys.
 */
export type MadeBy = string

export interface Maker {
  object: 'maker'
  /** As `made_by` names it: `key_…`, or `user:` and a name. */
  id: string
  kind: 'key' | 'user'
  /** The name of the key or the person; empty for none. */
  name: string
  /** False: the key is revoked. */
  active: boolean
}

/** The people who have a role on the account now, and all of its keys. */
export interface Makers {
  object: 'makers'
  /** People first, then the newest keys. */
  makers: Maker[]
  /** Whether there are more than 1000. */
  truncated: boolean
}

/** Up to 50 pairs of a name (1 to 40 characters) and a text (up to 500). */
export type Metadata = Record<string, string>

/**
 * A name that is sent is set to its text, or removed by null or an empty text; other names stay.
 * Null in place of the object removes all names. There are 50 names at most.
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

export interface Network<M extends Minor = number> {
  object: 'network'
  /** The payout type that names the network. */
  type: 'local' | 'local_payment_network' | 'wallet'
  name: string
  title: string
  currencies: string[]
  countries: string[]
  /** The smallest payment in minor units, as the network’s operator has published it. */
  minimum_amount: M | null
  /** The largest payment in minor units, as the network’s operator has published it. */
  maximum_amount: M | null
}

/** The networks by which a payout can go. */
export interface Networks<M extends Minor = number> {
  object: 'networks'
  /** By type, currency and name. */
  networks: Network<M>[]
}

/**
 * The members of `data` that this change altered, with their earlier values. Empty when the object
 * was created or its data erased.
 */
export interface NothingBefore {}

export interface OptionPrice<M extends Minor = number> {
  holding_info: Money<M>
  payout_info: Money<M>
  destination_info: Money<M>
  fee_info: Fees<M>
  exchange_rates: ExchangeRates
  total_debit: Money<M>
}

export interface OptionsRequest<M extends Minor = number> {
  /** What is paid out. All other amounts are calculated from this amount. */
  payout_info: {
    currency: CurrencyCode
    amount: M
  }
  /** The balance that pays. */
  holding_info?: {
    currency: CurrencyCode
  }
  /** What arrives at the beneficiary. */
  destination_info?: {
    currency: CurrencyCode
    country: CountryCode
  }
  /** The entity that the payout is made for. */
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
  /** For a payout by SWIFT: its MT103, of type `mt103`, in a `data:` URL. */
  confirmation_documents: AttachedDocument[]
  documents: AttachedDocument[]
  made_by: MadeBy
  created_at: Timestamp
  /**
   * When the payout last changed: its state, its answers, its rail, or the person who pays it.
   * Before the first change it equals `created_at`. A new forecast of the rail and a change of the
   * metadata do not count as changes.
   */
  updated_at: string
  /**
   * When the payout is executed. Until then it is `processing`, is not sent, and can be cancelled.
   * Null: the payout is executed at once.
   */
  execute_at: Timestamp | null
  /**
   * When the beneficiary has the money at the latest, calculated from the release of the payout,
   * the business days of its currency and the rules of its network, or as the rail says. Null where
   * that is not known, while the payout is held, and when it has failed.
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
   * The rail that has the payout now, or had it last: `simulator` for sandboxes, `manual` where
   * people pay, or the name of another rail; empty for a transfer to another account. GET
   * /v3/payout/{id}/timeline shows each attempt.
   */
  rail: string
  reference_id: string
  /** The reference on the invoice, without blanks and marks; empty for none. */
  creditor_reference: string
  statement_descriptor: string
  status: PayoutStatus
  /** For `requires_action`: what is asked for. For `compliance_hold`: why the payout is held. */
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
  /** With `expand`: the objects that were asked for. An object that does not exist is null. */
  expanded?: {
    beneficiary?: Beneficiary | null
    quote?: PayoutQuote<M> | null
    on_behalf_of?: Entity | null
    balance_transaction?: BalanceTransactionAlone<M> | null
    approval?: PayoutApproval | null
  }
}

/** The approvals that a payout needs before it goes out. */
export interface PayoutApproval {
  object: 'payout_approval'
  /** The payout. */
  payout: string
  /**
   * The import that has made the payout, `pim_…`, whose payouts can be decided together; empty for
   * a payout that no file has made.
   */
  payout_import: string
  /** Whether the approval still waits, or how it has ended. */
  status: 'pending' | 'approved' | 'rejected' | 'expired' | 'cancelled' | 'failed'
  /** How many people must approve. */
  needed: number
  /** How many people have approved, of those who may approve now. */
  given: number
  /** SHA-256 of everything that the payout was made with. Whoever approves sends this digest. */
  digest: string
  /** The person who made the payout; empty when a key without an owner made it. */
  made_by: string
  requested_at: Timestamp
  expires_at: Timestamp
  ended_at: string | null
  /** The oldest first. */
  decisions: ApprovalDecision[]
}

/** Many payouts that were asked for at once, as they were when they were made. */
export interface PayoutBatch {
  /** The id of the batch, `pob_…`; empty for a dry run. */
  id: string
  object: 'payout_batch'
  mode: 'all_or_nothing' | 'best_effort'
  dry_run: boolean
  /** For a dry run: the status that the batch would have. */
  status: 'completed' | 'would_complete' | 'would_be_refused'
  counts: PayoutBatchCounts
  /** One total for each balance that paid. */
  totals: PayoutBatchTotal[]
  /** The first 100 payouts that were refused. */
  refused: PayoutBatchItem[]
  /** For a dry run: each payout, in order. */
  payouts?: ForeseenPayout[]
  reference_id: string
  metadata: Metadata | null
  made_by: MadeBy
  created_at: Timestamp
}

/** The payouts of a batch that wait for approval. */
export interface PayoutBatchApproval {
  object: 'payout_batch_approval'
  /** The batch. */
  payout_batch: string
  /** How many payouts of the batch wait for an approval. */
  waiting: number
  /** The totals of the payouts that wait. */
  totals: WaitingTotal[]
  /** Who made the payouts that wait. These people cannot approve them. */
  made_by: string[]
  /** Who has approved all payouts that wait, where others must approve, too. */
  approved_by: string[]
  /** How many people must approve: the most that any payout needs. */
  needed: number
  /** When the first of the payouts that wait fails unless it is approved; null when none waits. */
  expires_at: string | null
  /**
   * SHA-256 over the digests of all that wait, in the order of the batch. Whoever approves sends
   * it.
   */
  digest: string
  /** How the approvals of the other payouts have ended. */
  ended: EndedApprovals[]
}

export interface PayoutBatchCounts {
  payouts: number
  /** Payouts that were made and are not held. */
  created: number
  /** Payouts that were made and are held until an entity is reviewed. */
  held: number
  refused: number
}

export interface PayoutBatchDecision {
  object: 'payout_batch_decision'
  /** The batch. */
  payout_batch: string
  decision: 'approve' | 'reject'
  /**
   * The statuses of the payouts that were decided; `pending_approval` where others must approve,
   * too.
   */
  payouts: DecidedPayouts[]
}

export interface PayoutBatchItem {
  object: 'payout_batch_item'
  /** The index of the payout in the request. */
  position: number
  /** The result when the batch was made; the payout has its present status. */
  status: 'created' | 'held' | 'refused'
  /** The id of the payout; empty when it was refused. */
  payout: string
  /** The `reference_id` of the payout, as it was sent. */
  reference_id: string
  /**
   * The errors with which POST /v3/payout would refuse the payout. The path in `remarks` begins at
   * the payout.
   */
  errors: ErrorDetail[]
}

export interface PayoutBatchRequest<M extends Minor = number> {
  /**
   * `all_or_nothing`: all payouts are made, or none. `best_effort`: every payout that can be made
   * is made, in the order of the request.
   */
  mode?: 'all_or_nothing' | 'best_effort'
  /** Say what would happen, and make no payout. */
  dry_run?: boolean
  reference_id?: string
  metadata?: Metadata
  /** The payouts, each as POST /v3/payout takes it. */
  payouts: PayoutRequest<M>[]
}

export interface PayoutBatchTotal {
  /** The currency of the balance. */
  currency: string
  /** How many payouts were made from the balance. */
  payouts: number
  /** The amount that was taken, without fees, in minor units as text. */
  amount: string
  /** Fixed fees, in minor units as text. */
  fixed_fee: string
  /** Variable fees, in minor units as text. */
  variable_fee: string
  /** Amount and fees, in minor units as text. */
  total_debit: string
  /** The balance that was left after the batch, in minor units as text. */
  available_after: string
}

/** The result that the payout would have at this moment. */
export interface PayoutDryRun<M extends Minor = number> {
  object: 'payout_dry_run'
  outcome: 'would_create' | 'would_await_approval' | 'would_hold' | 'would_refuse'
  /**
   * Every error with which the payout would be refused; the first one decides the answer of a
   * creation.
   */
  errors: ErrorDetail[]
  /**
   * What refuses nothing and a person should look at, such as a BIC of another SEPA country than
   * that of the IBAN.
   */
  warnings: string[]
  /** False when an error prevents later checks: correct it and ask again. */
  complete: boolean
  price: DryRunPrice<M> | null
  /** The rail that would take the payout; empty when none would. */
  rail: string
  /** The entity whose review the payout would wait for, or empty. */
  held_for: string
  /** When the payout would be executed; null when at once. */
  execute_at: Timestamp | null
  /** How many people would have to approve the payout before it goes out. */
  approvals_needed: number
}

export interface PayoutEvent<M extends Minor = number> {
  /** Event id. */
  id: string
  object: 'event'
  /** What happened: the kind of the object, and the change. */
  type: 'payout.created' | 'payout.pending_approval' | 'payout.approved' | 'payout.rejected' | 'payout.processing' | 'payout.requires_action' | 'payout.compliance_hold' | 'payout.succeeded' | 'payout.failed' | 'payout.reversed' | 'payout.sent' | 'payout.rerouted' | 'payout.taken' | 'payout.released' | 'payout.notified' | 'payout.updated' | 'payout.erased'
  created_at: Timestamp
  /** The number of the event in its account: from 1, without gaps, in order. */
  sequence: number
  /** The account in which the change happened. */
  account: string
  /** Id of the object that changed. */
  object_id: string
  data: Payout<M>
  previous_attributes: PayoutEventBefore<M>
  change: PayoutEventChange
  /** Whether personal data of the object was erased; `data` then shows the object without it. */
  erased: boolean
}

/**
 * The members of `data` that this change altered, with their earlier values. Empty when the object
 * was created or its data erased.
 */
export type PayoutEventBefore<M extends Minor = number> = Partial<Payout<M>>

/** What led to the change, where no member of the object says it. */
export interface PayoutEventChange {
  /**
   * Who caused the change: the account, the rail, the operator, the review of its entity, or the
   * people who approve the payout.
   */
  by?: 'account' | 'rail' | 'operator' | 'review' | 'approval'
  /** The reason that the person gave. */
  reason?: string
  /** The bank’s reference that the person gave. */
  reference?: string
  /**
   * Numbers of the journals that the change wrote in the book of the account, which GET
   * /v3/payout/{id}/timeline shows.
   */
  journals?: number[]
  /** The number of the answer of the account that led to the change. */
  answer?: number
  /** For `payout.rerouted`: the rail that gets the payout. */
  rail?: string
  /** For `payout.rerouted`: the rail that had the payout. */
  previous_rail?: string
  /** For `payout.rerouted`: the number of the new attempt. */
  attempt?: number
  rail_attempt?: RailAttemptTold
  notice?: BankNotice
  approval?: ApprovalTold
  made_by?: MadeBy
}

/** Why a payout failed or came back. `message` is for people. */
export interface PayoutFailure {
  code: FailureCode
  category: string
  message: string
}

/** A batch or an import with payouts that wait for approval. */
export interface PayoutGroup {
  object: 'payout_group'
  /** The batch or the import. */
  id: string
  /** The totals of the payouts that wait. */
  totals: WaitingTotal[]
  /** Who made the payouts that wait. */
  made_by: string[]
  since: Timestamp
}

/** The batches and imports that wait for approval, each of which can be approved as one. */
export interface PayoutGroups {
  object: 'payout_groups'
  /** Newest first. */
  groups: PayoutGroup[]
}

/** The payouts of an import that wait for approval. */
export interface PayoutImportApproval {
  object: 'payout_import_approval'
  /** The import. */
  payout_import: string
  /** How many payouts of the import wait and are decided together. */
  waiting: number
  /** How many more payouts wait. They are shown once these are decided. */
  further: number
  /** The totals of the payouts that wait. */
  totals: WaitingTotal[]
  /** Who made the payouts that wait. These people cannot approve them. */
  made_by: string[]
  /** Who has approved all payouts that wait, where others must approve, too. */
  approved_by: string[]
  /** How many people must approve: the most that any payout needs. */
  needed: number
  /** When the first of the payouts that wait fails unless it is approved; null when none waits. */
  expires_at: string | null
  /**
   * SHA-256 over the digests of all that wait, in the order of the payouts’ ids. Whoever approves
   * sends it.
   */
  digest: string
  /** How the approvals of the other payouts have ended. */
  ended: EndedApprovals[]
}

export interface PayoutImportDecision {
  object: 'payout_import_decision'
  /** The import. */
  payout_import: string
  decision: 'approve' | 'reject'
  /**
   * The statuses of the payouts that were decided; `pending_approval` where others must approve,
   * too.
   */
  payouts: DecidedPayouts[]
}

/** `quote_request` is the body of POST /v3/payout/quote for this option. */
export interface PayoutOption<M extends Minor = number> {
  object: 'payout_option'
  possible: boolean
  /** The errors that make the option impossible; empty when it is possible. */
  errors: ErrorDetail[]
  /** Null when the option is not possible. */
  price: OptionPrice<M> | null
  /** When a payout that is made now arrives at the latest; null: not known. */
  expected_at: Timestamp | null
  /** The rail that would take the payout; empty when none would. */
  rail: string
  /** The rails that would follow, each after the one before has proved that it does not pay. */
  failover: string[]
  /** The figures of the rail in this installation; null: none of its payouts has ended. */
  rail_figures: RailFigures | null
  quote_request: QuoteRequest<M>
}

/** The options for a payout at this moment. */
export interface PayoutOptions<M extends Minor = number> {
  object: 'payout_options'
  /** Possible options first, by total debit, then by arrival. */
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
  /** From this instant on, the quote is refused with 422. */
  valid_until: string
  /**
   * When a payout that is made together with the quote arrives at the latest, as it was known then;
   * null where that is not known, and once the quote cannot be used any more.
   */
  expected_at: string | null
  status: 'active' | 'used' | 'expired'
  made_by: MadeBy
  created_at: string
  updated_at: string
  explanation?: QuoteExplanation
}

/** An unused quote, deleted 90 days after it expired. */
export interface PayoutQuoteDeleted {
  /** Quote id. */
  id: string
  object: 'payout_quote'
  deleted: true
}

export interface PayoutQuoteEvent<M extends Minor = number> {
  /** Event id. */
  id: string
  object: 'event'
  /** What happened: the kind of the object, and the change. */
  type: 'payout_quote.created'
  created_at: Timestamp
  /** The number of the event in its account: from 1, without gaps, in order. */
  sequence: number
  /** The account in which the change happened. */
  account: string
  /** Id of the object that changed. */
  object_id: string
  data: PayoutQuote<M> | PayoutQuoteDeleted
  previous_attributes: NothingBefore
  change: ChangeByMaker
  /** Whether personal data of the object was erased; `data` then shows the object without it. */
  erased: boolean
}

export interface PayoutRequest<M extends Minor = number> {
  amount: M
  currency: CurrencyCode
  type?: 'swift' | 'local' | 'local_payment_network' | 'wallet' | 'service_account'
  /** Purpose code. */
  purpose: string
  transaction_description?: string
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
  /**
   * The reference on the invoice, for a payout to a bank account: a QRR of Switzerland (27 digits),
   * an ISO 11649 reference (RF…) or a structured communication of Belgium (12 digits). Blanks and
   * marks are dropped. The bank’s message then carries it in place of `transaction_description`. A
   * QR-IBAN needs a QRR, and no other account takes one.
   */
  creditor_reference?: string
  statement_descriptor?: string
  documents?: AttachedDocument[]
  logistics_tracking_details?: LogisticsTracking[]
  metadata?: Metadata
  /** The entity the payout is made for. */
  on_behalf_of?: string
  /**
   * When the payout is executed (RFC 3339 with an offset), at most 365 days ahead; by default at
   * once. The money leaves the balance now, at the present price. Until `execute_at` the payout is
   * not sent and can be cancelled. A payout that converts can be scheduled only as far ahead as the
   * operator lets its rate be fixed.
   */
  execute_at?: string
  /**
   * The most that amount and fees may come to, in minor units of the holding currency. With it, an
   * expired quote is priced anew, and the payout is made if it costs no more than this.
   */
  max_total_debit?: M
  /**
   * Confirms that this is a different payment from the one just made with the same beneficiary,
   * amount, currency and reference_id.
   */
  allow_duplicate?: boolean
}

/** What a destination must have to be paid. */
export interface PayoutRequirements<M extends Minor = number> {
  object: 'payout_requirements'
  type: PayoutType
  currency: string
  /**
   * The country that the accounts belong to. For a territory it is the country whose IBANs or
   * routing numbers the territory has.
   */
  country: string
  network: string
  /** The sets of members; a destination needs one of them. */
  alternatives: RequirementAlternative[]
  networks: RequirementNetwork<M>[]
  purpose: RequirementPurpose
  creditor_reference: RequirementReference
}

export type PayoutStatus = 'pending_approval' | 'processing' | 'requires_action' | 'compliance_hold' | 'succeeded' | 'failed' | 'reversed'

/** What happened to a payout, and why. */
export interface PayoutTimeline<M extends Minor = number> {
  object: 'payout_timeline'
  /** Payout id. */
  payout: string
  /** The present status of the payout. */
  status: 'pending_approval' | 'processing' | 'requires_action' | 'compliance_hold' | 'succeeded' | 'failed' | 'reversed'
  /**
   * Whether older states or webhook attempts were left out: the newest 1000 states and 1000 webhook
   * attempts are kept.
   */
  truncated: boolean
  /**
   * Events up to this time are in an archive of the operator, and what they recorded is missing
   * here. Null: all events of the payout are here.
   */
  archived_to: string | null
  /**
   * Whether the operator reviews what the rail has reported. Until the review ends, the payout does
   * not move.
   */
  under_review: boolean
  /**
   * Oldest first. Items of the same time are in this order: the state, the route, the attempt, its
   * journals, its webhook attempts.
   */
  items: TimelineItem<M>[]
}

/** The sums of the payouts that filters fit. */
export interface PayoutTotals {
  object: 'payout_totals'
  /** False: more than 2,000 payouts fit, and these are the totals of the newest. */
  complete: boolean
  /** How many payouts were summed. */
  count: number
  /** What was paid out, by currency. */
  paid: {
    currency: string
    /** Minor units, as text. */
    amount: string
  }[]
  /** What was debited, fees included, and the fees, by currency of the balance. */
  debited: {
    currency: string
    /** Minor units, as text. */
    amount: string
    /** Minor units, as text. */
    fees: string
  }[]
}

export type PayoutType = 'swift' | 'local' | 'local_payment_network' | 'wallet' | 'service_account'

export interface PayoutUpdate {
  metadata: MetadataChanges
}

export interface Phone {
  code?: string
  /** Another name of `code`. */
  calling_code?: string
  number?: string
}

export interface Posting<M extends Minor = number> {
  /** The position in the book, such as `available`. */
  code: string
  currency: string
  /** Signed minor units. */
  amount: M
}

/**
 * How every figure of the quote was calculated from the rates and fees of that moment. Numbers are
 * text and exact.
 */
export interface QuoteExplanation {
  object: 'quote_explanation'
  /** The number of decimals of each currency. */
  currencies: {
    currency: string
    exponent: number
  }[]
  rates: ExplainedRate[]
  fee_row: ExplainedFee | null
  fee_conversion: ExplainedConversion | null
  /** In the order in which they are calculated. */
  amounts: ExplainedFigure[]
  total_debit: ExplainedFigure
}

export interface QuoteRequest<M extends Minor = number> {
  payout_type?: 'swift' | 'local' | 'local_payment_network' | 'wallet' | 'service_account'
  /**
   * What is paid out. All other amounts are calculated from its amount, which is required unless
   * `total_debit` or `destination_info.amount` is sent in its place.
   */
  payout_info: {
    currency: CurrencyCode
    amount?: M
  }
  /**
   * In place of `payout_info.amount`: the most that may leave the balance, fees included, in the
   * holding currency. The quote is for the largest payout that costs no more.
   */
  total_debit?: number
  /**
   * The balance that pays. If an amount is sent, the quote must come to it; otherwise the quote is
   * refused.
   */
  holding_info?: {
    currency: CurrencyCode
    amount?: M
  }
  /**
   * What arrives at the beneficiary. An amount beside `payout_info.amount` must be the one that the
   * quote comes to; otherwise the quote is refused. An amount in place of `payout_info.amount` asks
   * for the smallest payout of which that much arrives.
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
  /** The entity that the payout is made for. */
  entity_id?: string
}

/** The attempt, as far as its rail had reported. */
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
  /** The share that succeeded, in basis points, rounded down. */
  success_rate_bps: number
  /**
   * Seconds from creation to arrival: half of the payouts that arrived took no longer. Null: none
   * arrived.
   */
  median_seconds: number | null
}

export interface RateBookRow {
  base: string
  quote: string
  mid: DecimalText
  source: string
  as_of: Timestamp
  /** Whether the row is used from `quote` to `base`, by dividing by `mid`. */
  inverted: boolean
}

export interface RejectRequest {
  /** The reason; the timeline shows it. */
  reason: string
  /** The `digest` of the approval, as it was shown to you. */
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

/** A set of members that is enough by itself. */
export interface RequirementAlternative {
  /** What identifies the destination, such as `iban`. */
  name: string
  /** The countries of the accounts; empty is any. */
  countries: string[]
  /** The networks that accept this alternative; empty is any network, or none. */
  networks: string[]
  fields: RequirementField[]
  /** An example of all that is required, as `beneficiary_details`. */
  example: unknown
}

export interface RequirementField {
  /** The path of the member in `beneficiary_details` or the body of POST /v3/beneficiary. */
  path: string
  /** An ECMA-262 pattern. It is for codes and account numbers without spaces and dashes. */
  pattern: string
  description: string
  example: string
  required: boolean
  /** Members of which any one can be sent instead. */
  or: RequirementInstead[]
}

export interface RequirementInstead {
  /** The path of the member in `beneficiary_details` or the body of POST /v3/beneficiary. */
  path: string
  /** An ECMA-262 pattern. It is for codes and account numbers without spaces and dashes. */
  pattern: string
  description: string
  example: string
}

export interface RequirementNetwork<M extends Minor = number> {
  name: string
  title: string
  currencies: string[]
  countries: string[]
  /** The smallest payment in minor units, as the network’s operator has published it. */
  minimum_amount: M | null
  /** The largest payment in minor units, as the network’s operator has published it. */
  maximum_amount: M | null
}

/** What `purpose` in POST /v3/payout may be. */
export interface RequirementPurpose {
  /** The codes that are accepted. Empty: any text is accepted. */
  codes: string[]
  pattern: string
  max_length: number
}

/** What `creditor_reference` in POST /v3/payout may be. */
export interface RequirementReference {
  /** The pattern of a reference without blanks and marks. Empty: such payouts take none. */
  pattern: string
  /** The pattern of the IBANs that need a QRR of 27 digits; empty for none. */
  required_for: string
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
  /** Decides between routes with the same number of conditions. */
  priority: number
}

export interface SandboxClock {
  object: 'sandbox_clock'
  now: Timestamp
  /** Seconds by which the account’s clock is ahead of real time. */
  ahead_s: number
}

export interface SandboxReview {
  /** The result of the review. */
  status: 'approved' | 'rejected' | 'requires_action'
  /** What the account is told. */
  description?: string
}

/** What a text was found as. */
export interface Search<M extends Minor = number> {
  object: 'search'
  /** Whether more objects match: send more of the text. */
  has_more: boolean
  /**
   * By what only the newest 10,000 payouts of the account were compared, because it has more.
   * Empty: all were compared.
   */
  newest_only: ('id' | 'quote' | 'uetr' | 'reference_id' | 'bank_reference' | 'account_number' | 'account_ending' | 'email' | 'amount' | 'name' | (string & {}))[]
  /** The most exact matches first, 20 of each kind of object at most. */
  results: SearchResult<M>[]
}

/** An object that a search has found. */
export interface SearchResult<M extends Minor = number> {
  object: 'payout' | 'beneficiary' | 'entity' | 'payout_batch'
  id: string
  /** Of the payee or the entity; empty for a batch. */
  name: string
  /** What a payout pays, in minor units of `currency`; null for other objects. */
  amount: M | null
  /** Empty without an amount. */
  currency: string
  /**
   * The state of the object. A batch is `created`, `partly_refused` or `refused`. More values may
   * be added.
   */
  status: string
  /** Your own reference; empty without one. */
  reference_id: string
  /**
   * What the text was found as. `quote`: the payout uses the quote of this id. `account_ending`:
   * the account number of the payee ends so. A payout is also found by the present name, account
   * number and e-mail address of its beneficiary, and by its amount, its destination amount and its
   * debit with fees.
   */
  matched: 'id' | 'quote' | 'uetr' | 'reference_id' | 'bank_reference' | 'account_number' | 'account_ending' | 'email' | 'amount' | 'name' | (string & {})
  created_at: Timestamp
}

export type SecretRotationRequest = {
  /** For how many seconds the former secret also signs: up to 7 days; 0 for not at all. */
  overlap_seconds?: number
} | null

/** The events of these numbers. */
export interface SequenceRange {
  /** The first number; by default that of the oldest event in the service. */
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
  /** How many approvals the payout needs. */
  needed: number
  /** The event that records the decision. */
  event: string
  /** The number of that event. */
  sequence: number
}

/** One attempt to pay the payout by a rail. */
export interface TimelineAttempt<M extends Minor = number> {
  at: Timestamp
  kind: 'attempt'
  /** The number of the attempt in the payout, from 1. */
  number: number
  /** The rail that has it, or had it. */
  rail: string
  /** The route that led to the rail, as it was then; null when none was needed. */
  route: RouteTaken<M> | null
  /** Why the payout went to this rail, in words. */
  reason: string
  /**
   * `waiting`: its rail does not have it yet. `waits_for_funds`: it goes once the account that pays
   * it has the money; until then it can be cancelled. `handed_over`: its rail may have it. Then
   * `paid`, `failed`, `returned` (paid, and the money came back), or `not_taken`: the rail has
   * proved that it did not take it.
   */
  state: 'waiting' | 'waits_for_funds' | 'handed_over' | 'paid' | 'failed' | 'not_taken' | 'returned'
  /**
   * The unique end-to-end transaction reference of this attempt. Empty when its payment carries
   * none.
   */
  uetr: string
  /**
   * The references of the rail, as far as it has reported them: `end_to_end_id`, `file`,
   * `message_id` and `instruction_id` of bank files, `provider` of a provider, `bank_reference` of
   * the bank that has paid. More members may be added.
   */
  references: Record<string, string>
  /**
   * While the attempt waits for `execute_at` or a cut-off: when its rail gets the payout. Until
   * then the payout can be cancelled.
   */
  release_at: string | null
  /** When the rail was first asked to pay the payout, or a person took the payout. */
  handed_over_at: string | null
  /** When the rail sent the payment on, such as by sealing its file. */
  released_at: string | null
  /** When the beneficiary has the money at the latest, as far as it is known. */
  expected_at: string | null
  /** When the attempt ended. Money that was paid may come back after that. */
  ended_at: string | null
  /** Why the attempt has failed or was returned. */
  failure: PayoutFailure | null
  /**
   * A sentence that says that the rail could not carry the payout, or has not taken it. Empty in
   * any other state.
   */
  why_not_taken: string
}

/** A person took the payout to pay it by hand, or gave it back. */
export interface TimelineHandling {
  at: Timestamp
  kind: 'handling'
  /**
   * A person has taken the payout to pay it, after which it cannot be cancelled, or has given it
   * back without paying it.
   */
  action: 'taken' | 'released'
  by_hand: ByHand
  /** The event that records the decision. */
  event: string
  /** The number of that event. */
  sequence: number
}

export type TimelineItem<M extends Minor = number> = TimelineState | TimelineRoute<M> | TimelineAttempt<M> | TimelineReview | TimelineReroute | TimelineHandling | TimelineApproval | TimelineUpdate | TimelineJournal<M> | TimelineWebhookAttempt

/** What a state moved in the book of the account. */
export interface TimelineJournal<M extends Minor = number> {
  at: Timestamp
  kind: 'journal'
  /** The event of the state that wrote the journal. */
  event: string
  /** The number of the journal in the book: from 1, without gaps. */
  journal_number: number
  journal_kind: 'payout' | 'settlement' | 'failure' | 'reversal'
  /** The hash of the journal in the chain of the book. */
  hash: string
  /** The postings; their sum is zero in each currency. */
  postings: Posting<M>[]
  /** The line of the statement for this journal; null when the journal moves no balance. */
  balance_transaction: string | null
  /** The balance after the journal, in minor units, as text. */
  balance_after: string | null
}

/** Another rail gets the payout. */
export interface TimelineReroute {
  at: Timestamp
  kind: 'reroute'
  /** The rail that gets the payout now. */
  rail: string
  /** The rail that has not taken the payout. */
  previous_rail: string
  /** The number of the attempt that begins. */
  attempt: number
  by: 'account' | 'rail' | 'operator' | 'review' | 'approval'
  /** The event that records the decision. */
  event: string
  /** The number of that event. */
  sequence: number
}

/**
 * The operator reviews what the rail has reported. While `under_review` is true, the payout does
 * not move until the review ends. The account has nothing to do, except where the words of the bank
 * ask to correct the payee.
 */
export interface TimelineReview {
  at: Timestamp
  kind: 'review'
  /** The number of the attempt. */
  attempt: number
  /** When the operator was done; null while the payout is under review. */
  ended_at: string | null
  /** What the operator reviews, in words. */
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
  /** The route that led to the rail, as it was then; null when none was needed. */
  route: RouteTaken<M> | null
  /** Why the payout went to this rail, in words. */
  reason: string
  /** The event that records the creation of the payout. */
  event: string
  /** The number of that event. */
  sequence: number
}

/** The payout entered this status. */
export interface TimelineState {
  at: Timestamp
  kind: 'state'
  status: PayoutStatus
  /** Null at creation. */
  previous_status: 'pending_approval' | 'processing' | 'requires_action' | 'compliance_hold' | 'succeeded' | 'failed' | 'reversed' | null
  /**
   * Who caused the state: the account, the rail, the operator, the review of the entity the payout
   * was made for, or its approval. Null for states that an early version recorded without it.
   */
  by: 'account' | 'rail' | 'operator' | 'review' | 'approval' | null
  /**
   * Who asked for it, as `made_by` of a payout; empty where nobody did: for a rail, a review, and
   * an approval that ran out of time.
   */
  made_by: string
  /** The `status_description` that the payout had then. */
  status_description: string
  failure: PayoutFailure | null
  /**
   * The number of the answer of the account that led to the state, from 1: see POST
   * /v3/payout/{id}/action. Null when none did.
   */
  answer: number | null
  /** For states that an operator set by hand: who did it. Null otherwise. */
  by_hand: ByHand | null
  /** The event that records the decision. */
  event: string
  /** The number of that event. */
  sequence: number
}

/** The account has changed the metadata of the payout. */
export interface TimelineUpdate {
  at: Timestamp
  kind: 'update'
  /**
   * Who asked for it, as `made_by` of a payout; empty where nobody did: for a rail, a review, and
   * an approval that ran out of time.
   */
  made_by: string
  /** The event that records the decision. */
  event: string
  /** The number of that event. */
  sequence: number
}

/** An attempt to send an event to an endpoint, and its result. */
export interface TimelineWebhookAttempt {
  at: Timestamp
  kind: 'webhook_attempt'
  /** The endpoint that the event was sent to. */
  endpoint: string
  /** The delivery that the attempt belongs to. */
  delivery: string
  /** The event that was sent. */
  event: string
  event_type: string
  /** The number of the attempt in the delivery. */
  attempt: number
  /** The HTTP status of the answer; null when there was none. */
  status_code: number | null
  /** Why there was no answer; empty when there was one. */
  error: string
  /** The result of the attempt. An attempt that failed and was repeated since is `failed`. */
  outcome: 'delivered' | 'will_retry' | 'failed'
  /** With `will_retry`: when the next attempt is, if the endpoint is enabled then. */
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
  /** The new status of the payout. */
  status: 'processing' | 'requires_action' | 'compliance_hold' | 'succeeded' | 'failed' | 'reversed'
  /** For requires_action: what the account is asked for. */
  description?: string
  /**
   * For failed and reversed. The defaults are the code OP000100, the category operator and the
   * message “Set by the operator.”
   */
  failure?: {
    code?: string
    category?: string
    message?: string
  }
}

/** What the payment named. */
export interface ValuesBefore {
  name?: string
  account_number?: string
  /** The routing number for ACH. */
  routing_number?: string
  account_type?: 'checking' | 'savings'
}

export interface WaitingTotal {
  /** The currency that the payouts pay out. */
  currency: string
  payouts: number
  /** The amount without fees, in minor units as text. */
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

/** The delivery of one event to one endpoint. */
export interface WebhookDelivery {
  /** Webhook delivery id. */
  id: string
  object: 'webhook_delivery'
  endpoint: WebhookEndpointId
  /** The id of the event, which is the `webhook-id` of every attempt. */
  event: string
  event_type: string
  /** The object that the event is about. */
  object_id: string
  /**
   * `pending` while the event is still to be sent, `succeeded` after an answer of 2xx, `dead` after
   * the last attempt, `cancelled` together with its endpoint.
   */
  status: 'pending' | 'succeeded' | 'dead' | 'cancelled'
  /** How often the event was sent. */
  attempt_count: number
  /**
   * When the event is sent next; null when the delivery has ended, or waits for an earlier delivery
   * about the same object.
   */
  next_attempt_at: string | null
  created_at: Timestamp
  updated_at: Timestamp
}

/** The delivery of one event to one endpoint, with every attempt. */
export interface WebhookDeliveryDetails {
  /** Webhook delivery id. */
  id: string
  object: 'webhook_delivery'
  endpoint: WebhookEndpointId
  /** The id of the event, which is the `webhook-id` of every attempt. */
  event: string
  event_type: string
  /** The object that the event is about. */
  object_id: string
  /**
   * `pending` while the event is still to be sent, `succeeded` after an answer of 2xx, `dead` after
   * the last attempt, `cancelled` together with its endpoint.
   */
  status: 'pending' | 'succeeded' | 'dead' | 'cancelled'
  /** How often the event was sent. */
  attempt_count: number
  /**
   * When the event is sent next; null when the delivery has ended, or waits for an earlier delivery
   * about the same object.
   */
  next_attempt_at: string | null
  created_at: Timestamp
  updated_at: Timestamp
  /** The attempts that have ended, in order. */
  attempts: WebhookAttempt[]
}

/** Where events are sent. */
export interface WebhookEndpoint {
  id: WebhookEndpointId
  object: 'webhook_endpoint'
  /** The address, in the form of the URL standard. */
  url: string
  description: string
  /** The types of the events that are sent; empty for all events. */
  event_types: string[]
  status: 'enabled' | 'disabled'
  /**
   * Why nothing is sent: `account`: the account has disabled the endpoint; `gone`: the endpoint has
   * answered 410. Empty when it is enabled.
   */
  disabled_reason: '' | 'account' | 'gone'
  /** Until when the former secret also signs; null when there is none. */
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
  /** What happened: the kind of the object, and the change. */
  type: 'webhook_endpoint.test'
  created_at: Timestamp
  /** The number of the event in its account: from 1, without gaps, in order. */
  sequence: number
  /** The account in which the change happened. */
  account: string
  /** Id of the object that changed. */
  object_id: string
  data: WebhookEndpoint
  previous_attributes: NothingBefore
  change: ChangeByMaker
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
   * The types of the events to send; `payout.*` is every type about payouts. An empty list, the
   * default, is every type, including types that are added later.
   */
  event_types?: WebhookEventType[]
}

/** A member that is sent replaces the earlier value; null removes it. */
export interface WebhookEndpointUpdate {
  /**
   * Where events are sent: https, no user name, no fragment, and a name that resolves to public
   * addresses alone. Checked again whenever something is sent; redirects are not followed.
   */
  url?: string
  /** For people. */
  description?: string | null
  /**
   * The types of the events to send; `payout.*` is every type about payouts. An empty list, the
   * default, is every type, including types that are added later.
   */
  event_types?: WebhookEventType[] | null
  /**
   * To a disabled endpoint nothing is sent. When it is enabled again, deliveries continue where
   * they stopped, and no event is missed.
   */
  status?: 'enabled' | 'disabled'
}

/** The endpoint, and the secret that is shown once. */
export interface WebhookEndpointWithSecret {
  id: WebhookEndpointId
  object: 'webhook_endpoint'
  /** The address, in the form of the URL standard. */
  url: string
  description: string
  /** The types of the events that are sent; empty for all events. */
  event_types: string[]
  status: 'enabled' | 'disabled'
  /**
   * Why nothing is sent: `account`: the account has disabled the endpoint; `gone`: the endpoint has
   * answered 410. Empty when it is enabled.
   */
  disabled_reason: '' | 'account' | 'gone'
  /** Until when the former secret also signs; null when there is none. */
  previous_secret_until: string | null
  created_at: Timestamp
  updated_at: Timestamp
  /**
   * The secret that signs deliveries (Standard Webhooks, HMAC-SHA256); it is shown only in this
   * answer. The key is the base64 text after `whsec_`, decoded.
   */
  secret: string
}

export type WebhookEventType = 'payout_quote.*' | 'payout_quote.created' | 'payout.*' | 'payout.created' | 'payout.pending_approval' | 'payout.approved' | 'payout.rejected' | 'payout.processing' | 'payout.requires_action' | 'payout.compliance_hold' | 'payout.succeeded' | 'payout.failed' | 'payout.reversed' | 'payout.sent' | 'payout.rerouted' | 'payout.taken' | 'payout.released' | 'payout.notified' | 'payout.updated' | 'payout.erased' | 'entity.*' | 'entity.created' | 'entity.updated' | 'entity.approval_pending' | 'entity.approval_submitted' | 'entity.approval_approved' | 'entity.approval_rejected' | 'entity.approval_requires_action' | 'entity.approval_resubmitted' | 'entity.erased' | 'beneficiary.*' | 'beneficiary.created' | 'beneficiary.updated' | 'beneficiary.pending_approval' | 'beneficiary.approved' | 'beneficiary.rejected' | 'beneficiary.archived' | 'beneficiary.unarchived' | 'beneficiary.erased' | 'balance_transaction.*' | 'balance_transaction.created' | 'conversion_quote.*' | 'conversion_quote.created' | 'conversion.*' | 'conversion.completed'

export interface WebhookReplay {
  object: 'webhook_replay'
  endpoint: WebhookEndpointId
  /** How many deliveries were made. */
  deliveries: number
  /** Whether events are left: one call looks at 10000 events at most. */
  has_more: boolean
  /** For a range with more events: the number to continue from, `sequence: {from: next, to: last}`. */
  next: number | null
  /** For a range with more events: its last number. */
  last: number | null
}

/** Exactly one of `event`, `events`, `created`, `sequence` and `status`. */
export interface WebhookReplayRequest {
  /** The id of one event. */
  event?: string
  /** The ids of events. */
  events?: string[]
  created?: CreatedRange
  sequence?: SequenceRange
  /** Every event whose last delivery to this endpoint is dead. */
  status?: 'dead'
  /** For a range: only events of these types, as `event_types` of an endpoint names them. */
  event_types?: WebhookEventType[]
}

export type WebhookTestRequest = {} | null

/**
 * What requests of the account have written today, up to `until`, which is 00:00 UTC. Payouts of a
 * live account are refused at twice the quota. See also `quota_exceeded`.
 */
export interface WrittenToday {
  rows: number
  bytes: number
  until: Timestamp
}

/** An event that a webhook delivers. */
export type EventOf<M extends Minor> = AccountEvent<M>
