// Finds accounts by ids that people name.

import type { Account } from '../accounts/rules.ts'
import { listAccounts } from '../accounts/store.ts'
import type { Sql } from '../sql/connect.ts'
import { findAccountOf } from '../sql/keys.ts'
import { known, knownAmong } from './operator-write.ts'

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
