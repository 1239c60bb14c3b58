// Compares the currency table with ISO 4217: every exponent other than 2, and every exponent that
// locale data has wrong.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { CURRENCIES, currencyExponent, findCurrency } from './currency.ts'

const EXPONENTS_OTHER_THAN_TWO: Readonly<Record<string, number>> = {
  ...{ BIF: 0, CLP: 0, DJF: 0, GNF: 0, ISK: 0, JPY: 0, KMF: 0, KRW: 0, PYG: 0, RWF: 0, UGX: 0 },
  ...{ UYI: 0, VND: 0, VUV: 0, XAF: 0, XOF: 0, XPF: 0 },
  ...{ BHD: 3, IQD: 3, JOD: 3, KWD: 3, LYD: 3, OMR: 3, TND: 3 },
  ...{ CLF: 4, UYW: 4 },
  ...{ USDC: 6, USDT: 6 },
}

test('currency table, exponents other than 2: those of ISO 4217, and the stablecoins', () => {
  const found = [...CURRENCIES.values()].filter(currency => currency.exponent !== 2)
  assert.deepEqual(
    Object.fromEntries(found.map(currency => [currency.code, currency.exponent]).toSorted()),
    Object.fromEntries(Object.entries(EXPONENTS_OTHER_THAN_TWO).toSorted()),
  )
})

test('currency table, currencies written without decimals in practice: exponent 2, as in ISO 4217', () => {
  const shownWhole = ['AFN', 'ALL', 'COP', 'HUF', 'IDR', 'IRR', 'LAK', 'LBP', 'MMK', 'PKR', 'TWD']
  for (const code of shownWhole) assert.equal(currencyExponent(code), 2, code)
})

test('currency table, source text: uses no locale data', () => {
  const source = readFileSync(new URL('./currency.ts', import.meta.url), 'utf8')
  assert.doesNotMatch(source, /\bIntl\b|toLocale|^import /m)
})

test('currency table, source text: each code in exactly one row', () => {
  const source = readFileSync(new URL('./currency.ts', import.meta.url), 'utf8')
  const codes = [...source.matchAll(/^ {2}\['([A-Z]+)', \d, /gm)].map(match => match[1])
  assert.equal(codes.length, CURRENCIES.size)
  assert.equal(new Set(codes).size, codes.length)
  assert.deepEqual(codes, [...CURRENCIES.keys()])
})

test('currency table, codes: only current currencies, no withdrawn codes, no X codes', () => {
  for (const [code, currency] of CURRENCIES) {
    assert.match(code, /^([A-Z]{3}|USD[CT])$/)
    assert.equal(currency.code, code)
    assert.notEqual(currency.name, '')
  }
  for (const code of ['EUR', 'SLE', 'VES', 'XCD', 'XCG', 'ZWG'])
    assert.ok(CURRENCIES.has(code), code)
  for (const code of ['ANG', 'BGN', 'CUC', 'HRK', 'SLL', 'XAU', 'XDR', 'XTS', 'XXX', 'ZWL']) {
    assert.ok(!CURRENCIES.has(code), code)
  }
})

test('findCurrency, lower case or unknown: undefined', () => {
  assert.equal(findCurrency('USD')?.exponent, 2)
  assert.equal(findCurrency('usd'), undefined)
  assert.equal(findCurrency('ABC'), undefined)
  assert.equal(findCurrency('toString'), undefined)
})

test('currencyExponent, unknown code: throws, naming the code', () => {
  assert.throws(() => currencyExponent('ABC'), /unknown currency code: ABC/)
})
