// Written by `npm run openapi` from openapi.json; changes here are overwritten.

import type { Call } from '../call.ts'
import type { Listing } from '../listing.ts'
import { type Options, type OptionsWithKey, Resource, type Transport } from '../transport.ts'
import type {
  AcceptNotice,
  Account,
  AccountEvent,
  ActionRequest,
  ApprovalStatus,
  ApproveRequest,
  ArchiveRequest,
  Balance,
  BalanceTransaction,
  BalanceTransactionAlone,
  Beneficiary,
  BeneficiaryApproval,
  BeneficiaryDetails,
  BeneficiaryNotices,
  BeneficiaryUpdate,
  CancelRequest,
  ClockRequest,
  Conversion,
  ConversionQuote,
  ConversionQuoteRequest,
  ConversionRequest,
  Currencies,
  Entity,
  EntityDuplicateCheck,
  EntityRequest,
  EntitySubmission,
  EntityTimeline,
  EntityUpdate,
  Funding,
  FundingInstructions,
  IndicativeRate,
  LoggedRequest,
  Makers,
  Minor,
  Networks,
  OptionsRequest,
  Payout,
  PayoutApproval,
  PayoutBatch,
  PayoutBatchApproval,
  PayoutBatchDecision,
  PayoutBatchItem,
  PayoutBatchRequest,
  PayoutDryRun,
  PayoutGroups,
  PayoutImportApproval,
  PayoutImportDecision,
  PayoutOptions,
  PayoutQuote,
  PayoutRequest,
  PayoutRequirements,
  PayoutStatus,
  PayoutTimeline,
  PayoutTotals,
  PayoutType,
  PayoutUpdate,
  QuoteRequest,
  RejectRequest,
  SandboxClock,
  SandboxReview,
  Search,
  SecretRotationRequest,
  TransitionRequest,
  WebhookDelivery,
  WebhookDeliveryDetails,
  WebhookEndpoint,
  WebhookEndpointDeleted,
  WebhookEndpointEvent,
  WebhookEndpointRequest,
  WebhookEndpointUpdate,
  WebhookEndpointWithSecret,
  WebhookReplay,
  WebhookReplayRequest,
  WebhookTestRequest,
} from './schemas.ts'

/** The query of a list by time. */
export interface ListQuery {
  /** The most objects on a page. */
  limit?: number
  /** An id: the page starts with the next older object. */
  starting_after?: string
  /** An id: the page ends with the next newer object. */
  ending_before?: string
  created?: {
    /** Only what was created after this time (ISO 8601 with an offset). */
    gt?: string | Date
    /** Only what was created at this time or after it. */
    gte?: string | Date
    /** Only what was created before this time. */
    lt?: string | Date
    /** Only what was created at this time or before it. */
    lte?: string | Date
  }
}

export class OperationsResource extends Resource {
  /**
   * This document.
   *
   * `GET /openapi.json`
   */
  openApi(options: Options = {}): Call<Record<string, unknown>> {
    return this.transport.call('GET', '/openapi.json', { bare: true, options })
  }

  /**
   * Is the process alive?
   *
   * `GET /healthz`
   */
  health(options: Options = {}): Call<{
    status: string
  }> {
    return this.transport.call('GET', '/healthz', { bare: true, options })
  }

  /**
   * Is the process ready to serve?
   *
   * `GET /readyz`
   */
  readiness(options: Options = {}): Call<{
    status: string
  }> {
    return this.transport.call('GET', '/readyz', { bare: true, options })
  }

  /**
   * The numbers of the process, for Prometheus.
   *
   * `GET /metrics`
   */
  metrics(options: Options = {}): Promise<Response> {
    return this.transport.raw('GET', '/metrics', { media: 'text/plain', options })
  }
}

export class AccountResource extends Resource {
  /**
   * The account of the caller.
   *
   * `GET /v3/account`
   */
  retrieve(options: Options = {}): Call<Account> {
    return this.transport.call('GET', '/v3/account', { options })
  }
}

export class FundingInstructionsResource extends Resource {
  /**
   * How payers fund this account: where they pay to, and what they quote.
   *
   * `GET /v3/funding_instruction`
   */
  list(options: Options = {}): Call<FundingInstructions> {
    return this.transport.call('GET', '/v3/funding_instruction', { options })
  }
}

export class MakersResource extends Resource {
  /**
   * List the people and keys of the account that can make payouts and other objects.
   *
   * `GET /v3/maker`
   */
  list(options: Options = {}): Call<Makers> {
    return this.transport.call('GET', '/v3/maker', { options })
  }
}

export interface SearchRetrieveQuery {
  /**
   * An id, a UETR, your own reference, the bank’s reference, an IBAN or account number or its last
   * four or more digits, an e-mail address, an amount such as `1,250.50` or `1250.5 EUR`, or words
   * of a name.
   */
  q: string
}

export class SearchResource<M extends Minor = number> extends Resource {
  /**
   * Find payouts, beneficiaries, entities and batches by one text.
   *
   * `GET /v3/search`
   */
  retrieve(query: SearchRetrieveQuery, options: Options = {}): Call<Search<M>> {
    return this.transport.call('GET', '/v3/search', { query, options })
  }
}

export interface PayoutsQuotesCreateQuery {
  /** Adds `explanation`: every rate, fee and rounding of the price. */
  explain?: boolean
}

export interface PayoutsQuotesListQuery extends ListQuery {
  /** The status at the time of the request. Several may be sent. */
  status?: 'active' | 'used' | 'expired' | readonly ('active' | 'used' | 'expired')[]
  /** Several may be sent. */
  payout_type?: PayoutType | readonly PayoutType[]
  /** The entity that the payout is made for. Several may be sent. */
  entity_id?: string | readonly string[]
}

export interface PayoutsQuotesRetrieveQuery {
  /** Adds `explanation`: every rate, fee and rounding of the price. */
  explain?: boolean
}

export class PayoutsQuotesResource<M extends Minor = number> extends Resource {
  /**
   * Fix the fees and exchange rates of a payout in advance.
   *
   * `POST /v3/payout/quote`
   */
  create(body: QuoteRequest<Minor>, options: OptionsWithKey & { query?: PayoutsQuotesCreateQuery } = {}): Call<PayoutQuote<M>> {
    return this.transport.call('POST', '/v3/payout/quote', { body, query: options.query, keyed: true, bare: true, options })
  }

  /**
   * List quotes, newest first.
   *
   * `GET /v3/payout/quote`
   */
  list(query: PayoutsQuotesListQuery = {}, options: Options = {}): Listing<PayoutQuote<M>> {
    return this.transport.list<PayoutQuote<M>>('/v3/payout/quote', 'id', { query, options })
  }

  /**
   * Fetch a quote.
   *
   * `GET /v3/payout/quote/{id}`
   */
  retrieve(id: string, query: PayoutsQuotesRetrieveQuery = {}, options: Options = {}): Call<PayoutQuote<M>> {
    return this.transport.call('GET', `/v3/payout/quote/${encodeURIComponent(id)}`, { query, bare: true, options })
  }
}

export interface PayoutsCreateQuery {
  /**
   * With `true`: the answer says with which errors the payout would be refused and what it would
   * cost, and no payout is made.
   */
  dry_run?: boolean
}

export interface PayoutsListQuery extends ListQuery {
  /** The objects to show in full in `expanded`, beside their ids. Several may be sent. */
  expand?: 'beneficiary' | 'quote' | 'on_behalf_of' | 'balance_transaction' | 'approval' | readonly ('beneficiary' | 'quote' | 'on_behalf_of' | 'balance_transaction' | 'approval')[]
  /**
   * Smallest (`amount`) or largest (`-amount`) amount first, by currency, or oldest first. Filters
   * must fit 2,000 payouts at most. Newest first without it.
   */
  sort?: 'amount' | '-amount' | 'created_at'
  /** Pairs that the metadata has, each as `metadata[key]=value`. */
  metadata?: Record<string, string>
  /** Several may be sent. */
  status?: PayoutStatus | readonly PayoutStatus[]
  /** The currency paid out. Several may be sent. */
  currency?: string | readonly string[]
  /** The currency of the balance that paid. Several may be sent. */
  holding_currency?: string | readonly string[]
  /** Several may be sent. */
  type?: PayoutType | readonly PayoutType[]
  /** The reference, exactly as it was sent. */
  reference_id?: string
  /** The entity that payouts were made for. Several may be sent. */
  on_behalf_of?: string | readonly string[]
  /** The quote that was used. Several may be sent. */
  quote?: string | readonly string[]
  /** The beneficiary paid. Several may be sent. */
  beneficiary?: string | readonly string[]
  /**
   * Who made it, as `made_by` says: `key_…`, `user:` and a name, or `operator`. For a key, at most
   * 100,000 objects of the range are read; if none of them is by the key, the refusal says where to
   * go on. Several may be sent.
   */
  made_by?: string | readonly string[]
  /**
   * Words, each of which begins a word of the name that the beneficiary has now, in any order,
   * without regard to case and accents. Words that fit more than 500 beneficiaries are refused.
   */
  beneficiary_name?: string
  /** Only payouts that wait for their `execute_at`. */
  scheduled?: 'true'
}

export interface PayoutsTotalsQuery extends ListQuery {
  /** Pairs that the metadata has, each as `metadata[key]=value`. */
  metadata?: Record<string, string>
  /** Several may be sent. */
  status?: PayoutStatus | readonly PayoutStatus[]
  /** The currency paid out. Several may be sent. */
  currency?: string | readonly string[]
  /** The currency of the balance that paid. Several may be sent. */
  holding_currency?: string | readonly string[]
  /** Several may be sent. */
  type?: PayoutType | readonly PayoutType[]
  /** The reference, exactly as it was sent. */
  reference_id?: string
  /** The entity that payouts were made for. Several may be sent. */
  on_behalf_of?: string | readonly string[]
  /** The quote that was used. Several may be sent. */
  quote?: string | readonly string[]
  /** The beneficiary paid. Several may be sent. */
  beneficiary?: string | readonly string[]
  /**
   * Who made it, as `made_by` says: `key_…`, `user:` and a name, or `operator`. For a key, at most
   * 100,000 objects of the range are read; if none of them is by the key, the refusal says where to
   * go on. Several may be sent.
   */
  made_by?: string | readonly string[]
  /**
   * Words, each of which begins a word of the name that the beneficiary has now, in any order,
   * without regard to case and accents. Words that fit more than 500 beneficiaries are refused.
   */
  beneficiary_name?: string
  /** Only payouts that wait for their `execute_at`. */
  scheduled?: 'true'
}

export interface PayoutsRetrieveQuery {
  /** The objects to show in full in `expanded`, beside their ids. Several may be sent. */
  expand?: 'beneficiary' | 'quote' | 'on_behalf_of' | 'balance_transaction' | 'approval' | readonly ('beneficiary' | 'quote' | 'on_behalf_of' | 'balance_transaction' | 'approval')[]
}

export interface PayoutsConfirmationQuery {
  /** The zone of the day of the payment, such as Europe/Berlin; by default UTC. */
  zone?: string
}

export interface PayoutsRequirementsQuery {
  type?: 'swift' | 'local' | 'local_payment_network' | 'wallet' | 'service_account'
  /** The currency that arrives; required for local payouts. */
  currency?: string
  /** The country of the account; not for wallets and service accounts. */
  country?: string
  /** The local network, the local payment network or the chain. */
  network?: string
}

export class PayoutsResource<M extends Minor = number> extends Resource {
  readonly quotes: PayoutsQuotesResource<M>

  constructor(transport: Transport) {
    super(transport)
    this.quotes = new PayoutsQuotesResource(transport)
  }

  /**
   * Pay a beneficiary, at a quote or at the rates of this moment.
   *
   * `POST /v3/payout`
   */
  create(body: PayoutRequest<Minor>, options: OptionsWithKey & { query: PayoutsCreateQuery & { dry_run: true } }): Call<PayoutDryRun<M>>
  create(body: PayoutRequest<Minor>, options?: OptionsWithKey & { query?: PayoutsCreateQuery & { dry_run?: false } }): Call<Payout<M>>
  create(body: PayoutRequest<Minor>, options: OptionsWithKey & { query?: PayoutsCreateQuery } = {}): Call<never> {
    return this.transport.call('POST', '/v3/payout', { body, query: options.query, keyed: true, options })
  }

  /**
   * List payouts, newest first.
   *
   * `GET /v3/payout`
   */
  list(query: PayoutsListQuery = {}, options: Options = {}): Listing<Payout<M>> {
    return this.transport.list<Payout<M>>('/v3/payout', 'id', { query, options })
  }

  /**
   * The sums by currency of the payouts that filters fit.
   *
   * `GET /v3/payout/totals`
   */
  totals(query: PayoutsTotalsQuery = {}, options: Options = {}): Call<PayoutTotals> {
    return this.transport.call('GET', '/v3/payout/totals', { query, options })
  }

  /**
   * Fetch a payout.
   *
   * `GET /v3/payout/{id}`
   */
  retrieve(id: string, query: PayoutsRetrieveQuery = {}, options: Options = {}): Call<Payout<M>> {
    return this.transport.call('GET', `/v3/payout/${encodeURIComponent(id)}`, { query, options })
  }

  /**
   * Change the metadata of a payout, in whatever state it is.
   *
   * `PUT /v3/payout/{id}`
   */
  update(id: string, body: PayoutUpdate, options: Options = {}): Call<Payout<M>> {
    return this.transport.call('PUT', `/v3/payout/${encodeURIComponent(id)}`, { body, options })
  }

  /**
   * Cancel a payout that the rail has not taken.
   *
   * `POST /v3/payout/{id}/cancel`
   */
  cancel(id: string, body: CancelRequest = {}, options: OptionsWithKey = {}): Call<Payout<M>> {
    return this.transport.call('POST', `/v3/payout/${encodeURIComponent(id)}/cancel`, { body, keyed: true, options })
  }

  /**
   * Answer what a payout in `requires_action` asks for.
   *
   * `POST /v3/payout/{id}/action`
   */
  action(id: string, body: ActionRequest, options: OptionsWithKey = {}): Call<Payout<M>> {
    return this.transport.call('POST', `/v3/payout/${encodeURIComponent(id)}/action`, { body, keyed: true, options })
  }

  /**
   * The confirmation of a paid payout for its payee, as PDF.
   *
   * `GET /v3/payout/{id}/confirmation`
   */
  confirmation(id: string, query: PayoutsConfirmationQuery = {}, options: Options = {}): Promise<Response> {
    return this.transport.raw('GET', `/v3/payout/${encodeURIComponent(id)}/confirmation`, { query, media: 'application/pdf', options })
  }

  /**
   * What a destination must have to be paid.
   *
   * `GET /v3/payout/requirements`
   */
  requirements(query: PayoutsRequirementsQuery = {}, options: Options = {}): Call<PayoutRequirements<M>> {
    return this.transport.call('GET', '/v3/payout/requirements', { query, options })
  }

  /**
   * Compare every option for a payout.
   *
   * `POST /v3/payout/options`
   */
  options(body: OptionsRequest<Minor>, options: Options = {}): Call<PayoutOptions<M>> {
    return this.transport.call('POST', '/v3/payout/options', { body, options })
  }

  /**
   * Fetch what happened to a payout, and why.
   *
   * `GET /v3/payout/{id}/timeline`
   */
  timeline(id: string, options: Options = {}): Call<PayoutTimeline<M>> {
    return this.transport.call('GET', `/v3/payout/${encodeURIComponent(id)}/timeline`, { options })
  }

  /**
   * Show the approvals that a payout needs before it goes out, and who has approved it.
   *
   * `GET /v3/payout/{id}/approval`
   */
  approval(id: string, options: Options = {}): Call<PayoutApproval> {
    return this.transport.call('GET', `/v3/payout/${encodeURIComponent(id)}/approval`, { options })
  }

  /**
   * Approve a payout as it was shown to you.
   *
   * `POST /v3/payout/{id}/approve`
   */
  approve(id: string, body: ApproveRequest, options: OptionsWithKey = {}): Call<Payout<M>> {
    return this.transport.call('POST', `/v3/payout/${encodeURIComponent(id)}/approve`, { body, keyed: true, options })
  }

  /**
   * Reject a payout.
   *
   * `POST /v3/payout/{id}/reject`
   */
  reject(id: string, body: RejectRequest, options: OptionsWithKey = {}): Call<Payout<M>> {
    return this.transport.call('POST', `/v3/payout/${encodeURIComponent(id)}/reject`, { body, keyed: true, options })
  }
}

export class ConversionsQuotesResource<M extends Minor = number> extends Resource {
  /**
   * Fix the rate and the fees of a conversion for two minutes.
   *
   * `POST /v3/conversion/quote`
   */
  create(body: ConversionQuoteRequest<Minor>, options: OptionsWithKey = {}): Call<ConversionQuote<M>> {
    return this.transport.call('POST', '/v3/conversion/quote', { body, keyed: true, options })
  }

  /**
   * Fetch the quote of a conversion.
   *
   * `GET /v3/conversion/quote/{id}`
   */
  retrieve(id: string, options: Options = {}): Call<ConversionQuote<M>> {
    return this.transport.call('GET', `/v3/conversion/quote/${encodeURIComponent(id)}`, { options })
  }
}

export interface ConversionsListQuery extends ListQuery {
  /** The currency that was converted. Several may be sent. */
  holding_currency?: string | readonly string[]
  /** The currency that it was converted into. Several may be sent. */
  destination_currency?: string | readonly string[]
}

export class ConversionsResource<M extends Minor = number> extends Resource {
  readonly quotes: ConversionsQuotesResource<M>

  constructor(transport: Transport) {
    super(transport)
    this.quotes = new ConversionsQuotesResource(transport)
  }

  /**
   * Change money of one balance of the account into another of its currencies.
   *
   * `POST /v3/conversion`
   */
  create(body: ConversionRequest, options: OptionsWithKey = {}): Call<Conversion<M>> {
    return this.transport.call('POST', '/v3/conversion', { body, keyed: true, options })
  }

  /**
   * List conversions, newest first.
   *
   * `GET /v3/conversion`
   */
  list(query: ConversionsListQuery = {}, options: Options = {}): Listing<Conversion<M>> {
    return this.transport.list<Conversion<M>>('/v3/conversion', 'id', { query, options })
  }

  /**
   * Fetch a conversion.
   *
   * `GET /v3/conversion/{id}`
   */
  retrieve(id: string, options: Options = {}): Call<Conversion<M>> {
    return this.transport.call('GET', `/v3/conversion/${encodeURIComponent(id)}`, { options })
  }
}

export interface CurrenciesListQuery {
  /** Only the currency of this code. Several may be sent. */
  code?: string | readonly string[]
}

export class CurrenciesResource extends Resource {
  /**
   * List every currency with its number of decimals.
   *
   * `GET /v3/currency`
   */
  list(query: CurrenciesListQuery = {}, options: Options = {}): Call<Currencies> {
    return this.transport.call('GET', '/v3/currency', { query, options })
  }
}

export interface NetworksListQuery {
  /** Only networks of this payout type. */
  type?: 'local' | 'local_payment_network' | 'wallet'
  /** Only networks that carry this currency. */
  currency?: string
  /**
   * Only networks that pay to accounts or keys of this country. A chain has no country, so the
   * answer then has no chains.
   */
  country?: string
}

export class NetworksResource<M extends Minor = number> extends Resource {
  /**
   * List the networks of a currency or a country.
   *
   * `GET /v3/network`
   */
  list(query: NetworksListQuery = {}, options: Options = {}): Call<Networks<M>> {
    return this.transport.call('GET', '/v3/network', { query, options })
  }
}

export interface RateRetrieveQuery {
  /** The currency that is converted. */
  from: string
  /** The currency that it is converted into. */
  to: string
}

export class RateResource extends Resource {
  /**
   * The rate at which the account would be quoted now.
   *
   * `GET /v3/rate`
   */
  retrieve(query: RateRetrieveQuery, options: Options = {}): Call<IndicativeRate> {
    return this.transport.call('GET', '/v3/rate', { query, options })
  }
}

export interface PayoutBatchesItemsListQuery extends ListQuery {
  /** Several may be sent. */
  status?: 'created' | 'held' | 'refused' | readonly ('created' | 'held' | 'refused')[]
}

export class PayoutBatchesItemsResource extends Resource {
  /**
   * List the result of each payout of a batch, in the order of the request.
   *
   * `GET /v3/payout_batch/{id}/item`
   */
  list(id: string, query: PayoutBatchesItemsListQuery = {}, options: Options = {}): Listing<PayoutBatchItem> {
    return this.transport.list<PayoutBatchItem>(`/v3/payout_batch/${encodeURIComponent(id)}/item`, 'position', { query, options })
  }
}

export interface PayoutBatchesListQuery extends ListQuery {
  /** The `reference_id` of the batch, exactly as it was sent. */
  reference_id?: string
  /** Several may be sent. */
  mode?: 'all_or_nothing' | 'best_effort' | readonly ('all_or_nothing' | 'best_effort')[]
}

export class PayoutBatchesResource extends Resource {
  readonly items: PayoutBatchesItemsResource

  constructor(transport: Transport) {
    super(transport)
    this.items = new PayoutBatchesItemsResource(transport)
  }

  /**
   * Make up to 10000 payouts at once.
   *
   * `POST /v3/payout_batch`
   */
  create(body: PayoutBatchRequest<Minor>, options: OptionsWithKey = {}): Call<PayoutBatch> {
    return this.transport.call('POST', '/v3/payout_batch', { body, keyed: true, options })
  }

  /**
   * List batches of payouts, newest first.
   *
   * `GET /v3/payout_batch`
   */
  list(query: PayoutBatchesListQuery = {}, options: Options = {}): Listing<PayoutBatch> {
    return this.transport.list<PayoutBatch>('/v3/payout_batch', 'id', { query, options })
  }

  /**
   * Fetch a batch of payouts.
   *
   * `GET /v3/payout_batch/{id}`
   */
  retrieve(id: string, options: Options = {}): Call<PayoutBatch> {
    return this.transport.call('GET', `/v3/payout_batch/${encodeURIComponent(id)}`, { options })
  }

  /**
   * Show the payouts of a batch that wait for approval, with one digest of all of them.
   *
   * `GET /v3/payout_batch/{id}/approval`
   */
  approval(id: string, options: Options = {}): Call<PayoutBatchApproval> {
    return this.transport.call('GET', `/v3/payout_batch/${encodeURIComponent(id)}/approval`, { options })
  }

  /**
   * Approve all payouts of a batch that wait, as they were shown to you.
   *
   * `POST /v3/payout_batch/{id}/approve`
   */
  approve(id: string, body: ApproveRequest, options: OptionsWithKey = {}): Call<PayoutBatchDecision> {
    return this.transport.call('POST', `/v3/payout_batch/${encodeURIComponent(id)}/approve`, { body, keyed: true, options })
  }

  /**
   * Reject all payouts of a batch that wait.
   *
   * `POST /v3/payout_batch/{id}/reject`
   */
  reject(id: string, body: RejectRequest, options: OptionsWithKey = {}): Call<PayoutBatchDecision> {
    return this.transport.call('POST', `/v3/payout_batch/${encodeURIComponent(id)}/reject`, { body, keyed: true, options })
  }
}

export interface BalanceTransactionsListQuery extends ListQuery {
  /** The objects to show in full in `expanded`, beside their ids. Several may be sent. */
  expand?: 'payout' | readonly 'payout'[]
  /** The balance that was moved. Several may be sent. */
  currency?: string | readonly string[]
  /** Several may be sent. */
  type?: 'escrow' | 'payout' | 'payout_failure' | 'payout_reversal' | 'withdrawal' | 'adjustment' | 'escrow_reversal' | 'withdrawal_reversal' | 'adjustment_reversal' | 'conversion_out' | 'conversion_in' | readonly ('escrow' | 'payout' | 'payout_failure' | 'payout_reversal' | 'withdrawal' | 'adjustment' | 'escrow_reversal' | 'withdrawal_reversal' | 'adjustment_reversal' | 'conversion_out' | 'conversion_in')[]
  /** Several may be sent. */
  operation_type?: 'credit' | 'debit' | readonly ('credit' | 'debit')[]
  /**
   * The source of the line: the payout, the balance transaction that was given back or reversed,
   * the escrow, the withdrawal, the adjustment or the conversion. Several may be sent.
   */
  source?: string | readonly string[]
  /**
   * Every line of this payout: its debit, and the line that gave the money back. Several may be
   * sent.
   */
  payout?: string | readonly string[]
}

export interface BalanceTransactionsCsvQuery extends ListQuery {
  /** The objects to show in full in `expanded`, beside their ids. Several may be sent. */
  expand?: 'payout' | readonly 'payout'[]
  /** The balance that was moved. Several may be sent. */
  currency?: string | readonly string[]
  /** Several may be sent. */
  type?: 'escrow' | 'payout' | 'payout_failure' | 'payout_reversal' | 'withdrawal' | 'adjustment' | 'escrow_reversal' | 'withdrawal_reversal' | 'adjustment_reversal' | 'conversion_out' | 'conversion_in' | readonly ('escrow' | 'payout' | 'payout_failure' | 'payout_reversal' | 'withdrawal' | 'adjustment' | 'escrow_reversal' | 'withdrawal_reversal' | 'adjustment_reversal' | 'conversion_out' | 'conversion_in')[]
  /** Several may be sent. */
  operation_type?: 'credit' | 'debit' | readonly ('credit' | 'debit')[]
  /**
   * The source of the line: the payout, the balance transaction that was given back or reversed,
   * the escrow, the withdrawal, the adjustment or the conversion. Several may be sent.
   */
  source?: string | readonly string[]
  /**
   * Every line of this payout: its debit, and the line that gave the money back. Several may be
   * sent.
   */
  payout?: string | readonly string[]
}

export interface BalanceTransactionsRetrieveQuery {
  /** The objects to show in full in `expanded`, beside their ids. Several may be sent. */
  expand?: 'payout' | readonly 'payout'[]
}

export class BalanceTransactionsResource<M extends Minor = number> extends Resource {
  /**
   * List the lines of the statement, newest first.
   *
   * `GET /v3/balance_transaction`
   */
  list(query: BalanceTransactionsListQuery = {}, options: Options = {}): Listing<BalanceTransaction<M>> {
    return this.transport.list<BalanceTransaction<M>>('/v3/balance_transaction', 'id', { query, options })
  }

  /**
   * List the lines of the statement, newest first.
   *
   * `GET /v3/balance_transaction`
   */
  csv(query: BalanceTransactionsCsvQuery = {}, options: Options = {}): Promise<Response> {
    return this.transport.raw('GET', '/v3/balance_transaction', { query, media: 'text/csv', options })
  }

  /**
   * Fetch one movement on a balance.
   *
   * `GET /v3/balance_transaction/{id}`
   */
  retrieve(id: string, query: BalanceTransactionsRetrieveQuery = {}, options: Options = {}): Call<BalanceTransaction<M>> {
    return this.transport.call('GET', `/v3/balance_transaction/${encodeURIComponent(id)}`, { query, options })
  }
}

export interface BalanceRetrieveQuery {
  /** The balances as this instant left them (ISO 8601), instead of the present ones. */
  as_of?: string | Date
}

export class BalanceResource extends Resource {
  /**
   * The balance in each currency, now or as of an instant.
   *
   * `GET /v3/balance`
   */
  retrieve(query: BalanceRetrieveQuery = {}, options: Options = {}): Call<Balance> {
    return this.transport.call('GET', '/v3/balance', { query, options })
  }
}

export interface StatementRetrieveQuery {
  /** camt.053.001.08, SWIFT MT940, CSV, or PDF for people. */
  format: 'csv' | 'camt053' | 'mt940' | 'pdf'
  /**
   * The beginning of the period, inclusive: a date such as 2026-01-31, which begins at midnight in
   * zone, or a time with an offset.
   */
  from: string
  /**
   * The end, exclusive: a date such as 2026-01-31, which begins at midnight in zone, or a time with
   * an offset. Now, when it is left out.
   */
  to?: string
  /** The currency of one balance, instead of all balances. */
  currency?: string
  /**
   * The days of the statement are days of this zone: the IANA name of a time zone, such as
   * Europe/Berlin. UTC by default.
   */
  zone?: string
}

export class StatementResource extends Resource {
  /**
   * The statement of a period, as camt.053, MT940, CSV or PDF.
   *
   * `GET /v3/statement`
   */
  retrieve(query: StatementRetrieveQuery, options: Options = {}): Promise<Response> {
    return this.transport.raw('GET', '/v3/statement', { query, media: 'application/xml, text/plain, text/csv, application/pdf', options })
  }
}

export interface EntitiesListQuery extends ListQuery {
  /**
   * Words, each of which begins a word of the name, in any order, without regard to case and
   * accents.
   */
  name?: string
  /** The exact address, without regard to case. */
  email?: string
  /** Pairs that the metadata has, each as `metadata[key]=value`. */
  metadata?: Record<string, string>
  /** Several may be sent. */
  type?: 'individual' | 'business' | readonly ('individual' | 'business')[]
  /** Several may be sent. */
  approval_status?: ApprovalStatus | readonly ApprovalStatus[]
  /** The reference, exactly as it was sent. */
  reference_id?: string
  /** The entity that the listed entities belong to. Several may be sent. */
  on_behalf_of?: string | readonly string[]
}

export class EntitiesResource extends Resource {
  /**
   * Record a person or a business, once.
   *
   * `POST /v3/entity`
   */
  create(body: EntityRequest, options: OptionsWithKey = {}): Call<Entity> {
    return this.transport.call('POST', '/v3/entity', { body, keyed: true, options })
  }

  /**
   * List entities, newest first.
   *
   * `GET /v3/entity`
   */
  list(query: EntitiesListQuery = {}, options: Options = {}): Listing<Entity> {
    return this.transport.list<Entity>('/v3/entity', 'id', { query, options })
  }

  /**
   * Fetch an entity.
   *
   * `GET /v3/entity/{id}`
   */
  retrieve(id: string, options: Options = {}): Call<Entity> {
    return this.transport.call('GET', `/v3/entity/${encodeURIComponent(id)}`, { options })
  }

  /**
   * Change an entity.
   *
   * `PUT /v3/entity/{id}`
   */
  update(id: string, body: EntityUpdate = {}, options: Options = {}): Call<Entity> {
    return this.transport.call('PUT', `/v3/entity/${encodeURIComponent(id)}`, { body, options })
  }

  /**
   * The reviews of an entity, and the records that were answered with it.
   *
   * `GET /v3/entity/{id}/timeline`
   */
  timeline(id: string, options: Options = {}): Call<EntityTimeline> {
    return this.transport.call('GET', `/v3/entity/${encodeURIComponent(id)}/timeline`, { options })
  }

  /**
   * Submit an entity to the operator for review.
   *
   * `POST /v3/entity/{id}/submit`
   */
  submit(id: string, body: EntitySubmission = {}, options: OptionsWithKey = {}): Call<Entity> {
    return this.transport.call('POST', `/v3/entity/${encodeURIComponent(id)}/submit`, { body, keyed: true, options })
  }

  /**
   * Ask whether creating an entity would return an existing one, and why.
   *
   * `POST /v3/entity/duplicate_check`
   */
  duplicateCheck(body: EntityRequest, options: Options = {}): Call<EntityDuplicateCheck> {
    return this.transport.call('POST', '/v3/entity/duplicate_check', { body, options })
  }
}

export interface BeneficiariesListQuery extends ListQuery {
  /**
   * Words, each of which begins a word of the name, in any order, without regard to case and
   * accents.
   */
  name?: string
  /** The exact address, without regard to case. */
  email?: string
  /**
   * The account number, IBAN, wallet address or key that the beneficiary is paid to, without regard
   * to spaces, dashes and case.
   */
  account_number?: string
  /** Pairs that the metadata has, each as `metadata[key]=value`. */
  metadata?: Record<string, string>
  /** The reference, exactly as it was sent. */
  reference_id?: string
  /** Only archived beneficiaries, instead of those that are not archived. */
  archived?: boolean
  /** Several may be sent. */
  type?: 'individual' | 'business' | readonly ('individual' | 'business')[]
  /** The type of the destination that the beneficiary has now. Several may be sent. */
  destination_type?: 'bank' | 'wallet' | 'local_payment_network' | 'service_account' | readonly ('bank' | 'wallet' | 'local_payment_network' | 'service_account')[]
  /** `active` can be paid. People have not approved the others. Several may be sent. */
  status?: 'active' | 'pending_approval' | 'rejected' | readonly ('active' | 'pending_approval' | 'rejected')[]
}

export class BeneficiariesResource extends Resource {
  /**
   * Record who can be paid, and where.
   *
   * `POST /v3/beneficiary`
   */
  create(body: BeneficiaryDetails, options: OptionsWithKey = {}): Call<Beneficiary> {
    return this.transport.call('POST', '/v3/beneficiary', { body, keyed: true, options })
  }

  /**
   * List beneficiaries, newest first.
   *
   * `GET /v3/beneficiary`
   */
  list(query: BeneficiariesListQuery = {}, options: Options = {}): Listing<Beneficiary> {
    return this.transport.list<Beneficiary>('/v3/beneficiary', 'id', { query, options })
  }

  /**
   * Fetch a beneficiary.
   *
   * `GET /v3/beneficiary/{id}`
   */
  retrieve(id: string, options: Options = {}): Call<Beneficiary> {
    return this.transport.call('GET', `/v3/beneficiary/${encodeURIComponent(id)}`, { options })
  }

  /**
   * Change a beneficiary, for payouts that are still to be made.
   *
   * `PUT /v3/beneficiary/{id}`
   */
  update(id: string, body: BeneficiaryUpdate = {}, options: Options = {}): Call<Beneficiary> {
    return this.transport.call('PUT', `/v3/beneficiary/${encodeURIComponent(id)}`, { body, options })
  }

  /**
   * Archive a beneficiary: ordinary lists leave it out, and it cannot be paid.
   *
   * `POST /v3/beneficiary/{id}/archive`
   */
  archive(id: string, body: ArchiveRequest = {}, options: OptionsWithKey = {}): Call<Beneficiary> {
    return this.transport.call('POST', `/v3/beneficiary/${encodeURIComponent(id)}/archive`, { body, keyed: true, options })
  }

  /**
   * Unarchive a beneficiary.
   *
   * `POST /v3/beneficiary/{id}/unarchive`
   */
  unarchive(id: string, body: ArchiveRequest = {}, options: OptionsWithKey = {}): Call<Beneficiary> {
    return this.transport.call('POST', `/v3/beneficiary/${encodeURIComponent(id)}/unarchive`, { body, keyed: true, options })
  }

  /**
   * Show what banks ask to correct at a beneficiary.
   *
   * `GET /v3/beneficiary/{id}/notice`
   */
  notice(id: string, options: Options = {}): Call<BeneficiaryNotices> {
    return this.transport.call('GET', `/v3/beneficiary/${encodeURIComponent(id)}/notice`, { options })
  }

  /**
   * Take over the value that a bank corrects at a beneficiary.
   *
   * `POST /v3/beneficiary/{id}/accept_notice`
   */
  acceptNotice(id: string, body: AcceptNotice, options: OptionsWithKey = {}): Call<Beneficiary> {
    return this.transport.call('POST', `/v3/beneficiary/${encodeURIComponent(id)}/accept_notice`, { body, keyed: true, options })
  }

  /**
   * Show the approvals that a beneficiary needs before it is paid, and who has approved it.
   *
   * `GET /v3/beneficiary/{id}/approval`
   */
  approval(id: string, options: Options = {}): Call<BeneficiaryApproval> {
    return this.transport.call('GET', `/v3/beneficiary/${encodeURIComponent(id)}/approval`, { options })
  }

  /**
   * Approve a beneficiary as it was shown to you.
   *
   * `POST /v3/beneficiary/{id}/approve`
   */
  approve(id: string, body: ApproveRequest, options: OptionsWithKey = {}): Call<Beneficiary> {
    return this.transport.call('POST', `/v3/beneficiary/${encodeURIComponent(id)}/approve`, { body, keyed: true, options })
  }

  /**
   * Reject a beneficiary.
   *
   * `POST /v3/beneficiary/{id}/reject`
   */
  reject(id: string, body: RejectRequest, options: OptionsWithKey = {}): Call<Beneficiary> {
    return this.transport.call('POST', `/v3/beneficiary/${encodeURIComponent(id)}/reject`, { body, keyed: true, options })
  }
}

export interface EventsListQuery extends ListQuery {
  /** Exactly this type of event. Several may be sent. */
  type?: string | readonly string[]
  /** The object that the events are about. Several may be sent. */
  object_id?: string | readonly string[]
}

export class EventsResource<M extends Minor = number> extends Resource {
  /**
   * List events, newest first.
   *
   * `GET /v3/event`
   */
  list(query: EventsListQuery = {}, options: Options = {}): Listing<AccountEvent<M>> {
    return this.transport.list<AccountEvent<M>>('/v3/event', 'id', { query, options })
  }

  /**
   * Fetch an event.
   *
   * `GET /v3/event/{id}`
   */
  retrieve(id: string, options: Options = {}): Call<AccountEvent<M>> {
    return this.transport.call('GET', `/v3/event/${encodeURIComponent(id)}`, { options })
  }
}

export interface WebhookEndpointsDeliveriesListQuery extends ListQuery {
  /** Several may be sent. */
  status?: 'pending' | 'succeeded' | 'dead' | 'cancelled' | readonly ('pending' | 'succeeded' | 'dead' | 'cancelled')[]
}

export class WebhookEndpointsDeliveriesResource extends Resource {
  /**
   * List the deliveries of a webhook endpoint, newest first.
   *
   * `GET /v3/webhook_endpoint/{id}/delivery`
   */
  list(id: string, query: WebhookEndpointsDeliveriesListQuery = {}, options: Options = {}): Listing<WebhookDelivery> {
    return this.transport.list<WebhookDelivery>(`/v3/webhook_endpoint/${encodeURIComponent(id)}/delivery`, 'id', { query, options })
  }

  /**
   * Fetch a delivery with its attempts.
   *
   * `GET /v3/webhook_endpoint/{id}/delivery/{delivery_id}`
   */
  retrieve(id: string, delivery_id: string, options: Options = {}): Call<WebhookDeliveryDetails> {
    return this.transport.call('GET', `/v3/webhook_endpoint/${encodeURIComponent(id)}/delivery/${encodeURIComponent(delivery_id)}`, { options })
  }
}

export interface WebhookEndpointsListQuery extends ListQuery {
  /** Several may be sent. */
  status?: 'enabled' | 'disabled' | readonly ('enabled' | 'disabled')[]
}

export class WebhookEndpointsResource extends Resource {
  readonly deliveries: WebhookEndpointsDeliveriesResource

  constructor(transport: Transport) {
    super(transport)
    this.deliveries = new WebhookEndpointsDeliveriesResource(transport)
  }

  /**
   * Create a webhook endpoint: an address that events are sent to.
   *
   * `POST /v3/webhook_endpoint`
   */
  create(body: WebhookEndpointRequest, options: OptionsWithKey = {}): Call<WebhookEndpointWithSecret> {
    return this.transport.call('POST', '/v3/webhook_endpoint', { body, keyed: true, options })
  }

  /**
   * List webhook endpoints, newest first.
   *
   * `GET /v3/webhook_endpoint`
   */
  list(query: WebhookEndpointsListQuery = {}, options: Options = {}): Listing<WebhookEndpoint> {
    return this.transport.list<WebhookEndpoint>('/v3/webhook_endpoint', 'id', { query, options })
  }

  /**
   * Fetch a webhook endpoint.
   *
   * `GET /v3/webhook_endpoint/{id}`
   */
  retrieve(id: string, options: Options = {}): Call<WebhookEndpoint> {
    return this.transport.call('GET', `/v3/webhook_endpoint/${encodeURIComponent(id)}`, { options })
  }

  /**
   * Change, disable or enable a webhook endpoint.
   *
   * `PUT /v3/webhook_endpoint/{id}`
   */
  update(id: string, body: WebhookEndpointUpdate = {}, options: Options = {}): Call<WebhookEndpoint> {
    return this.transport.call('PUT', `/v3/webhook_endpoint/${encodeURIComponent(id)}`, { body, options })
  }

  /**
   * Delete a webhook endpoint.
   *
   * `DELETE /v3/webhook_endpoint/{id}`
   */
  delete(id: string, options: Options = {}): Call<WebhookEndpointDeleted> {
    return this.transport.call('DELETE', `/v3/webhook_endpoint/${encodeURIComponent(id)}`, { options })
  }

  /**
   * Give a webhook endpoint a new secret.
   *
   * `POST /v3/webhook_endpoint/{id}/rotate_secret`
   */
  rotateSecret(id: string, body: SecretRotationRequest = {}, options: OptionsWithKey = {}): Call<WebhookEndpointWithSecret> {
    return this.transport.call('POST', `/v3/webhook_endpoint/${encodeURIComponent(id)}/rotate_secret`, { body, keyed: true, options })
  }

  /**
   * Send a test event to a webhook endpoint.
   *
   * `POST /v3/webhook_endpoint/{id}/test`
   */
  test(id: string, body: WebhookTestRequest = {}, options: OptionsWithKey = {}): Call<WebhookEndpointEvent> {
    return this.transport.call('POST', `/v3/webhook_endpoint/${encodeURIComponent(id)}/test`, { body, keyed: true, options })
  }

  /**
   * Send events again.
   *
   * `POST /v3/webhook_endpoint/{id}/replay`
   */
  replay(id: string, body: WebhookReplayRequest, options: OptionsWithKey = {}): Call<WebhookReplay> {
    return this.transport.call('POST', `/v3/webhook_endpoint/${encodeURIComponent(id)}/replay`, { body, keyed: true, options })
  }
}

export class SandboxClockResource extends Resource {
  /**
   * Move the clock of a sandbox account forward.
   *
   * `POST /v3/sandbox/clock/advance`
   */
  advance(body: ClockRequest, options: OptionsWithKey = {}): Call<SandboxClock> {
    return this.transport.call('POST', '/v3/sandbox/clock/advance', { body, keyed: true, options })
  }
}

export class SandboxPayoutsResource<M extends Minor = number> extends Resource {
  /**
   * Set the status of a payout of a sandbox account.
   *
   * `POST /v3/sandbox/payout/{id}/transition`
   */
  transition(id: string, body: TransitionRequest, options: OptionsWithKey = {}): Call<Payout<M>> {
    return this.transport.call('POST', `/v3/sandbox/payout/${encodeURIComponent(id)}/transition`, { body, keyed: true, options })
  }
}

export class SandboxEntitiesResource extends Resource {
  /**
   * Approve an entity of a sandbox account, reject it, or ask for more.
   *
   * `POST /v3/sandbox/entity/{id}/review`
   */
  review(id: string, body: SandboxReview, options: OptionsWithKey = {}): Call<Entity> {
    return this.transport.call('POST', `/v3/sandbox/entity/${encodeURIComponent(id)}/review`, { body, keyed: true, options })
  }
}

export class SandboxResource<M extends Minor = number> extends Resource {
  readonly clock: SandboxClockResource
  readonly payouts: SandboxPayoutsResource<M>
  readonly entities: SandboxEntitiesResource

  constructor(transport: Transport) {
    super(transport)
    this.clock = new SandboxClockResource(transport)
    this.payouts = new SandboxPayoutsResource(transport)
    this.entities = new SandboxEntitiesResource(transport)
  }

  /**
   * Credit a balance of a sandbox account.
   *
   * `POST /v3/sandbox/fund`
   */
  fund(body: Funding<Minor>, options: OptionsWithKey = {}): Call<BalanceTransactionAlone<M>> {
    return this.transport.call('POST', '/v3/sandbox/fund', { body, keyed: true, options })
  }
}

export interface RequestLogsListQuery extends ListQuery {
  /** The `X-Request-Id` of an answer. */
  request_id?: string
  /** Only requests with this outcome. */
  outcome?: 'succeeded' | 'refused' | 'failed' | 'abandoned'
  /** Only requests of this method. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Only requests that were refused for this reason. */
  reason?: string
}

export class RequestLogsResource extends Resource {
  /**
   * List the last requests of a sandbox account, newest first.
   *
   * `GET /v3/request_log`
   */
  list(query: RequestLogsListQuery = {}, options: Options = {}): Listing<LoggedRequest> {
    return this.transport.list<LoggedRequest>('/v3/request_log', 'id', { query, options })
  }
}

export type PayoutImportsPayoutsListQuery = ListQuery

export class PayoutImportsPayoutsResource<M extends Minor = number> extends Resource {
  /**
   * List the payouts that an import has made, newest first.
   *
   * `GET /v3/payout_import/{id}/payout`
   */
  list(id: string, query: PayoutImportsPayoutsListQuery = {}, options: Options = {}): Listing<Payout<M>> {
    return this.transport.list<Payout<M>>(`/v3/payout_import/${encodeURIComponent(id)}/payout`, 'id', { query, options })
  }
}

export class PayoutImportsResource<M extends Minor = number> extends Resource {
  readonly payouts: PayoutImportsPayoutsResource<M>

  constructor(transport: Transport) {
    super(transport)
    this.payouts = new PayoutImportsPayoutsResource(transport)
  }

  /**
   * Show the payouts of an import that wait for approval, with one digest of all of them.
   *
   * `GET /v3/payout_import/{id}/approval`
   */
  approval(id: string, options: Options = {}): Call<PayoutImportApproval> {
    return this.transport.call('GET', `/v3/payout_import/${encodeURIComponent(id)}/approval`, { options })
  }

  /**
   * Approve all payouts of an import that wait, as they were shown to you.
   *
   * `POST /v3/payout_import/{id}/approve`
   */
  approve(id: string, body: ApproveRequest, options: OptionsWithKey = {}): Call<PayoutImportDecision> {
    return this.transport.call('POST', `/v3/payout_import/${encodeURIComponent(id)}/approve`, { body, keyed: true, options })
  }

  /**
   * Reject all payouts of an import that wait.
   *
   * `POST /v3/payout_import/{id}/reject`
   */
  reject(id: string, body: RejectRequest, options: OptionsWithKey = {}): Call<PayoutImportDecision> {
    return this.transport.call('POST', `/v3/payout_import/${encodeURIComponent(id)}/reject`, { body, keyed: true, options })
  }
}

export class PayoutGroupResource extends Resource {
  /**
   * Show the batches and imports with payouts that wait for approval.
   *
   * `GET /v3/payout_group`
   */
  retrieve(options: Options = {}): Call<PayoutGroups> {
    return this.transport.call('GET', '/v3/payout_group', { options })
  }
}

/** Every resource of the service. */
export class Resources<M extends Minor = number> {
  readonly operations: OperationsResource
  readonly account: AccountResource
  readonly fundingInstructions: FundingInstructionsResource
  readonly makers: MakersResource
  readonly search: SearchResource<M>
  readonly payouts: PayoutsResource<M>
  readonly conversions: ConversionsResource<M>
  readonly currencies: CurrenciesResource
  readonly networks: NetworksResource<M>
  readonly rate: RateResource
  readonly payoutBatches: PayoutBatchesResource
  readonly balanceTransactions: BalanceTransactionsResource<M>
  readonly balance: BalanceResource
  readonly statement: StatementResource
  readonly entities: EntitiesResource
  readonly beneficiaries: BeneficiariesResource
  readonly events: EventsResource<M>
  readonly webhookEndpoints: WebhookEndpointsResource
  readonly sandbox: SandboxResource<M>
  readonly requestLogs: RequestLogsResource
  readonly payoutImports: PayoutImportsResource<M>
  readonly payoutGroup: PayoutGroupResource

  constructor(transport: Transport) {
    this.operations = new OperationsResource(transport)
    this.account = new AccountResource(transport)
    this.fundingInstructions = new FundingInstructionsResource(transport)
    this.makers = new MakersResource(transport)
    this.search = new SearchResource(transport)
    this.payouts = new PayoutsResource(transport)
    this.conversions = new ConversionsResource(transport)
    this.currencies = new CurrenciesResource(transport)
    this.networks = new NetworksResource(transport)
    this.rate = new RateResource(transport)
    this.payoutBatches = new PayoutBatchesResource(transport)
    this.balanceTransactions = new BalanceTransactionsResource(transport)
    this.balance = new BalanceResource(transport)
    this.statement = new StatementResource(transport)
    this.entities = new EntitiesResource(transport)
    this.beneficiaries = new BeneficiariesResource(transport)
    this.events = new EventsResource(transport)
    this.webhookEndpoints = new WebhookEndpointsResource(transport)
    this.sandbox = new SandboxResource(transport)
    this.requestLogs = new RequestLogsResource(transport)
    this.payoutImports = new PayoutImportsResource(transport)
    this.payoutGroup = new PayoutGroupResource(transport)
  }
}
