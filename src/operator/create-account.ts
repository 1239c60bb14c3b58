// Creates an account: makes its ids, and its first key with the secret.
import { type Account, DAILY_QUOTA, DUPLICATE_WINDOW_S, makeApiKey } from '../accounts/rules.ts'
import { newId } from '../values/id.ts'
import { newSecret } from '../values/secret.ts'
import { openUnderNewId, type Write } from './account-operations.ts'

export type NewAccount = Pick<Account, 'name' | 'currencies' | 'primary_currency'> &
  Partial<Omit<Account, 'account_id' | 'deposit_address'>>

export interface OpenedAccount {
  readonly account: Account
  readonly key_id: string
  /** Shown once; the database has only its hash. */
  readonly secret: string
}

/**
 * Creates an account with an empty book and a first key of scope `write`. The key's owner is the
 * user who creates the account: whoever has seen the secret approves no payout of the key. It has
 * no owner before the installation has users.
 */
export async function createAccount(
  write: Write,
  wanted: NewAccount,
  owner: string,
): Promise<OpenedAccount> {
  const defaults = {
    sandbox: false,
    duplicate_window_s: DUPLICATE_WINDOW_S,
    ...DAILY_QUOTA,
  }
  const settings = { ...defaults, ...wanted }
  const { sandbox } = settings
  const secret = newSecret({ sandbox })
  const { account, key } = await openUnderNewId(write, account_id => ({
    account: { ...settings, account_id, deposit_address: newId('dep') },
    key: makeApiKey(account_id, { scope: 'write', name: 'first key', secret, owner }, newId),
  }))
  return { account, key_id: key.key_id, secret }
}
