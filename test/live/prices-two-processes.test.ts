// Two processes and the command line price alike: whatever is set holds for all of them from the
// same instant of the account's clock, however late a process hears of it.
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type Client, client } from '../support/service/service.ts'
import { openWithCli } from '../support/service/with-cli.ts'

const QUOTE = '/v3/payout/quote'
const hkd = { payout_info: { currency: 'HKD', amount: 80_000 }, holding_info: { currency: 'USD' } }

const { service, cli } = await openWithCli()
await service.setRates({ 'USD/HKD': '8' })
await service.setFees([{}])
await service.setRoutes([{}])
/** One account, by each process. */
const here = await service.openAccount({ currencies: ['USD'], sandbox: false })
const other = await service.anotherProcess()
after(other.close)
const there = client(here, other.inject)

const set = async (...args: string[]) => {
  const { code, stderr } = await cli.run('pricing', 'set', ...args)
  assert.equal(code, 0, stderr)
}
beforeEach(() => set('--spread-bps', '0', '--quote-validity-s', '1800'))

async function rateBy(account: Client): Promise<{ rate: number; created_at: string }> {
  const { status, text, json } = await account.post(QUOTE, hkd)
  assert.equal(status, 200, text)
  return { rate: json.exchange_rates.holding_to_payout, created_at: json.created_at }
}

test('corridor pricing set, two processes: the next quote of each uses the new price, four times in a row', async () => {
  for (const bps of [10, 30, 60, 90]) {
    await set('--spread-bps', String(bps))
    const quotes = await Promise.all([here, there].map(rateBy))
    const expected = Number((8 * (1 - bps / 10_000)).toFixed(6))
    assert.deepEqual(
      quotes.map(({ rate }) => rate),
      [expected, expected],
    )
  }
})

test('process that cannot read the new price: requests wait, no quote at the old price', async () => {
  const { owner } = service.database
  const held = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  // Reading rates waits for this lock; what has changed is known from elsewhere.
  const holding = owner.begin(async tx => {
    await tx`lock table rates in access exclusive mode`
    locked.resolve()
    await held.promise
  })
  await locked.promise
  await owner`
    insert into pricing_policies (name, value, effective_from, created_at)
    select 'spread_bps', '100', now, now from clock_timestamp() now`
  let answered = 0
  const quotes = [here, there].map(async account => {
    const quote = await rateBy(account)
    answered += 1
    return quote
  })
  await delay(300)
  assert.equal(answered, 0)
  held.resolve()
  await holding
  for (const { rate } of await Promise.all(quotes)) assert.equal(rate, 7.92)
})

test("corridor pricing set --from: both processes switch at that instant of the account's clock", async () => {
  // Not by the command line, which on a busy machine takes longer than this to begin.
  const [{ from = '' } = {}] = await service.database.owner<{ from: string }[]>`
    insert into pricing_policies (name, value, effective_from, created_at)
    select 'spread_bps', '50', now + interval '2 seconds', now from clock_timestamp() now
    returning effective_from as from`
  const quotes: { rate: number; created_at: string }[] = []
  while (quotes.filter(({ rate }) => rate === 7.96).length < 10) {
    quotes.push(...(await Promise.all([here, there].map(rateBy))))
    assert.ok(Date.now() < Date.parse(from) + 120_000, 'it never changed')
  }
  for (const { rate, created_at } of quotes) {
    const since = created_at.replace('+00:00', 'Z') >= from
    assert.equal(rate, since ? 7.96 : 8, created_at)
  }
  assert.ok(quotes.some(({ rate }) => rate === 8))
})

test('corridor pricing set --from, one sandbox clock advanced to it: new price there, old price elsewhere', async () => {
  const sandbox = await service.openAccount({ currencies: ['USD'] })
  await set('--spread-bps', '100', '--from', new Date(Date.now() + 3_600_000).toISOString())
  assert.equal((await rateBy(sandbox)).rate, 8)
  const { status } = await sandbox.post('/v3/sandbox/clock/advance', { seconds: 3_700 })
  assert.equal(status, 200)
  assert.equal((await rateBy(sandbox)).rate, 7.92)
  assert.equal((await rateBy(client(sandbox, other.inject))).rate, 7.92)
  assert.equal((await rateBy(here)).rate, 8)
  const { json } = await cli.run('pricing', 'list', '--json')
  const waiting = json.rows.find(({ state }: { state: string }) => state === 'waits')
  const back = await cli.run('pricing', 'remove', String(waiting.policy_id))
  assert.match(back.stdout, /^spread_bps for the installation: 100 from .*: taken back\n$/)
  assert.equal((await rateBy(sandbox)).rate, 8)
})
