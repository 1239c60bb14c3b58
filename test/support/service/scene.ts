// A database with an account, its client and services, for crash tests. Everything is closed after
// the tests of the file.
import { after } from 'node:test'
import type { OpenedAccount } from '../../../src/operator/account-operations.ts'
import { createDatabase, type TestDatabase } from '../database/database.ts'
import { type Listening, startListening } from './listening.ts'
import {
  type Environment,
  type HttpClient,
  httpClient,
  openAccountOn,
  type RunningProcess,
  startProcess,
} from './process.ts'

export interface Scene {
  readonly database: TestDatabase
  readonly account: OpenedAccount
  readonly client: HttpClient
  /** Runs `corridor start` on this database; kills it at the end of the tests. */
  start(env?: Environment): Promise<RunningProcess>
  /** Starts a service in the test's own process; closes it at the end of the tests. */
  listen(env?: Environment): Promise<Listening>
}

/** `open` makes the account; by default one with USD 10,000,000.00. */
export async function openScene(open = openRich): Promise<Scene> {
  const closing: (() => Promise<unknown>)[] = []
  after(async () => {
    for (const close of closing.reverse()) await close()
  })
  const database = await createDatabase()
  closing.push(() => database.drop())
  const account = await open(database.url)
  const client = httpClient(account)
  const on = (env: Environment = {}) => ({ DATABASE_URL: database.url, ...env })
  closing.push(async () => client.close())
  return {
    database,
    account,
    client,
    async start(env) {
      const started = await startProcess(on(env))
      closing.push(started.kill)
      return started
    },
    async listen(env) {
      const listening = await startListening(on(env))
      let open = true
      const close = async () => {
        if (open) await listening.close()
        open = false
      }
      closing.push(close)
      return { ...listening, close }
    },
  }
}

const openRich = (url: string) => openAccountOn(url, { USD: 1_000_000_000n })
