// Every 30 seconds, looks how far the archive of the embedded database's log is behind. Each
// process of the machine says what it sees.
import { judgeArchive, lookAtArchive } from '../../postgres/archive.ts'
import type { Deps } from '../../runtime/deps.ts'
import { startCounting } from './counts.ts'
import { type Worker, warned } from './worker.ts'

export function startWatchingArchive(deps: Deps): Worker {
  const failed = warned(deps, 'the archive of the log could not be looked at', undefined)
  const stop = startCounting(() => watchArchive(deps), failed)
  return { stop: async () => stop() }
}

export async function watchArchive({ config, log, metrics }: Deps): Promise<void> {
  if (config.database_url !== undefined) return
  const state = await lookAtArchive(config.data_dir)
  const { waiting = 0, lag_s = 0, lost = '' } = state ?? {}
  metrics.archiveWaiting.set(waiting)
  metrics.archiveLag.set(lag_s)
  metrics.archiveLost.set(lost === '' ? 0 : 1)
  for (const { found, fix } of state ? judgeArchive(state) : []) log.error(`${found}: ${fix}`)
}
