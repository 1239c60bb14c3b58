// What most crashes happen to: a database with an account and its client, and what runs on it. All of it
// goes when the tests of the file have ended.
import { after } from 'node:test'
import type { OpenedAccount } from '../../../src/operator/create-account.ts'
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
  /** `corridor start` on this database; killed at the end, if not before. */
  start(env?: Environment): Promise<RunningProcess>
  /** The service that is not killed, in the test's own process; closed at the end, if not before. */
  listen(env?: Environment): Promise<Listening>
}

/** `open` makes the account of a database: one with plenty of dollars, unless said otherwise. */
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
