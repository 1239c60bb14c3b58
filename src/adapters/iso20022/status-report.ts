// Reads pain.002 (CustomerPaymentStatusReport), version 3 and later, by the local names of its
// elements: the status of a file, of a PmtInf in it, and of one payment.
import { type BankLine, EMPTY_LINE } from '../../values/bank-format/bank-format.ts'
import { childOf, childrenOf, closest, textOf } from '../../values/xml/node.ts'
import type { XmlNode } from '../../values/xml/xml-stream.ts'
import { idOf, joinTexts, moneyOf } from './values.ts'

export interface MessageReader<Line = BankLine> {
  /** Called when an element opens; the elements before it in its parents are complete. */
  open(node: XmlNode): Iterable<Line>
  /** Called when an element closes. */
  close(node: XmlNode): Iterable<Line>
  /** The names of the elements that are dropped from memory once they have closed. */
  readonly records: ReadonlySet<string>
}

const FILE = 'OrgnlGrpInfAndSts'
const GROUP = 'OrgnlPmtInfAndSts'
const TRANSACTION = 'TxInfAndSts'

/** `message` is the element CstmrPmtStsRpt. */
export function statusReportReader(message: XmlNode): MessageReader {
  let groups = 0
  let transactions = 0
  let reported_group: XmlNode | undefined
  const said_at = () => textOf(message, 'GrpHdr', 'CreDtTm')
  const sharedValues = (node: XmlNode) => ({
    ...EMPTY_LINE,
    ...statusReasons(node),
    msg_id: idOf(childOf(message, FILE), 'OrgnlMsgId'),
    said_at: said_at(),
  })
  // The status of a PmtInf stands before its payments, so its line comes before theirs.
  const groupLine = function* (group: XmlNode): Generator<BankLine> {
    if (reported_group === group) return
    reported_group = group
    const code = textOf(group, 'PmtInfSts')
    if (code === '') return
    yield {
      ...sharedValues(group),
      position: `${GROUP}[${groups}], line ${group.line}`,
      level: 'group',
      payment_information_id: idOf(group, 'OrgnlPmtInfId'),
      code,
    }
  }
  return {
    records: new Set([GROUP, TRANSACTION]),
    *open(node) {
      if (node.name === GROUP) [groups, transactions] = [groups + 1, 0]
      if (node.name !== TRANSACTION) return
      transactions += 1
      if (node.parent?.name === GROUP) yield* groupLine(node.parent)
    },
    *close(node) {
      if (node.name === GROUP) yield* groupLine(node)
      if (node.name === FILE) {
        const code = textOf(node, 'GrpSts')
        const msg_id = idOf(node, 'OrgnlMsgId')
        const position = `${FILE}, line ${node.line}`
        if (code !== '') yield { ...sharedValues(node), position, level: 'file', msg_id, code }
      }
      if (node.name !== TRANSACTION) return
      const group = closest(node, GROUP)
      const inside = group === undefined ? '' : `${GROUP}[${groups}]/`
      yield {
        ...sharedValues(node),
        ...moneyOf(childOf(node, 'OrgnlTxRef', 'Amt', 'InstdAmt')),
        position: `${inside}${TRANSACTION}[${transactions}], line ${node.line}`,
        level: 'transaction',
        payment_information_id: idOf(group, 'OrgnlPmtInfId'),
        end_to_end_id: idOf(node, 'OrgnlEndToEndId'),
        instruction_id: idOf(node, 'OrgnlInstrId'),
        uetr: idOf(node, 'OrgnlUETR').toLowerCase(),
        code: textOf(node, 'TxSts') || inheritedStatus(node, group, message),
        reference: idOf(node, 'AcctSvcrRef'),
      }
    },
  }
}

/**
 * The status of a payment that has a reason and no own status: the rejection of its group, or of
 * its file.
 */
function inheritedStatus(node: XmlNode, group: XmlNode | undefined, message: XmlNode): string {
  if (statusReasons(node).reasons.length === 0) return ''
  const code = textOf(group, 'PmtInfSts') || textOf(message, FILE, 'GrpSts')
  return code === 'RJCT' ? code : ''
}

/** The reason codes, the standard's and the bank's own, unchanged, and the texts beside them. */
function statusReasons(node: XmlNode): Pick<BankLine, 'reasons' | 'text'> {
  const informations = childrenOf(node, 'StsRsnInf')
  const reasons = informations
    .map(information => textOf(information, 'Rsn', 'Cd') || textOf(information, 'Rsn', 'Prtry'))
    .filter(reason => reason !== '')
  const texts = informations.flatMap(information =>
    childrenOf(information, 'AddtlInf').map(text => textOf(text)),
  )
  return { reasons, text: joinTexts(texts) }
}
