// Unpacks a bank's file that is gzip or ZIP. Bounds sizes before it writes anything, and never uses
// the names in an archive as paths. Throws UnreadableFile for an archive that is not whole.
import { createReadStream, createWriteStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { crc32, createGunzip, createInflateRaw } from 'node:zlib'
import { UnreadableFile } from '../../values/bank-format/bank-format.ts'

/** The bounds of an archive. Reports of many like payments shrink to a fiftieth. */
export interface Bounds {
  /** The most bytes of all its files together. */
  readonly bytes: number
  /** The most bytes of its files for each byte of the archive, beyond `free` bytes. */
  readonly ratio: number
  readonly free: number
}

export const RATIO: Omit<Bounds, 'bytes'> = { ratio: 200, free: 16 * 1024 * 1024 }

/** The most zeros behind a gzip. */
const MOST_PADDING = 1024 * 1024

/** The paths of the files in the archive, in `folder`; the path itself if it is no archive. */
export async function unpack(path: string, folder: string, bounds: Bounds): Promise<string[]> {
  await using file = await open(path)
  const { size } = await file.stat()
  const head = Buffer.alloc(4)
  await file.read(head, 0, head.length, 0)
  if (isGzip(head)) {
    const into = join(folder, 'unpacked')
    const most = mostOf(size, bounds)
    const read = await reading(() => gunzip(path, most, into))
    await checkPadding(file, read, size)
    return [await plain(into)]
  }
  if (!isZip(head)) return [path]
  const entries = await readDirectory(file, size)
  checkSizes(entries, size, bounds)
  const paths: string[] = []
  for (const [i, entry] of entries.entries()) {
    const into = join(folder, `unpacked-${i}`)
    const start = await readDataOffset(file, entry)
    await reading(() => writeEntry(path, start, entry, into))
    paths.push(await plain(into))
  }
  return paths
}

const isGzip = (head: Buffer) => head.subarray(0, 2).toString('hex') === '1f8b'
const isZip = (head: Buffer) => ['504b0304', '504b0506'].includes(head.toString('hex'))

const to = (path: string) => createWriteStream(path, { flags: 'wx' })

function mostOf(size: number, { bytes, ratio, free }: Bounds): number {
  return Math.min(bytes, Math.max(free, size * ratio))
}

/** Judges the sizes that the directory states. `writeEntry` writes no byte more than they say. */
function checkSizes(entries: readonly Entry[], size: number, bounds: Bounds): void {
  const sum = (of: (entry: Entry) => number) =>
    entries.reduce((total, entry) => total + of(entry), 0)
  if (entries.length === 0) throw new UnreadableFile('the ZIP archive has no file')
  // Entries that share bytes multiply a small archive.
  if (sum(({ packed }) => packed) > size) {
    throw new UnreadableFile('the files of the ZIP archive are more than the archive has')
  }
  const most = mostOf(size, bounds)
  const unpacked = sum(entry => entry.unpacked)
  if (unpacked > most) throw tooLarge(most)
}

function tooLarge(most: number): UnreadableFile {
  return new UnreadableFile(`the archive unpacks to more than ${most} bytes`)
}

/** Passes chunks on, up to `most` bytes. */
function counted(most: number) {
  return async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let bytes = 0
    for await (const chunk of chunks) {
      bytes += chunk.length
      if (bytes > most) throw tooLarge(most)
      yield chunk
    }
  }
}

/** Unpacks all members of a gzip up to padding; returns how many bytes it has read. */
async function gunzip(path: string, most: number, into: string): Promise<number> {
  const source = createReadStream(path)
  const members = createGunzip()
  source.once('error', error => members.destroy(error))
  // Zeros end the members. Later bytes are not read.
  members.once('end', () => source.destroy())
  try {
    await pipeline(source.pipe(members), counted(most), to(into))
  } finally {
    source.destroy()
  }
  return members.bytesWritten
}

/** Padding is zeros. Other bytes may be one more file, whose lines must not be lost. */
async function checkPadding(file: FileHandle, from: number, size: number): Promise<void> {
  const { buffer } = await file.read(Buffer.alloc(Math.min(size - from, MOST_PADDING)), {
    position: from,
  })
  if (size - from <= MOST_PADDING && buffer.every(byte => byte === 0)) return
  throw new UnreadableFile(`the archive goes on after its end, at byte ${from}`)
}

async function writeEntry(path: string, start: number, entry: Entry, into: string): Promise<void> {
  const { packed, unpacked, crc, method, name } = entry
  let sum = 0
  let bytes = 0
  const checked = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      bytes += chunk.length
      if (bytes > unpacked) throw new UnreadableFile(`${name} has more bytes than its archive says`)
      sum = crc32(chunk, sum)
      yield chunk
    }
  }
  // A stream of no bytes has no range.
  const source = packed === 0 ? [] : createReadStream(path, { start, end: start + packed - 1 })
  if (method === 'stored') await pipeline(source, checked, to(into))
  else await pipeline(source, createInflateRaw(), checked, to(into))
  if (bytes !== unpacked || sum !== crc) {
    throw new UnreadableFile(`${name} is damaged: its length or checksum differs`)
  }
}

/** Runs the work. A fault of the packed bytes makes the archive unreadable. */
async function reading<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    const { code = '', message } = error as { code?: string; message: string }
    if (!code.startsWith('Z_') && code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
    throw new UnreadableFile(`the archive is damaged or cut off: ${message}`)
  }
}

/** Returns the path. Throws UnreadableFile if its file is an archive. */
async function plain(path: string): Promise<string> {
  await using file = await open(path)
  const head = Buffer.alloc(4)
  await file.read(head, 0, head.length, 0)
  if (isGzip(head) || isZip(head)) throw new UnreadableFile('an archive inside of an archive')
  return path
}

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
async function readDirectory(file: FileHandle, size: number): Promise<Entry[]> {
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

/** The position of the packed bytes: behind the file's own header, whose length may differ. */
async function readDataOffset(file: FileHandle, { header_at, name }: Entry) {
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
