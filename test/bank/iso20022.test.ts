// What the product writes, the test bank takes by its own reader and ISO's schema, and what the bank
// says, the product reads: two programs that share no code agree on each payment.
import assert from 'node:assert/strict'
import { createReadStream, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { TestBank } from '../../examples/bank/bank.ts'
import type { Fault } from '../../examples/bank/faults.ts'
import { validate } from '../../examples/bank/schema.ts'
import type { BankLine, FileItem } from '../../src/bank-format/bank-format.ts'
import { iso20022 } from '../../src/iso20022/format.ts'
import { ACCOUNT, ITEM, profile } from '../iso20022/given.ts'

const folders: string[] = []
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

const item = (number: number, name: string): FileItem => ({
  ...ITEM,
  end_to_end_id: `ITEM${String(number).padStart(11, '0')}`,
  uetr: `8a562c67-ca16-48ba-b074-65581be6f00${number}`,
  amount: BigInt(number) * 1_111n,
  creditor: { ...ITEM.creditor, name },
})

const ITEMS = [item(1, 'Zoë & Søn'), item(2, 'REJECT AC04'), item(3, 'RETURN MD07')]
const [PAID, REJECTED, RETURNED] = ITEMS.map(({ end_to_end_id }) => end_to_end_id)

interface Heard {
  readonly bank: TestBank
  readonly says: readonly BankLine[]
  /** Files that are not read, with the reason. */
  readonly unreadable: readonly string[]
}

async function send(profile_name: string, ...faults: Fault[]): Promise<Heard> {
  const folder = mkdtempSync(join(tmpdir(), 'corridor-bank-'))
  folders.push(folder)
  const bank = new TestBank({ folder, faults: new Set(faults), validate })
  const { bytes } = iso20022.write({
    msg_id: 'MSG0000000000001',
    created_at: '2026-11-23T12:00:00.000000Z',
    execution_date: '2026-11-24',
    settlement_account: ACCOUNT,
    profile: profile(profile_name),
    items: ITEMS,
  })
  writeFileSync(join(folder, 'to-bank', 'one.xml'), bytes)
  await bank.finish()
  bank.close()
  const says: BankLine[] = []
  const unreadable: string[] = []
  for (const name of readdirSync(join(folder, 'from-bank')).sort()) {
    const chunks = createReadStream(join(folder, 'from-bank', name))
    try {
      says.push(...(await Array.fromAsync(iso20022.read(chunks, profile(profile_name)))))
    } catch (error) {
      assert.equal((error as Error).name, 'UnreadableFile')
      unreadable.push((error as Error).message)
    }
  }
  return { bank, says, unreadable }
}

/** Of one payment: `level code amount`, statements first, in the order in which files are named. */
function heardOf({ says }: Heard, id: string | undefined): string[] {
  return says
    .filter(({ end_to_end_id }) => end_to_end_id === id)
    .map(({ level, code, amount }) => [level, code, amount].filter(part => part !== null).join(' '))
}

test('both versions of pain.001: each payment is told of as it went, by status, debit and return', async () => {
  for (const name of ['generic', 'rejections-only']) {
    const heard = await send(name)
    assert.deepEqual(
      [...heard.bank.ledger.timesPaid()],
      [
        [PAID, 1],
        [RETURNED, 1],
      ],
    )
    const booked = ['booking BOOK 1111', 'booking BOOK 1111', 'transaction ACSP']
    assert.deepEqual(heardOf(heard, PAID), booked)
    assert.deepEqual(heardOf(heard, REJECTED), ['transaction RJCT'])
    assert.deepEqual(heardOf(heard, RETURNED), [
      ...['booking BOOK 3333', 'return BOOK 3333', 'booking BOOK 3333', 'return BOOK 3333'],
      'transaction ACSP',
    ])
    const rejected = heard.says.find(({ code }) => code === 'RJCT')
    assert.deepEqual(rejected?.reasons, ['AC04'])
    const returned = heard.says.find(({ level }) => level === 'return')
    assert.deepEqual([returned?.reasons, returned?.account], [['MD07'], ACCOUNT.iban])
    assert.deepEqual(heard.unreadable, [])
  }
})

test('spoilt files are refused with a reason, and the same files as they should be are read', async () => {
  const reasons: readonly (readonly [Fault, RegExp])[] = [
    ['half-file', /./],
    ['wrong-encoding', /UTF-8|encod/i],
    ['doctype', /DOCTYPE/],
  ]
  const good = await send('generic')
  for (const [fault, reason] of reasons) {
    const heard = await send('generic', fault)
    assert.equal(heard.unreadable.length, 4, fault)
    for (const message of heard.unreadable) assert.match(message, reason)
    const levels = ({ says }: Heard) => says.map(({ level, code }) => `${level} ${code}`).sort()
    assert.deepEqual(levels(heard), levels(good))
  }
})

test('NOTPROVIDED on an account: no end-to-end id, and the instruction id is there', async () => {
  const heard = await send('generic', 'not-provided')
  assert.deepEqual(heardOf(heard, PAID), ['transaction ACSP'])
  const bookings = heard.says.filter(({ level }) => level === 'booking')
  assert.ok(bookings.length > 0 && bookings.every(({ instruction_id }) => instruction_id !== ''))
})

test('a file against ISO’s schema is refused by the bank', async () => {
  assert.deepEqual(await validate(Buffer.from('<Document/>')), ['no schema for '])
  const wrong = '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"><A/></Document>'
  assert.match(String(await validate(Buffer.from(wrong))), /line 1: .*not expected/)
})
