// Makes ZIP archives for tests, right ones and wrong ones.
import { crc32, deflateRawSync } from 'node:zlib'

interface ZipFile {
  readonly name: string
  readonly bytes: Buffer
  readonly is_stored?: boolean
  /** The length that the archive states; by default the true one. */
  readonly said?: number
  readonly flags?: number
  readonly method?: number
  /** Whether it has the bytes of the first file again. */
  readonly same?: boolean
}

export function zipOf(files: readonly ZipFile[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const [i, file] of files.entries()) {
    const name = Buffer.from(file.name)
    const packed = file.is_stored ? file.bytes : deflateRawSync(file.bytes)
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(file.flags ?? 0, 2)
    fields.writeUInt16LE(file.method ?? (file.is_stored ? 0 : 8), 4)
    fields.writeUInt32LE(crc32(file.bytes), 10)
    fields.writeUInt32LE(packed.length, 14)
    fields.writeUInt32LE(file.said ?? file.bytes.length, 18)
    fields.writeUInt16LE(name.length, 22)
    const header_at = file.same ? 0 : at
    if (!file.same || i === 0) {
      const whole = [Buffer.from('504b0304', 'hex'), fields, name, packed]
      parts.push(...whole)
      at += whole.reduce((sum, { length }) => sum + length, 0)
    }
    const end = Buffer.alloc(14)
    end.writeUInt32LE(header_at, 10)
    directory.push(Buffer.from('504b01021400', 'hex'), fields, end, name)
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(files.length, 4)
  end.writeUInt16LE(files.length, 6)
  end.writeUInt32LE(listed.length, 8)
  end.writeUInt32LE(at, 12)
  return Buffer.concat([...parts, listed, Buffer.from('504b0506', 'hex'), end])
}
