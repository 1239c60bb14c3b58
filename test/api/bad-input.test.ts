// Values, amounts judged on their text (§money.amount) and addresses that must not be understood:
// each has its status, reason and place, and none changes a row of any table. Unknown fields,
// bodies that are no JSON and limits are seen on every route in test/input.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertErrorEnvelope } from '../support/assert/check.ts'
import { makeRefuser, type BadRequest as Row } from '../support/assert/refuses.ts'
import { localPayout } from '../support/given/bodies.ts'

const QUOTE = '/v3/payout/quote'
const PAYOUT = '/v3/payout'

const { account, refuses, assertUntouched } = makeRefuser()

const quote = { payout_info: { currency: 'USD', amount: 100 } }
const details = localPayout.beneficiary_details
const { destination_details: destination } = details
const bank = destination.bank

const wallet = { type: 'wallet', wallet: { deposit_address: 'x' } }
const inDestination = (member: object) => ({
  ...localPayout,
  beneficiary_details: { ...details, destination_details: { ...destination, ...member } },
})
const inDetails = (member: object) => ({
  ...localPayout,
  beneficiary_details: { ...details, ...member },
})
const PATH = 'beneficiary_details.destination_details'

const field = (name: string, value: unknown, reason = 'invalid_field'): Row => [
  `${name} ${JSON.stringify(value)?.slice(0, 30)}`,
  PAYOUT,
  { ...localPayout, [name]: value },
  reason,
  name,
]
const { beneficiary_details: _, ...bare } = localPayout

const WRONG_VALUES: readonly Row[] = [
  ...[840, null, ['USD'], {}].map(value => field('currency', value)),
  ...['usd', 'US', ' USD', 'USD ', '', 'USDX', 'XAU', 'XXX', 'ＵＳＤ'].map(value =>
    field('currency', value, 'currency'),
  ),
  ...['sepa', 'LOCAL', '', null, 1].map(value => field('type', value)),
  ...['', null, 5, 'x'.repeat(65)].map(value => field('purpose', value)),
  ...['', false, 'x'.repeat(501)].map(value => field('transaction_description', value)),
  ...['theirs', '', null].map(value => field('charge_type', value)),
  ...[null, 1, 'USD '].map((value): Row => {
    const reason = typeof value === 'string' ? 'currency' : 'invalid_field'
    return field('holding_currency', value, reason)
  }),
  ...[
    'poq_',
    'poq_0000000000000000000',
    'poq_000000000000000000000',
    'poq_0000000000000000000U',
    'pot_00000000000000000000',
    '00000000000000000000poq_',
    'poq_00000000000000000000\n',
    " poq_0000000000000000000'",
    7,
    null,
  ].map(value => field('quote', value)),
  ...['ent_1', null].map(value => field('on_behalf_of', value)),
  ...['acc_00000000000000000000', {}, null].map((value): Row => {
    const body = { ...bare, beneficiary: value }
    return [`beneficiary ${JSON.stringify(value)}`, PAYOUT, body, 'invalid_field', 'beneficiary']
  }),
  ...[null, 'x', [], 1].map(value => field('beneficiary_details', value)),
  ...[{}, 'x', null, new Array(21).fill({})].map(value => field('documents', value)),
  field('metadata', []),
  field('metadata', 'x'),
  field('metadata', Object.fromEntries(Array.from({ length: 51 }, (_v, i) => [`k${i}`, 'v']))),
  [
    'metadata number',
    PAYOUT,
    { ...localPayout, metadata: { a: 1 } },
    'invalid_field',
    'metadata.a',
  ],
  ['metadata null', PAYOUT, { ...localPayout, metadata: { a: null } }, 'invalid_field'],
  ['metadata nested', PAYOUT, { ...localPayout, metadata: { a: {} } }, 'invalid_field'],
  [
    'metadata name of 41',
    PAYOUT,
    { ...localPayout, metadata: { [`${'k'.repeat(41)}`]: '' } },
    'invalid_field',
  ],
  [
    'metadata text of 501',
    PAYOUT,
    { ...localPayout, metadata: { a: 'v'.repeat(501) } },
    'invalid_field',
  ],
  [
    'beneficiary without a name',
    PAYOUT,
    inDetails({ name: undefined }),
    'invalid_field',
    'beneficiary_details.name',
  ],
  [
    'beneficiary of no known type',
    PAYOUT,
    inDetails({ type: 'robot' }),
    'invalid_field',
    'beneficiary_details.type',
  ],
  [
    'date of birth that never was',
    PAYOUT,
    inDetails({ date_of_birth: '2001-02-29' }),
    'invalid_field',
    'beneficiary_details.date_of_birth',
  ],
  [
    'e-mail without @',
    PAYOUT,
    inDetails({ email: 'nobody' }),
    'invalid_field',
    'beneficiary_details.email',
  ],
  [
    'address country of no country',
    PAYOUT,
    inDetails({ address: { country: 'ZZ' } }),
    'invalid_field',
    'beneficiary_details.address.country',
  ],
  [
    'no destination',
    PAYOUT,
    inDetails({ destination_details: undefined }),
    'invalid_field',
    'beneficiary_details.destination_details',
  ],
  [
    'destination of no known type',
    PAYOUT,
    inDestination({ type: 'cash' }),
    'invalid_field',
    `${PATH}.type`,
  ],
  [
    'destination without its member',
    PAYOUT,
    inDestination({ bank: undefined }),
    'invalid_field',
    `${PATH}.bank`,
  ],
  [
    'second destination',
    PAYOUT,
    inDestination({ wallet: wallet.wallet }),
    'type_mismatch',
    `${PATH}.wallet`,
  ],
  [
    'bank account in two ways',
    PAYOUT,
    inDestination({ bank: { ...bank, iban: 'DE89370400440532013000' } }),
    'invalid_field',
    `${PATH}.bank`,
  ],
  [
    'bank account in no way',
    PAYOUT,
    inDestination({ bank: { country: 'HK', bank_codes: { bank_code: '004' } } }),
    'invalid_field',
    `${PATH}.bank.account_number`,
  ],
  [
    'bank country of no country',
    PAYOUT,
    inDestination({ bank: { ...bank, country: 'ZZ' } }),
    'invalid_field',
    `${PATH}.bank.country`,
  ],
  [
    'bank currency of no currency',
    PAYOUT,
    inDestination({ bank: { ...bank, currency: 'XQX' } }),
    'currency',
    `${PATH}.bank.currency`,
  ],
  [
    'bank code that is a number',
    PAYOUT,
    inDestination({ bank: { ...bank, bank_codes: { ...bank.bank_codes, a: 1 } } }),
    'invalid_field',
    `${PATH}.bank.bank_codes.a`,
  ],
  [
    'charge_type for a local payout',
    PAYOUT,
    { ...localPayout, charge_type: 'ours' },
    'type_mismatch',
    'charge_type',
  ],
  [
    'local for a swift payout',
    PAYOUT,
    { ...localPayout, type: 'swift', local: {} },
    'type_mismatch',
    'local',
  ],
  [
    'payout_type of no known kind',
    QUOTE,
    { ...quote, payout_type: 'cash' },
    'invalid_field',
    'payout_type',
  ],
  ['payout_type null', QUOTE, { ...quote, payout_type: null }, 'invalid_field', 'payout_type'],
  ['payout_info null', QUOTE, { payout_info: null }, 'invalid_field', 'payout_info'],
  ['payout_info a list', QUOTE, { payout_info: [] }, 'invalid_field', 'payout_info'],
  ['holding_info null', QUOTE, { ...quote, holding_info: null }, 'invalid_field', 'holding_info'],
  ['swift null', QUOTE, { ...quote, payout_type: 'swift', swift: null }, 'invalid_field', 'swift'],
  [
    'local of another type',
    QUOTE,
    { ...quote, payout_type: 'swift', local: {} },
    'type_mismatch',
    'local',
  ],
  [
    'country in small letters',
    QUOTE,
    { ...quote, destination_info: { currency: 'USD', country: 'us' } },
    'invalid_field',
    'destination_info.country',
  ],
  ['entity_id a number', QUOTE, { ...quote, entity_id: 1 }, 'invalid_field', 'entity_id'],
]
for (const row of WRONG_VALUES) refuses(row)

refuses([
  'local network of another currency',
  PAYOUT,
  { ...localPayout, local: { fund_transfer_network: 'chats' } },
  'invalid_field',
  'local.fund_transfer_network',
])

/** A body whose value at `"@"` is this text, which JSON.stringify would not write. */
function withText(body: object, text: string): string {
  return JSON.stringify(body).replace('"@"', text)
}

const AMOUNT_PLACES: readonly (readonly [path: string, remarks: string, body: object])[] = [
  [QUOTE, 'payout_info.amount', { payout_info: { currency: 'USD', amount: '@' } }],
  [QUOTE, 'holding_info.amount', { ...quote, holding_info: { currency: 'USD', amount: '@' } }],
  [
    QUOTE,
    'destination_info.amount',
    { ...quote, destination_info: { currency: 'USD', country: 'US', amount: '@' } },
  ],
  [PAYOUT, 'amount', { ...localPayout, amount: '@' }],
]
const NOT_AMOUNTS: readonly [text: string, reason?: string][] = [
  ['0', 'amount_out_of_range'],
  ['-1', 'amount_out_of_range'],
  ['-9007199254740991', 'amount_out_of_range'],
  ['-0'],
  ['1.5'],
  ['100.0'],
  ['1e2'],
  ['1E+2'],
  ['1e400'],
  ['1e-400'],
  ['9007199254740992'],
  ['9007199254740993'],
  ['18446744073709551617'],
  [`1${'0'.repeat(400)}`],
  ['"100"', 'invalid_field'],
  ['true', 'invalid_field'],
  ['null', 'invalid_field'],
  ['[100]', 'invalid_field'],
  ['{"amount":100}', 'invalid_field'],
]
for (const [path, remarks, body] of AMOUNT_PLACES) {
  for (const [text, reason] of NOT_AMOUNTS) {
    const name = text.length > 30 ? `${text.slice(0, 5)}… (${text.length} digits)` : text
    refuses([`amount ${name}`, path, withText(body, text), reason, remarks])
  }
}

/** Nesting at the limit is read, and then refused as the field it is. */
const deep = `${'['.repeat(31)}${']'.repeat(31)}`
refuses([
  'nesting of 32 levels',
  PAYOUT,
  JSON.stringify(localPayout).replace('{', `{"metadata":${deep},`),
  'invalid_field',
  'metadata',
])

for (const path of [QUOTE, PAYOUT]) {
  for (const body of ['null', '[]', '"text"', '1', 'true', '1.5']) {
    refuses([`${body} for a body`, path, body, 'invalid_field', ''])
  }
}

const URLS: readonly [url: string, status: number, reason: string][] = [
  ['/v3/payout/pot_1', 400, 'invalid_path_parameter'],
  ['/v3/payout/pot_0000000000000000000O', 400, 'invalid_path_parameter'],
  ['/v3/payout/POT_00000000000000000000', 400, 'invalid_path_parameter'],
  ['/v3/payout/pot_00000000000000000000%00', 400, 'invalid_path_parameter'],
  ['/v3/payout/pot_00000000000000000000%0A', 400, 'invalid_path_parameter'],
  ["/v3/payout/pot_0000000000000000000'", 400, 'invalid_path_parameter'],
  ['/v3/payout/%F0%9F%98%80', 400, 'invalid_path_parameter'],
  ['/v3/payout/quote/..%2F..%2Fbalance', 400, 'invalid_path_parameter'],
  ['/v3/payout/quote/pot_00000000000000000000', 400, 'invalid_path_parameter'],
  ['/v3/balance_transaction/btr_', 400, 'invalid_path_parameter'],
  ['/v3/payout/%zz', 400, 'invalid_request'],
  ['/v3/payout/%ff', 400, 'invalid_request'],
  ['/v3/balance?as_of=now', 400, 'invalid_query_parameter'],
  ['/v3/balance?as_of[]=2026-01-01T00:00:00Z', 400, 'invalid_query_parameter'],
  ['/v3/balance?as_of=%ff', 400, 'invalid_query_parameter'],
  ['/v3/balance?__proto__=1', 400, 'invalid_query_parameter'],
  ['/v3/balances', 404, 'not_found'],
  ['/v3/', 404, 'not_found'],
  ['/v2/balance', 404, 'not_found'],
  ['/V3/balance', 404, 'not_found'],
  ['/v3/payout/quote/poq_00000000000000000000/x', 404, 'not_found'],
]
for (const [url, status, reason] of URLS) {
  test(`GET ${url}, malformed or nowhere: ${status} ${reason}, no row changes`, async () => {
    const answer = await account().get(url)
    assert.equal(answer.status, status, answer.text)
    assertErrorEnvelope(answer)
    assert.equal(answer.json.errors[0].reason, reason)
    await assertUntouched()
  })
}
