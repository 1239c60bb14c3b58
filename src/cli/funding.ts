// Funds accounts that commands open.

import { createAccount, type NewAccount, type OpenedAccount } from '../operator/create-account.ts'
import { bookingWrite } from '../operator/funding.ts'
import { isOutcomeUnknown } from '../sql/failure.ts'
import type { Booking } from '../statements/funding/rules.ts'
import { newId } from '../values/id.ts'
import { type Context, operatorOf } from './context.ts'
import { unconfirmed } from './failure.ts'
import { money } from './table.ts'

export interface Money {
  readonly currency: string
  /** In minor units. */
  readonly amount: bigint
}

type FundedAccount = NewAccount & {
  /** The opening balances of a sandbox; a live account gets none. */
  readonly fund: readonly Money[]
}

/**
 * Creates an account and books its opening balances.
 * @throws CommandFailed if the funding is unconfirmed; it names the command that books it once
 */
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

export async function fundSandbox(
  context: Context,
  account_id: string,
  fund: readonly Money[],
): Promise<void> {
  for (const { currency, amount } of fund) {
    // A sandbox has no bank, and so no reference. The source keeps a repeated command from funding
    // twice.
    const source = newId('esc')
    const booking = { account_id, currency, amount, source, reference: '', reason: '' }
    const retry = `corridor fund ${account_id} ${money(currency, amount)} --source ${source}`
    await book(context, { kind: 'funding', ...booking }, retry)
  }
}

/**
 * Books money.
 * @param retry the command that books the money once, however often it runs
 * @throws CommandFailed with `retry` if the database does not confirm the booking
 */
export function book(context: Context, requested: Omit<Booking, 'by'>, retry: string) {
  return context.run(bookingWrite(context.config.user, requested)).catch(error => {
    if (!isOutcomeUnknown(error)) throw error
    throw unconfirmed(retry)
  })
}
