// Reads camt.053 (statement), camt.054 (notification) and camt.052 (report), by the local names of
// their elements: entries, the payments in them, and returns. Only booked entries of a statement or
// notification are bookings; every other entry is a note.
import { type BankSays, NOTHING_SAID } from '../bank-format/bank-format.ts'
import { around, childOf, childrenOf, textOf } from './node.ts'
import { idOf, joined, moneyOf } from './says.ts'
import type { MessageReader } from './status-report.ts'
import type { XmlNode } from './xml-stream.ts'

type AccountReport = 'camt.052' | 'camt.053' | 'camt.054'

const ENTRY = 'Ntry'
const DETAILS = 'NtryDtls'
const TRANSACTION = 'TxDtls'
const REPORTS = ['Stmt', 'Ntfctn', 'Rpt']

/** The facts of an entry that its payments need. */
interface EntrySoFar {
  readonly number: number
  count: number
  /** A payment without an amount. It gets the entry's amount if no other payment follows. */
  waiting: XmlNode | undefined
  /** The ids of the file or PmtInf that the bank booked as one entry. */
  batch: Pick<BankSays, 'msg_id' | 'payment_information_id'>
}

const NO_BATCH: EntrySoFar['batch'] = { msg_id: '', payment_information_id: '' }

export function accountReportReader(kind: AccountReport): MessageReader {
  let entries = 0
  let entry: EntrySoFar = { number: 0, count: 0, waiting: undefined, batch: NO_BATCH }
  const flush = function* (alone: boolean): Generator<BankSays> {
    const { waiting } = entry
    entry.waiting = undefined
    if (waiting !== undefined) yield ofTransaction(kind, waiting, entry, alone)
  }
  return {
    records: new Set([ENTRY, DETAILS, TRANSACTION, ...REPORTS]),
    open(node) {
      if (node.name === ENTRY) {
        entries += 1
        entry = { number: entries, count: 0, waiting: undefined, batch: NO_BATCH }
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
        if (ownAmount(node) === undefined) entry.waiting = node
        else yield ofTransaction(kind, node, entry, false)
      } else if (node.name === ENTRY) {
        yield* flush(entry.count === 1)
        if (entry.count === 0) yield { ...ofEntry(kind, node, entry), ...entry.batch }
      }
    },
  }
}

/** The entry itself. An entry for a whole batch lists no payments. */
function ofEntry(kind: AccountReport, node: XmlNode, { number }: EntrySoFar): BankSays {
  const code = textOf(node, 'Sts', 'Cd') || textOf(node, 'Sts')
  const is_credit = isCredit(node) ?? null
  return {
    ...NOTHING_SAID,
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

/** One payment of an entry. `alone`: no other payment shares the entry's amount. */
function ofTransaction(
  kind: AccountReport,
  node: XmlNode,
  so_far: EntrySoFar,
  alone: boolean,
): BankSays {
  const entry = around(node, ENTRY)
  if (entry === undefined) throw new Error('TxDtls stands in an entry')
  const whole = ofEntry(kind, entry, so_far)
  const { batch, number, count } = so_far
  const is_credit = isCredit(node) ?? whole.is_credit
  const returned = is_credit === true && (isReturn(node) || isReturn(entry))
  const own = ownAmount(node) ?? (alone ? childOf(entry, 'Amt') : undefined)
  return {
    ...whole,
    ...(returned ? moneyOf(own) : paidAmount(node, own)),
    position: `${ENTRY}[${number}]/${TRANSACTION}[${count}], line ${node.line}`,
    level: levelOf(kind, whole.code, returned),
    msg_id: idOf(node, 'Refs', 'MsgId') || batch.msg_id,
    payment_information_id: idOf(node, 'Refs', 'PmtInfId') || batch.payment_information_id,
    end_to_end_id: idOf(node, 'Refs', 'EndToEndId'),
    instruction_id: idOf(node, 'Refs', 'InstrId'),
    uetr: idOf(node, 'Refs', 'UETR').toLowerCase(),
    reasons: reasonsOf(node),
    text: joined([textOf(node, 'AddtlTxInf'), textOf(node, 'RtrInf', 'AddtlInf'), whole.text]),
    is_credit,
    reference: idOf(node, 'Refs', 'AcctSvcrRef') || whole.reference,
  }
}

/**
 * The amount of the payment. It is the instructed amount when the account has another currency, or
 * when the bank's charges explain the difference; else it is the booked amount.
 */
function paidAmount(node: XmlNode, own: XmlNode | undefined) {
  const booked = moneyOf(own)
  const asked = moneyOf(childOf(node, 'AmtDtls', 'InstdAmt', 'Amt'))
  if (asked.amount === null || booked.amount === null) return booked
  if (asked.currency !== booked.currency) return asked
  return asked.amount + chargesOf(node, booked.currency) === booked.amount ? asked : booked
}

/** The charges inside the payment's amount, in its currency. */
function chargesOf(node: XmlNode, currency: string): bigint {
  return childrenOf(node, 'Chrgs', 'Rcrd')
    .filter(record => ['true', '1'].includes(textOf(record, 'ChrgInclInd')))
    .map(record => moneyOf(childOf(record, 'Amt')))
    .reduce((sum, money) => (money.currency === currency ? sum + (money.amount ?? 0n) : sum), 0n)
}

function levelOf(kind: AccountReport, code: string, returned: boolean): BankSays['level'] {
  // A camt.052 reports entries that may still change.
  if (code !== 'BOOK' || kind === 'camt.052') return 'note'
  return returned ? 'return' : 'booking'
}

/**
 * Whether money came back. Banks show it by a return reason, by the code of the booking, or by the
 * mark of a reversal.
 */
function isReturn(node: XmlNode): boolean {
  const sub_family = textOf(node, 'BkTxCd', 'Domn', 'Fmly', 'SubFmlyCd')
  return (
    childOf(node, 'RtrInf') !== undefined ||
    ['RRTN', 'RPCR', 'ARET'].includes(sub_family) ||
    ['true', '1'].includes(textOf(node, 'RvslInd'))
  )
}

function reasonsOf(node: XmlNode): string[] {
  const reason = childOf(node, 'RtrInf', 'Rsn')
  return [textOf(reason, 'Cd') || textOf(reason, 'Prtry')].filter(code => code !== '')
}

/** The amount of one payment: in Amt since the version of 2019, in AmtDtls before it. */
function ownAmount(node: XmlNode): XmlNode | undefined {
  return (
    childOf(node, 'Amt') ??
    childOf(node, 'AmtDtls', 'TxAmt', 'Amt') ??
    childOf(node, 'AmtDtls', 'InstdAmt', 'Amt')
  )
}

function isCredit(node: XmlNode): boolean | undefined {
  const indicator = textOf(node, 'CdtDbtInd')
  return indicator === '' ? undefined : indicator === 'CRDT'
}

function accountOf(node: XmlNode): string {
  const id = childOf(around(node, ...REPORTS), 'Acct', 'Id')
  return textOf(id, 'IBAN') || textOf(id, 'Othr', 'Id')
}

/**
 * The kind, the id and the period. The period is needed because banks use ids again in later years.
 */
function statementOf(kind: AccountReport, node: XmlNode): string {
  const report = around(node, ...REPORTS)
  const from = textOf(report, 'FrToDt', 'FrDtTm') || textOf(report, 'FrToDt', 'FrDt')
  const to = textOf(report, 'FrToDt', 'ToDtTm') || textOf(report, 'FrToDt', 'ToDt')
  const period = from + to === '' ? textOf(report, 'CreDtTm') : `${from}/${to}`
  return [kind, textOf(report, 'Id'), period].filter(part => part !== '').join(' ')
}
