// A kind of rail reads the settings of a row of `rails` and opens its adapter. Each kind has a room
// of its own; src/adapters/registry.ts lists them.
import type { FastifyBaseLogger } from 'fastify'
import type { Sql } from '../sql/connect.ts'
import type { Timetable } from '../values/calendar/calendar.ts'
import type { Read } from '../values/text/csv.ts'
import type { CarriageFault, Carried } from './carriage.ts'
import type { Rail } from './rail.ts'

/** The kinds of rails that an operator can add. The table `rails` has the same list. */
export const KIND_NAMES = ['iso20022', 'nacha', 'connector', 'evm'] as const
export type KindName = (typeof KIND_NAMES)[number]

/** A rail as the operator has added it, or the manual rail. */
export interface RailRow {
  readonly name: string
  readonly kind: KindName | 'manual'
  /** The settings of its kind, as JSON. */
  readonly config: unknown
  /** The secret that signs or logs in; '' for none. It is never shown and never logged. */
  readonly secret: string
  /** Why it is paused; '' while it is not. */
  readonly paused_reason: string
}

/** The dependencies of an adapter. */
export interface RailDeps {
  /** A confined connection: a transaction must name its accounts (sql/confine.ts). */
  readonly sql: Sql
  /** A connection that finds due work of every account. */
  readonly finder: Sql
  readonly log: FastifyBaseLogger
  /** A paused rail is not asked and sends nothing. It still reads its inbox. */
  isPaused(): boolean
}

export interface OpenRail extends Rail {
  /**
   * Begins background work, such as reading an inbox. Called once, in the process that settles
   * payouts.
   */
  start?(): void
  /** Ends the background work; resolves when the current round is finished. */
  close(): Promise<void>
}

export interface AnyRailKind {
  readonly name: KindName
  /** A few words for the help of `corridor rail add`. */
  readonly description: string
  /** Valid settings, for the help and for tests. */
  readonly example: unknown
  /** A few words on the row's secret, such as "SFTP password or key"; null: it has none. */
  readonly secret: string | null
  /** Whether the rail cannot be asked without its secret. */
  readonly requires_secret?: boolean
  /**
   * Paths of the settings that identify the far end, such as `settlement_account.iban`. A far end
   * with other values does not know the attempts that the rail has handed over.
   */
  readonly identity?: readonly string[]
  /** The timetable of a rail with these settings; null: it takes payouts at any time. */
  timetable(config: unknown): Timetable | null
  /**
   * Why a rail with these settings cannot carry a payout. Undefined: it takes any, as far as is
   * known before it is asked.
   */
  faultsOf(config: unknown): ((payout: Carried) => readonly CarriageFault[]) | undefined
  /** Every problem of the settings and the secret; [] when both are valid. */
  check(config: unknown, secret: string): readonly string[]
  /** What the settings need and the secret has not; [] for nothing. */
  lacks(config: unknown, secret: string): readonly string[]
  /** Throws when the row is not valid. */
  open(row: RailRow, deps: RailDeps): OpenRail
}

/** The members that a kind has with its own type of settings. */
type Typed = 'check' | 'lacks' | 'open' | 'timetable' | 'faultsOf'

interface RailKind<Config> extends Omit<AnyRailKind, Typed> {
  /** The settings, or all of their problems, each naming its member. */
  readConfig(json: unknown): Read<Config>
  /** Absent: rails of this kind take payouts at any time. */
  timetable?(config: Config): Timetable | null
  /** Why it cannot carry a payout; [] when it can. Absent: it takes any. */
  faults?(config: Config, payout: Carried): readonly CarriageFault[]
  /** The problems of the secret; [] when it is valid. Absent: any secret is valid. */
  checkSecret?(secret: string): readonly string[]
  /** What the settings need and the secret has not. Absent: nothing. */
  lacks?(config: Config, secret: string): readonly string[]
  open(
    row: { readonly name: string; readonly config: Config; readonly secret: string },
    deps: RailDeps,
  ): OpenRail
}

/** Hides the type of a kind's settings, for the list of kinds. */
export function railKind<Config>(kind: RailKind<Config>): AnyRailKind {
  const check = (config: unknown, secret: string) => [
    ...(kind.readConfig(config).messages ?? []),
    ...secretProblems(kind, secret),
  ]
  return {
    ...kind,
    timetable(json) {
      const { value } = kind.readConfig(json)
      return value === undefined ? null : (kind.timetable?.(value) ?? null)
    },
    faultsOf(json) {
      const { value } = kind.readConfig(json)
      const { faults } = kind
      if (value === undefined || faults === undefined) return undefined
      return payout => faults(value, payout)
    },
    check,
    lacks(json, secret) {
      const { value } = kind.readConfig(json)
      return value === undefined ? [] : (kind.lacks?.(value, secret) ?? [])
    },
    open(row, deps) {
      const config = kind.readConfig(row.config)
      const problems = check(row.config, row.secret)
      if (config.messages !== undefined || problems.length > 0) {
        throw new Error(`rail ${row.name}: ${problems.join('; ')}`)
      }
      return kind.open({ name: row.name, config: config.value, secret: row.secret }, deps)
    },
  }
}

function secretProblems<C>(kind: RailKind<C>, secret: string): readonly string[] {
  if (secret === '') return []
  if (kind.secret === null) return [`a rail of kind ${kind.name} has no secret`]
  return kind.checkSecret?.(secret) ?? []
}
