// kill -9 of the service at each step of its work on files, with a bank that takes files, rejects some
// payments, returns others before it tells of their debit, and says everything three times. The bank's
// own ledger says what was paid: each payment once, and none whose money is back with its account.
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { TestBank } from '../../examples/bank/bank.ts'
import { readFaults } from '../../examples/bank/faults.ts'
import { checkBooks } from '../support/assert/books.ts'
import type { Listening } from '../support/service/listening.ts'
import {
  failingAt,
  openAccountOn,
  pickSeed,
  type RunningProcess,
  seeded,
  until,
} from '../support/service/process.ts'
import { openScene } from '../support/service/scene.ts'
import { share } from '../support/share.ts'

/** What is done with files, in its order (src/adapters/bank-file). */
const WORK = [
  'take',
  'seal',
  'commit',
  'upload',
  'offer',
  'sent',
  'keep_report',
  'archive',
  'apply',
  'read',
]
const POINTS = WORK.flatMap(name => [`before file ${name}`, `after file ${name}`])
/** What each leaves to the next process, and two that were begun: each 20 times in the long run. */
const LEFT = [...WORK.map(name => `after file ${name}`), 'before file upload', 'before file apply']
const [KILLS, PAYOUTS] = share([3, 60], [20 * LEFT.length, 10_000])

/** What the bank rejects, and what it pays and gets back, by the last digits. */
const REJECTED = 100_91_04
const RETURNED = 100_92_04

const FAULTS = readFaults(['repeat-report', 'repeat-message', 'early-return', 'several-accounts'])

/** Only what hangs takes longer. */
const HANGS_MS = share(120_000, 900_000)

const { database, account, client, start, listen } = await openScene(url =>
  openAccountOn(url, { EUR: 10n ** 13n }, ['EUR'], false),
)
const folder = await mkdtemp(join(tmpdir(), 'corridor-killed-'))
const env = { CORRIDOR_RAIL_TIMEOUT_MS: '500', CORRIDOR_SETTLE_POLL_MS: '100', TMPDIR: folder }
/** Undefined once the last one runs, which is not killed. */
let service: RunningProcess | undefined
let last: Listening | undefined
const stopping = new AbortController()

for (const box of ['to-bank', 'from-bank', 'archive']) {
  await mkdir(join(folder, box), { recursive: true })
}
const bank = new TestBank({ folder, faults: FAULTS })
await addRail(account.account.account_id)
const working = work()
after(async () => {
  stopping.abort()
  await working
  bank.close()
  await rm(folder, { recursive: true, force: true })
})

async function work(): Promise<void> {
  while (!stopping.signal.aborted) {
    await bank.work()
    await delay(share(50, 200), undefined, { signal: stopping.signal }).catch(() => {})
  }
}

async function addRail(account_id: string): Promise<void> {
  const { owner } = database
  const config = {
    settlement_account: {
      name: 'Operating',
      holder: 'Corridor Ltd',
      iban: 'DE89370400440532013000',
      bic: 'COBADEFFXXX',
      currency: 'EUR',
      address: { town: 'Frankfurt', country: 'DE' },
    },
    profile: { name: 'test', like: 'generic', resend_is_safe: true, most_items: 40 },
    transport: {
      kind: 'folder',
      outbox: join(folder, 'to-bank'),
      inbox: join(folder, 'from-bank'),
      archive: join(folder, 'archive'),
    },
    timetable: 'always_open',
    fetch_every_s: 1,
  }
  await owner`insert into rails (name, kind, config) values ('bank', 'iso20022',
    ${JSON.stringify(config)}::text::jsonb)`
  await owner`insert into routes (account_id, rail) values (${account_id}, 'bank')`
  await owner`insert into fees (payout_type, fee_currency) values ('local', 'EUR')`
}

const beneficiary_details = {
  name: 'Ada Example',
  type: 'individual',
  destination_details: {
    type: 'bank',
    bank: { iban: 'FR7630006000011234567890189', bank_codes: { swift_code: 'AGRIFRPP' } },
  },
  address: { line1: '1 rue de la Paix', city: 'Paris', country: 'FR', postal_code: '75002' },
}

/** Asks until it is answered: the key makes it one batch. */
async function pay(name: string, amounts: readonly number[]): Promise<void> {
  const payouts = amounts.map(amount => ({
    amount,
    currency: 'EUR',
    type: 'local',
    local: { fund_transfer_network: 'sepa' },
    purpose: 'supplier_payment',
    transaction_description: `Invoice ${name}`,
    beneficiary_details,
  }))
  await until(`batch ${name} is taken`, async () => {
    if (service?.running() === false) return true
    const answer = await client
      .post((service ?? last)?.address ?? '', '/v3/payout_batch', { payouts }, name)
      .catch(() => undefined)
    if (answer !== undefined && answer.status < 500) assert.equal(answer.status, 200, answer.text)
    return answer?.status === 200
  })
}

test(`kill -9, ${KILLS} times at ${share(KILLS, LEFT.length)} points of the file work: each payment made once, none refunded and paid`, async t => {
  const seed = pickSeed()
  t.diagnostic(`SEED=${seed}`)
  const random = seeded(seed)
  const shuffled = share(POINTS, Array.from({ length: 20 }, () => LEFT).flat())
    .map(point => [random(), point] as const)
    .sort(([a], [b]) => a - b)
    .map(([, point]) => point)
    .slice(0, KILLS)
  const amountOf = () => {
    const kind = random()
    if (kind < 0.1) return REJECTED
    return kind < 0.2 ? RETURNED : 100 + Math.floor(random() * 9_000)
  }
  const asked: [name: string, amounts: number[]][] = []
  for (const [i, point] of shuffled.entries()) {
    service = await start({ ...env, ...failingAt(`${point} 1`) })
    service.signal('SIGUSR2')
    const made = Math.floor((i * PAYOUTS) / KILLS)
    const count = Math.floor(((i + 1) * PAYOUTS) / KILLS) - made
    const amounts = Array.from({ length: count }, amountOf)
    const batch: [string, number[]] = [`batch-${i}`, amounts]
    asked.push(batch)
    await endLease()
    await pay(...batch)
    const never = delay(HANGS_MS, 'not reached', { ref: false })
    assert.equal(await Promise.race([service.ended, never]), 'SIGKILL', point)
  }
  service = undefined
  last = await listen(env)
  for (const batch of asked) await pay(...batch)
  await untilOver()
  const made = await checkPaid(asked.flatMap(([, amounts]) => amounts))
  const [files] = await database.owner<{ files: number; uploads: number }[]>`
    select count(*)::integer as files, sum(uploads)::integer as uploads from rail_files`
  const reached = Object.values(Object.groupBy(shuffled, point => point)).map(at => at?.length ?? 0)
  t.diagnostic(
    `${reached.length} points, ${Math.min(...reached)} to ${Math.max(...reached)} kills at each, ` +
      `${shuffled.length} in all; ${PAYOUTS} payouts, ${files?.files} files in ` +
      `${files?.uploads} uploads`,
  )
  t.diagnostic(
    Object.entries(made)
      .map(([what, count]) => `${count} ${what}`)
      .join(', '),
  )
  await last.close()
  await checkBooks(database.owner, { DATABASE_URL: database.url })
})

/** As if the seconds had passed in which nobody takes over the work of a process that was killed. */
async function endLease(): Promise<void> {
  await database.owner`update rail_exchanges set held_until = clock_timestamp()`
}

/** What the bank has said by the end is many files: as long as each brings some further. */
async function untilOver(): Promise<void> {
  for (let left = await countOpen(), before = left + 1; left > 0; ) {
    assert.ok(left < before, `${left} payouts are not over: ${await whereTheyAre()}`)
    before = left
    const deadline = performance.now() + HANGS_MS
    while (left === before && performance.now() < deadline) {
      await delay(share(100, 500))
      left = await countOpen()
    }
  }
}

/** Where the payouts are that are not over, with their files and exceptions. */
async function whereTheyAre(): Promise<string> {
  const rows = await database.owner`
    select s.status, i.msg_id, i.earlier_files, i.withdrawn, f.state, f.reason, f.offers, f.uploads,
      (select array_agg(e.message) from rail_exceptions e
        where e.account_id = p.account_id and e.payout_id = p.id) as exceptions,
      (select row_to_json(x)::text from rail_exchanges x) as exchange, count(*)::integer
    from payouts p join payout_states s using (account_id, id)
    left join rail_items i on i.account_id = p.account_id and i.payout_id = p.id
    left join rail_files f on f.msg_id = i.msg_id
    where s.status = 'processing' or p.amount = ${RETURNED} and s.status = 'succeeded'
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10`
  return JSON.stringify(rows)
}

async function countOpen(): Promise<number> {
  const [row] = await database.owner<{ left: number }[]>`
    select count(*)::integer as left from payouts p join payout_states s using (account_id, id)
    where s.status = 'processing' or p.amount = ${RETURNED} and s.status = 'succeeded'`
  return row?.left ?? 0
}

/** By the bank's ledger and ours; returns how many of each kind there were. */
async function checkPaid(amounts: readonly number[]): Promise<Record<string, number>> {
  const rows = await database.owner<{ status: string; amount: bigint; end_to_end_id: string }[]>`
    select s.status, p.amount, i.end_to_end_id from payouts p
    join payout_states s using (account_id, id)
    left join rail_items i on i.account_id = p.account_id and i.payout_id = p.id`
  const sorted = (some: readonly number[]) => some.toSorted((a, b) => a - b)
  assert.deepEqual(sorted(rows.map(({ amount }) => Number(amount))), sorted(amounts), 'none lost')
  const paid = bank.ledger.timesPaid()
  const returned = new Set(
    bank.ledger.lines.flatMap(line => (line.what === 'returned' ? [line.end_to_end_id] : [])),
  )
  const made = { 'paid once': 0, 'paid twice': 0, lost: 0, 'refunded and paid': 0 }
  for (const { status, amount, end_to_end_id } of rows) {
    const kind = Number(amount)
    const expected = kind === REJECTED ? 'failed' : kind === RETURNED ? 'reversed' : 'succeeded'
    assert.equal(status, expected, `${end_to_end_id} of ${amount}`)
    const times = paid.get(end_to_end_id) ?? 0
    const is_refunded = status !== 'succeeded'
    if (times > 1) made['paid twice'] += 1
    else if (is_refunded && times === 1 && !returned.has(end_to_end_id))
      made['refunded and paid'] += 1
    else if (!is_refunded && times === 0) made.lost += 1
    else if (times === 1) made['paid once'] += 1
  }
  const not_rejected = amounts.filter(amount => amount !== REJECTED).length
  const expected = { 'paid once': not_rejected, 'paid twice': 0, lost: 0, 'refunded and paid': 0 }
  assert.deepEqual(made, expected)
  const ours = new Set(rows.map(({ end_to_end_id }) => end_to_end_id))
  assert.deepEqual([...new Set(paid.keys()).difference(ours)], [], 'paid, and no payout')
  const exceptions = await database.owner`
    select e.kind, e.message, s.status, count(*)::integer as payouts from rail_exceptions e
    join payout_states s on s.account_id = e.account_id and s.id = e.payout_id
    group by e.kind, e.message, s.status`
  assert.deepEqual([...exceptions], [])
  return { ...made, rejected: amounts.length - not_rejected, returned: returned.size }
}
