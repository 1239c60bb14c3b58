// The money helpers of both clients: minor units to a decimal text and back, exactly, by the same
// table. A text with more decimals than the currency is refused, and nothing is rounded.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import fc from 'fast-check'
import { toDecimal, toMinor } from '../../packages/sdk/src/index.ts'
import { noPython, PYTHON_CLIENT, python } from './python.ts'

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
console.log(`SEED=${seed}`)

/** Each amount with its text as `toDecimal` writes it. */
const PAIRS: readonly (readonly [amount: bigint, exponent: number, decimal: string])[] = [
  [0n, 2, '0.00'],
  [5n, 2, '0.05'],
  [123_450n, 2, '1234.50'],
  [-123_450n, 2, '-1234.50'],
  [-5n, 3, '-0.005'],
  [500n, 0, '500'],
  [0n, 0, '0'],
  [1n, 6, '0.000001'],
  [9_007_199_254_740_993n, 2, '90071992547409.93'],
  [10n ** 30n + 7n, 2, '10000000000000000000000000000.07'],
]

/** Other texts of an amount. */
const ALSO: readonly (readonly [decimal: string, exponent: number, amount: bigint])[] = [
  ['1234.5', 2, 123_450n],
  ['1234', 2, 123_400n],
  ['007.10', 2, 710n],
  ['0.1', 1, 1n],
  ['-0', 2, 0n],
]

/** Texts without an exact amount of two decimals. */
const REFUSED = [
  ...['', ' 1', '1 ', '1,50', '1.', '.5', '1e2', '+1', '--1', 'NaN', '1.505', '1.500', '0x10'],
  ...['1\n', '١', '1'.repeat(31)],
]

const EXPONENTS: readonly unknown[] = [-1, 19, 1.5, Number.NaN, '2', null]

for (const [amount, exponent, decimal] of PAIRS) {
  test(`TypeScript money helper, ${amount} with exponent ${exponent}: ${decimal}, and back`, () => {
    assert.equal(toDecimal(amount, exponent), decimal)
    assert.equal(toMinor(decimal, exponent), amount)
  })
}

test('TypeScript money helper, number instead of a bigint: the same text; inexact number refused', () => {
  assert.equal(toDecimal(123_450, 2), '1234.50')
  for (const amount of [2 ** 53, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.throws(() => toDecimal(amount, 2), RangeError, String(amount))
  }
})

test('TypeScript money helper, decimal with fewer digits: padded; any other text refused', () => {
  for (const [decimal, exponent, amount] of ALSO) assert.equal(toMinor(decimal, exponent), amount)
  for (const text of REFUSED) assert.throws(() => toMinor(text, 2), RangeError, text)
  assert.throws(() => toMinor(1.5 as never, 2), RangeError)
  assert.throws(() => toMinor('1.505', 2), /more decimals than the currency, 2/)
})

test('TypeScript money helper, exponent other than a whole number from 0 to 18: refused', () => {
  for (const exponent of EXPONENTS) {
    assert.throws(() => toDecimal(1, exponent as number), RangeError, String(exponent))
    assert.throws(() => toMinor('1', exponent as number), RangeError, String(exponent))
  }
})

test('TypeScript money helper, any amount and exponent: the text gives back the amount', () => {
  const given = [fc.bigInt({ min: -(10n ** 29n), max: 10n ** 29n }), fc.nat(18)] as const
  fc.assert(
    fc.property(...given, (amount, exponent) => {
      assert.equal(toMinor(toDecimal(amount, exponent), exponent), amount)
    }),
    { seed, numRuns: 2_000 },
  )
})

const PROGRAM = `import json, sys
from corridor import to_decimal, to_minor
given = json.load(sys.stdin)
def refused(call, *values):
    try:
        call(*values)
    except ValueError:
        return True
    return False
print(json.dumps({
    "decimals": [to_decimal(int(amount), exponent) for amount, exponent, _ in given["pairs"]],
    "amounts": [str(to_minor(decimal, exponent)) for _, exponent, decimal in given["pairs"]],
    "also": [str(to_minor(decimal, exponent)) for decimal, exponent, _ in given["also"]],
    "refused": [refused(to_minor, text, 2) for text in given["refused"]],
    "exponents": [refused(to_decimal, 1, one) and refused(to_minor, "1", one) for one in [-1, 19, 1.5, "2", None, True]],
    "amounts_refused": [refused(to_decimal, one, 2) for one in [1.5, "1", None, True]],
}))
`

test('Python money helper: the answers of the TypeScript helper, and the same refusals', {
  skip: noPython,
}, () => {
  const text = (value: unknown) =>
    JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? String(one) : one))
  const { stdout, stderr, status } = spawnSync(python, ['-c', PROGRAM], {
    input: text({ pairs: PAIRS, also: ALSO, refused: REFUSED }),
    encoding: 'utf8',
    env: { PYTHONPATH: PYTHON_CLIENT, PYTHONDONTWRITEBYTECODE: '1', PYTHONUTF8: '1' },
  })
  assert.equal(status, 0, stderr)
  assert.deepEqual(JSON.parse(stdout), {
    decimals: PAIRS.map(([, , decimal]) => decimal),
    amounts: PAIRS.map(([amount]) => String(amount)),
    also: ALSO.map(([, , amount]) => String(amount)),
    refused: REFUSED.map(() => true),
    exponents: [true, true, true, true, true, true],
    amounts_refused: [true, true, true, true],
  })
})
