// Faults in statement lines: how each is planted, and which journal must be named. The chain is covered,
// which would show each of them.
import { type Fault, journal, planted } from './faults.ts'
import { findJournal, rechain } from './forgery.ts'

/** A change of the line of a payout's journal. */
function lineChange(
  name: string,
  assignment: string,
  words: RegExp,
  [fate, kind]: readonly ['succeeded' | 'failed', string] = ['succeeded', 'payout'],
): Fault {
  return {
    name: `${name}, chain recomputed`,
    table: 'journals',
    words,
    async plant(owner, { main, payouts }) {
      const { account_id } = main.account
      const { number } = await findJournal(owner, account_id, kind, payouts[fate])
      await owner.unsafe(
        `update journals set ${assignment} where account_id = $1 and number = $2`,
        [account_id, String(number)],
      )
      await rechain(owner, account_id)
      return journal(number)
    },
  }
}

const NO_LINE = 'currency = null, amount = null, fixed_fee = null, variable_fee = null'

export const LINE_FAULTS: readonly Fault[] = [
  lineChange('balance_after changed', 'balance_after = balance_after + 1', /^balance_after/),
  lineChange('a line with another amount', 'amount = amount - 1', /^amount and fees of USD/),
  lineChange(
    'a fee moved into the amount',
    'amount = amount + fixed_fee, fixed_fee = 0',
    /^-10000, -150, -25 USD; -10150, 0, -25 USD$/,
  ),
  lineChange('a line in another currency', `currency = 'HKD'`, /^amount and fees of USD .*; HKD/),
  lineChange(
    'a debit marked as undoing another',
    `undoes = 'btr_x'`,
    /^.* USD; .* USD, undoing btr_x$/,
  ),
  lineChange(
    'a failure that undoes another debit',
    `undoes = 'btr_x'`,
    /undoing btr_.*; .*btr_x$/,
    ['failed', 'failure'],
  ),
  lineChange('a line removed', `${NO_LINE}, balance_after = null`, /^a balance transaction of/),
  lineChange('a line without its fees', 'fixed_fee = null', /; a part of a balance transaction$/),
  lineChange('an incomplete line', NO_LINE, /; a part of a balance transaction$/),
  lineChange(
    'a line of a settlement',
    `currency = 'USD', amount = 0, fixed_fee = 0, variable_fee = 0, balance_after = 1`,
    /^no balance transaction; a balance transaction of a settlement$/,
    ['succeeded', 'settlement'],
  ),
  lineChange(
    "a line's metadata on a settlement",
    `metadata = '{}'`,
    /^no balance transaction; a part of a balance transaction$/,
    ['succeeded', 'settlement'],
  ),
  planted({
    name: 'a line changed, chain unchanged',
    table: 'journals',
    words: /^hash/,
    statement: `update journals set metadata = '{"reference":"X"}'
      where account_id = $1 and number = 1`,
    named: journal(1n),
  }),
  planted({
    name: 'a funding that undoes another, chain recomputed',
    table: 'journals',
    words: /^no balance transaction that it undoes; btr_x$/,
    statement: `update journals set undoes = 'btr_x' where account_id = $1 and number = 1`,
    named: journal(1n),
    covered: true,
  }),
]
