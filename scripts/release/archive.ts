// Writes archives whose bytes depend on their files and one time alone: a gzipped tar, as npm and
// pip read it, and a zip, as a wheel is one. Pure.
import { crc32, deflateRawSync, gzipSync } from 'node:zlib'
import { END, tarFile } from '../../src/postgres/tar.ts'

export interface File {
  readonly bytes: Buffer
  readonly executable?: boolean
}

/** By path, `/` between its parts. */
export type Files = ReadonlyMap<string, File>

export const textFile = (text: string): File => ({ bytes: Buffer.from(text) })

export const below = (folder: string, files: Files): Files =>
  new Map([...files].map(([path, file]) => [`${folder}/${path}`, file]))

const inOrder = (files: Files) => [...files].sort(([a], [b]) => (a < b ? -1 : 1))

export function tarGz(files: Files, changed_at: Date): Buffer {
  const entries = inOrder(files).map(([path, { bytes, executable }]) =>
    tarFile(path, bytes, changed_at, executable ? 0o755 : 0o644),
  )
  return gzipSync(Buffer.concat([...entries, END]))
}

const UNIX = 3
const UTF8_NAMES = 0x800
const DEFLATED = 8
const VERSION = 20

/** By the local headers and the central directory of PKWARE's APPNOTE.TXT, 4.3. */
export function zip(files: Files, changed_at: Date): Buffer {
  const local: Buffer[] = []
  const central: Buffer[] = []
  let at = 0
  for (const [path, { bytes }] of inOrder(files)) {
    const name = Buffer.from(path)
    const packed = deflateRawSync(bytes)
    const shared = Buffer.concat([
      uint16(VERSION, UTF8_NAMES, DEFLATED, ...dosTime(changed_at)),
      uint32(crc32(bytes), packed.length, bytes.length),
      uint16(name.length, 0),
    ])
    local.push(uint32(0x04034b50), shared, name, packed)
    central.push(uint32(0x02014b50), uint16((UNIX << 8) | VERSION), shared, uint16(0, 0, 0))
    central.push(uint32((0o100644 << 16) >>> 0, at), name)
    at += 4 + shared.length + name.length + packed.length
  }
  const directory = Buffer.concat(central)
  const count = files.size
  const end = [uint32(0x06054b50), uint16(0, 0, count, count), uint32(directory.length, at)]
  return Buffer.concat([...local, directory, ...end, uint16(0)])
}

function uint16(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length)
  for (const [i, value] of values.entries()) bytes.writeUInt16LE(value, 2 * i)
  return bytes
}

function uint32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [i, value] of values.entries()) bytes.writeUInt32LE(value, 4 * i)
  return bytes
}

/** In UTC, to two seconds. */
function dosTime(at: Date): [time: number, date: number] {
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1)
  const year = at.getUTCFullYear() - 1980
  return [time, (year << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate()]
}
