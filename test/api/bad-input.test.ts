// Codes, amounts judged on their text (§money.amount) and addresses that must not be understood: each
// has its status, reason and place, and none changes a row of any table. What the document says of a
// field (its kind, its limits, its members) is seen on every route in test/input.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertErrorEnvelope } from '../support/assert/check.ts'
import { makeRefuser, type BadRequest as Row } from '../support/assert/refuses.ts'
import { localPayout } from '../support/given/bodies.ts'

const QUOTE = '/v3/payout/quote'
const PAYOUT = '/v3/payout'

const { account, refuses, assertUntouched } = makeRefuser()

const field = (name: string, value: unknown, reason = 'invalid_field'): Row => [
  `${name} ${JSON.stringify(value)?.slice(0, 30)}`,
  PAYOUT,
  { ...localPayout, [name]: value },
  reason,
  name,
]

const WRONG_VALUES: readonly Row[] = [
  ...['usd', ' USD', '', 'XAU', 'XXX', 'ＵＳＤ'].map(value => field('currency', value, 'currency')),
  field('currency', 840),
  field('type', 'sepa'),
  field('purpose', null),
  ...['poq_', 'poq_0000000000000000000U', 'pot_00000000000000000000'].map(v => field('quote', v)),
  ...['poq_00000000000000000000\n', ' poq_0000000000000000000'].map(v => field('quote', v)),
  field('beneficiary_details', []),
  field('metadata', []),
  field('charge_type', 'ours', 'type_mismatch'),
]
for (const row of WRONG_VALUES) refuses(row)

/** A body whose value at `"@"` is this text, which JSON.stringify would not write. */
function withText(body: object, text: string): string {
  return JSON.stringify(body).replace('"@"', text)
}

const IN_USD = { currency: 'USD', amount: '@' }
const AMOUNT_PLACES: readonly (readonly [path: string, remarks: string, body: object])[] = [
  [PAYOUT, 'amount', { ...localPayout, amount: '@' }],
  [QUOTE, 'payout_info.amount', { payout_info: IN_USD }],
]
const NOT_AMOUNTS: readonly [text: string, reason?: string][] = [
  ['0', 'amount_out_of_range'],
  ['-1', 'amount_out_of_range'],
  ['-0'],
  ['1.5'],
  ['100.0'],
  ['1e2'],
  ['1e400'],
  ['1e-400'],
  ['9007199254740992'],
  ['18446744073709551617'],
  [`1${'0'.repeat(400)}`],
  ['"100"', 'invalid_field'],
  ['null', 'invalid_field'],
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

for (const body of ['null', '[]', '"text"', '1']) {
  refuses([`${body} for a body`, PAYOUT, body, 'invalid_field', ''])
}

const URLS: readonly [url: string, status: number, reason: string][] = [
  ['/v3/payout/pot_1', 400, 'invalid_path_parameter'],
  ['/v3/payout/POT_00000000000000000000', 400, 'invalid_path_parameter'],
  ['/v3/payout/pot_00000000000000000000%00', 400, 'invalid_path_parameter'],
  ['/v3/payout/quote/..%2F..%2Fbalance', 400, 'invalid_path_parameter'],
  ['/v3/payout/quote/pot_00000000000000000000', 400, 'invalid_path_parameter'],
  ['/v3/payout/%zz', 400, 'invalid_request'],
  ['/v3/payout/%ff', 400, 'invalid_request'],
  ['/v3/balance?as_of=%ff', 400, 'invalid_query_parameter'],
  ['/v3/balance?__proto__=1', 400, 'invalid_query_parameter'],
  ['/v3/balances', 404, 'not_found'],
  ['/v2/balance', 404, 'not_found'],
  ['/V3/balance', 404, 'not_found'],
  ['/v3/payout/quote/poq_00000000000000000000/x', 404, 'not_found'],
]

test('GET of what is malformed or nowhere: its status and reason, no row changes', async () => {
  for (const [url, status, reason] of URLS) {
    const answer = await account().get(url)
    assert.equal(answer.status, status, `${url}: ${answer.text}`)
    assertErrorEnvelope(answer)
    assert.equal(answer.json.errors[0].reason, reason, url)
  }
  await assertUntouched()
})
