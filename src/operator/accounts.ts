// Accounts as operators see them.

import type { Account } from '../account/rules.ts'
import {
  type AccountListing,
  listAccounts,
  listAccountsInFull,
  type Settings,
} from '../account/store.ts'
import { presentWritten } from '../account-summary/response.ts'
import type { Sql } from '../db/connect.ts'
import { findAccountOf } from '../db/keys.ts'
import type { WrittenRow } from '../ledger/quota.ts'
import { listBalancesOf, listWritten } from '../ledger/store.ts'
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
  readonly written: WrittenRow
}

/** One account in full, or for null all of them, the oldest first. */
export async function findAccounts(
  audit: Sql,
  account_id: string | null,
): Promise<AccountInFull[]> {
  const [accounts, balances, written] = await Promise.all([
    listAccountsInFull(audit, account_id),
    listBalancesOf(audit, account_id),
    listWritten(audit, account_id),
  ])
  const writtenBy = new Map(written.map(row => [row.account_id, row]))
  const byAccount = Map.groupBy(balances, balance => balance.account_id)
  // An account that was opened between the reads comes with the next look.
  return accounts.flatMap(account => {
    const found = writtenBy.get(account.account_id)
    const balances = byAccount.get(account.account_id) ?? []
    return found === undefined ? [] : [{ ...account, balances, written: found }]
  })
}

export async function showAccount(audit: Sql, account_id: string): Promise<AccountInFull> {
  await accountNamed(audit, account_id)
  const [account] = await findAccounts(audit, account_id)
  return known('account', account_id, account)
}

/** An account as operators see it. Balances are minor units as text, by currency. */
export function presentAccount({ balances, written, ...account }: AccountInFull) {
  const amounts = balances.map(({ currency, available }) => [currency, available.toString()])
  return {
    ...account,
    balances: Object.fromEntries(amounts) as Record<string, string>,
    written_today: presentWritten(written),
  }
}

export function presentSettings(settings: Settings) {
  const { name, currencies, primary_currency, duplicate_window_s, daily_rows, daily_mb } = settings
  return { name, currencies, primary_currency, duplicate_window_s, daily_rows, daily_mb }
}
