// Reads XML of any size as a stream of small trees, in bounded memory. Refuses malformed XML, a
// DOCTYPE with its entities, and elements that are deeper, longer or wider than a bank writes.
import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes'
import { UnreadableFile } from '../bank-format/bank-format.ts'

/** An element, with its text and the children that the handler kept. */
export interface XmlNode {
  /** The name without its prefix. */
  readonly name: string
  readonly namespace: string
  readonly attributes: Readonly<Record<string, SaxesAttributeNS>>
  readonly line: number
  readonly parent: XmlNode | undefined
  readonly children: XmlNode[]
  /** Whether no element has opened inside it. */
  is_leaf: boolean
  /** The text of a leaf. ISO 20022 has no text beside elements, and banks indent them. */
  text: string
}

/** Gets each element as it opens and as it closes. */
export interface XmlHandler {
  open(node: XmlNode): void
  /** Whether the parent keeps the element; if not, it is dropped. */
  close(node: XmlNode): 'keep' | 'forget'
}

/**
 * A report of 100,000 payments has some 4,000,000 lines and 250 MB. A larger file is refused; the
 * bank can send it in parts.
 */
export const BOUNDS = {
  bytes: 512 * 1024 * 1024,
  lines: 8_000_000,
  depth: 40,
  /** The most characters of one tag, text or comment. */
  token: 65_536,
  /** The most elements that are kept at one time. */
  nodes: 50_000,
} as const

/**
 * The characters that the parser gets at once. The bounds of memory are checked after each piece.
 */
const PIECE = 16_384

const ENCODINGS: Readonly<Record<string, string>> = {
  'utf-8': 'utf-8',
  utf8: 'utf-8',
  'us-ascii': 'utf-8',
  'utf-16': 'utf-16',
  'utf-16le': 'utf-16le',
  'utf-16be': 'utf-16be',
  'iso-8859-1': 'windows-1252',
  'iso-8859-15': 'iso-8859-15',
  'windows-1252': 'windows-1252',
}

/**
 * Parses all chunks. Yields after each piece, so that the caller can take the handler's results.
 * Throws UnreadableFile.
 */
export async function* readXml(
  chunks: AsyncIterable<Uint8Array>,
  handler: XmlHandler,
): AsyncGenerator<void> {
  const parser = new TreeParser(handler)
  let decoder: TextDecoder | undefined
  let bytes = 0
  let head: Uint8Array = new Uint8Array()
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > BOUNDS.bytes) {
      throw new UnreadableFile(`the file has more than ${BOUNDS.bytes} bytes`, parser.line)
    }
    let rest = chunk
    if (decoder === undefined) {
      // The declaration names the encoding; a chunk may end inside it.
      head = Buffer.concat([head, chunk])
      if (head.length < 256) continue
      decoder = decoderOf(head)
      rest = head
    }
    yield* parser.write(decode(decoder, rest, parser.line))
  }
  if (bytes === 0) throw new UnreadableFile('the file is empty')
  if (decoder === undefined) {
    decoder = decoderOf(head)
    yield* parser.write(decode(decoder, head, parser.line))
  }
  yield* parser.write(decode(decoder, undefined, parser.line))
  parser.end()
  yield
}

class TreeParser {
  readonly #saxes = new SaxesParser({ xmlns: true, position: true })
  readonly #handler: XmlHandler
  readonly #open: { readonly node: XmlNode; readonly kept_before: number }[] = []
  #kept = 0
  #written = 0
  /** Where the last tag, text or comment ended, in characters. */
  #token_from = 0

  constructor(handler: XmlHandler) {
    this.#handler = handler
    const saxes = this.#saxes
    saxes.on('error', error => this.#fail(reasonOf(error)))
    saxes.on('doctype', () => this.#fail('a DOCTYPE is not read'))
    saxes.on('opentag', tag => this.#opened(tag))
    saxes.on('closetag', () => this.#closed())
    saxes.on('text', text => this.#text(text))
    saxes.on('cdata', text => this.#text(text))
    saxes.on('comment', () => this.#endToken())
    saxes.on('processinginstruction', () => this.#endToken())
  }

  get line(): number {
    return this.#saxes.line
  }

  *write(text: string): Generator<void> {
    for (let i = 0; i < text.length; i += PIECE) {
      const piece = text.slice(i, i + PIECE)
      this.#saxes.write(piece)
      this.#written += piece.length
      if (this.#written - this.#token_from > BOUNDS.token) {
        this.#fail(`a tag, text or comment has more than ${BOUNDS.token} characters`)
      }
      if (this.line > BOUNDS.lines) this.#fail(`the file has more than ${BOUNDS.lines} lines`)
      yield
    }
  }

  end(): void {
    const { node } = this.#open.at(-1) ?? {}
    if (node !== undefined) {
      this.#fail(`the file is cut off inside ${node.name}, which begins on line ${node.line}`)
    }
    this.#saxes.close()
  }

  #opened({ local, uri, attributes }: SaxesTagNS): void {
    this.#endToken()
    const parent = this.#open.at(-1)?.node
    if (this.#open.length >= BOUNDS.depth) {
      this.#fail(`elements stand more than ${BOUNDS.depth} deep`)
    }
    this.#kept += 1
    if (this.#kept > BOUNDS.nodes) {
      this.#fail(`one record has more than ${BOUNDS.nodes} elements`)
    }
    if (parent !== undefined) {
      parent.is_leaf = false
      parent.text = ''
    }
    const node: XmlNode = {
      name: local,
      namespace: uri,
      attributes,
      line: this.line,
      parent,
      children: [],
      is_leaf: true,
      text: '',
    }
    this.#open.push({ node, kept_before: this.#kept - 1 })
    this.#handler.open(node)
  }

  #closed(): void {
    this.#endToken()
    const closed = this.#open.pop()
    if (closed === undefined) return
    const { node, kept_before } = closed
    if (this.#handler.close(node) === 'keep') {
      node.parent?.children.push(node)
    } else {
      this.#kept = kept_before
    }
  }

  #text(text: string): void {
    this.#endToken()
    const node = this.#open.at(-1)?.node
    if (node?.is_leaf !== true) return
    node.text += text
    if (node.text.length > BOUNDS.token) {
      this.#fail(`the text of ${node.name} has more than ${BOUNDS.token} characters`)
    }
  }

  #endToken(): void {
    this.#token_from = this.#saxes.position
  }

  #fail(reason: string): never {
    throw new UnreadableFile(reason, this.line)
  }
}

/** The parser's message, without the place: UnreadableFile names the line. */
function reasonOf(error: Error): string {
  return `not well-formed XML: ${error.message.replace(/^\S*\d+:\d+: /, '').replace(/\.$/, '')}`
}

/** The encoding by the byte order mark, else by the XML declaration, else UTF-8. */
function decoderOf(head: Uint8Array): TextDecoder {
  const marked = bomOf(head)
  const ascii = Buffer.from(head.subarray(0, 200)).toString('latin1')
  const declared = /^<\?xml[^>]*?\sencoding\s*=\s*["']([^"']{1,40})["']/.exec(ascii)?.[1]
  const label = marked ?? ENCODINGS[(declared ?? 'utf-8').toLowerCase()]
  if (label === undefined) {
    throw new UnreadableFile(`the encoding ${declared} is not read; UTF-8 is`, 1)
  }
  if (marked === undefined && !/^\s*</.test(ascii)) {
    throw new UnreadableFile('the file is not XML: it does not begin with <', 1)
  }
  return new TextDecoder(label, { fatal: true })
}

function bomOf([a, b, c]: Uint8Array): string | undefined {
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8'
  if (a === 0xff && b === 0xfe) return 'utf-16le'
  if (a === 0xfe && b === 0xff) return 'utf-16be'
  return undefined
}

function decode(decoder: TextDecoder, bytes: Uint8Array | undefined, line: number): string {
  try {
    return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true })
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new UnreadableFile(`bytes from this line on are not ${decoder.encoding}`, line)
  }
}
