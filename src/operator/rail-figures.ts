// GET /v3/operator/rail_figures: the figures of rails by window, as this process has counted them.
import { Closed, integerOrNull, textOrNull } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { FIGURES_WINDOWS, type KnownFigures } from '../rails/figures.ts'
import type { OperatorRoutes } from './operator-routes.ts'

const Seconds = (description: string) => integerOrNull({ description })

const Figure = Closed(
  {
    rail: Type.String(),
    days: Type.Integer({
      description: `The figures are of payouts of the last ${FIGURES_WINDOWS.join(', ')} days.`,
    }),
    payouts: Type.Integer({ description: 'How many payouts the rail had that have ended.' }),
    succeeded: Type.Integer({ description: 'Of these, how many were paid and did not come back.' }),
    success_rate_bps: Type.Integer({
      description: 'The share that succeeded, in basis points, rounded down.',
    }),
    median_seconds: Seconds(
      'Seconds: half of the paid payouts took no longer; null when none was paid.',
    ),
    p95_seconds: Seconds('Seconds: 95 of 100 paid payouts took no longer.'),
  },
  { title: 'RailFigure' },
)

export const RailFigures = Type.Object(
  {
    counted_at: textOrNull({ format: 'date-time' }),
    results: Type.Array(Figure),
  },
  { title: 'RailFiguresByWindow', description: 'The shortest window first, rails by name.' },
)

interface Needs {
  readonly railFigures: KnownFigures
}

export function railFigureRoutes(routes: OperatorRoutes, deps: Needs): void {
  routes.read('/v3/operator/rail_figures', {
    operationId: 'listRailFigures',
    summary: 'Show the figures of the rails for the last day, week and month.',
    description:
      'The figures are of live accounts, as a process that settles payouts counts them ' +
      'every hour. A process without figures answers with `counted_at` null.',
    response: RailFigures,
    async answer() {
      const { counted_at, windows } = deps.railFigures
      const results = [...windows].flatMap(([days, rails]) =>
        [...rails].toSorted().map(([rail, { payouts, succeeded, median_s, p95_s }]) => ({
          ...{ rail, days, payouts, succeeded },
          success_rate_bps: Math.floor((succeeded * 10_000) / payouts),
          ...{ median_seconds: median_s, p95_seconds: p95_s },
        })),
      )
      return { counted_at, results }
    },
  })
}
