// Checks a payee when it is made or changed, before any payout names its type, currency and
// network: a value that every way of paying the payee refuses is wrong now. Pure.
import { BIC_NAMES } from '../../parties/beneficiary/bank-code.ts'
import { bankingCountry, destinationCountry } from '../../parties/beneficiary/country.ts'
import type { BeneficiaryUpdate, DestinationDetails } from '../../parties/beneficiary/request.ts'
import { invalidField, type Problem } from '../../values/errors.ts'
import { carriageFault, NETWORKS } from '../../values/network/local.ts'
import { destinationFaults, type Fault, type Payment, valueAt } from './rules.ts'

type Bank = NonNullable<DestinationDetails['bank']>

/**
 * The values of a bank account that no payout could use, as of the way that refuses the fewest.
 * Missing members are no problem: another way, or a later change, may need none of them. Other
 * destinations are checked whole by their own forms.
 */
export function payeeProblems({
  destination_details,
  address,
  tax_id,
}: BeneficiaryUpdate): Problem[] {
  const { bank } = destination_details ?? {}
  if (destination_details === undefined || bank === undefined) return []
  const details = {
    destination_details,
    ...(address && { address }),
    ...(tax_id && { tax_id }),
  }
  let fewest: Fault[] | undefined
  for (const payment of waysTo(destination_details, bank)) {
    const wrong = destinationFaults(details, payment).filter(
      ({ path }) => valueAt(details, path) !== '',
    )
    if (wrong.length === 0) return []
    if (fewest === undefined || wrong.length < fewest.length) fewest = wrong
  }
  return (fewest ?? []).map(({ path, message }) => invalidField(path, message))
}

/**
 * The payments that may reach a bank account: local ones in its currency, or in each currency that
 * a network pays in its country; SWIFT where a BIC is named, or where no network pays.
 */
function waysTo(details: DestinationDetails, { currency, bank_codes = {} }: Bank): Payment[] {
  const country = destinationCountry(details)
  const currencies = currency === undefined ? currenciesOf(country) : [currency]
  const local = currencies
    .filter(code => carriageFault(code, country) === undefined)
    .map(code => ({ type: 'local', currency: code, network: '' }) as const)
  const isSwift = local.length === 0 || BIC_NAMES.some(name => bank_codes[name] !== undefined)
  const swift = { type: 'swift', currency: currency ?? '', network: '' } as const
  return isSwift ? [...local, swift] : local
}

/** The currencies that local networks pay in this country. */
function currenciesOf(country: string): string[] {
  const serving = NETWORKS.filter(({ countries }) =>
    countries.some(served => bankingCountry(served) === country),
  )
  return [...new Set(serving.map(({ currency }) => currency))]
}
