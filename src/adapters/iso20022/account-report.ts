// Reads camt.053 (statement), camt.054 (notification) and camt.052 (report), by the local names of
// their elements: entries, the payments in them, and returns. Only booked entries of a statement or
// notification are bookings; every other entry is a note.
import { type BankLine, EMPTY_LINE } from '../../values/bank-format/bank-format.ts'
import { referencesIn } from '../../values/bank-format/code-word.ts'
import { childOf, childrenOf, closest, textOf } from '../../values/xml/node.ts'
import type { XmlNode } from '../../values/xml/xml-stream.ts'
import type { MessageReader } from './status-report.ts'
import { idOf, joinTexts, moneyOf } from './values.ts'

type AccountReport = 'camt.052' | 'camt.053' | 'camt.054'

const ENTRY = 'Ntry'
const DETAILS = 'NtryDtls'
const TRANSACTION = 'TxDtls'
const REPORTS = ['Stmt', 'Ntfctn', 'Rpt']

interface EntryState {
  readonly number: number
  count: number
  /** A payment without an own amount. It gets the entry's amount if it is the only payment. */
  without_amount: XmlNode | undefined
  /** The ids of the file or PmtInf that the bank booked as one entry. */
  batch: Pick<BankLine, 'msg_id' | 'payment_information_id'>
}

const NO_BATCH: EntryState['batch'] = { msg_id: '', payment_information_id: '' }

export function accountReportReader(kind: AccountReport): MessageReader {
  let entries = 0
  let entry: EntryState = { number: 0, count: 0, without_amount: undefined, batch: NO_BATCH }
  const flush = function* (is_only: boolean): Generator<BankLine> {
    const { without_amount } = entry
    entry.without_amount = undefined
    if (without_amount !== undefined) yield transactionLine(kind, without_amount, entry, is_only)
  }
  return {
    records: new Set([ENTRY, DETAILS, TRANSACTION, ...REPORTS]),
    open(node) {
      if (node.name === ENTRY) {
        entries += 1
        entry = { number: entries, count: 0, without_amount: undefined, batch: NO_BATCH }
      }
      return []
    },
    *close(node) {
      if (node.name === 'Btch' && node.parent?.name === DETAILS) {
        entry.batch = {
          msg_id: idOf(node, 'MsgId'),
          payment_information_id: idOf(node, 'PmtInfId'),
        }
      } else if (node.name === TRANSACTION) {
        yield* flush(false)
        entry.count += 1
        if (ownAmount(node) === undefined) entry.without_amount = node
        else yield transactionLine(kind, node, entry, false)
      } else if (node.name === ENTRY) {
        yield* flush(entry.count === 1)
        if (entry.count > 0) return
        const payment_information_id = entry.batch.payment_information_id || blockIdOf(node)
        yield { ...entryLine(kind, node, entry), ...entry.batch, payment_information_id }
      }
    },
  }
}

/**
 * Our end-to-end id. Some banks give it as the id of their own transaction. Others give it behind
 * EREF, in their own texts or in the text of the payer. The payer may have written such an id, so
 * texts with several ids give none: a person looks.
 */
export function endToEndIdOf(node: XmlNode, entry_text: string) {
  const id = idOf(node, 'Refs', 'EndToEndId')
  if (id !== '') return { end_to_end_id: id }
  const own = idOf(node, 'Refs', 'TxId')
  if (/^[0-9A-Z]{15}$/.test(own)) return { end_to_end_id: own }
  const texts = [
    textOf(node, 'AddtlTxInf'),
    entry_text,
    ...childrenOf(node, 'RmtInf', 'Ustrd').map(text => textOf(text)),
  ]
  const [named = '', ...others] = referencesIn(texts.join(' '))
  if (others.length === 0) return { end_to_end_id: named }
  const defect = `line ${node.line}: its texts name ${others.length + 1} payments`
  return { end_to_end_id: '', defect }
}

/** Our id of a PmtInf, if the bank gives it as the reference of an entry. */
export function blockIdOf(node: XmlNode): string {
  const own = idOf(node, 'NtryRef')
  return /^[0-9A-Z]{16}-\d{1,5}$/.test(own) ? own : ''
}

/** The line of an entry that lists no payments, such as the booking of a whole batch. */
function entryLine(kind: AccountReport, node: XmlNode, { number }: EntryState): BankLine {
  const code = textOf(node, 'Sts', 'Cd') || textOf(node, 'Sts')
  const is_credit = isCredit(node) ?? null
  return {
    ...EMPTY_LINE,
    ...moneyOf(childOf(node, 'Amt')),
    position: `${ENTRY}[${number}], line ${node.line}`,
    level: levelOf(kind, code, is_credit === true && isReturn(node)),
    code,
    text: textOf(node, 'AddtlNtryInf'),
    is_credit,
    account: accountOf(node),
    statement: statementOf(kind, node),
    reference: idOf(node, 'AcctSvcrRef') || idOf(node, 'NtryRef'),
    said_at: textOf(node, 'BookgDt', 'DtTm') || textOf(node, 'BookgDt', 'Dt'),
  }
}

/** The line of one payment. `is_only`: no other payment shares the entry's amount. */
function transactionLine(kind: AccountReport, node: XmlNode, state: EntryState, is_only: boolean) {
  const entry = closest(node, ENTRY)
  if (entry === undefined) throw new Error('TxDtls stands in an entry')
  const entry_line = entryLine(kind, entry, state)
  const { batch, number, count } = state
  const is_credit = isCredit(node) ?? entry_line.is_credit
  const is_returned = is_credit === true && (isReturn(node) || isReturn(entry))
  const amount = ownAmount(node) ?? (is_only ? childOf(entry, 'Amt') : undefined)
  const shares = amount === undefined && is_credit === false
  return {
    ...entry_line,
    ...(is_returned ? moneyOf(amount) : paidAmount(node, amount)),
    position: `${ENTRY}[${number}]/${TRANSACTION}[${count}], line ${node.line}`,
    level: levelOf(kind, entry_line.code, is_returned),
    msg_id: idOf(node, 'Refs', 'MsgId') || batch.msg_id,
    payment_information_id: idOf(node, 'Refs', 'PmtInfId') || batch.payment_information_id,
    ...endToEndIdOf(node, entry_line.text),
    instruction_id: idOf(node, 'Refs', 'InstrId'),
    uetr: idOf(node, 'Refs', 'UETR').toLowerCase(),
    reasons: reasonsOf(node),
    text: joinTexts([
      textOf(node, 'AddtlTxInf'),
      textOf(node, 'RtrInf', 'AddtlInf'),
      entry_line.text,
    ]),
    is_credit,
    reference: idOf(node, 'Refs', 'AcctSvcrRef') || entry_line.reference,
    shared_amount: shares ? entry_line.amount : null,
  }
}

/**
 * The amount of the payment. It is the instructed amount when the account has another currency, or
 * when the bank's charges explain the difference. Otherwise it is the booked amount.
 */
function paidAmount(node: XmlNode, booked_element: XmlNode | undefined) {
  const booked = moneyOf(booked_element)
  const instructed = moneyOf(childOf(node, 'AmtDtls', 'InstdAmt', 'Amt'))
  if (instructed.amount === null || booked.amount === null) return booked
  if (instructed.currency !== booked.currency) return instructed
  const difference = booked.amount - instructed.amount
  return chargesOf(node, booked.currency).includes(difference) ? instructed : booked
}

/**
 * The sums of charges that the booked amount may include, as far as they are in its currency: the
 * records that are included, the total alone, and the amounts of the version of 2009. They stand
 * with the payment, or with an entry of one payment.
 */
function chargesOf(node: XmlNode, currency: string): bigint[] {
  const sumOf = (elements: readonly XmlNode[]) =>
    elements
      .map(element => moneyOf(element))
      .reduce((sum, money) => (money.currency === currency ? sum + (money.amount ?? 0n) : sum), 0n)
  const amounts = (elements: readonly XmlNode[], name: string) =>
    elements.flatMap(element => childrenOf(element, name))
  return [node, closest(node, ENTRY)].flatMap(level => {
    const charges = childrenOf(level, 'Chrgs')
    const included = amounts(charges, 'Rcrd').filter(record =>
      ['true', '1'].includes(textOf(record, 'ChrgInclInd')),
    )
    const sums = [
      sumOf(amounts(included, 'Amt')),
      sumOf(amounts(charges, 'TtlChrgsAndTaxAmt')),
      sumOf(amounts(charges, 'Amt')),
    ]
    return sums.filter(sum => sum !== 0n)
  })
}

function levelOf(kind: AccountReport, code: string, is_returned: boolean): BankLine['level'] {
  // The entries of a camt.052 may still change.
  if (code !== 'BOOK' || kind === 'camt.052') return 'note'
  return is_returned ? 'return' : 'booking'
}

/**
 * Whether money came back. Banks mark this by a return reason, by the code of the booking, or by
 * the reversal indicator.
 */
function isReturn(node: XmlNode): boolean {
  const sub_family = textOf(node, 'BkTxCd', 'Domn', 'Fmly', 'SubFmlyCd')
  return (
    childOf(node, 'RtrInf') !== undefined ||
    ['RRTN', 'RPCR', 'ARET'].includes(sub_family) ||
    ['true', '1'].includes(textOf(node, 'RvslInd'))
  )
}

export function reasonsOf(node: XmlNode): string[] {
  const reason = childOf(node, 'RtrInf', 'Rsn')
  return [textOf(reason, 'Cd') || textOf(reason, 'Prtry')].filter(code => code !== '')
}

/** The payment's own amount: in Amt since the version of 2019, in AmtDtls before. */
export function ownAmount(node: XmlNode): XmlNode | undefined {
  return (
    childOf(node, 'Amt') ??
    childOf(node, 'AmtDtls', 'TxAmt', 'Amt') ??
    childOf(node, 'AmtDtls', 'InstdAmt', 'Amt')
  )
}

export function isCredit(node: XmlNode): boolean | undefined {
  const indicator = textOf(node, 'CdtDbtInd')
  return indicator === '' ? undefined : indicator === 'CRDT'
}

export function accountOf(node: XmlNode): string {
  const id = childOf(closest(node, ...REPORTS), 'Acct', 'Id')
  return textOf(id, 'IBAN') || textOf(id, 'Othr', 'Id')
}

/**
 * The kind, id and period of the message. The period is needed because banks reuse ids in later
 * years.
 */
function statementOf(kind: AccountReport, node: XmlNode): string {
  const report = closest(node, ...REPORTS)
  const from = textOf(report, 'FrToDt', 'FrDtTm') || textOf(report, 'FrToDt', 'FrDt')
  const to = textOf(report, 'FrToDt', 'ToDtTm') || textOf(report, 'FrToDt', 'ToDt')
  const period = from + to === '' ? textOf(report, 'CreDtTm') : `${from}/${to}`
  return [kind, textOf(report, 'Id'), period].filter(part => part !== '').join(' ')
}
