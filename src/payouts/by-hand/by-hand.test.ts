// Payouts that people pay by hand: who may take, release and move one, and what a person must send.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  AN_HOUR_AGO,
  intentFor,
  NOW,
  payoutState,
  refusalOf,
  request,
} from '../../../test/support/given/in-memory.ts'
import type { RailStatus } from '../../rails/rail.ts'
import { decidePayout } from '../create/create.ts'
import type { Payout } from '../payout.ts'
import { checkPerson, decideHandling, type Handling, operatorStep, type Person } from './by-hand.ts'

const made: Payout = {
  ...decidePayout(payoutState(), intentFor(payoutState(), request)).payout,
  rail: 'manual',
}
const taken: Payout = { ...made, taken_by: 'anna', taken_at: AN_HOUR_AGO }
const PAYOUTS = {
  made,
  taken,
  asks: { ...taken, status: 'requires_action' },
  succeeded: { ...taken, status: 'succeeded', rail_reference: 'B-1' },
  failed: { ...made, status: 'failed' },
  simulated: { ...made, rail: 'simulator' },
} as const satisfies Record<string, Payout>

type State = keyof typeof PAYOUTS

const ANOTHER = /taken by anna at 2026-01-31T08:30/

const HANDLED: readonly (readonly [
  state: State,
  name: string,
  act: Handling['act'],
  refused: RegExp | null,
  from?: string,
])[] = [
  ['made', 'anna', 'take', null],
  ['made', 'anna', 'release', /Nobody has taken payout pot_1/],
  ['taken', 'anna', 'take', ANOTHER],
  ['taken', 'ben', 'take', ANOTHER],
  ['taken', 'ben', 'take', ANOTHER, 'carl'],
  ['taken', 'ben', 'take', null, 'anna'],
  ['taken', 'ben', 'release', ANOTHER],
  ['taken', 'anna', 'release', null],
  ['asks', 'anna', 'take', /is requires_action; no person needs to pay it/, 'anna'],
  ['asks', 'anna', 'release', null],
  ['succeeded', 'anna', 'take', /is succeeded; no person needs to pay it/],
  ['succeeded', 'anna', 'release', /is succeeded; no person needs to pay it/],
  ['failed', 'anna', 'take', /is failed; no person needs to pay it/],
  ['simulated', 'anna', 'take', /goes to rail simulator; people pay payouts of rail manual/],
  ['made', '', 'take', /Set CORRIDOR_USER to your name/],
]

for (const [state, name, act, words, from] of HANDLED) {
  const whose = from === undefined ? '' : ` from ${from}`
  test(`decideHandling, ${state}, ${act} by ${name}${whose}: ${words === null ? 'done' : 'refused'}`, () => {
    const handling = { act, person: { name }, ...(from !== undefined && { from }) }
    const handle = () => decideHandling(PAYOUTS[state], handling, NOW)
    if (words !== null) assert.match(refusalOf(handle).join('; '), words)
    else assert.equal(handle().taken_by, act === 'take' ? name : '')
  })
}

test("decideHandling, database log-in without a person's name: refused", () => {
  const person = { name: 'root', is_login: true }
  assert.match(
    refusalOf(() => decideHandling(made, { act: 'take', person }, NOW)).join('; '),
    /others may share the log-in "root"/,
  )
})

const REFERENCE = { reference: 'B-2' }
const REASON = { reason: 'Closed' }
const NO_REASON = /^invalid_field at reason: Send the reason why the money goes back/

const MOVED: readonly (readonly [
  state: State,
  name: string,
  to: RailStatus,
  words: Partial<Person>,
  refused: RegExp | null,
])[] = [
  ['made', 'anna', 'succeeded', REFERENCE, /Nobody has taken payout pot_1; take it/],
  ['made', 'anna', 'failed', {}, NO_REASON],
  ['made', 'anna', 'failed', REASON, null],
  ['taken', 'anna', 'succeeded', {}, /^invalid_field at reference: Send the reference that the/],
  ['taken', 'anna', 'succeeded', REFERENCE, null],
  ['taken', 'anna', 'failed', {}, NO_REASON],
  ['taken', 'ben', 'succeeded', REFERENCE, ANOTHER],
  ['taken', 'ben', 'failed', REASON, ANOTHER],
  ['taken', 'anna', 'requires_action', {}, null],
  ['succeeded', 'ben', 'reversed', {}, NO_REASON],
  ['succeeded', 'ben', 'reversed', REASON, null],
  ['simulated', 'ben', 'succeeded', {}, null],
]

for (const [state, name, to, words, refused] of MOVED) {
  test(`checkPerson, ${state} to ${to} by ${name} with ${JSON.stringify(words)}: ${refused === null ? 'accepted' : 'refused'}`, () => {
    const check = () =>
      checkPerson(PAYOUTS[state], [{ status: to, failure: null }], { name, ...words })
    if (refused === null) check()
    else assert.match(refusalOf(check).join('; '), refused)
  })
}

test('checkPerson, bank reference already used for another payout: refused, unless forced', () => {
  const steps = [{ status: 'succeeded', failure: null }] as const
  const elsewhere = { account_id: 'acc_2', id: 'pot_2' }
  const person = { name: 'anna', ...REFERENCE }
  assert.match(
    refusalOf(() => checkPerson(taken, steps, person, elsewhere)).join('; '),
    /^reference_already_used at reference: .*"B-2" has already paid payout pot_2 of account acc_2/,
  )
  checkPerson(taken, steps, { ...person, force: true }, elsewhere)
})

test(`operatorStep, "at the account's or payee's request": allowed only for steps that give money back`, () => {
  for (const status of ['failed', 'reversed'] as const) {
    assert.equal(operatorStep(status, { at_wish: true }).at_wish, true)
    assert.equal(operatorStep(status, {}).at_wish, undefined)
  }
  for (const status of ['succeeded', 'processing', 'requires_action'] as const) {
    const said = refusalOf(() => operatorStep(status, { at_wish: true })).join('; ')
    assert.match(said, /at at_wish: Only failed and reversed are at a wish/, status)
  }
})
