// Shows the rails of live accounts, and pauses and resumes them.
import { Closed, integerOrNull, Literals, textOrNull } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { FIGURES_WINDOWS, type KnownFigures } from '../rails/figures.ts'
import { KIND_NAMES, type RailRow } from '../rails/kind.ts'
import { MANUAL } from '../rails/rail.ts'
import { listRails, updatePause } from '../rails/row-store.ts'
import { listRoutes } from '../rails/store.ts'
import type { Sql } from '../sql/connect.ts'
import { refusal } from '../values/errors.ts'
import { type ActionGroup, reading, writing } from './action.ts'
import type { OperatorRoutes } from './action-routes.ts'
import { adoptLost, voidPayment } from './chains.ts'
import { closeException } from './exceptions.ts'
import { presentRoute, RouteRow } from './payout-routing.ts'
import { RailPath, railNamed } from './rail-named.ts'
import { ReasonRequest } from './request.ts'
import { SWEEPS } from './sweeps.ts'

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

export const RailResponse = Type.Object(RAIL, { title: 'OperatorRail', description: 'A rail.' })

const RailInFull = Type.Object(
  { ...RAIL, routes: Type.Array(RouteRow) },
  { title: 'RailInFull', description: 'A rail, and the routes that lead to it.' },
)

const list = reading({
  name: 'rail list',
  path: '/v3/operator/rail',
  operationId: 'listRails',
  summary: 'List the rails by name, and which are paused.',
  response: RailResponse,
  list: true,
  find: async audit => (await listRails(audit)).map(presentRail),
  command: {
    words: rails =>
      rails.map(({ name, kind, paused, paused_reason }) => ({
        rail: name,
        kind: kind === MANUAL ? 'people' : kind,
        '': paused ? `paused: ${paused_reason}` : '',
      })),
    help: '\nExample:\n  corridor rail list',
  },
})

const show = reading({
  name: 'rail show',
  path: '/v3/operator/rail/:name',
  operationId: 'getRail',
  summary: 'Show the settings of a rail and the routes that lead to it.',
  params: RailPath,
  response: RailInFull,
  async find(audit, { name }) {
    const rail = await railNamed(audit, name)
    const routes = (await listRoutes(audit)).filter(route => route.rail === name)
    return { ...presentRail(rail), routes: routes.map(route => presentRoute(route)) }
  },
  command: {
    words({ name, kind, paused_reason, has_secret, config, routes }) {
      const outline = {
        rail: name,
        kind,
        paused: paused_reason,
        secret: has_secret ? 'set' : '',
        settings: config,
        routes: routes.length === 0 ? 'none' : `${routes.length}, see corridor route list`,
      }
      return { parts: [{ outline }] }
    },
    help: '\nExample:\n  corridor rail show main_bank',
  },
})

const pause = writing({
  name: 'rail pause',
  path: '/v3/operator/rail/:name/pause',
  operationId: 'pauseRail',
  summary: 'Pause a rail: Corridor neither asks it nor sends anything by it, and its payouts wait.',
  description: 'A rail that is already paused gets the new reason.',
  params: RailPath,
  body: ReasonRequest,
  response: RailResponse,
  run: (acting, { name, reason }) => acting.change(sql => pauseRail(sql, name, reason)),
  command: {
    words: ({ name, paused_reason }) =>
      `rail ${name} is paused: ${paused_reason}; its payouts wait`,
    options: { reason: 'why, for whoever looks at the rail' },
    help: '\nExample:\n  corridor rail pause main_bank --reason "The bank is closed"',
  },
})

const resume = writing({
  name: 'rail resume',
  path: '/v3/operator/rail/:name/resume',
  operationId: 'resumeRail',
  summary: 'Resume a paused rail.',
  params: RailPath,
  emptyBody: 'ResumeRequest',
  asksPassword: true,
  response: RailResponse,
  run: (acting, { name }) => acting.change(sql => pauseRail(sql, name, '')),
  command: {
    words: ({ name }) => `rail ${name} is asked again`,
    // Comes first, so that the next start of the service does not pause the rail again.
    async prepare(sql, config) {
      const { clusterFiles } = await import('../postgres/open.ts')
      const { pauseIfRestored } = await import('../rails/restored.ts')
      await pauseIfRestored(sql, await clusterFiles(config))
    },
    help: '\nExample:\n  corridor rail resume main_bank',
  },
})

export const rails: ActionGroup = {
  actions: [list, show, pause, resume, closeException, voidPayment, adoptLost, ...SWEEPS],
}

/** '' resumes. Refuses (404) an unknown name, and (400) the rail of people. */
async function pauseRail(sql: Sql, name: string, paused_reason: string) {
  const rail = await railNamed(sql, name)
  if (rail.kind === MANUAL) {
    const message = `rail ${name} is the manual rail: it cannot be paused or resumed`
    throw refusal('invalid_path_parameter', message, 'name')
  }
  await updatePause(sql, name, paused_reason)
  return presentRail({ ...rail, paused_reason })
}

export function presentRail({ name, kind, config, secret, paused_reason }: RailRow) {
  const paused = paused_reason !== ''
  return { name, kind, config, has_secret: secret !== '', paused, paused_reason }
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

export function railFigureRoutes(
  routes: OperatorRoutes,
  deps: { railFigures: KnownFigures },
): void {
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
