// Which route a payout takes, and the refusal when there is none.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyRoute, refusalOf } from '../../test/support/given/in-memory.ts'
import { conditionWords, type Route, type RouteSubject, routeOf, selectRoutes } from './rules.ts'

const subject: RouteSubject = {
  payout_type: 'local',
  network: 'chats',
  currency: 'HKD',
  country: 'HK',
  amount: 10_000n,
}
const payout = { ...subject, account_id: 'acc_1' }

function route(part: Partial<Route>): Route {
  return { ...anyRoute, ...part }
}

/** Routes, of which `payout` takes the first. */
const CHOICES: readonly (readonly [what: string, ...routes: readonly Partial<Route>[]])[] = [
  ['only one route', {}],
  ['network in another letter case', { payout_type: 'local', network: 'CHATS' }],
  ['one condition before none', { currency: 'HKD' }, {}],
  [
    'two conditions before the account',
    { payout_type: 'local', currency: 'HKD' },
    { account_id: 'acc_1' },
  ],
  [
    'more conditions before priority',
    { currency: 'HKD', country: 'HK' },
    { currency: 'HKD', priority: 9 },
  ],
  [
    'equally many conditions, higher priority',
    { country: 'HK', priority: 1 },
    { account_id: 'acc_1' },
  ],
  [
    'equally many conditions, other route with a negative priority',
    { country: 'HK' },
    { account_id: 'acc_1', priority: -1 },
  ],
  [
    'equally many conditions, equal priority, condition on the account',
    { account_id: 'acc_1' },
    { payout_type: 'local' },
  ],
  [
    'equally many conditions, equal priority, condition on the type',
    { payout_type: 'local' },
    { currency: 'HKD' },
    { country: 'HK' },
  ],
  [
    'equally many conditions, equal priority, condition on the currency',
    { currency: 'HKD' },
    { country: 'HK' },
  ],
  [
    'a range as a condition',
    { currency: 'HKD', min_amount: 10_000n },
    { currency: 'HKD', priority: 9 },
  ],
  [
    'overlapping ranges, range that begins higher',
    { currency: 'HKD', min_amount: 9_000n },
    { currency: 'HKD', min_amount: 1n, max_amount: 10_000n },
    { currency: 'HKD', max_amount: 10_001n },
  ],
  [
    'overlapping ranges with one beginning, range that ends lower',
    { currency: 'HKD', max_amount: 10_000n },
    { currency: 'HKD', max_amount: 10_001n },
  ],
  [
    'other ranges end below or begin above the amount',
    { currency: 'HKD' },
    { currency: 'HKD', max_amount: 9_999n, priority: 9 },
    { currency: 'HKD', min_amount: 10_001n, priority: 9 },
  ],
  ['other routes do not match', {}, { currency: 'USD', priority: 9 }, { account_id: 'acc_2' }],
]

for (const [what, ...parts] of CHOICES) {
  test(`selectRoutes, ${what}: this route first, in any order of rows`, () => {
    const routes = parts.map((part, i) => route({ ...part, rail: `rail ${i}` }))
    assert.equal(selectRoutes(routes, payout)[0]?.rail, 'rail 0')
    assert.equal(selectRoutes(routes.toReversed(), payout)[0]?.rail, 'rail 0')
  })
}

test('selectRoutes, several routes match: failover order by conditions, then priority', () => {
  const routes = [
    route({ rail: 'last', priority: 9 }),
    route({ rail: 'second', currency: 'HKD', priority: 1 }),
    route({ rail: 'never', currency: 'USD', priority: 9 }),
    route({ rail: 'first', currency: 'HKD', priority: 2 }),
    route({ rail: 'third', currency: 'HKD', priority: -1 }),
  ]
  const order = (given: readonly Route[]) => selectRoutes(given, payout).map(({ rail }) => rail)
  assert.deepEqual(order(routes), ['first', 'second', 'third', 'last'])
  assert.deepEqual(order(routes.toReversed()), ['first', 'second', 'third', 'last'])
})

test('selectRoutes, several routes to one rail: the rail once, by its first route', () => {
  const routes = [
    route({ rail: 'bank' }),
    route({ rail: 'bank', currency: 'HKD' }),
    route({ rail: 'other', priority: -1 }),
  ]
  assert.deepEqual(selectRoutes(routes, payout), [routes[1], routes[2]])
})

test('selectRoutes, amount unknown: every range of amounts matches', () => {
  const narrow = route({ currency: 'HKD', min_amount: 99n, max_amount: 99n })
  assert.deepEqual(selectRoutes([narrow], { ...payout, amount: null }), [narrow])
  assert.deepEqual(selectRoutes([narrow], payout), [])
})

const live = { account_id: 'acc_1', sandbox: false }

test('routeOf, live account: the rail and the route', () => {
  const { rail, ...conditions } = route({ currency: 'HKD', priority: 3, rail: 'manual' })
  assert.deepEqual(routeOf([{ ...conditions, rail }], live, subject, 'type'), {
    rail,
    route: conditions,
  })
})

test('routeOf, sandbox: the simulator, whatever the routes', () => {
  const sandbox = { ...live, sandbox: true }
  const simulated = { rail: 'simulator', route: null }
  assert.deepEqual(routeOf([], sandbox, subject, 'type'), simulated)
  assert.deepEqual(routeOf([anyRoute], sandbox, subject, 'type'), simulated)
})

test('routeOf, transfer to another account: no rail', () => {
  const transfer = { ...subject, payout_type: 'service_account' }
  assert.deepEqual(routeOf([anyRoute], live, transfer, 'type'), { rail: '', route: null })
})

const MISSING: readonly (readonly [missing: string, ...routes: readonly Partial<Route>[]])[] = [
  ['this account', ...[]],
  ['this account', { account_id: 'acc_2' }],
  ['type local', { payout_type: 'swift' }, { payout_type: 'wallet', currency: 'HKD' }],
  ['network chats', { payout_type: 'local', network: 'fps' }, { payout_type: 'swift' }],
  ['currency HKD', { currency: 'USD' }, { payout_type: 'swift', currency: 'HKD' }],
  ['country HK', { country: 'SG' }, { currency: 'USD', country: 'HK' }],
  ['amount 100.00 HKD', { currency: 'HKD', max_amount: 9_999n }],
]

for (const [missing, ...routes] of MISSING) {
  test(`routeOf, ${routes.length} routes, none matches: no route for ${missing}`, () => {
    const message =
      'No rail takes this payout (type local, network chats, currency HKD, country HK): ' +
      `there is no route for ${missing}.`
    assert.deepEqual(
      refusalOf(() => routeOf(routes.map(route), live, subject, 'type')),
      [`route_unavailable at type: ${message}`],
    )
  })
}

test('routeOf, conditions missing in the request: the message names them', () => {
  const routes = [route({ payout_type: 'local', network: 'chats' })]
  const [refused] = refusalOf(() =>
    routeOf(routes, live, { ...subject, network: '', country: '' }, 'type'),
  )
  assert.match(refused ?? '', /network \(not named\), currency HKD, country \(not named\)/)
  assert.match(refused ?? '', /there is no route for network \(not named\)\.$/)
})

test('conditionWords, route: its conditions, or "any payout"', () => {
  assert.equal(conditionWords(anyRoute), 'any payout')
  assert.equal(
    conditionWords(route({ ...subject, account_id: 'acc_1' })),
    'account acc_1, type local, network chats, currency HKD, country HK',
  )
  const range = { currency: 'HKD', min_amount: 100n, max_amount: 500_000n }
  assert.equal(conditionWords(route(range)), 'currency HKD, amount from 1.00 to 5000.00')
  assert.equal(
    conditionWords(route({ currency: 'JPY', max_amount: 500n })),
    'currency JPY, amount to 500',
  )
})
