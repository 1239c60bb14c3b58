// Races on the headroom of a limit: many payouts at the same moment, to one process and to two, and
// payouts that give headroom back while others take it. Expects of each race one exact end.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { verifyBooks } from '../support/assert/books.ts'
import { localPayout } from '../support/given/bodies.ts'
import { type Cli, openCli } from '../support/service/cli.ts'
import { tally } from '../support/service/process.ts'
import type { Client } from '../support/service/service.ts'
import { settleAll } from '../support/service/settling.ts'
import { type SideBySide, startSideBySide } from '../support/service/side-by-side.ts'
import { share } from '../support/share.ts'

// A race of one process is among those of two: the usual run makes those.
for (const count of share([2], [1, 2])) describe(`${count} process(es), limits`, () => race(count))

function race(count: number) {
  let all: SideBySide
  let cli: Cli
  /** One account's client by each process in turn. */
  let by: (i: number) => Client

  before(async () => {
    all = await startSideBySide(count)
    cli = await openCli(all.service.database.url, { CORRIDOR_USER: 'olga' })
  })
  after(async () => {
    await cli.close()
    await all.close()
  })

  const open = async () => {
    by = await all.open({ fund: { USD: 100_000_000n } })
  }
  const idOf = () => by(0).account.account_id
  const pay = (i: number, fields: object = {}) =>
    by(i).post('/v3/payout', { ...localPayout, ...fields })

  async function limit(...options: readonly string[]): Promise<void> {
    const ran = await cli.run('limit', 'set', '--account', idOf(), ...options)
    assert.equal(ran.code, 0, ran.stderr)
  }

  async function used(): Promise<readonly [uses: number, summed: number]> {
    const [row] = await all.service.database.owner<{ uses: number; summed: number }[]>`
      select
        (select count(*) from limit_uses where account_id = ${idOf()})::integer as uses,
        (select sum(used) from limit_sums where account_id = ${idOf()})::integer as summed`
    return [row?.uses ?? 0, row?.summed ?? 0]
  }

  test('POST /v3/payout, 200 in parallel, limit of 100: 100 created, 100 refused', async () => {
    await open()
    await limit('--hours', '24', '--count', '100')
    const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => pay(i)))
    assert.deepEqual(tally(answers), { '200': 100, '422 limit_exceeded': 100 })
    assert.deepEqual(await used(), [100, 100])
  })

  test('POST /v3/payout, 120 in parallel and batches of 10, limit on an amount that fits 100: exactly this amount paid', async () => {
    await open()
    await limit('--hours', '1', '--amount', '10000.00', '--currency', 'USD')
    const payouts = Array.from({ length: 10 }, (_, i) => ({ ...localPayout, reference_id: `${i}` }))
    const batches = Array.from({ length: 6 }, (_, i) => {
      return by(i).post('/v3/payout_batch', { mode: 'best_effort', payouts })
    })
    const single = Array.from({ length: 120 }, (_, i) => pay(i))
    const answers = await Promise.all([...single, ...batches])
    const unexpected = answers.filter(
      ({ status, text }) => status !== 200 && !text.includes('limit_exceeded'),
    )
    assert.deepEqual(
      unexpected.map(({ text }) => text),
      [],
    )
    assert.deepEqual(await used(), [100, 1_000_000])
  })

  test('POST /v3/payout and cancel, 20 each in parallel, limit full: never exceeded, all headroom restored', async () => {
    await open()
    await limit('--hours', '24', '--count', '20')
    const entity = { type: 'individual', name: 'Ana', email: 'ana@example.com', reference_id: 'a' }
    const { json } = await by(0).post('/v3/entity', entity)
    const held = { on_behalf_of: json.data.id }
    const full = await Promise.all(Array.from({ length: 20 }, (_, i) => pay(i, held)))
    assert.deepEqual(tally(full), { '200': 20 })
    const answers = await Promise.all(
      full.flatMap((made, i) => [
        by(i).post(`/v3/payout/${made.json.data.id}/cancel`, {}),
        pay(i + 1, held),
      ]),
    )
    const cancelled = answers.filter((_, i) => i % 2 === 0)
    assert.deepEqual(tally(cancelled), { '200': 20 })
    const made = answers.filter(({ status }, i) => i % 2 === 1 && status === 200).length
    assert.deepEqual(await used(), [made, made])
    // What the cancelled ones gave back is there.
    const rest = await Promise.all(Array.from({ length: 21 - made }, (_, i) => pay(i, held)))
    assert.deepEqual(tally(rest), {
      ...(made < 20 && { '200': 20 - made }),
      '422 limit_exceeded': 1,
    })
  })

  test('corridor limit set while payouts are created: each payout of the window counted', async () => {
    await open()
    const paying = Promise.all(Array.from({ length: 60 }, (_, i) => pay(i)))
    await limit('--hours', '24', '--count', '30')
    const answers = await paying
    const made = answers.filter(({ status }) => status === 200).length
    assert.ok(
      answers.every(({ status, text }) => status === 200 || text.includes('limit_exceeded')),
    )
    assert.deepEqual(await used(), [made, made])
    const last = await pay(0)
    assert.equal(last.status, made < 30 ? 200 : 422, last.text)
  })

  test('books after all tests of this file: corridor verify clean', async () => {
    await settleAll(all.service)
    await verifyBooks(all.service.database.owner)
    assert.deepEqual(all.faults, [])
  })
}
