// GET /v3/operator/rail and /v3/operator/rail/{name}, and POST …/pause and /resume; GET
// /v3/operator/rail_figures: the figures of rails, by window.
import { ListOf } from '../http/list.ts'
import { Closed, integerOrNull, Literals, textOrNull } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { FIGURES_WINDOWS, type KnownFigures } from '../rail/figures.ts'
import { KIND_NAMES } from '../rail/kind.ts'
import { MANUAL } from '../rail/rail.ts'
import { listRails } from '../rail/row-store.ts'
import { type DeskRoutes, listAnswer } from './desk-routes.ts'
import { presentRoute, RouteRow } from './payout-routing.ts'
import { pauseRail, presentRail, showRail } from './rails.ts'
import { checkWords, ReasonRequest } from './request.ts'

const RailPath = Type.Object({
  name: Type.String({
    pattern: '^[a-z][a-z0-9_]{1,30}$',
    description: 'What routes and payouts call the rail.',
    examples: ['main_bank'],
  }),
})

const RAIL = {
  name: Type.String(),
  kind: Literals([MANUAL, ...KIND_NAMES], {
    description: '`manual` is the rail by which people pay by hand.',
  }),
  config: Type.Unknown({ description: 'The settings for this kind of rail.' }),
  has_secret: Type.Boolean({ description: 'The secret itself is never shown.' }),
  paused: Type.Boolean(),
  paused_reason: Type.String({ description: 'Why the rail is paused; empty while it is not.' }),
}

export const RailResponse = Type.Object(RAIL, { title: 'DeskRail', description: 'A rail.' })

const RailInFull = Type.Object(
  { ...RAIL, routes: Type.Array(RouteRow) },
  { title: 'RailInFull', description: 'A rail, and the routes that lead to it.' },
)

export function deskRailRoutes(routes: DeskRoutes): void {
  routes.read('/v3/operator/rail', {
    operationId: 'listRails',
    summary: 'List the rails by name, and which are paused.',
    response: ListOf(RailResponse),
    answer: async (_, { audit }) => listAnswer((await listRails(audit)).map(presentRail)),
  })
  routes.read('/v3/operator/rail/:name', {
    operationId: 'getRail',
    summary: 'Show the settings of a rail and the routes that lead to it.',
    params: RailPath,
    response: RailInFull,
    async answer({ params }, { audit }) {
      const { rail, routes } = await showRail(audit, params.name)
      return { ...presentRail(rail), routes: routes.map(route => presentRoute(route)) }
    },
  })
  routes.change('/v3/operator/rail/:name/pause', {
    act: 'rail pause',
    config: { check: checkWords },
    operationId: 'pauseRail',
    summary:
      'Pause a rail: Corridor neither asks it nor sends anything by it, and its payouts wait.',
    description: 'A rail that is already paused gets the new reason.',
    params: RailPath,
    body: ReasonRequest,
    response: RailResponse,
    change: async (sql, { params, body }) =>
      presentRail(await pauseRail(sql, params.name, body.reason)),
  })
  routes.change('/v3/operator/rail/:name/resume', {
    act: 'rail resume',
    config: { asksPassword: true },
    operationId: 'resumeRail',
    summary: 'Resume a paused rail.',
    params: RailPath,
    emptyBody: 'ResumeRequest',
    response: RailResponse,
    change: async (sql, { params }) => presentRail(await pauseRail(sql, params.name, '')),
  })
}

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

export function railFigureRoutes(routes: DeskRoutes, deps: Needs): void {
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
