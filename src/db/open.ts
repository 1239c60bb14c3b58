// Which database there is to work with: the one DATABASE_URL names, or the embedded one, started
// when it is not running and left running when others still use it.
import type { Config } from '../config.ts'
import { openEmbedded } from './embedded.ts'

export interface OpenDatabase {
  readonly url: string
  /** `embedded`, or the host and database of DATABASE_URL; never a password. */
  readonly description: string
  release(): Promise<void>
}

export async function openDatabase(
  config: Config,
  log: (line: string) => void = () => {},
): Promise<OpenDatabase> {
  if (config.database_url !== undefined) {
    const { host, pathname } = new URL(config.database_url)
    return {
      url: config.database_url,
      description: `${host}${pathname}`,
      release: () => Promise.resolve(),
    }
  }
  const server = await openEmbedded({ data_dir: config.data_dir, log })
  return {
    url: server.url,
    description: `embedded in ${config.data_dir}`,
    release: () => server.release(),
  }
}
