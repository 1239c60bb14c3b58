// The steps of a payout after its creation, as tables: the states and their steps (§state.table),
// the money that each step moves, who may cause which step, and when the rail is asked again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  AN_HOUR_AGO,
  anyRoute,
  bookWith,
  eventLines,
  feeRow,
  intentFor,
  LISTS_VERSION,
  lineId,
  NOW,
  payoutState,
  pricing,
  refusalOf,
  request,
  requestTo,
} from '../../../test/support/given/in-memory.ts'
import type { Book, Journal } from '../../ledger/rules.ts'
import type { Approval } from '../../parties/entity/entity.ts'
import type { RailStatus, RailStep } from '../../rails/rail.ts'
import type { BalanceTransaction } from '../../statements/balance-transaction/balance-transaction.ts'
import type { Timetable } from '../../values/calendar/calendar.ts'
import { instantAt, releaseOf } from '../../values/calendar/rules.ts'
import { decidePayout } from '../create/create.ts'
import type { OpenPayout, Payout } from '../payout.ts'
import type { PayoutRequest } from '../request.ts'
import { isFinal, PAYOUT_STATUSES, PAYOUT_TRANSITIONS, STEP_STATUSES } from '../states.ts'
import type { Advance } from './advance.ts'
import { type AdvanceState, decideAdvance } from './apply.ts'

test('table of payout states: every status, each with its next statuses', () => {
  assert.deepEqual(PAYOUT_STATUSES, [
    'pending_approval',
    'processing',
    'requires_action',
    'compliance_hold',
    'succeeded',
    'failed',
    'reversed',
  ])
  assert.deepEqual(PAYOUT_TRANSITIONS, {
    pending_approval: ['processing', 'compliance_hold', 'failed'],
    processing: ['succeeded', 'failed', 'requires_action', 'compliance_hold'],
    requires_action: ['processing', 'succeeded', 'failed'],
    compliance_hold: ['processing', 'succeeded', 'failed'],
    succeeded: ['reversed'],
    failed: [],
    reversed: [],
  })
  assert.deepEqual(PAYOUT_STATUSES.filter(isFinal), ['failed', 'reversed'])
})

/** The database's clock; the account's book is at NOW, ahead of it. */
const DB_NOW = '2026-01-31T09:00:00.000000Z'
const IN_5_S = '2026-01-31T09:00:05.000000Z'

interface Setting {
  readonly state: AdvanceState
  readonly payout: Payout
}

const toBank: PayoutRequest = { ...request, amount: 80_000, currency: 'HKD' }
const toAccount = requestTo('dep_2')
const approval = (approval_status: Approval['approval_status']): Approval => ({
  account_id: 'acc_1',
  id: 'ent_1',
  approval_status,
  updated_at: DB_NOW,
  decided_at: DB_NOW,
})

/**
 * A payout of 800.00 HKD, or of 100.00 USD to another account, made from 1,000.00 USD with a fee of
 * 0.17 USD. `part` then replaces its members.
 */
function made(
  part: Partial<OpenPayout> = {},
  { asked = toBank }: { asked?: PayoutRequest } = {},
): Setting {
  const books = new Map<string, Book>([
    ['acc_1', bookWith({ USD: 100_000n })],
    ['acc_2', bookWith({ USD: 5n }, 'acc_2')],
  ])
  const fee = { fixed_amount: 7n, variable_bps: 10 }
  const fees = [feeRow(fee), feeRow({ ...fee, payout_type: 'service_account' })]
  const before = payoutState({
    now: DB_NOW,
    books,
    approvals: new Map([['acc_1/ent_1', approval('pending')]]),
    pricing: () => pricing({ 'USD/HKD': '8' }, fees),
  })
  const { payout, entries } = decidePayout(before, intentFor(before, asked))
  const [debit] = entries
  assert.ok(debit)
  const now: OpenPayout = { ...payout, created_at: AN_HOUR_AGO, updated_at: AN_HOUR_AGO, ...part }
  const state = {
    now: DB_NOW,
    books,
    payouts: new Map([['acc_1/pot_1', now]]),
    read: new Map([['acc_1/pot_1', { ...now, is_open: true }]]),
    debits: new Map([['acc_1/pot_1', debit]]),
    approvals: new Map<string, Approval>(),
    receivers: new Map([['acc_1/pot_1', 'acc_2']]),
    attempts: new Map(),
    earlier: new Map(),
    exceptions: new Map(),
    paid_elsewhere: new Map(),
    present: new Map(),
    uses: [],
    confirmed: new Set<string>(),
    stored_matches: new Map(),
    lists_version: LISTS_VERSION,
    pending: new Map(),
    approvers: new Map(),
  }
  return { state, payout: now }
}

const held = (asked: PayoutRequest): PayoutRequest => ({ ...asked, on_behalf_of: 'ent_1' })

const failure = { code: 'X1', category: 'rail', message: 'No.' }
function stepsTo(...statuses: readonly RailStatus[]): RailStep[] {
  return statuses.map(status => ({
    status,
    failure: status === 'failed' || status === 'reversed' ? failure : null,
  }))
}

type Of<By> = Extract<Advance, { readonly by: By }>

function advance<By extends Advance['by']>(by: By, part: Partial<Of<By>> = {}) {
  const key = { account_id: 'acc_1', payout_id: 'pot_1' }
  return {
    ...key,
    by,
    ...(by === 'rail' && { steps: [], ask_again_in_ms: null }),
    ...part,
  } as Of<By>
}
const set = (...statuses: readonly RailStatus[]) =>
  advance('operator', { steps: stepsTo(...statuses) })

const availableOf = ({ books }: AdvanceState, id = 'acc_1') => books.get(id)?.balances.get('USD')
const journalLines = ({ kind, source, postings }: Journal) => [
  `${kind} ${source}`,
  ...postings.map(({ code, currency, amount }) => `${code} ${currency} ${amount}`),
]

for (const from of PAYOUT_STATUSES) {
  for (const to of STEP_STATUSES) {
    const waits = from === 'pending_approval' && to !== 'failed'
    const legal = PAYOUT_TRANSITIONS[from].includes(to) && !waits
    test(`decideAdvance, ${from} to ${to}: ${legal ? 'applied' : 'refused, nothing changes'}`, () => {
      const { state, payout } = made({ status: from })
      const books = structuredClone(state.books)
      if (legal) {
        const { payout: next } = decideAdvance(state, set(to))
        assert.equal(next.status, to)
        assert.equal(state.payouts.get('acc_1/pot_1'), next)
        return
      }
      assert.deepEqual(
        refusalOf(() => decideAdvance(state, set(to))),
        [
          waits
            ? 'invalid_transition at status: Payout pot_1 waits for its approval; until then it ' +
              'can only fail.'
            : `invalid_transition at status: Payout pot_1 cannot go from ${from} to ${to}.`,
        ],
      )
      assert.deepEqual(state.books, books)
      assert.equal(state.payouts.get('acc_1/pot_1'), payout)
    })
  }
}

test("decideAdvance, unknown payout or another account's: not found", () => {
  const { state } = made()
  const missing = ['not_found at the whole: No such object in this account.']
  for (const part of [{ payout_id: 'pot_2' }, { account_id: 'acc_2' }]) {
    assert.deepEqual(
      refusalOf(() => decideAdvance(state, { ...set('failed'), ...part })),
      missing,
    )
  }
})

// Money.

test('decideAdvance, succeeded: in_transit moves to settled, balance unchanged', () => {
  const { state, payout } = made()
  const { events, journals, ...rest } = decideAdvance(state, set('succeeded'))
  const taken_over_at = NOW
  const moved = { status: 'succeeded', ask_rail_at: null, taken_over_at, updated_at: NOW }
  const next = { ...payout, ...moved }
  assert.deepEqual(rest, {
    payout: next,
    versions: [next],
    entries: [],
    ended_hold: null,
    new_hold: null,
    approval: { decision: null, ended: null, payee: null },
    attempts: [],
    opened: [],
    exceptions: [],
    questions: [],
    matches: [],
    compared: null,
  })
  assert.deepEqual(events[0]?.data, {
    status: 'succeeded',
    previous_status: 'processing',
    failure: null,
    by: 'operator',
    journals: [2],
  })
  assert.deepEqual(journals.map(journalLines), [
    ['settlement pot_1', 'in_transit HKD -80000', 'settled HKD 80000'],
  ])
  assert.deepEqual(eventLines(events), [
    'acc_1 5 payout.succeeded pot_1 {"status":"succeeded","previous_status":"processing",' +
      '"failure":null,"by":"operator","journals":[2]}',
  ])
  assert.equal(availableOf(state), 89_983n)
})

const BACK = [
  [
    'failed',
    'processing',
    ['failure pot_1', 'available USD 10017', 'fees USD -17', 'fx USD -10000', 'fx HKD 80000'],
    'in_transit HKD -80000',
  ],
  [
    'reversed',
    'succeeded',
    ['reversal pot_1', 'available USD 10017', 'fees USD -17', 'fx USD -10000', 'fx HKD 80000'],
    'settled HKD -80000',
  ],
] as const

for (const [status, from, lines, last] of BACK) {
  test(`decideAdvance, ${status}: principal and fees credited, the same integers that were debited`, () => {
    const { state, payout } = made({ status: from })
    const debit = state.debits.get('acc_1/pot_1')
    assert.ok(debit)
    const { events, entries, journals, payout: next } = decideAdvance(state, set(status))
    assert.deepEqual(journals, [])
    const succeeded_at = status === 'reversed' ? payout.updated_at : null
    const facts = { status, failure, ask_rail_at: null, succeeded_at, updated_at: NOW }
    const moved = { ...facts, taken_over_at: NOW }
    assert.deepEqual(next, { ...payout, ...moved })
    const [{ journal, line } = assert.fail(), ...others] = entries
    assert.equal(others.length, 0)
    assert.deepEqual(journalLines(journal), [...lines, last])
    const expected: BalanceTransaction = {
      account_id: 'acc_1',
      id: lineId(2),
      journal_number: 2n,
      type: status === 'failed' ? 'payout_failure' : 'payout_reversal',
      operation_type: 'credit',
      currency: 'USD',
      amount: 10_000n,
      fixed_fee: 7n,
      variable_fee: 10n,
      net_amount: 10_017n,
      balance_after: 100_000n,
      fx_conversions: debit.line.fx_conversions,
      description: 'pot_1',
      source: lineId(1),
      metadata: {},
      created_at: NOW,
    }
    assert.deepEqual(line, expected)
    assert.equal(line.fx_conversions.length, 1)
    assert.equal(availableOf(state), 100_000n)
    assert.deepEqual(eventLines(events), [
      `acc_1 5 payout.${status} pot_1 {"status":"${status}","previous_status":"${from}",` +
        `"failure":${JSON.stringify(failure)},"by":"operator","journals":[2]}`,
      `acc_1 6 balance_transaction.created ${lineId(2)} {}`,
    ])
  })
}

for (const status of ['requires_action', 'compliance_hold'] as const) {
  test(`decideAdvance, ${status}: no posting`, () => {
    const { state } = made()
    const { entries, journals, events } = decideAdvance(state, set(status))
    assert.deepEqual([entries, journals, events.length], [[], [], 1])
    assert.equal(availableOf(state), 89_983n)
  })
}

test('decideAdvance, several steps: applied in order, one payout returned per step', () => {
  const { state } = made()
  const steps: RailStep[] = [
    { status: 'compliance_hold', failure: null, description: 'Checked by the bank.' },
    { status: 'succeeded', failure: null },
    { status: 'reversed', failure },
  ]
  const outcome = decideAdvance(state, advance('operator', { steps }))
  assert.deepEqual(
    outcome.versions.map(p => [p.status, p.status_description, p.failure]),
    [
      ['compliance_hold', 'Checked by the bank.', null],
      ['succeeded', '', null],
      ['reversed', '', failure],
    ],
  )
  assert.equal(outcome.versions.at(-1), outcome.payout)
  assert.deepEqual(
    [...outcome.journals, ...outcome.entries.map(({ journal }) => journal)].map(j => j.kind),
    ['settlement', 'reversal'],
  )
  assert.deepEqual(eventLines(outcome.events), [
    'acc_1 5 payout.compliance_hold pot_1 {"status":"compliance_hold",' +
      '"previous_status":"processing","failure":null,' +
      '"status_description":"Checked by the bank.","by":"operator","journals":[]}',
    'acc_1 6 payout.succeeded pot_1 {"status":"succeeded","previous_status":"compliance_hold",' +
      '"failure":null,"by":"operator","journals":[2],' +
      `"was":{"status_description":"Checked by the bank.","updated_at":"${NOW}"}}`,
    'acc_1 7 payout.reversed pot_1 {"status":"reversed","previous_status":"succeeded",' +
      `"failure":${JSON.stringify(failure)},"by":"operator","journals":[3],` +
      `"was":{"updated_at":"${NOW}"}}`,
    `acc_1 8 balance_transaction.created ${lineId(3)} {}`,
  ])
  assert.equal(availableOf(state), 100_000n)
})

test('decideAdvance, second step illegal: refused, first step not applied', () => {
  const { state, payout } = made()
  assert.deepEqual(
    refusalOf(() => decideAdvance(state, set('succeeded', 'failed'))),
    ['invalid_transition at status: Payout pot_1 cannot go from succeeded to failed.'],
  )
  assert.equal(state.books.get('acc_1')?.journal_count, 1n)
  assert.equal(state.payouts.get('acc_1/pot_1'), payout)
})

test('decideAdvance, debit of the payout not loaded: throws', () => {
  const { state } = made()
  assert.throws(
    () => decideAdvance({ ...state, debits: new Map() }, set('failed')),
    /^Error: payout pot_1 has no debit$/,
  )
})

const timetable: Timetable = {
  calendar: 't2',
  cut_off: '15:00',
  zone: 'Europe/Berlin',
  lead_minutes: 30,
  arrival_days: 0,
}
const timed = { ...anyRoute, timetable }

test('decideAdvance, hold ends, route with a cut-off: sent at the next release after now', () => {
  const { state } = made({ route: timed }, { asked: held(toBank) })
  const approvals = new Map([['acc_1/ent_1', approval('approved')]])
  const { payout: next } = decideAdvance({ ...state, approvals }, advance('review'))
  const release = releaseOf(timetable, NOW)
  assert.ok(release !== undefined && release.release_at > NOW)
  assert.equal(next.ask_rail_at, release.release_at)
  assert.equal(next.expected_at, instantAt('Europe/Berlin', release.value_date, '23:59'))
})

test('decideAdvance, hold ends after the last day of the calendar: refused, payout stays held', () => {
  const { state } = made(
    { route: timed, holding_fx_id: '', payout_fx_id: '' },
    { asked: held(toBank) },
  )
  const approvals = new Map([['acc_1/ent_1', approval('approved')]])
  const book = state.books.get('acc_1')
  assert.ok(book)
  const books = new Map([['acc_1', { ...book, now: '2029-01-02T08:00:00.000000Z' }]])
  const ended = { ...state, books, approvals }
  const before = structuredClone(ended)
  const [refused] = refusalOf(() => decideAdvance(ended, advance('review')))
  assert.match(refused ?? '', /^calendar_ended/)
  assert.deepEqual(ended, before)
})

for (const [status, ...steps] of [
  ['requires_action', 'processing', 'failed'],
  ['processing', 'succeeded', 'reversed'],
] as const) {
  test(`decideAdvance, ${steps}, second step would exceed the maximum balance: refused, nothing changes`, () => {
    const { state } = made({ status })
    state.books.get('acc_1')?.balances.set('USD', 2n ** 63n - 10_017n)
    const before = structuredClone(state)
    const [refused] = refusalOf(() => decideAdvance(state, set(...steps)))
    assert.match(refused ?? '', /^balance_limit_exceeded/)
    assert.deepEqual(state, before)
  })
}

test('decideAdvance, operator returns a submitted payout to processing: its rail is asked at once', () => {
  const had = { route: timed, rail_attempts: 1, status: 'requires_action' } as const
  const { state } = made(had)
  const steps = [{ status: 'processing', failure: null }] as const
  const { payout } = decideAdvance(state, advance('operator', { steps }))
  assert.equal(payout.ask_rail_at, DB_NOW)
})

test('decideAdvance, rail reports an expected arrival: stored; no arrival in the report: unchanged', () => {
  const soon = '2026-01-31T10:00:00.000000Z'
  const { state, payout } = made({ ask_rail_at: soon, expected_at: AN_HOUR_AGO })
  const silent = decideAdvance(state, advance('rail', { ask_again_in_ms: 1 }))
  assert.equal(silent.payout.expected_at, payout.expected_at)
  const reported = advance('rail', { ask_again_in_ms: 1, expected_at: soon })
  assert.equal(decideAdvance(state, reported).payout.expected_at, soon)
})

// To another account.

test('decideAdvance, held payout to another account released: receiver credited, payout succeeded', () => {
  const { state } = made({}, { asked: held(toAccount) })
  const approvals = new Map([['acc_1/ent_1', approval('approved')]])
  const outcome = decideAdvance({ ...state, approvals }, advance('review'))
  assert.deepEqual(
    [outcome.payout.status, outcome.payout.held_for, outcome.payout.ask_rail_at],
    ['succeeded', '', null],
  )
  assert.deepEqual(
    [...outcome.journals, ...outcome.entries.map(({ journal }) => journal)].map(journalLines),
    [
      ['settlement pot_1', 'in_transit USD -10000', 'inter_account USD 10000'],
      ['receipt pot_1', 'inter_account USD -10000', 'available USD 10000'],
    ],
  )
  assert.deepEqual([availableOf(state), availableOf(state, 'acc_2')], [89_983n, 10_005n])
  assert.deepEqual(eventLines(outcome.events), [
    'acc_1 6 payout.succeeded pot_1 {"status":"succeeded","previous_status":"compliance_hold",' +
      '"failure":null,"by":"review","journals":[2],' +
      '"was":{"status_description":"Held until entity ent_1 is reviewed."}}',
    `acc_2 1 balance_transaction.created ${lineId(1, 'acc_2')} {}`,
  ])
  assert.deepEqual(outcome.ended_hold, {
    account_id: 'acc_1',
    entity_id: 'ent_1',
    payout_id: 'pot_1',
  })
})

test('decideAdvance, held payout to another account fails: payer credited back', () => {
  const { state } = made({}, { asked: held(toAccount) })
  const { payout } = decideAdvance(state, set('failed'))
  assert.equal(payout.status, 'failed')
  assert.deepEqual([availableOf(state), availableOf(state, 'acc_2')], [100_000n, 5n])
})

test("decideAdvance, held payout would exceed the receiver's maximum balance: refused, nothing changes", () => {
  const { state } = made({}, { asked: held(toAccount) })
  state.books.get('acc_2')?.balances.set('USD', 2n ** 63n - 1n)
  const before = structuredClone(state)
  const [refused] = refusalOf(() => decideAdvance(state, set('succeeded')))
  assert.match(refused ?? '', /^balance_limit_exceeded/)
  assert.deepEqual(state, before)
})

test('decideAdvance, receiver not loaded: throws', () => {
  const { state } = made({}, { asked: held(toAccount) })
  const without = (receivers: AdvanceState['receivers']) => () =>
    decideAdvance({ ...state, receivers }, set('succeeded'))
  assert.throws(without(new Map()), /^Error: payout pot_1 has no receiver$/)
  const unlocked = new Map([['acc_1/pot_1', 'acc_3']])
  assert.throws(without(unlocked), /^Error: account acc_3 has no book$/)
})

test('decideAdvance, held payout to another account: can succeed or fail, then no further step', () => {
  const heldTransfer = made({}, { asked: held(toAccount) })
  assert.deepEqual(
    refusalOf(() => decideAdvance(heldTransfer.state, set('processing'))),
    [
      'invalid_transition at status: ' +
        'Payout pot_1 goes to another account: it can only succeed or fail.',
    ],
  )
  const done = made({}, { asked: toAccount })
  assert.equal(done.payout.status, 'succeeded')
  assert.deepEqual(
    refusalOf(() => decideAdvance(done.state, set('reversed'))),
    ['invalid_transition at status: Payout pot_1 went to another account and is final.'],
  )
  const { state } = made({}, { asked: held(toAccount) })
  const handedOver = made({ status: 'processing' }, { asked: toAccount })
  for (const act of [
    () => decideAdvance(state, set('succeeded', 'reversed')),
    () => decideAdvance(handedOver.state, set('failed')),
  ]) {
    assert.deepEqual(refusalOf(act), [
      'invalid_transition at status: Payout pot_1 went to another account and is final.',
    ])
  }
})

// By the review of the entity.

const REVIEWS: readonly (readonly [
  status: Approval['approval_status'] | undefined,
  payout: Payout['status'],
])[] = [
  ['approved', 'processing'],
  ['rejected', 'failed'],
  ['pending', 'compliance_hold'],
  ['requires_action', 'compliance_hold'],
  [undefined, 'compliance_hold'],
]

for (const [status, wanted] of REVIEWS) {
  test(`decideAdvance, payout held for an entity that is ${status ?? 'not loaded'}: ${wanted}`, () => {
    const { state, payout } = made({}, { asked: held(toBank) })
    assert.equal(payout.status, 'compliance_hold')
    const approvals = new Map(status && [['acc_1/ent_1', approval(status)]])
    const outcome = decideAdvance({ ...state, approvals }, advance('review'))
    const { payout: next, events, ended_hold } = outcome
    assert.equal(next.status, wanted)
    if (wanted === 'compliance_hold') {
      assert.deepEqual(next, payout)
      assert.deepEqual([events, ended_hold, outcome.versions], [[], null, []])
      return
    }
    assert.deepEqual(ended_hold, { account_id: 'acc_1', entity_id: 'ent_1', payout_id: 'pot_1' })
    assert.deepEqual([next.held_for, next.status_description], ['', ''])
    assert.equal(next.ask_rail_at, wanted === 'processing' ? DB_NOW : null)
    assert.deepEqual(
      next.failure,
      wanted === 'processing'
        ? null
        : {
            code: 'PF000300',
            category: 'compliance',
            message: 'Entity ent_1, for which the payout was made, is rejected.',
          },
    )
    assert.equal(availableOf(state), wanted === 'failed' ? 100_000n : 89_983n)
  })
}

for (const status of ['requires_action', 'compliance_hold'] as const) {
  test(`decideAdvance, entity reviewed after the hold ended, payout ${status}: nothing changes`, () => {
    const { state, payout } = made({ status, ask_rail_at: AN_HOUR_AGO })
    const approvals = new Map([['acc_1/', approval('rejected')]])
    const outcome = decideAdvance({ ...state, approvals }, advance('review'))
    assert.deepEqual(outcome.payout, payout)
    assert.deepEqual([outcome.events, outcome.ended_hold], [[], null])
  })
}

test('decideAdvance, operator sets a status of a held payout: the first step ends the hold', () => {
  const { state } = made({}, { asked: held(toBank) })
  const { payout, ended_hold } = decideAdvance(state, set('processing'))
  assert.equal(payout.held_for, '')
  assert.deepEqual(ended_hold, { account_id: 'acc_1', entity_id: 'ent_1', payout_id: 'pot_1' })
})

// By the account.

for (const status of ['processing', 'requires_action', 'compliance_hold'] as const) {
  test(`decideAdvance, account cancels a payout in status ${status}: failed, credited back`, () => {
    const { state } = made({ status })
    const { payout, events } = decideAdvance(state, advance('account'))
    assert.equal(payout.status, 'failed')
    assert.deepEqual(payout.failure, {
      code: 'PF000100',
      category: 'cancelled',
      message: 'Cancelled before the rail took it.',
    })
    assert.equal(payout.ask_rail_at, null)
    assert.equal(availableOf(state), 100_000n)
    assert.match(eventLines(events)[0] ?? '', /"by":"account","journals":\[2\]/)
  })
}

for (const status of ['succeeded', 'failed', 'reversed'] as const) {
  test(`decideAdvance, account cancels a payout in status ${status}: refused, naming the status`, () => {
    const { state } = made({ status, rail_attempts: 1 })
    assert.deepEqual(
      refusalOf(() => decideAdvance(state, advance('account'))),
      [
        'payout_not_cancellable at the whole: ' +
          `Payout pot_1 can no longer be cancelled: it is ${status}.`,
      ],
    )
  })
}

test('decideAdvance, account cancels after the rail was asked: refused', () => {
  const { state } = made({ rail_attempts: 1 })
  assert.deepEqual(
    refusalOf(() => decideAdvance(state, advance('account'))),
    [
      'payout_not_cancellable at the whole: ' +
        'Payout pot_1 can no longer be cancelled: the rail has it.',
    ],
  )
})

test('decideAdvance, answer to a required action: stored with its number, the rail is asked at once', () => {
  const first = { number: 1, created_at: AN_HOUR_AGO, note: 'first' }
  const { state } = made({ status: 'requires_action', answers: [first], ask_rail_at: null })
  const outcome = decideAdvance(state, advance('account', { answer: { note: 'second' } }))
  const { payout, events } = outcome
  assert.deepEqual(payout.answers, [first, { number: 2, created_at: NOW, note: 'second' }])
  assert.deepEqual([payout.status, payout.ask_rail_at], ['processing', DB_NOW])
  assert.equal(outcome.versions.at(-1), payout)
  assert.equal(state.payouts.get('acc_1/pot_1'), payout)
  assert.deepEqual(eventLines(events), [
    'acc_1 5 payout.processing pot_1 {"status":"processing","previous_status":"requires_action",' +
      '"failure":null,"answer":2,"by":"account","journals":[],"was":{"answered":1}}',
  ])
})

for (const status of ['processing', 'compliance_hold', 'succeeded', 'failed'] as const) {
  test(`decideAdvance, answer to a payout in status ${status}: refused`, () => {
    const { state } = made({ status })
    assert.deepEqual(
      refusalOf(() => decideAdvance(state, advance('account', { answer: { note: 'x' } }))),
      [`invalid_transition at the whole: Payout pot_1 requires no action: it is ${status}.`],
    )
  })
}

// By the rail: a history, whose first `rail_steps` steps are applied already.

const HISTORIES: readonly (readonly [
  what: string,
  part: Partial<Payout>,
  history: readonly RailStatus[],
  taken: readonly RailStatus[],
  rail_steps: number,
])[] = [
  ['no step', {}, [], [], 0],
  ['the first step', {}, ['succeeded'], ['succeeded'], 1],
  ['processing again', {}, ['processing'], [], 1],
  ['processing, then success', {}, ['processing', 'succeeded'], ['succeeded'], 2],
  [
    'processing again after a hold',
    { status: 'compliance_hold', rail_steps: 1 },
    ['compliance_hold', 'processing'],
    ['processing'],
    2,
  ],
  ['known steps', { rail_steps: 1, status: 'succeeded' }, ['succeeded'], [], 1],
  [
    'one step more',
    { rail_steps: 1, status: 'succeeded' },
    ['succeeded', 'reversed'],
    ['reversed'],
    2,
  ],
  [
    'fewer steps than known',
    { rail_steps: 2, status: 'compliance_hold' },
    ['compliance_hold'],
    [],
    2,
  ],
]

for (const [what, part, history, taken, rail_steps] of HISTORIES) {
  test(`decideAdvance, the rail reports ${what}: ${taken.join(', ') || 'no step'}`, () => {
    const { state } = made(part)
    const report = advance('rail', { steps: stepsTo(...history), ask_again_in_ms: 5_000 })
    const { payout, events } = decideAdvance(state, report)
    assert.deepEqual(
      events.filter(({ type }) => type.startsWith('payout.')).map(({ type }) => type.slice(7)),
      taken,
    )
    assert.equal(payout.rail_steps, rail_steps)
  })
}

const answer = { number: 1, created_at: NOW, note: 'n' }
const SOON = '2026-01-31T09:00:04.999999Z'
const claimed = (claimed_until: string) => ({ ask_rail_at: DB_NOW, claimed_until })
const ASKED: readonly (readonly [
  what: string,
  part: Partial<OpenPayout>,
  advance: Partial<Of<'rail'>>,
  ask_rail_at: string | null,
])[] = [
  ['reports no step', {}, {}, IN_5_S],
  ['reports that nothing will follow', {}, { ask_again_in_ms: null }, null],
  ['reports a failure', {}, { steps: stepsTo('failed') }, null],
  ['reports after a step of the operator', { ask_rail_at: null }, {}, null],
  ['reports with all answers received', { answers: [answer] }, { answers_seen: 1 }, IN_5_S],
  ['reports without a number of answers', { answers: [answer] }, {}, IN_5_S],
  ['reports before receiving the last answer', { answers: [answer] }, { answers_seen: 0 }, SOON],
  [
    'reports before receiving the last answer, and that nothing will follow',
    { answers: [answer] },
    { answers_seen: 0, ask_again_in_ms: null },
    SOON,
  ],
  [
    'reports a failure before receiving the last answer',
    { answers: [answer] },
    { answers_seen: 0, steps: stepsTo('failed') },
    null,
  ],
  ['reports under the current claim', claimed(SOON), { claim: SOON }, IN_5_S],
  ['reports under an old claim, the new one ends sooner', claimed(SOON), { claim: NOW }, DB_NOW],
  ['reports under an old claim, the new one ends in 5 s', claimed(IN_5_S), { claim: NOW }, IN_5_S],
  ['reports under an old claim, the new one ends later', claimed(NOW), { claim: SOON }, IN_5_S],
  ['reports under a claim ended by a person', {}, { claim: NOW }, SOON],
]

for (const [what, part, given, ask_rail_at] of ASKED) {
  test(`decideAdvance, the rail ${what}: next question ${ask_rail_at ?? 'never'}`, () => {
    const { state } = made({ ask_rail_at: SOON, ...part })
    const report = advance('rail', { ask_again_in_ms: 5_000, ...given })
    const { payout } = decideAdvance(state, report)
    assert.equal(payout.ask_rail_at, ask_rail_at)
    // A new due time ends the claim. The claim of another worker stays.
    const stays = ask_rail_at === part.ask_rail_at
    assert.equal(payout.claimed_until, stays ? (part.claimed_until ?? null) : null)
  })
}

test("decideAdvance, report made before the rail received the account's answer: its steps apply", () => {
  const { state } = made({ answers: [answer] })
  const report = advance('rail', { steps: stepsTo('processing'), answers_seen: 0 })
  assert.equal(decideAdvance(state, report).payout.rail_steps, 1)
})

test('decideAdvance, operator sets another status: the rail is not asked until the status is processing', () => {
  const hold = made({ ask_rail_at: SOON, rail_steps: 1 })
  const { payout: out } = decideAdvance(hold.state, set('compliance_hold'))
  assert.deepEqual([out.ask_rail_at, out.rail_steps], [null, 1])
  const { payout: back } = decideAdvance(hold.state, set('processing'))
  assert.deepEqual([back.ask_rail_at, back.rail_steps], [DB_NOW, 1])
})

test('decideAdvance, report without news: no step written, only the next time to ask', () => {
  const { state, payout } = made({ ask_rail_at: SOON, rail_steps: 1 })
  const steps = stepsTo('processing')
  const outcome = decideAdvance(state, advance('rail', { steps, ask_again_in_ms: 5_000 }))
  assert.deepEqual(outcome.payout, { ...payout, ask_rail_at: IN_5_S })
  assert.deepEqual([outcome.versions, outcome.events], [[], []])
})
