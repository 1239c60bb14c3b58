// GET /v3/account: who asks, in which state the account is, and what its limits leave
// (§account.summary, §account.limits).
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertRefused, rowVersions } from '../support/assert/check.ts'
import { localPayout } from '../support/given/bodies.ts'
import { type Cli, openCli } from '../support/service/cli.ts'
import { pay } from '../support/service/payouts.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'

const PATH = '/v3/account'

let service: TestService
let cli: Cli
let account: Client
before(async () => {
  service = await startTestService()
  await service.setRates({ 'EUR/USD': '1.1' })
  cli = await openCli(service.database.url, { CORRIDOR_USER: 'olga' })
  account = await service.openAccount({ currencies: ['USD', 'EUR'], fund: { USD: 1_000_000n } })
})
after(async () => {
  await cli.close()
  await service.close()
})

async function command(...words: readonly string[]): Promise<string> {
  const ran = await cli.run(...words)
  assert.equal(ran.code, 0, ran.stderr)
  await service.deps.reference.refresh()
  return ran.stdout
}

/** Sets a limit, and returns its id. */
async function limit(...options: readonly string[]): Promise<string> {
  return JSON.parse(await command('limit', 'set', ...options, '--json')).limit_id
}

async function read(client = account) {
  const answer = await client.get(PATH)
  assert.equal(answer.status, 200, answer.text)
  return answer.json.data
}

interface Figures {
  readonly id: string
  readonly used: string | null
  readonly headroom: string | null
}

/** What is used and left, by limit. */
async function figures(client = account): Promise<Record<string, string>> {
  const limits: Figures[] = (await read(client)).limits
  return Object.fromEntries(limits.map(({ id, used, headroom }) => [id, `${used} ${headroom}`]))
}

test(`GET ${PATH}, sandbox and live account: the account's current fields, nothing written`, async () => {
  const live = await service.openAccount({ currencies: ['EUR'], sandbox: false })
  const rows = await rowVersions(service.database.owner)
  for (const client of [account, live]) {
    const { created_at, ...shown } = await read(client)
    const { account_id, ...own } = client.account
    const { name, sandbox, currencies, primary_currency, deposit_address } = own
    const is = { name, sandbox, currencies, primary_currency, deposit_address }
    const { duplicate_window_s, daily_rows, daily_mb } = own
    const settings = { duplicate_window_s, daily_rows, daily_mb }
    const { written_today, ...others } = shown
    assert.deepEqual([written_today.rows, written_today.bytes], [0, 0])
    const rest = { object: 'account', state: 'active', limits: [], ...settings }
    assert.deepEqual(others, { id: account_id, ...is, ...rest })
    const [row] = await service.database.owner`
      select created_at from accounts where account_id = ${account_id}`
    assert.equal(created_at, row?.created_at)
  }
  assert.deepEqual(await rowVersions(service.database.owner), rows)
})

test(`GET ${PATH}, account frozen, then active: its state, without the operator's reason`, async () => {
  const { account_id } = account.account
  await command('account', 'freeze', account_id, '--reason', 'a word from the police')
  const answer = await account.get(PATH)
  assert.equal(answer.json.data.state, 'frozen')
  assert.ok(!answer.text.includes('police'))
  await command('account', 'unfreeze', account_id, '--reason', 'over')
  assert.equal((await read()).state, 'active')
})

test(`GET ${PATH}, limits of each kind: used and left for this account; cap lowered below the use: none left; a day later: all left`, async () => {
  const { account_id } = account.account
  const other = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
  const own = ['--account', account_id]
  const amount = await limit(...own, '--hours', '24', '--amount', '250.00', '--currency', 'USD')
  const count = await limit(...own, '--hours', '24', '--count', '2')
  const one = await limit(...own, '--per', 'payout', '--amount', '200', '--currency', 'USD')
  const payee = await limit(...own, '--each', 'payee', '--hours', '24', '--count', '9')
  const key = await limit(...own, '--each', 'key', '--hours', '24', '--count', '5')
  const unused = { [amount]: '0 25000', [count]: '0 2', [one]: '0 20000', [key]: '0 5' }
  assert.deepEqual(await figures(), { ...unused, [payee]: 'null null' })
  await pay(account, { amount: 10_001 })
  await pay(account, { amount: 2 })
  const used = { [amount]: '10003 14997', [count]: '2 0', [one]: '0 20000', [key]: '2 3' }
  assert.deepEqual(await figures(), { ...used, [payee]: 'null null' })
  const over = await account.post('/v3/payout', { ...localPayout, amount: 3 })
  assertRefused(over, 422, 'limit_exceeded')
  const second = await service.addKey(account, 'write')
  assert.equal((await figures(second))[key], '0 5', 'each key has its own')
  assert.deepEqual(await figures(other), {})
  const lower = [...own, '--hours', '24', '--amount', '100.00', '--currency', 'USD']
  assert.equal(await limit(...lower), amount)
  assert.deepEqual(await figures(), { ...used, [payee]: 'null null', [amount]: '10003 0' })
  await account.post('/v3/sandbox/clock/advance', { seconds: 2 * 86_400 })
  assert.deepEqual(await figures(), { ...unused, [payee]: 'null null', [amount]: '0 10000' })
})
