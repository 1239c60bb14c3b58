// Tests ACH files against an independent implementation. The test bank shares no code with this
// room: it reads the files that we write, and we read the files that it writes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type AchEntry,
  type AchReturn,
  readAch as readIndependently,
  writeReturns,
} from '../../../examples/bank/ach.ts'
import { pickSeed, seeded } from '../../../test/support/service/process.ts'
import { share } from '../../../test/support/share.ts'
import type {
  BankLine,
  BankProfile,
  FileBatch,
  FileItem,
} from '../../values/bank-format/bank-format.ts'
import { NACHA } from './format.ts'
import { SAME_DAY_LIMIT } from './settlement.ts'

const seed = pickSeed()
const chance = seeded(seed)
const randomBelow = (most: number) => Math.floor(chance() * most)
const oneOf = <T>(values: readonly T[]): T => values[randomBelow(values.length)] as T
const characters = (count: number, of: string) =>
  Array.from({ length: count }, () => of.charAt(randomBelow(of.length))).join('')

const DIGITS = '0123456789'
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

const WRITTEN = {
  name: 'Test bank',
  nacha: {
    immediate_destination: '091000019',
    immediate_destination_name: 'WELLS FARGO',
    immediate_origin: '1234567890',
    immediate_origin_name: 'CORRIDOR',
    company_id: '1234567890',
    company_name: 'CORRIDOR',
    odfi: '091000019',
    entry_description: 'PAYOUT',
  },
}

function profileOf(changes: object = {}): BankProfile {
  const { value, messages } = NACHA.readProfile({
    ...WRITTEN,
    nacha: { ...WRITTEN.nacha, ...changes },
  })
  assert.ok(value !== undefined, String(messages))
  return value
}

/** A random routing number: a Federal Reserve district, and a right check digit. */
function routing(): string {
  const first = `${oneOf(['01', '02', '06', '11', '12', '21', '32'])}${characters(6, DIGITS)}`
  const sum = Array.from(first).reduce((all, d, i) => all + Number(d) * ([3, 7, 1][i % 3] ?? 0), 0)
  return `${first}${(10 - (sum % 10)) % 10}`
}

function makeItem(changes: Partial<FileItem> = {}): FileItem {
  const kind = oneOf(['person', 'company'] as const)
  return {
    end_to_end_id: characters(15, DIGITS + LETTERS),
    uetr: '',
    amount: oneOf([1n, 9_999_999_999n, BigInt(1 + randomBelow(9_000_000))]),
    currency: 'USD',
    charge_bearer: 'SLEV',
    creditor: {
      name: oneOf(['Ada Lovelace', 'Åsa Öberg & Søn', 'Иван Петров', 'X', 'A'.repeat(70)]),
      kind,
      address: { street: '', town: '', postcode: '', state: '', country: 'US' },
      iban: '',
      account: characters(1 + randomBelow(17), DIGITS),
      bic: '',
      clearing_code: `USABA${routing()}`,
      bank_name: '',
      account_type: oneOf(['', 'checking', 'savings'] as const),
    },
    remittance: oneOf(['', 'Invoice 2041', 'Ünïcode *~\\ and much more '.repeat(6)]),
    creditor_reference: '',
    ultimate_debtor: null,
    purpose: oneOf(['', 'SALA', 'SUPP']),
    ...changes,
  }
}

function makeBatch(changes: Partial<FileBatch> = {}): FileBatch {
  return {
    msg_id: characters(16, DIGITS + LETTERS),
    created_at: '2026-11-23T15:00:00.000000Z',
    execution_date: '2026-11-24',
    settlement_account: {
      name: 'Operating',
      holder: 'Corridor Inc',
      address: { street: '', town: '', postcode: '', state: '', country: 'US' },
      currency: 'USD',
      iban: '',
      account: '000123456789',
      bic: '',
      clearing_code: 'USABA091000019',
    },
    profile: profileOf(),
    items: Array.from({ length: 1 + randomBelow(12) }, () => makeItem()),
    ...changes,
  }
}

async function* inPieces(text: string, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text, 'latin1')
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const readLines = (text: string, size?: number): Promise<BankLine[]> =>
  Array.fromAsync(NACHA.read(inPieces(text, size), profileOf()))

test(`ACH file, random credits: readable by a second implementation, equal sums and hashes (SEED=${seed})`, async () => {
  for (let i = 0; i < share(100, 1_000); i++) {
    const batch = makeBatch()
    const { bytes, count, control_sum, places } = NACHA.write(batch)
    assert.deepEqual(await NACHA.check(bytes, batch.profile), [])
    const { entries, credits, hash } = readIndependently(bytes)
    const total = batch.items.reduce((sum, { amount }) => sum + amount, 0n)
    assert.equal(credits, total)
    assert.equal(control_sum, `${total / 100n}.${String(total % 100n).padStart(2, '0')}`)
    const banks = batch.items.map(({ creditor }) => BigInt(creditor.clearing_code.slice(5, 13)))
    assert.equal(hash, banks.reduce((sum, bank) => sum + bank, 0n) % 10n ** 10n)
    assert.equal(count, batch.items.length)
    assert.equal(entries.length, count)
    for (const item of batch.items) {
      const entry = entries.find(({ individual_id }) => individual_id === item.end_to_end_id)
      assert.ok(entry !== undefined)
      assertSame(entry, item)
      assert.deepEqual(places.get(item.end_to_end_id), {
        payment_information_id: entry.batch,
        instruction_id: entry.trace,
      })
    }
    // The same batch is the same file.
    assert.deepEqual(NACHA.write(batch).bytes, bytes)
  }
})

function assertSame(entry: AchEntry, { amount, creditor, purpose, remittance }: FileItem): void {
  const person = creditor.kind === 'person'
  assert.equal(entry.amount, amount)
  assert.equal(entry.routing, creditor.clearing_code.slice(5))
  assert.equal(entry.account, creditor.account)
  assert.equal(entry.transaction_code, creditor.account_type === 'savings' ? '32' : '22')
  assert.equal(entry.entry_class, person ? 'PPD' : 'CCD')
  assert.equal(entry.description, person && purpose === 'SALA' ? 'PAYROLL' : 'PAYOUT')
  assert.equal(entry.addenda.length, remittance === '' ? 0 : 1)
  assert.equal(entry.effective, '261124')
  assert.equal(entry.same_day, '')
}

test('ACH file, customer text contains a code word of references: code word removed', () => {
  const batch = makeBatch({ items: [makeItem({ remittance: 'EREF+1NGPF6GJVKTQZJS' })] })
  assert.match(Buffer.from(NACHA.write(batch).bytes).toString(), /NTE\*\*EREF\.1NGPF6GJVKTQZJS/)
})

test('ACH file, five entries in three batches: equal to the stored file', () => {
  const item = (n: number, kind: 'person' | 'company', purpose: string) =>
    makeItem({
      end_to_end_id: `CORR${n}`.padEnd(15, '0'),
      amount: BigInt(n) * 10_001n,
      purpose,
      remittance: n === 1 ? 'Invoice 2041' : '',
      creditor: {
        ...makeItem().creditor,
        name: `Receiver ${n}`,
        kind,
        account: `10${n}`,
        account_type: n === 2 ? 'savings' : '',
        clearing_code: 'USABA021000021',
      },
    })
  const items = [
    item(1, 'company', ''),
    item(2, 'person', ''),
    item(3, 'person', 'SALA'),
    item(4, 'company', 'SALA'),
  ]
  const { bytes } = NACHA.write(makeBatch({ msg_id: 'BATCH00000000001', items }))
  const lines = Buffer.from(bytes).toString().split('\n')
  const trace = (line: number) => (lines[line] ?? '').slice(79)
  assert.equal(lines.length, 21)
  assert.match(
    lines[0] ?? '',
    /^101 09100001912345678902611231000[A-Z0-9]094101WELLS FARGO {12}CORRIDOR {15}00000001$/,
  )
  assert.equal(
    lines[1],
    '5220CORRIDOR                            1234567890PPDPAYROLL         261124   1091000010000001',
  )
  assert.equal(
    lines[2],
    `622021000021103              0000030003CORR30000000000Receiver 3              0${trace(2)}`,
  )
  assert.equal(lines[5]?.slice(0, 30), '632021000021102              0')
  assert.equal(lines[8]?.slice(39, 79), 'CORR10000000000Receiver 1              1')
  assert.equal(lines[9], `705${'NTE**Invoice 2041\\'.padEnd(80)}0001${trace(8).slice(8)}`)
  assert.equal(
    lines[11],
    '822000000300042000040000000000000000000500051234567890                         091000010000003',
  )
  assert.equal(
    lines[12],
    `9000003000002000000050008400008000000000000000000100010${' '.repeat(39)}`,
  )
  assert.ok(lines.slice(13, 20).every(line => line === '9'.repeat(94)))
})

/** The record with this text at this place, counted from 1. */
function overwrite(record: string, place: number, text: string): string {
  return record.slice(0, place - 1) + text + record.slice(place - 1 + text.length)
}

/** The record with another digit at a random place between these two. */
function otherDigit(record: string, first: number, last: number): string {
  const place = first + randomBelow(last - first + 1)
  const digit = (Number(record.charAt(place - 1)) + 1 + randomBelow(9)) % 10
  return overwrite(record, place, String(digit))
}

type Change = (lines: string[], entries: readonly number[]) => void

const CHANGES: Readonly<Record<string, Change>> = {
  'a line less': lines => lines.splice(randomBelow(lines.length), 1),
  'a line twice': lines => {
    const at = randomBelow(lines.length)
    lines.splice(at, 0, lines[at] ?? '')
  },
  'ten lines less': lines => lines.splice(0, 10),
  'a short line': lines => changeLine(lines, randomBelow(lines.length), line => line.slice(0, -1)),
  'a long line': lines => changeLine(lines, randomBelow(lines.length), line => `${line} `),
  'a line of another system': lines =>
    changeLine(lines, randomBelow(lines.length), line => `${line}\r`),
  'a letter beyond ASCII': lines =>
    changeLine(lines, randomBelow(lines.length), line => overwrite(line, 1 + randomBelow(94), 'é')),
  'another amount': (lines, entries) =>
    changeLine(lines, oneOf(entries), line => otherDigit(line, 30, 39)),
  'another bank': (lines, entries) =>
    changeLine(lines, oneOf(entries), line => otherDigit(line, 4, 11)),
  'another check digit': (lines, entries) =>
    changeLine(lines, oneOf(entries), line => otherDigit(line, 12, 12)),
  'a debit': (lines, entries) =>
    changeLine(lines, oneOf(entries), line => overwrite(line, 2, '27')),
  'a prenotification': (lines, entries) =>
    changeLine(lines, oneOf(entries), line => overwrite(line, 2, '23')),
  'no name': (lines, entries) =>
    changeLine(lines, oneOf(entries), line => overwrite(line, 55, ' '.repeat(22))),
  'no account': (lines, entries) =>
    changeLine(lines, oneOf(entries), line => overwrite(line, 13, ' '.repeat(17))),
  'an id twice': (lines, [first = 0, second = 0]) =>
    changeLine(lines, second, line => overwrite(line, 40, (lines[first] ?? '').slice(39, 54))),
  'a trace number twice': (lines, [first = 0, second = 0]) =>
    changeLine(lines, second, line => overwrite(line, 80, (lines[first] ?? '').slice(79))),
  'a trace number of another bank': (lines, entries) =>
    changeLine(lines, oneOf(entries), line => otherDigit(line, 80, 87)),
  'addenda that are not there': (lines, entries) =>
    changeLine(lines, oneOf(entries), line => overwrite(line, 79, line[78] === '1' ? '0' : '1')),
  'a batch of debits': lines => changeLine(lines, 1, line => overwrite(line, 2, '225')),
  'another company': lines => changeLine(lines, 1, line => otherDigit(line, 41, 50)),
  'another class of entries': lines => changeLine(lines, 1, line => overwrite(line, 51, 'WEB')),
  'a date that is over': lines => changeLine(lines, 1, line => overwrite(line, 70, '261122')),
  'a date that is none': lines => changeLine(lines, 1, line => overwrite(line, 70, '261131')),
  'the same day, on another': lines => changeLine(lines, 1, line => overwrite(line, 64, 'SD1300')),
  'another sender': lines => changeLine(lines, 0, line => otherDigit(line, 14, 23)),
  'another bank that gets it': lines => changeLine(lines, 0, line => otherDigit(line, 5, 13)),
  'another count of entries': lines =>
    changeLine(lines, controlOf(lines), line => otherDigit(line, 14, 21)),
  'another count of blocks': lines =>
    changeLine(lines, controlOf(lines), line => otherDigit(line, 8, 13)),
  'another count of batches': lines =>
    changeLine(lines, controlOf(lines), line => otherDigit(line, 2, 7)),
  'another hash': lines => changeLine(lines, controlOf(lines), line => otherDigit(line, 22, 31)),
  'another sum': lines => changeLine(lines, controlOf(lines), line => otherDigit(line, 44, 55)),
  debits: lines => changeLine(lines, controlOf(lines), line => otherDigit(line, 32, 43)),
  'another hash of a batch': lines =>
    changeLine(lines, endOf(lines), line => otherDigit(line, 11, 20)),
  'another sum of a batch': lines =>
    changeLine(lines, endOf(lines), line => otherDigit(line, 33, 44)),
  'another count of a batch': lines =>
    changeLine(lines, endOf(lines), line => otherDigit(line, 5, 10)),
  'the end of another batch': lines =>
    changeLine(lines, endOf(lines), line => otherDigit(line, 88, 94)),
}

const changeLine = (lines: string[], at: number, change: (line: string) => string) => {
  lines[at] = change(lines[at] ?? '')
}
const controlOf = (lines: readonly string[]) => lines.findIndex(line => line.startsWith('90'))
const endOf = (lines: readonly string[]) => lines.findIndex(line => line.startsWith('8'))

test(`ACH file, any character changed: refused, naming the line (SEED=${seed})`, async () => {
  const kinds = Object.entries(CHANGES)
  for (let i = 0; i < share(3, 10) * kinds.length; i++) {
    const [name, change] = kinds[i % kinds.length] as (typeof kinds)[number]
    // The first two entries are of one batch.
    const first = makeItem()
    const items = [first, { ...makeItem(), creditor: first.creditor, purpose: first.purpose }]
    const batch = makeBatch({ items: [...items, makeItem(), makeItem()] })
    const lines = Buffer.from(NACHA.write(batch).bytes).toString().split('\n').slice(0, -1)
    const entries = lines.flatMap((line, at) => (line.startsWith('6') ? [at] : []))
    change(lines, entries)
    const bytes = Buffer.from(lines.map(line => `${line}\n`).join(''), 'latin1')
    assert.notEqual((await NACHA.check(bytes, batch.profile)).length, 0, `${name} (${i})`)
  }
})

test('ACH file, truncated anywhere: refused on writing and on reading', async () => {
  const { bytes } = NACHA.write(makeBatch())
  const end =
    Buffer.from(bytes)
      .toString()
      .search(/\n9\d{55} {39}\n/) + 56
  for (let i = 0; i < 50; i++) {
    const cut = bytes.subarray(0, randomBelow(bytes.length))
    assert.notEqual((await NACHA.check(cut, profileOf())).length, 0)
    if (cut.length > end) continue
    await assert.rejects(readLines(Buffer.from(cut).toString()), { name: 'UnreadableFile' })
  }
})

const refused = (changes: Partial<FileItem>, same_day = false) =>
  NACHA.checkItem(makeItem(changes), makeBatch().settlement_account, profileOf({ same_day }))

test('ACH file, payment that fits no entry: refused in plain words before a file is made', () => {
  const { creditor } = makeItem()
  assert.deepEqual(refused({}), [])
  assert.match(String(refused({ amount: 10_000_000_000n })), /100000000\.00 is more than/)
  assert.match(String(refused({ amount: 0n })), /not positive/)
  assert.match(String(refused({ currency: 'EUR' })), /pays USD, not EUR/)
  assert.match(String(refused({ end_to_end_id: 'ABC' })), /15 characters/)
  const other = (changes: object) => String(refused({ creditor: { ...creditor, ...changes } }))
  assert.match(other({ clearing_code: 'USABA021000022' }), /no routing number/)
  assert.match(other({ clearing_code: 'GBDSC021000021' }), /no routing number/)
  assert.match(other({ account: '' }), /no account number; ACH knows no IBAN/)
  assert.match(other({ account: '123456789012345678' }), /at most 17/)
  assert.match(other({ name: '…' }), /no name in Latin letters/)
  assert.match(String(refused({ amount: SAME_DAY_LIMIT + 1n }, true)), /1000000\.01 .* same day/)
  assert.deepEqual(refused({ amount: SAME_DAY_LIMIT }, true), [])
  assert.throws(() => NACHA.write(makeBatch({ items: [makeItem({ amount: 0n })] })), RangeError)
  const item = makeItem()
  assert.throws(() => NACHA.write(makeBatch({ items: [item, item] })), /same end-to-end id/)
  assert.throws(() => NACHA.write(makeBatch({ items: [] })), /without payments/)
})

test("ACH settlement date: same day within the bank's windows in New York time, else the next banking day", async () => {
  const dayOf = async (created_at: string, execution_date: string, same_day = true) => {
    const items = [makeItem({ amount: 1n })]
    const profile = profileOf({ same_day })
    const batch = makeBatch({
      created_at: `${created_at}:00.000000Z`,
      execution_date,
      profile,
      items,
    })
    const { bytes } = NACHA.write(batch)
    assert.deepEqual(await NACHA.check(bytes, profile), [])
    const [entry] = readIndependently(bytes).entries
    return `${entry?.effective} ${entry?.same_day}`.trim()
  }
  const monday = '2026-11-23'
  assert.equal(await dayOf('2026-11-23T15:29', monday), '261123 SD1300')
  assert.equal(await dayOf('2026-11-23T15:30', monday), '261123 SD1700')
  assert.equal(await dayOf('2026-11-23T21:44', monday), '261123 SD1800')
  assert.equal(await dayOf('2026-11-23T21:45', monday), '261124')
  assert.equal(await dayOf('2026-11-23T15:29', monday, false), '261124')
  assert.equal(await dayOf('2026-11-23T15:29', '2026-11-25'), '261125')
  // 04:00 UTC of Tuesday is Monday's evening in New York.
  assert.equal(await dayOf('2026-11-24T04:00', '2026-11-24'), '261124')
  assert.equal(await dayOf('2026-11-24T04:00', monday), '261124')
  // Thanksgiving, and a weekend.
  assert.equal(await dayOf('2026-11-25T23:00', '2026-11-25'), '261127')
  assert.equal(await dayOf('2026-11-26T15:00', '2026-11-26'), '261127')
  assert.equal(await dayOf('2026-11-27T23:00', '2026-11-27'), '261130')
  await assert.rejects(dayOf('2031-01-02T15:00', '2031-01-03'), /knows no banking day/)
})

/** The entries of a file of ours, as the bank reads them. */
function sent(): AchEntry[] {
  const items = Array.from({ length: 30 }, () =>
    makeItem({ amount: BigInt(1 + randomBelow(10 ** 9)) }),
  )
  return [...readIndependently(NACHA.write(makeBatch({ items })).bytes).entries]
}

const BANK = '091000019'
const AT = new Date('2026-11-25T09:30:00Z')

test('ACH returns: each with code, amount, our id and our trace number', async () => {
  const codes = ['R02', 'R03', 'R04', 'R06', 'R07', 'R10', 'R16', 'R20', 'R23', 'R24', 'R29', 'R85']
  const returns = sent().map((entry, i): AchReturn => {
    const code = codes[i % codes.length] ?? ''
    return { entry, code, amount: entry.amount, text: i === 0 ? 'CLOSED 2025' : '' }
  })
  const all = await readLines(writeReturns(returns, BANK, AT))
  assert.equal(all.length, returns.length)
  all.forEach((line, i) => {
    const { entry, code } = returns[i] as AchReturn
    assert.deepEqual(
      [line.level, line.code, line.amount, line.currency, line.is_credit],
      ['return', code, entry.amount, 'USD', true],
    )
    assert.deepEqual([line.end_to_end_id, line.instruction_id], [entry.individual_id, entry.trace])
    assert.equal(line.said_at, '2026-11-25T09:30:00')
  })
  assert.equal(all[0]?.text, 'the account is closed: CLOSED 2025')
  assert.equal(all[0]?.position, 'line 3')
  // A return is money that is back, whatever the word for why.
  const [strange] = await readLines(
    writeReturns([{ ...(returns[0] as AchReturn), code: 'R99' }], BANK, AT),
  )
  assert.deepEqual([strange?.level, strange?.code], ['return', 'R99'])
  const [small] = await readLines(
    writeReturns([{ ...(returns[0] as AchReturn), code: 'r02' }], BANK, AT),
  )
  assert.deepEqual([small?.code, small?.reasons], ['R02', ['R02']])
})

test('ACH notifications of change, dishonored returns and other records: notes, no payout changes', async () => {
  const [entry] = sent() as [AchEntry]
  const changes = Array.from({ length: 14 }, (_, i) => `C${String(i + 1).padStart(2, '0')}`)
  const notes = changes.map(code => ({ entry, code, amount: 0n, text: '1918171614' }))
  const all = await readLines(writeReturns(notes, BANK, AT))
  assert.deepEqual(
    all.map(({ level, code, amount }) => [level, code, amount]),
    changes.map(code => ['note', code, null]),
  )
  assert.equal(all[0]?.text, 'to be changed: the account number is wrong: 1918171614')
  assert.equal(all[0]?.instruction_id, entry.trace)
  for (const code of ['R61', 'R63', 'R67', 'R69', 'R77']) {
    const [line] = await readLines(writeReturns([{ entry, code, amount: entry.amount }], BANK, AT))
    assert.deepEqual([line?.level, line?.code, line?.amount], ['note', code, null])
  }
  // Our own file, sent back.
  const [own] = await readLines(Buffer.from(NACHA.write(makeBatch()).bytes).toString())
  assert.deepEqual([own?.level, own?.code, own?.amount], ['note', '', null])
})

test('ACH file from a bank, split into chunks, without line breaks, trimmed or two files in one: read', async () => {
  const returns = sent().map((entry): AchReturn => ({ entry, code: 'R03', amount: entry.amount }))
  const text = writeReturns(returns, BANK, AT)
  const whole = await readLines(text)
  for (const size of [1, 93, 94, 95, 4096]) assert.deepEqual(await readLines(text, size), whole)
  assert.deepEqual(await readLines(text.replaceAll('\n', '')), whole)
  assert.deepEqual(await readLines(text.replaceAll('\n', '\r\n')), whole)
  assert.deepEqual(await readLines(text.replaceAll(/ +\n/g, '\n')), whole)
  assert.deepEqual(await readLines(text.replace(/(9{94}\n)+$/, '')), whole)
  assert.equal((await readLines(text + text)).length, 2 * whole.length)
  assert.deepEqual(await readLines(writeReturns([], BANK, AT)), [])
})

test('ACH file from a bank, one faulty entry, a letter outside ASCII or unexpected addenda: other entries read', async () => {
  const returns = sent().map((entry): AchReturn => ({ entry, code: 'R03', amount: entry.amount }))
  const text = writeReturns(returns, BANK, AT)
  const whole = await readLines(text)
  const lines = text.split('\n')
  const [, , entry = '', addenda = ''] = lines
  const changed = async (at: number, line: string) =>
    readLines(lines.toSpliced(at, 1, line).join('\n'))
  const odd = await changed(2, `${entry.slice(0, 78)}0${entry.slice(79)}`)
  assert.match(odd[0]?.defect ?? '', /whether it has addenda/)
  assert.deepEqual(odd.slice(1), whole.slice(1))
  // The bytes of UTF-8, as readLines writes latin1.
  const name = `${entry.slice(0, 54)}\u00c3\u00a9${entry.slice(55)}`
  assert.deepEqual(await changed(2, name), whole)
  const blank = `${addenda.slice(0, 21)}${' '.repeat(14)}${addenda.slice(35)}`
  assert.deepEqual(await changed(3, blank), whole)
  for (const other of [`\u00ef\u00bb\u00bf${text}`, text.replaceAll('\n', '\r'), `${text}\u001a`]) {
    assert.deepEqual(await readLines(other, 95), whole)
  }
  const bare = await readLines(lines.filter(line => /^[5678]/.test(line)).join('\n'))
  assert.deepEqual(
    bare.map(line => line.end_to_end_id),
    whole.map(line => line.end_to_end_id),
  )
})

test('text that is no ACH file, any length: refused, naming the line', async () => {
  const refusedAs = (text: string, message: RegExp) =>
    assert.rejects(readLines(text, 4096), { name: 'UnreadableFile', message })
  await refusedAs('', /before its control record/)
  await refusedAs('<?xml version="1.0"?>\n<Document/>\n', /line 1: no record begins with "<"/)
  await refusedAs('1'.repeat(5_000_000), /line \d+: /)
  await refusedAs('x\n'.repeat(100_000), /line 1: no record begins with "x"/)
  const [entry] = sent() as [AchEntry]
  const text = writeReturns([{ entry, code: 'R03', amount: entry.amount }], BANK, AT)
  const lines = text.split('\n')
  await refusedAs(lines.toSpliced(3, 1).join('\n'), /the number of entries and addenda/)
  await refusedAs(lines.toSpliced(2, 2).join('\n'), /line 3: the number of entries and addenda/)
  const [bare] = await readLines(text.replace('\n799', '\n7A9'))
  assert.deepEqual([bare?.level, bare?.amount], ['note', entry.amount])
  assert.match(bare?.defect ?? '', /a return .* without its addenda/)
})

test('ACH profile of an operator, each fault: named with its member', () => {
  const problems = (changes: object) => NACHA.readProfile({ ...WRITTEN, ...changes }).messages
  const nacha = (changes: object) => problems({ nacha: { ...WRITTEN.nacha, ...changes } })
  const { silent_after_days, silent_calendar } = profileOf()
  assert.deepEqual([silent_after_days, silent_calendar], [3, 'fed'])
  assert.match(String(nacha({ odfi: '091000018' })), /nacha\.odfi: must be a routing number/)
  assert.match(
    String(nacha({ company_id: '12345' })),
    /nacha\.company_id: must be the 10 characters/,
  )
  assert.match(String(nacha({ company_name: 'Åsa' })), /nacha\.company_name: must be 1 to 16/)
  assert.match(String(nacha({ same_day: 'yes' })), /nacha\.same_day: must be true or false/)
  assert.match(String(nacha({ sameday: true })), /nacha\.sameday: .*did you mean same_day/)
  assert.match(
    String(problems({ most_amount: '10000000000.00' })),
    /most_amount: must be .* at most/,
  )
  assert.match(String(problems({ most_items: 0 })), /most_items: must be a whole number/)
  for (const silent_after_days of [null, 1, 61]) {
    const few = /silent_after_days: must be .* from 2 to 60, .* credits by returns alone/
    assert.match(String(problems({ silent_after_days })), few)
  }
  assert.match(String(problems({ silent_calendar: null })), /silent_calendar: must be fed/)
  assert.match(String(problems({ meanings: { XYZ: 'paid' } })), /meanings: must be codes that mean/)
  assert.match(String(problems({ name: undefined })), /name: must be/)
  assert.match(String(problems({ nacha: undefined })), /nacha\.odfi: is missing/)
  assert.match(String(NACHA.readProfile('ach').messages), /none is shipped/)
})
