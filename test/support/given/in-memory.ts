// Makes books, accounts, quotes, payouts and counting ids in memory, for tests of pure rules, which
// need no database.
import assert from 'node:assert/strict'
import { type Account, DAILY_QUOTA } from '../../../src/accounts/rules.ts'
import { emptyState } from '../../../src/controls/limit/limit.ts'
import { type Book, EMPTY_HASH } from '../../../src/ledger/rules.ts'
import type { Beneficiary } from '../../../src/parties/beneficiary/beneficiary.ts'
import { intentOf, withNamed } from '../../../src/payouts/create/intent.ts'
import type { Intent, PayoutState } from '../../../src/payouts/payout.ts'
import type { PayoutRequest } from '../../../src/payouts/request.ts'
import type { Fee } from '../../../src/prices/fee/rules.ts'
import type { PairPolicy, Pricing } from '../../../src/prices/price.ts'
import { type Rate, RateBook } from '../../../src/prices/rate/rules.ts'
import type { Quote, QuoteTerms } from '../../../src/quotes/quote.ts'
import type { Route } from '../../../src/rails/rules.ts'
import type { Event } from '../../../src/statements/event/event.ts'
import { Refusal } from '../../../src/values/errors.ts'
import { type BookId, numberedId } from '../../../src/values/id.ts'
import { type Decimal, parseDecimal } from '../../../src/values/money/decimal.ts'
import { bankBeneficiary, localPayout } from './bodies.ts'

/** The book's time; rates are an hour older. */
export const NOW = '2026-01-31T09:30:00.123456Z'
export const AN_HOUR_AGO = '2026-01-31T08:30:00.123456Z'

/** `pot_1`, `bnf_1`, `pot_2`, … */
export function countingIds(): BookId {
  const counts = new Map<string, number>()
  return (_book, prefix) => {
    const count = (counts.get(prefix) ?? 0) + 1
    counts.set(prefix, count)
    return `${prefix}_${count}`
  }
}

/** The id of the line of a journal. */
export function lineId(journal_number: number, account_id = 'acc_1'): string {
  return numberedId('btr', { account_id, created_at: NOW }, BigInt(journal_number))
}

/** Fails the test when a rule makes an id. */
export const noIds: BookId = (_book, prefix) => assert.fail(`an id ${prefix} was made`)

export function bookWith(
  balances: Readonly<Record<string, bigint>> = {},
  account_id = 'acc_1',
): Book {
  return {
    account_id,
    now: NOW,
    state: 'active',
    journal_count: 0n,
    head_hash: EMPTY_HASH,
    event_count: 0n,
    event_head: EMPTY_HASH,
    kept: new Map(),
    ids_given: 0,
    balances: new Map(Object.entries(balances)),
    changed: new Set(),
    today: 20_000,
    written_rows: 0n,
    written_bytes: 0n,
    has_limit_uses: false,
  }
}

export const account: Account = {
  account_id: 'acc_1',
  name: 'Harbour Imports',
  currencies: ['USD', 'EUR'],
  primary_currency: 'USD',
  deposit_address: 'dep_1',
  sandbox: false,
  duplicate_window_s: 0,
  us_state: 'none',
  ...DAILY_QUOTA,
}

export function decimal(text: string): Decimal {
  const value = parseDecimal(text)
  assert.ok(value, text)
  return value
}

/** `{ 'USD/HKD': '8', 'USD/AED peg': '3.6725' }`; the pivot is EUR. */
export function rateBook(
  rates: Readonly<Record<string, string>>,
  as_of: Readonly<Record<string, string>> = {},
): RateBook {
  const rows = Object.entries(rates).map(([pair, text]): Rate => {
    const [base = '', quote = '', peg] = pair.split(/[/ ]/)
    const time = as_of[pair] ?? AN_HOUR_AGO
    const mid = decimal(text)
    const pegged = peg !== undefined
    return { base, quote, mid, source: 'test', as_of: time, pegged, sample: false }
  })
  return new RateBook('EUR', rows)
}

/** A row of the fee schedule for local payouts of any kind that costs nothing. */
const freeRow: Fee = {
  payout_type: 'local',
  payout_currency: null,
  destination_country: null,
  network: null,
  charge_type: null,
  fixed_amount: 0n,
  fee_currency: 'USD',
  variable_bps: 0,
  minimum_amount: null,
  maximum_amount: null,
  sample: false,
}

export function feeRow(part: Partial<Fee>): Fee {
  return { ...freeRow, ...part }
}

/**
 * Pricing with one policy for every pair: no spread, rates of any age, quotes valid for 30 minutes;
 * `policy` changes it.
 */
export function pricing(
  rates: Readonly<Record<string, string>> = {},
  fees: readonly Fee[] = [],
  policy: Partial<PairPolicy> = {},
): Pricing {
  const times = { quote_validity_s: 1800, schedule_s: 604_800 }
  const ordinary = { spread_bps: 0, max_age_s: null, any_age: true, ...times }
  return {
    rates: rateBook(rates),
    fees,
    fee_required: false,
    policyOf: () => ({ ...ordinary, ...policy }),
  }
}

/** A route of every live payout to the rail `bank`, which has an adapter. */
export const anyRoute: Route = {
  account_id: null,
  payout_type: null,
  network: null,
  currency: null,
  country: null,
  min_amount: null,
  max_amount: null,
  priority: 0,
  timetable: null,
  rail: 'bank',
}

export const terms: QuoteTerms = {
  payout_type: 'local',
  holding_currency: 'USD',
  payout_currency: 'USD',
  payout_amount: 10_000n,
  destination_currency: 'USD',
  destination_country: '',
  fund_transfer_network: '',
  payment_network: '',
  wallet_type: '',
  wallet_network: '',
  charge_type: '',
  entity_id: '',
}

/** An active quote of USD 100.00, without conversion and fees. */
export function quoteOf(part: Partial<Quote> = {}): Quote {
  const one = decimal('1')
  return {
    ...terms,
    holding_amount: 10_000n,
    destination_amount: 10_000n,
    holding_to_payout: one,
    payout_to_destination: one,
    fixed_fee_holding: 0n,
    fixed_fee_payout: 0n,
    variable_fee_holding: 0n,
    variable_fee_payout: 0n,
    fx_income_holding: 0n,
    fx_income_destination: 0n,
    basis: { spread_bps: 0 },
    account_id: 'acc_1',
    id: 'poq_1',
    made_by: 'key_1',
    status: 'active',
    valid_until: '2026-01-31T10:00:00.123456Z',
    expected_at: null,
    created_at: NOW,
    updated_at: NOW,
    ...part,
  }
}

export const request = localPayout as PayoutRequest

/** A beneficiary with a bank account in Hong Kong. */
export const beneficiary: Beneficiary = {
  account_id: 'acc_1',
  id: 'bnf_known',
  approval: '',
  archived_at: null,
  details: {
    address: {},
    date_of_birth: '',
    destination: 'dst_known',
    documents: [],
    email: '',
    name_local: '',
    national_identification_number: '',
    party_classification: '',
    reference_id: '',
    metadata: {},
    phone: {},
    registration_number: '',
    status: 'active',
    tax_id: '',
    ...(bankBeneficiary as NonNullable<PayoutRequest['beneficiary_details']>),
  },
  made_by: 'key_1',
  created_at: AN_HOUR_AGO,
  updated_at: AN_HOUR_AGO,
}

/** The problems of the Refusal that `act` throws, each as `reason at path: message`. */
export function refusalOf(act: () => unknown): string[] {
  try {
    act()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return error.problems.map(
      ({ reason, remarks, message }) => `${reason} at ${remarks || 'the whole'}: ${message}`,
    )
  }
  return assert.fail('nothing was refused')
}

/** The version of the sanctions lists, in which no party has a match. */
export const LISTS_VERSION = 3n

/** What a request amounts to in this state; its parties match no list. */
export function intentFor(
  state: PayoutState,
  request: PayoutRequest,
  by: Partial<Pick<Intent, 'account' | 'key_id' | 'made_by'>> = {},
): Intent {
  const asked = { account, request, maker: 'key_1', ...by }
  const intent = intentOf({ ...asked, account_id: asked.account.account_id })
  return { ...withNamed(intent, state), screened: { version: LISTS_VERSION, matches: [] } }
}

const receiver: Account = { ...account, account_id: 'acc_2', deposit_address: 'dep_2' }

/** A state with USD 1,000.00 available, a second account to pay, and no fees. */
export function payoutState(part: Partial<PayoutState> = {}): PayoutState {
  return {
    now: NOW,
    books: new Map([
      ['acc_1', bookWith({ USD: 100_000n, EUR: 0n })],
      ['acc_2', bookWith({ USD: 5n }, 'acc_2')],
    ]),
    quotes: new Map(),
    beneficiaries: new Map([['acc_1/bnf_known', beneficiary]]),
    approvals: new Map(),
    accountsByDepositAddress: new Map([
      ['dep_1', account],
      ['dep_2', receiver],
    ]),
    fingerprints: new Map(),
    limits: emptyState(),
    approving: { rules: new Map(), keys: new Map(), payees: new Set() },
    principals: new Map(),
    sender_bic: '',
    intents: new Map(),
    pricing: () => pricing(),
    routes: [anyRoute],
    carriage: new Map(),
    bookId: countingIds(),
    ...part,
  }
}

/** A transfer to another account of the installation. */
export function requestTo(deposit_address: string): PayoutRequest {
  return {
    ...request,
    type: 'service_account',
    beneficiary_details: {
      name: 'Sister Company',
      type: 'business',
      destination_details: { type: 'service_account', service_account: { deposit_address } },
    },
  }
}

/** `acc_1 1 payout.created pot_1 {…}`; the sequence is the account's. */
export function eventLines(events: readonly Event[]): string[] {
  return events.map(
    ({ account_id, sequence, type, object_id, data }) =>
      `${account_id} ${sequence} ${type} ${object_id} ${JSON.stringify(data)}`,
  )
}
