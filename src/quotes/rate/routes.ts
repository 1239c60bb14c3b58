// GET /v3/rate: the rate that a quote would have now. It writes nothing.
import type { Static } from 'typebox'
import type { Reads } from '../../engine/reads.ts'
import type { AccountRoutes } from '../../http/account-routes.ts'
import { CurrencyText } from '../../http/list.ts'
import { Closed, Literals, RateNumber, Timestamp } from '../../http/schema.ts'
import { Type } from '../../http/type.ts'
import type { PricingAt } from '../../prices/price.ts'
import { refuseIfAny } from '../../values/errors.ts'
import { formatDecimal } from '../../values/money/decimal.ts'
import { rateToJson } from '../../values/money/json.ts'
import { presentRows, presentSteps } from '../explain.ts'
import { ComparedRows, Digits, RATE_ROWS } from '../response.ts'
import { readMoment } from '../store.ts'
import { checkCurrency } from '../terms.ts'
import { type IndicativeRate, indicativeRate } from './rules.ts'

const RateQuery = Closed({
  from: CurrencyText('The currency that is converted.'),
  to: CurrencyText('The currency that it is converted into.', 'HKD'),
})
type RateQuery = Static<typeof RateQuery>

const RateResponse = Type.Object(
  {
    object: Literals(['rate']),
    ...RATE_ROWS,
    compared_with: ComparedRows,
    rate: RateNumber,
    mid: Digits,
    spread_bps: Type.Integer({
      description: 'The spread that is taken off the mid rate, in hundredths of a percent.',
    }),
    good_until: Type.Union([Timestamp, Type.Null()], {
      description:
        'Until when quotes may use the rows, unless newer rows replace them; null where ' +
        'rows do not age, as in sandboxes.',
    }),
  },
  { title: 'IndicativeRate', description: 'A rate of this moment, which is not binding.' },
)

export function presentRate({ from, to, steps, other, rate, mid, ...others }: IndicativeRate) {
  const compared_with = other.length === 0 ? null : presentSteps(other)
  const shown = { compared_with, rate: rateToJson(rate), mid: formatDecimal(mid) }
  return { object: 'rate', ...presentRows(from, to, steps), ...shown, ...others }
}

/** Refuses (400) unknown currencies, both at once. */
function checkRateQuery({ from, to }: RateQuery): void {
  refuseIfAny([...checkCurrency(from, 'from'), ...checkCurrency(to, 'to')])
}

interface Needs extends Pick<Reads, 'read'> {
  readonly reference: { pricing(price_version: bigint | null): Promise<PricingAt> }
}

export function rateRoutes(routes: AccountRoutes, deps: Needs): void {
  routes.read('/v3/rate', {
    config: { checkQuery: checkRateQuery },
    operationId: 'getRate',
    summary: 'The rate at which the account would be quoted now.',
    description:
      'Units of `to` for one unit of `from`, less the spread; `mid` is before the spread. ' +
      '`rows` are the rows of the rate book that the rate is made from. A quote fixes a ' +
      'rate; this one may change. If no quote could be made because a rate is missing or ' +
      'too old, this request is refused, too.',
    querystring: RateQuery,
    response: RateResponse,
    refusals: ['currency', 'rate_unavailable', 'rate_stale', 'invalid_query_parameter'],
    async answer({ account, query }) {
      const { now, at, price_version } = await deps.read(account.account_id, readMoment)
      const pricing = (await deps.reference.pricing(price_version))(account, at)
      return presentRate(indicativeRate(query.from, query.to, pricing, now))
    },
  })
}
