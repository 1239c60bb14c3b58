// Proves the reader of request bodies against a table of bodies in the manner of JSONTestSuite,
// against its own refusals, and, by generated bodies, against JSON.parse. It knows nothing of HTTP.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacters } from '../../test/support/given/any-characters.ts'
import { share } from '../../test/support/share.ts'
import { readJson, readJsonInTurns } from './json.ts'
import { JsonError, type JsonErrorReason } from './json-error.ts'

const MAX = 9007199254740991

function read(text: string): unknown {
  return readJson(Buffer.from(text, 'utf8'))
}

function refusalOf(body: Uint8Array): JsonError {
  try {
    readJson(body)
  } catch (error) {
    assert.ok(error instanceof JsonError, `threw ${String(error)}`)
    return error
  }
  return assert.fail('the body was accepted')
}

const accepted: readonly [body: string, value: unknown][] = [
  ['{}', {}],
  ['[]', []],
  ['0', 0],
  ['7', 7],
  ['-7', -7],
  ['9007199254740991', MAX],
  ['-9007199254740991', -MAX],
  ['"x"', 'x'],
  ['""', ''],
  ['true', true],
  ['false', false],
  ['null', null],
  [' \t\r\n[ \t\r\n] \t\r\n', []],
  [' { "a" : 1 , "b" : [ 2 , 3 ] } ', { a: 1, b: [2, 3] }],
  ['{"":0}', { '': 0 }],
  ['{"a":{"a":{"a":null}}}', { a: { a: { a: null } } }],
  ['[{"a":1},{"a":1}]', [{ a: 1 }, { a: 1 }]],
  ['{"a":1,"A":2}', { a: 1, A: 2 }],
  // One letter composed and decomposed: two keys to JSON, which compares code points.
  ['{"\\u00e9":1,"e\\u0301":2}', { '\u00e9': 1, 'e\u0301': 2 }],
  ['{"2":"b","1":"a"}', { 1: 'a', 2: 'b' }],
  ['["\\"\\\\\\/\\b\\f\\n\\r\\t"]', ['"\\/\b\f\n\r\t']],
  ['"\\u0041\\u00e9\\u20AC\\uFFFF"', 'A\u00e9\u20ac\uffff'],
  ['"\\u0001"', '\u0001'],
  ['"\\uD83D\\uDE00"', '😀'],
  ['"\\ud83d\\ude00 and 😀"', '😀 and 😀'],
  ['"😀香港é"', '😀香港é'],
  ['"\\\\u0000"', '\\u0000'],
  ['"\\\\"', '\\'],
  ['"\u007f\u0080\u2028\u2029"', '\u007f\u0080\u2028\u2029'],
  ['"\ufeff"', '\ufeff'],
  ['"\ufffd"', '\ufffd'],
  ['"a\\tb\\tc"', 'a\tb\tc'],
  ['"{[1,2,//]}"', '{[1,2,//]}'],
  ['{"proto":1,"__proto":2,"_proto_":3}', { proto: 1, __proto: 2, _proto_: 3 }],
  ['{"constructor":{"prototype":{"x":1}}}', { constructor: { prototype: { x: 1 } } }],
  ['{"toString":1,"hasOwnProperty":2}', { toString: 1, hasOwnProperty: 2 }],
  ['"__proto__"', '__proto__'],
]

for (const [body, value] of accepted) {
  test(`readJson, ${JSON.stringify(body)}: accepted, same value as JSON.parse`, () => {
    assert.deepStrictEqual(read(body), value)
    assert.deepStrictEqual(read(body), JSON.parse(body))
  })
}

const notPlainIntegers = [
  ...['1.5', '100.0', '1e2', '1E2', '1e+2', '1e-2', '1.5e3', '0.0', '0e0', '-0', '-0.0', '-1.5'],
  ...['9007199254740992', '9007199254740993', '-9007199254740992', '9007199254740991.4', '1e400'],
  ...['10.00000000000000001', '9999999999999999', '100000000000000000000', '-1e-400', '0.1E-007'],
  '1'.repeat(400),
]

for (const body of notPlainIntegers) {
  test(`readJson, number ${body.slice(0, 24)}: valid JSON, but no integer: read as NaN`, () => {
    assert.ok(Number.isNaN(read(body)))
    assert.deepStrictEqual(read(`{"a":[${body},1]}`), { a: [Number.NaN, 1] })
  })
}

/** Bodies between bars. Those with control characters or outer spaces follow. */
const malformed = [
  ...String.raw`{}{} ¦ {} x ¦ [] ] ¦ []] ¦ 1 2 ¦ 1, ¦ , ¦ "a" "b" ¦ [ ¦ [1 ¦ [1, ¦ [1,] ¦ [,1]
    [,] ¦ [1,,2] ¦ [1 2] ¦ [1} ¦ ] ¦ [1;2] ¦ [[1] ¦ (1) ¦ { ¦ {"a" ¦ {"a": ¦ {"a":1 ¦ {"a":1,
    {"a":1,} ¦ {,} ¦ {,"a":1} ¦ {"a":1,,"b":2} ¦ } ¦ {"a" 1} ¦ {"a":} ¦ {"a"::1} ¦ {"a":1 "b":2}
    {"a":1] ¦ {"a":1;"b":2} ¦ {"a","b"} ¦ {a:1} ¦ {'a':1} ¦ {1:1} ¦ {null:1} ¦ {[]:1} ¦ {"a"=1}
    {:1} ¦ {"a":1}} ¦ {"a":1:2} ¦ {"a":01} ¦ True ¦ TRUE ¦ nul ¦ nulll ¦ truefalse ¦ tru
    undefined ¦ None ¦ NaN ¦ -NaN ¦ [NaN] ¦ Infinity ¦ -Infinity ¦ [-Infinity] ¦ inf ¦ abc ¦ @ ¦ &
    \u0031 ¦ <null> ¦ $1 ¦ 01 ¦ -01 ¦ 00 ¦ -00 ¦ 01.5 ¦ +1 ¦ ++1 ¦ - ¦ --1 ¦ - 1 ¦ -+1 ¦ .5 ¦ -.5
    1. ¦ -1. ¦ 1.e2 ¦ 1.2.3 ¦ 1e ¦ 1E+ ¦ 1e- ¦ 1e1.5 ¦ 1e1e1 ¦ 0e ¦ 0x1 ¦ 0X1F ¦ 0b1 ¦ 0o7 ¦ 1_000
    1n ¦ 1a ¦ 0. ¦ 1..2 ¦ 1+1 ¦ １ ¦ [1.] ¦ [-] ¦ 1,000 ¦ " ¦ "a ¦ 'a' ¦ “a” ¦ "\ ¦ "\" ¦ "\a"
    "\x41" ¦ "\0" ¦ "\'" ¦ "\U0041" ¦ "\ " ¦ "\é" ¦ "\n ¦ "\u" ¦ "\u0" ¦ "\u00" ¦ "\u004" ¦ "\u004
    "\u00G0" ¦ "\u 041" ¦ "\u+041" ¦ "\u-041" ¦ "\uD83D\u" ¦ "\uD83D\uDE0" ¦ "\u{41}" ¦ "\u00@1"
    "\u00g1" ¦ 1 // c ¦ /* c */1 ¦ [1/**/] ¦ <!-- -->1`.split(/ ¦ |\n */),
  ...['', ' ', '\n', '{}\0', '\0', '`a`', '"\\u00`1"', '"a\n"', '"a\tb"', '"\r"', '"\u0001"'],
  ...['"\u001f"', '"\\\n"', '"a\\tb\n"', '// c\n1', '# c\n1', '\u00a01', '1\u2028', '\f1', '\v1'],
  ...['[\u20601]', '1\u0085', '[1\u200b]', '1\ufeff'],
]

test('table of malformed bodies: at least 60, all distinct', () => {
  assert.ok(malformed.length >= 60)
  assert.equal(new Set(malformed).size, malformed.length)
})

for (const body of malformed) {
  test(`readJson, ${JSON.stringify(body)}: refused, syntax`, () => {
    assert.throws(() => JSON.parse(body), SyntaxError)
    assert.equal(refusalOf(Buffer.from(body)).reason, 'syntax')
  })
}

const refused: readonly [reason: JsonErrorReason, path: string, body: string][] = [
  ['syntax', '', '{"a":1,}'],
  ['syntax', 'a', '{"a" 1}'],
  ['syntax', 'a.b', '{"z":[1,{"y":2}],"a":{"b":tru}}'],
  ['syntax', 'a', '{"a":[1 2]}'],
  ['syntax', 'a[1]', '{"a":[1,]}'],
  ['syntax', 'a[1].b[0]', '{"a":[0,{"b":[+1]}]}'],
  ['syntax', '[2]', '[0,[5,6,7],"'],
  ['syntax', '["odd key"].x', '{"odd key":{"x":"\n"}}'],
  ['syntax', 'a["b.c"]', '{"a":{"b.c":01}}'],
  ['duplicate_key', 'amount', '{"amount":1,"amount":2}'],
  ['duplicate_key', 'amount', '{"amount":1,"amount":1}'],
  ['duplicate_key', 'a', '{"a":1,"\\u0061":1}'],
  ['duplicate_key', 'a', '{"\\u0061":1,"b":2,"a":1}'],
  ['duplicate_key', '["/"]', '{"/":1,"\\/":1}'],
  ['duplicate_key', '["😀"]', '{"😀":1,"\\ud83d\\ude00":1}'],
  ['duplicate_key', '[""]', '{"":1,"":1}'],
  ['duplicate_key', '["1"]', '{"1":1,"1":1}'],
  ['duplicate_key', 'constructor', '{"constructor":1,"constructor":1}'],
  ['duplicate_key', 'a', '{"a":null,"a":null}'],
  ['duplicate_key', 'a', '{"a":1.5,"a":1.5}'],
  ['duplicate_key', 'list[1].a', '{"list":[{"a":1},{"a":1,"a":{}}]}'],
  ['forbidden_key', '__proto__', '{"__proto__":null}'],
  ['forbidden_key', 'a.__proto__', '{"a":{"__proto__":{"admin":true}}}'],
  ['forbidden_key', '__proto__', '{"\\u005f_proto__":1}'],
  ['forbidden_key', '__proto__', '{"\\u005F\\u005f\\u0070roto\\u005f_":1}'],
  ['nul_character', 'a', '{"a":"x\\u0000"}'],
  ['nul_character', 'a', '{"a":"x\u0000"}'],
  ['nul_character', 'a', '{"a":"\\n\u0000"}'],
  ['nul_character', '', '{"\\u0000":1}'],
  ['lone_surrogate', 'a', '{"a":"\\ud800"}'],
  ['lone_surrogate', 'a', '{"a":"\\udc00x"}'],
  ['lone_surrogate', 'a', '{"a":"\\ude00\\ud83d"}'],
  ['lone_surrogate', '[0]', '["\\ud83d\\ud83d\\ude00"]'],
  ['lone_surrogate', '[0]', '["\\ud83d😀"]'],
  ['lone_surrogate', '[0]', '["\\ud83dx\\ude00"]'],
  ['lone_surrogate', 'a', '{"a":{"\\uDEAD":1}}'],
  ['byte_order_mark', '', '\ufeff{}'],
  ['byte_order_mark', '', '\ufeff'],
]

for (const [reason, path, body] of refused) {
  test(`readJson, ${JSON.stringify(body)}: refused, ${reason} in '${path}'`, () => {
    const refusal = refusalOf(Buffer.from(body))
    assert.deepEqual([refusal.reason, refusal.path], [reason, path])
    assert.match(refusal.message, /^[A-Z].* at line \d+, column \d+.*\.$/s)
  })
}

const notUtf8: readonly [what: string, byte: number, bytes: readonly number[]][] = [
  ['a lone continuation byte', 1, [0x22, 0x80, 0x22]],
  ['a byte that never occurs', 1, [0x22, 0xff, 0x22]],
  ['Latin-1', 1, [0x22, 0xe9, 0x22]],
  ['an overlong slash', 1, [0x22, 0xc0, 0xaf, 0x22]],
  ['an overlong NUL', 1, [0x22, 0xc0, 0x80, 0x22]],
  ['an encoded surrogate', 1, [0x22, 0xed, 0xa0, 0x80, 0x22]],
  ['a code point above U+10FFFF', 1, [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22]],
  ['a truncated sequence', 1, [0x22, 0xe2, 0x82]],
  ['an invalid byte after valid ones', 6, [0x22, 0xc3, 0xa9, 0xef, 0xbf, 0xbd, 0xfe, 0x22]],
  ['UTF-16 with its byte order mark', 0, [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
]

for (const [what, byte, bytes] of notUtf8) {
  test(`readJson, ${what}: refused with invalid_utf8; the next body is read`, () => {
    const refusal = refusalOf(Uint8Array.from(bytes))
    assert.deepEqual([refusal.reason, refusal.path], ['invalid_utf8', ''])
    assert.equal(refusal.message, `The body is not valid UTF-8 at byte ${byte}.`)
    assert.deepStrictEqual(read('{"a":1}'), { a: 1 })
  })
}

test('readJson, UTF-16 without a byte order mark: refused, syntax', () => {
  assert.equal(refusalOf(Buffer.from('{}', 'utf16le')).reason, 'syntax')
})

test('readJson, nesting: 32 levels accepted, 33 refused, a million refused, no overflow', () => {
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"a":', '}]'],
  ] as const) {
    const levels = open.startsWith('[{') ? 2 : 1
    const nest = (depth: number): string =>
      `${open.repeat(depth / levels)}1${close.repeat(depth / levels)}`
    assert.deepStrictEqual(read(nest(32)), JSON.parse(nest(32)))
    assert.equal(refusalOf(Buffer.from(nest(32 + levels))).reason, 'too_deep')
    assert.equal(refusalOf(Buffer.from(open.repeat(1_000_000))).reason, 'too_deep')
  }
  assert.equal(refusalOf(Buffer.from(`${'['.repeat(32)}{}${']'.repeat(32)}`)).reason, 'too_deep')
  const siblings = `[${'[[]],'.repeat(1000)}1]`
  assert.deepStrictEqual(read(siblings), JSON.parse(siblings))
})

test('readJson, members named like __proto__: stored as data, prototypes unchanged', () => {
  const value = read('{"constructor":{"prototype":{"polluted":1}},"__defineSetter__":1}')
  assert.equal(Object.getPrototypeOf(value), Object.prototype)
  assert.deepEqual(Object.keys(value as object), ['constructor', '__defineSetter__'])
  assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false)
  assert.equal(Reflect.get({}, 'polluted'), undefined)
})

test('readJson, refused body: the message names line, column and path, never the value', () => {
  const secret = refusalOf(Buffer.from('{\n  "a": [\n    "s3cret", s3cret\n  ]\n}'))
  assert.equal(secret.message, 'Expected a value at line 3, column 15, in a[1].')
  assert.equal(secret.name, 'JsonError')
  const empty = refusalOf(Buffer.alloc(0))
  assert.equal(empty.message, 'The body is empty; expected JSON.')
  const cut = refusalOf(Buffer.from('{"card":"4111'))
  assert.equal(
    cut.message,
    'The body ends too soon: expected the closing quote of a string at line 1, column 14, in card.',
  )
})

test('readJson, member name of 200,000 characters: refused, the path in the message is cut to well-formed text', () => {
  const refusal = refusalOf(Buffer.from(`{"${'😀'.repeat(50_000)}":x}`))
  assert.equal(refusal.path, `["${'😀'.repeat(64)}…"]`)
  assert.ok(refusal.message.isWellFormed())
})

// A typical payout body, with every construct that a mutation may damage.
const payout = JSON.stringify({
  type: 'wire',
  reference: 'INV-184 "October" \\ payroll\n香港 😀',
  holding_info: { currency: 'USD', amount: 1250000 },
  payout_info: { currency: 'HKD', amount: MAX },
  metadata: { batch: '2026-10', row: -184, empty: {}, list: [], flags: [true, false, null, 0] },
}).replace('香', '\\u9999')

/** The rule of numbers in another way: by a pattern and BigInt instead of a sum of digits. */
function expectedNumber(source: string): number {
  if (!/^(0|-?[1-9][0-9]*)$/.test(source)) return Number.NaN
  const exact = BigInt(source)
  return exact > BigInt(MAX) || exact < -BigInt(MAX) ? Number.NaN : Number(exact)
}

type SourceReviver = (key: string, value: unknown, context: { source?: string }) => unknown
const parseWithSource = JSON.parse as (text: string, reviver: SourceReviver) => unknown

/** JSON.parse with the rule of numbers; undefined when the bytes are not UTF-8 or not JSON. */
function parseByOracle(body: Uint8Array): { value: unknown } | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
    const value = parseWithSource(text, (_key, item, context) =>
      typeof item === 'number' ? expectedNumber(context.source ?? '') : item,
    )
    return { value }
  } catch {
    return undefined
  }
}

/** An accepted body has the oracle's value. A body refused for syntax is refused by the oracle too. */
function assertAgrees(body: Uint8Array): void {
  let value: unknown
  try {
    value = readJson(body)
  } catch (error) {
    assert.ok(error instanceof JsonError, `threw ${String(error)}`)
    assert.ok(error.message.isWellFormed() && error.path.isWellFormed())
    if (error.reason === 'syntax' || error.reason === 'invalid_utf8') {
      assert.equal(parseByOracle(body), undefined, `refused valid JSON: ${error.message}`)
    }
    return
  }
  assert.deepStrictEqual({ value }, parseByOracle(body))
}

const word = anyCharacters(12).filter(text => !text.includes('\0'))
const { json } = fc.letrec<{ json: unknown }>(tie => ({
  json: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.oneof(fc.constant(null), fc.boolean(), fc.maxSafeInteger(), fc.integer(), word),
    fc.array(tie('json'), { maxLength: 5 }),
    fc.dictionary(
      fc
        .oneof(word, fc.constantFrom('constructor', 'prototype', 'toString', '0', 'amount'))
        .filter(key => key !== '__proto__'),
      tie('json'),
      { maxKeys: 6, noNullPrototype: true },
    ),
  ),
}))

const seed = Math.floor(Math.random() * 0x7fffffff)

test('readJson, random values with safe integers: equal after JSON.stringify', t => {
  t.diagnostic(`fast-check seed ${seed}`)
  const spaces = fc.constantFrom(undefined, 1, '\t', '\r\n ')
  fc.assert(
    fc.property(json, spaces, (value, space) => {
      assert.deepStrictEqual(read(JSON.stringify(value, null, space)), value)
    }),
    { seed, numRuns: share(200, 2_000) },
  )
})

const telling = [
  ...'{}[]",:\\/u0019.-+eE \n\0tfn',
  '"a":',
  '\\u',
  '\\ud83d',
  '\\u0000',
  '__proto__',
]
const pieces = fc.oneof(
  fc.constantFrom(...telling).map(text => Buffer.from(text)),
  fc.uint8Array({ minLength: 1, maxLength: 3 }),
)
const mutation = fc.record({ place: fc.nat(), removed: fc.nat({ max: 4 }), piece: pieces })

test('readJson, valid bodies with random damage: a JsonError or the value of JSON.parse', t => {
  t.diagnostic(`fast-check seed ${seed}`)
  const original = fc.oneof(
    fc.constant(payout),
    json.map(value => JSON.stringify(value)),
  )
  fc.assert(
    fc.property(original, fc.array(mutation, { minLength: 1, maxLength: 3 }), (text, mutations) => {
      let body = Buffer.from(text)
      for (const { place, removed, piece } of mutations) {
        const at = place % (body.length + 1)
        body = Buffer.concat([body.subarray(0, at), piece, body.subarray(at + removed)])
      }
      assertAgrees(body)
    }),
    { seed, numRuns: share(400, 10_000) },
  )
})

test('readJson, random text of JSON tokens: a JsonError or the value of JSON.parse', t => {
  t.diagnostic(`fast-check seed ${seed}`)
  const tokens = [
    ...telling,
    '1',
    '0',
    '-',
    '"b"',
    'true',
    'null',
    '{"a":1}',
    '[1]',
    '9007199254740992',
  ]
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...tokens), { maxLength: 8 }), parts => {
      assertAgrees(Buffer.from(parts.join('')))
    }),
    { seed, numRuns: share(400, 10_000) },
  )
})

test('readJson, payout body truncated after each byte: only the complete body is accepted', () => {
  const whole = Buffer.from(payout)
  for (let length = 0; length < whole.length; length += 1) refusalOf(whole.subarray(0, length))
  assert.deepStrictEqual(readJson(whole), JSON.parse(payout))
})

test('readJson, number of values: up to 4,000 in a body, a million in a long body', async () => {
  const array = (count: number) => `[${Array(count).fill('0').join(',')}]`
  assert.equal((read(array(3_999)) as unknown[]).length, 3_999)
  const values = refusalOf(Buffer.from(array(4_000)))
  assert.deepEqual([values.reason, values.path], ['too_many_values', '[3999]'])
  // The outer list, and lists in it of 4,000 values each: the very last value is one too many.
  const lists = Buffer.from(`[${Array(250).fill(array(3_999))}]`)
  const all = (await said(() => readJsonInTurns([lists]))) as JsonError
  assert.deepEqual([all.reason, all.path], ['too_many_values', '[249][3998]'])
  assert.match(all.message, /more than 1000000 values/)
  const item = await said(() => readJsonInTurns([Buffer.from(`{"a":[[],${array(4_000)}]}`)]))
  assert.equal((item as JsonError).reason, 'too_many_values')
  assert.match((item as JsonError).path, /^a\[1\]\[/)
})

const object = (from: number, to: number) =>
  `{${Array.from({ length: to - from }, (_, i) => `"a${from + i}":0`)}}`

test('readJsonInTurns, one list or object: up to 20,000 values', async () => {
  const list = (items: number) => Buffer.from(`{"payouts":[${Array(items).fill(1)}]}`)
  const read = (await readJsonInTurns([list(20_000)])) as { payouts: unknown[] }
  assert.equal(read.payouts.length, 20_000)
  const longer = (await said(() => readJsonInTurns([list(20_001)]))) as JsonError
  assert.deepEqual([longer.reason, longer.path], ['too_many_values', 'payouts[20000]'])
  const whole = await readJsonInTurns([Buffer.from(object(0, 20_000))])
  assert.equal(Object.keys(whole as object).length, 20_000)
  const wider = (await said(() => readJsonInTurns([Buffer.from(object(0, 20_001))]))) as JsonError
  assert.deepEqual([wider.reason, wider.path], ['too_many_values', 'a20000'])
})

test('readJsonInTurns, distinct member names: up to 50,000 in a long body', async () => {
  const objects = Array.from({ length: 25 }, (_, i) => object(i * 2_000, (i + 1) * 2_000))
  const many = Buffer.from(`[${objects},${object(0, 2_000)},${object(49_999, 50_001)}]`)
  const refused = (await said(() => readJsonInTurns([many]))) as JsonError
  assert.deepEqual([refused.reason, refused.path], ['too_many_keys', '[26].a50000'])
})

test('readJsonInTurns, body longer than its read window: lines, columns and bytes counted correctly', async () => {
  const payouts = Array.from({ length: 12 }, () => `{"a":"${'x'.repeat(200_000)}"}`).join(',\n')
  const text = `{"payouts":[\n${payouts},\n  nul]}`
  const expected = refusalOf(Buffer.from(text.replaceAll('x'.repeat(200_000), 'x')))
  for (const size of [1_000_003, 7_919]) {
    const pieces: Buffer[] = []
    const body = Buffer.from(text)
    for (let at = 0; at < body.length; at += size) pieces.push(body.subarray(at, at + size))
    const refused = (await said(() => readJsonInTurns(pieces))) as JsonError
    assert.deepEqual([refused.message, refused.path], [expected.message, 'payouts[12]'])
  }
  const cut = Buffer.concat([Buffer.from(`["${'é'.repeat(100_000)}`), Buffer.from([0xc3])])
  const broken = [Buffer.from(`["${'y'.repeat(1_000)}",`), ...halves(cut)]
  const refused = (await said(() => readJsonInTurns(broken))) as JsonError
  const bytes = 1_000 + 4 + 2 + 200_000
  assert.equal(refused.message, `The body is not valid UTF-8 at byte ${bytes}.`)
})

/** Cuts bytes in the middle of a character. */
function halves(bytes: Buffer): Buffer[] {
  return [bytes.subarray(0, 1_003), bytes.subarray(1_003)]
}

/** The value, or the reason of the refusal. */
async function said(read: () => unknown): Promise<unknown> {
  try {
    return { value: await read() }
  } catch (error) {
    assert.ok(error instanceof JsonError, `threw ${String(error)}`)
    return { reason: error.reason, path: error.path, message: error.message }
  }
}

test('readJsonInTurns, valid bodies with random damage: same result as readJson', async t => {
  t.diagnostic(`fast-check seed ${seed}`)
  const original = fc.oneof(
    fc.constant(payout),
    json.map(value => JSON.stringify(value)),
  )
  const mutations = fc.array(mutation, { maxLength: 3 })
  await fc.assert(
    fc.asyncProperty(original, mutations, fc.nat(), async (text, mutations, cut) => {
      let body = Buffer.from(text)
      for (const { place, removed, piece } of mutations) {
        const at = place % (body.length + 1)
        body = Buffer.concat([body.subarray(0, at), piece, body.subarray(at + removed)])
      }
      const pieces = [body.subarray(0, cut % body.length), body.subarray(cut % body.length)]
      assert.deepEqual(await said(() => readJsonInTurns(pieces)), await said(() => readJson(body)))
    }),
    { seed, numRuns: share(400, 5_000) },
  )
})

test("readJsonInTurns, one item longer than an ordinary body: refused at the item's position", async () => {
  const long = `["${'x'.repeat(140_000)}","${'x'.repeat(140_000)}"]`
  for (const [body, path] of [
    [`{"payouts":[{},{"a":${long}}]}`, 'payouts[1].a[1]'],
    [`{"payouts":[],"mode":"${'\\n'.repeat(140_000)}"}`, 'mode'],
    [`{"payouts":[],"${'\\n'.repeat(140_000)}":1}`, ''],
    [`{"payouts":["${'x'.repeat(270_000)}"]}`, 'payouts[0]'],
    [`{"payouts":[${' '.repeat(270_000)}1]}`, 'payouts'],
    [`{"payouts":[${'9'.repeat(270_000)}]}`, 'payouts[0]'],
    [`{"payouts":[0.${'9'.repeat(270_000)}]}`, 'payouts[0]'],
    [`{"payouts":[]}${'\n'.repeat(270_000)}`, ''],
  ] as const) {
    const refused = await said(() => readJsonInTurns([Buffer.from(body)]))
    const { reason, path: place } = refused as { reason: string; path: string }
    assert.deepEqual([reason, place], ['too_long', path])
  }
})

test('readJsonInTurns, several long members in a row: all read', async () => {
  const body = {
    a: 'x'.repeat(250_000),
    y: 'y'.repeat(250_000),
    '\n': 1,
    b: { '\n': ['\n'] },
    c: [{ '\n': '\n' }],
  }
  assert.deepEqual(await readJsonInTurns([Buffer.from(JSON.stringify(body))]), body)
})

test('readJsonInTurns, many thousands of members: lets other work run in between', async t => {
  const items = Array.from({ length: share(2_000, 10_000) }, (_, i) => {
    return `{${Array.from({ length: 50 }, (_, k) => `"name ${i % 900} ${k}":"12345678"`)}}`
  })
  const body = Buffer.from(`{"payouts":[${items}]}`)
  let turns = 0
  let longest_ms = 0
  let since = performance.now()
  const turn = () => {
    turns += 1
    longest_ms = Math.max(longest_ms, performance.now() - since)
    since = performance.now()
    timer = setImmediate(turn)
  }
  let timer = setImmediate(turn)
  const started = performance.now()
  await readJsonInTurns([body])
  clearImmediate(timer)
  const took_ms = performance.now() - started
  t.diagnostic(
    `${body.length} bytes in ${Math.round(took_ms)} ms; ${turns} turns of others, the longest wait ` +
      `${Math.round(longest_ms)} ms`,
  )
  assert.ok(turns >= 10, `${turns} turns`)
  assert.ok(longest_ms < took_ms / 2)
})
