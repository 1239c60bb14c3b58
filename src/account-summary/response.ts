// Answers about the calling account.
import type { Account } from '../account/rules.ts'
import { ACCOUNT_TRANSITIONS, type AccountState } from '../account/states.ts'
import { integerOrNull, Literals, Timestamp, textOrNull } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import type { Instant } from '../instant.ts'
import { EACH, PERS } from '../limit/limit.ts'
import type { UsedLimit } from './rules.ts'

const LimitResponse = Type.Object(
  {
    id: Type.String(),
    currency: textOrNull({ description: 'What it counts in; null: it counts payouts.' }),
    cap: Type.String({
      description: 'The most: minor units of the currency, or payouts, as text.',
    }),
    used: textOrNull({
      description:
        'What its window has counted so far, as text: of the account, or with `each` `key` of ' +
        'the caller’s key. Null with `each` `payee`, as each payee is counted by itself.',
    }),
    headroom: textOrNull({
      description: 'What is left of `cap`, never below 0; null where `used` is.',
    }),
    per: Literals(PERS, { description: 'Counted together: one payout, a day, the last hours.' }),
    zone: textOrNull({ description: 'The time zone of a day.' }),
    hours: integerOrNull({ description: 'How many hours, with `per` `hours`.' }),
    each: Literals(EACH, { description: 'What is counted by itself.' }),
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

export const AccountResponse = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('account'),
    name: Type.String({ description: 'Empty when it has none.' }),
    sandbox: Type.Boolean({ description: 'Whether it is for tests; a live account is not.' }),
    state: Literals(Object.keys(ACCOUNT_TRANSITIONS) as AccountState[], {
      description: 'A `frozen` account is read and receives; a `closed` one is only read.',
    }),
    currencies: Type.Array(Type.String(), { description: 'Those that it holds balances in.' }),
    primary_currency: Type.String({
      description: 'Funds a payout that names no holding currency, in a currency not held.',
    }),
    deposit_address: Type.String({
      description: 'Where other accounts of the installation send `service_account` payouts.',
    }),
    duplicate_window_s: Type.Integer({
      description: 'How long a payout like an earlier one is refused, in seconds; 0 for never.',
    }),
    limits: Type.Array(LimitResponse, {
      description: 'Every limit that counts payouts of this account, with what is used of it.',
    }),
    created_at: Timestamp,
  },
  { title: 'Account', description: 'The account that asks.' },
)

/** The facts about an account that only the database has. */
export interface AccountFacts {
  readonly state: AccountState
  readonly created_at: Instant
}

export function presentAccount(
  account: Account,
  { state, created_at }: AccountFacts,
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
    limits: limits.map(presentLimit),
    created_at,
  }
}

/** Amounts are text, like those of balances, because a sum may be too large for a double. */
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
