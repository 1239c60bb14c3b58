// Routes and their cut-offs as operators ask for them: every mistake, its member and its message.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertRefusedAt } from '../../test/support/assert/refusal.ts'
import { account } from '../../test/support/given/in-memory.ts'
import { COUNTRIES } from '../values/network/country.ts'
import { NETWORKS } from '../values/network/local.ts'
import { type AskedConditions, judgeConditions, judgeCutOff, judgeRail } from './asked-route.ts'

const KNOWN = {
  account: undefined,
  networkName: (type: string, name: string) =>
    NETWORKS.find(known => type === 'local' && known.name === name)?.name,
  countryFault: (_type: string, code: string) =>
    COUNTRIES.has(code) ? undefined : `unknown country ${code}`,
}

const CONDITIONS: readonly (readonly [asked: AskedConditions, member: string, RegExp])[] = [
  [{ type: 'service_account' }, 'type', /needs no route/],
  [{ currency: 'HKX' }, 'currency', /^There is no currency HKX; did you mean [A-Z]{3}\?/],
  [{ country: 'UK' }, 'country', /^unknown country UK; did you mean [A-Z]{2}\?$/],
  [{ network: 'chats' }, 'network', /needs the type that it belongs to/],
  [{ type: 'local', network: 'chat' }, 'network', /no network chat .*; did you mean chats\?/],
  [
    { type: 'local', network: 'chats', currency: 'USD' },
    'network',
    /^Network chats carries HKD and no USD/,
  ],
  [{ type: 'swift', network: 'chats' }, 'network', /no network chats of type swift/],
  [{ min_amount: 5 }, 'currency', /needs the currency that it is in/],
  [{ currency: 'USD', min_amount: 900, max_amount: 899 }, 'min_amount', /more than max_amount/],
]

for (const [asked, member, message] of CONDITIONS) {
  test(`judgeConditions of a route, ${JSON.stringify(asked)}: refused at ${member}`, () => {
    assertRefusedAt(() => judgeConditions(asked, KNOWN), member, message)
  })
}

test('judgeConditions of a route, sandbox account: refused at account_id', () => {
  const known = { ...KNOWN, account: { ...account, sandbox: true } }
  assertRefusedAt(
    () => judgeConditions({}, known),
    'account_id',
    /^Account acc_1 is a sandbox: the simulator takes its payouts/,
  )
})

test('judgeConditions of a route, valid conditions: stored in the route', () => {
  const asked = { type: 'local', network: 'chats', currency: 'HKD', country: 'HK', max_amount: 900 }
  assert.deepEqual(judgeConditions(asked, KNOWN), {
    account_id: null,
    payout_type: 'local',
    network: 'chats',
    currency: 'HKD',
    country: 'HK',
    min_amount: null,
    max_amount: 900n,
  })
})

test('judgeRail, rail name in upper case: the rail; unknown rail or simulator: refused', () => {
  assert.equal(judgeRail('Manual', ['manual']), 'manual')
  assertRefusedAt(() => judgeRail('manuel', ['manual']), 'rail', /did you mean manual\?/)
  assertRefusedAt(() => judgeRail('simulator', ['manual']), 'rail', /^The simulator takes the/)
})

test('judgeCutOff, no cut-off: null; unknown zone: refused; no lead time: 30 minutes', () => {
  assert.equal(judgeCutOff(undefined), null)
  const asked = { time: '15:00', zone: 'UTC', calendar: 't2' } as const
  assertRefusedAt(() => judgeCutOff({ ...asked, zone: 'Europe/Berlyn' }), 'cut_off.zone', /Berlyn/)
  assertRefusedAt(() => judgeCutOff(asked, true), 'no_cut_off', /has a cut-off or none/)
  assert.deepEqual(judgeCutOff(asked), {
    ...{ calendar: 't2', cut_off: '15:00', zone: 'UTC' },
    ...{ lead_minutes: 30, arrival_days: null },
  })
})
