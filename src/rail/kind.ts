// A kind of rail: how to read the settings of a row of `rails`, and how to open its adapter. Each
// kind is a room of its own; src/rails.ts lists them.
import type { FastifyBaseLogger } from 'fastify'
import type { Timetable } from '../calendar/calendar.ts'
import type { Sql } from '../db/connect.ts'
import type { Read } from '../text/csv.ts'
import type { Rail } from './rail.ts'

/** The kinds of rails that an operator can add. The table `rails` has the same list. */
export const KIND_NAMES = ['iso20022', 'nacha', 'connector'] as const
export type KindName = (typeof KIND_NAMES)[number]

/** A rail as the operator has added it. The manual rail is such a row, too. */
export interface RailRow {
  readonly name: string
  readonly kind: KindName | 'manual'
  /** The settings of its kind, as JSON. */
  readonly config: unknown
  /** The secret by which it signs or logs in; '' for none. It is never shown and never logged. */
  readonly secret: string
  /** Why it is paused; '' while it is not. */
  readonly paused_reason: string
}

/** What an adapter works with. */
export interface RailDeps {
  /** A confined connection: a transaction must name its accounts (db/confine.ts). */
  readonly sql: Sql
  /** Finds due work of every account. */
  readonly finder: Sql
  readonly log: FastifyBaseLogger
  /** A paused rail is not asked and sends nothing. It still reads what has come in. */
  isPaused(): boolean
}

export interface OpenRail extends Rail {
  /**
   * Begins work of its own, such as reading an inbox. Called once, in the process that settles
   * payouts.
   */
  start?(): void
  /** Ends that work; resolves when the current work is finished. */
  close(): Promise<void>
}

/** A kind of rail whose settings are of unknown type: it checks them and opens its adapter. */
export interface AnyRailKind {
  readonly name: KindName
  /** A few words for the help of `corridor rail add`. */
  readonly description: string
  /** Valid settings, for the help and for tests. */
  readonly example: unknown
  /** What the secret of its row is, in a few words; null when it has none. */
  readonly secret: string | null
  /** Whether the rail can be asked nothing without the secret. */
  readonly requires_secret?: boolean
  /**
   * The settings that identify whose rail it is, with full stops between names. With other values,
   * nobody there would know what the rail was handed.
   */
  readonly identity?: readonly string[]
  /** The timetable of a rail with these settings; null: it takes payouts at any time. */
  timetable(config: unknown): Timetable | null
  /** All that is wrong with these settings and this secret; [] for nothing. */
  check(config: unknown, secret: string): readonly string[]
  /** Throws when the row is not valid. */
  open(row: RailRow, deps: RailDeps): OpenRail
}

/** One kind, with the type of its settings. */
interface RailKind<Config> extends Omit<AnyRailKind, 'check' | 'open' | 'timetable'> {
  /** The settings, or all of their problems, each naming its member. */
  readConfig(json: unknown): Read<Config>
  /** Absent: rails of this kind take payouts at any time. */
  timetable?(config: Config): Timetable | null
  /** What is wrong with the secret; [] for nothing. Absent: any secret is valid. */
  checkSecret?(secret: string): readonly string[]
  open(
    row: { readonly name: string; readonly config: Config; readonly secret: string },
    deps: RailDeps,
  ): OpenRail
}

/** Makes an entry for the list of kinds. */
export function railKind<Config>(kind: RailKind<Config>): AnyRailKind {
  const check = (config: unknown, given: string) => [
    ...(kind.readConfig(config).messages ?? []),
    ...secretProblems(kind, given),
  ]
  return {
    ...kind,
    timetable(json) {
      const { value } = kind.readConfig(json)
      return value === undefined ? null : (kind.timetable?.(value) ?? null)
    },
    check,
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

function secretProblems<C>(kind: RailKind<C>, given: string): readonly string[] {
  if (given === '') return []
  if (kind.secret === null) return [`a rail of kind ${kind.name} has no secret`]
  return kind.checkSecret?.(given) ?? []
}
