// Reads pain.002 (CustomerPaymentStatusReport), version 3 and later, by the local names of its
// elements: the status of a file, of a PmtInf in it, and of one payment.
import { type BankSays, NOTHING_SAID } from '../bank-format/bank-format.ts'
import { around, childOf, childrenOf, textOf } from './node.ts'
import { idOf, joined, moneyOf } from './says.ts'
import type { XmlNode } from './xml-stream.ts'

/** The reader for one kind of message. */
export interface MessageReader {
  /** Called when an element opens; the elements before it in its parents are complete. */
  open(node: XmlNode): Iterable<BankSays>
  /** Called when an element closes. */
  close(node: XmlNode): Iterable<BankSays>
  /** Elements that are complete in themselves. They are dropped once they are read. */
  readonly records: ReadonlySet<string>
}

const FILE = 'OrgnlGrpInfAndSts'
const GROUP = 'OrgnlPmtInfAndSts'
const TRANSACTION = 'TxInfAndSts'

/** `message` is the element CstmrPmtStsRpt. */
export function statusReportReader(message: XmlNode): MessageReader {
  let groups = 0
  let transactions = 0
  let told: XmlNode | undefined
  const said_at = () => textOf(message, 'GrpHdr', 'CreDtTm')
  const original = (node: XmlNode) => ({
    ...NOTHING_SAID,
    ...statusReasons(node),
    msg_id: idOf(childOf(message, FILE), 'OrgnlMsgId'),
    said_at: said_at(),
  })
  // The status of a PmtInf comes before its payments, and so does its report.
  const ofGroup = function* (group: XmlNode): Generator<BankSays> {
    if (told === group) return
    told = group
    const code = textOf(group, 'PmtInfSts')
    if (code === '') return
    yield {
      ...original(group),
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
      if (node.parent?.name === GROUP) yield* ofGroup(node.parent)
    },
    *close(node) {
      if (node.name === GROUP) yield* ofGroup(node)
      if (node.name === FILE) {
        const code = textOf(node, 'GrpSts')
        const msg_id = idOf(node, 'OrgnlMsgId')
        const position = `${FILE}, line ${node.line}`
        if (code !== '') yield { ...original(node), position, level: 'file', msg_id, code }
      }
      if (node.name !== TRANSACTION) return
      const group = around(node, GROUP)
      const inside = group === undefined ? '' : `${GROUP}[${groups}]/`
      yield {
        ...original(node),
        ...moneyOf(childOf(node, 'OrgnlTxRef', 'Amt', 'InstdAmt')),
        position: `${inside}${TRANSACTION}[${transactions}], line ${node.line}`,
        level: 'transaction',
        payment_information_id: idOf(group, 'OrgnlPmtInfId'),
        end_to_end_id: idOf(node, 'OrgnlEndToEndId'),
        instruction_id: idOf(node, 'OrgnlInstrId'),
        uetr: idOf(node, 'OrgnlUETR').toLowerCase(),
        code: textOf(node, 'TxSts'),
        reference: idOf(node, 'AcctSvcrRef'),
      }
    },
  }
}

/** The reason codes of the standard and of the bank, unchanged, and the text beside them. */
function statusReasons(node: XmlNode): Pick<BankSays, 'reasons' | 'text'> {
  const informations = childrenOf(node, 'StsRsnInf')
  const reasons = informations
    .map(information => textOf(information, 'Rsn', 'Cd') || textOf(information, 'Rsn', 'Prtry'))
    .filter(reason => reason !== '')
  const texts = informations.flatMap(information =>
    childrenOf(information, 'AddtlInf').map(more => textOf(more)),
  )
  return { reasons, text: joined(texts) }
}
