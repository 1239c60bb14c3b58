// Reads the directory of a ZIP archive (PKWARE, APPNOTE.TXT), in bounded memory. Throws
// UnreadableFile for what is damaged, encrypted or packed in another way than files of banks are.
import type { FileHandle } from 'node:fs/promises'
import { UnreadableFile } from '../../values/bank-format/bank-format.ts'

/** A file in the archive. */
export interface Entry {
  /** For people alone: short, on one line, and never a path. */
  readonly name: string
  readonly method: 'stored' | 'deflated'
  readonly packed: number
  readonly unpacked: number
  readonly crc: number
  readonly header_at: number
}

const MOST_ENTRIES = 1_000
/** The end record has 22 bytes and a comment. */
const END_LENGTH = 22
const MOST_COMMENT = 65_535
const END_MARK = 0x06054b50
const ENTRY_MARK = 0x02014b50
const ENTRY_LENGTH = 46
const HEADER_MARK = 0x04034b50
const HEADER_LENGTH = 30
/** Each entry has a name, an extra field and a comment, some hundred bytes. */
const MOST_DIRECTORY = MOST_ENTRIES * 1_024

/** The files of the archive, without folders and the notes of macOS. */
export async function readDirectory(file: FileHandle, size: number): Promise<Entry[]> {
  const tail_at = Math.max(0, size - END_LENGTH - MOST_COMMENT)
  const tail = await readAt(file, tail_at, size - tail_at)
  const end = lastEnd(tail)
  const count = end.readUInt16LE(10)
  const length = end.readUInt32LE(12)
  const at = end.readUInt32LE(16)
  if (end.readUInt16LE(4) !== 0 || end.readUInt16LE(8) !== count) throw damaged('is in parts')
  if (count > MOST_ENTRIES) throw damaged(`has more than ${MOST_ENTRIES} files`)
  if (length > MOST_DIRECTORY || at + length > size) throw damaged('is damaged or cut off')
  const directory = await readAt(file, at, length)
  const entries: Entry[] = []
  let from = 0
  for (let i = 0; i < count; i++) {
    if (directory.length < from + ENTRY_LENGTH || directory.readUInt32LE(from) !== ENTRY_MARK) {
      throw damaged('is damaged or cut off')
    }
    const name_length = directory.readUInt16LE(from + 28)
    const next =
      from +
      ENTRY_LENGTH +
      name_length +
      directory.readUInt16LE(from + 30) +
      directory.readUInt16LE(from + 32)
    const name = directory.toString('utf8', from + ENTRY_LENGTH, from + ENTRY_LENGTH + name_length)
    if (!isIgnored(name)) entries.push(entryOf(directory.subarray(from), shown(name)))
    from = next
  }
  return entries
}

/** Where the packed bytes of a file begin: behind its own header, whose length may differ. */
export async function readDataOffset(file: FileHandle, { header_at, name }: Entry) {
  const header = await readAt(file, header_at, HEADER_LENGTH)
  if (header.length < HEADER_LENGTH || header.readUInt32LE(0) !== HEADER_MARK) {
    throw new UnreadableFile(`${name} is damaged: it has no header`)
  }
  return header_at + HEADER_LENGTH + header.readUInt16LE(26) + header.readUInt16LE(28)
}

function entryOf(record: Buffer, name: string): Entry {
  const [flags, method] = [record.readUInt16LE(8), record.readUInt16LE(10)]
  if ((flags & 1) !== 0) throw new UnreadableFile(`${name} is encrypted inside of its archive`)
  if (method !== 0 && method !== 8) {
    throw new UnreadableFile(`${name} is packed by method ${method}, and only deflate is read`)
  }
  const [packed, unpacked] = [record.readUInt32LE(20), record.readUInt32LE(24)]
  const header_at = record.readUInt32LE(42)
  // Larger values are in ZIP64 records, which no file below the bounds needs.
  if ([packed, unpacked, header_at].includes(0xff_ff_ff_ff)) throw damaged('is of ZIP64')
  if (method === 0 && packed !== unpacked) throw damaged('is damaged or cut off')
  const crc = record.readUInt32LE(16)
  return { name, method: method === 0 ? 'stored' : 'deflated', packed, unpacked, crc, header_at }
}

function lastEnd(tail: Buffer): Buffer {
  for (let at = tail.length - END_LENGTH; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== END_MARK) continue
    if (at + END_LENGTH + tail.readUInt16LE(at + 20) === tail.length) return tail.subarray(at)
  }
  throw damaged('is damaged or cut off')
}

function isIgnored(name: string): boolean {
  return name.endsWith('/') || name.startsWith('__MACOSX/') || /(^|\/)\.DS_Store$/.test(name)
}

/** The last part of a name, as people read it. */
function shown(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? ''
  return last.replace(/[^\p{L}\p{N}._ -]/gu, '?').slice(0, 80) || 'a file without a name'
}

function damaged(what: string): UnreadableFile {
  return new UnreadableFile(`the ZIP archive ${what}`)
}

async function readAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  const { bytesRead } = await file.read(bytes, 0, length, at)
  return bytes.subarray(0, bytesRead)
}
