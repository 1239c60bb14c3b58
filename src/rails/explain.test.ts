// Explains decisions in tables: each route's verdict in a decision, and the routes of an earlier
// time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explainRoutes, type RouteChange, routesBefore } from './explain.ts'
import type { PayoutToRoute, Route } from './rules.ts'

const ANY: Route = {
  account_id: null,
  payout_type: null,
  network: null,
  currency: null,
  country: null,
  min_amount: null,
  max_amount: null,
  priority: 0,
  rail: 'people',
  timetable: null,
}
const CHATS = { ...ANY, payout_type: 'local', network: 'chats', rail: 'bank' }
const HKD = { ...ANY, currency: 'HKD', priority: 1, rail: 'second' }
const AGAIN = { ...ANY, currency: 'HKD', rail: 'bank' }
const LARGE = { ...ANY, currency: 'HKD', min_amount: 1_000_000n, rail: 'large' }
const EURO = { ...ANY, currency: 'EUR', country: 'DE', rail: 'sepa' }
const ROUTES = [ANY, EURO, LARGE, AGAIN, HKD, CHATS]

const payout: PayoutToRoute = {
  account_id: 'acc_1',
  payout_type: 'local',
  network: 'chats',
  currency: 'HKD',
  country: 'HK',
  amount: 500_000n,
}

const verdicts = (...given: Parameters<typeof explainRoutes>) =>
  explainRoutes(...given).map(({ route, verdict }) => `${route.rail} ${verdict}`)

test('explainRoutes, payout without attempts: the first matching route, failover routes, and routes that do not match', () => {
  const explained = explainRoutes(ROUTES, payout, { tried: [] })
  assert.deepEqual(
    explained.map(({ route, verdict, reason }) => [route.rail, verdict, reason]),
    [
      ['bank', 'taken', 'the first that fits'],
      ['second', 'next', 'if the rail before it proves that it did not take it'],
      ['bank', 'same_rail', 'a route before it leads to rail bank'],
      ['people', 'next', 'if the rail before it proves that it did not take it'],
      ['sepa', 'does_not_fit', 'takes only currency EUR, country DE'],
      ['large', 'does_not_fit', 'takes only amount from 10000.00'],
    ],
  )
})

test('explainRoutes, one rail already tried: the next route is marked as taken', () => {
  assert.deepEqual(verdicts(ROUTES, payout, { tried: ['bank'] }).slice(0, 4), [
    'bank tried',
    'second taken',
    'bank tried',
    'people next',
  ])
})

test('explainRoutes, payout with a stored route: that route is marked as taken, even if it no longer matches', () => {
  const [chosen] = verdicts([ANY, HKD], payout, { tried: [], taken: HKD })
  assert.equal(chosen, 'second taken')
  assert.deepEqual(verdicts([ANY], payout, { tried: [], taken: CHATS }), [
    'bank taken',
    'people next',
  ])
  const [first] = verdicts([HKD], { ...payout, currency: 'EUR' }, { tried: [], taken: HKD })
  assert.equal(first, 'second taken', 'the amount was not known to the comparison then')
})

test('explainRoutes, no amount: amounts not compared; no routes: empty', () => {
  const asked = verdicts([LARGE], { ...payout, amount: null }, { tried: [] })
  assert.deepEqual(asked, ['large taken'])
  assert.deepEqual(explainRoutes([], payout, { tried: [] }), [])
})

test('routesBefore, list of changes: routes without the changes, undone from the newest on', () => {
  const changes: RouteChange[] = [
    { before: { ...HKD, priority: 1 }, after: { ...HKD, priority: 5 } },
    { before: null, after: HKD },
    { before: EURO, after: null },
  ]
  const before = routesBefore([ANY, { ...HKD, priority: 5 }], changes)
  assert.deepEqual(before, [ANY, EURO])
  assert.deepEqual(routesBefore([ANY], []), [ANY])
})
