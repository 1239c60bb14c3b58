// What banks' files say, of every kind and version, whatever pieces they come in; and files that are
// refused, each with its reason and line.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBankFile } from '../../src/adapters/iso20022/reader.ts'
import { type BankLine, UnreadableFile } from '../../src/values/bank-format/bank-format.ts'
import { BOUNDS } from '../../src/values/xml/xml-stream.ts'
import { chunksOf, message, originalFile, readAll, statusReport } from './given.ts'

/** What was said, as far as it was. */
function told(says: readonly BankLine[]): Partial<BankLine>[] {
  return says.map(said => {
    const members = Object.entries(said).filter(([name, value]) => {
      return name !== 'position' && value !== '' && value !== null && String(value) !== ''
    })
    return Object.fromEntries(members)
  })
}

const rejection =
  '<OrgnlPmtInfAndSts><OrgnlPmtInfId>P-1</OrgnlPmtInfId><PmtInfSts>PART</PmtInfSts>' +
  '<TxInfAndSts><StsId>1</StsId><OrgnlInstrId>I-1</OrgnlInstrId>' +
  '<OrgnlEndToEndId>E-1</OrgnlEndToEndId>' +
  '<OrgnlUETR>8A562C67-CA16-48BA-B074-65581BE6F001</OrgnlUETR><TxSts>RJCT</TxSts>' +
  '<StsRsnInf><Rsn><Cd>AC04</Cd></Rsn><AddtlInf>closed</AddtlInf><AddtlInf>since May</AddtlInf>' +
  '</StsRsnInf><StsRsnInf><Rsn><Prtry>X7</Prtry></Rsn></StsRsnInf><AcctSvcrRef>B-9</AcctSvcrRef>' +
  '<OrgnlTxRef><Amt><InstdAmt Ccy="EUR">123.40</InstdAmt></Amt></OrgnlTxRef></TxInfAndSts>' +
  '<TxInfAndSts><OrgnlEndToEndId>NOTPROVIDED</OrgnlEndToEndId><TxSts>ACSP</TxSts></TxInfAndSts>' +
  '</OrgnlPmtInfAndSts>'

const said_at = '2026-11-24T10:00:00Z'
const REPORT: Partial<BankLine>[] = [
  { level: 'file', msg_id: 'MSG-1', code: 'PART', said_at },
  { level: 'group', msg_id: 'MSG-1', payment_information_id: 'P-1', code: 'PART', said_at },
  {
    level: 'transaction',
    msg_id: 'MSG-1',
    payment_information_id: 'P-1',
    end_to_end_id: 'E-1',
    instruction_id: 'I-1',
    uetr: '8a562c67-ca16-48ba-b074-65581be6f001',
    code: 'RJCT',
    reasons: ['AC04', 'X7'],
    text: 'closed; since May',
    amount: 12_340n,
    currency: 'EUR',
    reference: 'B-9',
    said_at,
  },
  {
    level: 'transaction',
    msg_id: 'MSG-1',
    payment_information_id: 'P-1',
    code: 'ACSP',
    said_at,
  },
]

test('pain.002, versions .03, .10 and later: file, then group, then payments; NOTPROVIDED read as absent', async () => {
  for (const version of ['pain.002.001.03', 'pain.002.001.10', 'pain.002.001.14']) {
    const text = statusReport(originalFile('PART') + rejection, version)
    assert.deepEqual(told(await readAll(text)), REPORT)
  }
})

test('pain.002, in chunks of 1 byte, UTF-16, with prefixes or an envelope: the same report', async () => {
  const text = statusReport(originalFile('PART') + rejection)
  assert.deepEqual(told(await readAll(text, 1)), REPORT)
  const utf16 = Buffer.from(`\ufeff${text.replace('UTF-8', 'UTF-16')}`, 'utf16le')
  assert.deepEqual(told(await readAll(utf16, 7)), REPORT)
  assert.deepEqual(told(await readAll(`\ufeff${text}`)), REPORT)
  const latin = text.replace('UTF-8', 'ISO-8859-1').replace('since May', 'fermé')
  const [, , rejected] = await readAll(Buffer.from(latin, 'latin1'))
  assert.equal(rejected?.text, 'closed; fermé')
  const prefixed = text
    .replace('xmlns=', 'xmlns:p=')
    .replace(/<(\/?)(\w)/g, (_, slash, letter) => `<${slash}p:${letter}`)
  assert.deepEqual(told(await readAll(prefixed)), REPORT)
  const wrapped = `<Envelope><AppHdr/>${text.replace(/^<\?.*\?>/, '')}</Envelope>`
  assert.deepEqual(told(await readAll(wrapped)), REPORT)
})

test('pain.002, indented, 2,000 payments in one group: each reported', async () => {
  const one = '<TxInfAndSts><OrgnlEndToEndId>E</OrgnlEndToEndId><TxSts>ACSP</TxSts></TxInfAndSts>'
  const group = `<OrgnlPmtInfAndSts>${one.repeat(2_000)}</OrgnlPmtInfAndSts>`
  const indented = statusReport(originalFile() + group).replaceAll('><', `>\n${' '.repeat(40)}<`)
  assert.equal((await readAll(indented)).length, 2_000)
})

test('pain.002, elements of another namespace: ignored', async () => {
  const foreign =
    '<SplmtryData><Envlp><x:OrgnlPmtInfAndSts xmlns:x="urn:x"><x:TxInfAndSts>' +
    '<x:OrgnlEndToEndId>E-1</x:OrgnlEndToEndId><x:TxSts>RJCT</x:TxSts></x:TxInfAndSts>' +
    '</x:OrgnlPmtInfAndSts></Envlp></SplmtryData>'
  const [, ...others] = await readAll(statusReport(originalFile('ACSP') + foreign))
  assert.deepEqual(others, [])
})

test('pain.002, group without payments: one report for the group; payment without status: report without a code', async () => {
  const group =
    '<OrgnlPmtInfAndSts><OrgnlPmtInfId>P-2</OrgnlPmtInfId><PmtInfSts>RJCT</PmtInfSts>' +
    '<StsRsnInf><Rsn><Cd>DU02</Cd></Rsn></StsRsnInf></OrgnlPmtInfAndSts>' +
    '<TxInfAndSts><OrgnlEndToEndId>E-2</OrgnlEndToEndId></TxInfAndSts>'
  const says = await readAll(statusReport(originalFile() + group))
  assert.deepEqual(
    says.map(({ level, code, reasons, end_to_end_id }) => [level, code, reasons, end_to_end_id]),
    [
      ['group', 'RJCT', ['DU02'], ''],
      ['transaction', '', [], 'E-2'],
    ],
  )
})

/** An entry of an account's report. */
function entry(content: string, { status = '<Sts><Cd>BOOK</Cd></Sts>', amount = '10.00' } = {}) {
  return (
    `<Ntry><NtryRef>N</NtryRef><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>DBIT</CdtDbtInd>${status}` +
    `<BookgDt><Dt>2026-11-24</Dt></BookgDt><AcctSvcrRef>S-1</AcctSvcrRef>${content}</Ntry>`
  )
}

const statement = (entries: string, kind = 'camt.053.001.08') =>
  message(
    kind,
    'BkToCstmrStmt',
    '<GrpHdr><MsgId>S</MsgId><CreDtTm>2026-11-24T20:00:00Z</CreDtTm></GrpHdr><Stmt><Id>17</Id>' +
      '<CreDtTm>2026-11-24T20:00:00Z</CreDtTm><FrToDt><FrDtTm>2026-11-24T00:00:00</FrDtTm>' +
      '<ToDtTm>2026-11-24T23:59:59</ToDtTm></FrToDt><Acct><Id><IBAN>IE29AIBK93115212345678</IBAN>' +
      `</Id></Acct>${entries}</Stmt>`,
  )

const paid =
  '<NtryDtls><TxDtls><Refs><MsgId>MSG-1</MsgId><AcctSvcrRef>T-1</AcctSvcrRef><PmtInfId>P-1</PmtInfId>' +
  '<InstrId>I-1</InstrId><EndToEndId>E-1</EndToEndId></Refs><Amt Ccy="EUR">10.00</Amt></TxDtls></NtryDtls>'

const DEBIT = {
  level: 'booking',
  msg_id: 'MSG-1',
  payment_information_id: 'P-1',
  end_to_end_id: 'E-1',
  instruction_id: 'I-1',
  code: 'BOOK',
  amount: 1_000n,
  currency: 'EUR',
  is_credit: false,
  account: 'IE29AIBK93115212345678',
  statement: 'camt.053 17 2026-11-24T00:00:00/2026-11-24T23:59:59',
  reference: 'T-1',
  said_at: '2026-11-24',
}

test("camt.053, booked debit: its payment, with account, period and the bank's reference", async () => {
  assert.deepEqual(told(await readAll(statement(entry(paid)), 3)), [DEBIT])
  const old = statement(entry(paid, { status: '<Sts>BOOK</Sts>' }), 'camt.053.001.02')
  assert.deepEqual(told(await readAll(old)), [DEBIT])
})

test('camt.053 and camt.052, entry not yet booked: a note', async () => {
  const pending = statement(entry(paid, { status: '<Sts><Cd>PDNG</Cd></Sts>' }))
  assert.deepEqual(told(await readAll(pending)), [{ ...DEBIT, level: 'note', code: 'PDNG' }])
  const informs = statement(entry(paid))
    .replaceAll('BkToCstmrStmt', 'BkToCstmrAcctRpt')
    .replaceAll('Stmt>', 'Rpt>')
  const [said] = await readAll(informs)
  assert.deepEqual([said?.level, said?.statement.slice(0, 12)], ['note', 'camt.052 17 '])
})

test('camt.054, return: a credit with its reason, recognised by return element, booking code or reversal', async () => {
  const credit = (details: string, more = '') =>
    message(
      'camt.054.001.08',
      'BkToCstmrDbtCdtNtfctn',
      `<Ntfctn><Id>N-1</Id><CreDtTm>2026-11-25T08:00:00Z</CreDtTm>${entry(
        `${more}<NtryDtls><TxDtls><Refs><EndToEndId>E-1</EndToEndId></Refs>${details}</TxDtls></NtryDtls>`,
      ).replace('DBIT', 'CRDT')}</Ntfctn>`,
    )
  const reason = '<RtrInf><Rsn><Cd>AC04</Cd></Rsn><AddtlInf>closed</AddtlInf></RtrInf>'
  const [returned] = await readAll(credit(reason))
  assert.deepEqual(told(returned === undefined ? [] : [returned]), [
    {
      level: 'return',
      end_to_end_id: 'E-1',
      code: 'BOOK',
      reasons: ['AC04'],
      text: 'closed',
      amount: 1_000n,
      currency: 'EUR',
      is_credit: true,
      statement: 'camt.054 N-1 2026-11-25T08:00:00Z',
      reference: 'S-1',
      said_at: '2026-11-24',
    },
  ])
  const coded =
    '<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>ICDT</Cd><SubFmlyCd>RRTN</SubFmlyCd></Fmly></Domn></BkTxCd>'
  const levels = async (text: string) => (await readAll(text)).map(({ level }) => level)
  assert.deepEqual(await levels(credit('', coded)), ['return'])
  assert.deepEqual(await levels(credit('', '<RvslInd>true</RvslInd>')), ['return'])
  assert.deepEqual(await levels(credit('')), ['booking'])
})

test('camt.053, several payments in one entry: one line each; amount of the entry only for a single payment', async () => {
  const one = (id: string, amount = '') =>
    `<TxDtls><Refs><EndToEndId>${id}</EndToEndId></Refs>${amount}</TxDtls>`
  const amounts = async (details: string) =>
    (await readAll(statement(entry(`<NtryDtls>${details}</NtryDtls>`)))).map(
      ({ end_to_end_id, amount }) => [end_to_end_id, amount],
    )
  assert.deepEqual(await amounts(one('A')), [['A', 1_000n]])
  assert.deepEqual(await amounts(one('A') + one('B')), [
    ['A', null],
    ['B', null],
  ])
  const inside = '<AmtDtls><TxAmt><Amt Ccy="EUR">4.00</Amt></TxAmt></AmtDtls>'
  assert.deepEqual(await amounts(one('A', '<Amt Ccy="EUR">6</Amt>') + one('B', inside)), [
    ['A', 600n],
    ['B', 400n],
  ])
})

test('camt.053, one debit for a whole PmtInf: its total, under the ids of the batch', async () => {
  const whole = '<NtryDtls><Btch><MsgId>MSG-1</MsgId><PmtInfId>P-1</PmtInfId></Btch></NtryDtls>'
  const [said, ...others] = await readAll(statement(entry(whole, { amount: '1234567.89' })))
  assert.deepEqual(others, [])
  assert.deepEqual(
    [said?.level, said?.msg_id, said?.payment_information_id, said?.end_to_end_id, said?.amount],
    ['booking', 'MSG-1', 'P-1', '', 123_456_789n],
  )
})

test('camt.053, amount of a payment: the instructed amount if charged or converted, else the booked one', async () => {
  const amounts = async (details: string) => {
    const text = `<NtryDtls><TxDtls><Refs><EndToEndId>A</EndToEndId></Refs>${details}</TxDtls></NtryDtls>`
    const [said] = await readAll(statement(entry(text)))
    return [said?.amount, said?.currency]
  }
  const instructed = (currency: string, amount: string) =>
    `<AmtDtls><InstdAmt><Amt Ccy="${currency}">${amount}</Amt></InstdAmt></AmtDtls>`
  const charges = (amount: string) =>
    `<Chrgs><Rcrd><Amt Ccy="EUR">${amount}</Amt><ChrgInclInd>true</ChrgInclInd></Rcrd></Chrgs>`
  const own = '<Amt Ccy="EUR">10.00</Amt>'
  assert.deepEqual(await amounts(own + instructed('USD', '11.70')), [1_170n, 'USD'])
  assert.deepEqual(await amounts(own + instructed('EUR', '9.50') + charges('0.50')), [950n, 'EUR'])
  assert.deepEqual(await amounts(own + instructed('EUR', '9.50') + charges('0.40')), [
    1_000n,
    'EUR',
  ])
  assert.deepEqual(await amounts(own + instructed('EUR', '9.50')), [1_000n, 'EUR'])
})

test('camt.053, amounts: exact; null if the currency has no such amount', async () => {
  const read = async (currency: string, amount: string) => {
    const text = statement(entry('').replace('Ccy="EUR">10.00', `Ccy="${currency}">${amount}`))
    const [said] = await readAll(text)
    return said?.amount
  }
  assert.equal(await read('EUR', '90071992547409.93'), 9_007_199_254_740_993n)
  assert.equal(await read('JPY', '100.00'), 100n)
  assert.equal(await read('KWD', '.005'), 5n)
  assert.equal(await read('JPY', '100.5'), null)
  assert.equal(await read('QQQ', '1'), null)
  assert.equal(await read('EUR', '1e3'), null)
})

const whole = statusReport(originalFile('ACSP') + rejection)
const bomb =
  '<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>'

const REFUSED: readonly [string, string | Uint8Array, RegExp][] = [
  ['empty', '', /the file is empty/],
  [
    'half a file',
    whole.slice(0, whole.length / 2),
    /line 2: the file is cut off inside \w+, which/,
  ],
  ['all but the last tag', whole.slice(0, -12), /cut off inside Document/],
  ['text after the end', `${whole}and more`, /not well-formed/],
  ['a DOCTYPE', whole.replace('?>', '?><!DOCTYPE Document>'), /a DOCTYPE is not read/],
  ['a bomb of entities', whole.replace('?>', `?>${bomb}`).replace('AC04', '&c;'), /DOCTYPE/],
  [
    'an external entity',
    whole.replace('?>', '?><!DOCTYPE d SYSTEM "file:///etc/passwd">'),
    /DOCTYPE/,
  ],
  ['an entity of its own', whole.replace('AC04', '&c;'), /line 2: not well-formed/],
  [
    'Latin letters declared as UTF-8',
    Buffer.from(whole.replace('May', 'fermé'), 'latin1'),
    /not utf-8/,
  ],
  ['another encoding', whole.replace('UTF-8', 'EBCDIC'), /encoding EBCDIC is not read/],
  ['a zip', Buffer.from('PK\u0003\u0004 and so on'), /not XML/],
  ['an answer in HTML', '<html><body>503</body></html>', /no pain.002.* its root is html/],
  ['a pain.001', message('pain.001.001.09', 'CstmrCdtTrfInitn', ''), /no pain.002/],
  ['a null character', whole.replace('AC04', 'A\u0000'), /not well-formed/],
  ['deep elements', whole.replace('AC04', '<a>'.repeat(50)), /more than 40 deep/],
  ['a long comment', whole.replace('AC04', `<!--${'a'.repeat(200_000)}`), /cut off/],
  [
    'a long attribute',
    whole.replace('Ccy="EUR"', `Ccy="${'E'.repeat(100_000)}"`),
    /more than 65536/,
  ],
  [
    'a record of many elements',
    whole.replace('<Rsn>', '<Rsn>'.concat('<x/>'.repeat(60_000))),
    /more than 50000/,
  ],
]

for (const [name, bytes, reason] of REFUSED) {
  test(`bank XML, ${name}: unreadable, with its reason`, async () => {
    await assert.rejects(readAll(bytes), error => {
      assert.ok(error instanceof UnreadableFile)
      assert.match(error.message, reason)
      return true
    })
  })
}

test('bank XML, one line or one byte too many: refused in bounded memory', async () => {
  const head = Buffer.from(`${whole.slice(0, whole.indexOf('<OrgnlGrpInf'))}\n`)
  async function* endless(filler: Uint8Array) {
    yield head
    for (;;) yield filler
  }
  const read = (filler: Uint8Array) => Array.fromAsync(readBankFile(endless(filler)))
  const before = process.memoryUsage().rss
  const elements = Buffer.from('<Ignored/>\n'.repeat(20_000))
  await assert.rejects(read(elements), /more than 50000 elements/)
  const lines = Buffer.from(`<!-- -->${'\n'.repeat(60_000)}`)
  await assert.rejects(read(lines), /more than 8000000 lines/)
  await assert.rejects(read(Buffer.alloc(BOUNDS.bytes)), /more than 536870912 bytes/)
  assert.ok(process.memoryUsage().rss - before < 256 * 1024 * 1024)
})

test('bank XML, truncated anywhere: refused, whatever lines were read before', async () => {
  for (let length = 0; length < whole.length - 2; length += 7) {
    await assert.rejects(
      Array.fromAsync(readBankFile(chunksOf(whole.slice(0, length)))),
      UnreadableFile,
    )
  }
})
