// One thing that is wrong with files keeps no other from its way: a payment, a file, a report of the bank,
// a process, or gpg.
import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { test } from 'node:test'
import { Exchange } from '../../src/bank-file/exchange.ts'
import { listInbox } from '../../src/bank-file/inbox-store.ts'
import { decryptAndVerify, encryptAndSign } from '../../src/bank-file/pgp.ts'
import { sealDue } from '../../src/bank-file/seal.ts'
import { TransportFailed } from '../../src/bank-file/transport.ts'
import type { BankFormat } from '../../src/bank-format/bank-format.ts'
import { type FileRailWorld, fileWorlds } from '../support/bank/file-rail.ts'
import { PLAIN } from '../support/bank/plain-format.ts'
import { until } from '../support/service/process.ts'
import type { TestService } from '../support/service/service.ts'

let service: TestService
const world = fileWorlds('apart', started => {
  service = started
})

const amountsSent = async (bank: FileRailWorld) =>
  (await bank.sweep()).map(({ amount }) => Number(amount)).sort((a, b) => a - b)

test('a file that its format finds fault with: the others are sealed and sent, and it is told', async () => {
  const check: BankFormat['check'] = async bytes =>
    Buffer.from(bytes).toString().includes(' 200 USD') ? ['line 2: no such element'] : []
  const bank = await world({ format: { ...PLAIN, check }, profile: { most_items: 1 } })
  await bank.pay([100, 200, 300])
  await bank.work()
  assert.deepEqual(await amountsSent(bank), [100, 300])
  assert.match(await bank.problem(), /not sealed: .*line 2: no such element/)
})

test('a payment that no file can carry any more, as the bank has other rules: the others of its file go', async () => {
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

test('more payments that are held than are looked at together: those behind them are sealed', async () => {
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

test('a report that cannot be archived: those behind it are taken and applied', async () => {
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

test('a report that cannot be applied: those behind it are, and it is told and tried again', async () => {
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

test('a file that is not to be sent: reports of the bank are taken all the same', async () => {
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
  assert.match(await bank.problem(), /is not sent: these payouts have ended/)
  await until('the report is applied', async () => {
    await bank.round()
    await bank.settle()
    return (await bank.statusOf(id)) === 'succeeded'
  })
})

test('a problem, told by two processes in turn: what is stored is what the last one found', async () => {
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

test('gpg that waits for something: ended, and told', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-gpg-'))
  const { PATH = '' } = process.env
  try {
    // It has begun a process of its own, which keeps its output open.
    await writeFile(join(folder, 'gpg'), '#!/bin/sh\nsleep 30\n')
    await chmod(join(folder, 'gpg'), 0o755)
    process.env.PATH = `${folder}${delimiter}${PATH}`
    const pgp = { home: folder, encrypt_to: 'A'.repeat(40), sign_as: '', signed_by: '' }
    const ended = { name: 'PgpFailed', message: 'gpg gave no answer in 100 ms' }
    await assert.rejects(encryptAndSign(pgp, Buffer.from('x'), 100), ended)
    await assert.rejects(
      decryptAndVerify(pgp, join(folder, 'gpg'), join(folder, 'to'), 10, 100),
      ended,
    )
  } finally {
    process.env.PATH = PATH
    await rm(folder, { recursive: true, force: true })
  }
})
