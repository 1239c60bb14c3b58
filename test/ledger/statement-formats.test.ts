// The formats of statements for lines of every size: judged by the oracles beside this file, which
// share no code with what writes them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type {
  BalanceTransactionType,
  FxConversion,
} from '../../src/statements/balance-transaction/balance-transaction.ts'
import {
  camt053Writer,
  fitsIso20022,
  isoRate,
} from '../../src/statements/balance-transaction/statement/camt053.ts'
import { csvWriter } from '../../src/statements/balance-transaction/statement/csv.ts'
import { mt940Writer } from '../../src/statements/balance-transaction/statement/mt940.ts'
import { pdfWriter } from '../../src/statements/balance-transaction/statement/pdf.ts'
import {
  type BookedLine,
  type MakesWriter,
  type Statement,
  StatementFault,
  type Totals,
} from '../../src/statements/balance-transaction/statement/statement.ts'
import { writeStatement } from '../../src/statements/balance-transaction/statement/write.ts'
import { CURRENCIES, currencyExponent } from '../../src/values/money/currency.ts'
import { parseDecimal, parseMajor } from '../../src/values/money/decimal.ts'
import { swiftText } from '../../src/values/text/swift-text.ts'
import { anyCharacters } from '../support/given/any-characters.ts'
import { readPdf } from '../support/read/pdf.ts'
import { share } from '../support/share.ts'
import { faultsOf, readXml, select, textOf } from './camt053-schema.ts'
import { readMt940 } from './mt940-reader.ts'

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
const options = { seed, numRuns: share(75, 150) }
console.log(`SEED=${seed}`)

const AT = '2026-02-28T23:59:59.999999Z'
const TYPES: readonly BalanceTransactionType[] = [
  'escrow',
  'payout',
  'payout_failure',
  'payout_reversal',
  'conversion_out',
  'conversion_in',
]

type Payee = Pick<
  BookedLine,
  'payee_name' | 'payee_account' | 'payee_bic' | 'purpose' | 'creditor_reference'
>
const NO_PAYEE: Payee = {
  ...{ payee_name: '', payee_account: '', payee_bic: '', purpose: '', creditor_reference: '' },
}

/** Parts of a line; the rest follows from them. */
interface Part {
  readonly amount: bigint
  readonly fees: readonly [bigint, bigint]
  readonly type: BalanceTransactionType
  readonly reference_id: string
  readonly transaction_description: string
  readonly payee?: Payee
  readonly description: string
  readonly fx_conversions: readonly FxConversion[]
}

const someText = fc.oneof(
  fc.string({ maxLength: 128 }),
  anyCharacters(60),
  fc.constantFrom(
    '',
    '-:-:'.repeat(32),
    '/'.repeat(128),
    '<![CDATA[]]>&amp;',
    '\u0000\u0001\ufffe',
    '💶'.repeat(60),
  ),
)
const code = fc.constantFrom(...CURRENCIES.keys())
const size = fc.bigInt({ min: 1n, max: 10n ** 12n })
const conversion: fc.Arbitrary<FxConversion> = fc
  .record({
    rate: fc.tuple(fc.bigInt({ min: 1n, max: 10n ** 12n }), fc.integer({ min: 0, max: 20 })),
    ...{ from: code, to: code, initial: size, final: size },
  })
  .map(({ rate: [digits, scale], from, to, initial, final }) => ({
    exchange_rate: { digits, scale },
    initial: { amount: initial, currency: from },
    final: { amount: final, currency: to },
  }))
const part: fc.Arbitrary<Part> = fc.record({
  amount: size,
  fees: fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 6n }), fc.bigInt({ min: 0n, max: 10n ** 6n })),
  type: fc.constantFrom(...TYPES),
  reference_id: someText,
  transaction_description: someText,
  payee: fc.record({
    payee_name: someText,
    payee_account: fc.oneof(someText, fc.constant('DE89370400440532013000')),
    payee_bic: fc.constantFrom('', 'DEUTDEFF500', 'unknown'),
    purpose: fc.oneof(someText, fc.constantFrom('SALA', 'supplier_payment')),
    creditor_reference: fc.constantFrom('', 'RF18539007547034'),
  }),
  description: fc.constantFrom('pot_01m7xpm2mf68g5sr1x74', `esc_${'9'.repeat(60)}`),
  fx_conversions: fc.array(conversion, { maxLength: 2 }),
})

/** Lines that add up, the debits among them no larger than what is there. */
function linesOf(parts: readonly Part[], currency: string, opening: bigint): BookedLine[] {
  let balance = opening
  return parts.map((one, i) => {
    const sign = one.type === 'payout' ? -1n : 1n
    const fixed_fee = sign * one.fees[0]
    const variable_fee = sign * one.fees[1]
    const net_amount = sign * one.amount + fixed_fee + variable_fee
    balance += net_amount
    return {
      account_id: 'acc_7k2m9x4q',
      id: `btr_${i.toString().padStart(20, '0')}`,
      journal_number: BigInt(i + 1),
      type: one.type,
      operation_type: net_amount > 0n ? 'credit' : 'debit',
      currency,
      amount: sign * one.amount,
      ...{ fixed_fee, variable_fee, net_amount, balance_after: balance },
      fx_conversions: one.fx_conversions,
      description: one.description,
      source: one.description,
      metadata: {},
      created_at: AT,
      reference_id: one.reference_id,
      transaction_description: one.transaction_description,
      ...(one.payee ?? NO_PAYEE),
      uetr: one.type === 'payout' ? 'eb6305c9-1f7f-49de-aed0-16487c27b42d' : '',
    }
  })
}

function totalsOf(lines: readonly BookedLine[]): Totals {
  const sum = (of: (amount: bigint) => bigint) =>
    lines.reduce((total, { net_amount }) => total + of(net_amount), 0n)
  return {
    count: lines.length,
    credits: sum(net => (net > 0n ? net : 0n)),
    debits: sum(net => (net < 0n ? -net : 0n)),
  }
}

async function written(
  writer: MakesWriter,
  lines: readonly BookedLine[],
  currency: string,
  opening: bigint,
  more: Partial<Statement> = {},
): Promise<string> {
  const closing = lines.at(-1)?.balance_after ?? opening
  const statement: Statement = {
    account_id: 'acc_7k2m9x4q',
    zone: 'UTC',
    above: { created_at: '2026-02-01T00:00:00.000000Z', side: 'before' },
    below: { created_at: '2026-03-01T00:00:00.000000Z', side: 'before' },
    filters: {},
    first: '1',
    end: String(lines.length + 1),
    created_at: '2026-03-02T07:00:00.123456Z',
    from: '2026-02-01T00:00:00.000000Z',
    to: '2026-03-01T00:00:00.000000Z',
    balances: [{ currency, opening, closing }],
    complete: true,
    interim: false,
    ...more,
  }
  const half = Math.ceil(lines.length / 2)
  async function* pages() {
    yield lines.slice(0, half)
    yield lines.slice(half)
  }
  return (await Array.fromAsync(writeStatement(statement, writer, pages))).join('')
}

/** Enough for any debits. */
const OPENING = 10n ** 13n

const minor = (text: string, currency: string) => {
  const amount = parseMajor(text.replace('-', ''), currencyExponent(currency))
  assert.ok(amount !== undefined, text)
  return text.startsWith('-') ? -amount : amount
}

test('camt053, random lines in every supported currency: valid message, sums agree', async () => {
  const fitting = [...CURRENCIES.keys()].filter(fitsIso20022)
  assert.equal(fitting.length, CURRENCIES.size - 2)
  await fc.assert(
    fc.asyncProperty(
      fc.array(part, { maxLength: 12 }),
      fc.constantFrom(...fitting),
      someText,
      async (parts, currency, name) => {
        const lines = linesOf(parts, currency, OPENING)
        const text = await written(
          camt053Writer(name, () => totalsOf(lines)),
          lines,
          currency,
          OPENING,
        )
        const root = readXml(text)
        assert.deepEqual(faultsOf(root), [])
        const stmt = select(root, 'BkToCstmrStmt/Stmt')[0]
        assert.ok(stmt)
        const entries = select(stmt, 'Ntry')
        const sum = entries.reduce((total, entry) => {
          const amount = minor(textOf(entry, 'Amt'), currency)
          return textOf(entry, 'CdtDbtInd') === 'DBIT' ? total - amount : total + amount
        }, OPENING)
        const [opening, closing] = select(stmt, 'Bal/Amt').map(one => minor(one.text, currency))
        assert.deepEqual([opening, closing], [OPENING, sum])
      },
    ),
    options,
  )
})

test('mt940, random lines in every supported currency: valid by the standard, sums agree', async () => {
  const fitting = [...CURRENCIES.keys()].filter(one => one.length === 3)
  await fc.assert(
    fc.asyncProperty(
      fc.array(part, { maxLength: 40 }),
      fc.constantFrom(...fitting),
      async (parts, currency) => {
        const lines = linesOf(parts, currency, OPENING)
        const pages = readMt940(await written(mt940Writer, lines, currency, OPENING))
        let balance = OPENING
        for (const page of pages) {
          assert.ok(page.length <= 2_000)
          assert.equal(minor(page.opening.amount, currency), balance)
          for (const line of page.lines) balance += minor(line.amount, currency)
          assert.equal(minor(page.closing.amount, currency), balance)
        }
        assert.equal(balance, lines.at(-1)?.balance_after ?? OPENING)
        assert.equal(pages.flatMap(page => page.lines).length, lines.length)
        assert.deepEqual([pages.at(-1)?.closing.date, pages[0]?.number], ['2026-02-28', 26059])
      },
    ),
    options,
  )
})

const FAULTS: readonly (readonly [what: string, from: RegExp, to: string, fault: RegExp])[] = [
  ['another namespace', /001\.08"/, '001.02"', /namespace/],
  ['elements out of order', /(<Sts>.*?<\/Sts>)(<BookgDt>.*?<\/BookgDt>)/, '$2$1', /out of order/],
  ['a balance missing its date', /<Dt><Dt>[^/]*<\/Dt><\/Dt>/, '', /0 Dt/],
  ['six fraction digits', /(<Bal>.*?)\d\.\d\d</, '$11.000001<', /5 fraction digits/],
  ['nineteen digits', /(<Bal>.*?Ccy="USD">)/, '$112345678901234567', /18 digits/],
  ['a negative amount', /(<Bal>.*?Ccy="USD">)/, '$1-', /zero or more/],
  ['a code that is none', /OPBD/, 'OPEN', /OPBD or CLBD or ITBD/],
  ['a currency of four letters', /Ccy="USD"/, 'Ccy="USDC"', /attributes/],
  ['a text too long', /<NtryRef>/, `<NtryRef>${'x'.repeat(35)}`, /1 to 35/],
  ['an element unknown', /<NtryRef>/, '<Colour>red</Colour><NtryRef>', /not known/],
  ['a day that is none', /<ValDt><Dt>2026-02-28/, '<ValDt><Dt>2026-02-30', /a date/],
  ['an empty text', /<Nm>.*?<\/Nm>/, '<Nm></Nm>', /1 to 70/],
]
test("mt940, code words in customers' texts: read as text by the bank", async () => {
  const texts = ['x/CHGS/USD9,99', 'CHGS/USD9,99', '/CHGS/EREF/', 'x/UETR', 'UETR', '/REMI/ID/btr']
  for (const text of texts) {
    const [line] = linesOf(
      [
        {
          ...{ amount: 100n, fees: [0n, 0n], type: 'escrow', fx_conversions: [] },
          ...{ reference_id: text, transaction_description: text, description: 'esc_1' },
        },
      ],
      'EUR',
      OPENING,
    )
    const file = await written(mt940Writer, [line as BookedLine], 'EUR', OPENING)
    const { information } = readMt940(file)[0]?.lines[0] ?? assert.fail()
    // Code words of which one ends where the next begins, as a reader finds them.
    const words = [...information.matchAll(/\/(?=([A-Z]+)\/)/g)].map(([, word]) => word)
    assert.deepEqual(words, ['ID', 'TRTP', 'SRCE', 'EREF', 'REMI'], information)
  }
  const kept = { reference_id: 'INV/2026/01/A', transaction_description: 'see CHGS and ID' }
  const [line] = linesOf(
    [{ amount: 1n, fees: [0n, 0n], type: 'escrow', fx_conversions: [], ...kept, description: '' }],
    'EUR',
    OPENING,
  )
  const file = await written(mt940Writer, [line as BookedLine], 'EUR', OPENING)
  assert.match(file.replaceAll('\r\n', ''), /\/EREF\/INV\/2026\/01\/A\/REMI\/see CHGS and ID:62F:/)
})

test('camt.053 oracle, document with a fault: each fault found', async () => {
  const parts: Part[] = [
    {
      ...{ amount: 5n, fees: [1n, 2n], type: 'payout', description: 'pot_1' },
      ...{ reference_id: 'r', transaction_description: 't', fx_conversions: [] },
    },
  ]
  const lines = linesOf(parts, 'USD', OPENING)
  const text = await written(
    camt053Writer('Name', () => totalsOf(lines)),
    lines,
    'USD',
    OPENING,
  )
  assert.deepEqual(faultsOf(readXml(text)), [])
  for (const [what, from, to, fault] of FAULTS) {
    const broken = text.replace(from, to)
    assert.notEqual(broken, text, what)
    let faults: string[] = []
    try {
      faults = faultsOf(readXml(broken))
    } catch (error) {
      assert.fail(`${what}: ${error}`)
    }
    assert.match(faults.join('\n'), fault, what)
  }
})

test('isoRate: at most ten fraction digits and eleven digits in total, rounded once', () => {
  const rows: readonly [rate: string, want: string | undefined][] = [
    ['1', '1'],
    ['7.84790132221', '7.8479013222'],
    ['160.123456789', '160.12345679'],
    ['0.000000142857142857', '0.0000001429'],
    ['0.00000000004', undefined],
    ['0.00000000005', '0.0000000001'],
    ['9.99999999995', '10'],
    ['99999999999.4', '99999999999'],
    ['100000000000', undefined],
    ['123456789012', undefined],
    ['99999999999.5', undefined],
  ]
  for (const [rate, want] of rows) {
    const decimal = parseDecimal(rate)
    assert.equal(decimal && isoRate(decimal), want, rate)
  }
})

test('swiftText: letters of the SWIFT X set, accents removed, underscores as hyphens', () => {
  assert.equal(swiftText('btr_1 Über #1 “x”\n№7'), 'btr-1 Uber .1 .x. No7')
})

const PAYEE: Payee = {
  payee_name: 'Anna Müller /REMI/',
  payee_account: 'DE89370400440532013000',
  payee_bic: 'DEUTDEFF500',
  purpose: 'SALA',
  creditor_reference: 'RF18539007547034',
}
const PAID = linesOf(
  [
    {
      ...{ amount: 500n, fees: [100n, 0n], type: 'payout', fx_conversions: [] },
      ...{ reference_id: 'INV-1', transaction_description: 'Wages', description: 'pot_1' },
      payee: PAYEE,
    },
  ],
  'EUR',
  OPENING,
)
const camt053 = camt053Writer('Name', () => totalsOf(PAID))

test('statements, payout: name, account, purpose, description and references of the payee', async () => {
  const root = readXml(await written(camt053, PAID, 'EUR', OPENING))
  assert.deepEqual(faultsOf(root), [])
  const [details] = select(root, 'BkToCstmrStmt/Stmt/Ntry/NtryDtls/TxDtls')
  const at = (path: string) => textOf(details ?? assert.fail(), path)
  assert.equal(at('RltdPties/Cdtr/Pty/Nm'), PAYEE.payee_name)
  assert.equal(at('RltdPties/CdtrAcct/Id/IBAN'), PAYEE.payee_account)
  assert.equal(at('RltdAgts/CdtrAgt/FinInstnId/BICFI'), PAYEE.payee_bic)
  assert.equal(at('Purp/Cd'), 'SALA')
  assert.equal(at('RmtInf/Ustrd'), 'Wages')
  assert.equal(at('RmtInf/Strd/CdtrRefInf/Ref'), PAYEE.creditor_reference)
  const [message] = readMt940(await written(mt940Writer, PAID, 'EUR', OPENING))
  const { information = '' } = message?.lines[0] ?? {}
  const words = ['BENM/Anna Muller /REMI.', 'ACCT/DE89370400440532013000', 'BIC/DEUTDEFF500']
  for (const word of [...words, 'SREF/RF18539007547034', 'PURP/SALA', 'REMI/Wages']) {
    assert.ok(information.includes(`/${word}`), `${word} in ${information}`)
  }
  const csv = await written(csvWriter, PAID, 'EUR', OPENING)
  const texts = 'Anna Müller /REMI/,DE89370400440532013000,DEUTDEFF500,SALA,Wages,RF18539007547034'
  assert.ok(csv.includes(texts), csv)
})

const pdfOf = async (lines: readonly BookedLine[], more: Partial<Statement> = {}) => {
  const writer = pdfWriter('Müller GmbH', () => totalsOf(lines))
  return readPdf(Buffer.from(await written(writer, lines, 'EUR', OPENING, more), 'latin1'))
}

test('pdf, payouts: days, payees, amounts with fees, running and closing balance', async () => {
  const { texts } = await pdfOf(PAID)
  const all = texts.join('|')
  assert.match(all, /1 February 2026 to 28 February 2026, both days included/)
  assert.match(all, /Opening balance\|100,000,000,000\.00/)
  assert.match(all, /2026-02-28\|Anna Müller \/REMI\/\|6\.00\|99,999,999,994\.00\|Payout · DE8937/)
  assert.match(all, /· fees 1\.00 ·|\|fees 1\.00 ·/)
  assert.match(all, /Closing balance\|99,999,999,994\.00/)
  const interim = (await pdfOf(PAID, { interim: true })).texts.join('|')
  assert.match(interim, /Interim statement.*The last day was not over.*Interim balance/s)
})

test('pdf, characters that its font does not have: replaced, and named at its end', async () => {
  const named = (payee_name: string) => PAID.map(line => ({ ...line, payee_name }))
  const { texts } = await pdfOf(named('張三 Дмитрий'))
  assert.ok(texts.includes('□□ Дмитрий'), texts.join('|'))
  assert.match(texts.join(' '), /□ stands for a character .*: U\+5F35, U\+4E09\. The API and CSV/s)
  const { texts: whole } = await pdfOf(named('Łukasz Ünal'))
  assert.doesNotMatch(whole.join(' '), /stands for/)
})

test('pdf, more lines than a page: pages with their numbers; more than 10,000 lines: refused', async () => {
  const many = (count: number) => Array.from({ length: count }, () => PAID).flat()
  const lines = many(60).map((line, i) => {
    return { ...line, balance_after: OPENING - 600n * BigInt(i + 1) }
  })
  const { pages, texts } = await pdfOf(lines)
  assert.equal(pages, 4)
  assert.ok(texts.includes('Page 4'))
  const tooMany = pdfWriter('Name', () => ({ ...totalsOf([]), count: 10_001 }))
  await assert.rejects(written(tooMany, [], 'EUR', OPENING), /at most 10000; take a shorter period/)
})

test('statements of two accounts, same period and currency: no id in common', async () => {
  const idsOf = async (account_id: string) => {
    const root = readXml(await written(camt053, PAID, 'EUR', OPENING, { account_id }))
    const [stmt] = select(root, 'BkToCstmrStmt/Stmt')
    const [message] = readMt940(await written(mt940Writer, PAID, 'EUR', OPENING, { account_id }))
    const message_id = textOf(root, 'BkToCstmrStmt/GrpHdr/MsgId')
    return [message_id, textOf(stmt ?? assert.fail(), 'Id'), message?.reference]
  }
  const [one, other, again] = [await idsOf('acc_a'), await idsOf('acc_b'), await idsOf('acc_a')]
  assert.deepEqual(one, again)
  assert.equal(new Set([...one, ...other]).size, 6)
})

test('statements, last day not over: marked as interim in every format', async () => {
  const file = (writer: MakesWriter, interim: boolean) =>
    written(writer, PAID, 'EUR', OPENING, { interim })
  for (const interim of [true, false]) {
    const root = readXml(await file(camt053, interim))
    assert.deepEqual(faultsOf(root), [])
    const codes = select(root, 'BkToCstmrStmt/Stmt/Bal').map(one => textOf(one, 'Tp/CdOrPrtry/Cd'))
    assert.deepEqual(codes, ['OPBD', interim ? 'ITBD' : 'CLBD'])
    assert.equal(textOf(root, 'BkToCstmrStmt/Stmt/AddtlStmtInf').startsWith('Interim'), interim)
    const [message] = readMt940(await file(mt940Writer, interim))
    assert.equal(message?.closing.tag, interim ? '62M' : '62F')
    assert.equal(message?.note.startsWith('INTERIM'), interim)
    const last = (await file(csvWriter, interim)).trimEnd().split('\r\n').at(-1) ?? ''
    assert.equal(last.split(',')[0], interim ? 'interim' : 'closing')
  }
})

test('statements, days of a zone: dates of lines and balances are days there', async () => {
  const zone = 'Asia/Hong_Kong'
  const [from, to] = ['2026-01-31T16:00:00.000000Z', '2026-02-28T16:00:00.000000Z']
  const lines = PAID.map(line => ({ ...line, created_at: '2026-02-27T17:00:00.000000Z' }))
  const more = { zone, from, to }
  const root = readXml(await written(camt053, lines, 'EUR', OPENING, more))
  const days = select(root, 'BkToCstmrStmt/Stmt/Bal').map(one => textOf(one, 'Dt/Dt'))
  assert.deepEqual(days, ['2026-02-01', '2026-02-28'])
  assert.equal(textOf(root, 'BkToCstmrStmt/Stmt/Ntry/ValDt/Dt'), '2026-02-28')
  const [message] = readMt940(await written(mt940Writer, lines, 'EUR', OPENING, more))
  const dates = [message?.opening.date, message?.lines[0]?.value_date, message?.closing.date]
  assert.deepEqual(dates, ['2026-02-01', '2026-02-28', '2026-02-28'])
})

test('statements, amount too long for a format: refused, never truncated', async () => {
  const huge = 9_007_199_254_740_991_000n
  for (const writer of [camt053Writer('Name', () => totalsOf([])), mt940Writer]) {
    await assert.rejects(written(writer, [], 'JPY', huge), StatementFault)
  }
  assert.match(await written(csvWriter, [], 'JPY', huge), /closing,.*,9007199254740991000,/)
})

test('statements, lines that do not add up to their balances: throws before the closing balance', async () => {
  const parts = fc.sample(part, { seed, numRuns: 6 })
  const lines = linesOf(parts, 'EUR', OPENING)
  const third = lines[2] as BookedLine
  const wrong: BookedLine[][] = [
    lines.map(line =>
      line === third ? { ...line, balance_after: line.balance_after + 1n } : line,
    ),
    lines.map(line => (line === third ? { ...line, net_amount: line.net_amount - 1n } : line)),
    lines.filter(line => line !== third),
    [...lines.slice(0, 3), third, ...lines.slice(3)],
    lines.toReversed(),
  ]
  for (const writer of [csvWriter, mt940Writer, camt053Writer('Name', () => totalsOf(lines))]) {
    for (const one of wrong) {
      await assert.rejects(written(writer, one, 'EUR', OPENING), StatementFault)
    }
    await written(writer, lines, 'EUR', OPENING)
  }
})
