// kill -9 of a service at each step of the transaction of a conversion. Afterwards both journals are
// there or none, and the same request, asked again, converts once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkBooks } from '../support/assert/books.ts'
import { failingAt, openAccountOn, type RunningProcess, until } from '../support/service/process.ts'
import { openScene } from '../support/service/scene.ts'
import { share } from '../support/share.ts'

const POINTS = share(
  ['before commit', 'after commit'],
  ['load', 'decide', 'store', 'commit', 'reply'].flatMap(step => [
    `before ${step}`,
    `after ${step}`,
  ]),
)
const START = 1_000_000n

const { database, account, client, start, listen } = await openScene(url =>
  openAccountOn(url, { USD: START }, ['USD', 'EUR']),
)
const { account_id } = account.account
const env = { CORRIDOR_WEBHOOKS: 'off' }
await database.owner`
  insert into rates (base, quote, mid, as_of, source) values ('EUR', 'USD', 1.25, now(), 'test')`

async function quoteAt(address: string): Promise<string> {
  const answer = await client.post(address, '/v3/conversion/quote', {
    holding_info: { currency: 'USD' },
    destination_info: { currency: 'EUR', amount: 800 },
  })
  assert.equal(answer.status, 200, answer.text)
  return answer.json.data.id
}

const convert = (address: string, quote: string) =>
  client.post(address, '/v3/conversion', { quote }, quote)

/** What of conversions is in the database. */
async function written() {
  const [row] = await database.owner<{ conversions: number; journals: number; used: number }[]>`
    select (select count(*)::integer from conversions where account_id = ${account_id})
        as conversions,
      (select count(*)::integer from journals where account_id = ${account_id}
        and kind in ('conversion_out', 'conversion_in')) as journals,
      (select count(*)::integer from quotes where account_id = ${account_id}
        and status = 'used') as used`
  return row
}

const whole = (conversions: number) => {
  return { conversions, journals: 2 * conversions, used: conversions }
}

/** Asks until the process has died: it may not yet watch for the step. Its answers get lost. */
async function killed(dying: RunningProcess, quote: string): Promise<void> {
  dying.signal('SIGUSR2')
  await until('killed', async () => {
    await convert(dying.address, quote).catch(() => undefined)
    return !dying.running()
  })
  assert.equal(await dying.ended, 'SIGKILL')
}

test(`POST /v3/conversion, service killed ${POINTS.join(', ')}: whole or not at all; asked again, once`, async () => {
  for (const [i, point] of POINTS.entries()) {
    const dying = await start({ ...env, ...failingAt(`${point} create_conversion 1`) })
    const quote = await quoteAt(dying.address)
    await killed(dying, quote)
    const next = await listen(env)
    const found = await written()
    const committed = found?.conversions === i + 1
    assert.deepEqual(found, whole(committed ? i + 1 : i), point)
    if (point === 'after commit') assert.ok(committed)
    const again = await convert(next.address, quote)
    assert.equal(again.status, 200, again.text)
    assert.equal(again.headers['idempotent-replayed'] === 'true', committed, point)
    assert.deepEqual(await written(), whole(i + 1), point)
    await next.close()
  }
  const rows = await database.owner<{ currency: string; available: bigint }[]>`
    select currency, available from balances where account_id = ${account_id}`
  const made = BigInt(POINTS.length)
  assert.deepEqual(Object.fromEntries(rows.map(row => [row.currency, row.available])), {
    USD: START - 1_000n * made,
    EUR: 800n * made,
  })
  await checkBooks(database.owner, { DATABASE_URL: database.url })
})
