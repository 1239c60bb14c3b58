// An account with so many entities, on a service and a database of its own: how it is made, loaded
// with requests, and held against pgbench. Knows no rounds.
import { connect, databaseNow } from '../src/db/connect.ts'
import { prepareEntityBaseline } from './entity-baseline.ts'
import { checkFound, countSince, fillAccount, trimAccount } from './entity-fill.ts'
import { KNOWN_PEOPLE, NEW_PERSON } from './entity-record.ts'
import type { Generator } from './load.ts'
import { type Measured, measureLoad, type Seconds } from './measure.ts'
import { type Baseline, STYLES, type Style } from './pgbench.ts'
import { say, sayBaseline, sayLoad, whole } from './report.ts'
import type { Target } from './target.ts'

/** Somebody new, or somebody there is. */
export const KINDS = ['create', 'duplicate hit'] as const
export type Kind = (typeof KINDS)[number]

export interface EntityAccount {
  readonly size: number
  readonly target: Target
  readonly baseline: Baseline
  readonly filled_at: string
}

export async function openAccount(
  target: Target,
  size: number,
  pgbench: string,
): Promise<EntityAccount> {
  const started = performance.now()
  await fillAccount(target, size)
  const sql = connect(target.database_url, { max: 1, as: 'owner' })
  const filled_at = await databaseNow(sql).finally(() => sql.end({ timeout: 5 }))
  const seconds = (performance.now() - started) / 1000
  const found = await checkFound(target, size)
  say(`${whole(size)} entities in ${whole(seconds)} s; ${found} of ${found} tried are found`)
  return { size, target, filled_at, baseline: await prepareEntityBaseline(pgbench, target) }
}

export interface EntityLoad {
  readonly kind: Kind
  readonly connections: number
  /** Where the numbers of new people begin. */
  readonly fresh_from: number
}

export async function loadAccount(
  generator: Generator,
  { size, target, filled_at }: EntityAccount,
  { kind, connections, fresh_from }: EntityLoad,
  seconds: Seconds,
): Promise<Measured> {
  const creates = kind === 'create'
  if (creates) await trimAccount(target, size, filled_at)
  const before = await countSince(target, filled_at)
  const templates = creates ? [NEW_PERSON] : KNOWN_PEOPLE
  const load = {
    url: `${target.address}/v3/entity`,
    authorizations: [target.authorization],
    bodies: { templates, fresh_from, existing_to: size, keyed: false },
    connections,
  }
  const measured = await measureLoad(generator, target, load, seconds)
  const created = (await countSince(target, filled_at)) - before
  // Both are answered with 200: only the table tells them apart.
  if (creates ? created < measured.requests : created > 0) {
    throw new Error(`${measured.requests} requests (${kind}) have created ${created} entities`)
  }
  sayLoad(`${whole(size)}, ${kind}, ${connections} connections`, 'requests/s', measured)
  return measured
}

/** Transactions a second. */
export async function holdAccount(
  { size, target, filled_at, baseline }: EntityAccount,
  seconds: number,
): Promise<Readonly<Record<Style, number>>> {
  await trimAccount(target, size, filled_at)
  const held: Record<Style, number> = { plain: 0, pipelined: 0 }
  for (const style of STYLES) {
    const best = await baseline.run(style, seconds)
    sayBaseline(`${whole(size)}, ${style}`, best)
    held[style] = best.per_second
  }
  return held
}
