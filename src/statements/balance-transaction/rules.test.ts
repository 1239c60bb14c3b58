// Tests that a statement line and its journal are made together or not at all.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bookWith, decimal, NOW } from '../../../test/support/given/in-memory.ts'
import {
  type JournalDraft,
  type JournalKind,
  type Posting,
  postJournal,
} from '../../ledger/rules.ts'
import { numberedId } from '../../values/id.ts'
import type { StatementLine } from './balance-transaction.ts'
import { kindOf, LINE_TYPES, lineOf, sourcesAbout } from './columns.ts'
import { postEntry } from './rules.ts'

const line: StatementLine = {
  currency: 'USD',
  amount: -1_000n,
  fixed_fee: -20n,
  variable_fee: -3n,
  fx_conversions: [
    {
      exchange_rate: decimal('8'),
      initial: { amount: 1_000n, currency: 'USD' },
      final: { amount: 8_000n, currency: 'HKD' },
    },
  ],
}
const STORED =
  '[{"exchange_rate":"8","initial":{"amount":"1000","currency":"USD"},' +
  '"final":{"amount":"8000","currency":"HKD"}}]'

const MISMATCH = /^Error: a line that does not match its payout journal$/

const spend = (amount: bigint, currency = 'USD'): Posting[] => [
  { code: 'available', currency, amount: -amount },
  { code: 'in_transit', currency, amount },
]

function draftOf(postings: readonly Posting[]): JournalDraft {
  return { kind: 'payout', source: 'pot_1', postings }
}

test("postEntry, a debit: the line equals the journal's movement, with the balance after it", () => {
  const book = bookWith({ USD: 5_000n, EUR: 9n })
  book.journal_count = 6n
  const entry = postEntry(book, draftOf(spend(1_023n)), line)
  assert.equal(entry.journal.number, 7n)
  assert.deepEqual(entry.journal.postings, spend(1_023n))
  assert.equal(book.head_hash, entry.journal.hash)
  const { fx_conversions: _, ...figures } = line
  assert.deepEqual(entry.journal.line, {
    ...figures,
    balance_after: 3_977n,
    undoes: null,
    fx_conversions: STORED,
    metadata: null,
  })
  assert.deepEqual(entry.line, {
    ...line,
    type: 'payout',
    description: 'pot_1',
    source: 'pot_1',
    account_id: 'acc_1',
    id: numberedId('btr', { account_id: 'acc_1', created_at: NOW }, 7n),
    journal_number: 7n,
    operation_type: 'debit',
    net_amount: -1_023n,
    balance_after: 3_977n,
    metadata: {},
    created_at: NOW,
  })
})

test('postEntry, principal and fees given back: one credit of all three', () => {
  const back = { ...line, amount: 1_000n, fixed_fee: 20n, variable_fee: 3n }
  const { line: made } = postEntry(bookWith({ USD: 0n }), draftOf(spend(-1_023n)), back)
  assert.deepEqual(
    [made.operation_type, made.net_amount, made.balance_after],
    ['credit', 1_023n, 1_023n],
  )
})

test('postEntry, one unit received: a credit; one unit paid: a debit', () => {
  for (const [amount, operation_type] of [
    [1n, 'credit'],
    [-1n, 'debit'],
  ] as const) {
    const one = { ...line, amount, fixed_fee: 0n, variable_fee: 0n }
    const { line: made } = postEntry(bookWith({ USD: 1n }), draftOf(spend(-amount)), one)
    assert.equal(made.operation_type, operation_type)
  }
})

test("postEntry, net amount zero: throws, as PostgreSQL's constraint does", () => {
  const nothing = { ...line, amount: 23n }
  const postings: Posting[] = [
    { code: 'available', currency: 'USD', amount: 0n },
    { code: 'fx', currency: 'USD', amount: -23n },
    { code: 'fees', currency: 'USD', amount: 23n },
  ]
  assert.throws(() => postEntry(bookWith({ USD: 1n }), draftOf(postings), nothing), MISMATCH)
})

test('postEntry, a settlement: throws', () => {
  const draft = { ...draftOf(spend(1_023n)), kind: 'settlement' as const }
  assert.throws(
    () => postEntry(bookWith({ USD: 5_000n }), draft, line),
    /^Error: a line that does not match its settlement journal$/,
  )
})

test('postEntry, credit back of an earlier line: this line as source, the payout as description', () => {
  const back = { ...line, amount: 1_000n, fixed_fee: 20n, variable_fee: 3n, undoes: 'btr_1' }
  const draft = { ...draftOf(spend(-1_023n)), kind: 'failure' as const }
  const { journal, line: made } = postEntry(bookWith({ USD: 0n }), draft, back)
  assert.deepEqual(
    [made.type, made.source, made.description, journal.source, journal.line?.undoes],
    ['payout_failure', 'btr_1', 'pot_1', 'pot_1', 'btr_1'],
  )
})

test('lineOf, each kind of journal with a statement line: the line', () => {
  for (const [kind, type] of Object.entries(LINE_TYPES)) {
    if (type === null) continue
    const metadata = { reference: 'R "1"', by: 'Ann' }
    const draft = { ...draftOf(spend(1_023n)), kind: kind as JournalKind }
    const { journal, line: made } = postEntry(bookWith({ USD: 5_000n }), draft, {
      ...line,
      metadata,
    })
    assert.equal(made.type, type)
    assert.deepEqual(lineOf(journal), made)
    if (type !== 'payout') assert.equal(kindOf(type), kind)
  }
  const settlement = { ...draftOf(spend(0n)), kind: 'settlement' as const }
  const postings: Posting[] = [
    { code: 'in_transit', currency: 'USD', amount: -1n },
    { code: 'settled', currency: 'USD', amount: 1n },
  ]
  const journal = postJournal(bookWith({ USD: 0n }), { ...settlement, postings })
  assert.equal(lineOf(journal), undefined)
  assert.throws(() => kindOf('payout'), /^Error: no kind of journal is a payout$/)
  assert.throws(() => kindOf('gift'), /^Error: no kind of journal is a gift$/)
})

test('lines of a conversion: both are about it, and it stands for the sources of both', () => {
  for (const [kind, source] of [
    ['conversion_out', 'cnv_1'],
    ['conversion_in', 'cni_1'],
  ] as const) {
    const draft = { ...draftOf(spend(1_023n)), kind, source }
    const { line: made, journal } = postEntry(bookWith({ USD: 5_000n }), draft, line)
    assert.deepEqual([made.source, made.description, journal.source], ['cnv_1', 'cnv_1', source])
  }
  assert.deepEqual(sourcesAbout(['pot_1', 'cnv_1']), ['pot_1', 'cnv_1', 'cni_1'])
})

const MISMATCHES: readonly (readonly [what: string, postings: readonly Posting[]])[] = [
  ['no balance moved', spend(1_023n).map(posting => ({ ...posting, code: 'fx' as const }))],
  ['one unit too many moved', spend(1_024n)],
  ['one unit too few moved', spend(1_022n)],
  ['moved in the other direction', spend(-1_023n)],
  ['another currency moved', spend(1_023n, 'EUR')],
  ['moved twice', [...spend(1_023n), ...spend(1_023n)]],
  ['moved in two parts', [...spend(1_000n), ...spend(23n)]],
]

for (const [what, postings] of MISMATCHES) {
  test(`postEntry, ${what}: throws, book unchanged`, () => {
    const book = bookWith({ USD: 5_000n, EUR: 5_000n })
    assert.throws(() => postEntry(book, draftOf(postings), line), MISMATCH)
    assert.deepEqual(book, bookWith({ USD: 5_000n, EUR: 5_000n }))
  })
}

test('postEntry, debit above the balance: throws, no line made', () => {
  const book = bookWith({ USD: 1_022n })
  assert.throws(() => postEntry(book, draftOf(spend(1_023n)), line), /overdrawn in USD/)
  assert.deepEqual(book, bookWith({ USD: 1_022n }))
})
