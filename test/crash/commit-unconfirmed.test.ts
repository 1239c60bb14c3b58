// A server that commits and answers the COMMIT with XX000, as a distributed engine can when one of its
// nodes has committed: whoever asked is told that it is not known, nothing is run again for those who
// have no key, and keys, references and claims bring out what there is. Nothing is lost, nothing twice.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { buildApp } from '../../src/app/app.ts'
import { startDelivering } from '../../src/app/worker/deliver-webhooks.ts'
import { startSettling } from '../../src/app/worker/settle-payouts.ts'
import { onDatabase } from '../../src/cli/context.ts'
import { setUpBankDemo } from '../../src/cli/demo-bank-setup.ts'
import { type Config, readConfig } from '../../src/config/config.ts'
import { type Deps, openDeps } from '../../src/runtime/deps.ts'
import { makeMetrics } from '../../src/runtime/metrics.ts'
import { connect } from '../../src/sql/connect.ts'
import { checkBooks } from '../support/assert/books.ts'
import { createDatabase, type TestDatabase } from '../support/database/database.ts'
import { localPayout } from '../support/given/bodies.ts'
import { startProxy, type TcpProxy } from '../support/network/proxy.ts'
import { addEndpoint, judge, startReceiver } from '../support/network/receiver.ts'
import { type Cli, openCli } from '../support/service/cli.ts'
import { jsonLines } from '../support/service/importing.ts'
import { serviceLog } from '../support/service/logs.ts'
import { openAccountOn, tally, until } from '../support/service/process.ts'
import { type Answer, type Client, client as clientOf } from '../support/service/service.ts'
import { share } from '../support/share.ts'

/** A statement that writes, other than of what is forgotten by and by. */
const WRITES = /^\s*(?:insert into|update)\b/
const WHATEVER_NOT_KNOWN = /whether it took effect is not known/
const CROWD = share(48, 200)
const FUNDED = 1_000_000_000n

let database: TestDatabase
let proxy: TcpProxy
let client: Client
let cli: Cli
/** Behind the proxy, without workers, which commit as well. */
let deps: Deps
let app: FastifyInstance
let account_id: string

before(async () => {
  database = await createDatabase()
  proxy = await startProxy(database.url)
  const opened = await openAccountOn(database.url, { USD: FUNDED })
  account_id = opened.account.account_id
  cli = await openCli(proxy.url, { CORRIDOR_USER: 'alice' })
  const config: Config = {
    ...readConfig({ DATABASE_URL: proxy.url, LOG_LEVEL: 'silent' }),
    ...{ settle_poll_ms: 50, simulator_delay_ms: 0, rail_timeout_ms: 300 },
    // No answer is late on a busy machine: its event would go out again, as it must.
    ...{ webhook_allow_private: true, webhook_timeout_ms: 3_000 },
  }
  deps = await openDeps(proxy.url, config, serviceLog(), makeMetrics())
  app = await buildApp(deps)
  client = clientOf(opened, async options => {
    const { statusCode: status, headers, payload: text } = await app.inject(options)
    return { status, headers, text, json: JSON.parse(text) }
  })
})
after(async () => {
  await app?.close()
  await deps?.close()
  await cli?.close()
  await proxy.close()
  await database.drop()
})

const pay = (amount: number, key?: string) =>
  client.post('/v3/payout', { ...localPayout, amount }, keyed(key))

const keyed = (key?: string): Record<string, string> =>
  key === undefined ? {} : { 'idempotency-key': key }

/** How many payouts of each amount there are. */
async function paid(amounts: readonly number[]): Promise<number[]> {
  const rows = await database.owner<{ amount: bigint; times: bigint }[]>`
    select amount, count(*) as times from payouts
    where account_id = ${account_id} and amount = any(string_to_array(${amounts.join()}, ',')::bigint[])
    group by amount`
  const times = new Map(rows.map(row => [Number(row.amount), Number(row.times)]))
  return amounts.map(amount => times.get(amount) ?? 0)
}

async function balance(): Promise<bigint> {
  const [row] = await database.owner<{ available: bigint }[]>`
    select available from balances where account_id = ${account_id} and currency = 'USD'`
  return row?.available ?? 0n
}

/** The words that a shell makes of the command line that a message names, after `corridor`. */
function shellWords(message: string): string[] {
  const [, line = ''] = /it is run: corridor (.*)$/m.exec(message) ?? []
  const words = execFileSync('bash', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' })
  return words.split('\0').slice(0, -1)
}

function assertUnknown(answer: Answer): void {
  assert.equal(answer.status, 503, answer.text)
  assert.equal(answer.json.errors[0].reason, 'service_unavailable')
  assert.match(answer.json.message, WHATEVER_NOT_KNOWN)
  assert.equal(answer.headers['retry-after'], '1')
}

describe('payouts, COMMIT executed but answered with XX000', () => {
  test('POST /v3/payout with a key: 503; replayed: the one payout', async () => {
    proxy.answerCommits('XX000', 1, WRITES)
    assertUnknown(await pay(101, 'unconfirmed'))
    assert.equal(proxy.answersLeft(), 0)
    const again = await pay(101, 'unconfirmed')
    assert.equal(again.status, 200, again.text)
    assert.equal(again.headers['idempotent-replayed'], 'true')
    assert.deepEqual(await paid([101]), [1])
  })

  test('POST /v3/payout without a key: 503, one payout', async () => {
    proxy.answerCommits('XX000', 1, WRITES)
    assertUnknown(await pay(102))
    assert.deepEqual(await paid([102]), [1])
  })

  for (const [what, keyOf] of [
    ['without keys', () => undefined],
    ['with keys', (amount: number) => `crowd-${amount}`],
  ] as const) {
    test(`POST /v3/payout, ${CROWD} payouts ${what} in a few batches: 503 for whole batches, each created once`, async t => {
      let first = what === 'with keys' ? 1_000 : 10_000
      let amounts: number[] = []
      let unknown: Answer[] = []
      // Again, while by chance they were batches of one.
      for (let round = 0; round < 5 && unknown.length <= 2; round++) {
        amounts = Array.from({ length: CROWD }, () => first++)
        proxy.answerCommits('XX000', 2, WRITES)
        const answers = await Promise.all(amounts.map(amount => pay(amount, keyOf(amount))))
        t.diagnostic(JSON.stringify(tally(answers)))
        assert.equal(proxy.answersLeft(), 0)
        unknown = answers.filter(({ status }) => status !== 200)
        unknown.forEach(assertUnknown)
      }
      assert.ok(unknown.length > 2, 'a batch of several was answered so')
      assert.deepEqual(await paid(amounts), Array(CROWD).fill(1))
      if (what === 'without keys') return
      const again = await Promise.all(amounts.map(amount => pay(amount, keyOf(amount))))
      assert.deepEqual(tally(again), { '200': CROWD })
      assert.deepEqual(await paid(amounts), Array(CROWD).fill(1))
    })
  }

  test('POST /v3/payout_batch (a long command) with a key: 503; replayed: the one batch', async () => {
    const payouts = Array(20).fill({ ...localPayout, amount: 103 })
    const body = { mode: 'all_or_nothing', payouts }
    const ask = () => client.post('/v3/payout_batch', body, keyed('unconfirmed batch'))
    proxy.answerCommits('XX000', 1, WRITES)
    assertUnknown(await ask())
    const again = await ask()
    assert.equal(again.headers['idempotent-replayed'], 'true', again.text)
    assert.deepEqual(await paid([103]), [20])
  })
})

// Told so by the server itself, at the COMMIT of a payout of this amount: a trigger that is deferred.
describe('payouts, COMMIT answered with an error after which nothing was written', () => {
  const AMOUNT = 104
  const refuse = (code: string, times: number) =>
    database.owner.unsafe(`
      create sequence refusals;
      grant usage on refusals to corridor_service;
      create function refuse() returns trigger language plpgsql as $$ begin
        if nextval('refusals') <= ${times} then raise 'told to' using errcode = '${code}'; end if;
        return null;
      end $$;
      create constraint trigger refusing after insert on payouts deferrable initially deferred
        for each row when (new.amount = ${AMOUNT}) execute function refuse()`)
  const relent = () => database.owner.unsafe('drop function refuse cascade; drop sequence refusals')
  /** Both in one batch, as they come while another is written. */
  const payTwo = async () => {
    const [, ...both] = await Promise.all([pay(105), pay(AMOUNT), pay(106)])
    return both.map(({ status }) => status)
  }

  for (const [code, times, statuses, then] of [
    ['40001', 3, [200, 200], 'retried, no caller notices'],
    ['23514', 1_000, [500, 200], 'fails alone, its neighbours are paid'],
    ['25P02', 1_000, [500, 200], 'fails alone, its neighbours are paid'],
    ['XX000', 1_000, [503, 503], 'unknown, nothing is retried'],
  ] as const) {
    test(`COMMIT answered with ${code}: ${then}`, async t => {
      await refuse(code, times)
      t.after(relent)
      const before = await paid([AMOUNT, 106])
      assert.deepEqual(await payTwo(), statuses)
      const more = (await paid([AMOUNT, 106])).map((n, i) => n - (before[i] ?? 0))
      assert.deepEqual(
        more,
        statuses.map(status => (status === 200 ? 1 : 0)),
      )
    })
  }
})

describe('commands, COMMIT executed but answered with XX000', () => {
  // Quotes, a variable and a command that a shell would expand.
  const signs = 'O\'Neill "A" $HOME `id` \\ !1'
  const money = (command: string) =>
    [command, account_id, 'USD', '12.34', '--reference', `${command} ${signs}`] as const

  for (const [command, sign, argsOf] of [
    ['fund', 1n, async () => money('fund')],
    ['withdraw', -1n, async () => [...money('withdraw'), '--reason', signs]],
    [
      'reverse',
      -1n,
      async () => {
        const { json } = await cli.run('fund', account_id, 'USD', '12.34', '--json')
        return ['reverse', json.id, '--reason', signs]
      },
    ],
  ] as const) {
    test(`corridor ${command}: says that the outcome is unknown, prints a command that books it once`, async () => {
      const args: readonly string[] = await argsOf()
      const before = await balance()
      proxy.answerCommits('XX000', 1, WRITES)
      const { code, stdout, stderr } = await cli.run(...args)
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(stderr, /^corridor: .*whether the money was booked is not known\. This books it/)
      const named = /it is run: the same command$/m.test(stderr) ? args : shellWords(stderr)
      assert.deepEqual(named, args)
      const again = await cli.run(...args)
      assert.equal(again.code, 1)
      assert.match(again.stderr, /has booked|counts once|btr_/)
      assert.equal(await balance(), before + sign * 1_234n)
    })
  }

  test('corridor fund without a reference: the printed command books it once', async () => {
    const before = await balance()
    proxy.answerCommits('XX000', 1, WRITES)
    const { stderr } = await cli.run('fund', account_id, 'USD', '12.34')
    const [, again = ''] = /it is run: corridor (.*)\n$/.exec(stderr) ?? []
    assert.match(again, /^fund .* --source esc_\w+$/, stderr)
    assert.match((await cli.run(...again.split(' '))).stderr, /has funded this account already/)
    assert.equal(await balance(), before + 1_234n)
  })

  test('corridor demo --bank: the printed command has the reference of its funding', async t => {
    const config = readConfig({ DATABASE_URL: proxy.url })
    t.after(() => database.owner`delete from rails where name = 'demo_bank'`)
    proxy.answerCommits('XX000', 1, /^\s*insert into journals\b/)
    const failed = await onDatabase(config, proxy.url, context =>
      setUpBankDemo(context, '/', 0).then(
        () => assert.fail('it was booked'),
        (error: Error) => error,
      ),
    )
    const [account] = await database.owner<{ account_id: string }[]>`
      select account_id from accounts where name = 'Bank demo'`
    const id = account?.account_id ?? ''
    const proof = ['--reference', `DEMO ${id}`]
    assert.deepEqual(shellWords(failed.message), ['fund', id, 'EUR', '1000.00', ...proof])
    assert.match((await cli.run(...shellWords(failed.message))).stderr, /is booked already/)
  })

  test('corridor account freeze: says that the outcome is unknown and how to find out', async () => {
    proxy.answerCommits('XX000', 1, WRITES)
    const frozen = await cli.run('account', 'freeze', account_id, '--reason', 'Case 118', '--json')
    assert.equal(frozen.code, 1)
    const { error } = JSON.parse(frozen.stderr)
    assert.match(error.message, /whether it was done is not known: look whether it was/)
    const unfrozen = await cli.run('account', 'unfreeze', account_id, '--reason', 'Case 118')
    assert.match(unfrozen.stdout, /was frozen, is active/)
  })

  test('corridor pricing set: says that the outcome is unknown and how to find out', async () => {
    proxy.answerCommits('XX000', 1, WRITES)
    const set = await cli.run('pricing', 'set', '--spread-bps', '23')
    assert.equal(set.code, 1)
    assert.match(set.stderr, /whether it was done is not known: look whether it was/)
    assert.match((await cli.run('pricing', 'list')).stdout, /23/)
  })

  test("corridor payout import: retried by each row's key, every row paid once", async () => {
    const amounts = Array.from({ length: 40 }, (_, i) => 3_000 + i)
    const { type: _, ...row } = localPayout
    const rows = amounts.map(amount => ({ ...row, amount, reference_id: `INV-${amount}` }))
    const path = await cli.file('unconfirmed.jsonl', jsonLines(rows))
    proxy.answerCommits('XX000', 1, WRITES)
    const imported = await cli.run('payout', 'import', path, '--account', account_id, '--json')
    assert.equal(proxy.answersLeft(), 0)
    assert.equal(imported.code, 0, imported.stderr)
    const { made, imported_before, refused, unanswered } = imported.json
    assert.deepEqual([made, imported_before, refused, unanswered], [amounts.length, 0, 0, 0])
    assert.deepEqual(await paid(amounts), Array(amounts.length).fill(1))
  })

  test('corridor payout import, outcome stays unknown: prints the command that continues, which recognises every row', async () => {
    const amounts = Array.from({ length: 10 }, (_, i) => 4_000 + i)
    const { type: _, ...row } = localPayout
    const rows = amounts.map(amount => ({ ...row, amount, reference_id: `INV-${amount}` }))
    const path = await cli.file('never.jsonl', jsonLines(rows))
    const args = ['payout', 'import', path, '--account', account_id]
    // Also of batches that find every row there, and write nothing.
    proxy.answerCommits('XX000', 1_000, /\bfor (?:no key )?update\b/)
    const ended = await cli.run(...args)
    proxy.answerCommits('XX000', 0, /./)
    assert.equal(ended.code, 1)
    const said = ended.stdout.replaceAll('\n', ' ')
    assert.match(said, /what became of the last 10 rows is not known/)
    assert.match(said, /Run the same command again to go on/)
    const again = await cli.run(...args, '--json')
    assert.deepEqual([again.json.made, again.json.imported_before], [0, amounts.length])
    assert.deepEqual(await paid(amounts), Array(amounts.length).fill(1))
  })
})

describe('workers, COMMIT executed but answered with XX000', () => {
  test('webhook worker: every event delivered and recorded once', async t => {
    const receiver = await startReceiver(() => ({ status: 200 }))
    t.after(() => receiver.close())
    await addEndpoint(database, account_id, `${receiver.url}/`)
    const amounts = Array.from({ length: 30 }, (_, i) => 5_000 + i)
    await Promise.all(amounts.map(amount => pay(amount)))
    // Making deliveries, claiming them and recording what came of them: the first of each, at least.
    proxy.answerCommits('XX000', 6, /webhook/)
    const queues = connect(proxy.url, { max: 4, as: 'service', look_ups: true })
    t.after(() => queues.end({ timeout: 5 }))
    const worker = startDelivering(deps, queues)
    t.after(() => worker.stop())
    await until('all are recorded', async () => {
      const rows = await database.owner<{ status: string }[]>`
        select status from webhook_deliveries where account_id = ${account_id}`
      return rows.length >= amounts.length && rows.every(({ status }) => status === 'succeeded')
    })
    assert.equal(proxy.answersLeft(), 0)
    const [events] = await database.owner<{ count: bigint }[]>`
      select count(*) from webhook_deliveries where account_id = ${account_id}`
    assert.equal(receiver.received.length, Number(events?.count))
    assert.equal(judge(receiver.received).twice, 0)
  })

  test('payout worker: every payout succeeds once', async t => {
    proxy.answerCommits('XX000', 6, /payouts/)
    const worker = startSettling(deps)
    t.after(() => worker.stop())
    await until('all are settled', async () => {
      const open = await database.owner`
        select from payout_states where account_id = ${account_id} and status <> 'succeeded'`
      return open.length === 0
    })
    assert.equal(proxy.answersLeft(), 0)
    const twice = await database.owner`
      select object_id, type from each_event where account_id = ${account_id} and object_id like 'pot_%'
      group by object_id, type having count(*) > 1`
    assert.deepEqual([...twice], [])
  })
})

test('books after all tests of this file: corridor verify clean', async () => {
  await checkBooks(database.owner, { DATABASE_URL: database.url })
})
