// Accounts as operators see them.
import type { Account } from '../account/rules.ts'
import {
  type AccountListing,
  listAccounts,
  listAccountsInFull,
  type Settings,
} from '../account/store.ts'
import type { Sql } from '../db/connect.ts'
import { findAccountOf } from '../db/keys.ts'
import { listBalancesOf } from '../ledger/store.ts'
import { known, knownAmong } from './deed.ts'

/** The account of this id. Refuses (404) an id that no account has. */
export async function accountNamed(sql: Sql, account_id: string): Promise<Account> {
  return knownAmong('account', account_id, await listAccounts(sql), one => one.account_id)
}

const TABLES = {
  payout: 'payouts',
  entity: 'entities',
  beneficiary: 'beneficiaries',
  'webhook endpoint': 'webhook_endpoints',
} as const

/** The id of an object's account. Refuses (404) an id that no object of its kind has. */
export async function accountIdOf(
  audit: Sql,
  kind: keyof typeof TABLES,
  id: string,
): Promise<string> {
  return known(kind, id, await findAccountOf(audit, TABLES[kind], id))
}

export interface AccountInFull extends AccountListing {
  readonly balances: readonly { readonly currency: string; readonly available: bigint }[]
}

/** One account with its balances, or for null all of them, the oldest first. */
export async function findAccounts(
  audit: Sql,
  account_id: string | null,
): Promise<AccountInFull[]> {
  const [accounts, balances] = await Promise.all([
    listAccountsInFull(audit, account_id),
    listBalancesOf(audit, account_id),
  ])
  const byAccount = Map.groupBy(balances, balance => balance.account_id)
  return accounts.map(a => ({ ...a, balances: byAccount.get(a.account_id) ?? [] }))
}

export async function showAccount(audit: Sql, account_id: string): Promise<AccountInFull> {
  await accountNamed(audit, account_id)
  const [account] = await findAccounts(audit, account_id)
  return known('account', account_id, account)
}

/** An account as operators see it. Balances are minor units as text, by currency. */
export function presentAccount({ balances, ...account }: AccountInFull) {
  const amounts = balances.map(({ currency, available }) => [currency, available.toString()])
  return { ...account, balances: Object.fromEntries(amounts) as Record<string, string> }
}

export function presentSettings(settings: Settings) {
  const { name, currencies, primary_currency, duplicate_window_s, daily_rows, daily_mb } = settings
  return { name, currencies, primary_currency, duplicate_window_s, daily_rows, daily_mb }
}
