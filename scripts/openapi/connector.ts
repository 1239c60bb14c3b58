// docs/connector.openapi.json: the protocol between Corridor and a connector, made from the schemas
// by which Corridor reads answers and writes orders.
import manifest from '../../package.json' with { type: 'json' }
import {
  ANSWER_WITHIN_MS,
  AnswersBody,
  Capabilities,
  ErrorBody,
  MAX_BODY_BYTES,
  Order,
  Payment,
  PaymentId,
  PROTOCOL,
  TOLERANCE_S,
  WakeBody,
} from '../../src/adapters/connector/protocol.ts'
import { forReaders, headerParameters, hoistSchemas, type Json } from './components.ts'
import { DENSE, layOut } from './layout.ts'

const HEADERS: Readonly<Record<string, string>> = {
  'webhook-id':
    'In a request: an id that Corridor chooses, a new one for each request. In an answer: ' +
    'the id of its request.',
  'webhook-timestamp': `Unix time in seconds, at most ${TOLERANCE_S} away from the receiver.`,
  'webhook-signature': '`v1,` and the base64 of the HMAC; several, separated by spaces.',
}
const SIGNED = Object.keys(HEADERS).map(name => ({ $ref: `#/components/parameters/${name}` }))
const SIGNED_HEADERS = Object.fromEntries(
  Object.keys(HEADERS).map(name => [name, { $ref: `#/components/headers/${name}` }]),
)

const ID = { name: 'id', in: 'path', required: true, schema: PaymentId }

const content = (schema: object) => ({ 'application/json': { schema } })

function answer(description: string, schema: object): Json {
  return { description, headers: SIGNED_HEADERS, content: content(schema) }
}

const PAYMENT = answer('The payment, with all that has happened to it.', Payment)
const REFUSALS: Json = {
  401: answer('The signature is missing, wrong or old. Nothing was done.', ErrorBody),
  503: answer('Not now. Nothing follows from it; Corridor asks again.', ErrorBody),
}
const UNKNOWN = answer(
  'Proof: this payment was never taken. Its code is `unknown_payment`, and its id that of the ' +
    'path. A connector that is not sure answers 503.',
  ErrorBody,
)

function operation(
  operationId: string,
  summary: string,
  description: string,
  responses: Json,
  more: { readonly body?: object; readonly of_payment?: boolean } = {},
): Json {
  const isOfPayment = more.of_payment !== false
  return {
    operationId,
    summary,
    description,
    tags: [isOfPayment ? 'Payments' : 'Capabilities'],
    parameters: isOfPayment ? [ID, ...SIGNED] : SIGNED,
    ...(more.body && { requestBody: { required: true, content: content(more.body) } }),
    responses: { ...responses, ...REFUSALS },
  }
}

const PATHS: Json = {
  '/capabilities': {
    get: operation(
      'getCapabilities',
      'What can this connector do?',
      'Corridor asks before it hands payments over, and again after a while.',
      { 200: answer('Its capabilities.', Capabilities) },
      { of_payment: false },
    ),
  },
  '/payments/{id}': {
    put: operation(
      'putPayment',
      'Take a payment.',
      'Once for an id, however often it is sent. Corridor repeats it until there is an answer.',
      {
        200: PAYMENT,
        400: answer('The order cannot be read. Nothing was taken.', ErrorBody),
        409: answer('Another order has this id. Nothing was changed.', ErrorBody),
      },
      { body: Order },
    ),
    get: operation(
      'getPayment',
      'What has happened to a payment?',
      'Corridor asks until a last step is there.',
      { 200: PAYMENT, 404: UNKNOWN },
    ),
  },
  '/payments/{id}/cancel': {
    post: operation(
      'cancelPayment',
      'Cancel a payment if that is still possible.',
      'The steps say whether it was.',
      { 200: PAYMENT, 404: UNKNOWN },
    ),
  },
  '/payments/{id}/answers': {
    post: operation(
      'answerPayment',
      'Take what the account answered to `requires_action`.',
      'The same number is the same answer.',
      { 200: PAYMENT, 404: UNKNOWN },
      { body: AnswersBody },
    ),
  },
}

const WEBHOOK: Json = {
  wake: {
    post: {
      operationId: 'wake',
      summary: 'Tell Corridor to ask about a payment now.',
      description:
        'POST to /connector/{rail}/webhook of Corridor. It says nothing of the payment, so one ' +
        'that is late, repeated or forged does no harm. Corridor asks without it, too.',
      tags: ['Payments'],
      parameters: SIGNED,
      requestBody: { required: true, content: content(WakeBody) },
      responses: {
        200: { description: 'Corridor asks soon.' },
        401: { description: 'The signature is missing, wrong or old.' },
      },
    },
  },
}

/** The text of docs/connector.openapi.json. */
export function makeConnectorDocument(): string {
  const headers = Object.entries(HEADERS).map(([name, description]) => {
    return [name, { required: true, description, schema: { type: 'string' } }]
  })
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Corridor connector',
      version: PROTOCOL,
      description: introduction(),
      contact: { name: 'Whoever runs the installation of Corridor' },
      license: { name: manifest.license, identifier: manifest.license },
    },
    servers: [{ url: 'https://connector.example', description: 'Wherever the partner runs it.' }],
    security: [{ signature: [] }],
    tags: [
      { name: 'Capabilities', description: 'What the connector takes.' },
      { name: 'Payments', description: 'What is paid, and what became of it.' },
    ],
    paths: PATHS,
    webhooks: WEBHOOK,
    components: {
      securitySchemes: {
        signature: {
          type: 'apiKey',
          in: 'header',
          name: 'webhook-signature',
          description:
            'By the secret that both sides share; see `webhook-id` and the introduction.',
        },
      },
      parameters: headerParameters(HEADERS),
      headers: Object.fromEntries(headers),
    },
  }
  return `${layOut(hoistSchemas(forReaders(document)), DENSE)}\n`
}

function introduction(): string {
  return `What a payment provider answers, so that Corridor can pay through it.
docs/connect-a-provider.md is the guide; \`corridor rail check\` tests a connector.

**An id is one payment, for ever.** The same id and body get the same answer; another body is 409.

**Signatures** are those of Standard Webhooks: HMAC-SHA256 over id, time and message, joined by
points. The message of a request is its method, a space, the path after the address of the
connector, a line break and the body; that of an answer its status, a line break and the body; that
of a webhook its body.

**Amounts** are texts of whole minor units. **Unknown members** are passed over by both sides.

**Bounds:** an answer comes within ${ANSWER_WITHIN_MS / 1000} seconds, has at most \
${MAX_BODY_BYTES / 1024} KiB, and is no redirect.
`
}
