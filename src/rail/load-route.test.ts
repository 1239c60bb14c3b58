// Routes and their timetables as operators write them: what is read, and every mistake with its message.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { account } from '../../test/support/given/in-memory.ts'
import { COUNTRIES } from '../network/country.ts'
import { NETWORKS } from '../network/local.ts'
import {
  type RouteCells,
  readConditions,
  readTarget,
  readTimetable,
  type TimetableCells,
} from './load-route.ts'

const VOCABULARY = {
  payout_types: ['local', 'swift', 'wallet', 'service_account'],
  account: undefined,
  networkName: (type: string, name: string) =>
    NETWORKS.find(known => type === 'local' && known.name === name)?.name,
  countryFault: (_type: string, code: string) =>
    COUNTRIES.has(code) ? undefined : `unknown country ${code}`,
}

const CONDITIONS: readonly (readonly [cells: RouteCells, message: RegExp])[] = [
  [{ type: 'locl' }, /^unknown type locl; .*; did you mean local\?$/],
  [{ type: 'service_account' }, /needs no route$/],
  [{ currency: 'HKX' }, /^unknown currency HKX; did you mean [A-Z]{3}\?$/],
  [{ country: 'UK' }, /^unknown country UK; did you mean [A-Z]{2}\?$/],
  [{ network: 'chats' }, /^a network needs the type it belongs to$/],
  [{ type: 'local', network: 'chat' }, /^unknown network chat of .*; did you mean chats\?$/],
  [{ type: 'local', network: 'chats', currency: 'USD' }, /^network chats carries HKD and no USD$/],
  [{ type: 'swift', network: 'chats' }, /^unknown network chats of type swift$/],
  [{ minAmount: '5' }, /^an amount needs the currency that it is in$/],
  [
    { currency: 'JPY', maxAmount: '5.5' },
    /^--max-amount "5.5" is not an amount in JPY: digits, and at most 0 after a point$/,
  ],
  [{ currency: 'USD', minAmount: '0' }, /^--min-amount "0" is not an amount in USD/],
  [
    { currency: 'USD', minAmount: '9', maxAmount: '8.99' },
    /^--min-amount 9 is more than --max-amount 8.99$/,
  ],
]

function assertOnly(messages: readonly string[] = [], message: RegExp): void {
  assert.equal(messages.length, 1, messages.join('; '))
  assert.match(messages[0] ?? '', message)
}

for (const [cells, message] of CONDITIONS) {
  test(`a route with ${JSON.stringify(cells)}: refused`, () => {
    assertOnly(readConditions(cells, VOCABULARY).messages, message)
  })
}

test('a route of a sandbox: refused', () => {
  const sandbox = { ...account, sandbox: true }
  const { messages } = readConditions({}, { ...VOCABULARY, account: sandbox })
  assertOnly(messages, /^account acc_1 is a sandbox: the simulator takes its payouts/)
})

const TARGETS: readonly (readonly [rail: string, priority: string | undefined, message: RegExp])[] =
  [
    ['manuel', undefined, /^unknown rail manuel; the rails are manual; did you mean manual\?$/],
    [
      'simulator',
      undefined,
      /^the simulator takes the payouts of sandbox accounts, and of no live/,
    ],
    ['manual', '1001', /^priority "1001" is not a whole number/],
    ['manual', '1.5', /^priority "1\.5" is not a whole number/],
  ]

for (const [rail, priority, message] of TARGETS) {
  test(`a route to ${rail}, priority ${priority}: refused`, () => {
    assertOnly(readTarget(rail, priority, ['manual']).messages, message)
  })
}

test('a route: capitals do not matter, the priority is 0 unless it is said', () => {
  const cells = { type: 'Local', network: 'chats', currency: 'hkd', country: 'hk', maxAmount: '9' }
  assert.deepEqual(readConditions(cells, VOCABULARY).value, {
    account_id: null,
    payout_type: 'local',
    network: 'chats',
    currency: 'HKD',
    country: 'HK',
    min_amount: null,
    max_amount: 900n,
  })
  assert.deepEqual(readTarget('Manual', undefined, ['manual']).value, {
    rail: 'manual',
    priority: 0,
  })
})

const whole = { cutOff: '15:00', calendar: 't2', zone: 'UTC' }
const TIMETABLES: readonly (readonly [cells: TimetableCells, message: RegExp])[] = [
  [{ cutOff: '15:00', zone: 'UTC' }, /^a cut-off needs a calendar; the calendars are t2, fed, uk/],
  [{ ...whole, calendar: 't3' }, /^no calendar t3; the calendars are t2/],
  [{ ...whole, cutOff: '24:00' }, /"24:00" is no local time/],
  [{ cutOff: '15:00', calendar: 't2' }, /^a cut-off needs a --zone, such as Europe\/Berlin/],
  [{ ...whole, zone: 'Europe/Berlyn' }, /^unknown time zone Europe\/Berlyn/],
  [{ ...whole, lead: '0' }, /^--lead "0" is not a whole number from 1 to 1440$/],
  [{ ...whole, arrivesAfter: '31' }, /^--arrives-after "31" is not a whole number from 0 to 30$/],
  [{ zone: 'UTC' }, /need a --cut-off$/],
  [{ cutOff: false, calendar: 't2' }, /need a --cut-off$/],
]

for (const [cells, message] of TIMETABLES) {
  test(`a timetable of ${JSON.stringify(cells)}: refused`, () => {
    assertOnly(readTimetable(cells).messages, message)
  })
}
