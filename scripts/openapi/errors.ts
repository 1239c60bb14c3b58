// Describes errors in openapi.json and docs/errors.md: the refusals of an operation by status, an
// example of each reason, and the catalogue as a table. src/http/errors.ts writes the answers
// themselves.

import { FIXES } from '../../src/docs-site/fixes.ts'
import { MAX_BODY_BYTES } from '../../src/http/json.ts'
import {
  MAX_KEYS,
  MAX_LEVELS,
  MAX_STEP,
  MAX_STEP_VALUES,
  MAX_VALUES,
} from '../../src/http/json-reader.ts'
import {
  HEADERS_TIMEOUT_MS,
  MAX_HEADER_BYTES,
  MAX_HEADERS,
  MAX_URL_LENGTH,
  REQUEST_TIMEOUT_MS,
} from '../../src/http/message.ts'
import { MAX_PROBLEMS } from '../../src/http/problems.ts'
import { ErrorDetail } from '../../src/http/schema.ts'
import { Type } from '../../src/http/type.ts'
import { VERSION_DATES } from '../../src/http/version.ts'
import { CATALOGUE, REASONS, type Reason } from '../../src/values/errors.ts'

/** The traits of an operation that decide which refusals it can give without naming them. */
interface OperationTraits {
  readonly authenticated?: boolean
  readonly hasParams?: boolean
  readonly hasQuery?: boolean
  readonly hasBody?: boolean
  readonly idempotent?: boolean
  readonly writes?: boolean
  readonly versioned?: boolean
}

const ErrorResponse = Type.Object(
  {
    status: Type.Literal('error'),
    message: Type.String(),
    errors: Type.Array(ErrorDetail, { minItems: 1 }),
    data: Type.Null(),
  },
  { title: 'ErrorAnswer', description: 'The first of the errors decides the HTTP status.' },
)

/**
 * Examples of `remarks` and `message` as the service writes them. For other reasons the message is
 * their meaning.
 */
const WRITTEN: Partial<Record<Reason, readonly [remarks: string, message: string]>> = {
  invalid_path_parameter: ['id', 'id must match ^pot_[0-9a-hjkmnp-tv-z]{20}$.'],
  invalid_query_parameter: [
    'as_of',
    'as_of is an ISO 8601 time with an offset, such as 2026-01-31T09:30:00Z.',
  ],
  insufficient_scope: ['', 'This key has scope read; write is needed.'],
  invalid_field: ['entity', 'entity is not a field of this request.'],
  invalid_idempotency_key: [
    'Idempotency-Key',
    'An Idempotency-Key has 1 to 255 visible ASCII characters and is sent once.',
  ],
  idempotency_key_reused: [
    'Idempotency-Key',
    'This Idempotency-Key was used with another body; send a new key for a new request.',
  ],
  unknown_version: ['Corridor-Version', `No such version. There is ${VERSION_DATES.join(', ')}.`],
  currency: ['holding_info.currency', 'holding_info.currency is not a known currency code.'],
  holding_currency_not_found: [
    'holding_info.currency',
    'The account holds no GBP balance; it holds USD, EUR.',
  ],
  type_mismatch: ['swift', 'swift does not belong to a payout of type local.'],
  quote_expired: ['quote', 'The quote was valid until 2026-10-06T14:30:00.000000Z.'],
  quote_used: ['quote', 'The quote was used already.'],
  route_unavailable: [
    'type',
    'No rail takes this payout (type local, network chats, currency HKD, country HK): there is ' +
      'no route for currency HKD.',
  ],
  fee_unavailable: ['', 'No fee is set for a payout by local, payout_currency HKD, network chats.'],
  rate_unavailable: ['', 'No rate joins USD and BTN.'],
  insufficient_balance: [
    'amount',
    'The payout needs 128205 USD minor units including fees (1282.05) and 100000 are available ' +
      '(1000.00).',
  ],
}

export const ProblemDetails = Type.Object(
  {
    type: Type.String({ description: 'A URN ending in the reason of the first error.' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    instance: Type.String({ description: 'A URN ending in the id of the request in the log.' }),
    errors: Type.Array(ErrorDetail, { minItems: 1 }),
  },
  {
    title: 'ProblemDetails',
    description: 'RFC 9457; sent when `Accept` names `application/problem+json`.',
    examples: [problemExample('insufficient_balance')],
  },
)

/** The header of every answer. */
export const REQUEST_ID = {
  'X-Request-Id': {
    type: 'string',
    description:
      'The id of the request in the log: the one that you sent if it is valid, else a new ' +
      'one.',
  },
}
/** The headers of every answer of the API. */
export const ANSWERED = {
  ...REQUEST_ID,
  'Corridor-Version': {
    type: 'string',
    enum: VERSION_DATES,
    description:
      'The version that answered. A version that will end also has `Deprecation` and ' +
      '`Sunset`.',
  },
}
const RETRY_AFTER = {
  'Retry-After': { type: 'string', description: 'Seconds to wait before a retry.' },
}
const HEADERS: Readonly<Record<number, object>> = {
  401: { 'WWW-Authenticate': { type: 'string', description: 'The challenge, HTTP Basic.' } },
  429: RETRY_AFTER,
  503: RETRY_AFTER,
}

/** All reasons of an operation, in the order of the catalogue. */
export function reasonsOf(traits: OperationTraits, own: readonly Reason[] = []): Reason[] {
  const reasons = new Set<Reason>(own)
  const add = (when: boolean | undefined, ...more: readonly Reason[]) => {
    for (const reason of when ? more : []) reasons.add(reason)
  }
  add(traits.authenticated, 'missing_credentials', 'invalid_credentials', 'insufficient_scope')
  add(true, 'rate_limited', 'internal', 'service_unavailable')
  add(true, 'invalid_request', 'headers_too_large', 'uri_too_long')
  add(true, 'request_timeout', 'misdirected_request')
  add(traits.versioned, 'unknown_version')
  add(traits.writes, 'account_frozen', 'account_closed')
  add(traits.hasParams, 'invalid_path_parameter')
  add(traits.hasQuery, 'invalid_query_parameter')
  add(traits.hasBody, 'invalid_json', 'invalid_field')
  add(traits.hasBody, 'payload_too_large', 'unsupported_media_type')
  add(traits.idempotent, 'invalid_idempotency_key', 'idempotency_key_reused')
  return REASONS.filter(reason => reasons.has(reason))
}

/** Refusals of an HTTP message, whatever its route: all of them share one response. */
const OF_MESSAGES: ReadonlySet<Reason> = new Set([
  'request_timeout',
  'uri_too_long',
  'misdirected_request',
  'headers_too_large',
])

/** The responses of these reasons by status, in the form of @fastify/swagger. */
export function errorResponses(
  reasons: readonly Reason[],
  headers: object = ANSWERED,
): Record<string, object> {
  const byStatus = Map.groupBy(reasons, reason =>
    OF_MESSAGES.has(reason) ? 'default' : CATALOGUE[reason].status,
  )
  return Object.fromEntries(
    [...byStatus].map(([status, those]) => [status, errorResponse(status, those, headers)]),
  )
}

function errorResponse(
  status: number | 'default',
  reasons: readonly Reason[],
  headers: object,
): object {
  const lines = reasons.map(reason => {
    const { meaning, status: its } = CATALOGUE[reason]
    return `- \`${reason}\`: ${status === 'default' ? `${its}. ` : ''}${meaning}`
  })
  const examples = reasons.map(reason => [
    reason,
    { $ref: `#/components/examples/Error.${reason}` },
  ])
  return {
    'x-response-description': lines.join('\n'),
    headers: { ...headers, ...(status === 'default' ? {} : HEADERS[status]) },
    content: {
      'application/json': { schema: ErrorResponse, examples: Object.fromEntries(examples) },
      'application/problem+json': { schema: ProblemDetails },
    },
  }
}

/** An example of every reason, by its component's name. */
export function errorExamples(): Record<string, object> {
  const each = REASONS.map(reason => [`Error.${reason}`, { value: errorExample(reason) }])
  return Object.fromEntries(each)
}

function errorExample(reason: Reason): object {
  const errors = [detailExample(reason)]
  return { status: 'error', message: errors[0]?.message, errors, data: null }
}

function problemExample(reason: Reason): object {
  const { status, meaning } = CATALOGUE[reason]
  const errors = [detailExample(reason)]
  const type = `urn:corridor:error:${reason}`
  const instance = 'urn:corridor:request:req-1'
  return { type, title: meaning, status, detail: errors[0]?.message, instance, errors }
}

function detailExample(reason: Reason) {
  const { code, meaning } = CATALOGUE[reason]
  const [remarks, message] = WRITTEN[reason] ?? ['', meaning]
  return { code, reason, message, remarks }
}

/** The catalogue as a Markdown table, by code; with `fixes` it adds the column "what to do". */
export function catalogueTable({ fixes }: { readonly fixes: boolean }): string {
  const row = (...cells: readonly unknown[]) => `| ${cells.join(' | ')} |`
  const rows = REASONS.toSorted((a, b) => CATALOGUE[a].code - CATALOGUE[b].code).map(reason => {
    const { code, status, meaning } = CATALOGUE[reason]
    return row(code, `\`${reason}\``, status, meaning, ...(fixes ? [FIXES[reason]] : []))
  })
  const head = row('code', 'reason', 'status', 'meaning', ...(fixes ? ['what to do'] : []))
  const rule = row('---:', '---', '---:', '---', ...(fixes ? ['---'] : []))
  return [head, rule, ...rows].join('\n')
}

const LIMITS = [
  [
    'body',
    `${MAX_BODY_BYTES / 1024} KiB; of a batch of payouts 16 MiB, of a bank’s statement 4 MiB`,
    'payload_too_large',
  ],
  ['nesting of a body', `${MAX_LEVELS} levels`, 'invalid_json'],
  ['values in a body', written(MAX_STEP_VALUES), 'invalid_json'],
  ['values in a batch of payouts', written(MAX_VALUES), 'invalid_json'],
  ['different keys in a batch of payouts', written(MAX_KEYS), 'invalid_json'],
  ['values in a payout of a batch', written(MAX_STEP_VALUES), 'invalid_json'],
  ['a payout of a batch', `${written(MAX_STEP)} characters`, 'invalid_json'],
  ['problems that are listed', `${MAX_PROBLEMS}`, 'invalid_field'],
  ['an amount', '1 to 9,007,199,254,740,991 minor units', 'amount_out_of_range'],
  ['headers', `${MAX_HEADERS}`, 'headers_too_large'],
  ['request line and headers', `${MAX_HEADER_BYTES / 1024} KiB`, 'headers_too_large'],
  ['path and query', `${written(MAX_URL_LENGTH)} characters`, 'uri_too_long'],
  ['time to send the headers', `${HEADERS_TIMEOUT_MS / 1000} s`, 'request_timeout'],
  ['time to send all of a request', `${REQUEST_TIMEOUT_MS / 1000} s`, 'request_timeout'],
  ['`Idempotency-Key`', '255 characters', 'invalid_idempotency_key'],
] as const satisfies readonly (readonly [string, string, Reason])[]

/** The limits of a request, and the reason that refuses a larger one. */
function limitsTable(): string {
  const rows = LIMITS.map(([what, limit, reason]) => `| ${what} | ${limit} | \`${reason}\` |`)
  return ['| what | limit | beyond it |', '| --- | --- | --- |', ...rows].join('\n')
}

function written(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',')
}

/** The text of docs/errors.md. */
export function errorsPage(): string {
  return `# Errors

<!-- Written by \`npm run openapi\` from src/values/errors.ts; changes here are overwritten. -->

A refused request changes nothing. The answer names every problem at once. The first one decides the
HTTP status:

\`\`\`json
${JSON.stringify(errorExample('insufficient_balance'), null, 2)}
\`\`\`

Decide by \`reason\` (or \`code\`). \`message\` is for people, and its wording may change.
\`remarks\` is the JSON path of the field, and empty for the whole request. A request with
\`Accept: application/problem+json\` gets the same facts as problem details of RFC 9457. Their \`type\`
is \`urn:corridor:error:\` followed by the reason.

A 429 and a 503 carry \`Retry-After\`: repeat a POST with the same \`Idempotency-Key\`. A refusal is
never kept for a key. Correct the request and send it again with the same key.

${catalogueTable({ fixes: true })}

## Limits

${limitsTable()}

openapi.json states the longest text and the most items of each field. What exceeds them is
\`invalid_field\`. When a body has more than ${MAX_PROBLEMS} unknown members, or more items than an
array may have, the answer names only that.

A message that two servers could read as two different requests is \`invalid_request\`: one with two
\`Host\`, \`Authorization\`, \`Content-Type\` or \`Idempotency-Key\` headers, with two lengths of its
body, with a transfer coding other than \`chunked\`, or with a URL whose host is not that of
\`Host\`. After it, and after a message that is too large, the service closes the connection and
ignores whatever followed on it.
`
}
