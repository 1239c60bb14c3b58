// Files as banks send them: envelopes, encodings and lines with a defect. A defect in one line leaves
// the other lines of the file as they are.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBankFile } from '../../src/adapters/iso20022/reader.ts'
import type { BankLine } from '../../src/values/bank-format/bank-format.ts'

async function read(...chunks: (string | Uint8Array)[]): Promise<BankLine[]> {
  const bytes = chunks.map(chunk => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk))
  const from = async function* () {
    yield* bytes
  }
  return Array.fromAsync(readBankFile(from()))
}

const ID = '1NGPF6GK2GX5519'
const NS = 'urn:iso:std:iso:20022:tech:xsd'

const status = (more = '', text = '') =>
  `<Document xmlns="${NS}:pain.002.001.10"><CstmrPmtStsRpt><GrpHdr><MsgId>R1</MsgId></GrpHdr>` +
  `<OrgnlGrpInfAndSts><OrgnlMsgId>C1NGPF5GYE34B2G1</OrgnlMsgId>${more}</OrgnlGrpInfAndSts>` +
  `<OrgnlPmtInfAndSts><TxInfAndSts><OrgnlEndToEndId>${ID}</OrgnlEndToEndId><TxSts>ACSC</TxSts>` +
  `<StsRsnInf><AddtlInf>${text}</AddtlInf></StsRsnInf></TxInfAndSts></OrgnlPmtInfAndSts>` +
  '</CstmrPmtStsRpt></Document>'

const entry = (amount: string, details: string, more = '') =>
  `<Ntry><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>${more}` +
  `${details === '' ? '' : `<NtryDtls><TxDtls>${details}</TxDtls></NtryDtls>`}</Ntry>`
const statement = (...entries: string[]) =>
  `<Document xmlns="${NS}:camt.053.001.08"><BkToCstmrStmt><Stmt><Id>S1</Id>${entries.join('')}` +
  '</Stmt></BkToCstmrStmt></Document>'
const REFS = `<Refs><EndToEndId>${ID}</EndToEndId></Refs>`
const paid = entry('10.00', REFS)

for (const amount of ['-5.00', '5,00', '5 000.00', '', 'EUR 5']) {
  test(`camt, amount "${amount}" in one entry: this line faulty, other lines read`, async () => {
    const [first, second] = await read(statement(entry(amount, ''), paid))
    assert.match(first?.defect ?? '', /is not an amount$/)
    assert.deepEqual([second?.defect, second?.amount, second?.end_to_end_id], ['', 1_000n, ID])
  })
}

test('camt, attachment of 70 kB: lines read', async () => {
  const attachment = `<SplmtryData><Envlp><A xmlns="urn:x">${'QUJD'.repeat(20_000)}</A></Envlp></SplmtryData>`
  const [line] = await read(statement(paid).replace('</Stmt>', `</Stmt>${attachment}`))
  assert.equal(line?.amount, 1_000n)
})

const CHARGES: readonly (readonly [name: string, charges: string])[] = [
  ['of the version of 2009', '<Chrgs><Amt Ccy="EUR">0.35</Amt></Chrgs>'],
  ['a total only', '<Chrgs><TtlChrgsAndTaxAmt Ccy="EUR">0.35</TtlChrgsAndTaxAmt></Chrgs>'],
  [
    'records',
    '<Chrgs><Rcrd><Amt Ccy="EUR">0.35</Amt><ChrgInclInd>true</ChrgInclInd></Rcrd></Chrgs>',
  ],
]
for (const [name, charges] of CHARGES) {
  test(`camt, charges ${name}, at the payment or the entry: instructed amount read`, async () => {
    const instructed = `${REFS}<AmtDtls><InstdAmt><Amt Ccy="EUR">10.00</Amt></InstdAmt></AmtDtls>`
    const own = '<Amt Ccy="EUR">10.35</Amt>'
    const lines = await read(
      statement(
        entry('10.35', REFS + own + instructed.slice(REFS.length) + charges),
        entry('10.35', REFS + own + instructed.slice(REFS.length), charges),
      ),
    )
    assert.deepEqual(
      lines.map(({ amount }) => amount),
      [1_000n, 1_000n],
    )
  })
}

test('camt, our reference in unusual elements: found', async () => {
  const text = (words: string) => `<RmtInf><Ustrd>${words}</Ustrd></RmtInf>`
  const lines = await read(
    statement(
      entry('1.00', `<Refs><TxId>${ID}</TxId></Refs>`),
      entry('1.00', text(`EREF: ${ID} SVWZ+Invoice 1`)),
      entry('1.00', text(`EREF+${ID}`)),
      entry('1.00', '', '<NtryRef>C1NGPFNZFWVYD5J7-1</NtryRef>'),
    ),
  )
  assert.deepEqual(
    lines.map(line => line.end_to_end_id || line.payment_information_id),
    [ID, ID, ID, 'C1NGPFNZFWVYD5J7-1'],
  )
})

test('camt, remittance texts naming two payments: set aside for a person', async () => {
  const other = '1NGPF6GJVKTQZJS'
  const ustrd = (id: string) => `<RmtInf><Ustrd>EREF+${id}</Ustrd></RmtInf>`
  const additional = (id: string) => `<AddtlTxInf>EREF: ${id} SVWZ+Invoice 1</AddtlTxInf>`
  const lines = await read(
    statement(
      entry('1.00', `${ustrd(other)}${additional(ID)}`),
      entry('1.00', ustrd(other), `<AddtlNtryInf>EREF+${ID}</AddtlNtryInf>`),
      entry('1.00', ustrd(`${ID} SVWZ+EREF+${other}`)),
      entry('1.00', `${ustrd(ID)}${additional(ID)}`),
      entry('1.00', `${REFS}${ustrd(other)}`),
    ),
  )
  assert.deepEqual(
    lines.map(line => [line.end_to_end_id, / its texts name 2 payments$/.test(line.defect)]),
    [
      ['', true],
      ['', true],
      ['', true],
      [ID, false],
      [ID, false],
    ],
  )
})

test("camt, several payments without amounts in one entry: the entry's amount for all of them together", async () => {
  const two = entry('10.00', `${REFS}</TxDtls><TxDtls><Refs><EndToEndId>B</EndToEndId></Refs>`)
  const lines = await read(statement(two))
  assert.deepEqual(
    lines.map(({ amount, shared_amount }) => [amount, shared_amount]),
    [
      [null, 1_000n],
      [null, 1_000n],
    ],
  )
})

test('pain.002, payment with a reason but no status: rejected like its group or file', async () => {
  const text = status('<GrpSts>RJCT</GrpSts>').replace('<TxSts>ACSC</TxSts>', '')
  const [, none] = await read(text)
  assert.equal(none?.code, '')
  const reason = '<StsRsnInf><Rsn><Cd>AC04</Cd></Rsn></StsRsnInf>'
  const [, line] = await read(text.replace(/<StsRsnInf>.*<\/StsRsnInf>/, reason))
  assert.deepEqual([line?.code, line?.reasons], ['RJCT', ['AC04']])
})

for (const [label, bytes, letter] of [
  ['windows-1250', [0xe8], 'č'],
  ['ISO-8859-2', [0xb3], 'ł'],
  ['latin1', [0xfc], 'ü'],
  ['windows-1251', [0xc4], 'Д'],
] as const) {
  test(`XML, encoding ${label}: read`, async () => {
    const [head = '', tail = ''] = status('', '|').split('|')
    const declaration = `<?xml version="1.0" encoding="${label}"?>`
    const [line] = await read(declaration + head, Uint8Array.from(bytes), tail)
    assert.equal(line?.text, letter)
  })
}

const DECLARED = '<?xml version="1.0" encoding="UTF-8"?>\n'
test('XML with a leading line break, trailing Ctrl-Z or NUL, or two documents: read, in chunks of any size', async () => {
  const text = `\n\n${DECLARED}${status()}\n${DECLARED}${statement(paid)}\u001a\u0000\n`
  for (const size of [1, 7, 64, 10_000]) {
    const pieces = text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? []
    const lines = await read(...pieces)
    assert.deepEqual(
      lines.map(({ level, position }) => `${level} ${position.split('line ')[1]}`),
      ['transaction 4', 'booking 6'],
      `pieces of ${size}`,
    )
  }
})

test('XML, unescaped &: the error says so, with its line', async () => {
  const text = `${DECLARED}\n${status('', 'Smith & Sons')}`
  await assert.rejects(read(text), /^UnreadableFile: line 3: an & stands in the text by itself/)
  await assert.rejects(read(status().slice(0, -30)), /cut off/)
})
