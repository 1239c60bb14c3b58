// What of files and rails waits for a person: found from the files themselves, with the command that comes
// next, counted for metrics, and gone once its cause is.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeQuarantined, closeSetAsideLines } from '../../src/bank-file/inbox-store.ts'
import { releaseFile, resendFile, takeBackFile } from '../../src/bank-file/resend.ts'
import { sealDue } from '../../src/bank-file/seal.ts'
import { TransportFailed } from '../../src/bank-file/transport.ts'
import { nextCommand, troubleWords } from '../../src/bank-file/trouble.ts'
import { findTroubles } from '../../src/bank-file/trouble-store.ts'
import { countWaiting } from '../../src/worker/counts.ts'
import { type FileRailWorld, fileWorlds } from '../support/bank/file-rail.ts'
import { until } from '../support/service/process.ts'
import type { TestService } from '../support/service/service.ts'

let service: TestService
const world = fileWorlds('woe', started => {
  service = started
})

/** The kinds, words and next commands of a rail; of a rail without trouble, none. */
async function troublesOf(bank: FileRailWorld) {
  const found = await findTroubles(service.deps.sql, service.deps.finder)
  const mine = found.filter(({ rail }) => rail === bank.name)
  await countWaiting(service.deps)
  const { values } = await service.deps.metrics.railExceptions.get()
  const counted = values.filter(({ labels, value }) => labels.rail === bank.name && value > 0)
  assert.deepEqual(
    counted.map(({ labels }) => labels.kind).sort(),
    [...new Set(mine.map(({ kind }) => kind))].sort(),
  )
  return mine.map(trouble => [trouble.kind, troubleWords(trouble), nextCommand(trouble)])
}

test('a file that may have arrived: named until the bank speaks of it', async () => {
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
  assert.deepEqual(await troublesOf(bank), [['file_unknown', words, next]])
  await bank.report([{ level: 'group', msg_id, code: 'ACCP' }])
  await bank.round()
  await bank.afterFailure()
  await bank.afterFailure()
  await until('the report is applied', async () => {
    await bank.round()
    return (await bank.onlyFile()).state === 'acknowledged'
  })
  assert.deepEqual(await troublesOf(bank), [])
})

test('a file that the bank has refused: named while payouts wait in it', async () => {
  const bank = await world()
  await bank.pay([100])
  await bank.work()
  const { msg_id } = await bank.onlyFile()
  await bank.report([{ level: 'group', msg_id, code: 'RJCT', reasons: ['AC06'] }])
  await bank.work()
  const words = 'the bank has refused it, and its payouts wait (RJCT AC06)'
  const next = `corridor file reseal ${msg_id} --reason …`
  assert.deepEqual(await troublesOf(bank), [['file_rejected', words, next]])
  await bank.reseal({ msg_id })
  assert.deepEqual(await troublesOf(bank), [])
})

test('a file that waits for its release, and past its cut-off: with its hash, then its way back', async () => {
  const bank = await world({ profile: { release_by_person: true } })
  await bank.pay([100])
  await bank.work()
  const file = await bank.onlyFile()
  const { msg_id, sha256 } = file
  const release = `corridor file release ${msg_id} --sha256 ${sha256}`
  assert.deepEqual(await troublesOf(bank), [
    ['file_to_release', 'it waits for its release', release],
  ])
  await service.database.owner`
    update rail_items set seal_at = now() - interval '2 hours',
      closes_at = now() - interval '1 hour' where msg_id = ${msg_id}`
  const [[kind, , next] = []] = await troublesOf(bank)
  assert.deepEqual(
    [kind, next],
    ['file_release_late', `corridor file withdraw ${msg_id} --reason …`],
  )
  const items = await bank.itemsOf(file)
  assert.equal(
    await releaseFile(service.deps.sql, file, { force: false, items, person: 'ann' }),
    undefined,
  )
  assert.deepEqual(await troublesOf(bank), [])
})

test('a file with a payout that is over: named, and the rail tells, until it is taken back', async () => {
  const bank = await world()
  const [over = ''] = await bank.pay([100])
  await until('the slot has come', bank.isDue)
  await sealDue(bank.rail)
  await bank.move(over, 'failed')
  await bank.round()
  const file = await bank.onlyFile()
  const next = `corridor file withdraw ${file.msg_id} --reason …`
  const why = `these payouts have ended or have a later attempt: ${over}`
  const [first] = await troublesOf(bank)
  assert.deepEqual(first, ['file_not_sent', `it must not be sent as it is (${why})`, next])
  const items = await bank.itemsOf(file)
  await takeBackFile(service.deps.sql, file, { note: 'ann: over', items })
  await bank.afterFailure()
  assert.deepEqual(await troublesOf(bank), [])
})

test('a rail with another host key, or without room: named with what the far end says', async () => {
  let words = 'bank:22 has the host key SHA256:x, and is known by SHA256:y'
  const bank = await world({
    wrapTransport: () => {
      throw new TransportFailed(words)
    },
  })
  await bank.round()
  const [[kind, told, next] = []] = await troublesOf(bank)
  assert.deepEqual([kind, next], ['rail_problem', `corridor rail add ${bank.name} --replace …`])
  assert.match(told ?? '', /has the host key SHA256:x/)
  words = 'no space left on device'
  await bank.afterFailure()
  const [[, other, show] = []] = await troublesOf(bank)
  assert.match(other ?? '', /no space left on device/)
  assert.equal(show, `corridor rail show ${bank.name}`)
})

test('a report that is quarantined, and lines that are set aside: named until a person has closed them', async () => {
  const bank = await world()
  await bank.report('{"level":\n', 'half.txt')
  await bank.report([{ level: 'transaction', code: 'RJCT', end_to_end_id: 'NOSUCHPAYMENT00' }])
  await bank.round()
  await bank.round()
  const found = await findTroubles(service.deps.sql, service.deps.finder)
  const mine = found.filter(({ rail }) => rail === bank.name)
  const [half, lines] = ['report_quarantined', 'lines_set_aside'].map(kind =>
    mine.find(trouble => trouble.kind === kind),
  )
  assert.ok(half !== undefined && lines !== undefined)
  assert.match(troubleWords(half), /^nothing of this file .* \(half\.txt: line 1: no JSON\)$/)
  assert.match(troubleWords(lines), /report-\d\.txt: 1 line, no payment has the id NOSUCHPAYMENT00/)
  assert.equal(nextCommand(half), `corridor file read ${half.about.slice(0, 12)}`)
  assert.equal(nextCommand(lines), `corridor file close ${lines.about.slice(0, 12)} --note …`)
  assert.equal((await troublesOf(bank)).length, 2)
  const by = { person: 'ann', note: 'a test of the bank' }
  assert.equal(await closeQuarantined(service.deps.sql, half.about, by), true)
  assert.equal(await closeQuarantined(service.deps.sql, half.about, by), false)
  assert.equal(await closeSetAsideLines(service.deps.sql, lines.about, undefined, by), 1)
  assert.deepEqual(await troublesOf(bank), [])
})

test('a file that a person sends again: no trouble meanwhile', async () => {
  const bank = await world()
  await bank.pay([100])
  await bank.work()
  await bank.sweep()
  const file = await bank.onlyFile()
  const again = { force: true, note: 'ann: not there', items: await bank.itemsOf(file) }
  assert.equal(await resendFile(service.deps.sql, file, again), undefined)
  assert.deepEqual(await troublesOf(bank), [])
})
