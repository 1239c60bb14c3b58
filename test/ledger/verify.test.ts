// corridor verify: a clean history passes, and each fault that a person with the database's password
// could plant is found and named. Every fault is planted in a copy, and taken back.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { settleOnce } from '../../src/app/worker/settle-payouts.ts'
import { connect, type Sql } from '../../src/sql/connect.ts'
import { type Verdict, verify } from '../../src/verify/run.ts'
import { dropDatabase } from '../support/database/database.ts'
import { undone, verdictIn } from '../support/database/undone.ts'
import { localPayout } from '../support/given/bodies.ts'
import { openCli } from '../support/service/cli.ts'
import { startTestService } from '../support/service/service.ts'
import { share } from '../support/share.ts'
import { BOOK_FAULTS } from './book-faults.ts'
import { ENTITY_FAULTS } from './entity-faults.ts'
import { disarm } from './forgery.ts'
import { type History, makeHistory } from './history.ts'
import { LINE_FAULTS } from './line-faults.ts'
import { PAYOUT_FAULTS } from './payout-faults.ts'

let history: History
let template: URL
let admin: Sql

before(async () => {
  history = await makeHistory()
  const { service } = history
  template = new URL(service.database.url)
  // A database can be copied only when nobody is connected to it.
  await service.disconnect()
  const server = new URL(template)
  server.pathname = '/postgres'
  admin = connect(server.href, { max: 1, as: 'owner' })
})
after(async () => {
  await admin.end({ timeout: 5 })
  await history.service.database.drop()
})

/** A copy of the history. */
interface Copy {
  readonly owner: Sql
  readonly url: string
  drop(): Promise<void>
}

async function makeCopy(): Promise<Copy> {
  const name = `copy_${randomBytes(6).toString('hex')}`
  const url = new URL(template)
  url.pathname = `/${name}`
  await admin.unsafe(`create database ${name} template ${template.pathname.slice(1)}`)
  const owner = connect(url.href, { max: 1, as: 'owner' })
  return {
    owner,
    url: url.href,
    async drop() {
      await owner.end({ timeout: 5 })
      await dropDatabase(admin, name)
    },
  }
}

async function onCopy<T>(work: (owner: Sql, url: string) => Promise<T>): Promise<T> {
  const copy = await makeCopy()
  try {
    return await work(copy.owner, copy.url)
  } finally {
    await copy.drop()
  }
}

/** As the command does: as who may read everything. */
async function verdictOn(url: string, account_id: string | null = null): Promise<Verdict> {
  const sql = connect(url, { max: 2, as: 'auditor' })
  try {
    return await verify(sql, { account_id, beside: sql })
  } finally {
    await sql.end({ timeout: 5 })
  }
}

test('corridor verify, a history of every kind: clean, every row read; for one account: only its rows', async () => {
  await onCopy(async (owner, url) => {
    const verdict = await verdictOn(url)
    assert.ok(verdict.ok, JSON.stringify(verdict.problem))
    const [counts] = await owner<Record<string, number>[]>`
      select (select count(*) from accounts)::int as accounts,
        (select count(*) from journals)::int as journals,
        (select count(*) from balances)::int as balances,
        (select count(*) from balance_transactions)::int as balance_transactions,
        (select count(*) from payouts)::int as payouts,
        (select count(*) from journals where kind = 'receipt')::int as receipts,
        ((select count(*) from quotes) + (select count(*) from payouts where quote_id = ''))::int
          as quotes,
        (select count(*) from conversions)::int as conversions,
        (select count(*) from each_event)::int as events,
        (select count(*) from entities)::int as entities,
        (select count(*) from nostro_items)::int as items,
        (select count(*) from bank_lines)::int as lines`
    const { inter_account, in_transit, sandbox_in_transit, live_accounts, ...checked } =
      verdict.checked
    assert.deepEqual(checked, { ...counts })
    assert.deepEqual(inter_account, { USD: 0n, HKD: 0n })
    // The payout that stays with the rail, the one held for compliance, and two that wait for an
    // entity's review.
    assert.deepEqual(sandbox_in_transit, { USD: 601_750n })
    // Nothing of a sandbox counts as live.
    assert.deepEqual([live_accounts, in_transit], [0, {}])
    const one = await verdictOn(url, history.sister.account.account_id)
    assert.ok(one.ok, JSON.stringify(one.problem))
    const { accounts, journals, payouts } = one.checked
    assert.deepEqual([accounts, journals, payouts, one.checked.inter_account], [1, 3, 0, null])
  })
})

describe('corridor verify, one fault', () => {
  let copy: Copy
  before(async () => {
    copy = await makeCopy()
    await disarm(copy.owner)
  })
  after(() => copy.drop())
  for (const fault of [...BOOK_FAULTS, ...LINE_FAULTS, ...PAYOUT_FAULTS, ...ENTITY_FAULTS]) {
    test(`corridor verify, ${fault.name}: found, ${fault.table} named`, async () => {
      const { named, verdict } = await undone(copy.owner, async tx => {
        const named = await fault.plant(tx as unknown as Sql, history)
        return { named, verdict: await verdictIn(tx, false) }
      })
      assert.ok(!verdict.ok, 'nothing was found')
      const { table, account_id, key, expected, found } = verdict.problem
      const words = `${expected}; ${found}`
      assert.deepEqual(
        { table, account_id, key },
        {
          table: fault.table,
          account_id: named.account_id ?? history.main.account.account_id,
          key: named.key,
        },
        words,
      )
      assert.match(words, fault.words)
    })
  }
})

test('corridor verify, service pays and settles meanwhile: no false alarm', async () => {
  const service = await startTestService({ simulator_delay_ms: 0 })
  try {
    const account = await service.openAccount({ fund: { USD: 100_000_000n } })
    const counts: number[] = []
    let verifying = true
    const pay = async () => {
      while (verifying) {
        await Promise.all([
          ...Array.from({ length: 8 }, () => account.post('/v3/payout', localPayout)),
          settleOnce(service.deps),
        ])
      }
    }
    const paying = pay()
    for (let round = 0; round < share(4, 12); round++) {
      const verdict = await verdictOn(service.database.url)
      assert.ok(verdict.ok, JSON.stringify(verdict.problem))
      counts.push(verdict.checked.journals)
    }
    verifying = false
    await paying
    assert.ok(Number(counts.at(-1)) > Number(counts[0]), `the book grew: ${counts}`)
  } finally {
    await service.close()
  }
})

test('corridor verify, clean books: exit code 0 and a sentence; balance changed or unknown account: exit code 1', async () => {
  await onCopy(async (owner, url) => {
    const cli = await openCli(url)
    const { code, stdout } = await cli.run('verify')
    assert.equal(code, 0, stdout)
    assert.match(stdout, /^The books are in order\.$/m)
    const { account_id } = history.main.account
    await owner`
      update balances set available = available + 1
      where account_id = ${account_id} and currency = 'USD'`
    const faulty = await cli.run('verify', '--json')
    assert.equal(faulty.code, 1, faulty.stderr)
    const { ok, problem } = faulty.json
    assert.deepEqual([ok, problem.table, problem.key], [false, 'balances', 'USD'])
    assert.equal(problem.account_id, account_id)
    const unknown = await cli.run('verify', '--account', 'acc_x')
    assert.equal(unknown.code, 1, unknown.stdout)
    assert.match(unknown.stderr, /there is no account acc_x/)
    await cli.close()
  })
})
