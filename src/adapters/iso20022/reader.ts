// Reads a bank's file: finds the message in the bank's envelope and gives its elements to the
// reader for its kind. Skips elements of another namespace.
import { type BankLine, UnreadableFile } from '../../values/bank-format/bank-format.ts'
import { readXml, type XmlHandler, type XmlNode } from '../../values/xml/xml-stream.ts'
import { accountReportReader } from './account-report.ts'
import { type MessageReader, statusReportReader } from './status-report.ts'

/** Readers of messages, by the local name of the element below Document. */
export type MessageReaders<Line> = Readonly<
  Record<string, (message: XmlNode) => MessageReader<Line>>
>

const MESSAGES: MessageReaders<BankLine> = {
  CstmrPmtStsRpt: statusReportReader,
  BkToCstmrStmt: () => accountReportReader('camt.053'),
  BkToCstmrDbtCdtNtfctn: () => accountReportReader('camt.054'),
  BkToCstmrAcctRpt: () => accountReportReader('camt.052'),
}

/**
 * The lines of the file, in order. May throw UnreadableFile at the very end of the file, so callers
 * read the whole file before they apply a line.
 */
export function readBankFile(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<BankLine> {
  return readMessages(chunks, MESSAGES, 'pain.002, camt.052, camt.053 or camt.054')
}

/** A whole file of XML without a message that is read. */
export class OtherFile extends UnreadableFile {}

/** What the readers make of the messages in a file. `names` says which messages they read. */
export async function* readMessages<Line>(
  chunks: AsyncIterable<Uint8Array>,
  messages: MessageReaders<Line>,
  names: string,
): AsyncGenerator<Line> {
  const handler = new MessageHandler(messages)
  for await (const _ of readXml(chunks, handler)) yield* handler.takeLines()
  if (!handler.has_message) {
    throw new OtherFile(`the file has no ${names}; its root is ${handler.root}`)
  }
}

class MessageHandler<Line> implements XmlHandler {
  root = ''
  has_message = false
  readonly #messages: MessageReaders<Line>
  #lines: Line[] = []
  #message: { readonly node: XmlNode; readonly reader: MessageReader<Line> } | undefined
  /** The outermost open element of another namespace. */
  #foreign: XmlNode | undefined

  constructor(messages: MessageReaders<Line>) {
    this.#messages = messages
  }

  /** Returns the lines since the last call. */
  takeLines(): readonly Line[] {
    const lines = this.#lines
    this.#lines = []
    return lines
  }

  open(node: XmlNode): void {
    this.root ||= node.name
    if (this.#message === undefined) {
      const make = Object.hasOwn(this.#messages, node.name) ? this.#messages[node.name] : undefined
      if (make === undefined) return
      this.#message = { node, reader: make(node) }
      this.has_message = true
      return
    }
    if (this.#foreign !== undefined) return
    if (node.namespace !== this.#message.node.namespace) this.#foreign = node
    else this.#lines.push(...this.#message.reader.open(node))
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
    this.#lines.push(...message.reader.close(node))
    return message.reader.records.has(node.name) ? 'forget' : 'keep'
  }
}
