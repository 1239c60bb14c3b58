// The query of a rate: two currencies.
import type { Static } from 'typebox'
import { CurrencyText } from '../../http/list.ts'
import { Closed } from '../../http/schema.ts'
import { refuseIfAny } from '../../values/errors.ts'
import { checkCurrency } from '../terms.ts'

export const RateQuery = Closed({
  from: CurrencyText('The currency that is converted.'),
  to: CurrencyText('The currency that it is converted into.', 'HKD'),
})
export type RateQuery = Static<typeof RateQuery>

/** Refuses (400) unknown currencies, both at once. */
export function checkRateQuery({ from, to }: RateQuery): void {
  refuseIfAny([...checkCurrency(from, 'from'), ...checkCurrency(to, 'to')])
}
