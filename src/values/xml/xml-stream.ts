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

export interface XmlHandler {
  open(node: XmlNode): void
  /** Whether the parent keeps the element; if not, it is dropped. */
  close(node: XmlNode): 'keep' | 'forget'
  /** Where it is false, a text of more than BOUNDS.text characters makes the file unreadable. */
  readonly may_cut?: boolean
}

/**
 * A report of 100,000 payments has some 4,000,000 lines and 250 MB. A larger file is refused; the
 * bank can send it in parts.
 */
export const BOUNDS = {
  bytes: 512 * 1024 * 1024,
  lines: 8_000_000,
  depth: 40,
  /** The most characters of one text that are read. The rest, as of an attachment, is left out. */
  text: 65_536,
  /** The most characters of the attributes of one tag. */
  attributes: 65_536,
  /** The most characters of one tag, text or comment. */
  token: 16_777_216,
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
}

/** Encodings of one byte, by every name that the Encoding Standard gives them, such as latin1. */
const ONE_BYTE = /^(?:iso-8859-\d{1,2}(?:-[ei])?|windows-\d{3,4}|ibm866|koi8-[ru]|macintosh)$/

/** The decoder's name of a declared encoding; undefined for one that is not read. */
function labelOf(declared: string): string | undefined {
  const name = declared.toLowerCase()
  if (Object.hasOwn(ENCODINGS, name)) return ENCODINGS[name]
  try {
    const { encoding } = new TextDecoder(name)
    return ONE_BYTE.test(encoding) ? encoding : undefined
  } catch {
    return undefined
  }
}

/**
 * Parses all chunks. Yields after each piece, so that the caller can take the handler's results.
 * Throws UnreadableFile.
 */
export async function* readXml(chunks: AsyncIterable<Uint8Array>, handler: XmlHandler) {
  const parser = new DocumentsParser(handler)
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

/** Where another document begins in one file. */
const DECLARATION = /<\?xml\s/g
/** The characters that may be the beginning of a declaration, kept for the next piece. */
const DECLARATION_BEGINS = /<(?:\?(?:x(?:m(?:l)?)?)?)?$/
/** Some systems write these behind the end of a file: Ctrl-Z and NUL. White space may follow. */
const PADDING = ['\u0000', '\u001a'] as const
const ONLY_PADDING = /^[\s\p{Cc}]*$/u
/** An ampersand that begins no reference. */
const RAW_AMPERSAND = /&(?!#?[A-Za-z0-9_.:-]{1,40};)(?=[\s\S]{42})/

/** Parses a file of one or more documents, each behind the other. */
class DocumentsParser {
  readonly #handler: XmlHandler
  #parser: TreeParser
  #kept = ''
  /** Whether padding has begun, behind which nothing may follow. */
  #has_ended = false
  #is_empty = true

  constructor(handler: XmlHandler) {
    this.#handler = handler
    this.#parser = new TreeParser(handler)
  }

  get line(): number {
    return this.#parser.line
  }

  *write(text: string): Generator<void> {
    if (this.#has_ended && ONLY_PADDING.test(text)) return
    let rest = this.#kept + text
    this.#kept = ''
    const padding = Math.min(...PADDING.map(mark => rest.indexOf(mark)).filter(at => at >= 0))
    if (Number.isFinite(padding) && ONLY_PADDING.test(rest.slice(padding))) {
      this.#has_ended = true
      rest = rest.slice(0, padding)
    }
    if (this.#is_empty) {
      const lead = /^\s*/.exec(rest)?.[0] ?? ''
      this.#parser.lines_before += lead.split('\n').length - 1
      rest = rest.slice(lead.length)
    }
    const kept = this.#has_ended ? '' : (DECLARATION_BEGINS.exec(rest)?.[0] ?? '')
    this.#kept = kept
    rest = rest.slice(0, rest.length - kept.length)
    for (;;) {
      DECLARATION.lastIndex = this.#is_empty ? 1 : 0
      const at = DECLARATION.exec(rest)?.index
      if (at === undefined) break
      yield* this.#parse(rest.slice(0, at))
      const { line } = this
      this.#parser.end()
      this.#parser = new TreeParser(this.#handler, line - 1)
      rest = rest.slice(at)
      this.#is_empty = true
    }
    yield* this.#parse(rest)
  }

  *#parse(text: string): Generator<void> {
    if (text === '') return
    this.#is_empty = false
    yield* this.#parser.write(text)
  }

  end(): void {
    for (const _ of this.#parser.write(this.#kept));
    this.#parser.end()
  }
}

class TreeParser {
  readonly #saxes = new SaxesParser({ xmlns: true, position: true })
  /** The lines of the file before this document. */
  lines_before: number
  /** The line of the first ampersand that begins no reference; 0: there is none. */
  #raw_ampersand = 0
  readonly #handler: XmlHandler
  readonly #open: { readonly node: XmlNode; readonly kept_before: number }[] = []
  #kept = 0
  #written = 0
  /** Where the last tag, text or comment ended, in characters. */
  #token_from = 0

  constructor(handler: XmlHandler, lines_before = 0) {
    this.#handler = handler
    this.lines_before = lines_before
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
    return this.lines_before + this.#saxes.line
  }

  *write(text: string): Generator<void> {
    for (let i = 0; i < text.length; i += PIECE) {
      const piece = text.slice(i, i + PIECE)
      if (this.#raw_ampersand === 0) {
        const at = RAW_AMPERSAND.exec(piece)?.index
        const lines = at === undefined ? 0 : piece.slice(0, at).split('\n').length - 1
        if (at !== undefined) this.#raw_ampersand = this.line + lines
      }
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
    const length = Object.values(attributes).reduce((sum, { value }) => sum + value.length, 0)
    if (length > BOUNDS.attributes) {
      this.#fail(`a tag has more than ${BOUNDS.attributes} characters of attributes`)
    }
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
    const room = BOUNDS.text - node.text.length
    if (text.length > room && this.#handler.may_cut === false) {
      this.#fail(`the text of ${node.name} has more than ${BOUNDS.text} characters`)
    }
    node.text += text.slice(0, Math.max(0, room))
  }

  #endToken(): void {
    this.#token_from = this.#saxes.position
  }

  #fail(reason: string): never {
    if (this.#raw_ampersand > 0) {
      const words = 'an & stands in the text by itself: XML writes it as &amp;'
      throw new UnreadableFile(words, this.#raw_ampersand)
    }
    throw new UnreadableFile(reason, this.line)
  }
}

/** The parser's message, without the place: UnreadableFile names the line. */
function reasonOf(error: Error): string {
  return `not well-formed XML: ${error.message.replace(/^\S*\d+:\d+: /, '').replace(/\.$/, '')}`
}

/** The encoding by the byte order mark, then by the XML declaration; otherwise UTF-8. */
function decoderOf(head: Uint8Array): TextDecoder {
  const marked = bomOf(head)
  const ascii = Buffer.from(head.subarray(0, 200)).toString('latin1')
  const declared = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([^"']{1,40})["']/.exec(ascii)?.[1]
  const label = marked ?? labelOf(declared ?? 'utf-8')
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
