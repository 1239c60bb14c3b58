// Derives a payout's steps, amounts and next question from the steps that a connector reports.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { STEP_STATUSES } from './protocol.ts'
import {
  amountProblem,
  askAgainIn,
  ENDED_FOR_MS,
  hasNoMoney,
  historyProblem,
  type ReportedStep,
  readSteps,
  shortReturn,
} from './steps.ts'

/** Steps of these statuses, numbered as they came. */
function reported(...statuses: readonly string[]): ReportedStep[] {
  return statuses.map((status, i) => ({ number: i + 1, status, code: 'X1', message: 'Why.' }))
}

const statusesOf = (...statuses: readonly string[]) =>
  readSteps(reported(...statuses)).steps.map(({ status }) => status)

const COURSES: readonly (readonly [history: string, steps: string])[] = [
  ['accepted', ''],
  ['accepted processing', ''],
  ['accepted paid', 'succeeded'],
  ['paid', 'succeeded'],
  ['accepted rejected', 'failed'],
  ['accepted cancelled', 'failed'],
  ['accepted not_taken', ''],
  ['accepted paid returned', 'succeeded reversed'],
  ['accepted on_hold paid', 'compliance_hold succeeded'],
  ['accepted on_hold processing paid', 'compliance_hold processing succeeded'],
  ['requires_action processing paid', 'requires_action processing succeeded'],
  ['requires_action requires_action', 'requires_action processing requires_action'],
  ['on_hold requires_action', 'compliance_hold processing requires_action'],
  ['accepted a_later_word paid', 'succeeded'],
  ['a_later_word', ''],
]

for (const [history, steps] of COURSES) {
  test(`connector reports ${history}: steps ${steps === '' ? 'none' : steps}`, () => {
    assert.equal(statusesOf(...history.split(' ')).join(' '), steps)
    assert.equal(readSteps(reported(...history.split(' '))).exception, undefined)
  })
}

test("connector reports rejected: the provider's code is in the message", () => {
  const [step] = readSteps(reported('rejected')).steps
  assert.deepEqual(step?.failure, {
    code: 'PF000600',
    category: 'rejected',
    message: 'X1: Why.',
  })
})

test('connector reports returned: marked as requested by payer or payee only if the code means so', () => {
  const wishOf = (status: string, code: string) =>
    readSteps([
      ...(status === 'returned' ? reported('paid') : []),
      { number: status === 'returned' ? 2 : 1, status, code, message: 'Why.' },
    ]).steps.at(-1)?.at_wish
  for (const status of ['rejected', 'cancelled', 'returned']) {
    const wished = ['CUST', 'FOCR'].map(code => wishOf(status, code))
    const others = ['AC04', 'X1', ''].map(code => wishOf(status, code))
    assert.deepEqual(
      [wished, others],
      [
        [true, true],
        [undefined, undefined, undefined],
      ],
      status,
    )
  }
  assert.equal(wishOf('paid', 'CUST'), undefined)
})

test('connector reports not_taken: no step, failover allowed', () => {
  const { steps, not_taken } = readSteps(reported('accepted', 'not_taken'))
  assert.deepEqual([steps, not_taken], [[], { code: 'X1', message: 'Why.' }])
})

test('connector reports not_taken, then an unknown status: failover still allowed', () => {
  const { not_taken } = readSteps(reported('accepted', 'not_taken', 'a_later_word'))
  assert.deepEqual(not_taken, { code: 'X1', message: 'Why.' })
})

const IMPOSSIBLE: readonly (readonly [history: string, message: RegExp])[] = [
  ['rejected paid', /said paid after rejected/],
  ['rejected processing', /said processing after rejected/],
  ['paid rejected', /said rejected after paid/],
  ['paid paid', /said paid after paid/],
  ['paid processing', /said processing after paid/],
  ['accepted returned', /returned before it said paid/],
  ['paid returned returned', /said returned after returned/],
  ['cancelled paid', /said paid after cancelled/],
  ['accepted rejected paid', /said paid after rejected/],
  ['not_taken accepted', /said accepted after not_taken/],
]

for (const [history, message] of IMPOSSIBLE) {
  test(`connector reports ${history}: an exception, no step`, () => {
    const { steps, exception, not_taken } = readSteps(reported(...history.split(' ')))
    assert.deepEqual(steps, [])
    assert.equal(exception?.kind, 'contradiction')
    assert.match(exception?.message ?? '', message)
    assert.equal(not_taken, undefined)
  })
}

test('connector reports with a repeated, missing or exchanged step number: an exception', () => {
  const rows: readonly (readonly number[])[] = [[2, 1], [1, 1], [1, 3], [2]]
  for (const numbers of rows) {
    const steps = numbers.map(number => ({ number, status: 'accepted', code: '', message: '' }))
    assert.match(historyProblem(steps), /where step \d is next/)
  }
})

test('connector reports random statuses: only rejected or cancelled fails the payout', () => {
  const status = fc.constantFrom(...Object.keys(STEP_STATUSES), 'unknown', 'RJCT')
  fc.assert(
    fc.property(fc.array(status, { maxLength: 8 }), history => {
      const { steps, exception, not_taken } = readSteps(reported(...history))
      const names = steps.map(({ status }) => status)
      if (names.includes('failed')) {
        assert.ok(history.includes('rejected') || history.includes('cancelled'))
        assert.ok(!names.includes('succeeded'))
      }
      if (not_taken !== undefined) {
        assert.ok(!history.includes('paid') && exception === undefined && names.at(-1) !== 'failed')
      }
      // An impossible history gives no step. A longer history keeps its earlier steps.
      if (exception !== undefined) return assert.deepEqual(steps, [])
      history.forEach((_, i) => {
        const earlier = readSteps(reported(...history.slice(0, i))).steps
        assert.deepEqual(steps.slice(0, earlier.length), earlier)
      })
    }),
  )
})

test('next question to a connector: seconds apart for a new payment, daily for 60 days after its end', () => {
  const age = (since_opened_ms: number, since_ended_ms = 0) => ({ since_opened_ms, since_ended_ms })
  const DAY_MS = 86_400_000
  assert.equal(askAgainIn(reported('accepted'), age(0), null), 1_000)
  assert.equal(askAgainIn([], age(60_000), null), 6_000)
  assert.equal(askAgainIn(reported('accepted'), age(DAY_MS), null), 900_000)
  assert.equal(askAgainIn(reported('accepted', 'paid'), age(0), null), DAY_MS)
  assert.equal(askAgainIn(reported('paid'), age(0, ENDED_FOR_MS - 1), null), DAY_MS)
  assert.equal(askAgainIn(reported('paid', 'a_later_word'), age(0, ENDED_FOR_MS), null), null)
  for (const end of ['rejected', 'cancelled', 'not_taken']) {
    assert.equal(askAgainIn(reported(end), age(0), null), DAY_MS)
    assert.equal(askAgainIn(reported(end), age(0, ENDED_FOR_MS), null), null)
  }
  assert.equal(askAgainIn(reported('paid', 'returned'), age(0), null), DAY_MS)
})

test("next question to a connector, payment ended: never after the key's lifetime", () => {
  const DAY_MS = 86_400_000
  const at = (since_opened_ms: number) =>
    askAgainIn(reported('paid'), { since_opened_ms, since_ended_ms: 0 }, 7 * DAY_MS)
  assert.deepEqual([at(0), at(7 * DAY_MS - 5), at(7 * DAY_MS)], [DAY_MS, 5, null])
})

/** A step with no code and no message, but for these members. */
const step = (
  number: number,
  status: string,
  members: Partial<ReportedStep> = {},
): ReportedStep => ({
  number,
  status,
  code: '',
  message: '',
  ...members,
})
const failure = (code: string, category: string, message: string) => ({ code, category, message })

for (const [what, history, wanted] of [
  [
    'requested documents',
    [step(1, 'requires_action', { message: 'Which invoice?' })],
    [{ status: 'requires_action', failure: null, description: 'Which invoice?' }],
  ],
  [
    'two waits in succession',
    [step(1, 'on_hold', { message: 'Looking.' }), step(2, 'requires_action', { message: 'Who?' })],
    [
      { status: 'compliance_hold', failure: null, description: 'Looking.' },
      { status: 'processing', failure: null },
      { status: 'requires_action', failure: null, description: 'Who?' },
    ],
  ],
  [
    'a hold after a question',
    [step(1, 'requires_action'), step(2, 'on_hold')],
    [
      { status: 'requires_action', failure: null, description: '' },
      { status: 'processing', failure: null },
      { status: 'compliance_hold', failure: null, description: '' },
    ],
  ],
  [
    'a wait that ends with an unknown status',
    [step(1, 'on_hold'), step(2, 'accepted'), step(3, 'looked_at'), step(4, 'paid')],
    [
      { status: 'compliance_hold', failure: null, description: '' },
      { status: 'processing', failure: null },
      { status: 'succeeded', failure: null },
    ],
  ],
  [
    'a rejection with code, message and category',
    [step(1, 'rejected', { code: 'X1', message: 'Closed.', category: 'account' })],
    [{ status: 'failed', failure: failure('PF000600', 'account', 'X1: Closed.') }],
  ],
  [
    'a rejection with only a message',
    [step(1, 'rejected', { code: ' ', message: 'Closed.', category: '' })],
    [{ status: 'failed', failure: failure('PF000600', 'rejected', 'Closed.') }],
  ],
  [
    'a cancellation without a message',
    [step(1, 'cancelled')],
    [{ status: 'failed', failure: failure('PF000610', 'cancelled', 'No reason was given.') }],
  ],
  [
    'a return',
    [step(1, 'paid'), step(2, 'returned', { code: 'R1' })],
    [
      { status: 'succeeded', failure: null },
      { status: 'reversed', failure: failure('PR000600', 'returned', 'R1') },
    ],
  ],
] as const) {
  test(`connector reports, ${what}: steps with their messages`, () => {
    assert.deepEqual(readSteps(history), { steps: wanted })
  })
}

test('connector reports, one step number missing: the exception names the next expected number', () => {
  const { exception } = readSteps([step(1, 'accepted'), step(3, 'paid')])
  assert.equal(exception?.message, 'Step 3 (paid) came where step 2 is next.')
})

const ORDERED = { amount: 1_000n, currency: 'EUR' }

/** A step's status and money, the wrong amount of the exception, and the short return. */
const AMOUNTS: readonly (readonly [
  string,
  Partial<ReportedStep>,
  wrong: string,
  short?: string,
])[] = [
  ['paid', {}, ''],
  ['paid', { amount: null, currency: '' }, ''],
  ['paid', { amount: 1_000n, currency: 'EUR' }, ''],
  ['paid', { amount: 999n }, 'EUR 9.99'],
  ['paid', { amount: 1_001n }, 'EUR 10.01'],
  ['paid', { currency: 'USD' }, 'USD 10.00'],
  ['accepted', { amount: 1n, currency: 'USD' }, ''],
  ['returned', {}, ''],
  ['returned', { amount: 1_000n }, ''],
  ['returned', { amount: 950n }, '', 'EUR 9.50'],
  ['returned', { amount: 949n }, 'EUR 9.49', 'EUR 9.49'],
  ['returned', { amount: 1n }, 'EUR 0.01', 'EUR 0.01'],
  ['returned', { amount: 1_000n, currency: 'USD' }, 'USD 10.00', 'USD 10.00'],
  ['returned', { amount: 1_001n }, 'EUR 10.01', 'EUR 10.01'],
  ['returned', { amount: 0n }, 'EUR 0.00', 'EUR 0.00'],
  ['returned', { amount: 0n, currency: 'USD' }, 'USD 0.00', 'USD 0.00'],
]

for (const [status, money, wrong, short] of AMOUNTS) {
  const { amount = 'no amount', currency = '' } = money
  test(`connector reports ${status} with ${amount} ${currency}: ${wrong || 'amount accepted'}`, () => {
    const history = [step(1, 'accepted'), step(2, status, money)]
    const sentence = `The rail says ${status} ${wrong}, and EUR 10.00 was ordered.`
    assert.equal(amountProblem(history, ORDERED), wrong === '' ? '' : sentence)
    assert.equal(shortReturn(history, ORDERED), short)
  })
}

test('hasNoMoney, last known connector report rejected, cancelled, not_taken or returned: true; otherwise false', () => {
  const none = ['rejected', 'not_taken', 'cancelled', 'paid returned', 'rejected a_later_word']
  for (const history of none)
    assert.equal(hasNoMoney(reported(...history.split(' '))), true, history)
  for (const history of ['', 'accepted', 'paid', 'a_later_word']) {
    assert.equal(hasNoMoney(reported(...history.split(' ').filter(Boolean))), false, history)
  }
})
