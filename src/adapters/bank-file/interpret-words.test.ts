// Interprets a payment's evidence apart from its steps: exceptions with their texts and codes,
// references for the timeline, evidence that a new file voids, and whether a debit stands.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  debit,
  type EvidenceInput,
  evidenceOf,
  FILE,
  group,
  item,
  RECEIVED_AT,
  returned,
  SEALED,
  status,
} from '../../../test/support/given/bank-evidence.ts'
import type { BankProfile } from '../../values/bank-format/bank-format.ts'
import { readProfile } from '../iso20022/profile.ts'
import { Bookings, type Evidence, isBooked } from './evidence.ts'
import { type Interpretation, interpret } from './interpret.ts'

const { value: GENERIC } = readProfile('generic')
assert.ok(GENERIC !== undefined)
/** Received before the sealing of its file: about an earlier file. */
const EARLIER = { received_at: '2026-11-22T10:00:00.000000Z' }
/** Money that comes back, without a reason. */
const credit = (change: Partial<Evidence> = {}) => returned({ reasons: [], ...change })

function interpreted(
  inputs: readonly EvidenceInput[],
  profile: Partial<BankProfile> = {},
): Interpretation {
  const subject = { item, profile: { ...(GENERIC as BankProfile), ...profile }, file: FILE }
  return interpret(inputs.map(evidenceOf), { ...subject, now: RECEIVED_AT })
}

const ACCEPTED = { settles_on: 'accepted' } as const
const OWN_CODE = { meanings: { WAIT: 'requires_action' } } as const

const EXCEPTIONS: readonly (readonly [message: string, ...inputs: EvidenceInput[]])[] = [
  ['second_debit: The bank has debited the payment twice.', debit(), debit('D-2 camt.053 17')],
  [
    'second_return: The bank has returned the payment twice.',
    debit(),
    credit(),
    credit({ reference: 'C-2 camt.053 18' }),
  ],
  [
    'rejected_but_booked: The bank has rejected the payment, and its debit is booked.',
    'RJCT/AC04',
    debit(),
  ],
  [
    'rejected_but_booked: The bank has rejected the payment, and its debit is booked.',
    group('RJCT/AC04'),
    debit(),
  ],
  [
    'paid_after_rejection: The bank has rejected the payment, and then says that it pays (AC04).',
    'RJCT/AC04',
    'ACSP',
  ],
  [
    'contradiction: The bank says that it pays and that it does not (DS01, DS05).',
    'RJCT/DS01/DS05',
  ],
  [
    'contradiction: The bank says that it pays and that it does not (AM04, AC04, AC06).',
    'RJCT/AM04',
    'RJCT/AC04/AC06',
  ],
  ['contradiction: The bank says that it pays and that it does not.', 'ACSP', group('RJCT/AC04')],
  [
    'amount_differs: The bank names another amount or currency (EUR 90.00 instead of EUR 100.00).',
    debit({ amount: 9_000n }),
  ],
  [
    'amount_differs: The bank names another amount or currency (XXQ 9000 instead of EUR 100.00).',
    debit({ amount: 9_000n, currency: 'XXQ' }),
  ],
  [
    'amount_differs: The bank names another amount or currency (no amount in EUR instead of EUR 100.00).',
    debit(),
    credit({ amount: null }),
  ],
  [
    'duplicate: The bank takes the payment for a repetition of one that it has (DU01, AM05).',
    'RJCT/DU01/AM05',
  ],
  [
    'group_rejected: ' +
      'The bank has rejected the group that the payment is in, and not the payment (AC04).',
    group('RJCT/AC04'),
  ],
  [
    'group_rejected: ' +
      'The bank has rejected the group that the payment is in, and not the payment (AC04).',
    group('ACSP'),
    group('RJCT/AC04'),
  ],
  ['no_funds: The settlement account is short (AM04).', 'PDNG/AM04'],
  ['no_funds: The settlement account is short (AM04).', 'PART/AM04'],
  ['no_funds: The settlement account is short (AM04).', 'RCVD/AM04'],
  [
    'needs_person: ' +
      'The bank waits for a person: a second signature, or the name of the payee (PATC, X001).',
    'PATC/X001',
  ],
  ['none', 'ACSP', 'PATC'],
  ['none', 'PATC', 'ACSP'],
  ['none', 'PATC', 'RJCT/AC04'],
  ['none', 'PDNG/AM04', 'RJCT/AC04'],
  ['none', 'RJCT/AC04', 'RJCT/AC04'],
  ['none', 'RJCT/FF10', 'RJCT/FF10'],
  ['none', 'RJCT/AC04', 'RJCT/FF10'],
  ['none', 'RJCT/DS01/AC04'],
  ['none', group('RJCT/AC04'), 'ACSP', 'RJCT/AC04'],
  ['none', status('RJCT/AC04', { level: 'note' })],
]

for (const [wanted, ...inputs] of EXCEPTIONS) {
  const words = inputs
    .map(evidenceOf)
    .map(({ level, code, reasons }) => [level, code, ...reasons].join(' '))
  test(`bank evidence ${words.join('; ')}: ${wanted}`, () => {
    const { exception } = interpreted(inputs)
    assert.equal(
      exception === undefined ? 'none' : `${exception.kind}: ${exception.message}`,
      wanted,
    )
  })
}

test('group rejected after its payment succeeded and was credited back: reversed, no exception', () => {
  const { steps, exception } = interpreted(
    [group('ACSP'), group('RJCT/AC04'), debit(), credit()],
    ACCEPTED,
  )
  assert.deepEqual([steps.at(-1)?.status, exception], ['reversed', undefined])
})

test('group rejected, then its payment accepted: exception "contradiction", no success', () => {
  const { steps, exception } = interpreted([group('RJCT/AC04'), 'ACSP'], ACCEPTED)
  assert.deepEqual([steps, exception?.kind], [[], 'contradiction'])
})

test('payment succeeded, then rejected for lack of funds: reversed, no failover', () => {
  const { steps, not_taken } = interpreted(['ACSP', 'RJCT/AM04'], ACCEPTED)
  const last = steps.at(-1)
  assert.deepEqual([last?.status, last?.failure?.code], ['reversed', 'PR000550'])
  assert.equal(not_taken, undefined)
})

for (const [text, wanted] of [
  ['RJCT/FF10', 'not taken: PF000570'],
  ['RJCT/FF10/DT05', 'not taken: PF000570'],
  ['RJCT/FF10/AC04', 'failed: PF000570'],
  ['RJCT', 'failed: PF000500'],
  ['CANC', 'failed: PF000595'],
] as const) {
  test(`bank status codes ${text}: ${wanted}`, () => {
    const { steps, not_taken } = interpreted([status(text)])
    const code = not_taken?.code ?? steps.at(-1)?.failure?.code
    assert.equal(`${not_taken === undefined ? 'failed' : 'not taken'}: ${code}`, wanted)
  })
}

test('cancelled payment: shows the codes of the cancellation', () => {
  const [step] = interpreted(['CANC/CUST']).steps
  assert.match(step?.failure?.message ?? '', /\(DS02, CUST\)/)
})

test('bank status that asks the account for data: requires_action with the codes, only while the bank has not decided', () => {
  const asked = 'WAIT/X001'
  assert.deepEqual(interpreted([asked], OWN_CODE).steps, [
    {
      status: 'requires_action',
      failure: null,
      description: 'The bank asks for more before it pays (WAIT, X001).',
    },
  ])
  for (const before of ['ACSP', 'RJCT/FF10', group('RJCT/AC04')]) {
    assert.deepEqual(interpreted([before, asked], OWN_CODE).steps, [])
  }
  assert.equal(interpreted([asked, asked], OWN_CODE).steps.length, 1)
  const going_on = interpreted([asked, 'ACSP'], OWN_CODE).steps
  assert.deepEqual(
    going_on.map(step => step.status),
    ['requires_action', 'processing'],
  )
})

for (const [what, inputs, wanted] of [
  ['a status', ['ACSP/X001'], { bank_status: 'ACSP X001' }],
  ['a status of the group', [group('ACSP')], {}],
  ['a debit', [debit()], { bank_reference: 'D-1' }],
  ['a debit without a reference', [debit('')], {}],
  ['a debit named only by its statement', [debit('camt.053 17')], {}],
  ['money that came back', [debit(), credit()], { bank_reference: 'D-1' }],
  [
    'less money that came back',
    [debit(), credit({ amount: 9_000n })],
    { bank_reference: 'D-1', returned: 'EUR 90.00' },
  ],
  [
    'money in another currency that came back',
    [debit(), credit({ currency: 'USD' })],
    { bank_reference: 'D-1', returned: 'USD 100.00' },
  ],
] as const) {
  test(`bank references of a payment, ${what}`, () => {
    assert.deepEqual(interpreted(inputs).references, wanted)
  })
}

test('silence as success, a status during the period: only a final status ends the period', () => {
  const silent = { silent_after_days: 3, ...ACCEPTED }
  const until = (...inputs: EvidenceInput[]) => interpreted(inputs, silent).silent_until
  const in_three_days = '2026-11-26T10:00:00.000000Z'
  for (const word of ['RCVD', 'PART', 'ACTC', 'WHAT']) {
    assert.equal(until(status(word)), in_three_days, word)
  }
  for (const word of ['PDNG', 'ACSP', 'RJCT/FF10']) assert.equal(until(status(word)), null, word)
  // The earlier file may have been answered: this one was not.
  assert.equal(until(status('RJCT/FF10', EARLIER)), in_three_days)
})

test('payment moved to a later file, evidence about the earlier file: ignored, unless its amount differs', () => {
  assert.equal(interpreted([status('PATC', EARLIER)]).exception, undefined)
  assert.equal(interpreted([status('RJCT/FF10', EARLIER)]).not_taken, undefined)
  assert.equal(
    interpreted([debit({ amount: 9_000n, ...EARLIER })]).exception?.kind,
    'amount_differs',
  )
  // The earlier acceptance does not make this rejection a failure.
  assert.ok(interpreted([status('ACSP', EARLIER), 'RJCT/FF10']).not_taken)
  const { exception } = interpreted([status('ACSP', EARLIER), group('RJCT/AC04')])
  assert.equal(exception?.kind, 'group_rejected')
  // At the very moment of the seal it is this file's.
  assert.ok(interpreted([status('RJCT/FF10', { received_at: SEALED })]).not_taken)
})

test('bank status of a payment, on a credit or a debit line: same result', () => {
  const [step] = interpreted([status('ACSC', { is_credit: true })], { settles_on: 'acsc' }).steps
  assert.equal(step?.status, 'succeeded')
})

const BOOKED: readonly (readonly [
  what: string,
  inputs: readonly EvidenceInput[],
  booked: boolean,
])[] = [
  ['nothing', [], false],
  ['statuses only', ['ACSC'], false],
  ['a debit', [debit()], true],
  ['a debit of another amount', [debit({ amount: 1n })], true],
  ['a debit that came back', [debit(), credit()], false],
  ['a debit and a credit that is no return', [debit(), credit({ level: 'booking' })], true],
  ['a debit and a status on a credit', [debit(), status('ACSC', { is_credit: true })], true],
  ['a return only', [credit()], false],
  ['two debits, one of which came back', [debit(), debit('D-2 camt.053 17'), credit()], true],
  [
    'one debit reported in a notification and a statement',
    [debit(), debit('D-9 camt.054 3'), credit()],
    false,
  ],
  [
    'two debits without references of their own',
    [debit('camt.053 17'), debit('camt.053 18'), credit()],
    true,
  ],
  [
    'one debit without a reference, reported twice',
    [debit('camt.053 17'), debit('camt.053 17'), credit()],
    false,
  ],
  [
    'one debit with a reference, repeated in a later statement',
    [debit(), debit({ reference: 'D-1 camt.053 18', said_at: '2026-11-25' }), credit()],
    false,
  ],
  ['a reference that goes on in another line', [debit('camt.053 1\ncamt.053 2'), credit()], false],
]

for (const [what, inputs, booked] of BOOKED) {
  test(`isBooked, ${what}: ${booked}`, () => assert.equal(isBooked(inputs.map(evidenceOf)), booked))
}

test('isNewBooking, one debit in several bank messages: counted once, in any order of messages', () => {
  const bookings = new Bookings()
  const references = ['D-1 camt.053 17', 'D-1 camt.053 18', 'D-9 camt.054 3', 'D-2 camt.053 18']
  const more = references.map(reference => bookings.add(debit(reference)))
  assert.deepEqual([more, bookings.count], [[true, false, false, true], 2])
})
