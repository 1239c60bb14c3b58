// Answers about the calling account.
import type { Account } from '../../accounts/rules.ts'
import { ACCOUNT_TRANSITIONS, type AccountState } from '../../accounts/states.ts'
import { integerOrNull, Literals, Timestamp, textOrNull } from '../../http/schema.ts'
import { Type } from '../../http/type.ts'
import { endOfDay, type WrittenRow, writtenToday } from '../../ledger/quota.ts'
import type { Instant } from '../../values/instant.ts'
import { EACH, PERS } from '../limit/limit.ts'
import type { UsedLimit } from './rules.ts'

export const LimitResponse = Type.Object(
  {
    id: Type.String(),
    currency: textOrNull({
      description:
        'The currency of the amounts that the limit adds up. Null: the limit counts payouts.',
    }),
    cap: Type.String({
      description:
        'The most that the limit allows: minor units of the currency, or a number of payouts, ' +
        'as text.',
    }),
    used: textOrNull({
      description:
        'What the window has counted so far, as text: for the account, or with `each` `key` ' +
        'for the key of the caller. Null with `each` `payee`, because each payee is counted ' +
        'separately.',
    }),
    headroom: textOrNull({
      description: 'What is left of `cap`, never below 0; null where `used` is null.',
    }),
    per: Literals(PERS, {
      description:
        'What is counted together: one payout, the payouts of a day, or those of the last ' +
        'hours.',
    }),
    zone: textOrNull({ description: 'The time zone of a day.' }),
    hours: integerOrNull({ description: 'How many hours, with `per` `hours`.' }),
    each: Literals(EACH, {
      description: 'What is counted separately: the account, each key, or each payee.',
    }),
    key_id: textOrNull({ description: 'Only payouts that this key makes; null: any.' }),
    rail: textOrNull({ description: 'Only payouts that go to this rail first; null: any.' }),
    network: textOrNull({ description: 'Only payouts over this network; null: any.' }),
    new_for_hours: integerOrNull({
      description:
        'Only payouts to payees that the account has known for less than so many hours; null: any.',
    }),
  },
  { title: 'AccountLimit', description: 'A limit of payouts. See also `limit_exceeded`.' },
)

export const WrittenToday = Type.Object(
  { rows: Type.Integer(), bytes: Type.Integer(), until: Timestamp },
  {
    title: 'WrittenToday',
    description:
      'What requests of the account have written today, up to `until`, which is 00:00 UTC. ' +
      'Payouts of a live account are refused at twice the quota. See also `quota_exceeded`.',
  },
)

export const AccountResponse = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('account'),
    name: Type.String({ description: 'Empty when the account has no name.' }),
    sandbox: Type.Boolean({
      description: 'Whether the account is a sandbox, for tests, and not live.',
    }),
    state: Literals(Object.keys(ACCOUNT_TRANSITIONS) as AccountState[], {
      description:
        'A `frozen` account can be read and can receive; a `closed` account can only be read.',
    }),
    currencies: Type.Array(Type.String(), {
      description: 'The currencies in which the account holds balances.',
    }),
    primary_currency: Type.String({
      description:
        'The balance that funds a payout in a currency that the account does not hold, if the ' +
        'payout names no holding currency.',
    }),
    deposit_address: Type.String({
      description: 'Where other accounts of the installation send `service_account` payouts.',
    }),
    duplicate_window_s: Type.Integer({
      description: 'For how many seconds a payout like an earlier one is refused; 0 for never.',
    }),
    daily_rows: Type.Integer({
      description:
        'How many rows requests of the account may write in a day; the operator sets it.',
    }),
    daily_mb: Type.Integer({ description: 'How many megabytes they may write in a day.' }),
    written_today: WrittenToday,
    limits: Type.Array(LimitResponse, {
      description:
        'Every limit that counts payouts of this account, and how much of the limit is used.',
    }),
    created_at: Timestamp,
  },
  { title: 'Account', description: 'The account of the caller.' },
)

export function presentWritten(written: WrittenRow) {
  const { written_rows, written_bytes } = writtenToday(written)
  return {
    rows: Number(written_rows),
    bytes: Number(written_bytes),
    until: endOfDay(written.today),
  }
}

/** The facts about an account that only the database has. */
export interface AccountFacts extends WrittenRow {
  readonly state: AccountState
  readonly created_at: Instant
}

export function presentAccount(
  account: Account,
  { state, created_at, ...written }: AccountFacts,
  limits: readonly UsedLimit[],
) {
  const { account_id, name, sandbox, currencies, primary_currency } = account
  return {
    id: account_id,
    object: 'account',
    name,
    sandbox,
    state,
    currencies,
    primary_currency,
    deposit_address: account.deposit_address,
    duplicate_window_s: account.duplicate_window_s,
    daily_rows: account.daily_rows,
    daily_mb: account.daily_mb,
    written_today: presentWritten(written),
    limits: limits.map(presentLimit),
    created_at,
  }
}

/** Amounts are text, because a sum may be too large for a double. */
function presentLimit({ limit, used }: UsedLimit) {
  const { limit_id, currency, cap, per, zone, hours, each, key_id, rail } = limit
  const left = used === null ? null : cap > used ? cap - used : 0n
  return {
    id: limit_id,
    currency,
    cap: cap.toString(),
    used: used?.toString() ?? null,
    headroom: left?.toString() ?? null,
    per,
    zone,
    hours,
    each,
    key_id,
    rail,
    network: limit.network,
    new_for_hours: limit.new_for_hours,
  }
}
