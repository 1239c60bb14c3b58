// The options of a payout, as tables: the list, its order, and the refusals.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { account, anyRoute, feeRow, NOW, pricing } from '../../../test/support/given/in-memory.ts'
import type { Route } from '../../rails/rules.ts'
import { totalDebit } from '../rules.ts'
import type { OptionsRequest } from './request.ts'
import { payoutOptions, waysOf } from './rules.ts'

const inEuro: OptionsRequest = { payout_info: { currency: 'EUR', amount: 10_000 } }
const times = { now: NOW, at: NOW }

/** `local sepa`, `swift ours`. */
const wayOf = ({
  payout_type,
  local,
  local_payment_network,
  wallet,
  swift,
}: ReturnType<typeof waysOf>[number]) =>
  [
    payout_type,
    local?.fund_transfer_network ??
      local_payment_network?.type ??
      wallet?.type ??
      swift?.charge_type,
  ].join(' ')

test('waysOf, payout in EUR: by bank with each charge type, and over each network', () => {
  assert.deepEqual(waysOf(inEuro).map(wayOf), [
    'swift shared',
    'swift ours',
    'local eur_chats',
    'local sepa',
    'local sepa_instant',
    'local target2',
    'local_payment_network bizum',
  ])
})

test('waysOf, destination currency is a token: each chain that carries the token, no bank', () => {
  const ways = waysOf({ payout_info: { currency: 'USDC', amount: 5 } })
  assert.ok(ways.length > 3)
  for (const { payout_type } of ways) assert.equal(payout_type, 'wallet')
  const destination_info = { currency: 'HKD', country: 'HK' }
  const [first] = waysOf({ payout_info: { currency: 'USDC', amount: 5 }, destination_info })
  assert.deepEqual([first?.payout_type, first?.destination_info], ['swift', destination_info])
})

const fees = [
  feeRow({ payout_type: 'swift', charge_type: 'ours', fee_currency: 'EUR', fixed_amount: 900n }),
  feeRow({ payout_type: 'swift', charge_type: 'shared', fee_currency: 'EUR', fixed_amount: 300n }),
  feeRow({ payout_type: 'local', network: 'sepa', fee_currency: 'EUR', fixed_amount: 20n }),
  feeRow({ payout_type: 'local', network: 'sepa_instant', fee_currency: 'EUR', fixed_amount: 20n }),
  feeRow({ payout_type: 'local', network: 'target2', fee_currency: 'EUR', fixed_amount: 500n }),
]
const priced = () => pricing({ 'EUR/USD': '1.1' }, fees)
const live = { ...account, sandbox: false, currencies: ['EUR', 'USD'] }
const options = (routes: readonly Route[], request: OptionsRequest = inEuro) =>
  payoutOptions(request, { account: live, routes }, { ...priced(), fee_required: true }, times)

test('payoutOptions: cheapest first, then quickest; refused options last', () => {
  const shown = options([anyRoute]).map(({ request, judged, problems }) => [
    wayOf(request),
    judged && totalDebit(judged.price),
    problems.map(({ reason }) => reason).join(),
  ])
  assert.deepEqual(shown, [
    ['local sepa_instant', 10_020n, ''],
    ['local sepa', 10_020n, ''],
    ['swift shared', 10_300n, ''],
    ['local target2', 10_500n, ''],
    ['swift ours', 10_900n, ''],
    ['local eur_chats', null, 'fee_unavailable'],
    ['local_payment_network bizum', null, 'fee_unavailable'],
  ])
})

test('payoutOptions, each option: its rail and failover rails, or the refusal if no route matches', () => {
  const routes = [
    { ...anyRoute, payout_type: 'local', network: 'sepa', rail: 'bank' },
    { ...anyRoute, payout_type: 'local', rail: 'second' },
  ]
  const shown = options(routes).map(({ request, judged, failover, problems }) => [
    wayOf(request),
    judged?.routed.rail ?? problems[0]?.reason,
    failover.join(),
  ])
  assert.deepEqual(shown, [
    ['local sepa_instant', 'second', ''],
    ['local sepa', 'bank', 'second'],
    ['local target2', 'second', ''],
    ['swift shared', 'route_unavailable', ''],
    ['swift ours', 'route_unavailable', ''],
    ['local eur_chats', 'fee_unavailable', ''],
    ['local_payment_network bizum', 'route_unavailable', ''],
  ])
})

test('payoutOptions, country that a network does not serve: refused at the field', () => {
  const destination_info = { currency: 'EUR', country: 'HK' }
  const refused = options([anyRoute], { ...inEuro, destination_info }).filter(
    ({ request }) => request.local?.fund_transfer_network === 'sepa',
  )
  assert.deepEqual(
    refused.flatMap(({ problems }) => problems.map(({ reason, remarks }) => [reason, remarks])),
    [['invalid_field', 'destination_info.country']],
  )
})
