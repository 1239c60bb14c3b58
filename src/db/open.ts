// Which database there is to work with: the one DATABASE_URL names, or the embedded one, started
// when it is not running and left running when others still use it.
import type { Config } from '../config.ts'
import { refuseUnmended } from './driver.ts'
import { openEmbedded } from './embedded.ts'
import { inspectDatabase } from './inspect.ts'

export interface OpenDatabase {
  readonly url: string
  /** `embedded`, or the host and database of DATABASE_URL; never a password. */
  readonly description: string
  release(): Promise<void>
}

interface Opening {
  /** Whether an embedded database is made where there is none. */
  readonly create: boolean
  readonly log?: (line: string) => void
}

/** @throws DatabaseProblem, in one sentence with a way out, when there is none to work with */
export async function openDatabase(config: Config, opening: Opening): Promise<OpenDatabase> {
  refuseUnmended()
  if (config.database_url !== undefined) {
    await inspectDatabase(config.database_url)
    const { host, pathname } = new URL(config.database_url)
    return {
      url: config.database_url,
      description: `${host}${pathname}`,
      release: () => Promise.resolve(),
    }
  }
  const server = await openEmbedded({ data_dir: config.data_dir, ...opening })
  return {
    url: server.url,
    description: `embedded in ${config.data_dir}`,
    release: () => server.release(),
  }
}
