// The process that derives the house's books, killed after each statement of its transactions, with
// new journals in between: each journal counts once.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { deriveSome } from '../../src/treasury/derive.ts'
import { countBehind } from '../../src/treasury/item-store.ts'
import { verify } from '../../src/verify/run.ts'
import { bookUsd } from '../support/service/operate.ts'
import { until } from '../support/service/process.ts'
import { startTestService } from '../support/service/service.ts'

const CHILD = new URL('../support/treasury/derive-child.ts', import.meta.url).pathname
const KILLS = 20

test(`kill -9 after the first to the ${KILLS}th statement: each journal counts once`, async () => {
  const service = await startTestService()
  try {
    const { database, deps } = service
    const options = { currencies: ['USD'], sandbox: false }
    const accounts = await Promise.all(
      Array.from({ length: 3 }, () => service.openAccount(options)),
    )
    let killed = 0
    for (let nth = 1; nth <= KILLS; nth += 1) {
      for (const account of accounts) {
        for (let n = 0; n < 3; n += 1) await bookUsd(service, account, 'funding', 100n)
      }
      const child = spawn(process.execPath, [CHILD, database.url, String(nth)], {
        stdio: 'inherit',
      })
      const [, signal] = await once(child, 'exit')
      if (signal === 'SIGKILL') killed += 1
    }
    assert.ok(killed >= KILLS / 2, `only ${killed} were killed`)
    // The server still ends the last transaction that was killed, and nobody else derives meanwhile.
    await until('all is derived', async () => {
      await deriveSome(deps)
      return (await countBehind(deps.finder)) === 0n
    })
    const [sums] = await database.owner<Record<string, unknown>[]>`
      select count(*) as items, sum(amount)::bigint as amount from nostro_items`
    const items = BigInt(KILLS * accounts.length * 3)
    assert.deepEqual({ ...sums }, { items, amount: items * 100n })
    const verdict = await verify(database.owner, { account_id: null, all: true })
    assert.equal(verdict.ok, true, JSON.stringify(verdict.problem))
  } finally {
    await service.close()
  }
})
