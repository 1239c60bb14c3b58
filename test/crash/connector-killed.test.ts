// kill -9 of the service while it pays through a connector that drops a fifth of its answers after it
// has taken what was asked, fails some requests, and is itself started anew: each payout is paid
// exactly once or given back, never both.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Entry } from '../../examples/connector/book.ts'
import { Faults } from '../../examples/connector/faults.ts'
import { type Connector, startConnector } from '../../examples/connector/start.ts'
import { wakeCorridor } from '../../examples/connector/wake.ts'
import { insertRail } from '../../src/rails/row-store.ts'
import { newSecret } from '../../src/webhooks/sign.ts'
import { checkBooks } from '../support/assert/books.ts'
import { type Listening, startListening } from '../support/service/listening.ts'
import { pickSeed, type RunningProcess, seeded, startProcess } from '../support/service/process.ts'
import { startTestService } from '../support/service/service.ts'
import { payAll } from '../support/service/settling.ts'
import { share } from '../support/share.ts'

const PAYOUTS = share(80, 10_000)
const KILLS = share(2, 25)
/** Only what hangs takes as long. */
const HANGS_MS = share(240_000, 3_600_000)

const secret = newSecret(crypto.getRandomValues(new Uint8Array(32)))

/** The last two digits of an amount, by which the connector decides, and how the payout ends. */
const ENDINGS = [
  [1, 'failed'],
  [3, 'succeeded'],
  [4, 'reversed'],
  [10, 'succeeded'],
  [11, 'succeeded'],
  [12, 'succeeded'],
  [13, 'succeeded'],
] as const

const endOf = (i: number) => ENDINGS[i % ENDINGS.length] ?? ENDINGS[0]

let connector: Connector
let running: RunningProcess | undefined
/** The one that is not killed. */
let last: Listening | undefined
const paid = new Map<string, number>()

async function openConnector(seed: number, port?: number): Promise<Connector> {
  const faults = new Faults({ 'drop-answers': 0.2, 'errors-500': 0.05 }, seed)
  return startConnector({
    file: join(folder, 'payments.jsonl'),
    secret,
    faults,
    delay_ms: 20,
    onPaid: id => paid.set(id, (paid.get(id) ?? 0) + 1),
    onStep: tell,
    ...(port !== undefined && { port }),
  })
}

/** Of a return Corridor would hear tomorrow. The webhook may be lost, as nobody may be there. */
function tell(entry: Entry): void {
  const { address } = last ?? running ?? {}
  if (address === undefined || entry.steps.at(-1)?.status !== 'returned') return
  wakeCorridor(`${address}/connector/partner/webhook`, secret, entry).catch(() => {})
}

const folder = await mkdtemp(join(tmpdir(), 'corridor-connector-'))
const service = await startTestService()
const env = { DATABASE_URL: service.database.url, CORRIDOR_RAIL_TIMEOUT_MS: '2000' }
await service.setFees([{ payout_type: 'local' }])
const fund = { USD: 1_000_000_000_000n }
const live = await service.openAccount({ currencies: ['USD'], fund, sandbox: false })
after(async () => {
  await running?.kill()
  await last?.close()
  await connector?.close()
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

async function statuses(): Promise<Record<string, number>> {
  const rows = await service.database.owner<{ status: string; count: number }[]>`
    select status, count(*)::integer as count from payout_states group by 1 order by 1`
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}

/** Pauses after unclear answers grow to a minute; of those that nobody has claimed none lasts. */
async function hurry(): Promise<void> {
  await service.database.owner`
    update open_payouts set ask_rail_at = statement_timestamp()
    where status not in ('succeeded') and claimed_until is null
      and ask_rail_at > statement_timestamp()`
}

async function expectStatuses(what: string, isDone: (counts: Record<string, number>) => boolean) {
  const deadline = performance.now() + HANGS_MS
  for (;;) {
    const counts = await statuses()
    if (isDone(counts)) return
    if (performance.now() > deadline) assert.fail(`${what}: ${await describeOpen(counts)}`)
    await delay(share(100, 500))
    await hurry()
  }
}

/** How the payouts stand that nobody moves, in groups: what a hang would be understood by. */
async function describeOpen(counts: Record<string, number>): Promise<string> {
  const groups = await service.database.owner`
    select count(*)::integer as payouts, o.status, o.screened::text, o.screening, o.rail_attempts,
      o.ask_rail_at is null as never_asked, o.ask_rail_at > statement_timestamp() as asked_later,
      o.claimed_until > statement_timestamp() as claimed, a.ended_as,
      a.asked_at is null as not_asked, (
        select string_agg(x.kind || ': ' || x.message, '; ') from rail_exceptions x
        where x.account_id = o.account_id and x.payout_id = o.id) as exceptions
    from open_payouts o left join lateral (
      select * from payout_attempts t where t.account_id = o.account_id and t.payout_id = o.id
      order by number desc limit 1) a on true
    group by 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 order by o.status`
  return JSON.stringify({ counts, groups, last_log: running?.log.slice(-3) })
}

async function makePayouts(): Promise<ReadonlyMap<string, string>> {
  const ends = new Map<string, string>()
  for (let done = 0; done < PAYOUTS; done += 500) {
    const numbers = Array.from({ length: Math.min(500, PAYOUTS - done) }, (_, i) => done + i)
    const changes = numbers.map(i => ({ amount: 1000 + 100 * (i % 50) + endOf(i)[0] }))
    const outcomes = await payAll(service, live, changes)
    for (const [i, { outcome }] of outcomes.entries()) {
      ends.set(outcome?.payout.id ?? '', endOf(done + i)[1])
    }
  }
  return ends
}

test(`connector that drops 20 % of its answers and is killed ${KILLS} times, ${PAYOUTS} payouts: each paid once or credited back`, async t => {
  const seed = pickSeed()
  t.diagnostic(`SEED=${seed}`)
  const random = seeded(seed)
  connector = await openConnector(seed)
  const port = Number(new URL(connector.url).port)
  const config = { url: connector.url, key_lifetime_s: null, allow_private: true }
  const rail = { name: 'partner', kind: 'connector', config, secret, paused_reason: '' } as const
  assert.ok(await insertRail(service.deps.sql, rail))
  await service.deps.reference.refresh()
  await service.setRoutes([{ rail: 'partner' }])
  const ends = await makePayouts()

  for (let kill = 0; kill < KILLS; kill++) {
    running = await startProcess(env)
    await delay(share(100, 300) + random() * share(700, 1_500))
    await running.kill()
    if (kill % 3 !== 1) continue
    await connector.close()
    connector = await openConnector(seed + kill, port)
  }
  last = await startListening(env)
  const total = ({ succeeded = 0, failed = 0, reversed = 0 }) => succeeded + failed + reversed
  await expectStatuses('all are settled', counts => total(counts) === PAYOUTS)
  // A day later, for those whose webhook was lost.
  const returned = [...ends.values()].filter(end => end === 'reversed').length
  const isTold = ({ reversed = 0 }) => reversed === returned
  const heard = (await statuses()).reversed ?? 0
  await service.database.owner`update open_payouts set ask_rail_at = statement_timestamp()`
  await expectStatuses('all returns are known', isTold)
  await last.close()
  last = undefined

  const rows = await service.database.owner<{ id: string; status: string }[]>`
    select id, status from payout_states`
  assert.deepEqual(
    rows.filter(({ id, status }) => ends.get(id) !== status),
    [],
  )
  const should = [...ends].filter(([, end]) => end !== 'failed').map(([id]) => `${id}-1`)
  assert.deepEqual([...paid.keys()].sort(), should.sort(), 'paid are those that succeeded')
  assert.deepEqual(
    [...paid].filter(([, times]) => times !== 1),
    [],
    'nothing is paid twice',
  )
  const exceptions = await service.database.owner`select kind, message from rail_exceptions`
  assert.deepEqual([...exceptions], [])
  t.diagnostic(
    `${PAYOUTS} payouts, ${paid.size} paid once, ${returned} returned, ${heard} by webhook`,
  )
  await checkBooks(service.database.owner, env)
})
