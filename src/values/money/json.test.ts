// Amounts and rates as JSON numbers: exact, or a fault.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatDecimal, MAX_AMOUNT, parseDecimal, pow10 } from './decimal.ts'
import { amountToJson, rateToJson } from './json.ts'

test('amountToJson, up to ±(2^53 − 1): the same integer', () => {
  for (const amount of [0n, 1n, -1n, MAX_AMOUNT, -MAX_AMOUNT]) {
    assert.equal(BigInt(amountToJson(amount)), amount)
  }
})

test('amountToJson, above 2^53 − 1: throws, naming the amount', () => {
  assert.throws(
    () => amountToJson(MAX_AMOUNT + 1n),
    /^RangeError: amount 9007199254740992 in JSON$/,
  )
  assert.throws(() => amountToJson(-MAX_AMOUNT - 1n), /amount -9007199254740992 in JSON/)
})

test('rateToJson, up to 12 significant digits: a number that parses to the same rate', () => {
  assert.equal(rateToJson({ digits: 781n, scale: 2 }), 7.81)
  fc.assert(
    fc.property(
      fc.bigInt({ min: 1n, max: pow10(12) - 1n }),
      fc.integer({ min: 0, max: 6 }),
      (digits, scale) => {
        const rate = { digits, scale }
        const read = parseDecimal(rateToJson(rate).toString())
        assert.equal(read && formatDecimal(read), formatDecimal(rate))
      },
    ),
  )
})
