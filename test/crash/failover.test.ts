// A primary with two synchronous standbys, over TLS, under load: the primary is killed and a standby
// promoted. Nothing acknowledged is lost, nothing is paid twice, a former primary that comes back
// is never written to, and while there is no primary a request waits or gets a 503.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { connect } from '../../src/sql/connect.ts'
import { isConnectionLost } from '../../src/sql/failure.ts'
import { checkBooks } from '../support/assert/books.ts'
import { startReplicas } from '../support/database/replicas.ts'
import { localPayout } from '../support/given/bodies.ts'
import { openCli } from '../support/service/cli.ts'
import {
  checkPaid,
  type KeyedPayout,
  type Load,
  lastAnswers,
  repeatAll,
  startLoad,
} from '../support/service/load.ts'
import {
  httpClient,
  openAccountOn,
  pickSeed,
  seeded,
  startProcess,
  tally,
  until,
} from '../support/service/process.ts'
import { promised, share } from '../support/share.ts'

const FAILOVERS = share(2, 20)
const SUCCESS_WITHIN_MS = 3_000
const CLIENTS = 8
/** Under load before each kill, and without a primary after it. */
const LOAD_MS = share(300, 1_500)
const AWAY_MS = share(300, 700)

test('startReplicas, fill throws: no server stays', async () => {
  let left = ''
  const failed = startReplicas(async url => {
    left = url
    throw new Error('no fill')
  })
  await assert.rejects(failed, /^Error: no fill$/)
  const sql = connect(left, { max: 1, as: 'owner' })
  await assert.rejects(sql`select 1`, isConnectionLost)
  await sql.end({ timeout: 0 })
})

let account: Awaited<ReturnType<typeof openAccountOn>> | undefined
const replicas = await startReplicas(async url => {
  account = await openAccountOn(url, { USD: 1_000_000_000n })
})
const { url } = replicas
if (account === undefined) throw new Error('no account')
const { account_id } = account.account
const client = httpClient(account)
const service = await startProcess({ DATABASE_URL: url, CORRIDOR_DRAIN_MS: '0' })
const { address } = service
after(async () => {
  client.close()
  await service.kill()
  await replicas.close()
})

type Name = Parameters<typeof replicas.kill>[0]
const ALL: readonly Name[] = ['a', 'b', 'c']
const random = seeded(pickSeed())
const all: KeyedPayout[] = []
let primary: Name = 'a'

const load = (name: string) =>
  startLoad({ client, clients: CLIENTS, address: () => address, name, random })

const paidSince = (asked: readonly KeyedPayout[], since: number) =>
  asked.filter(({ answer, ended_at }) => answer?.status === 200 && ended_at > since)

/** How the primary is lost, in turns. */
const WAYS = ['killed', 'killed', 'frozen'] as const

for (let round = 1; round <= FAILOVERS; round++) {
  const how = FAILOVERS === 2 && round === 2 ? 'frozen' : WAYS[round % WAYS.length]
  const back =
    how === 'killed' ? 'started again, commits alone: gets no payout' : 'goes on: gets no session'
  test(`failover ${round}, primary ${how} under load, standby promoted: 503 at most meanwhile, first payout soon after; the former primary ${back}`, async t => {
    const former = primary
    const paying = load(`failover-${round}`)
    try {
      await until('paid', () => paidSince(paying.asked, 0).length > CLIENTS)
      await portOfNewcomer()
      await delay(LOAD_MS + random() * LOAD_MS)
      await (how === 'killed' ? replicas.kill(former) : replicas.freeze(former))
      const lost_at = performance.now()
      await delay(AWAY_MS)
      const standby = await replicas.mostAdvanced(ALL.filter(name => name !== former))
      const promoted_at = performance.now()
      await replicas.promote(standby)
      primary = standby
      await until(
        'paid again',
        () => paidSince(paying.asked, promoted_at).length > 0,
        () => lastAnswers(paying),
      )
      const [first] = paidSince(paying.asked, promoted_at)
      const took_ms = (first?.ended_at ?? NaN) - promoted_at
      promised(t, `failover ${round}: first payout after the promotion`, took_ms, SUCCESS_WITHIN_MS)
      t.diagnostic(`away for ${Math.round(promoted_at - lost_at)} ms before it`)
      await (how === 'killed' ? writesAlone(former, paying) : goesOn(former, paying))
      await checkNewcomers(former)
    } finally {
      await paying.stop()
    }
    const answers = paying.asked.flatMap(({ answer }) => answer ?? [])
    assert.equal(answers.length, paying.asked.length, 'all are answered')
    const refused = answers.filter(({ status }) => status !== 200)
    t.diagnostic(JSON.stringify(tally(answers)))
    // A request that the promotion overtakes while it waits is not refused.
    const others = Object.keys(tally(refused)).filter(
      answer => answer !== '503 service_unavailable',
    )
    assert.deepEqual(others, [])
    assert.ok(service.running())
    all.push(...paying.asked)
    await replicas.rejoin(former, primary)
  })
}

/** The former primary comes back as it was left, and no standby holds its commits up. */
async function writesAlone(former: Name, paying: Load): Promise<void> {
  await replicas.start(former, 'synchronous_standby_names=')
  const before = await countPayouts(former)
  await paysOn(paying)
  assert.equal(await countPayouts(former), before, 'payouts of the former primary')
}

/**
 * The former primary goes on as if nothing had been, with the sessions that it had. What it was sent
 * before may still run; its COMMIT waits for a standby and is never answered.
 */
async function goesOn(former: Name, paying: Load): Promise<void> {
  await replicas.thaw(former)
  const sessions = (begun_after: string) =>
    replicas.on(
      former,
      sql => sql<{ query: string }[]>`
        select query from pg_stat_activity
        where application_name = 'corridor' and wait_event is distinct from 'SyncRep'
          and backend_start > ${begun_after}::timestamptz`,
    )
  await until('its sessions end', async () => (await sessions('-infinity')).length === 0)
  const [thawed] = await replicas.on(
    former,
    sql => sql<{ at: string }[]>`select clock_timestamp()::text as at`,
  )
  await paysOn(paying)
  assert.deepEqual([...(await sessions(thawed?.at ?? ''))], [], 'sessions at the former primary')
}

/** Payouts go on for longer than servers are asked. */
async function paysOn(paying: Load): Promise<void> {
  const since = performance.now()
  await delay(share(1_500, 2_500))
  await until(
    'paid beside it',
    () => paidSince(paying.asked, since).length > 3 * CLIENTS,
    () => lastAnswers(paying),
  )
}

async function countPayouts(name: Name): Promise<number> {
  const [row] = await replicas.on(
    name,
    sql => sql<{ n: number }[]>`select count(*)::integer as n from payouts`,
  )
  return row?.n ?? -1
}

/** Where a pool leads that begins now, in a process that has used the servers before. */
async function portOfNewcomer(): Promise<number | undefined> {
  const sql = connect(`${url}&application_name=newcomer`, { max: 1, as: 'service' })
  const [row] = await sql<{ port: number }[]>`select inet_server_port() as port`
  await sql.end()
  return row?.port
}

/** Who begins now asks all servers, and finds the former primary among them. */
async function checkNewcomers(former: Name): Promise<void> {
  const [at] = await replicas.on(
    former,
    sql => sql<{ port: number }[]>`select inet_server_port() as port`,
  )
  assert.notEqual(await portOfNewcomer(), at?.port)
  const cli = await openCli(url)
  const listed = await cli.run('account', 'list', '--json')
  await cli.close()
  assert.equal(listed.code, 0, listed.stderr)
}

test('both standbys away: no payout is acknowledged, neither by waiting nor when its session is cancelled; back: each key paid once', async t => {
  const standbys = ALL.filter(name => name !== primary)
  for (const name of standbys) await replicas.kill(name)
  const { amount } = localPayout
  const pay = async (key: string) => {
    const asked_at = performance.now()
    const answer = await client.post(address, '/v3/payout', localPayout, key)
    return { key, amount, asked_at, quoted: false, answer, earlier: [], ended_at: 0 }
  }
  const waited = await pay('waited')
  const cancelling = ['one', 'two', 'three'].map(name => pay(`cancelled ${name}`))
  // PostgreSQL then answers that it has committed, with a warning.
  let over = false
  const all_over = Promise.all(cancelling).finally(() => {
    over = true
  })
  let cancelled = 0
  while (!over) {
    const rows = await replicas.on(
      primary,
      sql => sql`
        select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`,
    )
    cancelled += rows.length
    await delay(50)
  }
  const asked = [waited, ...(await all_over)]
  assert.ok(cancelled > 0, 'a commit was cancelled')
  for (const name of standbys) await replicas.start(name)
  const answers = asked.map(({ answer }) => answer)
  const slowest_ms = Math.round(Math.max(...answers.map(({ took_ms }) => took_ms)))
  t.diagnostic(`${JSON.stringify(tally(answers))} within ${slowest_ms} ms`)
  assert.deepEqual(tally(answers), { '503 service_unavailable': 4 })
  all.push(...asked)
})

test('standbys alone: 503 for each request, a command says why; all servers away, then back: payouts go on', async t => {
  const paying = load('away')
  try {
    await until('paid', () => paidSince(paying.asked, 0).length > CLIENTS)
    await replicas.kill(primary)
    const gone_at = performance.now()
    await until('refused', () => {
      const asked = paying.asked.filter(({ asked_at, answer }) => asked_at > gone_at && answer)
      return asked.length > 5 * CLIENTS
    })
    const late = paying.asked.filter(({ asked_at, answer }) => asked_at > gone_at && answer)
    assert.deepEqual(Object.keys(tally(late.flatMap(({ answer }) => answer ?? []))), [
      '503 service_unavailable',
    ])
    const cli = await openCli(url)
    const { code, stderr } = await cli.run('verify')
    await cli.close()
    assert.equal(code, 1)
    assert.match(stderr, /^corridor: the database cannot be reached: .*takes writes.*\n$/)
    for (const name of ALL) await replicas.kill(name)
    await delay(AWAY_MS)
    for (const name of ALL) await replicas.start(name)
    const back_at = performance.now()
    await until(
      'paid again',
      () => paidSince(paying.asked, back_at).length > CLIENTS,
      () => lastAnswers(paying),
    )
    const [first] = paidSince(paying.asked, back_at)
    promised(t, 'first payout', (first?.ended_at ?? NaN) - back_at, SUCCESS_WITHIN_MS)
  } finally {
    await paying.stop()
  }
  all.push(...paying.asked)
})

test('books after all failovers: every key paid exactly once, no acknowledged payout lost, corridor verify clean', async t => {
  const { acknowledged, committed_unanswered } = await repeatAll(client, address, all)
  t.diagnostic(
    `${FAILOVERS} failovers: ${acknowledged} acknowledged, 0 lost, 0 twice; ` +
      `${committed_unanswered} committed without an answer`,
  )
  const owner = connect(url, { max: 1, as: 'owner' })
  await checkPaid(owner, account_id, all)
  await checkBooks(owner, { DATABASE_URL: url })
  await owner.end()
})
