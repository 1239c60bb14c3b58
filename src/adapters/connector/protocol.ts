// The protocol between Corridor and a connector: schemas of bodies, limits and times.
// docs/connector.openapi.json is generated from it. A receiver ignores unknown members of a body.
import type { Static } from 'typebox'
import { Closed, CurrencyCode, Text } from '../../http/schema.ts'
import { Type } from '../../http/type.ts'
import { BeneficiaryRequest } from '../../parties/beneficiary/request.ts'
import { UltimateDebtor } from '../../payouts/response.ts'

export const PROTOCOL = '1'

/** The most bytes of a body, in both directions. */
export const MAX_BODY_BYTES = 256 * 1024

/** How far a signature's time may be from the receiver's clock. */
export const TOLERANCE_S = 300

/** The shortest time for which a connector must know its payments by their ids. */
export const MIN_KEY_LIFETIME_S = 7 * 86_400

/** The longest time to an answer of a connector. */
export const ANSWER_WITHIN_MS = 7_000

/** A 404 proves that the payment is unknown only with this code in its body. */
export const UNKNOWN_PAYMENT = 'unknown_payment'

/** 64 bits as text, because JSON readers round numbers above 2^53. */
const AmountText = Type.String({
  title: 'AmountText',
  pattern: '^(0|[1-9][0-9]{0,18})$',
  description: 'Whole number of minor units as text: `"1050"` is 10.50 EUR. At most 19 digits.',
  examples: ['1050'],
})

const InstantText = Type.String({
  title: 'Instant',
  maxLength: 40,
  pattern:
    '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$',
  description: 'ISO 8601 with a zone.',
  examples: ['2026-11-23T09:30:00Z'],
})

export const PaymentId = Type.String({
  title: 'PaymentId',
  pattern: '^pot_[0-9a-z]{20}-[1-9][0-9]{0,3}$',
  description:
    'The id of an attempt: the payout and the number of the attempt. It is the key that the ' +
    'payment is known by: the same id is the same payment.',
  examples: ['pot_0a1b2c3d4e5f6g7h8j9k-1'],
})

const CurrencyLimits = Type.Object(
  {
    currency: CurrencyCode,
    min: Type.Optional(AmountText),
    max: Type.Optional(AmountText),
  },
  { title: 'CurrencyLimits', description: 'A currency, and the bounds of one payment in it.' },
)

export const Capabilities = Type.Object(
  {
    protocol: Type.Literal(PROTOCOL),
    name: Type.String({ minLength: 1, maxLength: 64, description: 'Shown to operators.' }),
    currencies: Type.Array(CurrencyLimits, { minItems: 1, maxItems: 300 }),
    key_lifetime_s: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      minimum: MIN_KEY_LIFETIME_S,
      description:
        'How long a payment is known by its id, in seconds from the first PUT; null for ever. ' +
        'Corridor never repeats a PUT after it, whatever a GET says.',
    }),
    cancellation: Type.Boolean({ description: 'Whether POST …/cancel is understood.' }),
    answers: Type.Boolean({ description: 'Whether POST …/answers is understood.' }),
  },
  { title: 'Capabilities' },
)
export type Capabilities = Static<typeof Capabilities>

/** The account's own reference and metadata of the payee are not for providers. */
const { reference_id: _r, metadata: _m, ...ofPayee } = BeneficiaryRequest.properties

export const Order = Type.Object(
  {
    payout: Type.String({ maxLength: 64, description: 'The id of the payout in Corridor.' }),
    account: Type.String({
      maxLength: 64,
      description: 'The account that pays. A webhook sends it back.',
    }),
    attempt: Type.Integer({ minimum: 1, description: 'The number of the attempt, from 1.' }),
    uetr: Type.String({
      pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$',
      description: 'Unique End-to-End Transaction Reference of this attempt.',
    }),
    type: Text(32, { description: 'The type of the payout, such as `local` or `swift`.' }),
    amount: AmountText,
    currency: CurrencyCode,
    network: Text(64, { description: 'The local network, such as `sepa`; empty for any.' }),
    charge_type: Text(16, { description: 'Who bears the charges; empty when not applicable.' }),
    purpose: Text(64, { description: 'What the payment is for, a code or words of the account.' }),
    transaction_description: Text(500, { description: 'For the beneficiary to read.' }),
    reference_id: Text(128, {
      description: "The account's own reference; empty when it gave none. It need not be unique.",
    }),
    creditor_reference: Text(35, {
      description:
        'The reference by which the beneficiary finds the invoice: 27 digits are a QRR, RF… is ' +
        'of ISO 11649, 12 digits are of Belgium. It goes in place of `transaction_description`; ' +
        'empty for none.',
    }),
    ultimate_debtor: UltimateDebtor,
    beneficiary: Type.Object(ofPayee, {
      title: 'Beneficiary',
      description: 'Who is paid, and where.',
    }),
    created_at: InstantText,
  },
  { title: 'Order', description: 'A payment to make: the amount that the beneficiary receives.' },
)

export const STEP_STATUSES = {
  accepted: 'The provider has the payment.',
  processing: 'It is on its way; also after `requires_action` or `on_hold`.',
  requires_action: 'The account must answer something; `message` says what.',
  on_hold: 'The provider examines it.',
  paid: 'The money is with the beneficiary or its bank. Only `returned` may follow.',
  rejected: 'It is refused and never paid. Last step. The account gets its money back.',
  not_taken:
    'The provider has not taken it and never will, for a reason of its own. Last step. Another ' +
    'rail may pay.',
  cancelled: 'It was cancelled and is never paid. Last step.',
  returned: 'It was paid, and the money came back. Last step.',
} as const
export type StepStatus = keyof typeof STEP_STATUSES

export const Step = Type.Object(
  {
    number: Type.Integer({ minimum: 1, maximum: 1000, description: 'From 1, without gaps.' }),
    status: Type.String({
      minLength: 1,
      maxLength: 32,
      'x-extensible-enum': Object.keys(STEP_STATUSES),
      description: Object.entries(STEP_STATUSES)
        .map(([status, meaning]) => `\`${status}\`: ${meaning}`)
        .join('\n'),
    }),
    code: Text(64, {
      description: "The provider's own code, as it is. Required for `rejected` and `not_taken`.",
    }),
    message: Text(500, { description: 'For people. The account may read it.' }),
    at: InstantText,
    category: Type.Optional(
      Text(32, { description: 'The kind of a rejection, such as `account_closed`.' }),
    ),
    amount: Type.Optional(AmountText),
    currency: Type.Optional(CurrencyCode),
  },
  {
    title: 'Step',
    description:
      'One thing that happened. A step that was told once never changes. `returned` has an ' +
      'amount and a currency when less came back than was paid, or another currency.',
  },
)
export type Step = Static<typeof Step>

export const Payment = Type.Object(
  {
    id: PaymentId,
    amount: AmountText,
    currency: CurrencyCode,
    reference: Text(128, { description: "The provider's own reference; empty while it has none." }),
    steps: Type.Array(Step, { minItems: 1, maxItems: 200, description: 'Oldest first.' }),
    answers_seen: Type.Optional(
      Type.Integer({ minimum: 0, description: 'The highest number of the answers taken.' }),
    ),
    expected_at: Type.Optional(InstantText),
  },
  { title: 'Payment', description: 'A payment as the provider has it, with its whole history.' },
)
export type Payment = Static<typeof Payment>

export const AnswersBody = Type.Object(
  {
    answers: Type.Array(
      Type.Object({
        number: Type.Integer({ minimum: 1 }),
        created_at: InstantText,
        purpose: Type.Optional(Text(64)),
        transaction_description: Type.Optional(Text(500)),
        note: Type.Optional(Text(1000)),
        documents: Type.Optional(Type.Array(Type.Object({}), { maxItems: 20 })),
        beneficiary_details: Type.Optional(Type.Object({})),
      }),
      { minItems: 1, maxItems: 100 },
    ),
  },
  {
    title: 'Answers',
    description: 'What the account answered. A number always names the same answer.',
  },
)

export const ErrorBody = Type.Object(
  {
    code: Type.String({ minLength: 1, maxLength: 64 }),
    message: Text(500),
    id: Type.Optional(PaymentId),
  },
  { title: 'ConnectorError' },
)
export type ErrorBody = Static<typeof ErrorBody>

export const WakeBody = Closed(
  {
    account: Type.String({
      pattern: '^[0-9A-Za-z_-]{1,64}$',
      description: 'As the order had it.',
    }),
    id: PaymentId,
  },
  { title: 'Wake', description: 'Which payment Corridor should ask about now.' },
)
export type WakeBody = Static<typeof WakeBody>
