// The service is killed under an open page: the page says so, and goes on without a gap when it is
// back. What happened while it was away is told then.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import type { OpenedAccount } from '../../src/operator/create-account.ts'
import { createDatabase, type TestDatabase } from '../support/database/database.ts'
import { localPayout } from '../support/given/bodies.ts'
import { NO_BROWSER, openBrowser, openPage } from '../support/service/browser.ts'
import { type Cli, openCli } from '../support/service/cli.ts'
import {
  httpClient,
  openAccountOn,
  type RunningProcess,
  startProcess,
  until,
} from '../support/service/process.ts'
import { PASSWORD } from '../support/service/session.ts'

const skip = NO_BROWSER ?? false

let database: TestDatabase
let opened: OpenedAccount
let cli: Cli
let service: RunningProcess
let browser: Browser

before(async () => {
  if (skip !== false) return
  database = await createDatabase()
  opened = await openAccountOn(database.url, { USD: 1_000_000_000n })
  cli = await openCli(database.url, { CORRIDOR_USER: 'ada' })
  service = await startProcess({ DATABASE_URL: database.url })
  browser = await openBrowser()
})
after(async () => {
  if (skip !== false) return
  await browser?.close()
  await service?.kill()
  await cli?.close()
  await database.drop()
})

test('killed and started again: the page says so, and misses nothing', { skip }, async () => {
  const { account_id } = opened.account
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await cli.run(...args)
    assert.equal(code, 0, stderr)
    return stdout
  }
  await run('user', 'create', 'ada', '--name', 'Ada', '--role', 'operator')
  await run('user', 'role', 'ada', 'viewer', '--account', account_id)
  const link = await run('user', 'login-link', 'ada')
  const { page } = await openPage(browser, service.address)
  await page.goto(`/login/link?token=${/token=([\w-]+)/.exec(link)?.[1]}`)
  await page.fill('input[name=password]', PASSWORD)
  const posted = page.waitForResponse(answer => answer.request().method() === 'POST')
  await page.click('button')
  await posted
  await page.waitForLoadState()
  const list = `/console/${account_id}/payouts`
  // A process learns of a new user within half a second.
  await until('the process knows her', async () => {
    const answer = await page.goto(list)
    return answer?.status() === 200 && page.url().endsWith(list)
  })
  const client = httpClient(opened)
  const pay = async (address: string) => {
    const { status, json, text } = await client.post(address, '/v3/payout', localPayout)
    assert.equal(status, 200, text)
    return json.data.id as string
  }
  await pay(service.address)
  await page.waitForSelector('#news >> text=Show them')
  await page.reload()
  service.signal('SIGKILL')
  await service.ended
  await page.waitForSelector('#news >> text=Corridor does not answer')
  const { port } = new URL(service.address)
  // Another process pays while the one of the page is away.
  const other = await startProcess({ DATABASE_URL: database.url })
  const missed = await pay(other.address)
  await other.kill()
  service = await startProcess({ DATABASE_URL: database.url, PORT: port })
  await page.waitForSelector('#news >> text=Show them')
  await page.click('#news a')
  await page.waitForSelector(`a[href$="${missed}"]`)
  client.close()
})
