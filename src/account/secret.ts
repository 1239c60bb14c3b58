// The secrets of API keys, as they are made. Whoever finds one in code, a log or a chat knows it
// for what it is: by its beginning, and without asking us by its checksum. Nothing else reads them:
// a secret is compared by its hash alone, so that those of another form go on working.
import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** 256 bits, in base64url. */
const RANDOM_BYTES = 32

/** `corridor_live_` or `corridor_test_`, 43 random characters, 6 of a checksum over all before. */
export function newSecret({ sandbox }: { readonly sandbox: boolean }): string {
  const kind = sandbox ? 'test' : 'live'
  const text = `corridor_${kind}_${randomBytes(RANDOM_BYTES).toString('base64url')}`
  return text + checksumOf(text)
}

/** CRC-32, big-endian, in base64url. */
function checksumOf(text: string): string {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(crc32(text))
  return bytes.toString('base64url')
}
