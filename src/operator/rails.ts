// Shows the rails of live accounts to operators, and pauses and resumes them.
import type { Sql } from '../db/connect.ts'
import { refusal } from '../errors.ts'
import type { RailRow } from '../rail/kind.ts'
import { MANUAL } from '../rail/rail.ts'
import { listRails, updatePause } from '../rail/row-store.ts'
import { listRoutes } from '../rail/store.ts'
import { knownAmong } from './deed.ts'

/** The rail of this name. Refuses (404) an unknown name. */
export async function railNamed(sql: Sql, name: string): Promise<RailRow> {
  return knownAmong('rail', name, await listRails(sql), rail => rail.name)
}

/** A rail, and the routes that lead to it. */
export async function showRail(sql: Sql, name: string) {
  const rail = await railNamed(sql, name)
  return { rail, routes: (await listRoutes(sql)).filter(route => route.rail === name) }
}

/**
 * Pauses a rail for a reason, or resumes it with ''. Refuses (404) an unknown name, and (400) the
 * rail of people. Triggers write the audit log.
 */
export async function pauseRail(sql: Sql, name: string, paused_reason: string): Promise<RailRow> {
  const rail = await railNamed(sql, name)
  if (rail.kind === MANUAL) {
    const message = `rail ${name} is the manual rail: it cannot be paused or resumed`
    throw refusal('invalid_path_parameter', message, 'name')
  }
  await updatePause(sql, name, paused_reason)
  return { ...rail, paused_reason }
}

/** A rail without its secret. */
export function presentRail({ name, kind, config, secret, paused_reason }: RailRow) {
  const paused = paused_reason !== ''
  return { name, kind, config, has_secret: secret !== '', paused, paused_reason }
}
