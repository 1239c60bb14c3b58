// Decisions about new payouts: the refusals in their documented order, each with the message that
// the caller reads, and the whole outcome of a payout that is not refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  account,
  anyRoute,
  beneficiary,
  bookWith,
  eventLines,
  feeRow,
  intentFor,
  LISTS_VERSION,
  lineId,
  NOW,
  payoutState,
  pricing,
  quoteOf,
  refusalOf,
  request,
  requestTo,
} from '../../../test/support/given/in-memory.ts'
import type { Account } from '../../accounts/rules.ts'
import type { Approval } from '../../parties/entity/entity.ts'
import { carriedQuote } from '../../quotes/carried.ts'
import type { Quote } from '../../quotes/quote.ts'
import type { Timetable } from '../../values/calendar/calendar.ts'
import { addBusinessDays, instantAt, releaseOf } from '../../values/calendar/rules.ts'
import { writtenPayout } from '../columns.ts'
import { holdOf, type PayoutState } from '../payout.ts'
import type { PayoutRequest } from '../request.ts'
import { decidePayout } from './create.ts'
import { fingerprintOf } from './duplicate.ts'
import type { PayoutOutcome } from './new-row.ts'

/** One payout to decide. Tests change one part of it at a time. */
interface Case {
  state: PayoutState
  account: Account
  request: PayoutRequest
}

const NOTHING_COUNTED = { uses: [], new_payee: null }
const { beneficiary_details } = request
assert.ok(beneficiary_details)

type Change = Partial<Omit<PayoutState, 'books' | 'quotes' | 'beneficiaries' | 'approvals'>> & {
  readonly balances?: Readonly<Record<string, bigint>>
  readonly quotes?: readonly Quote[]
  readonly approvals?: readonly Approval[]
}

function stateWith({ balances, quotes = [], approvals = [], ...part }: Change = {}): PayoutState {
  return payoutState({
    ...(balances && {
      books: new Map([
        ['acc_1', bookWith(balances)],
        ['acc_2', bookWith({ USD: 5n }, 'acc_2')],
      ]),
    }),
    quotes: new Map(quotes.map(quote => [`${quote.account_id}/${quote.id}`, quote])),
    approvals: new Map(approvals.map(a => [`${a.account_id}/${a.id}`, a])),
    ...part,
  })
}

const decide = ({ state, account, request }: Case) =>
  decidePayout(state, intentFor(state, request, { account }))
const balanceOf = (state: PayoutState, id: string, currency = 'USD') =>
  state.books.get(id)?.balances.get(currency)

const { beneficiary_details: _, ...bare } = request
const toKnown: PayoutRequest = { ...bare, beneficiary: 'bnf_known' }

const one = { digits: 1n, scale: 0 }

test('decidePayout, inline details, no quote: makes a beneficiary, a debit, and a payout with its own terms', () => {
  const state = stateWith({
    pricing: () => pricing({}, [feeRow({ fixed_amount: 7n, variable_bps: 10 })]),
  })
  const outcome = decide({ state, account, request })
  const { payout, new_beneficiary, entries, events, ...rest } = outcome
  assert.deepEqual(rest, {
    row: writtenPayout(payout),
    approval: null,
    new_quote: null,
    used_quote: null,
    fingerprint: null,
    matches: [],
    ...NOTHING_COUNTED,
  })
  const [{ journal, line } = assert.fail(), ...others] = entries
  assert.equal(others.length, 0)
  assert.deepEqual(new_beneficiary, {
    ...beneficiary,
    id: 'bnf_1',
    details: { ...beneficiary.details, destination: 'dst_1' },
    created_at: NOW,
    updated_at: NOW,
  })
  const basis = { fee: { fee_currency: 'USD', fixed_amount: '7', variable_bps: 10 } }
  assert.deepEqual(carriedQuote({ ...payout, on_behalf_of: payout.particulars.on_behalf_of }), {
    ...quoteOf({ status: 'used', fixed_fee_holding: 7n, variable_fee_holding: 10n }),
    ...{ fixed_fee_payout: 7n, variable_fee_payout: 10n, destination_country: 'HK' },
    basis,
  })
  assert.deepEqual(
    journal.postings.map(({ code, currency, amount }) => `${code} ${currency} ${amount}`),
    ['available USD -10017', 'fees USD 17', 'in_transit USD 10000'],
  )
  assert.deepEqual([journal.kind, journal.source, line.type], ['payout', 'pot_1', 'payout'])
  assert.deepEqual([line.source, line.description, line.fx_conversions], ['pot_1', 'pot_1', []])
  assert.deepEqual([line.amount, line.fixed_fee, line.variable_fee], [-10_000n, -7n, -10n])
  assert.equal(line.balance_after, 89_983n)
  assert.equal(balanceOf(state, 'acc_1'), 89_983n)
  assert.deepEqual(payout, {
    account_id: 'acc_1',
    id: 'pot_1',
    quote_id: '',
    type: 'local',
    amount: 10_000n,
    currency: 'USD',
    holding_currency: 'USD',
    holding_amount: 10_000n,
    fixed_fee: 7n,
    variable_fee: 10n,
    destination_currency: 'USD',
    destination_amount: 10_000n,
    holding_to_payout: one,
    payout_to_destination: one,
    holding_fx_id: '',
    payout_fx_id: '',
    balance_transaction_id: lineId(1),
    beneficiary_id: 'bnf_1',
    beneficiary_details: new_beneficiary?.details,
    particulars: {
      purpose: 'supplier_payment',
      transaction_description: 'Invoice 2041',
      reference_id: '',
      statement_descriptor: '',
      on_behalf_of: '',
      creditor_reference: '',
      ultimate_debtor: null,
      documents: [],
      logistics_tracking_details: [],
      metadata: null,
    },
    fund_transfer_network: '',
    charge_type: '',
    destination_country: 'HK',
    basis,
    quote_validity_s: 1800,
    made_by: 'key_1',
    rail: 'bank',
    first_rail: 'bank',
    route: {
      account_id: null,
      payout_type: null,
      network: null,
      currency: null,
      country: null,
      min_amount: null,
      max_amount: null,
      priority: 0,
      timetable: null,
    },
    rail_reference: '',
    taken_by: '',
    taken_at: null,
    taken_over_at: null,
    expected_at: null,
    succeeded_at: null,
    status: 'processing',
    status_description: '',
    failure: null,
    rail_steps: 0,
    rail_attempts: 0,
    ask_rail_at: NOW,
    screened: LISTS_VERSION,
    screening: '',
    claimed_until: null,
    held_for: '',
    answers: [],
    mt103: '',
    import_keys: '',
    metadata: null,
    execute_at: null,
    created_at: NOW,
    updated_at: NOW,
  })
  assert.deepEqual(eventLines(events), [
    'acc_1 1 beneficiary.created bnf_1 {}',
    'acc_1 2 payout_quote.created poq_1 {}',
    'acc_1 3 payout.created pot_1 {"status":"processing","by":"account","journals":[1]}',
    `acc_1 4 balance_transaction.created ${lineId(1)} {}`,
  ])
})

test('decidePayout, a quote and a stored beneficiary: uses both, makes no new ones', () => {
  const quote = quoteOf({ fixed_fee_holding: 5n })
  const state = stateWith({ quotes: [quote, quoteOf({ id: 'poq_2' })] })
  const outcome = decide({ state, account, request: { ...toKnown, quote: 'poq_1' } })
  const used = { ...quote, status: 'used', updated_at: NOW, renewed_as: '' }
  assert.deepEqual(outcome.used_quote, used)
  assert.equal(outcome.new_quote, null)
  assert.equal(outcome.new_beneficiary, null)
  const { destination_country, basis, quote_validity_s } = outcome.payout
  assert.deepEqual([destination_country, basis, quote_validity_s], ['', null, null])
  assert.deepEqual(
    [outcome.payout.quote_id, outcome.payout.beneficiary_id, outcome.payout.beneficiary_details],
    ['poq_1', 'bnf_known', beneficiary.details],
  )
  assert.deepEqual(eventLines(outcome.events), [
    'acc_1 1 payout.created pot_1 {"status":"processing","by":"account","journals":[1]}',
    `acc_1 2 balance_transaction.created ${lineId(1)} {}`,
  ])
  assert.equal(state.quotes.get('acc_1/poq_1')?.status, 'used')
  assert.equal(state.quotes.get('acc_1/poq_2')?.status, 'active')
})

test('decidePayout, one quote twice in a batch: second payout refused', () => {
  const state = stateWith({ quotes: [quoteOf()] })
  const quoted = { ...toKnown, quote: 'poq_1' }
  decide({ state, account, request: quoted })
  assert.deepEqual(
    refusalOf(() => decide({ state, account, request: quoted })),
    ['quote_used at quote: The quote was used already.'],
  )
  assert.equal(balanceOf(state, 'acc_1'), 90_000n)
})

test('decidePayout, expired quote with max_total_debit: a new quote made, both quotes stored', () => {
  const expired = quoteOf({ id: 'poq_old', valid_until: NOW, holding_amount: 1n })
  const state = stateWith({ quotes: [expired] })
  const renewing = { ...toKnown, quote: 'poq_old', max_total_debit: 10_000 }
  const { payout, used_quote, new_quote, events } = decide({ state, account, request: renewing })
  assert.deepEqual(used_quote, { ...expired, status: 'used', updated_at: NOW, renewed_as: 'poq_1' })
  assert.equal(new_quote?.id, 'poq_1')
  assert.equal(new_quote?.status, 'used')
  assert.deepEqual([payout.quote_id, payout.holding_amount], ['poq_1', 10_000n])
  assert.equal(eventLines(events)[0], 'acc_1 1 payout_quote.created poq_1 {}')
  assert.equal(state.quotes.get('acc_1/poq_old')?.status, 'used')
})

const timetable: Timetable = {
  calendar: 't2',
  cut_off: '15:00',
  zone: 'Europe/Berlin',
  lead_minutes: 30,
  arrival_days: 1,
}

test('decidePayout, route with a cut-off: the rail is asked at the release, arrival counted from the release', () => {
  const state = stateWith({ routes: [{ ...anyRoute, timetable }] })
  const { payout } = decide({ state, account, request })
  const release = releaseOf(timetable, payout.created_at)
  assert.ok(release !== undefined && release.release_at > NOW)
  assert.equal(payout.ask_rail_at, release.release_at)
  const day = addBusinessDays('t2', release.value_date, 1)
  assert.equal(payout.expected_at, instantAt('Europe/Berlin', day ?? '', '23:59'))
  assert.deepEqual(payout.route?.timetable, timetable)
})

test('decidePayout, release after the last day of its calendar: refused with calendar_ended, balance unchanged', () => {
  const state = stateWith({ routes: [{ ...anyRoute, timetable }] })
  const book = bookWith({ USD: 100_000n })
  const later = { ...book, now: '2028-12-29T13:30:00.000001Z' }
  const books = new Map([['acc_1', later]])
  const [refused] = refusalOf(() => decide({ state: { ...state, books }, account, request }))
  assert.match(refused ?? '', /^calendar_ended.*ends on 2028-12-31\.$/)
  assert.deepEqual([...later.balances], [...book.balances])
  const last = { ...book, now: '2028-12-29T13:30:00.000000Z' }
  const inTime = decide({
    state: { ...state, books: new Map([['acc_1', last]]) },
    account,
    request,
  })
  assert.equal(inTime.payout.ask_rail_at, last.now)
  // The calendar has no next business day, so the arrival is not known.
  assert.equal(inTime.payout.expected_at, null)
})

test('decidePayout, to another account: succeeded, both books changed', () => {
  const state = stateWith()
  const { payout, entries, events } = decide({ state, account, request: requestTo('dep_2') })
  assert.deepEqual([payout.status, payout.ask_rail_at], ['succeeded', null])
  assert.deepEqual(
    entries.map(({ journal, line }) => [journal.account_id, journal.kind, line.net_amount]),
    [
      ['acc_1', 'payout', -10_000n],
      ['acc_2', 'receipt', 10_000n],
    ],
  )
  assert.ok(entries[0]?.journal.postings.some(({ code }) => code === 'inter_account'))
  assert.deepEqual([balanceOf(state, 'acc_1'), balanceOf(state, 'acc_2')], [90_000n, 10_005n])
  assert.deepEqual(eventLines(events), [
    'acc_1 1 beneficiary.created bnf_1 {}',
    'acc_1 2 payout_quote.created poq_1 {}',
    'acc_1 3 payout.created pot_1 {"status":"succeeded","by":"account","journals":[1]}',
    `acc_1 4 balance_transaction.created ${lineId(1)} {}`,
    'acc_1 5 payout.succeeded pot_1 ' +
      '{"status":"succeeded","status_description":"","by":"account","journals":[],"made_by":"key_1"}',
    `acc_2 1 balance_transaction.created ${lineId(1, 'acc_2')} {}`,
  ])
})

const approval = (approval_status: Approval['approval_status'], id = 'ent_1'): Approval => ({
  account_id: 'acc_1',
  id,
  approval_status,
  updated_at: '2026-01-31T09:00:00.000000Z',
  decided_at: '2026-01-31T09:00:00.000000Z',
})

for (const status of ['pending', 'submitted', 'requires_action', 'resubmitted'] as const) {
  test(`decidePayout, entity ${status}: debited and held, the rail is not asked`, () => {
    const state = stateWith({ approvals: [approval(status)] })
    const held = { ...toKnown, on_behalf_of: 'ent_1' }
    const { payout, events } = decide({ state, account, request: held })
    assert.deepEqual(
      [payout.status, payout.held_for, payout.ask_rail_at],
      ['compliance_hold', 'ent_1', null],
    )
    assert.deepEqual(holdOf(payout), {
      account_id: 'acc_1',
      entity_id: 'ent_1',
      payout_id: 'pot_1',
    })
    assert.equal(balanceOf(state, 'acc_1'), 90_000n)
    assert.deepEqual(eventLines(events), [
      'acc_1 1 payout_quote.created poq_1 {}',
      'acc_1 2 payout.created pot_1 {"status":"compliance_hold","by":"account","journals":[1],' +
        '"status_description":"Held until entity ent_1 is reviewed."}',
      `acc_1 3 balance_transaction.created ${lineId(1)} {}`,
      'acc_1 4 payout.compliance_hold pot_1 {"status":"compliance_hold",' +
        '"status_description":"Held until entity ent_1 is reviewed.","by":"account","journals":[],"made_by":"key_1"}',
    ])
  })
}

test('decidePayout, approved entity: not held', () => {
  const state = stateWith({ approvals: [approval('approved')] })
  const { payout } = decide({ state, account, request: { ...toKnown, on_behalf_of: 'ent_1' } })
  assert.deepEqual([payout.status, payout.held_for], ['processing', ''])
  assert.equal(holdOf(payout), null)
})

test('decidePayout, entity named by the quote: held as if the request named the entity', () => {
  const quotes = [quoteOf({ entity_id: 'ent_1' })]
  const state = stateWith({ approvals: [approval('pending')], quotes })
  const { payout } = decide({ state, account, request: { ...toKnown, quote: 'poq_1' } })
  assert.deepEqual([payout.held_for, payout.particulars.on_behalf_of], ['ent_1', 'ent_1'])
})

test('decidePayout, to another account, held: receiver not credited before the review', () => {
  const state = stateWith({ approvals: [approval('pending')] })
  const held = { ...requestTo('dep_2'), on_behalf_of: 'ent_1' }
  const { payout, entries, events } = decide({ state, account, request: held })
  assert.equal(payout.status, 'compliance_hold')
  assert.equal(entries.length, 1)
  assert.ok(entries[0]?.journal.postings.some(({ code }) => code === 'in_transit'))
  assert.deepEqual([balanceOf(state, 'acc_1'), balanceOf(state, 'acc_2')], [90_000n, 5n])
  assert.ok(events.every(({ account_id }) => account_id === 'acc_1'))
})

test('decidePayout, SWIFT: the payout has its MT103', () => {
  const swift = { ...request, type: 'swift', charge_type: 'ours' } as const
  const { payout } = decide({ state: stateWith(), account, request: swift })
  assert.match(payout.mt103, /:32A:260131USD100,00\r\n/)
  assert.match(payout.mt103, /:71A:OUR\r\n/)
})

const guarded: Account = { ...account, duplicate_window_s: 600 }
const fingerprint = fingerprintOf(beneficiary.details, {
  amount: 10_000,
  currency: 'USD',
  reference_id: '',
})
const earlier = {
  account_id: 'acc_1',
  fingerprint,
  created_at: '2026-01-31T09:29:00.123456Z',
  payout_id: 'pot_0',
}
const alike =
  'possible_duplicate_payout at allow_duplicate: Payout pot_0, made 60 s ago, has the same ' +
  'beneficiary, amount, currency and reference_id. If this is another payment, send allow_duplicate.'

test('decidePayout, account with a duplicate window: fingerprint stored, the next payout compared with it', () => {
  const state = stateWith()
  const made = { account_id: 'acc_1', fingerprint, created_at: NOW, payout_id: 'pot_1' }
  assert.deepEqual(decide({ state, account: guarded, request: toKnown }).fingerprint, made)
  assert.deepEqual(state.fingerprints.get(`acc_1/${fingerprint}`), made)
  assert.deepEqual(
    refusalOf(() => decide({ state, account: guarded, request: { ...toKnown } })),
    [alike.replace('pot_0, made 60 s', 'pot_1, made 0 s')],
  )
})

test('decidePayout, several payouts with one reference: a fingerprint stored for each, the next payout compared with it', () => {
  const state = stateWith()
  const kept = (amount: number) => {
    const request = { ...toKnown, amount, reference_id: 'INV-1' }
    return decide({ state, account: guarded, request }).fingerprint
  }
  assert.equal(kept(10_000)?.payout_id, 'pot_1')
  const [message] = refusalOf(() => kept(10_000))
  assert.match(String(message), /^possible_duplicate_payout .* Payout pot_1, made 0 s ago/)
  assert.equal(kept(10_001)?.payout_id, 'pot_3')
})

test('decidePayout, duplicate of an earlier payout: refused unless allow_duplicate; later payouts compared with both', () => {
  const fingerprints = new Map([[`acc_1/${fingerprint}`, earlier]])
  const state = stateWith({ fingerprints })
  const again = (allow_duplicate: boolean) => ({ ...toKnown, allow_duplicate })
  for (const like of [toKnown, again(false)]) {
    assert.deepEqual(
      refusalOf(() => decide({ state, account: guarded, request: like })),
      [alike],
    )
  }
  const { fingerprint: kept } = decide({ state, account: guarded, request: again(true) })
  assert.equal(kept?.fingerprint, fingerprint)
  assert.equal(fingerprints.get(`acc_1/${fingerprint}`), kept)
})

test('decidePayout, account without a duplicate window: no comparison, no fingerprint stored', () => {
  const fingerprints = new Map([[`acc_1/${fingerprint}`, earlier]])
  const state = stateWith({ fingerprints })
  assert.equal(decide({ state, account, request: toKnown }).fingerprint, null)
  assert.deepEqual([...fingerprints.values()], [earlier])
})

test('decidePayout, balance equal to the total debit: paid; one unit lower: refused with both figures', () => {
  const costs = { pricing: () => pricing({}, [feeRow({ fixed_amount: 23n })]) }
  const enough = stateWith({ ...costs, balances: { USD: 10_023n } })
  decide({ state: enough, account, request: toKnown })
  assert.equal(balanceOf(enough, 'acc_1'), 0n)
  const words = (available: string) =>
    'insufficient_balance at amount: The payout needs 10023 USD minor units including fees ' +
    `(100.23) and ${available} are available (${(Number(available) / 100).toFixed(2)}).`
  const short = stateWith({ ...costs, balances: { USD: 10_022n } })
  assert.deepEqual(
    refusalOf(() => decide({ state: short, account, request: toKnown })),
    [words('10022')],
  )
  assert.deepEqual(short.books.get('acc_1'), bookWith({ USD: 10_022n }))
  const none = stateWith({ ...costs, balances: {} })
  assert.deepEqual(
    refusalOf(() => decide({ state: none, account, request: toKnown })),
    [words('0')],
  )
})

/** Refusals that depend on one member of the state or the request. */
const REFUSED: readonly (readonly [
  what: string,
  state: Change,
  request: PayoutRequest,
  refusal: string,
])[] = [
  [
    'a quote of another account',
    { quotes: [quoteOf({ account_id: 'acc_2' })] },
    { ...toKnown, quote: 'poq_1' },
    'not_found at quote: No quote poq_1 in this account.',
  ],
  [
    'an unknown entity',
    {},
    { ...toKnown, on_behalf_of: 'ent_1' },
    'entity_not_found at on_behalf_of: No entity ent_1 in this account.',
  ],
  [
    'a rejected entity',
    { approvals: [approval('rejected')] },
    { ...toKnown, on_behalf_of: 'ent_1' },
    'entity_not_found at on_behalf_of: Entity ent_1 is rejected.',
  ],
  [
    "the quote's entity rejected",
    { approvals: [approval('rejected')], quotes: [quoteOf({ entity_id: 'ent_1' })] },
    { ...toKnown, quote: 'poq_1' },
    'entity_not_found at quote: Entity ent_1 is rejected.',
  ],
  [
    'an entity of another account',
    { approvals: [{ ...approval('approved'), account_id: 'acc_2' }] },
    { ...toKnown, on_behalf_of: 'ent_1' },
    'entity_not_found at on_behalf_of: No entity ent_1 in this account.',
  ],
  [
    'an unknown beneficiary',
    {},
    { ...toKnown, beneficiary: 'bnf_1' },
    'beneficiary_not_found at beneficiary: No beneficiary bnf_1 in this account.',
  ],
  [
    'a stored bank account for a wallet payout',
    {},
    { ...toKnown, type: 'wallet' },
    'type_mismatch at beneficiary: ' +
      'A payout of type wallet cannot reach a destination of type bank.',
  ],
  [
    'an inline bank account for a wallet payout',
    {},
    { ...request, type: 'wallet' },
    'type_mismatch at beneficiary_details.destination_details.type: ' +
      'A payout of type wallet cannot reach a destination of type bank.',
  ],
  [
    'a bank account for a quote of a wallet payout',
    { quotes: [quoteOf({ payout_type: 'wallet' })] },
    { ...untyped(toKnown), quote: 'poq_1' },
    'type_mismatch at beneficiary: ' +
      'A payout of type wallet cannot reach a destination of type bank.',
  ],
  [
    'a service account without a type, so local',
    {},
    untyped(requestTo('dep_2')),
    'type_mismatch at beneficiary_details.destination_details.type: ' +
      'A payout of type local cannot reach a destination of type service_account.',
  ],
]

function untyped({ type: _, ...rest }: PayoutRequest): PayoutRequest {
  return rest
}

for (const [what, change, asked, refusal] of REFUSED) {
  test(`decidePayout, ${what}: refused, books unchanged`, () => {
    const state = stateWith(change)
    assert.deepEqual(
      refusalOf(() => decide({ state, account, request: asked })),
      [refusal],
    )
    assert.deepEqual(state.books, stateWith().books)
  })
}

/** Refusals in order, each with the change that removes it, until the payout succeeds. */
type Ladder = readonly (readonly [refusal: string, mend: (c: Case) => void])[]

const mend = (c: Case, part: Partial<PayoutRequest>) => {
  c.request = { ...c.request, ...part }
}
const mendState = (c: Case, part: Partial<PayoutState>) => {
  c.state = { ...c.state, ...part }
}

const BY_QUOTE: Ladder = [
  [
    'currency at currency: currency is not a known currency code.',
    c => mend(c, { currency: 'EUR' }),
  ],
  ['not_found at quote: No quote poq_9 in this account.', c => mend(c, { quote: 'poq_1' })],
  [
    'entity_not_found at on_behalf_of: No entity ent_1 in this account.',
    c => mendState(c, { approvals: new Map([['acc_1/ent_1', approval('approved')]]) }),
  ],
  [
    'beneficiary_not_found at beneficiary: No beneficiary bnf_9 in this account.',
    c => mend(c, { beneficiary: 'bnf_known' }),
  ],
  [
    'type_mismatch at beneficiary: ' +
      'A payout of type wallet cannot reach a destination of type bank.',
    c => {
      const { beneficiary: _, ...rest } = c.request
      const { beneficiary_details } = requestTo('dep_9')
      assert.ok(beneficiary_details)
      c.request = { ...rest, type: 'service_account', beneficiary_details }
    },
  ],
  [
    'quote_used at quote: The quote was used already.',
    c => c.state.quotes.set('acc_1/poq_1', quoteOf({ ...IN_LADDER, valid_until: NOW })),
  ],
  [
    `quote_expired at quote: The quote was valid until ${NOW}.`,
    c => c.state.quotes.set('acc_1/poq_1', quoteOf(IN_LADDER)),
  ],
  [
    "quote_mismatch at currency: currency is EUR but the quote's is USD.",
    c => mend(c, { currency: 'USD', max_total_debit: 9_999 }),
  ],
  [
    'max_total_debit_exceeded at max_total_debit: The payout costs USD 100.00 including fees, ' +
      'as quoted; max_total_debit is USD 99.99. In minor units: holding_currency=USD ' +
      'holding_amount=10000 fixed_fee=0 variable_fee=0 total_debit=10000 holding_to_payout=1 ' +
      'payout_to_destination=1',
    c => mend(c, { max_total_debit: 10_000 }),
  ],
  [
    'deposit_address_not_found at ' +
      'beneficiary_details.destination_details.service_account.deposit_address: ' +
      'No other live account has this deposit address.',
    c => {
      const { beneficiary_details } = requestTo('dep_2')
      assert.ok(beneficiary_details)
      const like = fingerprintOf(beneficiary_details, {
        amount: 10_000,
        currency: 'USD',
        reference_id: '',
      })
      const fingerprints = new Map([[`acc_1/${like}`, { ...earlier, fingerprint: like }]])
      mendState(c, { fingerprints })
      mend(c, { beneficiary_details })
    },
  ],
  [alike, c => mend(c, { allow_duplicate: true })],
  [
    'insufficient_balance at amount: The payout needs 10000 USD minor units including fees ' +
      '(100.00) and 9999 are available (99.99).',
    c => c.state.books.get('acc_1')?.balances.set('USD', 10_000n),
  ],
]
const IN_LADDER: Partial<Quote> = { payout_type: 'service_account' }

const BY_SWIFT: Ladder = [
  [
    'holding_currency_not_found at holding_currency: ' +
      'The account holds no HKD balance; it holds USD, EUR.',
    c => mend(c, { holding_currency: 'USD' }),
  ],
  [
    'entity_not_found at on_behalf_of: Entity ent_1 is rejected.',
    c => mendState(c, { approvals: new Map([['acc_1/ent_1', approval('approved')]]) }),
  ],
  [
    'beneficiary_not_found at beneficiary: No beneficiary bnf_9 in this account.',
    c => mend(c, { beneficiary: 'bnf_known' }),
  ],
  [
    'type_mismatch at beneficiary: ' +
      'A payout of type service_account cannot reach a destination of type bank.',
    c => mend(c, { type: 'swift' }),
  ],
  [
    'rate_unavailable at the whole: No rate joins USD and USDC.',
    c => mendState(c, { pricing: () => pricing({ 'USD/USDC': '1' }) }),
  ],
  [
    'max_total_debit_exceeded at max_total_debit: The payout costs USD 100.00 including fees, ' +
      'at the rates and fees of this moment; max_total_debit is USD 99.99. In minor units: ' +
      'holding_currency=USD holding_amount=10000 fixed_fee=0 variable_fee=0 total_debit=10000 ' +
      'holding_to_payout=1 payout_to_destination=1',
    c => mend(c, { max_total_debit: 10_000 }),
  ],
  [
    'currency at currency: SWIFT carries no USDC.',
    c => {
      mend(c, { currency: 'USD', amount: 10_000 })
      c.state.fingerprints.set(`acc_1/${fingerprint}`, earlier)
    },
  ],
  [alike, c => mend(c, { allow_duplicate: true })],
  [
    'insufficient_balance at amount: The payout needs 10000 USD minor units including fees ' +
      '(100.00) and 9999 are available (99.99).',
    c => c.state.books.get('acc_1')?.balances.set('USD', 10_000n),
  ],
]

const LADDERS: readonly (readonly [what: string, start: () => Case, ladder: Ladder])[] = [
  [
    'of a quoted payout to another account',
    () => ({
      state: stateWith({
        balances: { USD: 9_999n, EUR: 0n },
        quotes: [quoteOf({ ...IN_LADDER, status: 'used' })],
      }),
      account: guarded,
      request: {
        ...toKnown,
        currency: 'XXX',
        type: 'wallet',
        quote: 'poq_9',
        on_behalf_of: 'ent_1',
        beneficiary: 'bnf_9',
      },
    }),
    BY_QUOTE,
  ],
  [
    'of an unquoted SWIFT payout',
    () => ({
      state: stateWith({
        balances: { USD: 9_999n, EUR: 0n },
        approvals: [approval('rejected')],
      }),
      account: guarded,
      request: {
        ...toKnown,
        amount: 100_000_000,
        currency: 'USDC',
        holding_currency: 'HKD',
        type: 'service_account',
        on_behalf_of: 'ent_1',
        beneficiary: 'bnf_9',
        max_total_debit: 9_999,
      },
    }),
    BY_SWIFT,
  ],
]

for (const [what, start, ladder] of LADDERS) {
  test(`decidePayout, every problem ${what}, corrected one by one: one refusal each, then success`, () => {
    const c = start()
    for (const [refusal, mendIt] of ladder) {
      assert.deepEqual(
        refusalOf(() => decide(c)),
        [refusal],
      )
      assert.equal(c.state.books.get('acc_1')?.journal_count, 0n)
      assert.equal(c.state.books.get('acc_2')?.journal_count, 0n)
      mendIt(c)
    }
    const { payout }: PayoutOutcome = decide(c)
    assert.equal(payout.holding_amount, 10_000n)
    assert.equal(balanceOf(c.state, 'acc_1'), 0n)
  })
}
