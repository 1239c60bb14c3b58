// Creates an account: its ids, its first key with the secret, and the opening balances of a
// sandbox. Knows no command line and no database; `write` and `fund` are the caller's.
import { type Account, DUPLICATE_WINDOW_S, makeApiKey } from '../account/rules.ts'
import { newSecret } from '../account/secret.ts'
import type { Booking } from '../funding/rules.ts'
import { newId } from '../id.ts'
import { openUnderNewId, type Write } from './account-operations.ts'

export interface NewAccount {
  readonly name: string
  readonly currencies: readonly string[]
  readonly primary_currency: string
  /** The opening balances of a sandbox, in minor units; a live account gets none. */
  readonly fund: readonly { readonly currency: string; readonly amount: bigint }[]
  readonly sandbox?: boolean
  readonly duplicate_window_s?: number
}

export interface OpenedAccount {
  readonly account: Account
  readonly key_id: string
  /** Shown once; the database has only its hash. */
  readonly secret: string
}

export interface Writer {
  readonly write: Write
  /** Books one opening balance. */
  fund(booking: Omit<Booking, 'by'>): Promise<unknown>
}

/**
 * A new account with a key of scope `write`. `onOpened` gets both before any funding, which may
 * fail: nobody can learn the secret later.
 */
export async function createAccount(
  writer: Writer,
  wanted: NewAccount,
  onOpened: (opened: OpenedAccount) => void = () => {},
): Promise<OpenedAccount> {
  const { sandbox = false, duplicate_window_s = DUPLICATE_WINDOW_S, fund, ...settings } = wanted
  const secret = newSecret({ sandbox })
  const { account, key } = await openUnderNewId(writer.write, account_id => ({
    account: {
      ...settings,
      account_id,
      deposit_address: newId('dep'),
      sandbox,
      duplicate_window_s,
    },
    key: makeApiKey(account_id, { scope: 'write', name: 'first key', secret }, newId),
  }))
  const { account_id } = account
  const opened = { account, key_id: key.key_id, secret }
  onOpened(opened)
  // A sandbox has no bank that gives a reference. The source keeps a repeat from funding it twice.
  const words = { kind: 'funding', reference: '', reason: '' } as const
  for (const { currency, amount } of fund) {
    await writer.fund({ ...words, account_id, currency, amount, source: newId('esc') })
  }
  return opened
}
