// Writes a statement as banks of six kinds write it: camt.053 of two versions, MT940 with German
// subfields and with code words, BAI2, and CSV. Each says what of a line it can carry.

import type { CsvMapping } from '../../../src/treasury/statement/csv-mapping.ts'
import {
  EMPTY_STATEMENT_LINE,
  type StatementFormat,
  type StatementLine,
} from '../../../src/treasury/statement/statement.ts'
import { currencyExponent } from '../../../src/values/money/currency.ts'
import { formatMajor } from '../../../src/values/money/decimal.ts'
import { textCell } from '../../../src/values/text/csv-line.ts'
import { textElement } from '../../../src/values/text/xml.ts'

export interface GivenStatement {
  readonly account: string
  readonly currency: string
  readonly id: string
  /** A number of at most five digits. */
  readonly sequence: string
  readonly opened_on: string
  readonly closed_on: string
  readonly opening: bigint
  readonly lines: readonly StatementLine[]
}

export interface Dialect {
  readonly name: string
  readonly format: StatementFormat
  /** The members of a line that come through, besides the amount, its currency and the days. */
  readonly carries: readonly (keyof StatementLine)[]
  /** The bank's code for money that comes in or goes out. The code of the given line is left out. */
  codeOf(amount: bigint): string
  write(statement: GivenStatement): string
}

/** The line as a reader of this dialect must give it. */
export function asCarried(dialect: Dialect, line: StatementLine): StatementLine {
  const { amount, currency, booked_on, value_on } = line
  const carried = dialect.carries.map(member => [member, line[member]] as const)
  return {
    ...EMPTY_STATEMENT_LINE,
    ...{ amount, currency, booked_on, value_on },
    ...Object.fromEntries(carried),
    code: dialect.codeOf(amount),
  }
}

export function closingOf({ opening, lines }: GivenStatement): bigint {
  return lines.reduce((sum, { amount }) => sum + amount, opening)
}

const absolute = (amount: bigint) => (amount < 0n ? -amount : amount)

function major(amount: bigint, currency: string): string {
  return formatMajor(absolute(amount), currencyExponent(currency))
}

function camt053(version: string): Dialect['write'] {
  const is_old = version === '02'
  return statement => {
    const { account, currency, id, sequence, opened_on, closed_on, opening, lines } = statement
    const indicator = (amount: bigint) => `<CdtDbtInd>${amount < 0n ? 'DBIT' : 'CRDT'}</CdtDbtInd>`
    const money = (amount: bigint) => `<Amt Ccy="${currency}">${major(amount, currency)}</Amt>`
    const balance = (code: string, amount: bigint, day: string) =>
      `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>${money(amount)}` +
      `${indicator(amount)}<Dt><Dt>${day}</Dt></Dt></Bal>`
    const refs = (of: Partial<StatementLine>) =>
      `<Refs>${textElement('InstrId', of.instruction ?? '')}` +
      `<EndToEndId>${of.end_to_end_id || 'NOTPROVIDED'}</EndToEndId>` +
      `${is_old ? '' : textElement('UETR', of.uetr ?? '')}</Refs>`
    const iban = (value: string) =>
      value === ''
        ? ''
        : `<Id>${value.length > 14 ? `<IBAN>${value}</IBAN>` : `<Othr><Id>${value}</Id></Othr>`}</Id>`
    const around = (tag: string, inner: string) => (inner === '' ? '' : `<${tag}>${inner}</${tag}>`)
    const parties = (line: StatementLine) => {
      const [other, own] = line.amount < 0n ? ['Cdtr', 'Dbtr'] : ['Dbtr', 'Cdtr']
      const name = textElement('Nm', line.counterparty_name)
      const party = is_old ? around(other, name) : around(other, around('Pty', name))
      const accounts = [
        [other, around(`${other}Acct`, iban(line.counterparty))],
        [own, around(`${own}Acct`, iban(line.own_account))],
      ] as const
      return around('RltdPties', party + accounts.map(([, text]) => text).join(''))
    }
    const transaction = (line: StatementLine) =>
      `<TxDtls>${refs(line)}${is_old ? '' : money(line.amount)}${is_old ? '' : indicator(line.amount)}` +
      `${parties(line)}${around('RmtInf', textElement('Ustrd', line.text))}</TxDtls>`
    const detail = (one: StatementLine['details'][number]) =>
      `<TxDtls>${refs(one)}${
        is_old ? `<AmtDtls><TxAmt>${money(one.amount)}</TxAmt></AmtDtls>` : money(one.amount)
      }${indicator(one.amount)}</TxDtls>`
    const entry = (line: StatementLine) => {
      const [family, sub] = line.amount < 0n ? ['ICDT', 'ESCT'] : ['RCDT', 'ESCT']
      const batch = around(
        'Btch',
        textElement('MsgId', line.file) + textElement('PmtInfId', line.block),
      )
      const inner =
        line.details.length > 0 ? line.details.map(detail).join('') : batch ? '' : transaction(line)
      return (
        `<Ntry>${money(line.amount)}${indicator(line.amount)}` +
        `<Sts>${is_old ? 'BOOK' : '<Cd>BOOK</Cd>'}</Sts>` +
        `<BookgDt><Dt>${line.booked_on}</Dt></BookgDt><ValDt><Dt>${line.value_on}</Dt></ValDt>` +
        `${textElement('AcctSvcrRef', line.bank_reference)}` +
        `<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>${family}</Cd><SubFmlyCd>${sub}</SubFmlyCd></Fmly></Domn></BkTxCd>` +
        `<NtryDtls>${batch}${inner}</NtryDtls>` +
        `${batch ? textElement('AddtlNtryInf', line.text) : ''}</Ntry>\n`
      )
    }
    return (
      `<?xml version="1.0" encoding="UTF-8"?>\n` +
      `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.${version}"><BkToCstmrStmt>` +
      `<GrpHdr><MsgId>M-${id}</MsgId><CreDtTm>${closed_on}T20:00:00</CreDtTm></GrpHdr>` +
      `<Stmt><Id>${id}</Id><ElctrncSeqNb>${sequence}</ElctrncSeqNb>` +
      `<CreDtTm>${closed_on}T20:00:00</CreDtTm>` +
      `<FrToDt><FrDtTm>${opened_on}T00:00:00</FrDtTm><ToDtTm>${closed_on}T23:59:59</ToDtTm></FrToDt>` +
      `<Acct>${iban(account)}<Ccy>${currency}</Ccy></Acct>` +
      balance(is_old ? 'PRCD' : 'OPBD', opening, opened_on) +
      balance('CLBD', closingOf(statement), closed_on) +
      `\n${lines.map(entry).join('')}</Stmt></BkToCstmrStmt></Document>\n`
    )
  }
}

/** `261130` */
const shortDay = (day: string) => day.slice(2).replaceAll('-', '')

function commaAmount(amount: bigint, currency: string): string {
  const text = major(amount, currency)
  return text.includes('.') ? text.replace('.', ',') : `${text},`
}

/** Lines of this width. A line that begins with : or - would begin a field or end the message. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  for (let rest = text; rest !== ''; ) {
    let length = Math.min(width, rest.length)
    while (length > 1 && /[-:]/.test(rest.charAt(length))) length -= 1
    lines.push(rest.slice(0, length))
    rest = rest.slice(length)
  }
  return lines
}

interface InformationOf {
  /** The reference in :61:. */
  referenceOf(line: StatementLine): string
  /** The content of :86:. */
  write(line: StatementLine): readonly string[]
}

function mt940({ referenceOf, write }: InformationOf): Dialect['write'] {
  return statement => {
    const { account, currency, id, sequence, opened_on, closed_on, opening, lines } = statement
    const balance = (tag: string, amount: bigint, day: string) =>
      `:${tag}:${amount < 0n ? 'D' : 'C'}${shortDay(day)}${currency}${commaAmount(amount, currency)}`
    const line = (one: StatementLine) => [
      `:61:${shortDay(one.value_on)}${shortDay(one.booked_on).slice(2)}` +
        `${one.amount < 0n ? 'D' : 'C'}${commaAmount(one.amount, currency)}NTRF` +
        `${referenceOf(one)}${one.bank_reference === '' ? '' : `//${one.bank_reference}`}`,
      `:86:${write(one).join('\r\n')}`,
    ]
    return [
      `:20:${id}`,
      `:25:${account}`,
      `:28C:${sequence}/1`,
      balance('60F', opening, opened_on),
      ...lines.flatMap(line),
      balance('62F', closingOf(statement), closed_on),
      '-\r\n',
    ].join('\r\n')
  }
}

/** `166?00…?20EREF+…`, as German banks write it (DFÜ agreement, appendix 3). */
const GERMAN: InformationOf = {
  referenceOf: () => 'NONREF',
  write(line) {
    const tagged = [
      ['EREF', line.end_to_end_id],
      ['KREF', line.instruction],
      ['SVWZ', line.text],
    ].filter(([, value]) => value !== '')
    const usage = tagged.flatMap(([tag, value]) => wrapped(`${tag}+${value}`, 27))
    const places = [...Array.from({ length: 10 }, (_, i) => 20 + i), 60, 61, 62, 63]
    const subfields = [
      `${line.amount < 0n ? '116' : '166'}?00UEBERWEISUNG`,
      ...usage.map((text, i) => `?${places[i]}${text}`),
      ...(line.counterparty === '' ? [] : [`?31${line.counterparty}`]),
      ...wrapped(line.counterparty_name, 27).map((text, i) => `?${32 + i}${text}`),
    ]
    return wrapped(subfields.join(''), 65)
  },
}

/** `/EREF/…/REMI/…`, as banks outside Germany write it. */
const CODE_WORDS: InformationOf = {
  referenceOf: line => line.end_to_end_id.slice(0, 16) || 'NONREF',
  write(line) {
    const words = [
      ['EREF', line.end_to_end_id],
      ['IREF', line.instruction],
      ['UETR', line.uetr],
      ['BENM', line.counterparty_name],
      ['ACCT', line.counterparty],
      ['REMI', line.text],
    ].filter(([, value]) => value !== '')
    return wrapped(words.map(([word, value]) => `/${word}/${value}`).join('') || '/REMI/', 65)
  },
}

function bai2(statement: GivenStatement): string {
  const { account, currency, sequence, opened_on: _, closed_on, opening, lines } = statement
  const closing = closingOf(statement)
  const day = shortDay(closed_on)
  const of = (line: StatementLine) => {
    const records = ['']
    for (const word of line.text.split(' ')) {
      const last = records.at(-1) ?? ''
      if (last !== '' && last.length + word.length > 60) records.push(word)
      else records[records.length - 1] = last === '' ? word : `${last} ${word}`
    }
    const [first, ...further] = records
    return [
      `16,${line.amount < 0n ? 475 : 195},${absolute(line.amount)},V,${shortDay(line.value_on)},,` +
        `${line.bank_reference},${line.end_to_end_id},${first === '' ? '/' : first}`,
      ...further.map(text => `88,${text}`),
    ]
  }
  const total = opening + closing + lines.reduce((sum, { amount }) => sum + absolute(amount), 0n)
  const body = [
    `03,${account},${currency},010,${opening},,/`,
    `88,015,${closing},,/`,
    ...lines.flatMap(of),
  ]
  return [
    `01,BANKUS33,CORRIDOR,${day},2000,${sequence},,,2/`,
    `02,CORRIDOR,BANKUS33,1,${day},,${currency},2/`,
    ...body,
    `49,${total},${body.length + 1}/`,
    `98,${total},1,${body.length + 3}/`,
    `99,${total},1,${body.length + 5}/`,
    '',
  ].join('\n')
}

/** How `csv` below is read; settings of a nostro have it. */
export const CSV_MAPPING: CsvMapping = {
  booked_on: 'Booked',
  value_on: 'Value',
  amount: 'Amount',
  balance: 'Balance',
  end_to_end_id: 'End to end id',
  uetr: 'UETR',
  instruction: 'Instruction',
  bank_reference: 'Bank reference',
  counterparty: 'Account',
  counterparty_name: 'Name',
  text: 'Text',
}

function csv(statement: GivenStatement): string {
  const { currency, lines } = statement
  const written = (amount: bigint) => formatMajor(amount, currencyExponent(currency))
  let balance = statement.opening
  const rows = lines.map(line => {
    balance += line.amount
    const { booked_on, value_on, amount } = line
    const texts = [
      ...[line.end_to_end_id, line.uetr, line.instruction, line.bank_reference],
      ...[line.counterparty, line.counterparty_name, line.text],
    ]
    return [booked_on, value_on, written(amount), written(balance), ...texts.map(textCell)].join(
      ',',
    )
  })
  const { booked_on, value_on, amount } = CSV_MAPPING
  const header = [
    ...[booked_on, value_on, amount, 'Balance', 'End to end id', 'UETR', 'Instruction'],
    ...['Bank reference', 'Account', 'Name', 'Text'],
  ]
  return `${[header.join(','), ...rows].join('\r\n')}\r\n`
}

const bySign = (credit: string, debit: string) => (amount: bigint) => (amount < 0n ? debit : credit)

const NAMED = ['counterparty', 'counterparty_name', 'text', 'bank_reference'] as const

export const DIALECTS: readonly Dialect[] = [
  {
    name: 'camt.053.001.02',
    format: 'camt.053',
    carries: [...NAMED, 'end_to_end_id', 'instruction', 'block', 'file', 'own_account', 'details'],
    codeOf: bySign('PMNT/RCDT/ESCT', 'PMNT/ICDT/ESCT'),
    write: camt053('02'),
  },
  {
    name: 'camt.053.001.08',
    format: 'camt.053',
    carries: [
      ...NAMED,
      ...(['end_to_end_id', 'uetr', 'instruction', 'block', 'file'] as const),
      ...(['own_account', 'details'] as const),
    ],
    codeOf: bySign('PMNT/RCDT/ESCT', 'PMNT/ICDT/ESCT'),
    write: camt053('08'),
  },
  {
    name: 'mt940 german',
    format: 'mt940',
    carries: [...NAMED, 'end_to_end_id', 'instruction'],
    codeOf: bySign('NTRF/166', 'NTRF/116'),
    write: mt940(GERMAN),
  },
  {
    name: 'mt940 code words',
    format: 'mt940',
    carries: [...NAMED, 'end_to_end_id', 'instruction', 'uetr'],
    codeOf: () => 'NTRF',
    write: mt940(CODE_WORDS),
  },
  {
    name: 'bai2',
    format: 'bai2',
    carries: ['end_to_end_id', 'bank_reference', 'text'],
    codeOf: bySign('195', '475'),
    write: bai2,
  },
  {
    name: 'csv',
    format: 'csv',
    carries: [...NAMED, 'end_to_end_id', 'uetr', 'instruction'],
    codeOf: () => '',
    write: csv,
  },
]
