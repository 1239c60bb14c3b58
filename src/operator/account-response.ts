// Accounts and their keys as operators see them.

import { SCOPES } from '../account/rules.ts'
import { ACCOUNT_TRANSITIONS, type AccountState } from '../account/states.ts'
import { WrittenToday } from '../account-summary/response.ts'
import { Literals, Timestamp, textOrNull } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { AccountId } from './request.ts'

const State = Literals(Object.keys(ACCOUNT_TRANSITIONS) as AccountState[])

const SETTINGS = {
  name: Type.String(),
  currencies: Type.Array(Type.String()),
  primary_currency: Type.String(),
  duplicate_window_s: Type.Integer({ description: '0 for never.' }),
  daily_rows: Type.Integer(),
  daily_mb: Type.Integer(),
}

const ACCOUNT = {
  account_id: AccountId,
  ...SETTINGS,
  deposit_address: Type.String(),
  sandbox: Type.Boolean(),
}

export const DeskAccount = Type.Object(
  {
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
  },
  { title: 'DeskAccount', description: 'An account with its state and balances.' },
)

export const OpenedAccountResponse = Type.Object(
  {
    ...ACCOUNT,
    key_id: Type.String({ description: 'The first key of the account, of scope `write`.' }),
    secret: Type.String({ description: 'The secret, which is shown only in this answer.' }),
  },
  { title: 'OpenedAccount', description: 'The account and its first key.' },
)

export const ChangedSettingsResponse = Type.Object(
  { account_id: AccountId, before: Type.Object(SETTINGS), after: Type.Object(SETTINGS) },
  { title: 'ChangedSettings' },
)

export const ChangedStateResponse = Type.Object(
  {
    account_id: AccountId,
    from: State,
    to: State,
    reason: Type.String(),
  },
  { title: 'ChangedState' },
)

const KEY = { key_id: Type.String(), account_id: AccountId, scope: Literals(SCOPES) }
const OF_MAKER = {
  owner: Type.Union([Type.String(), Type.Null()], {
    description:
      'The user who owns the key and approves none of its payouts; null if nobody owns it.',
  }),
  makes_only: Type.Boolean({
    description: 'Whether each payout that the key makes needs an approval.',
  }),
}
const Instant = textOrNull({ format: 'date-time' })

export const DeskKey = Type.Object(
  {
    ...KEY,
    name: Type.String(),
    ...OF_MAKER,
    created_at: Timestamp,
    revoked_at: Instant,
    last_used_at: Instant,
  },
  {
    title: 'DeskKey',
    description: 'A key of an account. The time of its last use is to the minute.',
  },
)

export const MadeKeyResponse = Type.Object(
  {
    ...KEY,
    ...OF_MAKER,
    secret: Type.String({ description: 'The secret, which is shown only in this answer.' }),
  },
  { title: 'MadeKey' },
)

export const RevokedKeyResponse = Type.Object(
  {
    ...KEY,
    name: Type.String(),
    was_revoked: Type.Boolean({ description: 'Whether the key was already revoked.' }),
  },
  {
    title: 'RevokedKey',
    description: 'The revoked key. Every process refuses it within a second.',
  },
)
