// A bank's report of many payments: read in time, and in memory that does not grow with the file.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBankFile } from '../../src/adapters/iso20022/reader.ts'
import { promised, share } from '../support/share.ts'
import { originalFile, statusReport } from './given.ts'

const PAYMENTS = share(5_000, 100_000)
const MIB = 1024 * 1024

/** Indented, as banks write it: some 700 bytes a payment. */
async function* report(payments: number): AsyncGenerator<Uint8Array> {
  const group = '<OrgnlPmtInfAndSts><OrgnlPmtInfId>P</OrgnlPmtInfId>@</OrgnlPmtInfAndSts>'
  const [head = '', tail = ''] = statusReport(originalFile('PART') + group).split('@')
  yield Buffer.from(head)
  for (let i = 0; i < payments; i += 100) {
    const texts = Array.from({ length: 100 }, (_, k) => payment(i + k))
    yield Buffer.from(texts.join('').replaceAll('><', '>\n      <'))
  }
  yield Buffer.from(tail)
}

function payment(i: number): string {
  const number = String(i).padStart(12, '0')
  return (
    `<TxInfAndSts><StsId>${i}</StsId><OrgnlInstrId>E${number}</OrgnlInstrId>` +
    `<OrgnlEndToEndId>E${number}</OrgnlEndToEndId>` +
    `<OrgnlUETR>8a562c67-ca16-48ba-b074-${number}</OrgnlUETR><TxSts>RJCT</TxSts>` +
    '<StsRsnInf><Orgtr><Nm>The bank</Nm></Orgtr><Rsn><Cd>AC04</Cd></Rsn>' +
    '<AddtlInf>What the bank says beside it</AddtlInf></StsRsnInf>' +
    '<OrgnlTxRef><Amt><InstdAmt Ccy="EUR">123.45</InstdAmt></Amt><ReqdExctnDt>' +
    '<Dt>2026-11-24</Dt></ReqdExctnDt><Cdtr><Pty><Nm>Somebody</Nm></Pty></Cdtr></OrgnlTxRef>' +
    '</TxInfAndSts>'
  )
}

test(`pain.002, ${PAYMENTS} payments: each reported, within the time and memory bounds`, async t => {
  const before = process.memoryUsage().rss
  const began = performance.now()
  let said = 0
  let most = 0
  for await (const { level } of readBankFile(report(PAYMENTS))) {
    if (level !== 'transaction') continue
    said += 1
    if (said % 1_000 === 0) most = Math.max(most, process.memoryUsage().rss - before)
  }
  assert.equal(said, PAYMENTS)
  promised(t, `a pain.002 of ${PAYMENTS} payments`, performance.now() - began, 60_000)
  t.diagnostic(`${Math.round(most / MIB)} MiB more than before, of 512 MiB promised`)
  assert.ok(most < 512 * MIB, `${most} bytes`)
})
