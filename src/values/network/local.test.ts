// Tests the table of networks against the tables of currencies and countries.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CURRENCIES } from '../money/currency.ts'
import { COUNTRIES, isCountry } from './country.ts'
import { findNetwork, limitFault, NETWORKS, networkFault, networksOf } from './local.ts'

test('network table: at least 35 rows, pair of currency and name unique', () => {
  const keys = NETWORKS.map(network => `${network.currency} ${network.name}`)
  assert.ok(keys.length >= 35)
  assert.equal(new Set(keys).size, keys.length)
  assert.deepEqual(keys, keys.toSorted())
})

test('network table, every row: known currency, known countries, snake_case name', () => {
  for (const network of NETWORKS) {
    const label = `${network.currency} ${network.name}`
    assert.ok(CURRENCIES.has(network.currency), label)
    assert.match(network.name, /^[a-z0-9]+(_[a-z0-9]+)*$/, label)
    assert.notEqual(network.title, '', label)
    assert.ok(network.countries.length > 0, label)
    assert.equal(new Set(network.countries).size, network.countries.length, label)
    for (const country of network.countries) assert.ok(isCountry(country), `${label}: ${country}`)
  }
})

test('SEPA, reach: the 41 scheme countries and 13 territories', () => {
  const sepa = findNetwork('EUR', 'sepa')
  assert.equal(sepa?.countries.length, 41 + 13)
  for (const country of ['BG', 'CH', 'DE', 'GB', 'RS']) assert.ok(sepa?.countries.includes(country))
})

test('findNetwork, name in any case: found under its own currency only', () => {
  assert.equal(findNetwork('HKD', 'CHATS')?.name, 'chats')
  assert.deepEqual(findNetwork('SGD', 'Fast')?.countries, ['SG'])
  assert.deepEqual(findNetwork('TRY', 'fast')?.countries, ['TR'])
  assert.equal(findNetwork('USD', 'chats'), undefined)
  assert.equal(findNetwork('hkd', 'chats'), undefined)
})

test('networksOf, one currency: exactly its networks', () => {
  assert.deepEqual(
    networksOf('USD').map(network => network.name),
    ['ach', 'fednow', 'fedwire', 'rtp', 'usd_chats'],
  )
  assert.deepEqual(networksOf('ABC'), [])
})

test('networkFault, network of the currency: none; unknown network: a fault that lists the known ones', () => {
  assert.equal(networkFault('HKD', 'Chats'), undefined)
  const message = 'No such local network for HKD; known ones are chats, fps.'
  assert.equal(networkFault('HKD', 'ach'), message)
  assert.equal(networkFault('CLP', 'ach'), 'No such local network for CLP; none is known.')
})

test('network limits, published by the scheme: in minor units, minimum below maximum', () => {
  assert.deepEqual(findNetwork('GBP', 'faster_payments')?.limits, {
    minimum: null,
    maximum: 100_000_000n,
  })
  assert.deepEqual(findNetwork('INR', 'rtgs')?.limits, { minimum: 20_000_000n, maximum: null })
  assert.deepEqual(findNetwork('EUR', 'sepa_instant')?.limits, { minimum: null, maximum: null })
})

test('limitFault, amount at a bound: none; beyond a bound: a fault; network without limits: none', () => {
  assert.equal(limitFault('USD', 'rtp', 1_000_000_000n), undefined)
  assert.equal(
    limitFault('USD', 'rtp', 1_000_000_001n),
    'RTP network carries at most 1000000000 USD minor units in one payment; ' +
      'this comes to 1000000001.',
  )
  assert.equal(limitFault('INR', 'rtgs', 20_000_000n), undefined)
  assert.match(limitFault('INR', 'rtgs', 19_999_999n) ?? '', /carries at least 20000000 INR/)
  assert.equal(limitFault('EUR', 'sepa_instant', 10n ** 15n), undefined)
  assert.equal(limitFault('EUR', '', 1n), undefined)
})

test('country table: the 249 assigned codes and Kosovo, in upper case', () => {
  assert.equal(COUNTRIES.size, 250)
  for (const code of COUNTRIES) assert.match(code, /^[A-Z]{2}$/)
  assert.ok(isCountry('HK'))
  assert.ok(isCountry('XK'))
  for (const code of ['hk', 'UK', '']) assert.ok(!isCountry(code), code)
})
