// The test bank by itself: what it does with files, by its ledger and by what it sends. It is the
// oracle of other tests, so each of its faults is seen here to be one.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { TestBank } from '../../examples/bank/bank.ts'
import { type Fault, readFaults } from '../../examples/bank/faults.ts'

const folders: string[] = []
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

function openBank(...faults: Fault[]): { bank: TestBank; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'corridor-bank-'))
  folders.push(folder)
  return { bank: new TestBank({ folder, faults: new Set(faults) }), folder }
}

interface Asked {
  readonly id: string
  readonly amount: string
  readonly name?: string
}

function pain001(msg_id: string, payments: readonly Asked[], sum: string): string {
  const each = payments.map(
    ({ id, amount, name = 'Ada & Sons' }) =>
      `<CdtTrfTxInf><PmtId><InstrId>${id}</InstrId><EndToEndId>${id}</EndToEndId></PmtId>` +
      `<Amt><InstdAmt Ccy="EUR">${amount}</InstdAmt></Amt><Cdtr><Nm>${name.replace('&', '&amp;')}</Nm></Cdtr>` +
      '<CdtrAcct><Id><IBAN>DE89370400440532013000</IBAN></Id></CdtrAcct></CdtTrfTxInf>',
  )
  const counts = `<NbOfTxs>${payments.length}</NbOfTxs><CtrlSum>${sum}</CtrlSum>`
  return (
    '<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09">' +
    `<CstmrCdtTrfInitn><GrpHdr><MsgId>${msg_id}</MsgId>${counts}</GrpHdr>` +
    `<PmtInf><PmtInfId>${msg_id}-1</PmtInfId>${counts}<ReqdExctnDt><Dt>2026-11-24</Dt></ReqdExctnDt>` +
    '<DbtrAcct><Id><IBAN>FR7630006000011234567890189</IBAN></Id></DbtrAcct>' +
    `${each.join('')}</PmtInf></CstmrCdtTrfInitn></Document>`
  )
}

const THREE: readonly Asked[] = [
  { id: 'PAID00000000001', amount: '100.00' },
  { id: 'REJECTED0000001', amount: '20.00', name: 'REJECT AC04' },
  { id: 'RETURNED0000001', amount: '3.00', name: 'RETURN MD07' },
]

/** What the bank has sent, in order. */
function sentBy(folder: string): string[] {
  const path = join(folder, 'from-bank')
  return readdirSync(path)
    .sort((a, b) => numberOf(a) - numberOf(b))
    .map(name => readFileSync(join(path, name), 'latin1'))
}

const numberOf = (name: string) => Number(/-(\d+)\.\w+$/.exec(name)?.[1])
const count = (text: string, of: RegExp) => text.match(of)?.length ?? 0

async function run(faults: Fault[], payments = THREE, sum = '123.00') {
  const { bank, folder } = openBank(...faults)
  writeFileSync(join(folder, 'to-bank', 'one.xml'), pain001('MSG0000000000001', payments, sum))
  await bank.finish()
  return { bank, folder, sent: sentBy(folder), all: sentBy(folder).join('\n') }
}

test('test bank, pain.001: accepted payments paid once, others rejected; debits, returns and a statement written', async () => {
  const { bank, sent } = await run([])
  assert.deepEqual(
    [...bank.ledger.timesPaid()],
    [
      ['PAID00000000001', 1],
      ['RETURNED0000001', 1],
    ],
  )
  assert.deepEqual(
    sent.map(text => /xsd:([a-z]+\.\d{3})/.exec(text)?.[1]),
    ['pain.002', 'camt.054', 'camt.054', 'camt.053'],
  )
  const [status = '', debits = '', returns = '', statement = ''] = sent
  assert.match(status, /<GrpSts>PART<\/GrpSts>/)
  assert.match(status, /REJECTED0000001<\/OrgnlEndToEndId><TxSts>RJCT<.*?<Cd>AC04</)
  assert.equal(count(status, /<TxSts>ACSP</g), 2)
  assert.equal(count(debits, /<CdtDbtInd>DBIT/g), 4)
  assert.match(returns, /RETURNED0000001.*<RtrInf><Rsn><Cd>MD07</)
  assert.equal(count(statement, /<Ntry>/g), 3)
  assert.match(statement, /OPBD.*1000000000\.00.*CLBD.*999999900\.00</)
})

test('test bank, same file again: refused by its MsgId, nothing paid', async () => {
  const { bank, folder } = await run([])
  writeFileSync(join(folder, 'to-bank', 'two.xml'), pain001('MSG0000000000001', THREE, '123.00'))
  await bank.finish()
  assert.deepEqual([...bank.ledger.timesPaid().values()], [1, 1])
  assert.match(sentBy(folder).at(-1) ?? '', /<GrpSts>RJCT<.*<Cd>DU01<.*<Cd>DU04</)
  // The oracle can tell: a bank that does not look pays twice.
  const careless = await run(['no-duplicate-check'])
  const again = join(careless.folder, 'to-bank', 'two.xml')
  writeFileSync(again, pain001('MSG0000000000001', THREE, '123.00'))
  await careless.bank.finish()
  assert.deepEqual([...careless.bank.ledger.timesPaid().values()], [2, 2])
  // It remembers over a restart.
  bank.close()
  const restarted = new TestBank({ folder })
  assert.ok(restarted.ledger.hasReceived('MSG0000000000001'))
  restarted.close()
})

test('test bank, file malformed or with wrong sums: refused; file still being written: not read', async () => {
  const wrong = await run([], THREE, '123.01')
  assert.equal(wrong.bank.ledger.timesPaid().size, 0)
  assert.match(wrong.all, /<GrpSts>RJCT<.*<Cd>AM10</)
  const { bank, folder } = openBank()
  writeFileSync(join(folder, 'to-bank', 'one.xml.tmp'), pain001('MSG1', THREE, '123.00'))
  writeFileSync(join(folder, 'to-bank', 'two.xml'), '<Document')
  await bank.finish()
  assert.deepEqual(
    bank.ledger.lines.map(({ what }) => what),
    ['refused'],
  )
  assert.deepEqual(readdirSync(join(folder, 'to-bank')), ['one.xml.tmp'])
})

/** What shows a fault after which all ends as with a right bank; the ends of others: faults.test.ts. */
const SHOWN: Partial<Record<Fault, (all: string, sent: readonly string[]) => void>> = {
  'repeat-report': (_, sent) => assert.equal(new Set(sent).size, sent.length / 2),
  'not-provided': all => assert.equal(count(all, /<EndToEndId>NOTPROVIDED/g), 6),
  'short-return': all => assert.match(all, /<Amt Ccy="EUR">2\.99<\/Amt><CdtDbtInd>CRDT/),
  'early-return': (_, sent) => assert.match(sent[1] ?? '', /RtrInf/),
  'part-rejects-only': all => assert.equal(count(all, /<TxSts>/g), 1),
  'strange-codes': all => assert.match(all, /DS01.*ZZZZ/),
  'several-accounts': all => assert.equal(count(all, /<Stmt>/g), 2),
}

test('test bank, each fault switched on: output differs as stated, no payment made twice', async () => {
  for (const [fault, show] of Object.entries(SHOWN)) {
    const { bank, all, sent } = await run([fault as Fault])
    show(all, sent)
    const paid = ['PAID00000000001', 'RETURNED0000001'].map(id => [id, 1])
    assert.deepEqual([...bank.ledger.timesPaid()], paid, fault)
  }
  assert.throws(() => readFaults(['late-reject']), /no fault is named late-reject/)
})
