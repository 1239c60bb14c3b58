// Faults in statement lines: how each is planted, and which row must be named.
import type { Sql } from '../../src/db/connect.ts'
import { type Fault, journal } from './faults.ts'
import { findJournal } from './forgery.ts'

/** A change of the debit line of the payout that succeeded. */
function lineChange(name: string, assignment: string, words: RegExp): Fault {
  return {
    name,
    table: 'balance_transactions',
    words,
    async plant(owner, { main, payouts }) {
      const [row] = await owner.unsafe<{ id: string }[]>(
        `update balance_transactions set ${assignment}
          where account_id = $1 and source = $2 and type = 'payout' returning id`,
        [main.account.account_id, payouts.succeeded],
      )
      return { key: row?.id ?? '' }
    },
  }
}

export const LINE_FAULTS: readonly Fault[] = [
  lineChange('balance_after changed', 'balance_after = balance_after + 1', /^balance_after/),
  lineChange(
    'a line with another amount',
    'amount = amount - 1, net_amount = net_amount - 1',
    /^net_amount/,
  ),
  lineChange(
    'a fee moved into the amount',
    'amount = amount + fixed_fee, fixed_fee = 0',
    /^-10000, -150, -25 USD from pot_/,
  ),
  lineChange('a line of another type', `type = 'payout_failure'`, /^type payout;/),
  lineChange('a line at another time', `created_at = created_at + interval '1 s'`, /^created_at/),
  lineChange('a line in another currency', `currency = 'HKD'`, /^currency USD; HKD/),
  lineChange('a line of another payout', `source = 'pot_00000000000000000000'`, / from pot_0000/),
  {
    name: 'a line of a settlement',
    table: 'balance_transactions',
    words: /a journal that moves available; journal \d+, a settlement/,
    async plant(owner, { main, payouts }) {
      const { account_id } = main.account
      const { number } = await findJournal(owner, account_id, 'settlement', payouts.succeeded)
      await copyLine(owner, account_id, number)
      return { key: 'zzz' }
    },
  },
  {
    name: 'a funding line of another escrow',
    table: 'balance_transactions',
    words: /^source esc_\w+; esc_other$/,
    async plant(owner, { main }) {
      const [line] = await owner<{ id: string }[]>`
        update balance_transactions set source = 'esc_other'
        where account_id = ${main.account.account_id} and journal_number = 1 returning id`
      return { key: line?.id ?? '' }
    },
  },
  {
    name: 'a line of no account',
    table: 'balance_transactions',
    words: /a book of this account; none/,
    async plant(owner, { main }) {
      const { account_id } = main.account
      await copyLine(owner, account_id, 1n)
      await owner`update balance_transactions set account_id = 'acc_z' where id = 'zzz'`
      return { key: 'zzz', account_id: 'acc_z' }
    },
  },
  {
    name: 'a line deleted',
    table: 'journals',
    words: /^a balance transaction of available/,
    async plant(owner, { main, payouts }) {
      const { account_id } = main.account
      const { number } = await findJournal(owner, account_id, 'payout', payouts.succeeded)
      await owner`
        delete from balance_transactions
        where account_id = ${account_id} and journal_number = ${number}`
      return journal(number)
    },
  },
  {
    name: 'a line twice',
    table: 'balance_transactions',
    words: /a journal of its own/,
    async plant(owner, { main }) {
      const { account_id } = main.account
      await copyLine(owner, account_id, 1n)
      return { key: 'zzz' }
    },
  },
  {
    name: 'a line of no journal',
    table: 'balance_transactions',
    words: /a journal of its own; journal 999/,
    async plant(owner, { main }) {
      const { account_id } = main.account
      await copyLine(owner, account_id, 999n)
      return { key: 'zzz' }
    },
  },
]

/** A second line like that of journal 1, for this journal. */
async function copyLine(owner: Sql, account_id: string, number: bigint): Promise<void> {
  await owner`
    insert into balance_transactions
    select account_id, 'zzz', ${number}::bigint, type, operation_type, currency, amount, fixed_fee,
      variable_fee, net_amount, balance_after, fx_conversions, description, 'esc_other', metadata,
      created_at + interval '1 s'
    from balance_transactions where account_id = ${account_id} and journal_number = 1`
}
