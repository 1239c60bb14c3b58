// corridor account: the actions on accounts; account create also funds a sandbox.
import { accounts } from '../operator/account-actions.ts'
import type { NewAccount } from '../operator/create-account.ts'
import { type Besides, commandsOf } from './action.ts'
import { UsageError } from './failure.ts'
import { fundSandbox, type Money } from './funding.ts'
import { readMoney } from './input.ts'

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
