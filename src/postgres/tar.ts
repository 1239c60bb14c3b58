// Reads and writes tar archives as PostgreSQL makes them: POSIX ustar without extensions.

const BLOCK = 512

export const END = Buffer.alloc(2 * BLOCK)

export interface TarEntry {
  /** Without a leading `./` and a trailing slash. */
  readonly name: string
  /** The content of a file, to be read before the next entry; undefined for a folder. */
  readonly content: AsyncIterable<Buffer> | undefined
}

export class BadTar extends Error {}

/** The bytes of a file in an archive, with its header and padding. */
export function tarFile(name: string, content: Buffer, changed_at: Date, mode = 0o600): Buffer {
  const header = Buffer.alloc(BLOCK)
  const octal = (value: number, at: number, digits: number) =>
    header.write(value.toString(8).padStart(digits, '0'), at)
  const [folder, rest] = splitName(name)
  header.write(rest, 0)
  header.write(folder, 345)
  octal(mode, 100, 7)
  octal(0, 108, 7)
  octal(0, 116, 7)
  octal(content.length, 124, 11)
  octal(Math.floor(changed_at.getTime() / 1000), 136, 11)
  header.write('0', 156)
  header.write('ustar\x0000', 257, 'latin1')
  octal(checksum(header), 148, 6)
  header.write('\0 ', 154, 'latin1')
  return Buffer.concat([header, content, Buffer.alloc(padding(content.length))])
}

/** A header has 155 bytes for a folder, and 100 for the rest of the name. */
function splitName(name: string): [folder: string, rest: string] {
  if (Buffer.byteLength(name) <= 100) return ['', name]
  for (let at = name.indexOf('/'); at !== -1; at = name.indexOf('/', at + 1)) {
    const [folder, rest] = [name.slice(0, at), name.slice(at + 1)]
    if (Buffer.byteLength(folder) <= 155 && Buffer.byteLength(rest) <= 100) return [folder, rest]
  }
  throw new Error(`a tar archive has no room for the name ${name}`)
}

/**
 * Ending the iteration early closes the source. @throws BadTar when the data is no archive, is
 * truncated, or continues after its end
 */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const bytes = new Bytes(source)
  try {
    for (;;) {
      const header = await bytes.take(BLOCK)
      if (isBlank(header)) break
      const { name, size, type } = readHeader(header)
      if (type === '5') {
        yield { name, content: undefined }
        continue
      }
      const content = bytes.pieces(size)
      yield { name, content }
      for await (const _ of content);
      await bytes.take(padding(size))
    }
    let blank = isBlank(await bytes.take(END.length - BLOCK))
    // Reads to the end of the source: a truncated source may fail only there.
    for await (const piece of bytes.rest()) blank &&= isBlank(piece)
    if (!blank) throw new BadTar('data follows the end of the archive')
  } finally {
    await bytes.close()
  }
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every(byte => byte === 0)
}

function readHeader(header: Buffer): { name: string; size: number; type: string } {
  const text = (from: number, to: number) => {
    const [field = ''] = header.subarray(from, to).toString('utf8').split('\0', 1)
    return field
  }
  const octal = (from: number, to: number) => {
    const digits = text(from, to).trim()
    if (!/^[0-7]+$/.test(digits)) throw new BadTar(`a header has "${digits}" instead of a number`)
    return Number.parseInt(digits, 8)
  }
  if (octal(148, 156) !== checksum(header)) throw new BadTar('the checksum of a header is wrong')
  const type = text(156, 157)
  if (type !== '0' && type !== '5') throw new BadTar(`an entry has the unknown type "${type}"`)
  const name = [text(345, 500), text(0, 100)].filter(part => part !== '').join('/')
  return { name: safeName(name), size: octal(124, 136), type }
}

/** A name could lead out of the folder that the archive is unpacked into. */
function safeName(name: string): string {
  const parts = name.split('/').filter(part => part !== '' && part !== '.')
  if (name.startsWith('/') || parts.includes('..') || parts.length === 0) {
    throw new BadTar(`an entry has the unsafe name "${name}"`)
  }
  return parts.join('/')
}

/** The sum of all bytes of a header. The bytes of the checksum field count as blanks. */
function checksum(header: Buffer): number {
  return header.reduce((sum, byte, i) => sum + (i >= 148 && i < 156 ? 0x20 : byte), 0)
}

function padding(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK
}

class Bytes {
  readonly #source: AsyncIterator<Buffer>
  #piece: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  async take(count: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for await (const part of this.pieces(count)) parts.push(part)
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
  }

  async *pieces(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0; ) {
      if (this.#piece.length === 0 && !(await this.#next())) throw new BadTar('it is cut short')
      const part = this.#piece.subarray(0, left)
      this.#piece = this.#piece.subarray(part.length)
      left -= part.length
      yield part
    }
  }

  async *rest(): AsyncGenerator<Buffer> {
    do yield this.#piece
    while (await this.#next())
  }

  async close(): Promise<void> {
    await this.#source.return?.()
  }

  async #next(): Promise<boolean> {
    const { value, done } = await this.#source.next()
    if (done === true) return false
    this.#piece = value
    return true
  }
}
