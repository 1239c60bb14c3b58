// A statement line and its journal: made together, or not at all.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bookWith, decimal, NOW } from '../../test/support/in-memory.ts'
import { numberedId } from '../id.ts'
import type { JournalDraft, Posting } from '../ledger/rules.ts'
import { postEntry, type StatementLine } from './rules.ts'

const line: StatementLine = {
  type: 'payout',
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
  description: 'pot_1',
  source: 'pot_1',
}

const spend = (amount: bigint, currency = 'USD'): Posting[] => [
  { code: 'available', currency, amount: -amount },
  { code: 'in_transit', currency, amount },
]

function draftOf(postings: readonly Posting[]): JournalDraft {
  return { kind: 'payout', source: 'pot_1', postings }
}

test('postEntry, a debit: the line is the journal’s movement, with the balance after it', () => {
  const book = bookWith({ USD: 5_000n, EUR: 9n })
  book.journal_count = 6n
  const entry = postEntry(book, draftOf(spend(1_023n)), line)
  assert.equal(entry.journal.number, 7n)
  assert.deepEqual(entry.journal.postings, spend(1_023n))
  assert.equal(book.head_hash, entry.journal.hash)
  assert.deepEqual(entry.line, {
    ...line,
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

test('postEntry, fees given back with the amount: a credit of all three', () => {
  const back = { ...line, amount: 1_000n, fixed_fee: 20n, variable_fee: 3n }
  const { line: made } = postEntry(bookWith({ USD: 0n }), draftOf(spend(-1_023n)), back)
  assert.deepEqual(
    [made.operation_type, made.net_amount, made.balance_after],
    ['credit', 1_023n, 1_023n],
  )
})

test('postEntry, one unit: a credit when it comes, a debit when it goes', () => {
  for (const [amount, operation_type] of [
    [1n, 'credit'],
    [-1n, 'debit'],
  ] as const) {
    const one = { ...line, amount, fixed_fee: 0n, variable_fee: 0n }
    const { line: made } = postEntry(bookWith({ USD: 1n }), draftOf(spend(-amount)), one)
    assert.equal(made.operation_type, operation_type)
  }
})

test('postEntry, nothing in the end: no credit, as the table of the database has it', () => {
  const nothing = { ...line, amount: 23n }
  const postings: Posting[] = [
    { code: 'available', currency: 'USD', amount: 0n },
    { code: 'fx', currency: 'USD', amount: -23n },
    { code: 'fees', currency: 'USD', amount: 23n },
  ]
  const { line: made } = postEntry(bookWith({ USD: 1n }), draftOf(postings), nothing)
  assert.deepEqual([made.operation_type, made.net_amount, made.balance_after], ['debit', 0n, 1n])
})

const MISMATCHES: readonly (readonly [what: string, postings: readonly Posting[]])[] = [
  ['no balance moved', spend(1_023n).map(posting => ({ ...posting, code: 'fx' as const }))],
  ['one unit more moved', spend(1_024n)],
  ['one unit less moved', spend(1_022n)],
  ['moved the other way', spend(-1_023n)],
  ['another currency moved', spend(1_023n, 'EUR')],
  ['moved twice', [...spend(1_023n), ...spend(1_023n)]],
  ['moved in two parts', [...spend(1_000n), ...spend(23n)]],
]

for (const [what, postings] of MISMATCHES) {
  test(`postEntry, ${what}: throws, book untouched`, () => {
    const book = bookWith({ USD: 5_000n, EUR: 5_000n })
    assert.throws(
      () => postEntry(book, draftOf(postings), line),
      /^Error: a payout line that does not match its journal$/,
    )
    assert.deepEqual(book, bookWith({ USD: 5_000n, EUR: 5_000n }))
  })
}

test('postEntry, more than the balance: throws, no line is made', () => {
  const book = bookWith({ USD: 1_022n })
  assert.throws(() => postEntry(book, draftOf(spend(1_023n)), line), /overdrawn in USD/)
  assert.deepEqual(book, bookWith({ USD: 1_022n }))
})
