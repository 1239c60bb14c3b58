// Interprets a payment's evidence: each case as a row, and shuffled histories, which give the same
// end or a named exception.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  debit,
  type EvidenceInput,
  evidenceOf,
  FILE,
  file,
  group,
  item,
  makeEvidence,
  RECEIVED_AT,
  returned,
  SENT,
  status,
} from '../../../test/support/given/bank-evidence.ts'
import { share } from '../../../test/support/share.ts'
import type { BankProfile } from '../../values/bank-format/bank-format.ts'
import { codesOf, reasonOf, type Scheme } from '../../values/bank-format/reason.ts'
import { readProfile } from '../iso20022/profile.ts'
import { causeOf, EXCEPTIONS, failureOf } from './codes.ts'
import { FILE_STATES, type FileState } from './file-store.ts'
import { type Interpretation, interpret } from './interpret.ts'

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
console.log(`SEED=${seed}`)

function profile(name: string): BankProfile {
  const { value } = readProfile(name)
  assert.ok(value !== undefined)
  return value
}

interface Given {
  /** Null: the payment waits for one. */
  readonly file?: Partial<typeof FILE> | null
  readonly profile?: Partial<BankProfile>
  readonly now?: string
}

function interpreted(inputs: readonly EvidenceInput[], given: Given = {}): Interpretation {
  return interpret(inputs.map(evidenceOf), {
    item,
    profile: { ...profile('generic'), ...given.profile },
    file: given.file === null ? undefined : { ...FILE, ...given.file },
    now: given.now ?? RECEIVED_AT,
  })
}

/** `not_taken`, or when the same bank may get it again: `not_taken:next_day`. */
function notTaken({ again }: NonNullable<Interpretation['not_taken']>): string {
  return again === undefined ? 'not_taken' : `not_taken:${again}`
}

/** `succeeded reversed:PR000511 !second_return`: steps, exception, `not_taken` and `late`. */
function summary({ steps, exception, not_taken, is_late }: Interpretation): string {
  return [
    ...steps.map(({ status, failure }) =>
      failure === null ? status : `${status}:${failure.code}`,
    ),
    ...(exception === undefined ? [] : [`!${exception.kind}`]),
    ...(not_taken === undefined ? [] : [notTaken(not_taken)]),
    ...(is_late ? ['late'] : []),
  ].join(' ')
}

const SETTLES = {
  accepted: { profile: { settles_on: 'accepted' } },
  acsc: { profile: { settles_on: 'acsc' } },
} as const

/** The first of the two uploads may have failed. */
const UPLOADED_TWICE = { ...FILE, uploads: 2 }
const TWICE: Given = { file: UPLOADED_TWICE }

/** Like a profile of NACHA. Its own members decide nothing here. */
const ACH: Given = {
  profile: {
    settles_on: 'accepted',
    silent_after_days: 3,
    silent_calendar: 'fed',
    iso20022: null,
    nacha: {} as NonNullable<BankProfile['nacha']>,
  },
}
const AFTER = '2026-12-01T10:00:00.000000Z'
const ach = (code: string, received_at = RECEIVED_AT) =>
  returned({ code, reasons: [code], reference: '091000019999999', received_at })

const REFUSED = 'failed:PF000511'

const CASES: readonly [
  name: string,
  inputs: readonly EvidenceInput[],
  expected: string,
  given?: Given,
][] = [
  ['no evidence', [], ''],
  ['received and accepted', ['ACTC', 'ACCP', 'ACSP', 'ACSC'], ''],
  ['debit booked', ['ACSC', debit()], 'succeeded'],
  ['settles on acceptance', ['ACSP'], 'succeeded', SETTLES.accepted],
  ['settles on acceptance, the whole file accepted', [file('ACCP')], 'succeeded', SETTLES.accepted],
  ['settles on acceptance, technical checks only', ['ACTC'], '', SETTLES.accepted],
  ['settles on ACSC', ['ACSP', 'ACSC'], 'succeeded', SETTLES.acsc],
  ['settles on ACSC, debit booked', [debit()], 'succeeded', SETTLES.acsc],
  ['rejected', ['RJCT/AC04'], 'failed:PF000511'],
  ['rejected with an unknown reason', ['RJCT/X7'], 'failed:PF000500'],
  ['rejected without a reason', ['RJCT'], 'failed:PF000500'],

  ['DU02 of the file, then booked', [group('RJCT/DU02'), debit()], 'succeeded'],
  ['DU01', ['RJCT/DU01'], '!duplicate'],
  ['DU01 after an upload that may have failed', ['RJCT/DU01'], '!duplicate', TWICE],
  ['refused, then reported as a repetition', ['RJCT/AC04', 'RJCT/DU04'], REFUSED],
  ['refused, then its file reported as a repetition', ['RJCT/AC04', group('RJCT/DU01')], REFUSED],
  [
    'not taken, then a repetition: the bank may have it',
    ['RJCT/AB05', 'RJCT/DU04'],
    '!duplicate not_taken',
  ],
  [
    'a repetition, then refused without saying which copy',
    ['RJCT/DU04', 'RJCT/AC04'],
    `${REFUSED} !duplicate`,
  ],
  ['AM05, then booked', ['RJCT/AM05', debit()], 'succeeded'],
  ['the same evidence repeated', ['ACSP', debit(), 'ACSP', debit()], 'succeeded'],
  ['a notification, then the statement', [debit(), debit('N camt.054 4 x')], 'succeeded'],
  ['group rejected', [group('RJCT/FF01')], '!group_rejected'],
  ['group rejected, then the payment by name', [group('RJCT'), 'RJCT/AC01'], 'failed:PF000510'],
  ['payment rejected by name, then its group', ['RJCT/AC01', group('RJCT')], 'failed:PF000510'],
  ['PART that names only other payments', [file('PART'), group('PART')], ''],
  ['group rejected, payment accepted', [group('RJCT'), 'ACCP'], '!contradiction'],
  ['payment accepted, group rejected', ['ACCP', group('RJCT')], '!contradiction'],
  ['rejected after ACSP', ['ACSP', 'RJCT/AC06'], 'failed:PF000512'],
  ['settled on acceptance', ['ACSP', 'RJCT/AC06'], 'succeeded reversed:PR000512', SETTLES.accepted],
  ['rejected after a booked debit', [debit(), 'RJCT/AC04'], 'succeeded !rejected_but_booked'],
  [
    'debit booked, rejected, credit booked',
    [debit(), 'RJCT/AC04', returned({ reasons: [] })],
    'succeeded reversed:PR000511',
  ],
  ['rejected, then debit and credit', ['RJCT/AC04', debit(), returned()], 'failed:PF000511'],
  ['rejected, then a debit', ['RJCT/AC04', debit()], 'failed:PF000511 !rejected_but_booked'],
  ['ACSP after a rejection', ['RJCT/AC04', 'ACSP'], 'failed:PF000511 !paid_after_rejection'],
  ['whole file accepted, payment rejected', ['RJCT/AC04', file('ACSP')], 'failed:PF000511'],
  ['a return before the debit', [returned()], ''],
  ['a return, then the debit', [returned(), debit()], 'succeeded reversed:PR000511'],
  [
    'a return before the debit, settles on ACSC',
    [returned(), 'ACSC'],
    'succeeded reversed:PR000511',
    SETTLES.acsc,
  ],
  [
    'a return weeks after success',
    [debit(), returned({ received_at: '2026-12-24T00:00:00.000000Z' })],
    'succeeded reversed:PR000511',
  ],
  [
    'a credit with our id, not marked as a return',
    [debit(), returned({ level: 'booking', reasons: [] })],
    'succeeded !credit_unmarked',
  ],
  [
    'a smaller credit, not marked as a return',
    [debit(), returned({ level: 'booking', reasons: [], amount: 50n })],
    'succeeded !credit_unmarked',
  ],
  [
    'a smaller unmarked credit, then a return of the same money',
    [debit(), returned({ level: 'booking', reasons: [] }), returned({ reasons: ['AC04'] })],
    'succeeded reversed:PR000511 !credit_unmarked',
  ],
  ['a smaller return', [debit(), returned({ amount: 9_500n })], 'succeeded reversed:PR000511'],
  [
    'a return in another currency',
    [debit(), returned({ amount: 11_000n, currency: 'USD' })],
    'succeeded reversed:PR000511',
  ],
  [
    'two returns',
    [debit(), returned(), returned('C-2 camt.053 19 x')],
    'succeeded reversed:PR000511 !second_return',
  ],
  [
    'one return, reported twice',
    [debit(), returned(), returned('N camt.054 7 x')],
    'succeeded reversed:PR000511',
  ],
  ['two debits', [debit(), debit('D-2 camt.053 17 x')], 'succeeded !second_debit'],
  [
    'two debits, one returned',
    [debit(), debit('D-2 camt.053 17 x'), returned()],
    'succeeded !second_debit',
  ],
  ['returned as a repetition', [debit(), returned({ reasons: ['AM05'] })], 'succeeded !duplicate'],
  ['ACH: a return', [ach('R02')], 'failed:PF000511', ACH],
  ['ACH: a return after silence', [ach('R03', AFTER)], 'succeeded reversed:PR000510', ACH],
  ['ACH: a return with an unknown code', [ach('R99')], 'failed:PF000500', ACH],
  ['ACH: a return as a repetition', [ach('R24')], '!duplicate', ACH],
  [
    'ACH: a notification of change',
    [makeEvidence({ level: 'note', code: 'C01', reasons: ['C01'] })],
    '',
    ACH,
  ],
  ['a debit of a larger amount', [debit({ amount: 10_001n })], '!amount_differs'],
  ['a debit in another currency', [debit({ currency: 'USD' })], '!amount_differs'],
  ['a debit without an amount', [debit({ amount: null })], '!amount_differs'],
  [
    'a return of a larger amount',
    [debit(), returned({ amount: 10_001n })],
    'succeeded !amount_differs',
  ],
  [
    'a rejection of another amount',
    [status('RJCT/AC04', { amount: 1n, currency: 'EUR' })],
    '!amount_differs',
  ],
  ['AM04, still pending', ['PDNG/AM04'], '!no_funds'],
  ['AM04, then accepted', ['PDNG/AM04', 'ACSP'], ''],
  ['AM04, rejected', ['RJCT/AM04'], '!no_funds not_taken:now'],
  ['AM04, rejected after acceptance', ['ACCP', 'RJCT/AM04'], '!no_funds not_taken:now'],
  ['DT05, rejected', ['RJCT/DT05'], 'not_taken:next_day late'],
  ['TM01, rejected', ['RJCT/TM01'], 'not_taken:next_day late'],
  ['TM01, rejected after acceptance', ['ACCP', 'RJCT/TM01'], 'failed:PF000580 late'],
  ['DT06, rejected', ['RJCT/DT06'], 'not_taken:next_day late'],
  ['DT05 beside a technical cause', ['RJCT/DT05/AB05'], 'not_taken late'],
  ['AM04 beside another cause', ['RJCT/AM04/AC06'], '!no_funds not_taken'],
  ['DT05, rejected after acceptance', ['ACCP', 'RJCT/DT05'], 'failed:PF000580 late'],
  ['DT06, with a new day', ['ACWC/DT06'], 'late'],
  ['DS01 beside acceptance', ['ACCP/DS01'], ''],
  ['DS07 only', ['/DS07'], ''],
  ['an unknown status', ['XXXX/AC04'], ''],
  ['a rejection with only a positive reason', ['RJCT/DS01'], '!contradiction'],
  [
    'statement 17 of two years, without references',
    [
      debit('camt.053 17 2026-11-24'),
      debit('camt.053 17 2026-11-24'),
      returned('camt.053 17 2026-11-25'),
      returned('camt.053 17 2027-01-05'),
    ],
    'succeeded reversed:PR000511 !second_return',
  ],
  ['RVNM', ['RVNM'], '!needs_person'],
  ['RVNM, then accepted', ['RVNM', 'ACSP'], ''],
  ['PATC of the file', [file('PATC')], '!needs_person'],
  [
    'the profile asks the account',
    ['RVMC', 'ACSP', debit()],
    'requires_action processing succeeded',
    { profile: { meanings: { RVMC: 'requires_action' } } },
  ],
  [
    'asked twice',
    ['RVMC', 'RVMC'],
    'requires_action',
    { profile: { meanings: { RVMC: 'requires_action' } } },
  ],

  ['technical, before acceptance', ['ACTC', 'RJCT/AB05'], 'not_taken'],
  ['technical, after acceptance', ['ACSP', 'RJCT/AB05'], 'failed:PF000570'],
  ['cancelled at the bank', ['CANC'], 'failed:PF000595'],
  ['ACWC, by the standard', ['ACWC'], ''],
  [
    'ACWC, withdrawn in this dialect',
    ['ACWC'],
    'failed:PF000595',
    { profile: profile('rejections-only') },
  ],
  ['a pending entry in an intraday report', [debit({ level: 'note' })], ''],
]

for (const [name, inputs, expected, given] of CASES) {
  test(`bank evidence, ${name}: ${expected || 'the payment waits'}`, () => {
    assert.equal(summary(interpreted(inputs, given)), expected)
  })
}

/** A file that was sealed after the first evidence. */
const NEXT: Given = { file: { sealed_at: '2026-11-25T09:00:00.000000Z' }, now: AFTER }
const later = { received_at: '2026-11-26T10:00:00.000000Z' }

const IN_ANOTHER_FILE: readonly [string, readonly EvidenceInput[], string][] = [
  ['group rejected', [group('RJCT')], ''],
  ['group rejected, then accepted', [group('RJCT'), status('ACSP', later)], ''],
  ['group rejected, then booked', [group('RJCT'), debit(later)], 'succeeded'],
  ['AM04, then booked', ['RJCT/AM04', debit(later)], 'succeeded'],
  ['AM04, and AM04 again', ['RJCT/AM04', status('RJCT/AM04', later)], '!no_funds not_taken:now'],
  ['DT05, then rejected', ['RJCT/DT05', status('RJCT/AC04', later)], 'failed:PF000511 late'],
  [
    'booked despite the rejection, and booked again',
    [group('RJCT'), debit(), debit({ reference: 'D-2 camt.053 18 x', ...later })],
    '!second_debit',
  ],
  [
    'rejected by name: over',
    ['RJCT/AC04', status('ACSP', later)],
    'failed:PF000511 !paid_after_rejection',
  ],
]

for (const [name, inputs, expected] of IN_ANOTHER_FILE) {
  test(`bank evidence on a payment moved to another file, ${name}: ${expected || 'the payment waits'}`, () => {
    assert.equal(summary(interpreted(inputs, NEXT)), expected)
  })
}

test('payment withdrawn from its file, bank evidence: not sent again before the payment is in another file', () => {
  assert.equal(summary(interpreted(['RJCT/DT05'], { file: null })), 'late')
})

test('bank that reports only rejections, no report for the agreed days: the payment succeeds', () => {
  const given = (now: string) => ({
    now,
    profile: { silent_after_days: 3, settles_on: 'accepted' as const },
  })
  const later = '2026-11-26T10:00:00.000000Z'
  assert.equal(summary(interpreted([], given('2026-11-26T09:59:59.999999Z'))), '')
  assert.equal(interpreted([], given(RECEIVED_AT)).silent_until, later)
  assert.equal(summary(interpreted([], given(later))), 'succeeded')
  assert.equal(interpreted([], given(later)).silent_until, null)
  // Said on the second day, or on the fourth.
  assert.equal(summary(interpreted(['RJCT/AC04'], given(later))), 'failed:PF000511')
  const fourth = status('RJCT/AC04', { received_at: '2026-11-27T10:00:00.000000Z' })
  assert.equal(summary(interpreted([fourth], given(later))), 'succeeded reversed:PR000511')
  for (const waits of ['PDNG', 'RVNM', group('RJCT'), 'RJCT/DU01']) {
    assert.doesNotMatch(summary(interpreted([waits], given(later))), /succeeded/)
  }
  const silent_never = { ...given(later), profile: { settles_on: 'accepted' as const } }
  assert.equal(summary(interpreted([], silent_never)), '')
})

test('silence as success, file refused or perhaps not received: no success', () => {
  const summaryAt = (state: FileState, sent_at: string | null, now: string) =>
    summary(
      interpreted([], {
        now,
        file: { state, sent_at, updated_at: RECEIVED_AT },
        profile: { silent_after_days: 3, settles_on: 'accepted' },
      }),
    )
  for (const state of FILE_STATES) {
    const expected = state === 'sent' || state === 'acknowledged' ? 'succeeded' : ''
    assert.equal(summaryAt(state, SENT, AFTER), expected, state)
  }
  // Answered before the upload was known to have ended: from the answer on.
  assert.equal(summaryAt('acknowledged', null, '2026-11-27T09:59:59.999999Z'), '')
  assert.equal(summaryAt('acknowledged', null, '2026-11-27T10:00:00.000000Z'), 'succeeded')
  assert.equal(summaryAt('unknown', null, AFTER), '')
})

test("message of a failure: contains the bank's own codes and amounts", () => {
  const { exception, steps, references } = interpreted([
    'RJCT/AC04/X7',
    debit(),
    returned({ amount: 9_500n }),
  ])
  assert.equal(exception, undefined)
  assert.deepEqual(steps[0]?.failure, {
    code: 'PF000511',
    category: 'account',
    message: 'The account is closed (AC04, X7).',
  })
  assert.deepEqual(references, {
    bank_status: 'RJCT AC04 X7',
    bank_reference: 'D-1',
    returned: 'EUR 95.00',
  })
  const { exception: differs } = interpreted([debit({ amount: 10_001n })])
  assert.match(differs?.message ?? '', /\(EUR 100\.01 instead of EUR 100\.00\)\.$/)
  const { not_taken } = interpreted(['RJCT/AB05'])
  assert.deepEqual(not_taken, {
    code: 'PF000570',
    message: 'The bank of the beneficiary did not answer in time (AB05).',
  })
})

test('failure codes, several: the most specific code decides; a code of an unknown list: unspecified', () => {
  const code = (scheme: Scheme, ...reasons: string[]) => failureOf(scheme, reasons, 'failed').code
  assert.equal(code('iso20022', 'MS03', 'AC04'), 'PF000511')
  assert.equal(code('iso20022', 'R02'), 'PF000500')
  assert.equal(code('iso20022', 'toString'), 'PF000500')
  assert.equal(failureOf('nacha', ['R02'], 'reversed').code, 'PR000511')
  assert.equal(causeOf('nacha', 'AC04'), undefined)
})

/** Behind PF: the category, and codes of ISO 20022 and of NACHA. */
const FAILURES: readonly [string, string, iso: string, nacha: string][] = [
  ['000500', 'bank', 'MS02 MS03 NARR', ''],
  ['000510', 'account', 'AC01 AC02 AC03 AC15 AC16', 'R03 R04 R17 R43'],
  ['000511', 'account', 'AC04 AC05 AC07', 'R02'],
  ['000512', 'account', 'AC06 AC12 AC13 AC14 AG01 AG03', 'R16 R20'],
  ['000513', 'account', 'RC01 RC07 RC10 RC11 AGNT CNOR DNOR ED01', 'R12 R13 R28 R34'],
  ['000520', 'party', 'BE01 BE06 BE08 BE22 BE23 MD07 RVNM', 'R14 R15 R21 R22'],
  ['000521', 'party', 'BE04 BE07 BE09 BE10 BE11', ''],
  ['000530', 'receiver', 'CUST MD06 NOAS FOCR BE05 SL01 UPAY SVNR', 'R08 R10 R23 R29'],
  ['000540', 'amount', 'AM01 AM02 AM03 AM06 AM09 AM11 AM12 AM22 AM23 AC09 CURR', 'R19'],
  ['000550', 'bank', 'AM04 AG07 G004', 'R01 R09'],
  ['000555', 'bank', 'DS0A DS14 DS19', ''],
  ['000560', 'regulatory', 'RR01 RR04 RR12 AM07 LEGL FRAD FR01 NOCM', 'R50'],
  ['000570', 'technical', 'AB01 AB05 AB10 AB11 FF10 ED05 ED06', 'R25 R26 R27 R84'],
  ['000575', 'technical', 'FF01 FF03 FF05 AG02 AM10 CH11 CH21 TD03 ERIN', 'R35 R80'],
  ['000580', 'date', 'DT01 DT03 DT05 DT06 TM01 CH03', 'R18'],
  ['000590', 'duplicate', 'AM05 DUPL DU01 DU05 RF01', 'R24'],
  ['000595', 'cancelled', 'DS02 CUTA CN01', 'R06'],
]

test('failure codes, each with a known reason: its failure number, category and message', () => {
  for (const [number, category, iso, nacha] of FAILURES) {
    for (const [scheme, codes] of [
      ['iso20022', iso],
      ['nacha', nacha],
    ] as const) {
      for (const code of codes.split(' ').filter(code => code !== '')) {
        const { message, ...rest } = failureOf(scheme, [code], 'failed')
        assert.deepEqual(rest, { code: `PF${number}`, category }, code)
        assert.ok(message.endsWith(` (${code}).`))
        assert.doesNotMatch(message, /no reason that says more/)
      }
    }
  }
  for (const code of ['DS01', 'DS05', 'DS07']) assert.equal(causeOf('iso20022', code), 'positive')
})

test('failure codes, every row of both code lists: one sentence, in any letter case', () => {
  for (const scheme of ['iso20022', 'nacha'] as const) {
    for (const code of codesOf(scheme)) {
      const reason = reasonOf(scheme, code)
      assert.match(code, /^[A-Z0-9]{3,4}$/)
      assert.match(reason?.words ?? '', /^[A-Z][^.]+\.$/, code)
      assert.equal(reasonOf(scheme, code.toLowerCase()), reason)
    }
  }
  const counts = (['iso20022', 'nacha'] as const).map(scheme => codesOf(scheme).length)
  assert.ok((counts[0] ?? 0) > 250 && (counts[1] ?? 0) > 90, counts.join(' '))
})

test('return codes, return requested by the payee or the account: marked as requested', () => {
  const wished = (scheme: Scheme, codes: string) =>
    codes.split(' ').map(code => reasonOf(scheme, code)?.at_wish === true)
  const all = (answers: readonly boolean[], value: boolean) =>
    assert.ok(answers.every(answer => answer === value))
  all(wished('iso20022', 'FOCR CUST DUPL MD06 MS02 NOAS UPAY BE05 SP01 DS02'), true)
  all(wished('nacha', 'R06 R07 R08 R10 R23 R29 R31'), true)
  all(wished('iso20022', 'AC01 AC04 AC06 AM04 BE01 RC01 RR04 MS03 FR01 AB05 DT05 ED05'), false)
  all(wished('nacha', 'R02 R03 R04 R13 R16 R20 R25'), false)
})

test('failure codes whose meaning differs on a return: the message describes the return', () => {
  assert.match(failureOf('iso20022', ['AC16'], 'failed').message, /card/)
  const returned = failureOf('iso20022', ['AC16'], 'reversed')
  assert.equal(returned.code, 'PR000512')
  assert.match(returned.message, /sequestration/)
})

/** Histories of one payment without a contradiction in their own order. */
const HISTORIES = [
  [file('ACTC'), group('ACCP'), 'ACSP', 'ACSC', debit()],
  ['ACSP', 'ACSC', debit(), debit('N camt.054 4 x'), returned()],
  ['ACTC', group('PART'), 'RJCT/AC04'],
  ['ACSP', 'RJCT/AC06'],
  ['ACSP', debit(), 'RJCT/AC04', returned()],
  ['PDNG/AM04', 'ACSP', debit()],
  ['RVNM', 'ACSC', debit()],
  [group('RJCT'), 'RJCT/AC04'],
  ['ACTC', 'RJCT/AB05'],
  ['RJCT/DT05'],
  ['XXXX', 'ACCP/DS01', debit(), returned({ amount: 1n })],
  [file('ACSC'), debit(), returned(), returned('N camt.054 9 x')],
].map((inputs: readonly EvidenceInput[]) => inputs.map(evidenceOf))

const ORDERS = share(2_000, 10_000)

/** The end of the payment's money. `unpaid`: given back, or to be paid by another attempt. */
function endOf({ steps, exception, not_taken }: Interpretation): string {
  if (exception !== undefined) return 'exception'
  const last = steps.at(-1)?.status ?? ''
  const unpaid = ['failed', 'reversed'].includes(last)
  if (unpaid || not_taken !== undefined) return 'unpaid'
  return last === 'succeeded' ? 'paid' : 'open'
}

test(`bank evidence in ${ORDERS} random orders with repeats: same final state or an exception; no step is withdrawn`, () => {
  const any = fc.record({
    history: fc.constantFrom(...HISTORIES),
    settles_on: fc.constantFrom('accepted', 'acsc', 'booked'),
    order: fc.array(fc.nat(), { minLength: 12, maxLength: 12 }),
    repeats: fc.array(fc.nat(), { maxLength: 6 }),
  })
  let exceptions = 0
  fc.assert(
    fc.property(any, ({ history, settles_on, order, repeats }) => {
      const given: Given = { profile: { settles_on: settles_on as 'booked' } }
      const expected = endOf(interpreted(history, given))
      const many = [
        ...history,
        ...repeats.map(n => history[n % history.length] as (typeof history)[number]),
      ]
      const shuffled = many
        .map((evidence, i) => ({ evidence, rank: (order[i % 12] ?? 0) * 31 + i }))
        .sort((a, b) => a.rank - b.rank)
        .map(({ evidence }) => evidence)
      const interpretation = interpreted(shuffled, given)
      const end = endOf(interpretation)
      if (end === 'exception') {
        exceptions += 1
        assert.ok(Object.hasOwn(EXCEPTIONS, interpretation.exception?.kind ?? ''))
      } else {
        assert.equal(end, expected)
      }
      for (let count = 0; count <= shuffled.length; count++) {
        const { steps } = interpreted(shuffled.slice(0, count), given)
        assert.deepEqual(interpretation.steps.slice(0, steps.length), steps)
      }
      assert.ok(LEGAL.test(interpretation.steps.map(({ status }) => status).join(' ')))
    }),
    { numRuns: ORDERS, seed },
  )
  assert.ok(exceptions < ORDERS / 2, `${exceptions} exceptions`)
})

const LEGAL = /^(requires_action ?)?(processing ?)?(failed|succeeded( reversed)?)?$/
