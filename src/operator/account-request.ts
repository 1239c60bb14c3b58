// The bodies and queries by which operators write accounts and their keys, and their checks.
import type { Static } from 'typebox'
import { MAX_DAILY, MAX_DUPLICATE_WINDOW_S, SCOPES } from '../account/rules.ts'
import { invalidField, type Problem, refuseIfAny } from '../errors.ts'
import { Closed, CurrencyCode, Literals, optional, Text } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { findCurrency } from '../money/currency.ts'
import { MAX_NAME } from './lengths.ts'
import { AccountId, checkLines, LimitText } from './request.ts'

const MAX_CURRENCIES = 50

const Currencies = Type.Array(CurrencyCode, { minItems: 1, maxItems: MAX_CURRENCIES })
const Name = Text(MAX_NAME, { minLength: 1, description: 'The name of the owner of the account.' })
const Window = Type.Integer({
  minimum: 0,
  maximum: MAX_DUPLICATE_WINDOW_S,
  description: 'For how many seconds a payout like an earlier one is refused; 0 for never.',
})

const DailyRows = Type.Integer({
  minimum: 1,
  maximum: MAX_DAILY,
  description: 'How many rows requests of the account may write in a day.',
})
const DailyMb = Type.Integer({
  minimum: 1,
  maximum: MAX_DAILY,
  description: 'How many megabytes requests of the account may write in a day.',
})

export const NewAccountRequest = Closed(
  {
    name: Name,
    currencies: Currencies,
    primary_currency: CurrencyCode,
    ...optional({
      sandbox: Type.Boolean({
        description:
          'Whether the account is for tests: its clock can be moved, and it can fund itself.',
      }),
      duplicate_window_s: Window,
      daily_rows: DailyRows,
      daily_mb: DailyMb,
    }),
  },
  { title: 'NewAccount' },
)
export type NewAccountRequest = Static<typeof NewAccountRequest>

export const AccountSettings = Closed(
  optional({
    name: Name,
    add_currencies: Currencies,
    primary_currency: CurrencyCode,
    duplicate_window_s: Window,
    daily_rows: DailyRows,
    daily_mb: DailyMb,
  }),
  {
    title: 'AccountSettings',
    description: 'Members that are left out stay; currencies can be added, and not removed.',
  },
)
export type AccountSettings = Static<typeof AccountSettings>

export const NewKeyRequest = Closed(
  {
    scope: Literals(SCOPES, { description: 'What the key may do in its account.' }),
    ...optional({
      name: Text(MAX_NAME, { description: 'What the key is for.' }),
      owner: Text(40, {
        description: 'The user who owns the key, and then approves none of its payouts.',
      }),
      makes_only: Type.Boolean({
        description: 'Whether each payout that the key makes needs an approval.',
        default: false,
      }),
    }),
  },
  { title: 'NewKey' },
)
export type NewKeyRequest = Static<typeof NewKeyRequest>

export const AccountsQuery = Closed(optional({ limit: LimitText, starting_after: AccountId }))

/** Refuses unknown currencies, and a primary currency that the account does not hold. */
export function checkNewAccount(body: NewAccountRequest): void {
  const { currencies, primary_currency } = body
  const isHeld = !Array.isArray(currencies) || currencies.includes(primary_currency)
  refuseIfAny([
    ...currencyProblems('currencies', currencies),
    ...(isHeld ? [] : [invalidField('primary_currency', 'It is one of the currencies.')]),
  ])
  checkLines(body)
}

/** Refuses an empty change, and unknown currencies. */
export function checkSettings(body: AccountSettings): void {
  const { add_currencies = [], primary_currency } = body
  const isEmpty = Object.keys(body).length === 0
  refuseIfAny([
    ...(isEmpty ? [invalidField('', 'Say what to change.')] : []),
    ...currencyProblems('add_currencies', add_currencies),
    ...(primary_currency === undefined
      ? []
      : currencyProblems('primary_currency', [primary_currency])),
  ])
  checkLines(body)
}

/** Refuses a name that is not one line of visible text; an empty name is allowed. */
export function checkNewKey(body: NewKeyRequest): void {
  if (body.name !== '') checkLines(body)
}

function currencyProblems(remarks: string, codes: readonly string[]): Problem[] {
  const unknown = codes.filter(code => findCurrency(code) === undefined)
  if (unknown.length === 0) return []
  return [{ reason: 'currency', message: 'There is no such currency.', remarks }]
}
