// The states of an account and what each allows. Pure. Callers read the state under the lock of the
// account's book, so every process obeys a freeze as soon as the freeze has returned.
import { refusal } from '../values/errors.ts'

export type AccountState = 'active' | 'frozen' | 'closed'

/** The transitions. A freeze reopens a closed account to which money comes back. */
export const ACCOUNT_TRANSITIONS: Readonly<Record<AccountState, readonly AccountState[]>> = {
  active: ['frozen', 'closed'],
  frozen: ['active', 'closed'],
  closed: ['frozen'],
}

/** The locked book of the account. */
interface Stateful {
  readonly state: AccountState
}

/** Refuses every write of a closed account. */
export function checkOpen({ state }: Stateful): void {
  if (state !== 'closed') return
  throw refusal('account_closed', 'The account is closed: it can only be read.')
}

/** Refuses to take money out of a frozen or closed account. */
export function checkActive(account: Stateful): void {
  checkOpen(account)
  if (account.state === 'active') return
  // The message gives no reason, which is between the operator and the account.
  const message = 'The account is frozen: it can be read and receive money, nothing more.'
  throw refusal('account_frozen', message)
}
