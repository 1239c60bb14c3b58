// The exceptions of the treasury in words for people, and the page on which each is looked at.
import type { ExceptionKind } from '../../treasury/match/exception.ts'

interface ExceptionWords {
  /** For one, and for several. */
  readonly what: readonly [string, string]
  readonly next: string
}

const MISSING =
  'Look at what was paid, and ask the bank. It leaves this list with the line that confirms it.'

export const EXCEPTION_WORDS: Readonly<Record<ExceptionKind, ExceptionWords>> = {
  wrong_currency: {
    what: [
      'line of a bank is in another currency than its account',
      'lines of banks are in another currency than their accounts',
    ],
    next: 'Ask the bank what it is, and write a note.',
  },
  wrong_nostro: {
    what: [
      'line of a bank is of a payment that another account at a bank expects',
      'lines of banks are of payments that other accounts at banks expect',
    ],
    next: 'Book it as a transfer from or to that account.',
  },
  amount_differs: {
    what: [
      'line of a bank has the key of an item and another amount',
      'lines of banks have the keys of items and other amounts',
    ],
    next: 'Look at what may explain it, and say what the rest is.',
  },
  duplicate_line: {
    what: [
      'line of a bank is equal to another one, or has its key',
      'lines of banks are equal to others, or have their keys',
    ],
    next: 'Ask the bank whether it is a second payment.',
  },
  unknown_debit: {
    what: ['debit of a bank is explained by nothing', 'debits of banks are explained by nothing'],
    next: 'Match it with an item, or book what it is.',
  },
  unknown_credit: {
    what: ['credit of a bank is explained by nothing', 'credits of banks are explained by nothing'],
    next: 'Match it with an item, credit the account that it is for, or book what it is.',
  },
  stale_suspense: {
    what: [
      'credit of a bank has waited for its account for over three banking days',
      'credits of banks have waited for their accounts for over three banking days',
    ],
    next: 'Credit the account that it is for, or ask the bank who has paid it.',
  },
  missing_debit: {
    what: [
      'payment is not confirmed by its bank in time',
      'payments are not confirmed by their banks in time',
    ],
    next: MISSING,
  },
  missing_credit: {
    what: [
      'receipt is not confirmed by its bank in time',
      'receipts are not confirmed by their banks in time',
    ],
    next: MISSING,
  },
  unassigned: {
    what: [
      'item of the books has no known account at a bank',
      'items of the books have no known account at a bank',
    ],
    next: 'Whoever runs the server says which account at a bank its rail pays from.',
  },
  gap: {
    what: ['statement of a bank is missing before another', 'statements are missing before others'],
    next: 'Take in the statement that is missing.',
  },
  overlap: {
    what: [
      'statement of a bank has lines of others and agrees with none',
      'statements of banks have lines of others and agree with none',
    ],
    next: 'Ask the bank which one is right.',
  },
  sum_differs: {
    what: [
      'statement of a bank does not sum to its closing balance',
      'statements of banks do not sum to their closing balances',
    ],
    next: 'Ask the bank for the statement again.',
  },
  statement_late: {
    what: ['statement of a bank is late', 'statements of banks are late'],
    next: 'Ask the bank for it, and take it in.',
  },
}

/** Below the root. The page opens with the line, item or statement. */
export function placeOfCase({
  nostro,
  id,
}: {
  readonly nostro: string
  readonly id: string
}): string {
  if (nostro === '') return 'treasury?kind=unassigned#list'
  if (id.startsWith('line_')) return `treasury/${nostro}?line=${id}`
  if (id.startsWith('item_')) return `treasury/${nostro}?items=${id}`
  return `treasury/${nostro}/statements${id && `#${id}`}`
}
