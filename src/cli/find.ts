// What is named by its id on the command line. One sentence and one exit code for an id that names
// nothing, in every command: the call was right and was tried, so it is no usage error.
import type { Account } from '../account/rules.ts'
import { listAccounts } from '../account/store.ts'
import type { Sql } from '../db/connect.ts'
import { didYouMean } from '../nearest.ts'
import { CommandFailed } from './context.ts'

/** Where the ids stand. */
const WAYS_OUT = {
  account: 'corridor account list shows those there are',
  payout: 'corridor payout list shows the newest',
  entity: 'corridor entity list shows those that wait for review',
  key: 'corridor key list ACCOUNT shows those of an account',
  'balance transaction': 'corridor statement ACCOUNT shows those of an account',
  event: 'GET /v3/event lists those of an account',
}

export class NotThere extends CommandFailed {
  constructor(what: keyof typeof WAYS_OUT, id: string, known: readonly string[] = []) {
    super(`there is no ${what} ${id}${didYouMean(id, known) || `; ${WAYS_OUT[what]}`}`)
  }
}

export async function findAccount(sql: Sql, account_id: string): Promise<Account> {
  const accounts = await listAccounts(sql)
  const account = accounts.find(known => known.account_id === account_id)
  if (account !== undefined) return account
  const ids = accounts.map(known => known.account_id)
  throw new NotThere('account', account_id, ids)
}
