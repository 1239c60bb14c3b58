// Starts the PostgreSQL server that test files share, and makes the migrated template that each of
// them clones.
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbedded } from '../../../src/postgres/embedded.ts'
import { connect } from '../../../src/sql/connect.ts'
import { migrate } from '../../../src/sql/migrate.ts'
import { makeClusterTemplate, onCluster } from './citus.ts'
import { requireNoLists } from './without-lists.ts'

export interface TestServer {
  readonly url: string
  /** The server's own log; '' for a server that this file has not started. */
  log(): Promise<string>
  close(): Promise<void>
}

/**
 * Opens the cluster of CITUS_URL, the server of TEST_DATABASE_URL (whose user may create databases
 * and roles), or a new server in a folder under `under`.
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
  await makeCheap(embedded.url)
  return {
    url: embedded.url,
    log: () => readFile(join(folder, 'postgres.log'), 'utf8'),
    async close() {
      await embedded.release()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Switches off fsync and full page writes, as no test crashes this server or its machine; and hashes
 * the password once, as tests connect thousands of times.
 */
async function makeCheap(url: string): Promise<void> {
  const at = new URL(url)
  // The superuser has the same password.
  at.username = 'postgres'
  const superuser = connect(at.href, { max: 1, as: 'owner' })
  await superuser`alter system set fsync = off`
  await superuser`alter system set full_page_writes = off`
  await superuser`select pg_reload_conf()`
  await superuser`set scram_iterations = 1`
  const { username, password } = new URL(url)
  for (const name of [username, at.username]) {
    await superuser.unsafe(`alter role ${name} password '${password}'`)
  }
  await superuser.end()
}

/**
 * Makes a migrated database without open sessions, so that test files can clone it; returns its
 * URL.
 */
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
  await requireNoLists(owner)
  await owner.end()
  return url.href
}

/** A server with its template that starts at the first use. */
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
