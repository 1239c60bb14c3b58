// Which files an embedded cluster has. Copies of a cluster, such as a snapshot that was put back,
// have files of their own.
import { realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Where } from './open.ts'

/**
 * The number of the cluster's first file and the time of its last change, which no server makes; ''
 * for a database of the operator's own, and for a folder that cannot be read.
 */
export async function clusterFiles({ database_url, data_dir }: Where): Promise<string> {
  if (database_url !== undefined) return ''
  try {
    const { ino, ctimeMs } = await stat(
      join(await realpath(join(data_dir, 'postgres')), 'PG_VERSION'),
    )
    return `${ino} ${ctimeMs}`
  } catch {
    return ''
  }
}
