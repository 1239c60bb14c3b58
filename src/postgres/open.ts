// Opens the database of DATABASE_URL or the embedded one, which other processes may share.
import { realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describeUrl } from '../sql/url.ts'
import { openEmbedded } from './embedded.ts'
import { inspectDatabase } from './inspect.ts'

interface OpenDatabase {
  readonly url: string
  /** `embedded`, or the hosts or socket and the database of DATABASE_URL; never a password. */
  readonly description: string
  release(): Promise<void>
}

export interface Where {
  readonly database_url: string | undefined
  readonly data_dir: string
}

interface Opening {
  readonly create: boolean
  readonly log?: (line: string) => void
}

/** @throws DatabaseProblem with one sentence that names a way out */
export async function openDatabase(where: Where, opening: Opening): Promise<OpenDatabase> {
  if (where.database_url !== undefined) {
    await inspectDatabase(where.database_url)
    return {
      url: where.database_url,
      description: describeUrl(where.database_url),
      release: () => Promise.resolve(),
    }
  }
  const server = await openEmbedded({ data_dir: where.data_dir, ...opening })
  return {
    url: server.url,
    description: `embedded in ${where.data_dir}`,
    release: () => server.release(),
  }
}

/**
 * The number and time of last change of the cluster's first file, which no server makes; '' for a
 * database of the operator's own, and for a folder that cannot be read.
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
