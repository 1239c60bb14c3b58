// The bodies by which operators set rates and pricing policies, and how they are read.
import type { Static } from 'typebox'
import { invalidField, refuseIfAny } from '../errors.ts'
import { Closed, CurrencyCode, optional, Text } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { findCurrency } from '../money/currency.ts'
import { readValue } from '../price/policy/load.ts'
import { POLICY_NAMES, type PolicyName } from '../price/policy/rules.ts'
import { MAX_MOVE_BPS } from '../price/rate/guard.ts'
import { AccountId, Time } from './request.ts'

const Force = Type.Boolean({ description: 'Confirms what is refused as `likely_slip`.' })

const PAIR = { base: CurrencyCode, quote: CurrencyCode }

export const RatePair = Closed(PAIR, { title: 'RatePair' })

export const SetRate = Closed(
  {
    ...PAIR,
    mid: Text(64, {
      minLength: 1,
      description: 'Units of `quote` for one of `base`, mid-market: a plain decimal as text.',
      examples: ['7.81'],
    }),
    ...optional({
      source: Text(200, { minLength: 1, description: 'The source of the rate.' }),
      as_of: Time('The time of the rate; by default now.'),
      peg: Type.Boolean({
        description:
          'Whether `quote` is pegged to `base`, so that its other rates go through `base`.',
      }),
      max_move_bps: Type.Integer({
        minimum: 0,
        maximum: 1_000_000,
        description: `Most basis points away from the present rate; by default ${MAX_MOVE_BPS}.`,
      }),
      force: Force,
    }),
  },
  { title: 'SetRate' },
)
export type SetRate = Static<typeof SetRate>

export const SetPricing = Closed(
  optional({
    spread_bps: Type.Integer({ minimum: 0, maximum: 9_999 }),
    quote_validity_s: Type.Integer({ minimum: 1, maximum: 31_536_000 }),
    schedule_s: Type.Integer({ minimum: 0, maximum: 31_536_000 }),
    max_age_s: Text(10, { minLength: 1, description: 'Seconds as text, or `calendar`.' }),
    pivot: CurrencyCode,
    account_id: AccountId,
    from_currency: CurrencyCode,
    to_currency: CurrencyCode,
    from: Time('When it begins; by default now.'),
    force: Force,
  }),
  {
    title: 'SetPricing',
    description: 'Without an account and a pair, the setting is for the whole installation.',
  },
)
export type SetPricing = Static<typeof SetPricing>

/** The values as they are stored. Refuses (400) a body without values, and invalid values. */
export function readPricing(body: SetPricing): Partial<Record<PolicyName, string>> {
  const { pivot, account_id, from_currency, to_currency } = body
  const scoped = account_id ?? from_currency ?? to_currency
  const given = POLICY_NAMES.flatMap(name => {
    const value = body[name]
    return value === undefined ? [] : [{ name, read: readValue(name, String(value)) }]
  })
  const pair = [from_currency, to_currency].filter(code => code !== undefined)
  refuseIfAny([
    ...(given.length === 0 ? [invalidField('', 'Say what to set.')] : []),
    ...given.flatMap(({ name, read }) =>
      (read.messages ?? []).map(message => invalidField(name, message)),
    ),
    ...(pivot !== undefined && scoped !== undefined
      ? [invalidField('pivot', 'It is for the whole installation.')]
      : []),
    ...(pair.length === 1 || (pair.length === 2 && from_currency === to_currency)
      ? [invalidField('to_currency', 'A pair has two currencies.')]
      : []),
    ...pair.flatMap(code =>
      findCurrency(code) === undefined
        ? [invalidField('from_currency', 'There is no such currency.')]
        : [],
    ),
  ])
  return Object.fromEntries(given.map(({ name, read }) => [name, read.value ?? '']))
}

export const EndPricing = Closed(
  {
    policy_id: Type.Integer({
      minimum: 1,
      maximum: 999_999_999,
      description: 'The id of the row.',
    }),
    from: Type.Optional(Time('When it ends; by default now.')),
  },
  { title: 'EndPricing' },
)
