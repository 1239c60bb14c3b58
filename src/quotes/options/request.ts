// The body of a comparison of options: a quote request without payout type, network and charges.
import type { Static } from 'typebox'
import type { Account } from '../../accounts/rules.ts'
import { Amount, Closed, CountryCode, CurrencyCode, EntityId } from '../../http/schema.ts'
import { Type } from '../../http/type.ts'
import { refuseIfAny } from '../../values/errors.ts'
import { checkCountry } from '../../values/network/country.ts'
import { checkCurrency, checkHolding } from '../terms.ts'

export const OptionsRequest = Closed(
  {
    payout_info: Closed(
      { currency: CurrencyCode, amount: Amount },
      { description: 'What is paid out. All other amounts are calculated from this amount.' },
    ),
    holding_info: Type.Optional(
      Closed({ currency: CurrencyCode }, { description: 'The balance that pays.' }),
    ),
    destination_info: Type.Optional(
      Closed(
        { currency: CurrencyCode, country: CountryCode },
        { description: 'What arrives at the beneficiary.' },
      ),
    ),
    entity_id: Type.Optional(EntityId('The entity that the payout is made for.')),
  },
  { title: 'OptionsRequest' },
)
export type OptionsRequest = Static<typeof OptionsRequest>

/** Refuses (400) a request that no option can have a price for, with every problem at once. */
export function checkOptions(request: OptionsRequest, account: Account): void {
  const { payout_info, holding_info, destination_info } = request
  refuseIfAny([
    ...checkCurrency(payout_info.currency, 'payout_info.currency'),
    ...checkCurrency(destination_info?.currency, 'destination_info.currency'),
    ...checkCountry(destination_info?.country, 'destination_info.country'),
    ...checkHolding(holding_info?.currency, account, 'holding_info.currency'),
  ])
}
