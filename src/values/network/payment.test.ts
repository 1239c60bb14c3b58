// Tests the table of local payment networks against those of currencies and countries, and each
// form of keys against its own example.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CURRENCIES } from '../money/currency.ts'
import { isCountry } from './country.ts'
import { keyForms, PAYMENT_NETWORKS, paymentNetworkFault, paymentNetworksOf } from './payment.ts'

test('payment network table, every row: unique per currency, sorted, known countries', () => {
  const names = PAYMENT_NETWORKS.map(network => `${network.currency} ${network.name}`)
  assert.equal(new Set(names).size, names.length)
  assert.deepEqual(names, names.toSorted())
  for (const { currency, name, countries, keys } of PAYMENT_NETWORKS) {
    assert.ok(CURRENCIES.has(currency), name)
    assert.match(name, /^[a-z0-9]+(_[a-z0-9]+)*$/)
    assert.equal(countries.length, 1, name)
    for (const country of countries) assert.ok(isCountry(country), `${name}: ${country}`)
    assert.equal(new Set(keys.map(form => form.type)).size, keys.length, name)
  }
})

test('deposit key forms, each example: valid in its own form; with a space or a letter missing: in no form', () => {
  for (const { name, keys } of PAYMENT_NETWORKS) {
    for (const { type, pattern, example } of keys) {
      assert.match(example, pattern, `${name} ${type}`)
      for (const wrong of ['', ` ${example}`, `${example} `, `${example}\n`, example.slice(0, 2)]) {
        assert.doesNotMatch(wrong, pattern, `${name} ${type}`)
      }
    }
  }
})

test('telephone number as deposit key, dialled from home or abroad: valid; of another country: invalid', () => {
  const [phone] = keyForms('gopay')
  assert.ok(phone?.pattern.test('081234567890'))
  assert.ok(phone?.pattern.test('+6281234567890'))
  assert.ok(!phone?.pattern.test('+85251234567'))
})

test('paymentNetworkFault, known name in any case: none; else a fault that names currency and name', () => {
  assert.equal(paymentNetworkFault('BRL', 'PIX'), undefined)
  assert.equal(paymentNetworkFault('', 'mpesa'), undefined)
  assert.equal(paymentNetworkFault('USD', 'pix'), 'pix pays in BRL, not in USD.')
  assert.equal(paymentNetworkFault('EUR', 'mpesa'), 'mpesa pays in KES, TZS, not in EUR.')
  assert.match(paymentNetworkFault('IDR', 'go pay') ?? '', /known ones are aani, /)
})

test('paymentNetworksOf a currency: exactly its payment networks', () => {
  assert.deepEqual(
    paymentNetworksOf('TZS').map(({ name }) => name),
    ['airtel_money', 'mpesa'],
  )
  assert.deepEqual(paymentNetworksOf('tzs'), [])
})
