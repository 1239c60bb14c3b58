// What the product writes, the test bank takes by its own reader and ISO's schema, and what the bank
// says, the product reads: two programs that share no code agree on each payment.
import assert from 'node:assert/strict'
import { createReadStream, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { TestBank } from '../../examples/bank/bank.ts'
import { validate } from '../../examples/bank/schema.ts'
import { iso20022 } from '../../src/adapters/iso20022/format.ts'
import type { BankLine, FileItem } from '../../src/values/bank-format/bank-format.ts'
import { ACCOUNT, batch, ITEM, profile } from '../iso20022/given.ts'

const item = (number: number, name: string): FileItem => ({
  ...ITEM,
  end_to_end_id: `ITEM${String(number).padStart(11, '0')}`,
  uetr: `8a562c67-ca16-48ba-b074-65581be6f00${number}`,
  amount: BigInt(number) * 1_111n,
  creditor: { ...ITEM.creditor, name },
})

const ITEMS = [item(1, 'Zoë & Søn'), item(2, 'REJECT AC04'), item(3, 'RETURN MD07')]
const [PAID, REJECTED, RETURNED] = ITEMS.map(({ end_to_end_id }) => end_to_end_id)

test('pain.001, both versions: each payment reported by status, debit and return', async () => {
  for (const name of ['generic', 'rejections-only']) {
    const folder = mkdtempSync(join(tmpdir(), 'corridor-bank-'))
    after(() => rmSync(folder, { recursive: true }))
    const bank = new TestBank({ folder, faults: new Set(), validate })
    const { bytes } = iso20022.write(batch(ITEMS, name))
    writeFileSync(join(folder, 'to-bank', 'one.xml'), bytes)
    await bank.finish()
    bank.close()
    const says: BankLine[] = []
    for (const file of readdirSync(join(folder, 'from-bank')).sort()) {
      const chunks = createReadStream(join(folder, 'from-bank', file))
      says.push(...(await Array.fromAsync(iso20022.read(chunks, profile(name)))))
    }
    /** Of one payment: `level code amount`, statements first, in the order in which files are named. */
    const heardOf = (id: string | undefined) =>
      says
        .filter(({ end_to_end_id }) => end_to_end_id === id)
        .map(({ level, code, amount }) => `${level} ${code} ${amount ?? ''}`.trim())
    assert.deepEqual(
      [...bank.ledger.timesPaid()],
      [
        [PAID, 1],
        [RETURNED, 1],
      ],
    )
    const booked = ['booking BOOK 1111', 'booking BOOK 1111', 'transaction ACSP']
    assert.deepEqual(heardOf(PAID), booked)
    assert.deepEqual(heardOf(REJECTED), ['transaction RJCT'])
    assert.deepEqual(heardOf(RETURNED), [
      ...['booking BOOK 3333', 'return BOOK 3333', 'booking BOOK 3333', 'return BOOK 3333'],
      'transaction ACSP',
    ])
    assert.deepEqual(says.find(({ code }) => code === 'RJCT')?.reasons, ['AC04'])
    const returned = says.find(({ level }) => level === 'return')
    assert.deepEqual([returned?.reasons, returned?.account], [['MD07'], ACCOUNT.iban])
  }
})

test("pain.001 that violates ISO's schema: refused by the test bank", async () => {
  assert.deepEqual(await validate(Buffer.from('<Document/>')), ['no schema for '])
  const wrong = '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"><A/></Document>'
  assert.match(String(await validate(Buffer.from(wrong))), /line 1: .*not expected/)
})
