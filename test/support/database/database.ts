// Makes a database for each test file, cloned from the migrated template in some 40 ms.
import { randomBytes } from 'node:crypto'
import { connect, type Sql } from '../../../src/sql/connect.ts'
import { openPool } from '../../../src/sql/pool.ts'
import { copyOnCluster, dropOnCluster, onCluster } from './citus.ts'

export interface TestDatabase {
  readonly url: string
  /**
   * A pool of the tables' owner, who may change what the service may not, such as a quote's expiry.
   */
  readonly owner: Sql
  drop(): Promise<void>
}

/**
 * Needs `npm test`, which starts the server and names the template.
 * @param options.empty a database without tables
 */
export async function createDatabase(options: { empty?: boolean } = {}): Promise<TestDatabase> {
  const template = process.env.CORRIDOR_TEST_TEMPLATE
  if (template === undefined) throw new Error('run tests by: npm test [part of a file name]')
  const name = `test_${randomBytes(6).toString('hex')}`
  const url = new URL(template)
  const source = options.empty === true ? 'template0' : url.pathname.slice(1)
  url.pathname = '/postgres'
  const admin = openPool(url.href, { max: 1 })
  // PostgreSQL clones no template that has another session: test files that start together take
  // turns.
  const spread = onCluster && options.empty !== true
  if (spread) await copyOnCluster(source, name)
  else {
    await admin`select pg_advisory_lock(7210002)`
    // A copy of the files writes no log of each page: a third of the processor time, or less.
    await admin.unsafe(`create database ${name} template ${source} strategy file_copy`)
    await admin`select pg_advisory_unlock(7210002)`
  }
  url.pathname = `/${name}`
  const owner = connect(url.href, { max: 2, as: 'owner', application_name: 'corridor test' })
  return {
    url: url.href,
    owner,
    async drop() {
      try {
        await owner.end({ timeout: 5 })
        await (spread ? dropOnCluster(name) : dropDatabase(admin, name))
      } finally {
        await admin.end({ timeout: 5 })
      }
    },
  }
}

/** Makes the databases of `work` as copies of this migrated one, on its server. */
export async function withTemplate<T>(url: string, work: () => Promise<T>): Promise<T> {
  const usual = process.env.CORRIDOR_TEST_TEMPLATE
  process.env.CORRIDOR_TEST_TEMPLATE = url
  try {
    return await work()
  } finally {
    // Other files run in this process later.
    process.env.CORRIDOR_TEST_TEMPLATE = usual
  }
}

/**
 * Drops a database although sessions of this user are open. "with (force)" cannot end the
 * superuser's autovacuum; a plain drop asks it to stop, and waits.
 */
export async function dropDatabase(admin: Pick<Sql, 'unsafe'>, name: string): Promise<void> {
  await admin.unsafe(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = '${name}' and usename = current_user`,
  )
  await admin.unsafe(`drop database if exists ${name}`)
}
