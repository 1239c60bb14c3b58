// The answer with a payout's options.
import { presentProblem } from '../../http/errors.ts'
import { ErrorDetail, Timestamp } from '../../http/schema.ts'
import { Type } from '../../http/type.ts'
import { FIGURES_DAYS, type RailFigures } from '../../rails/figures.ts'
import { QuoteRequest } from '../request.ts'
import { PRICE, presentPrice } from '../response.ts'
import type { PayoutOption } from './rules.ts'

const Price = Type.Object(PRICE, { title: 'OptionPrice' })

const Figures = Type.Object(
  {
    days: Type.Integer({ description: 'How many days were counted, up to the last hour.' }),
    payouts: Type.Integer({ description: 'Payouts of this rail that came to an end.' }),
    succeeded: Type.Integer({ description: 'Of these, how many arrived and did not come back.' }),
    success_rate_bps: Type.Integer({
      description: 'The share that succeeded, in basis points, rounded down.',
    }),
    median_seconds: Type.Union([Type.Integer(), Type.Null()], {
      description:
        'Seconds from creation to arrival: half of the payouts that arrived took no longer. ' +
        'Null: none arrived.',
    }),
  },
  { title: 'RailFigures' },
)

export const Option = Type.Object(
  {
    object: Type.Literal('payout_option'),
    possible: Type.Boolean(),
    errors: Type.Array(ErrorDetail, {
      description: 'The errors that make the option impossible; empty when it is possible.',
    }),
    price: Type.Union([Price, Type.Null()], {
      description: 'Null when the option is not possible.',
    }),
    expected_at: Type.Union([Timestamp, Type.Null()], {
      description: 'When a payout that is made now arrives at the latest; null: not known.',
    }),
    rail: Type.String({
      description: 'The rail that would take the payout; empty when none would.',
    }),
    failover: Type.Array(Type.String(), {
      description:
        'The rails that would follow, each after the one before has proved that it does not ' +
        'pay.',
    }),
    rail_figures: Type.Union([Figures, Type.Null()], {
      description:
        'The figures of the rail in this installation; null: none of its payouts has ended.',
    }),
    quote_request: QuoteRequest,
  },
  {
    title: 'PayoutOption',
    description: '`quote_request` is the body of POST /v3/payout/quote for this option.',
  },
)

export const OptionsResponse = Type.Object(
  {
    object: Type.Literal('payout_options'),
    options: Type.Array(Option, {
      description: 'Possible options first, by total debit, then by arrival.',
    }),
  },
  { title: 'PayoutOptions', description: 'The options for a payout at this moment.' },
)

export function presentOptions(
  options: readonly PayoutOption[],
  figures: ReadonlyMap<string, RailFigures>,
) {
  return {
    object: 'payout_options',
    options: options.map(option => presentOption(option, figures)),
  }
}

function presentOption(option: PayoutOption, figures: ReadonlyMap<string, RailFigures>) {
  const { request, problems, judged, failover } = option
  const rail = judged?.routed.rail ?? ''
  const counted = figures.get(rail)
  return {
    object: 'payout_option',
    possible: judged !== null,
    errors: problems.map(presentProblem),
    price: judged && presentPrice({ ...judged.terms, ...judged.price }),
    expected_at: judged?.plan.expected_at ?? null,
    rail,
    failover,
    rail_figures: counted === undefined ? null : presentFigures(counted),
    quote_request: request,
  }
}

function presentFigures({ payouts, succeeded, median_s }: RailFigures) {
  return {
    days: FIGURES_DAYS,
    payouts,
    succeeded,
    success_rate_bps: Math.floor((succeeded * 10_000) / payouts),
    median_seconds: median_s,
  }
}
