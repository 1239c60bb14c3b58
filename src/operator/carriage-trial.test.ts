// What a rail cannot carry of a route, by the examples of the requirements.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { carriageOf, RAIL_KINDS } from '../adapters/registry.ts'
import type { KindName } from '../rails/kind.ts'
import type { RouteConditions } from '../rails/rules.ts'
import { notCarried, notCarriedOfRoutes, notCarriedWords } from './carriage-trial.ts'

const ANY: RouteConditions = {
  account_id: null,
  payout_type: null,
  network: null,
  currency: null,
  country: null,
  min_amount: null,
  max_amount: null,
}
const LOCAL_EUR = { ...ANY, payout_type: 'local', currency: 'EUR' }

function carriageWith(kind: KindName, change: object = {}) {
  const example = RAIL_KINDS.find(({ name }) => name === kind)?.example as object
  const config = { ...example, ...change }
  return carriageOf([{ name: 'bank', kind, config, secret: '', paused_reason: '' }])
}

function triedOn(route: RouteConditions, kind: KindName, change: object = {}) {
  const faultsOf = carriageWith(kind, change).get('bank')
  assert.ok(faultsOf)
  return notCarried(route, faultsOf)
}

const words = (...given: Parameters<typeof triedOn>) =>
  notCarriedWords(triedOn(...given)).join('\n')
const SEPA = { profile: 'sepa' }

test('rail of profile sepa, route of local EUR to Germany: carries every example, with and without network sepa', () => {
  assert.deepEqual(triedOn({ ...LOCAL_EUR, country: 'DE', network: 'sepa' }, 'iso20022', SEPA), [])
  assert.deepEqual(triedOn({ ...LOCAL_EUR, country: 'DE', network: '' }, 'iso20022', SEPA), [])
})

test('rail of profile sepa, route of local EUR: only other networks and accounts without IBAN are listed', () => {
  const groups = triedOn(LOCAL_EUR, 'iso20022', SEPA)
  const lists = (network: string, country: string) =>
    groups.some(
      ({ networks, countries }) => networks.includes(network) && countries.includes(country),
    )
  assert.deepEqual([lists('target2', 'DE'), lists('', 'HK')], [true, true])
  for (const network of ['', 'sepa', 'sepa_instant'])
    assert.equal(lists(network, 'DE'), false, network)
  const said = notCarriedWords(groups).join('\n')
  assert.match(
    said,
    /^local EUR over target2 to .* more: the payout names network target2, .*\. What helps: /m,
  )
})

test('rail of profile generic, route of local EUR: payees without a town, with the member to send', () => {
  assert.match(
    words({ ...LOCAL_EUR, network: 'sepa' }, 'iso20022'),
    /^local EUR over sepa to .*: address of the creditor has no town; .*give the payee address\.city/,
  )
})

test('ACH rail, route of any payout: groups of other types and currencies, and no local USD over ach', () => {
  const groups = triedOn(ANY, 'nacha')
  assert.ok(groups.length <= 20, String(groups.length))
  const types = new Set(groups.map(({ type }) => type))
  assert.deepEqual([...types].sort(), ['local', 'local_payment_network', 'swift', 'wallet'])
  const keys = groups.filter(({ type }) => type === 'local_payment_network')
  assert.deepEqual(
    keys.map(({ why }) => why.split('.')[0]),
    ['it goes to no bank account'],
  )
  assert.ok((keys[0]?.currencies.length ?? 0) > 20)
  assert.deepEqual(triedOn({ ...LOCAL_EUR, currency: 'USD', network: 'ach' }, 'nacha'), [])
})

test('ACH rail, route whose largest amount is more than an entry carries: listed with the amount', () => {
  const route = { ...LOCAL_EUR, currency: 'USD', network: 'ach', max_amount: 10_000_000_000n }
  assert.match(
    words(route, 'nacha'),
    /100000000\.00 is more than an ACH entry carries.*route larger amounts/,
  )
})

test('connector, any route: nothing listed, as it takes any payout until it is asked', () => {
  const route = { ...ANY, rail: 'bank', priority: 0, timetable: null }
  assert.deepEqual(notCarriedOfRoutes('bank', [route], carriageWith('connector')), [])
  const [found] = notCarriedOfRoutes('bank', [route], carriageWith('nacha'))
  assert.equal(found?.route, 'any payout')
})
