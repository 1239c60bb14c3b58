// What is wrong with files and rails keeps nothing else from its way, be it a payment, a file, a report of
// the bank or a process; and what of it waits for a person is found from the files themselves, with the
// command that comes next, counted for metrics, and gone once its cause is.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alertWords, nextCommand } from '../../src/adapters/bank-file/alert.ts'
import { findAlerts } from '../../src/adapters/bank-file/alert-store.ts'
import { Exchange } from '../../src/adapters/bank-file/exchange.ts'
import {
  closeQuarantined,
  closeSetAsideLines,
  listInbox,
} from '../../src/adapters/bank-file/inbox-store.ts'
import { releaseFile, resendFile, takeBackFile } from '../../src/adapters/bank-file/resend.ts'
import { sealDue } from '../../src/adapters/bank-file/seal.ts'
import { TransportFailed } from '../../src/adapters/bank-file/transport.ts'
import { countWaiting } from '../../src/app/worker/counts.ts'
import type { BankFormat } from '../../src/values/bank-format/bank-format.ts'
import { type FileRailWorld, fileWorlds } from '../support/bank/file-rail.ts'
import { PLAIN } from '../support/bank/plain-format.ts'
import { until } from '../support/service/process.ts'
import type { TestService } from '../support/service/service.ts'

let service: TestService
const world = fileWorlds('woe', started => {
  service = started
})

const amountsSent = async (bank: FileRailWorld) =>
  (await bank.sweep()).map(({ amount }) => Number(amount)).sort((a, b) => a - b)

test('bank file that its own format check rejects: not sealed, reported until corrected; other files sent', async () => {
  let faulty = ' 200 USD'
  const check: BankFormat['check'] = async bytes =>
    Buffer.from(bytes).toString().includes(faulty) ? ['line 2: no such element'] : []
  const bank = await world({ format: { ...PLAIN, check }, profile: { most_items: 1 } })
  await bank.pay([100, 200, 300])
  await bank.work()
  assert.deepEqual(await amountsSent(bank), [100, 300])
  assert.match(await bank.problem(), /not sealed: .*line 2: no such element/)
  faulty = 'nothing'
  await bank.round()
  assert.deepEqual(await amountsSent(bank), [200])
  assert.equal(await bank.problem(), '')
})

test("payment that the bank's changed rules no longer allow in a file: reported, other payments of its file sent", async () => {
  let most = 1_000n
  const checkItem: BankFormat['checkItem'] = ({ amount }) =>
    amount > most ? ['the amount is too large'] : []
  const bank = await world({ format: { ...PLAIN, checkItem } })
  await bank.pay([100, 200, 300])
  most = 250n
  await bank.work()
  assert.deepEqual(await amountsSent(bank), [100, 200])
  assert.match(
    await bank.problem(),
    /payment \w{15} cannot go into a file: the amount is too large/,
  )
})

test('more held payments than one query reads: later payments still sealed', async () => {
  const bank = await world()
  const held = await bank.pay([100, 200, 300, 400, 500])
  await bank.pay([600])
  const { owner } = service.database
  const { account_id } = bank.client.account
  await owner`
    insert into rail_exceptions (number, attempt, opened_at, account_id, payout_id, rail, kind,
      message)
    select 1, 1, now(), ${account_id}, id, ${bank.name}, 'odd', 'look'
    from unnest(${held}::text[]) as t(id)`
  await until('the slot has come', bank.isDue)
  assert.equal((await sealDue(bank.rail, 2)).length, 1)
  const { item_count, control_sum } = await bank.onlyFile()
  assert.deepEqual([item_count, control_sum], [1, '6.00'])
})

test('bank report that cannot be archived: later reports applied', async () => {
  const bank = await world({
    wrapTransport: transport => ({
      ...transport,
      async archive(name) {
        if (name === 'a.txt') throw new TransportFailed('permission denied')
        return transport.archive(name)
      },
    }),
  })
  const [id = ''] = await bank.pay([100])
  await bank.work()
  const paid = await bank.sweep()
  await bank.report([], 'a.txt')
  await bank.book(paid)
  await bank.work()
  assert.equal(await bank.statusOf(id), 'succeeded')
  assert.match(await bank.problem(), /permission denied/)
})

test('bank report that cannot be applied: reported and retried, later reports applied', async () => {
  let reads = 0
  const format: BankFormat = {
    ...PLAIN,
    async *read(chunks, profile) {
      for await (const said of PLAIN.read(chunks, profile)) {
        if (said.text === 'odd') reads += 1
        if (said.text === 'odd' && reads === 2) throw new Error('out of memory')
        yield said
      }
    },
  }
  const bank = await world({ format })
  const [id = ''] = await bank.pay([100])
  await bank.work()
  const paid = await bank.sweep()
  await bank.report([{ level: 'note', text: 'odd' }], 'a.txt')
  await bank.book(paid)
  await bank.round()
  await bank.round()
  await bank.settle()
  assert.equal(await bank.statusOf(id), 'succeeded')
  assert.match(await bank.problem(), /a\.txt: out of memory/)
  await bank.afterFailure()
  const inbox = await listInbox(service.deps.sql, { rail: bank.name, limit: 10 })
  assert.deepEqual(
    inbox.map(({ state }) => state),
    ['read', 'read'],
  )
  assert.equal(await bank.problem(), '')
})

test('same problem found by two processes in turn: the latest finding shown', async () => {
  const bank = await world()
  const failing = new Exchange({
    ...bank.rail,
    openTransport: () => Promise.reject(new TransportFailed('no route to host')),
  })
  const well = new Exchange(bank.rail)
  for (let turn = 0; turn < 2; turn++) {
    await failing.once()
    assert.match(await bank.problem(), /no route to host/)
    await well.once()
    assert.equal(await bank.problem(), '')
  }
  const [row] = await service.database.owner<{ looked: boolean }[]>`
    select fetched_at is not null as looked from rail_exchanges where rail = ${bank.name}`
  assert.equal(row?.looked, true)
})

/** The kinds, words and next commands of a rail; of a rail without alerts, none. */
async function alertsOf(bank: FileRailWorld) {
  const found = await findAlerts(service.deps.sql, service.deps.finder)
  const mine = found.filter(({ rail }) => rail === bank.name)
  await countWaiting(service.deps)
  const { values } = await service.deps.metrics.railExceptions.get()
  const counted = values.filter(({ labels, value }) => labels.rail === bank.name && value > 0)
  assert.deepEqual(
    counted.map(({ labels }) => labels.kind).sort(),
    [...new Set(mine.map(({ kind }) => kind))].sort(),
  )
  return mine.map(alert => [alert.kind, alertWords(alert), nextCommand(alert)])
}

test('bank file perhaps not received: reported until the bank answers', async () => {
  const bank = await world({
    wrapTransport: transport => ({
      ...transport,
      async rename() {
        throw new TransportFailed('cut off')
      },
    }),
  })
  await bank.pay([100])
  await bank.round()
  await bank.afterFailure()
  const { msg_id } = await bank.onlyFile()
  const next = `corridor file resend ${msg_id} --force --reason …`
  const reason = 'it may have arrived: ask the bank, or wait for its report'
  const words = `it may have arrived: ask the bank (${reason})`
  assert.deepEqual(await alertsOf(bank), [['file_unknown', words, next]])
  await bank.report([{ level: 'group', msg_id, code: 'ACCP' }])
  await bank.round()
  await bank.afterFailure()
  await bank.afterFailure()
  await until('the report is applied', async () => {
    await bank.round()
    return (await bank.onlyFile()).state === 'acknowledged'
  })
  assert.deepEqual(await alertsOf(bank), [])
})

test('bank file refused by the bank: reported while its payouts wait', async () => {
  const bank = await world()
  await bank.pay([100])
  await bank.work()
  const { msg_id } = await bank.onlyFile()
  await bank.report([{ level: 'group', msg_id, code: 'RJCT', reasons: ['AC06'] }])
  await bank.work()
  const words = 'the bank has refused it, and its payouts wait (RJCT AC06)'
  const next = `corridor file reseal ${msg_id} --reason …`
  assert.deepEqual(await alertsOf(bank), [['file_rejected', words, next]])
  await bank.reseal({ msg_id })
  assert.deepEqual(await alertsOf(bank), [])
})

test('bank file awaiting its release: reported with its hash; past its cut-off: reported with the withdraw command', async () => {
  const bank = await world({ profile: { release_by_person: true } })
  await bank.pay([100])
  await bank.work()
  const file = await bank.onlyFile()
  const { msg_id, sha256 } = file
  const release = `corridor file release ${msg_id} --sha256 ${sha256}`
  assert.deepEqual(await alertsOf(bank), [['file_to_release', 'it waits for its release', release]])
  await service.database.owner`
    update rail_items set seal_at = now() - interval '2 hours',
      closes_at = now() - interval '1 hour' where msg_id = ${msg_id}`
  const [[kind, , next] = []] = await alertsOf(bank)
  assert.deepEqual(
    [kind, next],
    ['file_release_late', `corridor file withdraw ${msg_id} --reason …`],
  )
  const items = await bank.itemsOf(file)
  assert.equal(
    await releaseFile(service.deps.sql, file, { force: false, items, person: 'ann' }),
    undefined,
  )
  assert.deepEqual(await alertsOf(bank), [])
})

test("bank file with a payout that has ended: listed until withdrawn; the bank's reports still applied", async () => {
  const bank = await world()
  const [id = ''] = await bank.pay([100])
  await bank.work()
  const paid = await bank.sweep()
  const [over = ''] = await bank.pay([200])
  await until('the slot has come', bank.isDue)
  await sealDue(bank.rail)
  await bank.move(over, 'failed')
  await bank.book(paid)
  await bank.round()
  const why = `these payouts have ended or have a later attempt: ${over}`
  assert.ok((await bank.problem()).includes(`is not sent: ${why}`))
  const [file = assert.fail()] = await bank.files()
  const next = `corridor file withdraw ${file.msg_id} --reason …`
  const [first] = await alertsOf(bank)
  assert.deepEqual(first, ['file_not_sent', `it must not be sent as it is (${why})`, next])
  await until('the report is applied', async () => {
    await bank.round()
    await bank.settle()
    return (await bank.statusOf(id)) === 'succeeded'
  })
  const items = await bank.itemsOf(file)
  await takeBackFile(service.deps.sql, file, { note: 'ann: over', items })
  await bank.afterFailure()
  assert.deepEqual(await alertsOf(bank), [])
})

test("rail with a changed host key, or a full folder: reported with the server's message", async () => {
  let words = 'bank:22 has the host key SHA256:x, and is known by SHA256:y'
  const bank = await world({
    wrapTransport: () => {
      throw new TransportFailed(words)
    },
  })
  await bank.round()
  const [[kind, told, next] = []] = await alertsOf(bank)
  assert.deepEqual([kind, next], ['rail_problem', `corridor rail add ${bank.name} --replace …`])
  assert.match(told ?? '', /has the host key SHA256:x/)
  words = 'no space left on device'
  await bank.afterFailure()
  const [[, other, show] = []] = await alertsOf(bank)
  assert.match(other ?? '', /no space left on device/)
  assert.equal(show, `corridor rail show ${bank.name}`)
})

test('quarantined report, lines set aside: reported until a person closes them', async () => {
  const bank = await world()
  await bank.report('{"level":\n', 'half.txt')
  await bank.report([{ level: 'transaction', code: 'RJCT', end_to_end_id: 'NOSUCHPAYMENT00' }])
  await bank.round()
  await bank.round()
  const found = await findAlerts(service.deps.sql, service.deps.finder)
  const mine = found.filter(({ rail }) => rail === bank.name)
  const [half, lines] = ['report_quarantined', 'lines_set_aside'].map(kind =>
    mine.find(alert => alert.kind === kind),
  )
  assert.ok(half !== undefined && lines !== undefined)
  assert.match(alertWords(half), /^nothing of this file .* \(half\.txt: line 1: no JSON\)$/)
  assert.match(alertWords(lines), /report-\d\.txt: 1 line, no payment has the id NOSUCHPAYMENT00/)
  assert.equal(nextCommand(half), `corridor file read ${half.about.slice(0, 12)}`)
  assert.equal(nextCommand(lines), `corridor file close ${lines.about.slice(0, 12)} --note …`)
  assert.equal((await alertsOf(bank)).length, 2)
  const by = { person: 'ann', note: 'a test of the bank' }
  assert.equal(await closeQuarantined(service.deps.sql, half.about, by), true)
  assert.equal(await closeQuarantined(service.deps.sql, half.about, by), false)
  assert.equal(await closeSetAsideLines(service.deps.sql, lines.about, undefined, by), 1)
  assert.deepEqual(await alertsOf(bank), [])
})

test('bank file that a person has resent: no alert', async () => {
  const bank = await world()
  await bank.pay([100])
  await bank.work()
  await bank.sweep()
  const file = await bank.onlyFile()
  const again = { force: true, note: 'ann: not there', items: await bank.itemsOf(file) }
  assert.equal(await resendFile(service.deps.sql, file, again), undefined)
  assert.deepEqual(await alertsOf(bank), [])
})
