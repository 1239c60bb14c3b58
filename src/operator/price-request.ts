// The bodies by which operators set rates, fees and pricing policies, and how they are read.
import type { Static } from 'typebox'
import { invalidField, refuseIfAny } from '../errors.ts'
import {
  Amount,
  Closed,
  CountryCode,
  CurrencyCode,
  Literals,
  optional,
  Text,
} from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { findCurrency } from '../money/currency.ts'
import { type FeeCells, readFee } from '../price/fee/load.ts'
import type { Fee } from '../price/fee/rules.ts'
import { readValue } from '../price/policy/load.ts'
import { POLICY_NAMES, type PolicyName } from '../price/policy/rules.ts'
import { MAX_MOVE_BPS } from '../price/rate/guard.ts'
import { PAYOUT_TYPES } from '../quote/quote.ts'
import { CHARGE_TYPES } from '../quote/request.ts'
import { VOCABULARY } from './fees.ts'
import { AccountId, MAX_MINOR, majorText, Time } from './request.ts'
import { readOrRefuse } from './words.ts'

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

const SUBJECT = {
  payout_type: Literals(PAYOUT_TYPES),
  ...optional({
    payout_currency: CurrencyCode,
    destination_country: CountryCode,
    network: Text(64, { minLength: 1 }),
    charge_type: Literals(CHARGE_TYPES),
  }),
}

export const FeeSubject = Closed(SUBJECT, {
  title: 'FeeSubject',
  description: 'The payouts that the row is for. A member that is left out is any.',
})
export type FeeSubject = Static<typeof FeeSubject>

const AmountOrZero = Type.Integer({ minimum: 0, maximum: MAX_MINOR })

export const SetFee = Closed(
  {
    ...SUBJECT,
    fixed_amount: Type.Optional(AmountOrZero),
    fee_currency: CurrencyCode,
    ...optional({
      variable_bps: Type.Integer({ minimum: 0, maximum: 10_000 }),
      minimum_amount: Amount,
      maximum_amount: Amount,
      force: Force,
    }),
  },
  {
    title: 'SetFee',
    description:
      'Amounts are in minor units of `fee_currency`. A row that costs nothing has 0 as its ' +
      'amounts.',
  },
)
export type SetFee = Static<typeof SetFee>

/** The row of the schedule that the body describes. Refuses (400) a body that describes none. */
export function readFeeRequest(body: FeeSubject | SetFee): Fee {
  const cost: Partial<SetFee> = 'fee_currency' in body ? body : ANY_COST
  const { fee_currency = '' } = cost
  if (findCurrency(fee_currency) === undefined) {
    refuseIfAny([
      { reason: 'currency', message: 'There is no such currency.', remarks: 'fee_currency' },
    ])
  }
  const major = (amount: number | undefined) => majorText(amount, fee_currency) ?? ''
  const cells: FeeCells = {
    payout_type: body.payout_type,
    payout_currency: body.payout_currency ?? '',
    destination_country: body.destination_country ?? '',
    network: body.network ?? '',
    charge_type: body.charge_type ?? '',
    fixed_amount: major(cost.fixed_amount),
    fee_currency,
    variable_bps: cost.variable_bps?.toString() ?? '',
    minimum_amount: major(cost.minimum_amount),
    maximum_amount: major(cost.maximum_amount),
  }
  return readOrRefuse(readFee(cells, VOCABULARY))
}

/** Stands for the amounts of a row to remove: amounts do not identify a row. */
const ANY_COST: Partial<SetFee> = { fixed_amount: 0, fee_currency: 'USD' }

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
