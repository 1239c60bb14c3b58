// More accounts: opened and funded as the command line does it, each with a beneficiary of its own
// made over HTTP. Knows no load and no numbers.
import { createAccount } from '../src/cli/account.ts'
import { onDatabase } from '../src/cli/context.ts'
import { readConfig } from '../src/config.ts'
import { makeBeneficiary } from './payout-sample.ts'
import { type Caller, callerOf, type Target, untilKeysAreKnown } from './target.ts'

export interface Payer extends Caller {
  readonly beneficiary: string
}

/** Accounts made side by side. */
const MAKERS = 8

/** As many accounts, with money that lasts, and without the guard against paying twice. */
export async function makePayers(target: Target, count: number): Promise<readonly Payer[]> {
  const opened = await onDatabase(readConfig({}), target.database_url, context =>
    times(count, MAKERS, async i => {
      const { account, key_id, secret } = await createAccount(context, {
        name: `Bench ${i + 1}`,
        currencies: ['USD'],
        primary_currency: 'USD',
        fund: [{ currency: 'USD', amount: 1_000_000_000_000n }],
        sandbox: true,
        duplicate_window_s: 0,
      })
      return callerOf(target.address, { account_id: account.account_id, key_id, secret })
    }),
  )
  await untilKeysAreKnown()
  return times(count, MAKERS, async i => {
    const caller = opened[i] as Caller
    return { ...caller, beneficiary: await makeBeneficiary(caller) }
  })
}

/** Does it so many times, some of them at once; the results in order. */
export async function times<T>(
  count: number,
  at_once: number,
  work: (i: number) => Promise<T>,
): Promise<T[]> {
  const results: T[] = []
  let next = 0
  const maker = async () => {
    for (let i = next++; i < count; i = next++) results[i] = await work(i)
  }
  await Promise.all(Array.from({ length: at_once }, maker))
  return results
}
