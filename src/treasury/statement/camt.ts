// Reads camt.053 (statement), camt.052 (report of the running day) and camt.054 (notification) of
// all versions as statements of our accounts. Only booked entries are lines.
import {
  accountOf,
  blockIdOf,
  endToEndIdOf,
  isCredit,
  ownAmount,
  reasonsOf,
} from '../../adapters/iso20022/account-report.ts'
import { readMessages } from '../../adapters/iso20022/reader.ts'
import type { MessageReader } from '../../adapters/iso20022/status-report.ts'
import { idOf, joinTexts, moneyOf } from '../../adapters/iso20022/values.ts'
import { UnreadableFile } from '../../values/bank-format/bank-format.ts'
import type { IsoDate } from '../../values/calendar/calendar.ts'
import { isDay } from '../../values/calendar/day.ts'
import { attributeOf, childOf, childrenOf, closest, textOf } from '../../values/xml/node.ts'
import type { XmlNode } from '../../values/xml/xml-stream.ts'
import {
  EMPTY_STATEMENT_LINE,
  STATEMENT_BOUNDS,
  type StatementDetail,
  type StatementEnd,
  type StatementLine,
  type StatementPart,
  type StatementReader,
} from './statement.ts'
import { fitLine, fitText, plainAccount } from './text.ts'

type Kind = 'camt.052' | 'camt.053' | 'camt.054'

const ENTRY = 'Ntry'
const TRANSACTION = 'TxDtls'
const REPORTS = ['Stmt', 'Rpt', 'Ntfctn']

export const camtReader: StatementReader = {
  read: bytes =>
    readMessages<StatementPart>(
      bytes,
      {
        BkToCstmrStmt: () => statementReader('camt.053'),
        BkToCstmrAcctRpt: () => statementReader('camt.052'),
        BkToCstmrDbtCdtNtfctn: () => statementReader('camt.054'),
      },
      'camt.052, camt.053 or camt.054',
    ),
}

/** What is known of the entry whose payments are read. */
interface EntryState {
  count: number
  /** The first payment; the line takes its texts when it is the only one. */
  first: XmlNode | undefined
  details: StatementDetail[]
  /** Whether each payment names its amount in the currency of the entry. */
  has_amounts: boolean
  blocks: Set<string>
  files: Set<string>
}

const emptyEntry = (): EntryState => ({
  count: 0,
  first: undefined,
  details: [],
  has_amounts: true,
  blocks: new Set(),
  files: new Set(),
})

function statementReader(kind: Kind): MessageReader<StatementPart> {
  let has_head = false
  let account = { number: '', currency: '' }
  let entry = emptyEntry()
  const head = function* (report: XmlNode, entry_currency: string): Generator<StatementPart> {
    if (has_head) return
    has_head = true
    const currency = currencyOf(report) || entry_currency
    account = { number: plainAccount(accountOf(report)), currency }
    yield { kind: 'head', format: kind, account: account.number, currency }
  }
  return {
    records: new Set([ENTRY, TRANSACTION, ...REPORTS]),
    open(node) {
      if (node.name === ENTRY) entry = emptyEntry()
      else if (REPORTS.includes(node.name)) has_head = false
      return []
    },
    *close(node) {
      if (node.name === 'Btch') {
        entry.blocks.add(idOf(node, 'PmtInfId'))
        entry.files.add(idOf(node, 'MsgId'))
      } else if (node.name === TRANSACTION) {
        addPayment(entry, node)
      } else if (node.name === ENTRY) {
        yield* head(reportOf(node), attributeOf(childOf(node, 'Amt'), 'Ccy'))
        // Reports and notices are not final, so their entries make no lines.
        const line = kind === 'camt.053' ? lineOf(node, entry, account) : undefined
        if (line !== undefined) yield line
      } else if (REPORTS.includes(node.name)) {
        yield* head(node, '')
        yield endOf(kind, node)
      }
    },
  }
}

function reportOf(node: XmlNode): XmlNode {
  const report = closest(node, ...REPORTS)
  if (report === undefined) throw new UnreadableFile('an entry stands in no statement', node.line)
  return report
}

function currencyOf(report: XmlNode): string {
  const [balance] = childrenOf(report, 'Bal')
  return textOf(report, 'Acct', 'Ccy') || attributeOf(childOf(balance, 'Amt'), 'Ccy')
}

function addPayment(entry: EntryState, node: XmlNode): void {
  entry.count += 1
  entry.first ??= node
  entry.blocks.add(idOf(node, 'Refs', 'PmtInfId'))
  entry.files.add(idOf(node, 'Refs', 'MsgId'))
  const whole = closest(node, ENTRY)
  const money = moneyOf(ownAmount(node))
  const is_same = money.currency === attributeOf(childOf(whole, 'Amt'), 'Ccy')
  if (money.amount === null || !is_same || entry.count > STATEMENT_BOUNDS.details) {
    entry.has_amounts = false
    entry.details = []
  }
  if (!entry.has_amounts || money.amount === null) return
  const is_credit = isCredit(node) ?? (whole !== undefined && isCredit(whole)) ?? false
  entry.details.push({
    amount: is_credit ? money.amount : -money.amount,
    end_to_end_id: fitText(endToEndIdOf(node, '').end_to_end_id, 100),
    uetr: fitText(idOf(node, 'Refs', 'UETR').toLowerCase(), 36),
    instruction: fitText(idOf(node, 'Refs', 'InstrId'), 100),
  })
}

/** The one value besides ''; '' when there are none or several. */
function only(values: ReadonlySet<string>): string {
  const [value = '', ...others] = [...values].filter(value => value !== '')
  return others.length === 0 ? value : ''
}

/** Undefined for an entry that is not booked, and for one of nothing. */
function lineOf(
  node: XmlNode,
  entry: EntryState,
  account: { readonly number: string; readonly currency: string },
): StatementLine | undefined {
  const status = textOf(node, 'Sts', 'Cd') || textOf(node, 'Sts')
  if (status !== 'BOOK') return undefined
  const { amount, currency } = amountOf(node, account.currency)
  if (amount === 0n) return undefined
  const sum = entry.details.reduce((total, one) => total + one.amount, 0n)
  const is_many = entry.count > 1 && entry.has_amounts && sum === amount
  const booked_on = dayOf(node, 'BookgDt') ?? dayOf(node, 'ValDt')
  if (booked_on === undefined) {
    throw new UnreadableFile('the entry has no BookgDt, which is the day of a booking', node.line)
  }
  const payment = entry.count === 1 ? entry.first : undefined
  return fitLine({
    ...EMPTY_STATEMENT_LINE,
    ...namesOf(node, payment),
    ...(payment !== undefined && partiesOf(payment, amount > 0n, account.number)),
    amount,
    currency,
    booked_on,
    value_on: dayOf(node, 'ValDt') ?? booked_on,
    code: codeOf(node) || codeOf(payment),
    block: only(entry.blocks) || blockIdOf(node),
    file: only(entry.files),
    text: textsOf(node, payment),
    details: is_many ? entry.details : [],
  })
}

/** The ids of the entry, or of its only payment. */
function namesOf(node: XmlNode, payment: XmlNode | undefined) {
  const own = idOf(node, 'AcctSvcrRef') || (blockIdOf(node) === '' ? idOf(node, 'NtryRef') : '')
  const text = textOf(node, 'AddtlNtryInf')
  if (payment === undefined) return { bank_reference: own }
  return {
    bank_reference: idOf(payment, 'Refs', 'AcctSvcrRef') || own,
    end_to_end_id: endToEndIdOf(payment, text).end_to_end_id,
    uetr: idOf(payment, 'Refs', 'UETR').toLowerCase(),
    instruction: idOf(payment, 'Refs', 'InstrId'),
  }
}

/**
 * The booked amount. A bank may book in another currency than that of the account: the entry is
 * then counted by its amount in the currency of the account, if it says one.
 */
function amountOf(node: XmlNode, currency: string): { amount: bigint; currency: string } {
  const booked = moneyIn(childOf(node, 'Amt'), node)
  const is_credit = isCredit(node)
  if (is_credit === undefined) {
    throw new UnreadableFile('the entry has no CdtDbtInd, CRDT or DBIT', node.line)
  }
  const others = [
    childOf(node, 'AmtDtls', 'TxAmt', 'Amt'),
    childOf(node, 'AmtDtls', 'CntrValAmt', 'Amt'),
  ]
  const is_other = currency !== '' && booked.currency !== currency
  const own = is_other ? others.find(one => attributeOf(one, 'Ccy') === currency) : undefined
  const { amount, currency: of } = own === undefined ? booked : moneyIn(own, node)
  return { amount: is_credit ? amount : -amount, currency: of }
}

function moneyIn(element: XmlNode | undefined, parent: XmlNode) {
  const { amount, currency } = moneyOf(element)
  if (amount !== null) return { amount, currency }
  const { name, line } = parent
  if (element === undefined) throw new UnreadableFile(`${name} has no Amt`, line)
  const written = `${currency} ${textOf(element).slice(0, 40)}`.trim()
  const what = 'digits, with a point, and no more decimals than its currency has'
  throw new UnreadableFile(`Amt of ${name} is "${written}", and an amount is ${what}`, element.line)
}

/** The day of a Dt or DtTm, as the bank writes it. */
function dayOf(node: XmlNode | undefined, ...path: readonly string[]): IsoDate | undefined {
  const element = childOf(node, ...path)
  const text = textOf(element, 'Dt') || textOf(element, 'DtTm') || textOf(element)
  if (text === '') return undefined
  const day = text.slice(0, 10)
  if (isDay(day)) return day
  const { name = '', line = 0 } = element ?? {}
  throw new UnreadableFile(`${name} is "${text.slice(0, 40)}", and a day is 2026-11-30`, line)
}

function codeOf(node: XmlNode | undefined): string {
  const domain = childOf(node, 'BkTxCd', 'Domn')
  const parts = [
    textOf(domain, 'Cd'),
    textOf(domain, 'Fmly', 'Cd'),
    textOf(domain, 'Fmly', 'SubFmlyCd'),
  ]
  const code = parts.filter(part => part !== '').join('/')
  return code || textOf(node, 'BkTxCd', 'Prtry', 'Cd')
}

/**
 * The other side, and the account of ours that was credited where that is not the account of the
 * statement. A payment that comes back names its first parties: we are then the debtor.
 */
function partiesOf(payment: XmlNode, is_credit: boolean, account: string) {
  const parties = childOf(payment, 'RltdPties')
  const numberOf = (who: string) => {
    const id = childOf(parties, `${who}Acct`, 'Id')
    return plainAccount(textOf(id, 'IBAN') || textOf(id, 'Othr', 'Id'))
  }
  const is_back = is_credit && account !== '' && numberOf('Dbtr') === account
  const [other, own] = is_credit && !is_back ? ['Dbtr', 'Cdtr'] : ['Cdtr', 'Dbtr']
  const credited = is_credit && !is_back ? numberOf(own) : ''
  return {
    counterparty: numberOf(other),
    counterparty_name: textOf(parties, other, 'Pty', 'Nm') || textOf(parties, other, 'Nm'),
    own_account: credited === account ? '' : credited,
  }
}

function textsOf(node: XmlNode, payment: XmlNode | undefined): string {
  const remittance = childrenOf(payment, 'RmtInf', 'Ustrd').map(text => textOf(text))
  const references = childrenOf(payment, 'RmtInf', 'Strd').map(one =>
    textOf(one, 'CdtrRefInf', 'Ref'),
  )
  return joinTexts([
    remittance.join(' '),
    ...references,
    ...(payment === undefined ? [] : reasonsOf(payment)),
    textOf(payment, 'RtrInf', 'AddtlInf'),
    textOf(payment, 'AddtlTxInf'),
    textOf(node, 'AddtlNtryInf'),
  ])
}

/** The signed amount and the day of a balance with the first of these codes that there is. */
function balanceOf(report: XmlNode, codes: readonly string[], place: 'first' | 'last') {
  const balances = childrenOf(report, 'Bal')
  const of = codes
    .map(code => ({
      code,
      found: balances.filter(one => textOf(one, 'Tp', 'CdOrPrtry', 'Cd') === code),
    }))
    .find(({ found }) => found.length > 0)
  const balance = of?.found.at(place === 'first' ? 0 : -1)
  if (of === undefined || balance === undefined) return undefined
  const { amount } = moneyIn(childOf(balance, 'Amt'), balance)
  const signed = isCredit(balance) === false ? -amount : amount
  return { code: of.code, amount: signed, day: dayOf(balance, 'Dt') }
}

/**
 * The opening balance is OPBD; many banks write PRCD, the closing balance of the day before. A page
 * of a statement begins and ends with an interim balance. Without pages, an interim balance at the
 * end says that the day was not over.
 */
function endOf(kind: Kind, report: XmlNode): StatementEnd {
  const page = textOf(report, 'StmtPgntn', 'PgNb') || textOf(report, 'RptPgntn', 'PgNb')
  const has_pages = page !== '' && !(page === '1' && isLastPage(report))
  const interim = has_pages ? ['ITBD'] : []
  const opening = balanceOf(report, ['OPBD', 'PRCD', ...interim], 'first')
  const closing = balanceOf(report, ['CLBD', ...interim], 'last')
  const is_over = closing !== undefined || balanceOf(report, ['ITBD'], 'last') === undefined
  const from = dayOf(report, 'FrToDt', 'FrDtTm') ?? dayOf(report, 'FrToDt', 'FrDt')
  const to = dayOf(report, 'FrToDt', 'ToDtTm') ?? dayOf(report, 'FrToDt', 'ToDt')
  const id = idOf(report, 'Id')
  const created = dayOf(report, 'CreDtTm')
  return {
    kind: 'end',
    statement_id: fitText(has_pages ? `${id}/${page}` : id, 90),
    sequence: fitText(textOf(report, 'ElctrncSeqNb') || textOf(report, 'LglSeqNb'), 40),
    opened_on: from ?? (opening?.code === 'OPBD' ? opening.day : undefined) ?? null,
    closed_on: closing?.day ?? to ?? created ?? null,
    opening: opening?.amount ?? null,
    closing: closing?.amount ?? null,
    is_final: kind === 'camt.053' && is_over,
  }
}

const isLastPage = (report: XmlNode) =>
  ['true', '1'].includes(textOf(report, 'StmtPgntn', 'LastPgInd'))
