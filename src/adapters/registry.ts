// The kinds of rails that this version has, and a process's open adapters. It opens a rail when its
// row appears or changes, and closes it when the row is deleted.
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config/config.ts'
import type { Carriage } from '../rails/carriage.ts'
import type { AnyRailKind, OpenRail, RailRow } from '../rails/kind.ts'
import { type Rail, SIMULATOR } from '../rails/rail.ts'
import type { RailTimetables } from '../rails/timetable.ts'
import type { Sql } from '../sql/connect.ts'
import { fileKind } from './bank-file/kind.ts'
import { CONNECTOR } from './connector/kind.ts'
import { EVM } from './evm/kind.ts'
import { iso20022 } from './iso20022/format.ts'
import { NACHA } from './nacha/format.ts'
import { simulator } from './simulator.ts'

const ACH_PROFILE = {
  name: 'Example bank',
  nacha: {
    immediate_destination: '091000019',
    immediate_destination_name: 'EXAMPLE BANK',
    immediate_origin: '1234567890',
    immediate_origin_name: 'EXAMPLE PAYMENTS',
    company_id: '1234567890',
    company_name: 'EXAMPLE PAYMENTS',
    odfi: '091000019',
    entry_description: 'PAYOUT',
  },
}

/** The kinds. A rail of any other kind has no adapter: its payouts wait, and the log says so. */
export const RAIL_KINDS: readonly AnyRailKind[] = [
  fileKind(iso20022, {
    name: 'iso20022',
    description: 'pain.001, pain.002 and camt',
    profile: 'generic',
  }),
  fileKind(NACHA, {
    name: 'nacha',
    description: 'files of ACH credits',
    profile: ACH_PROFILE,
  }),
  CONNECTOR,
  EVM,
]

export function timetablesOf(rows: readonly RailRow[]): RailTimetables {
  return new Map(
    rows.flatMap(({ name, kind, config }) => {
      const timetable = RAIL_KINDS.find(known => known.name === kind)?.timetable(config) ?? null
      return timetable === null ? [] : [[name, timetable] as const]
    }),
  )
}

/** The faults that keep each of these rails from carrying a payout. */
export function carriageOf(rows: readonly RailRow[]): Carriage {
  return new Map(
    rows.flatMap(({ name, kind, config }) => {
      const faults = RAIL_KINDS.find(known => known.name === kind)?.faultsOf(config)
      return faults === undefined ? [] : [[name, faults] as const]
    }),
  )
}

interface Parts {
  /** `rails` is the same array until a row changes. */
  readonly reference: { current(): { readonly rails: readonly RailRow[] } }
  readonly kinds: readonly AnyRailKind[]
  /** Adapters work on their own only in processes that settle payouts. */
  readonly config: Pick<Config, 'settle' | 'simulator_delay_ms'>
  readonly sql: Sql
  readonly finder: Sql
  readonly log: FastifyBaseLogger
}

interface Opened {
  readonly row: RailRow
  readonly rail: OpenRail
}

/** The open adapters. They follow the rows of the rails, without paused rails. */
export class OpenRails {
  readonly #parts: Parts
  readonly #opened = new Map<string, Opened>()
  /** The rows of rails that failed to open, by name. Each failure is logged once. */
  readonly #broken = new Map<string, RailRow>()
  readonly #closing = new Set<Promise<void>>()
  #rows: readonly RailRow[] = []
  readonly #simulator: Rail
  #asked: ReadonlyMap<string, Rail>

  constructor(parts: Parts) {
    this.#parts = parts
    this.#simulator = simulator({ delay_ms: parts.config.simulator_delay_ms })
    this.#asked = new Map([[SIMULATOR, this.#simulator]])
  }

  get(name: string): Rail | undefined {
    return this.#follow().get(name)
  }

  has(name: string): boolean {
    return this.#follow().has(name)
  }

  keys() {
    return this.#follow().keys()
  }

  /** Closes all adapters, and waits for those that are already closing. */
  async close(): Promise<void> {
    for (const name of [...this.#opened.keys()]) this.#shut(name)
    await Promise.all(this.#closing)
  }

  #follow(): ReadonlyMap<string, Rail> {
    const rows = this.#parts.reference.current().rails
    if (rows === this.#rows) return this.#asked
    this.#rows = rows
    const byName = new Map(rows.map(row => [row.name, row]))
    for (const [name, { row }] of [...this.#opened]) {
      const now = byName.get(name)
      if (now === undefined || !opensAlike(now, row)) this.#shut(name)
    }
    for (const row of rows) if (row.kind !== 'manual') this.#open(row)
    const paused = (name: string) => byName.get(name)?.paused_reason !== ''
    const asked = [...this.#opened].filter(([name]) => !paused(name))
    this.#asked = new Map<string, Rail>([
      [SIMULATOR, this.#simulator],
      ...asked.map(([name, { rail }]) => [name, rail] as const),
    ])
    return this.#asked
  }

  #open(row: RailRow): void {
    const { kinds, config, sql, finder, log } = this.#parts
    const { name } = row
    const broken = this.#broken.get(name)
    if (this.#opened.has(name) || (broken !== undefined && opensAlike(broken, row))) return
    try {
      const kind = kinds.find(kind => kind.name === row.kind)
      if (kind === undefined) throw new Error(`this version has no rails of kind ${row.kind}`)
      const isPaused = () => this.#rows.find(now => now.name === name)?.paused_reason !== ''
      const rail = kind.open(row, { sql, finder, log, isPaused })
      this.#opened.set(name, { row, rail })
      this.#broken.delete(name)
      if (config.settle) rail.start?.()
    } catch (error) {
      this.#broken.set(name, row)
      log.error({ err: error, rail: name }, 'a rail could not be opened: its payouts wait')
    }
  }

  #shut(name: string): void {
    const opened = this.#opened.get(name)
    this.#opened.delete(name)
    const close = async () => opened?.rail.close()
    const closed = close()
      .catch(error => this.#parts.log.warn({ err: error, rail: name }, 'a rail did not close'))
      .then(() => {
        this.#closing.delete(closed)
      })
    this.#closing.add(closed)
  }
}

function opensAlike(a: RailRow, b: RailRow): boolean {
  const settings = ({ kind, config, secret }: RailRow) => JSON.stringify([kind, config, secret])
  return settings(a) === settings(b)
}
