// Accounts as operators see them.
import { ACCOUNT_TRANSITIONS, type AccountState } from '../accounts/states.ts'
import { listAccountsInFull, type Settings } from '../accounts/store.ts'
import { presentWritten, WrittenToday } from '../controls/account-summary/response.ts'
import { Literals, Timestamp } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { listBalancesOf, listWritten } from '../ledger/store.ts'
import type { Sql } from '../sql/connect.ts'
import { currencyExponent } from '../values/money/currency.ts'
import { formatMajor } from '../values/money/decimal.ts'
import { US_STATE_CODES } from '../values/us-state.ts'
import { OperatorKey } from './keys.ts'
import { AccountId } from './request.ts'

export const State = Literals(Object.keys(ACCOUNT_TRANSITIONS) as AccountState[])

export const SETTINGS = {
  name: Type.String(),
  currencies: Type.Array(Type.String()),
  primary_currency: Type.String(),
  duplicate_window_s: Type.Integer({ description: '0 for never.' }),
  daily_rows: Type.Integer(),
  daily_mb: Type.Integer(),
  us_state: Literals(US_STATE_CODES, { description: '`none` for no state of the US.' }),
}

export const ACCOUNT = {
  account_id: AccountId,
  ...SETTINGS,
  deposit_address: Type.String(),
  sandbox: Type.Boolean(),
}

const IN_FULL = {
  ...ACCOUNT,
  state: State,
  state_reason: Type.String({
    description: 'Why the account is in this state; empty if nobody has ever changed it.',
  }),
  created_at: Timestamp,
  balances: Type.Record(Type.String(), Type.String(), {
    description: 'Minor units as text, by currency.',
  }),
  written_today: WrittenToday,
}

export const OperatorAccount = Type.Object(IN_FULL, {
  title: 'OperatorAccount',
  description: 'An account with its state and balances.',
})

export const OperatorAccountInFull = Type.Object(
  { ...IN_FULL, keys: Type.Array(OperatorKey, { description: 'All its keys, revoked ones too.' }) },
  { title: 'OperatorAccountInFull', description: 'An account with its state, balances and keys.' },
)

export async function findAccounts(audit: Sql, account_id: string | null) {
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
    if (found === undefined) return []
    const amounts = (byAccount.get(account.account_id) ?? []).map(
      ({ currency, available }) => [currency, available.toString()] as const,
    )
    const balances: Record<string, string> = Object.fromEntries(amounts)
    return [{ ...account, balances, written_today: presentWritten(found) }]
  })
}

export function presentSettings(settings: Settings) {
  const { name, currencies, primary_currency, duplicate_window_s } = settings
  const { daily_rows, daily_mb, us_state } = settings
  return {
    ...{ name, currencies, primary_currency, duplicate_window_s },
    ...{ daily_rows, daily_mb, us_state },
  }
}

export function balanceWords({
  balances,
}: {
  readonly balances: Readonly<Record<string, string>>
}) {
  return Object.entries(balances)
    .map(([code, minor]) => `${code} ${formatMajor(BigInt(minor), currencyExponent(code))}`)
    .join(', ')
}

/** `off`, or `600 s`. */
export const windowWords = (seconds: number) => (seconds === 0 ? 'off' : `${seconds} s`)
