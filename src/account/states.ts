// The states of an account, as data, and what each lets it do. Pure. The state is part of the book,
// which is locked by whoever judges it: what a freeze has returned from is obeyed by every process.
import { refusal } from '../errors.ts'

export type AccountState = 'active' | 'frozen' | 'closed'

/** A closed account that money comes back to is reopened by freezing it. */
export const ACCOUNT_TRANSITIONS: Readonly<Record<AccountState, readonly AccountState[]>> = {
  active: ['frozen', 'closed'],
  frozen: ['active', 'closed'],
  closed: ['frozen'],
}

/** What has a state: the locked book of the account. */
interface Stateful {
  readonly state: AccountState
}

/** Refuses what a closed account does not do: everything but being read. */
export function checkOpen({ state }: Stateful): void {
  if (state === 'closed') throw refusal('account_closed', 'The account is closed: it is only read.')
}

/** Refuses what takes money out, or leads to it, of an account that is frozen or closed. */
export function checkActive(account: Stateful): void {
  checkOpen(account)
  if (account.state === 'active') return
  // Why is between the operator and the account.
  const message = 'The account is frozen: it is read, and money comes in, and nothing else.'
  throw refusal('account_frozen', message)
}
