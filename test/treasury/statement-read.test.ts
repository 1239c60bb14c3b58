// Statements of banks: what six dialects write is read back equal, and the traps of each format.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bai2Reader } from '../../src/treasury/statement/bai2.ts'
import { camtReader } from '../../src/treasury/statement/camt.ts'
import { csvReader } from '../../src/treasury/statement/csv.ts'
import type { CsvMapping } from '../../src/treasury/statement/csv-mapping.ts'
import { detectFormat } from '../../src/treasury/statement/detect.ts'
import { mt940Reader } from '../../src/treasury/statement/mt940.ts'
import type {
  StatementEnd,
  StatementLine,
  StatementPart,
  StatementReader,
} from '../../src/treasury/statement/statement.ts'
import { pickSeed, seeded } from '../support/service/process.ts'
import { share } from '../support/share.ts'
import { asCarried, CSV_MAPPING, closingOf, DIALECTS } from '../support/treasury/dialects.ts'
import { anyStatement } from '../support/treasury/statements.ts'

const seed = pickSeed()
console.log(`SEED=${seed}`)

/** The bytes in pieces of any length, so that no reader relies on whole lines. */
async function* inPieces(text: string | Uint8Array, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

function partsOf(reader: StatementReader, text: string | Uint8Array): Promise<StatementPart[]> {
  return Array.fromAsync(reader.read(inPieces(text, text.length > 10_000 ? 4_099 : 7)))
}

const linesIn = (parts: readonly StatementPart[]) =>
  parts.filter((part): part is StatementLine => part.kind === 'line')
const endsIn = (parts: readonly StatementPart[]) =>
  parts.filter((part): part is StatementEnd => part.kind === 'end')

for (const dialect of DIALECTS) {
  test(`any statement, written as ${dialect.name}: read back equal`, async () => {
    const random = seeded(seed)
    for (let round = 0; round < share(40, 2_000); round += 1) {
      const opening = BigInt(Math.floor(random() * 2_000_000)) - 1_000_000n
      const count =
        dialect.format === 'csv' ? 1 + Math.floor(random() * 9) : Math.floor(random() * 9)
      const statement = anyStatement(random, { day: '2026-11-30', opening, count })
      const text = dialect.write(statement)
      const { account, currency } = statement
      const reader =
        detectFormat(Buffer.from(text)) ?? csvReader({ mapping: CSV_MAPPING, account, currency })
      const [head, ...parts] = await partsOf(reader, text)
      assert.deepEqual(head, { kind: 'head', format: dialect.format, account, currency }, text)
      const expected = statement.lines.map(line => asCarried(dialect, line))
      assert.deepEqual(linesIn(parts), expected, text)
      const [end] = endsIn(parts)
      assert.equal(end?.opening, opening)
      assert.equal(end?.closing, closingOf(statement))
      assert.equal(end?.is_final, true)
    }
  })
}

/** An MT940 statement with these lines between its balances. */
const mt940 = (lines: string, opening = 'C261129EUR100,00', closing = '62F:C261130EUR100,00') =>
  `:20:STARTUMSE\r\n:25:10050000/1234567890\r\n:28C:00012/001\r\n:60F:${opening}\r\n` +
  `${lines}\r\n:${closing}\r\n-\r\n`

const camt = (entries: string, more = '', kind = 'BkToCstmrStmt', part = 'Stmt') =>
  '<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">' +
  `<${kind}><${part}><Id>S1</Id><Acct><Id><IBAN>DE89370400440532013000</IBAN></Id><Ccy>EUR</Ccy>` +
  `</Acct>${more}${entries}</${part}></${kind}></Document>`

const entry = (inner: string, amount = '<Amt Ccy="EUR">12.50</Amt><CdtDbtInd>DBIT</CdtDbtInd>') =>
  `<Ntry>${amount}<Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-11-30</Dt></BookgDt>${inner}</Ntry>`

const balance = (code: string, amount: string, sign = 'CRDT', day = '2026-11-30') =>
  `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${amount}</Amt>` +
  `<CdtDbtInd>${sign}</CdtDbtInd><Dt><Dt>${day}</Dt></Dt></Bal>`

const bai2 = (lines: string, group = '1,261130,,USD,2') => {
  const records = lines.split('\n')
  return (
    `01,BANK,US,261130,2000,7,,,2/\n02,US,BANK,${group}/\n03,123456,,010,1000,,/\n` +
    `${lines}\n49,,${records.length + 2}/\n98,,1,${records.length + 4}/\n99,,1,${records.length + 6}/\n`
  )
}

interface Trap {
  readonly what: string
  readonly reader: StatementReader
  readonly text: string
  /** The lines, by the members that are in question. */
  readonly lines?: readonly Partial<StatementLine>[]
  /** The ends, likewise. */
  readonly ends?: readonly Partial<StatementEnd>[]
}

const TRAPS: readonly Trap[] = [
  {
    what: 'MT940, :62F: dated the next day: the lines keep their day',
    reader: mt940Reader,
    text: mt940(':61:2611301130D12,50NMSCNONREF//B1', undefined, '62F:C261201EUR87,50'),
    lines: [{ amount: -1250n, booked_on: '2026-11-30', end_to_end_id: '', bank_reference: 'B1' }],
    ends: [{ opening: 10_000n, closing: 8_750n, closed_on: '2026-12-01', is_final: true }],
  },
  {
    what: 'MT940, balances in debit: negative',
    reader: mt940Reader,
    text: mt940(':61:261130C5,NTRFX', 'D261129EUR100,5', '62F:D261130EUR95,5'),
    lines: [{ amount: 500n, booked_on: '2026-11-30', end_to_end_id: 'X' }],
    ends: [{ opening: -10_050n, closing: -9_550n }],
  },
  {
    what: 'MT940, funds code and reversal marks: RC takes money out, RD brings it in',
    reader: mt940Reader,
    text: mt940(
      [
        ':61:2611301130CR1,00NTRFA',
        ':61:2611301130DR2,00NTRFB',
        ':61:2611301130RC3,00NTRFC',
        ':61:2611301130RDR4,00NTRFD',
        ':61:2611301130EC5,00NTRFE',
      ].join('\r\n'),
    ),
    lines: [{ amount: 100n }, { amount: -200n }, { amount: -300n }, { amount: 400n }],
  },
  {
    what: 'MT940, entry date of December and value date of January: the nearest year',
    reader: mt940Reader,
    text: mt940(':61:2701021231C1,00NTRFA\r\n:61:2612310102C1,00NTRFB'),
    lines: [
      { value_on: '2027-01-02', booked_on: '2026-12-31' },
      { value_on: '2026-12-31', booked_on: '2027-01-02' },
    ],
  },
  {
    what: 'MT940, :86: with German subfields: ids, name, account and text without the marks',
    reader: mt940Reader,
    text: mt940(
      ':61:2611301130C1,00NTRFNONREF//B\r\n:86:166?00GUTSCHRIFT?109310?20EREF+1NGPF6JQS58K8HS' +
        '?21KREF+K-17?22SVWZ+Rechnung 12?23 vom 3.11.?30COBADEFFXXX?31DE0212030000000020\r\n' +
        '2051?32MEIER UND\r\n?33 SOEHNE?60 Danke',
    ),
    lines: [
      {
        code: 'NTRF/166',
        end_to_end_id: '1NGPF6JQS58K8HS',
        instruction: 'K-17',
        text: 'Rechnung 12 vom 3.11. Danke',
        counterparty: 'DE02120300000000202051',
        counterparty_name: 'MEIER UND SOEHNE',
      },
    ],
  },
  {
    what: 'MT940, :86: with code words: ids, name, account and text',
    reader: mt940Reader,
    text: mt940(
      ':61:2611301130D1,00N5441NGPF6JQS58K8HS//B\r\n:86:/EREF/1NGPF6JQS58K8HS//CNTP/NL91ABNA041716' +
        '\r\n4300/ABNANL2A/J. Jansen///REMI/USTD//Factuur 7/8/',
    ),
    lines: [
      {
        code: 'N544',
        end_to_end_id: '1NGPF6JQS58K8HS',
        instruction: '',
        counterparty: 'NL91ABNA0417164300',
        counterparty_name: 'J. Jansen',
        text: 'Factuur 7/8',
      },
    ],
  },
  {
    what: 'MT940, free text that names our id behind EREF: the id',
    reader: mt940Reader,
    text: mt940(':61:2611301130D1,00NTRFNONREF\r\n:86:TRANSFER EREF: 1NGPF6JQS58K8HS\r\nLTD'),
    lines: [{ end_to_end_id: '1NGPF6JQS58K8HS', text: 'TRANSFER EREF: 1NGPF6JQS58K8HS LTD' }],
  },
  {
    what: 'MT940, :86: behind :62F: or :65:: it is the statement’s, not the last line’s',
    reader: mt940Reader,
    text: mt940(
      ':61:2611301130C1,00NTRFA',
      undefined,
      '62F:C261130EUR101,00\r\n:65:C261201EUR101,00\r\n:86:OVERDRAFT LIMIT 5000',
    ),
    lines: [{ text: '' }],
  },
  {
    what: 'MT940, pages with interim balances: one statement',
    reader: mt940Reader,
    text:
      mt940(':61:2611301130C1,00NTRFA', undefined, '62M:C261130EUR101,00') +
      mt940(':61:2611301130C2,00NTRFB', '', '62F:C261130EUR103,00').replace(
        ':60F:',
        ':60M:C261130EUR101,00',
      ),
    lines: [{ amount: 100n }, { amount: 200n }],
    ends: [{ opening: 10_000n, closing: 10_300n, is_final: true }],
  },
  {
    what: 'MT940 that ends with an interim balance: not final',
    reader: mt940Reader,
    text: mt940(':61:2611301130C1,00NTRFA', undefined, '62M:C261130EUR101,00'),
    ends: [{ is_final: false }],
  },
  {
    what: 'MT940, two statements in blocks of SWIFT messages: two',
    reader: mt940Reader,
    text: ['1', '2']
      .map(
        of =>
          `{1:F01BANKDEFFAXXX0000000000}{2:I940BANKDEFFXXXXN}{4:\r\n:20:${of}\r\n:25:${of}\r\n` +
          `:28C:1\r\n:60F:C261130EUR1,\r\n:62F:C261130EUR1,\r\n-}{5:{CHK:1}}\r\n`,
      )
      .join(''),
    ends: [{ statement_id: '1 1' }, { statement_id: '2 1' }],
  },
  {
    what: 'MT940 in windows-1252: its letters',
    reader: mt940Reader,
    text: mt940(':61:2611301130C1,00NTRFA\r\n:86:M\u00fcller'),
    lines: [{ text: 'M\u00fcller' }],
  },
  {
    what: 'camt.053, entries that are pending or information: no lines',
    reader: camtReader,
    text: camt(['PDNG', 'INFO', 'BOOK'].map(of => entry('').replace('BOOK', of)).join('')),
    lines: [{ amount: -1250n }],
  },
  {
    what: 'camt.053, a reversed debit: the indicator of the entry tells the direction',
    reader: camtReader,
    text: camt(
      entry('', '<Amt Ccy="EUR">7</Amt><CdtDbtInd>CRDT</CdtDbtInd><RvslInd>true</RvslInd>'),
    ),
    lines: [{ amount: 700n }],
  },
  {
    what: 'camt.053, an entry in another currency with its counter value: the account’s currency',
    reader: camtReader,
    text: camt(
      entry(
        '<AmtDtls><CntrValAmt><Amt Ccy="EUR">9.10</Amt></CntrValAmt></AmtDtls>',
        '<Amt Ccy="USD">10.00</Amt><CdtDbtInd>CRDT</CdtDbtInd>',
      ),
    ),
    lines: [{ amount: 910n, currency: 'EUR' }],
  },
  {
    what: 'camt.053, an entry in another currency alone: that currency',
    reader: camtReader,
    text: camt(entry('', '<Amt Ccy="USD">10.00</Amt><CdtDbtInd>CRDT</CdtDbtInd>')),
    lines: [{ amount: 1000n, currency: 'USD' }],
  },
  {
    what: 'camt.053, payments that do not sum to their entry: no details',
    reader: camtReader,
    text: camt(
      entry(
        '<NtryDtls><Btch><PmtInfId>P1</PmtInfId></Btch>' +
          '<TxDtls><Refs/><Amt Ccy="EUR">5.00</Amt></TxDtls>' +
          '<TxDtls><Refs/><Amt Ccy="EUR">5.00</Amt></TxDtls></NtryDtls>',
      ),
    ),
    lines: [{ amount: -1250n, block: 'P1', details: [] }],
  },
  {
    what: 'camt.053, PRCD and a debit balance: the opening balance',
    reader: camtReader,
    text: camt('', balance('PRCD', '5.00', 'DBIT', '2026-11-29') + balance('CLBD', '5', 'DBIT')),
    ends: [{ opening: -500n, closing: -500n, closed_on: '2026-11-30', is_final: true }],
  },
  {
    what: 'camt.053 that ends with an interim balance: not final',
    reader: camtReader,
    text: camt(entry(''), balance('OPBD', '5.00') + balance('ITBD', '5.00')),
    ends: [{ is_final: false }],
  },
  {
    what: 'camt.053, a page between others: its interim balances',
    reader: camtReader,
    text: camt(
      entry(''),
      '<StmtPgntn><PgNb>2</PgNb><LastPgInd>false</LastPgInd></StmtPgntn>' +
        balance('ITBD', '20.00') +
        balance('ITBD', '7.50'),
    ),
    ends: [{ statement_id: 'S1/2', opening: 2_000n, closing: 750n, is_final: true }],
  },
  {
    what: 'camt.052 and camt.054: not final',
    reader: camtReader,
    text:
      camt(entry(''), '', 'BkToCstmrAcctRpt', 'Rpt') +
      camt(entry(''), '', 'BkToCstmrDbtCdtNtfctn', 'Ntfctn'),
    ends: [{ is_final: false }, { is_final: false }],
  },
  {
    what: 'BAI2, a text over continuations with commas and slashes: the whole text',
    reader: bai2Reader,
    text: bai2('16,195,700,V,261201,,B1,C1,PAYMENT, A/B\n88,SECOND, LINE/\n88,THIRD'),
    lines: [
      {
        amount: 700n,
        currency: 'USD',
        booked_on: '2026-11-30',
        value_on: '2026-12-01',
        code: '195',
        text: 'PAYMENT, A/B SECOND, LINE THIRD',
        end_to_end_id: 'C1',
        bank_reference: 'B1',
      },
    ],
  },
  {
    what: 'BAI2, funds types S and D: the fields behind them',
    reader: bai2Reader,
    text: bai2(
      '16,475,700,S,100,200,400,B1,C1,S\n16,475,800,D,2,0,300,1,500,B2,C2,D\n16,890,,,,,N',
    ),
    lines: [
      { amount: -700n, bank_reference: 'B1', end_to_end_id: 'C1', text: 'S' },
      { amount: -800n, bank_reference: 'B2', end_to_end_id: 'C2', text: 'D' },
    ],
  },
  {
    what: 'BAI2 of the running day: not final',
    reader: bai2Reader,
    text: bai2('16,195,700,,,,', '1,261130,,USD,1'),
    ends: [{ is_final: false, opening: 1_000n, closing: null }],
  },
]

for (const { what, reader, text, lines, ends } of TRAPS) {
  test(what, async () => {
    const bytes = what.includes('windows-1252') ? Buffer.from(text, 'latin1') : text
    assert.equal(detectFormat(Buffer.from(bytes)), reader)
    const parts = await partsOf(reader, bytes)
    const some = (of: readonly object[], wanted: readonly object[]) =>
      of.map((one, i) => {
        const names = Object.keys(wanted[i] ?? {})
        return Object.fromEntries(Object.entries(one).filter(([name]) => names.includes(name)))
      })
    if (lines !== undefined) assert.deepEqual(some(linesIn(parts), lines), lines)
    if (ends !== undefined) assert.deepEqual(some(endsIn(parts), ends), ends)
  })
}

const csvOf = (mapping: CsvMapping) => csvReader({ mapping, account: 'A', currency: 'EUR' })

test('CSV of a German bank, newest first, decimal comma, two columns: the days and balances', async () => {
  const mapping: CsvMapping = {
    ...{ booked_on: 'Buchungstag', credit: 'Haben', debit: 'Soll', balance: 'Saldo' },
    ...{ text: ['Zweck 1', 'Zweck 2'], date_format: 'DD.MM.YYYY', decimal_mark: ',' },
    ...{ newest_first: true, skip_lines: 2 },
  }
  const text =
    '\ufeffUmsätze\r\n\r\nBuchungstag;Soll;Haben;Saldo;Zweck 1;Zweck 2\r\n' +
    '30.11.2026;"1.234,50";;-1.034,50;"a;b";c\r\n29.11.2026;;100,00;200,00;d;\r\n'
  const parts = await partsOf(csvOf(mapping), text)
  const lines = linesIn(parts).map(({ amount, booked_on, text }) => ({ amount, booked_on, text }))
  assert.deepEqual(lines, [
    { amount: -123_450n, booked_on: '2026-11-30', text: 'a;b c' },
    { amount: 10_000n, booked_on: '2026-11-29', text: 'd' },
  ])
  const [end] = endsIn(parts)
  assert.deepEqual(
    [end?.opening, end?.closing, end?.opened_on, end?.closed_on],
    [10_000n, -103_450n, '2026-11-29', '2026-11-30'],
  )
})

const PLAIN: CsvMapping = { booked_on: 'day', amount: 'amount' }

/** Files that are refused, with the words of the error. */
const REFUSED: readonly (readonly [what: string, StatementReader, text: string, words: RegExp])[] =
  [
    [
      'camt, a negative amount',
      camtReader,
      camt(entry('', '<Amt Ccy="EUR">-5.00</Amt><CdtDbtInd>DBIT</CdtDbtInd>')),
      /^line 1: Amt of Ntry is "EUR -5.00", and an amount is digits/,
    ],
    [
      'camt, more decimals than the currency has',
      camtReader,
      camt(entry('', '<Amt Ccy="EUR">5.001</Amt><CdtDbtInd>DBIT</CdtDbtInd>')),
      /Amt of Ntry is "EUR 5.001"/,
    ],
    [
      'camt, no direction',
      camtReader,
      camt(entry('', '<Amt Ccy="EUR">5</Amt>')),
      /the entry has no CdtDbtInd/,
    ],
    ['camt, another message', camtReader, '<Document><X/></Document>', /has no camt.052, camt.053/],
    [
      'MT940, cut off',
      mt940Reader,
      mt940('').split(':62F:')[0] ?? '',
      /has no :62F:, so it is cut off/,
    ],
    [
      'MT940, a float',
      mt940Reader,
      mt940(':61:2611301130C1e5,00NTRFA'),
      /^line 5: field :61: is "2611301130C1e5,00NTRFA"/,
    ],
    [
      'MT940, more decimals than the currency has',
      mt940Reader,
      mt940(':61:2611301130C1,005NTRFA'),
      /field :61: has the amount "1,005", and an amount of EUR has at most 2 decimals/,
    ],
    ['BAI2, cut off', bai2Reader, bai2('16,195,7,,,,').split('99,')[0] ?? '', /has no record 99/],
    [
      'BAI2, another sum',
      bai2Reader,
      bai2('16,195,700,,,,').replace('49,,', '49,1701,'),
      /control total is 1701, and the amounts before it sum to 1700/,
    ],
    [
      'BAI2, another count',
      bai2Reader,
      bai2('16,195,700,,,,').replace('49,,3', '49,,4'),
      /it counts 4 lines of 3/,
    ],
    ['BAI2, a type without a direction', bai2Reader, bai2('16,900,7,,,,'), /type "900" says no/],
    [
      'CSV, a missing column',
      csvOf(PLAIN),
      'day,sum\n',
      /there is no column amount; the columns are/,
    ],
    [
      'CSV, a comma for a point',
      csvOf(PLAIN),
      'day;amount\n2026-11-30;1,5\n',
      /^line 2: column amount has "1,5", and an amount of EUR has "." and at most 2 decimals/,
    ],
    [
      'CSV, a day of another format',
      csvOf(PLAIN),
      'day,amount\n30.11.2026,1\n',
      /"30.11.2026" is not a day written YYYY-MM-DD/,
    ],
    [
      'CSV, another currency',
      csvOf({ ...PLAIN, currency: 'ccy' }),
      'day,amount,ccy\n2026-11-30,1,USD\n',
      /the row is in USD, and the nostro in EUR/,
    ],
  ]

for (const [what, reader, text, words] of REFUSED) {
  test(`${what}: unreadable, with the place and what was expected`, async () => {
    await assert.rejects(partsOf(reader, text), { name: 'UnreadableFile', message: words })
  })
}
