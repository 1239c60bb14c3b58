// The catalogue of all refusals, with codes and HTTP statuses, and the exception that carries them.

interface CatalogueEntry {
  readonly code: number
  readonly status: number
  /** For the documentation: when this happens and what to do. */
  readonly meaning: string
}

/** Codes below 1000 concern any request, codes from 20000 payouts (§error.codes). */
export const CATALOGUE = {
  invalid_json: { code: 100, status: 400, meaning: 'The body is not JSON as this API reads it.' },
  internal: { code: 101, status: 500, meaning: 'A fault of the service; nothing was written.' },
  service_unavailable: {
    code: 102,
    status: 503,
    meaning: 'The database cannot be reached; retry with the same Idempotency-Key.',
  },
  clock_jumped: { code: 133, status: 503, meaning: 'The clock has jumped; retry later.' },
  invalid_path_parameter: { code: 103, status: 400, meaning: 'An id in the path is malformed.' },
  invalid_query_parameter: { code: 104, status: 400, meaning: 'A query parameter is not valid.' },
  not_found: { code: 105, status: 404, meaning: 'No such object in this account.' },
  insufficient_scope: {
    code: 106,
    status: 403,
    meaning: 'The key, or the person, may not do this; the message says what is needed.',
  },
  sandbox_only: { code: 107, status: 403, meaning: 'Only a sandbox account can do this.' },
  invalid_credentials: { code: 108, status: 401, meaning: 'Unknown, wrong or revoked key.' },
  missing_credentials: { code: 109, status: 401, meaning: 'No Authorization header.' },
  rate_limited: {
    code: 110,
    status: 429,
    meaning: 'Too many requests, or too many with wrong credentials; see Retry-After.',
  },
  quota_exceeded: { code: 139, status: 429, meaning: 'The account has written its daily quota.' },
  invalid_request: {
    code: 111,
    status: 400,
    meaning: 'The HTTP message itself is malformed or has two meanings; the connection is closed.',
  },
  request_timeout: { code: 112, status: 408, meaning: 'The request came too slowly.' },
  unsupported_media_type: {
    code: 113,
    status: 415,
    meaning: 'A body must be sent as application/json in UTF-8, without Content-Encoding.',
  },
  payload_too_large: {
    code: 114,
    status: 413,
    meaning: 'The body is over 256 KiB; of a batch of payouts, over 16 MiB.',
  },
  headers_too_large: {
    code: 116,
    status: 431,
    meaning: 'There are over 100 headers, or headers and request line are over 16 KiB together.',
  },
  uri_too_long: { code: 117, status: 414, meaning: 'Path and query are over 4,096 characters.' },
  misdirected_request: {
    code: 118,
    status: 421,
    meaning: 'The header Host names another service; see CORRIDOR_ALLOWED_HOSTS.',
  },
  unknown_version: {
    code: 119,
    status: 400,
    meaning: 'The header Corridor-Version names no version of this installation.',
  },
  method_not_allowed: { code: 115, status: 405, meaning: 'No such method of the path; see Allow.' },
  account_frozen: {
    code: 121,
    status: 403,
    meaning: 'The operator has frozen the account: it can be read and receive money, nothing more.',
  },
  account_closed: {
    code: 122,
    status: 403,
    meaning: 'The operator has closed the account: it can only be read.',
  },
  invalid_field: { code: 120, status: 400, meaning: 'A field is missing, unknown or not valid.' },
  cross_site_request: {
    code: 134,
    status: 403,
    meaning: 'A page of another site made the browser send this with the cookie of a session.',
  },
  insecure_connection: {
    code: 135,
    status: 403,
    meaning: 'People log in over HTTPS, or on the machine itself.',
  },
  password_needed: {
    code: 136,
    status: 403,
    meaning: 'The user has not given the password lately: POST /v3/session/confirm.',
  },
  invalid_login: {
    code: 137,
    status: 401,
    meaning: 'No user has this name and password, or the link is spent or too old.',
  },
  session_over: {
    code: 138,
    status: 401,
    meaning: 'The session is over, or its user is disabled: log in again.',
  },
  code_needed: { code: 140, status: 403, meaning: 'The session lacks the second factor’s code.' },
  enrolment_needed: { code: 141, status: 403, meaning: 'The user must enrol a second factor.' },
  idempotency_key_reused: {
    code: 130,
    status: 422,
    meaning: 'The Idempotency-Key was used with another body within 24 hours.',
  },
  invalid_idempotency_key: {
    code: 132,
    status: 400,
    meaning: 'An Idempotency-Key has 1 to 255 visible ASCII characters.',
  },
  currency: { code: 20061, status: 400, meaning: 'Not a currency code this service knows.' },
  holding_currency_not_found: {
    code: 20067,
    status: 400,
    meaning: 'The account holds no balance in this currency.',
  },
  beneficiary_missing: {
    code: 20165,
    status: 400,
    meaning: 'Exactly one of beneficiary and beneficiary_details must be sent.',
  },
  type_mismatch: {
    code: 20172,
    status: 400,
    meaning: 'A detail object or a beneficiary does not belong to the payout type.',
  },
  beneficiary_not_found: {
    code: 20173,
    status: 404,
    meaning: 'No such beneficiary in this account.',
  },
  entity_not_found: {
    code: 20174,
    status: 404,
    meaning: 'No such entity in this account, or it is rejected.',
  },
  insufficient_balance: {
    code: 20201,
    status: 422,
    meaning: 'The balance does not cover amount and fees.',
  },
  amount_mismatch: {
    code: 20297,
    status: 400,
    meaning: 'An expected amount differs from the computed one, which the message names.',
  },
  amount_out_of_range: {
    code: 20298,
    status: 400,
    meaning: 'An amount is outside 1 to 9007199254740991 minor units, as sent or once converted.',
  },
  quote_expired: {
    code: 20299,
    status: 422,
    meaning: 'valid_until has passed; ask for a new quote.',
  },
  quote_used: { code: 20299, status: 422, meaning: 'The quote has been used already.' },
  quote_mismatch: {
    code: 20299,
    status: 422,
    meaning: 'The payout differs from its quote; the message says in which field.',
  },
  rate_stale: { code: 20300, status: 503, meaning: 'A rate is too old; the message names it.' },
  fee_unavailable: {
    code: 20311,
    status: 422,
    meaning: 'The operator has set no fee for payouts like this one; the message names the terms.',
  },
  rate_unavailable: { code: 20301, status: 422, meaning: 'No rate joins these two currencies.' },
  deposit_address_not_found: {
    code: 20302,
    status: 422,
    meaning: 'No account that this one can pay has this deposit address.',
  },
  deposit_currency_not_accepted: {
    code: 20303,
    status: 422,
    meaning: 'The receiving account holds no balance in the destination currency.',
  },
  invalid_transition: {
    code: 20304,
    status: 409,
    meaning: 'The object cannot go from its present status to this one.',
  },
  entity_duplicate: {
    code: 20306,
    status: 409,
    meaning: 'Another entity, which is not rejected, is the same by a duplicate rule.',
  },
  entity_changed: {
    code: 20307,
    status: 409,
    meaning: 'The entity has changed since it was read.',
  },
  approval_not_allowed: {
    code: 123,
    status: 403,
    meaning: 'The person is no approver of the account, or made the object that needs approval.',
  },
  approval_needed: { code: 124, status: 403, meaning: 'People would have to approve it first.' },
  already_decided: {
    code: 20316,
    status: 409,
    meaning: 'The person has already approved or rejected the object; each person decides once.',
  },
  approval_outdated: {
    code: 20317,
    status: 409,
    meaning: 'The object has changed since the digest was read; read the object again.',
  },
  notice_outdated: { code: 20320, status: 409, meaning: 'The payee has changed since.' },
  notice_without_value: { code: 20321, status: 422, meaning: 'The bank names no new value.' },
  payout_not_cancellable: {
    code: 20308,
    status: 409,
    meaning: 'The rail has the payout, or it is final; the message says which.',
  },
  payout_not_paid: { code: 20322, status: 409, meaning: 'The payout is not paid.' },
  possible_duplicate_payout: {
    code: 20309,
    status: 409,
    meaning:
      'A payout with the same beneficiary, amount, currency and reference_id was just made; the ' +
      'message names it. Send allow_duplicate to make another.',
  },
  max_total_debit_exceeded: {
    code: 20310,
    status: 422,
    meaning: 'Amount and fees come to more than max_total_debit; the message has the figures.',
  },
  balance_limit_exceeded: {
    code: 20313,
    status: 422,
    meaning: 'A balance would exceed 2^62 minor units, the most that it can hold.',
  },
  route_unavailable: {
    code: 20312,
    status: 422,
    meaning: 'No rail takes payouts like this one; the message says what there is no route for.',
  },
  calendar_ended: {
    code: 20314,
    status: 422,
    meaning: 'The payout’s route has a cut-off, and its calendar of business days ends too soon.',
  },
  limit_exceeded: {
    code: 20315,
    status: 422,
    meaning:
      'The payout would exceed a limit that the operator has set; the message says which limit, ' +
      'how much of it is used, and when there is room.',
  },
  beneficiary_not_approved: {
    code: 20318,
    status: 422,
    meaning:
      'People approve beneficiaries of this account before a payout may go to them, and nobody ' +
      'has approved this one yet; the message says what to do.',
  },
  beneficiary_archived: {
    code: 20319,
    status: 422,
    meaning: 'The beneficiary is archived: it can be read, but not paid until it is unarchived.',
  },
  party_erased: {
    code: 20340,
    status: 422,
    meaning: 'This beneficiary or entity is erased: it can be read, but no longer used.',
  },
  erasure_refused: {
    code: 20341,
    status: 409,
    meaning: 'The data must be kept for now; the message says by which rule, and until when.',
  },
  webhook_endpoint_limit: {
    code: 20401,
    status: 422,
    meaning: 'The account has as many webhook endpoints as it can have.',
  },
  webhook_endpoint_disabled: {
    code: 20402,
    status: 409,
    meaning: 'Nothing is sent to a disabled webhook endpoint; enable it first.',
  },
  source_already_used: { code: 20305, status: 409, meaning: 'This source has funded the account.' },
  reference_already_used: {
    code: 20330,
    status: 409,
    meaning: 'The reference of the bank is already used; the message names where.',
  },
  already_reversed: {
    code: 20331,
    status: 409,
    meaning: 'The balance transaction is reversed already; the message names by which.',
  },
  not_reversible: {
    code: 20332,
    status: 422,
    meaning: 'Only a booking of the operator can be reversed: a funding, withdrawal or adjustment.',
  },
  route_conflict: {
    code: 20334,
    status: 409,
    meaning:
      'The route contradicts another route, its own cut-off or the timetable of its rail; the ' +
      'message says how.',
  },
  object_full: {
    code: 20335,
    status: 422,
    meaning: 'The object holds as much as it may; the message names the bound and what to do.',
  },
  likely_mistake: {
    code: 20333,
    status: 422,
    meaning: 'What the operator asks for is likely a mistake; `force` confirms it.',
  },
  event_archived: {
    code: 20350,
    status: 410,
    meaning:
      'The operator has moved the event from the service to an archive; the message names the ' +
      'first event that the service has.',
  },
} as const satisfies Record<string, CatalogueEntry>

export type Reason = keyof typeof CATALOGUE

/** Every reason, in the order of the catalogue. */
export const REASONS = Object.keys(CATALOGUE) as readonly Reason[]

/** One problem of a request. `remarks` is the JSON path of the field, '' for the whole request. */
export interface Problem {
  readonly reason: Reason
  readonly message: string
  readonly remarks: string
}

/**
 * A refused request: nothing was written. It carries every problem found; the first one determines
 * the HTTP status. Any other exception is a fault of the service.
 */
export class Refusal extends Error {
  readonly problems: readonly Problem[]
  /** The number of further problems that are not listed. */
  readonly unlisted: number
  /** Seconds until a retry may succeed; undefined when waiting does not help. */
  readonly retry_after_s: number | undefined

  constructor(problems: readonly Problem[], unlisted = 0, retry_after_s?: number) {
    super(problems.map(problem => problem.message).join('; '))
    this.name = 'Refusal'
    this.problems = problems
    this.unlisted = unlisted
    this.retry_after_s = retry_after_s
  }

  get status(): number {
    const [first] = this.problems
    return first === undefined ? 500 : CATALOGUE[first.reason].status
  }
}

/** A refusal with one problem; `remarks` is the JSON path of its field. */
export function refusal(reason: Reason, message: string, remarks = ''): Refusal {
  return new Refusal([{ reason, message, remarks }])
}

export function invalidField(remarks: string, message: string): Problem {
  return { reason: 'invalid_field', message, remarks }
}

export function invalidParameter(remarks: string, message: string): Problem {
  return { reason: 'invalid_query_parameter', message, remarks }
}

/** A refusal of a caller over its rate limit, with the seconds to wait. */
export function rateLimited(message: string, retry_after_s: number): Refusal {
  return new Refusal([{ reason: 'rate_limited', message, remarks: '' }], 0, retry_after_s)
}

/** Returns the object. Refuses unknown and other accounts' objects with the same not_found. */
export function found<T>(object: T | undefined): T {
  if (object === undefined) throw refusal('not_found', CATALOGUE.not_found.meaning)
  return object
}

/** Throws the problems, if any, as one Refusal. */
export function refuseIfAny(problems: readonly Problem[]): void {
  if (problems.length > 0) throw new Refusal(problems)
}
