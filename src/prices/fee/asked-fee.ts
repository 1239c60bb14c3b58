// Judges a row of the fee schedule that an operator asks for. Callers pass payout types, countries
// and networks as a vocabulary, because they belong to higher rooms. Pure.
import { invalidField, type Problem } from '../../values/errors.ts'
import { findCurrency } from '../../values/money/currency.ts'
import type { Fee, FeeKey } from './rules.ts'

/** The possible values of matching columns. */
export interface FeeVocabulary {
  readonly payout_types: readonly string[]
  /** Charge types by payout type; a type without any is absent. */
  readonly charge_types: Readonly<Record<string, readonly string[]>>
  /** Why no payout of this type goes to this country; undefined for a possible country. */
  countryFault(payout_type: string, code: string): string | undefined
  /** The canonical name of a network of this payout type; undefined when there is none. */
  networkName(payout_type: string, name: string): string | undefined
}

/** The payouts that a row is for. A member that is left out is any. */
export interface AskedSubject {
  readonly payout_type: string
  readonly payout_currency?: string
  readonly destination_country?: string
  readonly network?: string
  readonly charge_type?: string
}

/** A row as an operator asks for it. Amounts are in minor units of `fee_currency`. */
export interface AskedFee extends AskedSubject {
  readonly fee_currency: string
  readonly fixed_amount?: bigint
  readonly variable_bps?: number
  readonly minimum_amount?: bigint
  readonly maximum_amount?: bigint
}

/** The row, and a problem for each mistake: with any, the row is none. */
export function judgeFee(
  asked: AskedFee,
  vocabulary: FeeVocabulary,
): { readonly fee: Fee; readonly problems: readonly Problem[] } {
  const { key, problems } = judgeSubject(asked, vocabulary)
  const { fee_currency, fixed_amount, variable_bps, minimum_amount, maximum_amount } = asked
  const fee = {
    ...key,
    fixed_amount: fixed_amount ?? 0n,
    fee_currency,
    variable_bps: variable_bps ?? 0,
    minimum_amount: minimum_amount ?? null,
    maximum_amount: maximum_amount ?? null,
    sample: false,
  }
  return {
    fee,
    problems: [
      ...problems,
      ...currencyProblems('fee_currency', fee_currency),
      ...boundsProblems(fee),
      ...priceProblems(asked),
    ],
  }
}

/** The matching columns of a row, and a problem for each mistake. */
export function judgeSubject(
  asked: AskedSubject,
  vocabulary: FeeVocabulary,
): { readonly key: FeeKey; readonly problems: readonly Problem[] } {
  const { payout_type, payout_currency, destination_country, network, charge_type } = asked
  const name = network === undefined ? null : vocabulary.networkName(payout_type, network)
  const country_fault =
    destination_country === undefined
      ? undefined
      : vocabulary.countryFault(payout_type, destination_country)
  return {
    key: {
      payout_type,
      payout_currency: payout_currency ?? null,
      destination_country: destination_country ?? null,
      network: name ?? null,
      charge_type: charge_type ?? null,
    },
    problems: [
      ...typeProblems(payout_type, vocabulary),
      ...(payout_currency === undefined
        ? []
        : currencyProblems('payout_currency', payout_currency)),
      ...(country_fault === undefined ? [] : [invalidField('destination_country', country_fault)]),
      ...(name === undefined
        ? [invalidField('network', `no ${payout_type} payout names network ${network}`)]
        : []),
      ...chargeProblems(asked, vocabulary),
    ],
  }
}

function typeProblems(payout_type: string, { payout_types }: FeeVocabulary): readonly Problem[] {
  if (payout_types.includes(payout_type)) return []
  const shown = payout_type === '' ? 'payout_type is missing' : `unknown payout_type ${payout_type}`
  return [invalidField('payout_type', `${shown}; the types are ${payout_types.join(', ')}`)]
}

function currencyProblems(member: string, code: string): readonly Problem[] {
  if (findCurrency(code) !== undefined) return []
  const message = code === '' ? `${member} is missing` : `unknown currency ${code}`
  return [{ reason: 'currency', message, remarks: member }]
}

/** A problem of a charge type that no request can have: the row would never apply. */
function chargeProblems({ payout_type, charge_type }: AskedSubject, vocabulary: FeeVocabulary) {
  if (charge_type === undefined || !vocabulary.payout_types.includes(payout_type)) return []
  const known = vocabulary.charge_types[payout_type] ?? []
  if (known.includes(charge_type)) return []
  const message =
    known.length === 0
      ? `a ${payout_type} payout has no charge_type`
      : `unknown charge_type ${charge_type}; it is ${known.join(' or ')}`
  return [invalidField('charge_type', message)]
}

function boundsProblems({ minimum_amount, maximum_amount }: Fee): readonly Problem[] {
  if (minimum_amount === null || maximum_amount === null || minimum_amount <= maximum_amount) {
    return []
  }
  return [invalidField('minimum_amount', 'minimum_amount is more than maximum_amount')]
}

/** A problem of a row without a price: a free payout needs an explicit zero. */
function priceProblems({
  fixed_amount,
  variable_bps,
  minimum_amount,
}: AskedFee): readonly Problem[] {
  if ([fixed_amount, variable_bps, minimum_amount].some(part => part !== undefined)) return []
  const message = 'neither fixed_amount nor variable_bps is given; fixed_amount 0 makes it free'
  return [invalidField('fixed_amount', message)]
}
