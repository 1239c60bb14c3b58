// A database that is an older copy: the mark at the bank tells that it was offered files of which the
// database knows nothing, and nothing more is sent before a person has looked.
import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { closeSetAsideLines } from '../../src/adapters/bank-file/inbox-store.ts'
import { pauseIfRestored } from '../../src/rails/restored.ts'
import { updatePause } from '../../src/rails/row-store.ts'
import type { BankLine } from '../../src/values/bank-format/bank-format.ts'
import { bookedLine, type FileRailWorld, fileWorlds } from '../support/bank/file-rail.ts'
import type { TestService } from '../support/service/service.ts'
import { makeDue } from '../support/service/settling.ts'

let service: TestService
const world = fileWorlds('copy', started => {
  service = started
})
before(() => pauseIfRestored(service.deps.sql, ''))

async function marks(bank: FileRailWorld): Promise<string[]> {
  const names = (await readdir(join(bank.folder, 'archive'))).filter(name => name.startsWith('.'))
  return names.sort()
}

async function pausedReason(bank: FileRailWorld): Promise<string> {
  const [row] = await service.database.owner<{ paused_reason: string }[]>`
    select paused_reason from rails where name = ${bank.name}`
  return row?.paused_reason ?? ''
}

/** As if the bank had been offered so many files, by a database that is lost. */
async function offerElsewhere(bank: FileRailWorld, offers: number): Promise<void> {
  for (const name of await marks(bank)) {
    const path = join(bank.folder, 'archive', name)
    const text = await readFile(path, 'utf8')
    await writeFile(path, text.replace(/ \d+ offers/, ` ${offers} offers`))
  }
}

test('restore mark at the bank, two files sent: counts both; an ordinary restart changes nothing', async () => {
  const bank = await world()
  await bank.pay([100])
  await bank.work()
  await bank.pay([200])
  await bank.work()
  assert.equal((await marks(bank)).length, 2)
  await bank.afterFailure()
  assert.deepEqual([await pausedReason(bank), await bank.problem()], ['', ''])
})

test('restore mark at the bank ahead of the database: nothing sent, rail paused once, sends again after a person resumes it', async () => {
  const bank = await world()
  await bank.pay([100])
  await bank.work()
  await offerElsewhere(bank, 3)
  await bank.pay([200])
  await bank.round()
  assert.equal((await bank.outbox()).length, 1, 'the second file is not sent')
  assert.match(
    await pausedReason(bank),
    /offered files 2 times of which this database knows nothing/,
  )
  await updatePause(service.deps.sql, bank.name, '')
  await bank.afterFailure()
  assert.equal((await bank.outbox()).length, 2)
  assert.equal(await pausedReason(bank), '')
})

/** The ids of a payment that a bank may give back. */
const GIVEN_BACK: Readonly<
  Record<string, (ids: Pick<BankLine, 'end_to_end_id' | 'uetr'>) => Partial<BankLine>>
> = {
  'end-to-end id': ({ end_to_end_id }) => ({ end_to_end_id }),
  'instruction id': ({ end_to_end_id }) => ({ end_to_end_id: '', instruction_id: end_to_end_id }),
  'UETR alone': ({ uetr }) => ({ end_to_end_id: '', uetr }),
}

for (const [id, lineOf] of Object.entries(GIVEN_BACK))
  test(`payment known only to the bank by its ${id}, after a restore: not sent until a person has decided`, async () => {
    const bank = await world()
    await bank.pay([100])
    const [item = assert.fail('no item')] = await bank.items()
    const { owner } = service.database
    await owner`alter table rail_items disable trigger user`
    await owner`delete from rail_items where end_to_end_id = ${item.end_to_end_id}`
    await owner`alter table rail_items enable trigger user`
    const line = bookedLine({ ...item, currency: 'USD' })
    await bank.report([{ ...line, ...lineOf(item) }])
    await bank.work()
    const lines = await bank.setAsideLines()
    assert.match(lines[0]?.reason ?? '', /no payment has the id/)
    // The payout goes to the rail, and gets the same ids.
    await makeDue(service, item.payout_id)
    await bank.settle()
    assert.equal((await bank.items())[0]?.end_to_end_id, item.end_to_end_id)
    await bank.work()
    assert.deepEqual(await bank.outbox(), [], 'the bank has paid it')
    for (const { sha256 } of lines) {
      await closeSetAsideLines(service.deps.sql, sha256, undefined, {
        person: 'ann',
        note: 'asked',
      })
    }
    await bank.work()
    assert.equal((await bank.outbox()).length, 1)
  })

test('restore mark at the bank, one of its two notes corrupted: the other note is used', async () => {
  const bank = await world()
  await bank.pay([100])
  await bank.work()
  await offerElsewhere(bank, 9)
  const [first = ''] = await marks(bank)
  await writeFile(join(bank.folder, 'archive', first), 'corr')
  await bank.pay([200])
  await bank.round()
  assert.match(await pausedReason(bank), /this database knows nothing/)
})

test('database identity differs from the stored one: all rails paused, once', async () => {
  const bank = await world()
  const { owner } = service.database
  assert.equal(await pauseIfRestored(service.deps.sql, ''), '')
  await owner`update database_mark set timeline = '000000AA'`
  assert.match(await pauseIfRestored(service.deps.sql, ''), /another timeline/)
  assert.match(await pausedReason(bank), /restored \(another timeline/)
  await updatePause(service.deps.sql, bank.name, '')
  assert.equal(await pauseIfRestored(service.deps.sql, ''), '')
  assert.equal(await pausedReason(bank), '')
  // What the bank was offered meanwhile is known to the person who has resumed the rail.
  await bank.pay([100])
  await bank.work()
  await owner`update rail_exchanges set restored = true where rail = ${bank.name}`
  await offerElsewhere(bank, 5)
  await bank.pay([200])
  await bank.work()
  assert.equal((await bank.outbox()).length, 2)
  assert.equal(await pausedReason(bank), '')
})
