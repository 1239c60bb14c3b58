// The answer with an indicative rate.
import { Literals, RateNumber, Timestamp } from '../../http/schema.ts'
import { Type } from '../../http/type.ts'
import { formatDecimal } from '../../values/money/decimal.ts'
import { rateToJson } from '../../values/money/json.ts'
import { presentRows, presentSteps } from '../explain.ts'
import { ComparedRows, Digits, RATE_ROWS } from '../response.ts'
import type { IndicativeRate } from './rules.ts'

export const RateResponse = Type.Object(
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
