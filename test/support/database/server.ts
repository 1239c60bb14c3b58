// The PostgreSQL server that test files share, and the migrated database on it that each clones.
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../../../src/db/connect.ts'
import { migrate } from '../../../src/db/migrate.ts'
import { openEmbedded } from '../../../src/postgres/embedded.ts'
import { makeClusterTemplate, onCluster } from './citus.ts'
import { liveWithoutLists } from './without-lists.ts'

export interface TestServer {
  readonly url: string
  /** What the server itself has logged; '' of a server that is not our own. */
  log(): Promise<string>
  close(): Promise<void>
}

/**
 * The cluster that CITUS_URL names, the server that TEST_DATABASE_URL names (its user may create
 * databases and roles), or one of our own, in a folder of its own under this one.
 */
export async function openServer(under = tmpdir()): Promise<TestServer> {
  const { TEST_DATABASE_URL, CITUS_URL } = process.env
  if (CITUS_URL !== undefined) {
    return { url: CITUS_URL, log: async () => '', close: async () => {} }
  }
  if (TEST_DATABASE_URL !== undefined) {
    return { url: TEST_DATABASE_URL, log: async () => '', close: async () => {} }
  }
  const folder = await mkdtemp(join(under, 'corridor-test-'))
  // PostgreSQL runs as an ordinary user, who must be able to reach its folder.
  await chmod(folder, 0o711)
  const embedded = await openEmbedded({ data_dir: folder })
  await keepUnsynced(embedded.url)
  return {
    url: embedded.url,
    log: () => readFile(join(folder, 'postgres.log'), 'utf8'),
    async close() {
      await embedded.release()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Tests that end a server have one of their own; what this one keeps is lost with the machine. */
async function keepUnsynced(url: string): Promise<void> {
  const at = new URL(url)
  // Both have one password.
  at.username = 'postgres'
  const superuser = connect(at.href, { max: 1, as: 'owner' })
  await superuser`alter system set fsync = off`
  await superuser`alter system set full_page_writes = off`
  await superuser`select pg_reload_conf()`
  await superuser.end()
}

/** A migrated database that nobody stays connected to, so that test files can clone it. */
export async function makeTemplate(server_url: string): Promise<string> {
  if (onCluster) return makeClusterTemplate('corridor_template')
  const admin = connect(server_url, { max: 1, as: 'owner' })
  await admin`drop database if exists corridor_template`
  await admin`create database corridor_template`
  await admin.end()
  const url = new URL(server_url)
  url.pathname = '/corridor_template'
  const owner = connect(url.href, { max: 1, as: 'owner' })
  await migrate(owner)
  await liveWithoutLists(owner)
  await owner.end()
  return url.href
}

/** A server with its template, started once it is needed. */
export class LazyServer {
  #server: TestServer | undefined
  #template = ''

  async template(): Promise<string> {
    if (this.#server === undefined) {
      this.#server = await openServer()
      this.#template = await makeTemplate(this.#server.url)
    }
    return this.#template
  }

  async close(): Promise<void> {
    await this.#server?.close()
  }
}
