// Bodies that are not JSON as this API reads it, and amounts judged on their text (contract 1,
// 28): each is refused with its reason and place, none changes a row of any table.
import { localPayout } from '../support/bodies.ts'
import { makeRefuser } from '../support/refuses.ts'

const QUOTE = '/v3/payout/quote'
const PAYOUT = '/v3/payout'

const { refuses } = makeRefuser()

const quote = { payout_info: { currency: 'USD', amount: 100 } }

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

const text = JSON.stringify(localPayout)
const inside = (json: string) => text.replace('"Invoice 2041"', json)
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

const NOT_JSON: readonly (readonly [what: string, body: string | Buffer])[] = [
  ['empty body', ''],
  ['white space alone', ' \n'],
  ['half a body', text.slice(0, -1)],
  ['one brace too many', `${text}}`],
  ['two values', `${text} ${text}`],
  ['something after the value', `${text}\u0000`],
  ['single quotes', text.replaceAll('"', "'")],
  ['trailing comma', text.replace(/}$/, ',}')],
  ['comment', `/* pay */${text}`],
  ['NaN', inside('NaN')],
  ['Infinity', inside('-Infinity')],
  ['undefined', inside('undefined')],
  ['leading zero', text.replace('10000', '010000')],
  ['plus sign', text.replace('10000', '+10000')],
  ['hexadecimal number', text.replace('10000', '0x2710')],
  ['number that ends in a point', text.replace('10000', '10000.')],
  ['unescaped line break in a string', inside('"a\nb"')],
  ['unknown escape', inside('"\\x41"')],
  ['NUL escaped', inside('"a\\u0000b"')],
  ['NUL itself', inside('"a\u0000b"')],
  ['NUL in a key', text.replace('"purpose"', '"purpose\\u0000"')],
  ['high surrogate alone', inside('"\\ud83d"')],
  ['low surrogate alone', inside('"\\ude00 x"')],
  ['surrogates the wrong way round', inside('"\\ude00\\ud83d"')],
  ['byte order mark', `\ufeff${text}`],
  ['bytes that are not UTF-8', Buffer.from(inside('"caf\u00e9"'), 'latin1')],
  ['surrogate encoded in UTF-8', bytes('"', [0xed, 0xa0, 0x80], '"')],
  ['overlong UTF-8', bytes('"', [0xc0, 0xaf], '"')],
  ['UTF-8 cut short', Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0xe2, 0x82])])],
  ['UTF-16', Buffer.from(text, 'utf16le')],
  ['duplicate key', text.replace('{', '{"amount":1,')],
  ['duplicate key, same value', text.replace('{', '{"amount":10000,')],
  ['duplicate key, one escaped', text.replace('{', '{"am\\u006funt":1,')],
  ['duplicate key, nested', text.replace('"bank":{', '"bank":{"country":"US",')],
  ['duplicate key, in an unknown object', text.replace('{', '{"x":{"a":1,"a":2},')],
  ['__proto__', text.replace('{', '{"__proto__":{"amount":1},')],
  ['__proto__ escaped', text.replace('{', '{"__pr\\u006fto__":{"amount":1},')],
  ['__proto__ nested', text.replace('"bank":{', '"bank":{"__proto__":{},')],
  ['__proto__ in metadata', text.replace('{', '{"metadata":{"__proto__":"x"},')],
  ['nesting of 33 levels', text.replace('{', `{"metadata":${nested(32)},`)],
  ['nesting of 10 000 levels', nested(10_000)],
]
for (const [what, body] of NOT_JSON) refuses([what, PAYOUT, body, 'invalid_json'])

function bytes(head: string, middle: readonly number[], tail: string): Buffer {
  const [start = '', end = ''] = text.split('"Invoice 2041"')
  return Buffer.concat([Buffer.from(start + head), Buffer.from(middle), Buffer.from(tail + end)])
}

/** Nesting at the limit is read, and then refused as the field it is. */
refuses([
  'nesting of 32 levels',
  PAYOUT,
  text.replace('{', `{"metadata":${nested(31)},`),
  'invalid_field',
  'metadata',
])

for (const path of [QUOTE, PAYOUT]) {
  for (const body of ['null', '[]', '"text"', '1', 'true', '1.5']) {
    refuses([`${body} for a body`, path, body, 'invalid_field', ''])
  }
}
