// Reads a bank's file: finds the message in the bank's envelope and gives its elements to the
// reader for its kind. Skips elements of another namespace.
import { type BankSays, UnreadableFile } from '../bank-format/bank-format.ts'
import { accountReportReader } from './account-report.ts'
import { type MessageReader, statusReportReader } from './status-report.ts'
import { readXml, type XmlNode, type XmlWatcher } from './xml-stream.ts'

/** Messages by the local name of the element below Document. */
const MESSAGES: Readonly<Record<string, (message: XmlNode) => MessageReader>> = {
  CstmrPmtStsRpt: statusReportReader,
  BkToCstmrStmt: () => accountReportReader('camt.053'),
  BkToCstmrDbtCdtNtfctn: () => accountReportReader('camt.054'),
  BkToCstmrAcctRpt: () => accountReportReader('camt.052'),
}

/**
 * Everything that the file says, in its order. It may throw UnreadableFile even at the end of the
 * file: so the caller collects everything, or reads twice, before it applies anything.
 */
export async function* readBankFile(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<BankSays> {
  const watcher = new MessageWatcher()
  for await (const _ of readXml(chunks, watcher)) yield* watcher.take()
  if (!watcher.has_message) {
    throw new UnreadableFile(
      `the file has no pain.002, camt.052, camt.053 or camt.054; its root is ${watcher.root}`,
    )
  }
}

class MessageWatcher implements XmlWatcher {
  root = ''
  has_message = false
  #said: BankSays[] = []
  #message: { readonly node: XmlNode; readonly reader: MessageReader } | undefined
  /** The outermost open element of another namespace. */
  #foreign: XmlNode | undefined

  take(): readonly BankSays[] {
    const said = this.#said
    this.#said = []
    return said
  }

  open(node: XmlNode): void {
    this.root ||= node.name
    if (this.#message === undefined) {
      const make = Object.hasOwn(MESSAGES, node.name) ? MESSAGES[node.name] : undefined
      if (make === undefined) return
      this.#message = { node, reader: make(node) }
      this.has_message = true
      return
    }
    if (this.#foreign !== undefined) return
    if (node.namespace !== this.#message.node.namespace) this.#foreign = node
    else this.#said.push(...this.#message.reader.open(node))
  }

  close(node: XmlNode): 'keep' | 'forget' {
    if (this.#foreign !== undefined) {
      if (this.#foreign === node) this.#foreign = undefined
      return 'forget'
    }
    const message = this.#message
    if (message === undefined || message.node === node) {
      this.#message = undefined
      return 'forget'
    }
    this.#said.push(...message.reader.close(node))
    return message.reader.records.has(node.name) ? 'forget' : 'keep'
  }
}
