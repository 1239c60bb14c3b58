// corridor account, and the opening of funded accounts.
import { accounts } from '../operator/account-actions.ts'
import {
  createAccount,
  type NewAccount,
  type OpenedAccount,
} from '../operator/account-operations.ts'
import { bookingWrite } from '../operator/funding.ts'
import { isOutcomeUnknown } from '../sql/failure.ts'
import type { Booking } from '../statements/funding/rules.ts'
import { newId } from '../values/id.ts'
import { type Besides, commandsOf } from './action.ts'
import { type Context, operatorOf } from './context.ts'
import { UsageError, unconfirmed } from './failure.ts'
import { readMoney } from './input.ts'
import { money } from './table.ts'

const opening: Besides<readonly Money[]> = {
  options: [['--fund <CODE=amount...>', 'of a sandbox: opening balances, such as USD=100000.00']],
  read(options, input) {
    const { currencies, sandbox = false } = input as NewAccount
    const { fund: texts = [] } = options as { readonly fund?: readonly string[] }
    const fund = texts.map(readMoney)
    for (const { currency } of fund) {
      if (!currencies.includes(currency)) {
        throw new UsageError(`--fund: ${currency} is not among --currencies`)
      }
    }
    if (sandbox || fund.length === 0) return fund
    throw new UsageError(
      '--fund is for sandboxes, as it takes no reference: open the account without it, then run ' +
        'corridor fund ACCOUNT CURRENCY AMOUNT --reference REFERENCE, the bank’s',
    )
  },
  // The secret is printed by then: the funding may fail, and nobody can read the secret later.
  follow: (context, opened, fund) =>
    fundSandbox(context, (opened as { account_id: string }).account_id, fund),
}

export const accountCommands = commandsOf(accounts, { 'account create': opening })

export interface Money {
  readonly currency: string
  /** In minor units. */
  readonly amount: bigint
}

type FundedAccount = NewAccount & {
  /** The opening balances of a sandbox; a live account gets none. */
  readonly fund: readonly Money[]
}

/** @throws CommandFailed if the funding is unconfirmed; it names the command that books it once */
export async function createFunded(
  context: Context,
  { fund, ...new_account }: FundedAccount,
): Promise<OpenedAccount> {
  const opened = await createAccount(
    (operation, command) => context.run({ operation, command, act: null }),
    new_account,
    operatorOf(context).name,
  )
  await fundSandbox(context, opened.account.account_id, fund)
  return opened
}

export async function fundSandbox(context: Context, account_id: string, fund: readonly Money[]) {
  for (const { currency, amount } of fund) {
    // A sandbox has no bank's reference. The source keeps a repeated command from funding twice.
    const source = newId('esc')
    const booking = { account_id, currency, amount, source, reference: '', reason: '' }
    const retry = `corridor fund ${account_id} ${money(currency, amount)} --source ${source}`
    await book(context, { kind: 'funding', ...booking }, retry)
  }
}

/** `retry` is the command that books it once; the error of an unconfirmed booking names it. */
export function book(context: Context, requested: Omit<Booking, 'by'>, retry: string) {
  return context.run(bookingWrite(context.config.user, requested)).catch(error => {
    if (!isOutcomeUnknown(error)) throw error
    throw unconfirmed(retry)
  })
}
