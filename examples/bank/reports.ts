// Writes what a bank sends: pain.002 about files and payments, camt.054 and camt.053 about its
// accounts. From ISO's message definitions and from nothing of Corridor's.
import type { Payment } from './pain001.ts'

export interface Stamp {
  /** The bank's own MsgId. */
  readonly id: string
  readonly at: Date
}

export interface PaymentStatus {
  readonly payment: Payment
  readonly status: 'ACCP' | 'ACSP' | 'ACSC' | 'RJCT' | 'PDNG' | 'ZZZZ'
  readonly reason: string
}

export interface StatusReport {
  readonly about: string
  /** Of the file, '' to say nothing of it. */
  readonly group: '' | 'ACCP' | 'PART' | 'RJCT'
  readonly reason: string
  /** A status of a PmtInf as a whole. */
  readonly part?: { readonly id: string; readonly status: 'RJCT'; readonly reason: string }
  readonly payments: readonly PaymentStatus[]
}

export function statusReport(stamp: Stamp, report: StatusReport): string {
  const { about, group, reason, part, payments } = report
  const groups = Map.groupBy(payments, ({ payment }) => payment.group)
  if (part !== undefined && !groups.has(part.id)) groups.set(part.id, [])
  const parts = Array.from(groups, ([id, statuses]) => {
    const whole = part?.id === id ? status('PmtInfSts', part.status, part.reason) : ''
    const each = statuses.map(transactionStatus).join('')
    return `<OrgnlPmtInfAndSts><OrgnlPmtInfId>${text(id)}</OrgnlPmtInfId>${whole}${each}</OrgnlPmtInfAndSts>`
  })
  return document(
    'pain.002.001.10',
    `<CstmrPmtStsRpt><GrpHdr><MsgId>${text(stamp.id)}</MsgId><CreDtTm>${time(stamp)}</CreDtTm></GrpHdr>` +
      `<OrgnlGrpInfAndSts><OrgnlMsgId>${text(about)}</OrgnlMsgId><OrgnlMsgNmId>pain.001</OrgnlMsgNmId>` +
      `${group === '' ? '' : status('GrpSts', group, reason)}</OrgnlGrpInfAndSts>${parts.join('')}</CstmrPmtStsRpt>`,
  )
}

function transactionStatus({ payment, status: code, reason }: PaymentStatus): string {
  const { instruction_id, end_to_end_id, uetr } = payment
  return (
    `<TxInfAndSts>${element('OrgnlInstrId', instruction_id)}` +
    `${element('OrgnlEndToEndId', end_to_end_id)}${element('OrgnlUETR', uetr)}` +
    `${status('TxSts', code, reason)}</TxInfAndSts>`
  )
}

function status(tag: string, code: string, reason: string): string {
  const why = reason === '' ? '' : `<StsRsnInf><Rsn><Cd>${text(reason)}</Cd></Rsn></StsRsnInf>`
  return `<${tag}>${code}</${tag}>${why}`
}

/** One booking on an account of ours: a payment, its return, or a whole group at once. */
export interface Booking {
  readonly account: string
  readonly currency: string
  readonly amount: string
  readonly is_credit: boolean
  /** The bank's own reference. */
  readonly reference: string
  /** Undefined for a group booked as one. */
  readonly payment?: Payment
  readonly group?: { readonly msg_id: string; readonly id: string; readonly count: number }
  /** Why the money came back. */
  readonly returned?: string
}

export interface Statement {
  readonly account: string
  readonly currency: string
  readonly opening: string
  readonly closing: string
  readonly bookings: readonly Booking[]
}

/** A notification of bookings as they happen. */
export function notification(stamp: Stamp, bookings: readonly Booking[]): string {
  const accounts = Map.groupBy(bookings, ({ account }) => account)
  const each = Array.from(accounts, ([account, some], i) => {
    const head = `<Id>${text(stamp.id)}-${i + 1}</Id><CreDtTm>${time(stamp)}</CreDtTm>`
    return `<Ntfctn>${head}${accountElement(account)}${some.map(b => entry(b, stamp)).join('')}</Ntfctn>`
  })
  return document(
    'camt.054.001.08',
    `<BkToCstmrDbtCdtNtfctn>${header(stamp)}${each.join('')}</BkToCstmrDbtCdtNtfctn>`,
  )
}

/** The statements of some accounts for a day, in one file. */
export function statements(stamp: Stamp, accounts: readonly Statement[]): string {
  const day = stamp.at.toISOString().slice(0, 10)
  const period = `<FrToDt><FrDtTm>${day}T00:00:00Z</FrDtTm><ToDtTm>${time(stamp)}</ToDtTm></FrToDt>`
  const each = accounts.map(({ account, currency, opening, closing, bookings }, i) => {
    const head = `<Id>${text(stamp.id)}-${i + 1}</Id><CreDtTm>${time(stamp)}</CreDtTm>${period}`
    const balances =
      balance('OPBD', opening, currency, day) + balance('CLBD', closing, currency, day)
    return `<Stmt>${head}${accountElement(account)}${balances}${bookings.map(b => entry(b, stamp)).join('')}</Stmt>`
  })
  return document(
    'camt.053.001.08',
    `<BkToCstmrStmt>${header(stamp)}${each.join('')}</BkToCstmrStmt>`,
  )
}

function balance(kind: string, amount: string, currency: string, day: string): string {
  const sign = amount.startsWith('-') ? 'DBIT' : 'CRDT'
  return (
    `<Bal><Tp><CdOrPrtry><Cd>${kind}</Cd></CdOrPrtry></Tp>` +
    `<Amt Ccy="${currency}">${amount.replace('-', '')}</Amt><CdtDbtInd>${sign}</CdtDbtInd>` +
    `<Dt><Dt>${day}</Dt></Dt></Bal>`
  )
}

function entry(booking: Booking, { at }: Stamp): string {
  const { currency, amount, is_credit, reference, payment, group, returned } = booking
  const day = at.toISOString().slice(0, 10)
  const sign = is_credit ? 'CRDT' : 'DBIT'
  const family = is_credit && returned !== undefined ? 'RRTN' : 'ESCT'
  const money = `<Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>${sign}</CdtDbtInd>`
  return (
    `<Ntry>${money}<Sts><Cd>BOOK</Cd></Sts>` +
    `<BookgDt><Dt>${day}</Dt></BookgDt><ValDt><Dt>${day}</Dt></ValDt>` +
    `<AcctSvcrRef>${text(reference)}</AcctSvcrRef>` +
    `<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>ICDT</Cd><SubFmlyCd>${family}</SubFmlyCd></Fmly></Domn></BkTxCd>` +
    `<NtryDtls>${group === undefined ? '' : batch(group)}` +
    `${payment === undefined ? '' : details(booking, payment, money)}</NtryDtls></Ntry>`
  )
}

function batch({ msg_id, id, count }: NonNullable<Booking['group']>): string {
  return `<Btch>${element('MsgId', msg_id)}${element('PmtInfId', id)}<NbOfTxs>${count}</NbOfTxs></Btch>`
}

function details({ reference, returned }: Booking, payment: Payment, money: string): string {
  const { group, instruction_id, end_to_end_id, uetr, creditor } = payment
  const why = returned === undefined ? '' : `<RtrInf><Rsn><Cd>${text(returned)}</Cd></Rsn></RtrInf>`
  return (
    `<TxDtls><Refs><AcctSvcrRef>${text(reference)}</AcctSvcrRef>${element('PmtInfId', group)}` +
    `${element('InstrId', instruction_id)}${element('EndToEndId', end_to_end_id)}` +
    `${element('UETR', uetr)}</Refs>${money}` +
    `<RltdPties><Cdtr><Pty>${element('Nm', creditor)}</Pty></Cdtr></RltdPties>${why}</TxDtls>`
  )
}

function accountElement(account: string): string {
  const iban = /^[A-Z]{2}\d\d[A-Z0-9]{11,30}$/.test(account)
  const id = iban ? element('IBAN', account) : `<Othr>${element('Id', account)}</Othr>`
  return `<Acct><Id>${id}</Id></Acct>`
}

function header(stamp: Stamp): string {
  return `<GrpHdr><MsgId>${text(stamp.id)}</MsgId><CreDtTm>${time(stamp)}</CreDtTm></GrpHdr>`
}

function document(name: string, content: string): string {
  const namespace = `urn:iso:std:iso:20022:tech:xsd:${name}`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="${namespace}">${content}</Document>\n`
}

function time({ at }: Stamp): string {
  return `${at.toISOString().slice(0, 19)}Z`
}

function element(tag: string, value: string): string {
  return value === '' ? '' : `<${tag}>${text(value)}</${tag}>`
}

function text(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
